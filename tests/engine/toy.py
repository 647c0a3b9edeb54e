"""A family small enough to know everything about: six tokens, one layer, real passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from engine.acceptance import AcceptanceModel
from engine.checkpoint import GPT2Config
from engine.config import DecodingConfig, DecodingMode, SamplingParams
from engine.decoding import Decoder, Emission
from engine.drafter import Drafter
from engine.events import Origin, StopReason
from engine.ngram import KatzTable, NgramDraft
from engine.planner import Planner
from engine.runner import Runner
from engine.sampling import Sampler
from engine.stats import Recorder, Statistics
from tests.engine.support import CPU, NEVER, eager_planner, katz_arrays, random_weights, runner, write_checkpoint

VOCAB, POSITIONS = 6, 128


def toy_config(n_positions: int = POSITIONS) -> GPT2Config:
    """One layer, two heads."""
    return GPT2Config(VOCAB, n_positions, n_embd=8, n_layer=1, n_head=2, n_inner=16)


def toy_runner(
    folder: Path, seed: int, n_positions: int = POSITIONS, ordered: bool = False, disturbance: float = 0.0
) -> Runner:
    """A random model whose distributions are far from flat and differ from context to context.

    With a disturbance it is like the model of the same seed, but not quite.
    """
    tensors = random_weights(toy_config(n_positions), seed, scale=0.9)
    noise = random_weights(toy_config(n_positions), seed + 1000, scale=disturbance)
    tensors = {name: tensor + (noise[name] if tensor.ndim == 2 else 0) for name, tensor in tensors.items()}
    return runner(write_checkpoint(folder, toy_config(n_positions), tensors), ordered=ordered)


@dataclass
class Decoded:
    """What a decoding gave: tokens, their origins, the rounds, why it ended."""

    tokens: list[int] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    rounds: list[Emission] = field(default_factory=list)
    reason: StopReason | None = None
    statistics: Statistics = field(default_factory=Statistics)


@dataclass
class Toy:
    """Target, draft and n-grams, decoded with as much drafting as there can be."""

    target: Runner
    draft: Runner | None
    ngram: NgramDraft = field(default_factory=lambda: NgramDraft(KatzTable(VOCAB, katz_arrays(VOCAB))))
    planner: Planner = field(default_factory=eager_planner)
    acceptance: AcceptanceModel = field(default_factory=AcceptanceModel)
    max_nodes: int = 16

    def decode(
        self,
        prompt: Sequence[int],
        mode: DecodingMode,
        max_new_tokens: int,
        seed: int = 0,
        ends: Callable[[list[int]], StopReason | None] = lambda _: None,
        cancelled: Callable[[], bool] = NEVER,
        after_round: Callable[[list[int]], None] = lambda _: None,
        **params: object,
    ) -> Decoded:
        """Bring the caches up to the prompt and decode, as `engine.chat_model` does."""
        sampler = Sampler(SamplingParams(**params), seed, CPU)  # type: ignore[arg-type]
        sampler.saw(prompt)
        for model in filter(None, (self.target, self.draft)):
            model.reuse(prompt, keep=len(prompt) - 1)
        self.target.prefill(prompt[self.target.length : -1])
        self.ngram.conversation.follow(prompt)
        recorder, result, text = Recorder(), Decoded(), list(prompt)

        def receive(token: int, origin: Origin, _round: int) -> StopReason | None:
            result.tokens.append(token)
            result.origins.append(origin)
            self.ngram.conversation.extend([token])
            reason = ends(result.tokens)
            return reason or (StopReason.MAX_NEW_TOKENS if len(result.tokens) == max_new_tokens else None)

        drafter = Drafter(
            DecodingConfig(mode, max_tree_nodes=self.max_nodes),
            self.draft,
            self.ngram,
            self.planner,
            self.acceptance,
            sampler,
            recorder,
        )
        for emission in Decoder(self.target, drafter, sampler, self.planner, recorder).decode(
            text, max_new_tokens, receive, cancelled
        ):
            result.rounds.append(emission)
            result.reason = emission.reason
            after_round(text)
        assert text == [*prompt, *result.tokens]
        result.statistics = recorder.snapshot()
        return result


def next_distribution(model: Runner, text: Sequence[int]) -> torch.Tensor:
    """The exact logits behind a text, computed alone (vocab_size,)."""
    model.reset()
    model.prefill(text[:-1])
    row: torch.Tensor = model.extend([text[-1]], [-1])[0]
    model.rollback()
    return row
