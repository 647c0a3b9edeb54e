"""What a caller may choose, as frozen dataclasses that check themselves. No torch here."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from engine.errors import InvalidRequest

BUILTIN = "builtin"
DTYPES = ("auto", "float32", "bfloat16", "float16", "int8")
MAX_TOP_K = 1 << 20
MAX_BIAS = 1e9
MAX_SEED = (1 << 63) - 1


class DecodingMode(StrEnum):
    """How answers are decoded. The text is the same in every mode; only the speed differs."""

    PLAIN = "plain"
    SPECULATIVE = "speculative"
    TREE = "tree"
    STAGED = "staged"
    NGRAM = "ngram"

    @property
    def uses_draft(self) -> bool:
        """True where the draft model proposes tokens."""
        return self in (DecodingMode.SPECULATIVE, DecodingMode.TREE, DecodingMode.STAGED)

    @property
    def uses_ngram(self) -> bool:
        """True where n-grams propose tokens."""
        return self in (DecodingMode.STAGED, DecodingMode.NGRAM)

    @property
    def summary(self) -> str:
        """One line for a person who chooses a mode."""
        return _MODE_SUMMARIES[self]


_MODE_SUMMARIES = {
    DecodingMode.PLAIN: "One token per pass of the target. The reference that every other mode must match.",
    DecodingMode.SPECULATIVE: "A small draft model proposes a chain of tokens; the target checks them in one pass.",
    DecodingMode.TREE: "The draft proposes a tree of likely continuations; the target checks all in one pass.",
    DecodingMode.STAGED: "A token tree from the draft, which n-grams speed up in turn. The fastest mode.",
    DecodingMode.NGRAM: "Proposals from n-grams alone: a static table and the conversation itself. Needs no draft.",
}


class Role(StrEnum):
    """Who wrote a message."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation."""

    role: Role
    content: str


class ContextPolicy(StrEnum):
    """What happens when a conversation outgrows the context."""

    DROP_OLD_TURNS = "drop_old_turns"
    REFUSE = "refuse"


class ChatFormatKind(StrEnum):
    """How a conversation becomes text (see `engine.text`)."""

    TRANSCRIPT = "transcript"
    EOS = "eos"
    TEMPLATE = "template"


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """How a conversation becomes text for a model that was never taught to chat.

    `transcript` writes one turn per line behind the speakers' labels; `eos` separates turns by the end-of-text token;
    `template` uses the tokenizer's own chat template.
    """

    kind: ChatFormatKind = ChatFormatKind.TRANSCRIPT
    preamble: str = ""
    user: str = "User: "
    assistant: str = "Assistant: "
    turn_end: str = "\n"
    stop: tuple[str, ...] = ("\nUser:",)


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How the next token is chosen from the target's distribution. Raises `InvalidRequest` on values out of range.

    temperature         0 is greedy decoding
    top_k               keep the k most probable tokens; 0 keeps all
    top_p               keep the smallest set of tokens whose probabilities sum to top_p; 1 keeps all
    repetition_penalty  divide positive (multiply negative) logits of tokens seen before (Keskar et al. 2019); 1 is off
    logit_bias          token id -> value added to its logit
    seed                None draws one; the answer says which
    max_new_tokens      tokens of the answer at most
    stop                texts that end the answer and are not part of it
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    logit_bias: Mapping[int, float] = field(default_factory=dict)
    seed: int | None = None
    max_new_tokens: int = 256
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require(_finite(self.temperature) and 0 <= self.temperature <= 100, "temperature", "from 0 to 100")
        _require(_whole(self.top_k) and 0 <= self.top_k <= MAX_TOP_K, "top_k", "a whole number, 0 (off) or more")
        _require(_finite(self.top_p) and 0 < self.top_p <= 1, "top_p", "above 0 and at most 1")
        _require(
            _finite(self.repetition_penalty) and 0 < self.repetition_penalty <= 100,
            "repetition_penalty",
            "above 0 and at most 100",
        )
        _require(
            all(_finite(value) and abs(value) <= MAX_BIAS for value in self.logit_bias.values()),
            "logit_bias",
            f"from -{MAX_BIAS:.0e} to {MAX_BIAS:.0e}",
        )
        _require(
            self.seed is None or (_whole(self.seed) and 0 <= self.seed <= MAX_SEED), "seed", f"from 0 to {MAX_SEED}"
        )
        _require(
            _whole(self.max_new_tokens) and self.max_new_tokens >= 1, "max_new_tokens", "a whole number, 1 or more"
        )
        _require(all(self.stop), "stop", "texts of at least one character")


@dataclass(frozen=True, slots=True)
class DecodingConfig:
    """How answers are sped up. None of it changes a letter of the text.

    max_tree_nodes  upper bound of a token tree, its root included; None lets the planner decide
    use_ngram       stage 2 on or off in `staged` mode
    """

    mode: DecodingMode = DecodingMode.STAGED
    max_tree_nodes: int | None = None
    use_ngram: bool = True

    def __post_init__(self) -> None:
        bound = self.max_tree_nodes
        _require(bound is None or (_whole(bound) and 1 <= bound <= 64), "max_tree_nodes", "from 1 to 64")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What to load and where.

    target   a folder with a checkpoint, a folder with a `family.json`, or "builtin"
    draft    a folder with a checkpoint; None takes the family's own draft, if it has one
    ngram    a Katz back-off table; None takes the family's own, if it has one
    dtype    one of `DTYPES`; "auto" picks by a short measurement
    device   "auto", "cpu", "cuda", "cuda:1", "mps"
    threads  for the CPU; None takes one for each core
    exact    False gives up bit-equality of the modes in 16 bit, to see what it costs
    """

    target: str | Path = BUILTIN
    draft: str | Path | None = None
    ngram: str | Path | None = None
    dtype: str = "auto"
    device: str = "auto"
    threads: int | None = None
    exact: bool = True

    def __post_init__(self) -> None:
        _require(self.dtype in DTYPES, "dtype", "one of " + ", ".join(DTYPES))
        _require(self.threads is None or (_whole(self.threads) and 1 <= self.threads <= 1024), "threads", "1 or more")


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _require(condition: bool, name: str, range_text: str) -> None:
    if not condition:
        raise InvalidRequest(f"{name} must be {range_text}")
