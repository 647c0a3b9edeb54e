"""The model library: families that can be had, what of them is on this machine, and how to get and remove them."""

import logging
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.config import ChatFormatKind
from engine.errors import Cancelled, CheckpointError, IncompatibleDraft, LibraryError, Paused
from engine.family import FAMILY_FILE, Family, Sources, write_family
from engine.library.catalogue import FamilyEntry, is_local, load_catalogue, read_entry
from engine.library.control import Control, Meter, Report
from engine.library.defaults import DEFAULT_PRECISION, default_folder
from engine.library.files import explained_disk_errors, require_space
from engine.library.hub import Hub, RemoteCheckpoint
from engine.library.own import checked_source, own_family
from engine.library.recipe import Recipe, sampled_share, samples_file
from engine.library.states import DraftChoice, FamilyState, Fit
from engine.library.store import Store
from engine.library.vocabulary import vocabulary_digest

if TYPE_CHECKING:
    from engine.library.ngram_builder import ReportTokens

NGRAM_FILE = "ngram.npz"

log = logging.getLogger(__name__)


class Library:
    """All that can be done with models on disk. It blocks: a window calls it from a thread of its own.

    folder  where models are kept; it need not exist yet
    """

    def __init__(self, folder: Path | None = None, hub: Hub | None = None) -> None:
        self.folder = (folder or default_folder()).absolute()
        self._hub = hub or Hub()
        self._store = Store(self.folder)
        self._catalogue = load_catalogue()

    def download_bytes(self, state: FamilyState) -> int | None:
        """About how much is left to download; None where only the hub can tell."""
        missing = [checkpoint for checkpoint in state.checkpoints if checkpoint.folder is None]
        entries = [self._catalogue.checkpoints.get(checkpoint.source) for checkpoint in missing]
        sizes = [entry.download_bytes for entry in entries if entry is not None]
        arrived = sum(checkpoint.bytes_on_disk for checkpoint in missing)
        return max(0, sum(sizes) - arrived) if len(sizes) == len(missing) else None

    def needed_memory(self, state: FamilyState, dtype: str) -> int | None:
        """About how many bytes the family takes when loaded in a precision; None where that cannot be told yet."""
        from engine.checkpoint import parse_config, read_config  # torch takes a second to import
        from engine.memory import needed_bytes

        configs = []
        for checkpoint in state.checkpoints:
            entry = self._catalogue.checkpoints.get(checkpoint.source)
            if checkpoint.folder is not None:
                configs.append(read_config(checkpoint.folder))
            elif entry is not None:
                configs.append(parse_config(dict(entry.shape), Path("catalogue.json")))
            else:
                return None
        return needed_bytes(configs, dtype)

    def licence(self, source: str) -> str | None:
        """The licence of a catalogued checkpoint."""
        entry = self._catalogue.checkpoints.get(source)
        return entry.licence if entry else None

    def families(self) -> list[FamilyState]:
        """The catalogue's families in its order, then the user's own by name."""
        written = self._written_families()
        listed = [replace(family, draft=written.pop(family.id, family).draft) for family in self._catalogue.families]
        return [self._state(family) for family in [*listed, *sorted(written.values(), key=lambda family: family.name)]]

    def family(self, family_id: str) -> FamilyState:
        """One family. Raises LibraryError when there is none of this id."""
        states = {state.family.id: state for state in self.families()}
        if family_id not in states:
            raise LibraryError(f"there is no model {family_id!r}; there are: {', '.join(states)}")
        return states[family_id]

    def download(
        self, family_id: str, control: Control, report: Report, precision: str = DEFAULT_PRECISION
    ) -> FamilyState:
        """Gets what is missing of a family, target first; the next call goes on where this one was interrupted.

        precision  of the weights on disk, one of `PRECISIONS`

        Raises DownloadFailed, NotEnoughSpace, ModelBusy, CheckpointError, LibraryError; Paused, which keeps what has
        arrived; Cancelled, which deletes it.
        """
        family = self.family(family_id).family
        missing = [state for state in self._state(family).checkpoints if state.folder is None]
        for state in missing:
            if is_local(state.source):
                raise LibraryError(f"{state.source} is gone; put the folder back, or remove the model and add it again")
        try:
            remotes = [self._remote(state.source, control) for state in missing]
            self._require_space(remotes, sum(state.bytes_on_disk for state in missing))
            meter = Meter(sum(remote.size for remote in remotes), report)
            for remote in remotes:
                self._store.bring(remote, self._hub, precision, control, meter)
                self._write(family)  # with its target alone, a family can be chatted with already
        except Cancelled as reason:
            if not isinstance(reason, Paused):
                for state in missing:
                    self._store.forget_partial(state.source)
            raise
        return self._write(family)

    def discard(self, family_id: str) -> None:
        """Deletes what has arrived of a family's unfinished downloads. Raises LibraryError or ModelBusy."""
        for state in self.family(family_id).checkpoints:
            self._store.forget_partial(state.source)

    def folder_to_load(self, family_id: str) -> Path:
        """What the engine takes as a target. Raises LibraryError when the family is not on this machine."""
        state = self.family(family_id)
        if not state.is_ready:
            raise LibraryError(
                f"{state.family.name} is not on this machine; get it with: python -m engine models get {family_id}"
            )
        return self._write(state.family).folder

    def add(
        self, target: str, draft: str | None = None, name: str | None = None, chat_format: ChatFormatKind | None = None
    ) -> FamilyState:
        """A family of the user's own, from hub ids or from folders, which are used where they are.

        target  a hub id, a folder with a GPT-2 checkpoint, or a folder with a `family.json`

        Raises DownloadFailed for what cannot be a hub id, CheckpointError for a folder that holds no sound GPT-2,
        IncompatibleDraft, or LibraryError.
        """
        family = own_family(target, draft, name, chat_format, taken=[state.family.id for state in self.families()])
        self._require_fit(family)
        return self._write(family)

    def choose_draft(self, family_id: str, draft: str | None) -> FamilyState:
        """Pairs a family with another draft (a hub id or a folder), or with none. Raises as `add` does."""
        family = self._changeable(family_id)
        family = replace(family, draft=None if draft is None else checked_source(draft))
        self._require_fit(family)
        return self._write(family)

    def drafts(self, family_id: str) -> list[DraftChoice]:
        """What may be picked as the family's draft: all checkpoints known, except the target itself."""
        families = self.families()
        target = self.family(family_id).target.source
        known = [*self._catalogue.checkpoints, *(source for state in families for source in state.family.sources)]
        sources = [source for source in dict.fromkeys(known) if source != target]
        return [DraftChoice(self._store.locate(source), self.fit(target, source)) for source in sources]

    def fit(self, target: str, draft: str) -> Fit:
        """Whether two sources share a vocabulary; unknown while one of them is neither here nor in the catalogue."""
        folders = [folder for source in (target, draft) if (folder := self._store.locate(source).folder)]
        entries = [entry for source in (target, draft) if (entry := self._catalogue.checkpoints.get(source))]
        if len(folders) == 2:
            vocabularies = {vocabulary_digest(folder) for folder in folders}
        elif len(entries) == 2:
            vocabularies = {entry.vocabulary for entry in entries}
        else:
            return Fit.UNKNOWN
        return Fit.COMPATIBLE if len(vocabularies) == 1 else Fit.INCOMPATIBLE

    def build_table(self, family_id: str, recipe: Recipe, control: Control, report: "ReportTokens") -> FamilyState:
        """Makes the family's n-gram table by sampling its draft; the next call goes on where this one was stopped.

        What was sampled for another family with the same draft is taken over. Raises LibraryError when the draft is not
        here, and as `engine.library.ngram_builder.build_table` does.
        """
        from engine.library.ngram_builder import build_table  # transformers takes seconds to import

        family = self._changeable(family_id)
        state = self._write(family)
        if state.draft is None or state.draft.folder is None:
            raise LibraryError(f"{family.name} has no draft on this machine, and the table is made from its draft")
        table = state.folder / NGRAM_FILE
        twins = (other.ngram for other in self.families() if other.family.draft == family.draft and other.ngram)
        twin = next(twins, None) if state.ngram is None and recipe == Recipe() else None
        if twin is None:
            build_table(state.draft.folder, table, recipe, control, report)
        else:
            with explained_disk_errors(self.folder):
                unfinished = shutil.copyfile(twin, table.with_suffix(".new"))
                unfinished.replace(table)
        return self._write(family)

    def discard_table(self, family_id: str) -> None:
        """Deletes what has been sampled for the family's table. Raises LibraryError."""
        state = self.family(family_id)
        if state.draft is not None and state.draft.folder is not None:
            with explained_disk_errors(self.folder):
                samples_file(state.folder / NGRAM_FILE, state.draft.folder).unlink(missing_ok=True)

    def check(self, family_id: str, control: Control, report: Report) -> None:
        """Reads what is here of a family from end to end. Raises CheckpointError naming the file that is not sound."""
        state = self.family(family_id)
        meter = Meter(0, report)
        for checkpoint in state.checkpoints:
            self._store.check(checkpoint.source, control, meter)
        self._require_fit(state.family)

    def remove(self, family_id: str) -> int:
        """Deletes a family with those of its files that no other family on this machine uses; returns the bytes freed.

        A user's own folders and the Hugging Face cache are left alone. Raises LibraryError or ModelBusy.
        """
        family = self._changeable(family_id)
        others = [state for state in self.families() if state.is_ready and state.family.id != family_id]
        used = {source for state in others for source in state.family.sources}
        freed = sum(self._store.remove(source) for source in family.sources if source not in used)
        with explained_disk_errors(self.folder):
            if self._folder(family).exists():
                (self._folder(family) / FAMILY_FILE).unlink(missing_ok=True)  # first: it is what makes it a family
                shutil.rmtree(self._folder(family))
        return freed

    def _written_families(self) -> dict[str, FamilyEntry]:
        families = {}
        for path in sorted(self._store.families.glob(f"*/{FAMILY_FILE}")):
            try:
                families[path.parent.name] = read_entry(path.parent)
            except CheckpointError as error:
                log.warning("%s", error)  # one damaged entry must not hide the others
        return families

    def _state(self, family: FamilyEntry) -> FamilyState:
        folder = self._folder(family)
        tables = [folder / NGRAM_FILE, *([Path(family.ngram)] if family.ngram else [])]
        draft = self._store.locate(family.draft) if family.draft else None
        sampled = sampled_share(folder / NGRAM_FILE, draft.folder if draft else None, Recipe())
        target = self._store.locate(family.target)
        return FamilyState(family, folder, target, draft, next(filter(Path.is_file, tables), None), sampled)

    def _folder(self, family: FamilyEntry) -> Path:
        return family.bundled or self._store.families / family.id

    def _write(self, family: FamilyEntry) -> FamilyState:
        """Writes down where a family's parts are now."""
        state = self._state(family)
        if family.bundled is None:
            here = Family(
                name=family.name,
                target=state.target.folder or self._store.home(family.target),
                draft=state.draft.folder if state.draft else None,
                ngram=state.ngram,
                chat_format=family.chat_format,
                summary=family.summary,
                sources=Sources(family.target, family.draft, family.ngram, family.is_own),
            )
            with explained_disk_errors(self.folder):
                write_family(state.folder, here)
        return state

    def _changeable(self, family_id: str) -> FamilyEntry:
        family = self.family(family_id).family
        if family.bundled is not None:
            raise LibraryError(f"{family.name} is part of the program and stays as it is")
        return family

    def _remote(self, source: str, control: Control) -> RemoteCheckpoint:
        return self._hub.checkpoint(source, self._catalogue.revision(source), control)

    def _require_space(self, remotes: list[RemoteCheckpoint], arrived_bytes: int) -> None:
        """Room for what is still to come, and for the largest of the converted copies beside what it is made from."""
        with explained_disk_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            to_come = max(0, sum(remote.size for remote in remotes) - arrived_bytes)
            require_space(self.folder, to_come + max((remote.size for remote in remotes), default=0) // 2)

    def _require_fit(self, family: FamilyEntry) -> None:
        if family.draft is not None and self.fit(family.target, family.draft) is Fit.INCOMPATIBLE:
            raise IncompatibleDraft(
                f"{family.draft} does not have the vocabulary of {family.target}; choose another draft, or none"
            )
