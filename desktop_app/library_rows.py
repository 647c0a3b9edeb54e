"""What the library page says about a model, made from what the engine's library knows."""

import shutil
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from desktop_app.models.library_model import DraftRow, LibraryRow, RowState
from desktop_app.translation import QT_TRANSLATE_NOOP
from engine.config import BUILTIN
from engine.library.catalogue import is_local
from engine.library.control import Progress, Stage
from engine.library.files import size_text
from engine.library.library import Library
from engine.library.states import DraftChoice, FamilyState, Fit
from engine.library.store import CheckpointState, Place

translate = QCoreApplication.translate
STAGES = {
    Stage.DOWNLOADING: QT_TRANSLATE_NOOP("Library", "Downloading"),
    Stage.CHECKING: QT_TRANSLATE_NOOP("Library", "Checking"),
    Stage.CONVERTING: QT_TRANSLATE_NOOP("Library", "Converting"),
}


def activity_text(progress: Progress) -> str:
    """What is being done, how far, how fast, how long still: one line."""
    parts = [f"{translate('Library', STAGES[progress.stage])} {progress.file}"]
    if progress.stage is Stage.DOWNLOADING:
        done, total = size_text(progress.done_bytes), size_text(progress.total_bytes)
        parts.append(translate("Library", "{done} of {total}").format(done=done, total=total))
    if progress.bytes_per_s:
        parts.append(translate("Library", "{size}/s").format(size=size_text(progress.bytes_per_s)))
    if progress.seconds_left is not None:
        minutes, seconds = divmod(round(progress.seconds_left), 60)
        left = translate("Library", "{minutes} min left") if minutes else translate("Library", "{seconds} s left")
        parts.append(left.format(minutes=minutes, seconds=seconds))
    return " · ".join(parts)


def room_text(folder: Path) -> str:
    """Where models are kept, and what of disk and memory is free."""
    from engine.memory import free_bytes  # torch takes a second to import

    there = next(parent for parent in (folder, *folder.parents) if parent.is_dir())
    return translate("Library", "Kept in {folder}. Free: {disk} of disk, {memory} of memory.").format(
        folder=folder, disk=size_text(shutil.disk_usage(there).free), memory=size_text(free_bytes())
    )


def sampling_text(sampled: int, wanted: int, is_held: bool) -> str:
    """How far an n-gram table is that is being made; `wanted` is 0 where that is not known yet."""
    figures = translate("Library", "Sampling the draft for the n-gram table: {sampled:,} of {wanted:,} tokens")
    text = (
        figures.format(sampled=sampled, wanted=wanted) if wanted else translate("Library", "The n-gram table: starting")
    )
    return text + (" · " + translate("Library", "waits until nothing else is done") if is_held else "")


class RowMaker:
    """Makes rows; reads from the disk, so it is used in a thread.

    in_use  the setting that names the model to load
    """

    def __init__(self, library: Library, in_use: str) -> None:
        self._library = library
        self._in_use = in_use

    def row(self, state: FamilyState) -> LibraryRow:
        """All that is said about a family."""
        family = state.family
        choices = [] if family.bundled else self._library.drafts(family.id)
        return LibraryRow(
            id=family.id,
            name=family.name,
            summary=family.summary,
            licence=self._licence(state),
            state=_row_state(state),
            size=self._size(state),
            memory=self._memory(state),
            drafts=(*map(self._draft_row, choices), DraftRow(None, translate("Library", "No draft"))),
            draft=family.draft,
            draft_text=_draft_text(state, next((choice for choice in choices if _is_chosen(choice, state)), None)),
            table=_table_text(state),
            table_is_begun=state.sampled_share > 0,
            wants_table=state.ngram is None and state.is_complete and state.draft is not None,
            is_fixed=family.bundled is not None,
            is_in_use=self._in_use == (BUILTIN if family.bundled else str(state.folder)),
        )

    def _licence(self, state: FamilyState) -> str:
        if state.family.bundled:
            return translate("Library", "MIT and BSD")
        licences = [self._library.licence(source) for source in state.family.sources]
        return ", ".join(dict.fromkeys(licence for licence in licences if licence)) or translate(
            "Library", "Licence: see its page"
        )

    def _size(self, state: FamilyState) -> str:
        if state.family.bundled:
            return translate("Library", "Part of the program")
        here = sum(checkpoint.bytes_on_disk for checkpoint in state.checkpoints)
        if state.is_complete:
            return (
                translate("Library", "{size} on the disk").format(size=size_text(here))
                if here
                else _whereabouts(state.target)
            )
        left = self._library.download_bytes(state)
        text = (
            translate("Library", "Size unknown")
            if left is None
            else translate("Library", "About {size} to download").format(size=size_text(left))
        )
        return text + (", " + translate("Library", "{size} are here").format(size=size_text(here)) if here else "")

    def _memory(self, state: FamilyState) -> str:
        needs = [self._library.needed_memory(state, dtype) for dtype in ("bfloat16", "float32")]
        if None in needs:
            return ""
        half, single = (size_text(need or 0) for need in needs)
        return translate("Library", "Needs about {half} of memory in 16 bit, {single} in 32 bit").format(
            half=half, single=single
        )

    def _draft_row(self, choice: DraftChoice) -> DraftRow:
        label = _short_name(choice.state.source)
        if choice.fit is Fit.INCOMPATIBLE:
            label = translate("Library", "{name} (another vocabulary)").format(name=label)
        elif choice.state.folder is None:
            label = translate("Library", "{name} (to be downloaded)").format(name=label)
        return DraftRow(choice.state.source, label, choice.fit is not Fit.INCOMPATIBLE)


def _is_chosen(choice: DraftChoice, state: FamilyState) -> bool:
    return choice.state.source == state.family.draft


def _row_state(state: FamilyState) -> RowState:
    if state.is_complete:
        return RowState.READY
    missing = [checkpoint for checkpoint in state.checkpoints if checkpoint.folder is None]
    if any(checkpoint.place is Place.LOCAL for checkpoint in missing):
        return RowState.GONE
    if any(checkpoint.place is Place.PARTIAL for checkpoint in missing):
        return RowState.PARTIAL
    return RowState.READY_WITHOUT_DRAFT if state.is_ready else RowState.MISSING


def _table_text(state: FamilyState) -> str:
    if state.ngram is not None:
        return translate("Library", "With an n-gram table")
    return (
        translate("Library", "{share:.0%} of an n-gram table").format(share=state.sampled_share)
        if state.sampled_share
        else ""
    )


def _draft_text(state: FamilyState, choice: DraftChoice | None) -> str:
    if state.draft is None:
        return translate("Library", "Without a draft, n-grams alone guess ahead.")
    if choice is not None and choice.fit is Fit.INCOMPATIBLE:
        return translate("Library", "This draft has another vocabulary and cannot guess for this model.")
    if state.draft.folder is None:
        return translate("Library", "The draft comes with the download.")
    if choice is not None and choice.fit is Fit.UNKNOWN:
        return translate("Library", "Whether this draft fits can be told once the model is here.")
    return translate("Library", "The draft fits.")


def _whereabouts(checkpoint: CheckpointState) -> str:
    if checkpoint.place is Place.CACHE:
        return translate("Library", "In the Hugging Face cache")
    return (
        translate("Library", "In {folder}").format(folder=Path(checkpoint.source))
        if is_local(checkpoint.source)
        else ""
    )


def _short_name(source: str) -> str:
    return "/".join(Path(source).parts[-2:]) if is_local(source) else source.rpartition("/")[2]
