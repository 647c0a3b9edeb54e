"""What can go wrong, as one small tree. Every message is one line that says what to do.

EngineError
├── InvalidRequest          a parameter or a prompt that cannot be used
│   └── PromptTooLong       the prompt does not fit the context under the chosen policy
├── ModelError              a model that cannot be loaded
│   ├── CheckpointError     a weights, config or tokenizer file is missing, damaged or foreign
│   ├── IncompatibleDraft   target and draft (or n-gram table) do not share a vocabulary
│   └── NotEnoughMemory     the model does not fit into the memory that is free
├── Cancelled               the caller cancelled a load
├── DeviceError             the wanted device or precision does not exist on this machine
├── DraftingFailed          a drafter broke in mid-answer; plain decoding still works
└── GenerationFailed        anything else that broke in mid-answer
"""


class EngineError(Exception):
    """Base of all errors that the engine raises on purpose."""


class InvalidRequest(EngineError, ValueError):
    """A parameter or a prompt that cannot be used."""


class PromptTooLong(InvalidRequest):
    """The prompt does not fit the context under the chosen policy."""


class ModelError(EngineError):
    """A model that cannot be loaded."""


class CheckpointError(ModelError):
    """A weights, config or tokenizer file is missing, damaged or foreign."""


class IncompatibleDraft(ModelError):
    """Target and draft (or n-gram table) do not share a vocabulary."""


class NotEnoughMemory(ModelError):
    """The model does not fit into the memory that is free."""


class Cancelled(EngineError):
    """The caller cancelled a load."""


class DeviceError(EngineError):
    """The wanted device or precision does not exist on this machine."""


class DraftingFailed(EngineError):
    """A drafter broke in mid-answer; plain decoding still works."""


class GenerationFailed(EngineError):
    """Anything else that broke in mid-answer."""
