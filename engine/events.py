"""What a caller asks for, and the events with which the engine thread answers. All frozen: safe between threads."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from engine.config import ChatFormat, ChatMessage, ContextPolicy, DecodingConfig, SamplingParams
from engine.errors import EngineError
from engine.stats import Statistics


class Origin(StrEnum):
    """Where an emitted token came from: proposed by the n-gram, by the draft, or given by the target itself (bonus)."""

    NGRAM = "ngram"
    DRAFT = "draft"
    TARGET = "target"


class StopReason(StrEnum):
    """Why an answer ended."""

    END_OF_TEXT = "end_of_text"
    STOP_STRING = "stop_string"
    MAX_NEW_TOKENS = "max_new_tokens"
    CONTEXT_FULL = "context_full"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One answer to produce.

    messages      the conversation; if the last message is the assistant's, it is continued
    prompt        raw text instead of messages (no chat format); exactly one of the two is given
    chat_format   None takes the model's own
    reuse_cache   False makes a cold run (for fair comparisons)
    """

    messages: tuple[ChatMessage, ...] = ()
    prompt: str | None = None
    sampling: SamplingParams = field(default_factory=SamplingParams)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)
    chat_format: ChatFormat | None = None
    context_policy: ContextPolicy = ContextPolicy.DROP_OLD_TURNS
    reuse_cache: bool = True


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What was loaded, for people and reports.

    parameters_target / parameters_draft   number of weights; None without a draft
    dtype, device, threads                 what was picked; `dtype_reason` says why
    plain_tokens_per_s                     measured at load, at a short context
    exact                                  True where all modes are bit-exact by construction
    """

    name: str
    target: Path
    draft: Path | None
    ngram: Path | None
    parameters_target: int
    parameters_draft: int | None
    vocab_size: int
    context_length: int
    dtype: str
    dtype_reason: str
    device: str
    threads: int
    exact: bool
    plain_tokens_per_s: float
    chat_format: ChatFormat


@dataclass(frozen=True, slots=True)
class PromptSize:
    """How much of the context a prompt takes: tokens kept, tokens in all, and old turns that had to leave."""

    tokens: int
    context_length: int
    dropped_turns: int


@dataclass(frozen=True, slots=True)
class Round:
    """One target pass of a generation: its number from 0, the rows of its tree (root included), tokens it emitted."""

    index: int
    tree_size: int
    emitted: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of shown text with the origin of its token and the round that emitted it."""

    text: str
    origin: Origin
    round_index: int


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events: the request it belongs to, and its place in that request's sequence, from 0."""

    request_id: int
    step: int


@dataclass(frozen=True, slots=True)
class Loading(Event):
    """A model is being loaded; `progress` from 0 to 1, `stage` in a few words."""

    progress: float
    stage: str


@dataclass(frozen=True, slots=True)
class Ready(Event):
    """The model is loaded and takes requests."""

    model: ModelInfo


@dataclass(frozen=True, slots=True)
class Prefilled(Event):
    """The prompt is in the cache. `cached_tokens` of `prompt_tokens` were there already."""

    prompt_tokens: int
    cached_tokens: int
    dropped_turns: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Accepted(Event):
    """Tokens of one round, with the text that may be shown by now (text can lag behind: half characters, stop strings).

    tokens and origins have the same length; segments may belong to earlier rounds whose text was held back.
    """

    tokens: tuple[int, ...]
    origins: tuple[Origin, ...]
    segments: tuple[Segment, ...]
    round: Round

    @property
    def text(self) -> str:
        """The newly shown text."""
        return "".join(segment.text for segment in self.segments)


@dataclass(frozen=True, slots=True)
class StatisticsUpdated(Event):
    """Counters so far; sent a few times a second while an answer runs."""

    statistics: Statistics


@dataclass(frozen=True, slots=True)
class Finished(Event):
    """The end of an answer, cancelled ones included. `text` is all shown text, `statistics` the final counters."""

    reason: StopReason
    text: str
    token_ids: tuple[int, ...]
    seed: int
    statistics: Statistics


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """The request broke; the engine goes on with the next one. Text emitted before stays valid."""

    error: EngineError
