"""A loaded family: text in, events out. Joins tokenizer, prompt, decoding and the growing answer."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from engine.acceptance import AcceptanceModel
from engine.answer import AnswerText
from engine.config import MAX_SEED, DecodingMode, SamplingParams
from engine.decoding import Decoder
from engine.drafter import Drafter
from engine.errors import InvalidRequest
from engine.events import (
    Accepted,
    Event,
    Finished,
    GenerationRequest,
    ModelInfo,
    Origin,
    Prefilled,
    PromptSize,
    StatisticsUpdated,
    StopReason,
)
from engine.ngram import NgramDraft
from engine.planner import Planner
from engine.prompt import FittedPrompt, PromptWriter
from engine.runner import Runner
from engine.sampling import Sampler
from engine.stats import Recorder, Statistics

STATISTICS_INTERVAL_S = 0.2
SEED_BITS = 31
"""Drawn seeds are short enough to be typed again."""

EventMaker = Callable[[int, int], Event]
"""(request id, step) -> the event"""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """What `engine.loading` makes of a family. One thread generates; `prompt_size` may be asked from any."""

    info: ModelInfo
    writer: PromptWriter
    target: Runner
    draft: Runner | None
    ngram: NgramDraft
    planner: Planner
    target_bytes: int
    draft_bytes: int
    acceptances: dict[tuple[DecodingMode, bool], AcceptanceModel] = field(default_factory=dict)

    def acceptance(self, mode: DecodingMode, greedy: bool) -> AcceptanceModel:
        """What is known of the acceptance in a mode; it outlives the answers."""
        return self.acceptances.setdefault((mode, greedy), AcceptanceModel())

    def prompt_size(self, request: GenerationRequest) -> PromptSize:
        """What the request's prompt takes of the context. Raises InvalidRequest as `generate` would."""
        prompt = self.prompt(request)
        return PromptSize(len(prompt.tokens), self.info.context_length, prompt.dropped_turns)

    def generate(self, request: GenerationRequest, cancelled: Callable[[], bool]) -> Iterator[EventMaker]:
        """The events of one answer, as functions of request id and step."""
        started = time.perf_counter()
        prompt = self.prompt(request)
        sampling = self._sampling(request.sampling)
        self._check_mode(request)
        answer = _Answer(self, request, sampling, prompt, started)
        yield from answer.events(cancelled)

    def prompt(self, request: GenerationRequest) -> FittedPrompt:
        """The request's prompt in tokens. Raises InvalidRequest where there is none or it does not fit."""
        if (request.prompt is None) == (not request.messages):
            raise InvalidRequest("give either messages or a prompt")
        if request.prompt is not None:
            return self.writer.raw(request.prompt)
        return self.writer.conversation(
            request.messages, request.chat_format or self.info.chat_format, request.context_policy
        )

    def _sampling(self, params: SamplingParams) -> SamplingParams:
        strange = [token for token in params.logit_bias if not 0 <= token < self.info.vocab_size]
        if strange:
            raise InvalidRequest(
                f"logit_bias names token {strange[0]}; the vocabulary has {self.info.vocab_size} tokens"
            )
        return params if params.seed is not None else replace(params, seed=secrets.randbits(SEED_BITS) & MAX_SEED)

    def _check_mode(self, request: GenerationRequest) -> None:
        mode = request.decoding.mode
        if mode.uses_draft and self.draft is None and not mode.uses_ngram:
            raise InvalidRequest(
                f"{mode} decoding needs a draft model, and this family has none; choose staged or ngram"
            )


class _Answer:
    """One answer while it is generated."""

    def __init__(
        self,
        model: ChatModel,
        request: GenerationRequest,
        sampling: SamplingParams,
        prompt: FittedPrompt,
        started: float,
    ) -> None:
        assert sampling.seed is not None
        self._model = model
        self._request = request
        self._sampling = sampling
        self._seed = sampling.seed
        self._prompt = prompt
        self._started = started
        is_chat = request.prompt is None
        stop = (request.chat_format or model.info.chat_format).stop if is_chat else ()
        self._text = AnswerText(model.writer.tokenizer, (*stop, *sampling.stop), trim=is_chat)
        self._recorder = Recorder()
        self._sampler = Sampler(sampling, sampling.seed, model.target.device)
        self._sampler.saw(prompt.tokens)
        self._drafter = Drafter(
            request.decoding,
            model.draft,
            model.ngram,
            model.planner,
            model.acceptance(request.decoding.mode, self._sampler.is_greedy),
            self._sampler,
            self._recorder,
        )
        self._ids: list[int] = []
        self._cached_tokens = 0
        self._prefill_s = 0.0
        self._first_token_s: float | None = None

    def events(self, cancelled: Callable[[], bool]) -> Iterator[EventMaker]:
        """Prefill, rounds, end."""
        if not self._prefill(cancelled):
            yield self._finished(StopReason.CANCELLED)
            return
        yield partial(
            Prefilled,
            prompt_tokens=len(self._prompt.tokens),
            cached_tokens=self._cached_tokens,
            dropped_turns=self._prompt.dropped_turns,
            seconds=self._prefill_s,
        )
        yield from self._rounds(cancelled)

    def _prefill(self, cancelled: Callable[[], bool]) -> bool:
        """Bring the caches up to the prompt's last token, which stays out as the first root."""
        model, tokens = self._model, self._prompt.tokens
        for runner in filter(None, (model.target, model.draft)):
            if not self._request.reuse_cache:
                runner.reset()
            runner.reuse(tokens, keep=len(tokens) - 1)
        self._cached_tokens = model.target.length
        model.ngram.conversation.follow(tokens)
        done = model.target.prefill(tokens[model.target.length : -1], cancelled)
        done = done and self._drafter.prefill(tokens, cancelled)
        self._prefill_s = time.perf_counter() - self._started
        self._recorder.start()
        return done

    def _rounds(self, cancelled: Callable[[], bool]) -> Iterator[EventMaker]:
        model = self._model
        decoder = Decoder(model.target, self._drafter, self._sampler, model.planner, self._recorder)
        text, reported_s = list(self._prompt.tokens), time.perf_counter()
        for emission in decoder.decode(text, self._sampling.max_new_tokens, self._receive, cancelled):
            if self._first_token_s is None and emission.tokens:
                self._first_token_s = time.perf_counter() - self._started
            segments = self._text.release(final=emission.reason is not None)
            if emission.tokens or segments:
                yield partial(
                    Accepted, tokens=emission.tokens, origins=emission.origins, segments=segments, round=emission.round
                )
            if emission.reason is not None:
                yield self._finished(emission.reason)
            elif time.perf_counter() - reported_s > STATISTICS_INTERVAL_S:
                reported_s = time.perf_counter()
                yield partial(StatisticsUpdated, statistics=self._statistics())

    def _receive(self, token: int, origin: Origin, round_index: int) -> StopReason | None:
        """Write an emitted token; what, if anything, ends the answer with it."""
        self._ids.append(token)
        self._model.ngram.conversation.extend([token])
        if token == self._model.writer.eos_token_id:
            return StopReason.END_OF_TEXT
        if self._text.push(token, origin, round_index):
            return StopReason.STOP_STRING
        return StopReason.MAX_NEW_TOKENS if len(self._ids) == self._sampling.max_new_tokens else None

    def _finished(self, reason: StopReason) -> EventMaker:
        return partial(
            Finished,
            reason=reason,
            text=self._text.shown,
            token_ids=tuple(self._ids),
            seed=self._seed,
            statistics=self._statistics(),
        )

    def _statistics(self) -> Statistics:
        statistics = self._recorder.snapshot(
            prompt_tokens=len(self._prompt.tokens),
            cached_tokens=self._cached_tokens,
            prefill_s=self._prefill_s,
            first_token_s=self._first_token_s,
            plain_tokens_per_s=1.0 / self._model.planner.plain_s,
            target_bytes=self._model.target_bytes,
            draft_bytes=self._model.draft_bytes,
        )
        if self._request.decoding.mode is not DecodingMode.PLAIN:
            return statistics
        return replace(statistics, plain_tokens_per_s=statistics.tokens_per_s)  # this very answer is the measurement
