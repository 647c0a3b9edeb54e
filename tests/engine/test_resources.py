"""The program's own files are found wherever it runs from, and are whole."""

import json
import sys
from pathlib import Path

import pytest

from engine import resources
from engine.errors import EngineError

ROOT = Path(__file__).resolve().parent.parent.parent


def test_checkout() -> None:
    assert resources.resources_folder() == ROOT / "resources"


def test_installed_package_goes_before_what_lies_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder called "resources" in site-packages would be somebody else's."""
    (tmp_path / "resources").mkdir()
    (tmp_path / "engine" / "_resources").mkdir(parents=True)
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "engine" / "resources.py"))
    assert resources.resources_folder() == tmp_path / "engine" / "_resources"


def test_frozen_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "resources").mkdir()
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resources.resources_folder() == tmp_path / "resources"


def test_missing_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    with pytest.raises(EngineError) as caught:
        resources.resources_folder()
    assert str(tmp_path / "resources") in str(caught.value)


def test_builtin_family_is_whole() -> None:
    family = resources.resources_folder() / "models" / "builtin"
    parts = json.loads((family / "family.json").read_text(encoding="utf-8"))
    assert (family / parts["ngram"]).is_file()
    for model in (parts["target"], parts["draft"]):
        assert {"config.json", "model.safetensors", "tokenizer.json"} <= {
            file.name for file in (family / model).iterdir()
        }


def test_chat_prompts_begin_with_the_user() -> None:
    prompts = (resources.resources_folder() / "prompts" / "chat.jsonl").read_text(encoding="utf-8").splitlines()
    assert prompts
    for line in prompts:
        first = json.loads(line)["messages"][0]
        assert first["role"] == "user"
        assert first["content"].strip()
