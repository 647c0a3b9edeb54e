"""What can go wrong, as one small tree. Every message is one line that says what to do.

EngineError
├── InvalidRequest          a parameter or a prompt that cannot be used
│   └── PromptTooLong       the prompt does not fit the context under the chosen policy
├── ModelError              a model that cannot be loaded
│   ├── CheckpointError     a weights, config or tokenizer file is missing, damaged or foreign
│   ├── IncompatibleDraft   target and draft (or n-gram table) do not share a vocabulary
│   └── NotEnoughMemory     the model does not fit into the memory that is free
├── LibraryError            the model library cannot do what was asked
│   ├── DownloadFailed      the hub is out of reach, refuses, or sends something else than it announced
│   ├── NotEnoughSpace      the disk is too full
│   └── ModelBusy           another program is at work on the same model
├── Cancelled               the caller cancelled a load or a download
│   └── Paused              the caller stopped a download, to go on with it later
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


class LibraryError(EngineError):
    """The model library cannot do what was asked."""


class DownloadFailed(LibraryError):
    """The hub is out of reach, refuses, or sends something else than it announced. What arrived is kept."""


class NotEnoughSpace(LibraryError):
    """The disk is too full for a model. What arrived is kept."""


class ModelBusy(LibraryError):
    """Another program is at work on the same model."""


class Cancelled(EngineError):
    """The caller cancelled a load or a download."""


class Paused(Cancelled):
    """The caller stopped a download, to go on with it later: what arrived is kept."""


class DeviceError(EngineError):
    """The wanted device or precision does not exist on this machine."""


class DraftingFailed(EngineError):
    """A drafter broke in mid-answer; plain decoding still works."""


class GenerationFailed(EngineError):
    """Anything else that broke in mid-answer."""
