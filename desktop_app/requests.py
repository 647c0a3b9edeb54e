"""Settings and messages as the engine wants them."""

from collections.abc import Iterable
from dataclasses import replace

from desktop_app.records import Message
from desktop_app.settings import Settings
from engine.config import (
    ChatFormat,
    ChatFormatKind,
    ChatMessage,
    ContextPolicy,
    DecodingConfig,
    DecodingMode,
    ModelSpec,
    Role,
    SamplingParams,
)
from engine.events import GenerationRequest


def model_spec(settings: Settings) -> ModelSpec:
    """What to load, and where."""
    draft, threads = settings.get("decoding.draft"), settings.get("model.threads")
    return ModelSpec(
        target=settings.text("model.target"),
        draft=draft if isinstance(draft, str) else None,
        dtype=settings.text("model.dtype"),
        device=settings.text("model.device"),
        threads=threads if isinstance(threads, int) else None,
    )


def generation_request(
    settings: Settings, messages: Iterable[ChatMessage], own_format: ChatFormat, mode: DecodingMode | None = None
) -> GenerationRequest:
    """An answer under the present settings; `own_format` is the model's, `mode` one other than the chosen."""
    return GenerationRequest(
        messages=tuple(messages),
        sampling=sampling_params(settings),
        decoding=decoding_config(settings, mode),
        chat_format=chat_format(settings, own_format),
        context_policy=ContextPolicy(settings.text("chat.context_policy")),
    )


def sampling_params(settings: Settings) -> SamplingParams:
    """How tokens are chosen."""
    seed = settings.get("sampling.seed")
    return SamplingParams(
        temperature=settings.number("sampling.temperature"),
        top_k=settings.whole("sampling.top_k"),
        top_p=settings.number("sampling.top_p"),
        repetition_penalty=settings.number("sampling.repetition_penalty"),
        seed=seed if isinstance(seed, int) else None,
        max_new_tokens=settings.whole("sampling.max_new_tokens"),
        stop=settings.texts("sampling.stop"),
    )


def decoding_config(settings: Settings, mode: DecodingMode | None = None) -> DecodingConfig:
    """How the answer is sped up."""
    nodes = settings.get("decoding.max_tree_nodes")
    return DecodingConfig(
        mode=mode or DecodingMode(settings.text("decoding.mode")),
        max_tree_nodes=nodes if isinstance(nodes, int) else None,
        use_ngram=settings.flag("decoding.use_ngram"),
    )


def chat_format(settings: Settings, own: ChatFormat) -> ChatFormat:
    """The model's own format with what the settings replace in it."""
    chosen = settings.text("chat.format")
    changed = own
    if chosen != "model" and chosen != own.kind:
        kind = ChatFormatKind(chosen)
        stop = ChatFormat().stop if kind is ChatFormatKind.TRANSCRIPT else ()
        changed = ChatFormat(kind, preamble=own.preamble, stop=stop)
    preamble = settings.get("chat.preamble")
    if isinstance(preamble, str):
        changed = replace(changed, preamble=preamble)
    if changed.kind is ChatFormatKind.TRANSCRIPT:
        changed = _renamed(changed, settings.get("chat.user_name"), settings.get("chat.assistant_name"))
    return changed


def _renamed(transcript: ChatFormat, user: object, assistant: object) -> ChatFormat:
    """Another name for the speakers; where the user's label ends an answer, the new one does."""
    if isinstance(user, str) and user.strip():
        label, old = f"{user.strip()}: ", transcript.user.strip()
        stop = tuple(text.replace(old, label.strip()) for text in transcript.stop)
        transcript = replace(transcript, user=label, stop=stop)
    if isinstance(assistant, str) and assistant.strip():
        transcript = replace(transcript, assistant=f"{assistant.strip()}: ")
    return transcript


def chat_messages(path: Iterable[Message]) -> list[ChatMessage]:
    """The messages of a path that say something, for a prompt."""
    return [ChatMessage(Role(message.role), message.text) for message in path if message.text]
