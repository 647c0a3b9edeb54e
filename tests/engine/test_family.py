"""`family.json`: what is written is what is read, and what is damaged is named."""

import json
from pathlib import Path

import pytest

from engine.config import BUILTIN, ChatFormat, ChatFormatKind, ModelSpec
from engine.errors import CheckpointError
from engine.family import Family, Sources, find_family, open_family, read_chat_format, read_family, write_family


def raw(folder: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((folder / "family.json").read_text(encoding="utf-8"))
    return content


def test_what_is_written_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "families" / "mine"
    family = Family(
        name="Größe 中文",
        target=tmp_path / "models" / "checkpoints" / "a--b",
        draft=tmp_path / "elsewhere" / "draft",
        ngram=folder / "ngram.npz",
        chat_format=ChatFormat(ChatFormatKind.TRANSCRIPT, "Hello.\n", "Me: ", "You: ", "\n\n", ("\nMe:", "\nYou:")),
        summary="Mine.",
        sources=Sources("a/b", str(tmp_path / "elsewhere" / "draft"), None, is_own=True),
    )
    write_family(folder, family)
    assert read_family(folder) == family
    assert [path.name for path in folder.iterdir()] == ["family.json"]


def test_what_lies_beside_it_moves_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "families" / "mine"
    write_family(folder, Family("Mine", tmp_path / "models" / "checkpoints" / "a--b", tmp_path / "elsewhere"))
    assert raw(folder)["target"] == "../../checkpoints/a--b"
    assert raw(folder)["draft"] == str(tmp_path / "elsewhere")
    (tmp_path / "models").rename(tmp_path / "moved")
    assert read_family(tmp_path / "moved" / "families" / "mine").target == tmp_path / "moved" / "checkpoints" / "a--b"


def test_only_what_there_is_is_written(tmp_path: Path) -> None:
    write_family(tmp_path, Family("Mine", tmp_path / "target"))
    assert set(raw(tmp_path)) == {"name", "target", "chat_format"}
    assert read_family(tmp_path) == Family("Mine", tmp_path / "target")


def test_builtin_family_is_whole() -> None:
    family = find_family(ModelSpec(BUILTIN))
    assert family.draft is not None
    assert family.ngram is not None
    assert family.target.is_dir()
    assert family.draft.is_dir()
    assert family.ngram.is_file()


def test_a_folder_without_a_family_is_a_target_alone(tmp_path: Path) -> None:
    assert open_family(tmp_path) == Family(tmp_path.name, tmp_path)
    (tmp_path / "chat_format.json").write_text(json.dumps({"kind": "eos"}))
    assert open_family(tmp_path).chat_format.kind is ChatFormatKind.EOS


def test_a_spec_may_name_other_helpers(tmp_path: Path) -> None:
    write_family(tmp_path, Family("Mine", tmp_path / "target", tmp_path / "draft", tmp_path / "ngram.npz"))
    found = find_family(ModelSpec(tmp_path, draft=tmp_path / "other", ngram=tmp_path / "other.npz"))
    assert (found.draft, found.ngram) == (tmp_path / "other", tmp_path / "other.npz")
    assert find_family(ModelSpec(tmp_path)).draft == tmp_path / "draft"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "not a JSON file"),
        ("[]", "expected a JSON object"),
        ("{}", "'target' is missing"),
        ('{"target": 5}', "'target' must be a text"),
        ('{"target": "t", "name": ["n"]}', "'name' must be a text"),
        ('{"target": "t", "draft": {}}', "'draft' must be a text"),
        ('{"target": "t", "chat_format": 1}', "'chat_format' must be an object"),
        ('{"target": "t", "sources": "a/b"}', "'sources' must be an object"),
        ('{"target": "t", "sources": {}}', "'sources' needs a target"),
        ('{"target": "t", "sources": {"target": "a/b", "draft": 1}}', "'draft' must be a text"),
    ],
)
def test_damaged_families_are_named(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "family.json").write_text(content)
    with pytest.raises(CheckpointError) as caught:
        read_family(tmp_path)
    assert str(tmp_path / "family.json") in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "content",
    ["x", {"kind": "poem"}, {"stop": "x"}, {"stop": [""]}, {"user": 3}, {"kind": ["eos"]}, {"stop": [3]}],
    ids=str,
)
def test_damaged_chat_formats(content: object) -> None:
    with pytest.raises(CheckpointError, match=r"family\.json.*chat_format"):
        read_chat_format(content, Path("family.json"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, ChatFormat()),
        ({"kind": "eos", "stop": ["x"], "preamble": "p"}, ChatFormat(ChatFormatKind.EOS, stop=("x",), preamble="p")),
        ({"kind": "eos"}, ChatFormat(ChatFormatKind.EOS, stop=())),
        ({"user": "Me: "}, ChatFormat(user="Me: ", stop=("\nMe:",))),
        ({"stop": []}, ChatFormat(stop=())),
    ],
    ids=str,
)
def test_chat_formats(content: dict[str, object], expected: ChatFormat) -> None:
    """An answer in a transcript ends where the user's next turn would begin, unless the file says otherwise."""
    assert read_chat_format(content, Path("family.json")) == expected
