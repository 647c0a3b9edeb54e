"""The n-gram table of a family is made on this machine, and a stop costs nothing."""

from pathlib import Path

import pytest

from engine.errors import LibraryError, NotEnoughMemory, Paused
from engine.family import Family, write_family
from engine.library.control import Control
from engine.library.library import Library
from engine.library.ngram_builder import build_table
from engine.library.recipe import Recipe
from engine.ngram import KatzTable
from tests.engine.library.checkpoints import VOCAB_SIZE, write_checkpoint

RECIPE = Recipe(tokens=160, text_tokens=8, batch=4, min_count=1)


def ignore(_sampled: int, _wanted: int) -> None:
    """A report that nobody reads."""


def test_table_is_made_in_spite_of_stops(tmp_path: Path) -> None:
    draft, table = write_checkpoint(tmp_path / "draft"), tmp_path / "ngram.npz"
    samples = tmp_path / "ngram.draft.samples"
    seen: list[int] = []

    def stop_in_the_middle(sampled: int, _wanted: int) -> None:
        seen.append(sampled)
        if sampled > 80:
            control.pause()

    control = Control()
    with pytest.raises(Paused):
        build_table(draft, table, RECIPE, control, stop_in_the_middle)
    assert not table.exists()
    with samples.open("ab") as out:
        out.write(b"\x10\0\0\0\x01\0\0\0\x02\0")  # what a crash leaves of a text
    control = Control()
    resumed: list[int] = []
    build_table(draft, table, RECIPE, control, lambda sampled, _wanted: resumed.append(sampled))
    assert resumed[0] == seen[-1]
    assert resumed[-1] >= RECIPE.tokens
    assert not samples.exists()
    loaded = KatzTable.load(table, VOCAB_SIZE)
    assert loaded.contexts > 100
    assert loaded.propose([0], 1)  # what a document begins with


def test_family_uses_its_table(tmp_path: Path) -> None:
    library = Library(tmp_path / "models")
    target, draft = write_checkpoint(tmp_path / "target", 1), write_checkpoint(tmp_path / "draft", 2)
    family_id = library.add(str(target), str(draft)).family.id
    state = library.build_table(family_id, RECIPE, Control(), ignore)
    assert state.ngram == state.folder / "ngram.npz"
    assert '"ngram": "ngram.npz"' in (state.folder / "family.json").read_text()


def test_families_with_the_same_draft_share_what_was_sampled(tmp_path: Path) -> None:
    library = Library(tmp_path / "models")
    draft = str(write_checkpoint(tmp_path / "draft"))
    first, second = (library.add(str(write_checkpoint(tmp_path / name)), draft).family.id for name in ("a", "b"))
    made = library.build_table(first, RECIPE, Control(), ignore).ngram
    asked: list[int] = []
    taken = library.build_table(second, Recipe(), Control(), lambda sampled, _wanted: asked.append(sampled)).ngram
    assert asked == []
    assert made is not None
    assert taken is not None
    assert taken.parent.name == second
    assert taken.read_bytes() == made.read_bytes()
    library.build_table(second, RECIPE, Control(), lambda sampled, _wanted: asked.append(sampled))
    assert asked  # another recipe is another table


def test_table_of_its_own_takes_the_place_of_one_that_vanished(tmp_path: Path) -> None:
    (tmp_path / "family").mkdir()
    write_checkpoint(tmp_path / "family" / "target")
    (tmp_path / "family" / "ngram.npz").touch()
    write_family(
        tmp_path / "family", Family("F", tmp_path / "family" / "target", None, tmp_path / "family" / "ngram.npz")
    )
    library = Library(tmp_path / "models")
    family_id = library.add(str(tmp_path / "family"), str(write_checkpoint(tmp_path / "draft"))).family.id
    assert library.family(family_id).ngram == tmp_path / "family" / "ngram.npz"
    (tmp_path / "family" / "ngram.npz").unlink()
    assert library.family(family_id).ngram is None
    library.build_table(family_id, RECIPE, Control(), ignore)
    assert library.family(family_id).ngram == tmp_path / "models" / "families" / family_id / "ngram.npz"


def test_too_little_memory_is_told_before_the_first_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = write_checkpoint(tmp_path / "draft")
    monkeypatch.setattr("engine.library.ngram_builder.free_bytes", lambda: 1000)
    with pytest.raises(NotEnoughMemory, match="close other programs"):
        build_table(draft, tmp_path / "ngram.npz", RECIPE, Control(), ignore)


def test_family_without_a_draft_has_nothing_to_sample(tmp_path: Path) -> None:
    library = Library(tmp_path / "models")
    family_id = library.add(str(write_checkpoint(tmp_path / "target"))).family.id
    with pytest.raises(LibraryError, match="no draft"):
        library.build_table(family_id, RECIPE, Control(), ignore)
