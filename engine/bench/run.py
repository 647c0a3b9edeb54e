"""Runs the modes and gathers what they did. Modes take turns on every prompt, so that a drifting machine hits all."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from engine.bench.prompts import BenchPrompt
from engine.chat_model import ChatModel
from engine.config import DecodingConfig, DecodingMode, SamplingParams
from engine.events import Finished, GenerationRequest
from engine.stats import Statistics, ratio

SAMPLINGS = {
    "greedy": SamplingParams(seed=0),
    "top-k 50": SamplingParams(temperature=1.0, top_k=50, seed=0),
    "chat": SamplingParams(temperature=0.7, top_k=50, top_p=0.95, repetition_penalty=1.1, seed=0),
}
"""The paper's two, and what the chat uses."""

WARM_UP_TOKENS = 24


@dataclass(slots=True)
class ModeResult:
    """One mode under one sampling over all prompts.

    total           counters added up
    speedups        per prompt: tokens/s over plain's tokens/s on the same prompt
    first_token_s   per prompt: cold prefill and first round
    diverged        prompts whose token ids are not plain's
    """

    mode: DecodingMode
    total: Statistics = field(default_factory=Statistics)
    speedups: list[float] = field(default_factory=list)
    first_token_s: list[float] = field(default_factory=list)
    diverged: list[str] = field(default_factory=list)

    @property
    def tokens_per_s(self) -> float | None:
        """Tokens over seconds of decoding, all prompts."""
        return self.total.tokens_per_s

    @property
    def median_first_token_s(self) -> float | None:
        """Median over the prompts."""
        return statistics.median(self.first_token_s) if self.first_token_s else None


@dataclass(frozen=True, slots=True)
class SamplingResult:
    """All modes under one sampling, plain first."""

    sampling: str
    modes: list[ModeResult]

    def speedup(self, result: ModeResult) -> float | None:
        """Tokens/s over plain's, both over all prompts."""
        return ratio(result.tokens_per_s or 0.0, self.modes[0].tokens_per_s or 0.0)


@dataclass(slots=True)
class BaselineResult:
    """One way of transformers' `generate` over all prompts, greedy.

    tokens, seconds  those behind the first token of each answer, which comes with the prompt's prefill
    """

    name: str
    setting: str
    tokens: int = 0
    seconds: float = 0.0
    token_ids: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def tokens_per_s(self) -> float:
        """Tokens per second of decoding."""
        return self.tokens / self.seconds if self.tokens else 0.0


def run_modes(
    model: ChatModel,
    modes: Sequence[DecodingMode],
    samplings: Sequence[str],
    prompts: Sequence[BenchPrompt],
    max_new_tokens: int,
    progress: Callable[[str], None],
) -> list[SamplingResult]:
    """Every mode on every prompt, plain always among them."""
    ordered = [DecodingMode.PLAIN, *(mode for mode in modes if mode is not DecodingMode.PLAIN)]
    results = []
    for name in samplings:
        sampling = replace(SAMPLINGS[name], max_new_tokens=max_new_tokens)
        result = SamplingResult(name, [ModeResult(mode) for mode in ordered])
        for mode in ordered:  # the planner learns the text's acceptance before anything is measured
            _answer(model, prompts[0], mode, replace(sampling, max_new_tokens=WARM_UP_TOKENS))
        for index, prompt in enumerate(prompts):
            progress(f"{name}: prompt {index + 1} of {len(prompts)}")
            _run_prompt(model, prompt, sampling, result, index)
        results.append(result)
    return results


def prompt_tokens(model: ChatModel, prompt: BenchPrompt) -> tuple[int, ...]:
    """The token ids that a prompt becomes."""
    return model.prompt(GenerationRequest(messages=prompt.messages, prompt=prompt.text)).tokens


def _run_prompt(
    model: ChatModel, prompt: BenchPrompt, sampling: SamplingParams, result: SamplingResult, turn: int
) -> None:
    """All modes on one prompt, in an order that turns from prompt to prompt. The prompt is prefilled once, cold."""
    prefill = _answer(model, prompt, DecodingMode.PLAIN, replace(sampling, max_new_tokens=1), reuse_cache=False)
    shift = turn % len(result.modes)
    answers = {
        mode.mode: _answer(model, prompt, mode.mode, sampling) for mode in result.modes[shift:] + result.modes[:shift]
    }
    plain = answers[DecodingMode.PLAIN]
    for mode in result.modes:
        answer = answers[mode.mode]
        mode.total += answer.statistics
        speedup = ratio(answer.statistics.tokens_per_s or 0.0, plain.statistics.tokens_per_s or 0.0)
        if speedup is not None:
            mode.speedups.append(speedup)
        if answer.statistics.first_token_s is not None:
            mode.first_token_s.append(prefill.statistics.prefill_s + answer.statistics.first_token_s)
        if answer.token_ids != plain.token_ids:
            mode.diverged.append(prompt.name)


def _answer(
    model: ChatModel, prompt: BenchPrompt, mode: DecodingMode, sampling: SamplingParams, reuse_cache: bool = True
) -> Finished:
    request = GenerationRequest(
        messages=prompt.messages,
        prompt=prompt.text,
        sampling=sampling,
        decoding=DecodingConfig(mode=mode),
        reuse_cache=reuse_cache,
    )
    *_, last = model.generate(request, lambda: False)
    finished = last(0, 0)
    assert isinstance(finished, Finished)
    return finished
