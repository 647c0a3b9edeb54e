"""Staged speculative decoding of GPT-2: from a checkpoint on disk to streamed text. Importing it loads no torch."""

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
from engine.errors import EngineError
from engine.events import (
    Accepted,
    Event,
    Failed,
    Finished,
    GenerationRequest,
    Loading,
    ModelInfo,
    Origin,
    Prefilled,
    PromptSize,
    Ready,
    Round,
    Segment,
    StatisticsUpdated,
    StopReason,
)
from engine.service import EngineService
from engine.stats import Statistics

__all__ = [
    "Accepted",
    "ChatFormat",
    "ChatFormatKind",
    "ChatMessage",
    "ContextPolicy",
    "DecodingConfig",
    "DecodingMode",
    "EngineError",
    "EngineService",
    "Event",
    "Failed",
    "Finished",
    "GenerationRequest",
    "Loading",
    "ModelInfo",
    "ModelSpec",
    "Origin",
    "Prefilled",
    "PromptSize",
    "Ready",
    "Role",
    "Round",
    "SamplingParams",
    "Segment",
    "Statistics",
    "StatisticsUpdated",
    "StopReason",
]
