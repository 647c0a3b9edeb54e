"""Settings: typed, kept in a readable file, never the reason why the application does not start."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtTest import QSignalSpy

from desktop_app.setting import GROUP_LABELS, Group, Kind, Setting, Value
from desktop_app.settings import Settings
from desktop_app.settings_table import MODES, PRESETS, TABLE
from engine.config import DTYPES, ChatFormatKind, ContextPolicy, DecodingMode

pytestmark = pytest.mark.usefixtures("qapp")


def load(file: Path | None) -> tuple[Settings, list[str]]:
    """Settings from a file, and what they complained of."""
    settings, problems = Settings(file), list[str]()
    settings.problem.connect(problems.append)
    settings.load()
    return settings, problems


def another_value(setting: Setting) -> Value:
    """A value that fits and is not the default."""
    if setting.kind is Kind.BOOL:
        return not setting.default
    if setting.kind is Kind.CHOICE:
        return next(choice.value for choice in setting.choices if choice.value != setting.default)
    if setting.kind is Kind.INT:
        return int(setting.minimum or 0) + 3
    if setting.kind is Kind.FLOAT:
        return ((setting.minimum or 0.0) + (setting.maximum or 1.0)) / 2
    return ("\n你:", "ß") if setting.kind is Kind.TEXTS else "Löß\n世界"


def test_every_default_fits_its_own_row() -> None:
    for key, setting in TABLE.items():
        assert setting.checked(setting.default) == setting.default, key
        assert setting.group is Group.HIDDEN or setting.label, key
        assert setting.group is Group.HIDDEN or setting.group in GROUP_LABELS


def test_choices_are_those_of_the_engine() -> None:
    assert {choice.value: choice.help for choice in MODES} == {mode.value: mode.summary for mode in DecodingMode}
    values = {key: {choice.value for choice in TABLE[key].choices} for key in TABLE}
    assert values["model.dtype"] == set(DTYPES)
    assert values["chat.format"] == {"model", *ChatFormatKind}
    assert values["chat.context_policy"] == set(ContextPolicy)


READER = """
import json, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from desktop_app.settings import Settings
app = QCoreApplication([])
settings = Settings(Path(sys.argv[1]))
settings.load()
print(json.dumps({key: [repr(settings.get(key)), type(settings.get(key)).__name__] for key in settings.table}))
"""


def test_every_setting_survives_a_restart_with_its_type(tmp_path: Path) -> None:
    file = tmp_path / "Löß 世界" / "settings.json"
    settings, _ = load(file)
    wanted = {key: another_value(setting) for key, setting in TABLE.items()}
    for key, value in wanted.items():
        settings.set(key, value)
    settings.save()
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    output = subprocess.check_output([sys.executable, "-c", READER, str(file)], env=environment)
    assert json.loads(output) == {key: [repr(value), type(value).__name__] for key, value in wanted.items()}


def test_a_change_is_told_once_and_saved_soon(tmp_path: Path) -> None:
    settings, _ = load(tmp_path / "settings.json")
    spy = QSignalSpy(settings.changed)
    settings.set("sampling.top_k", 7)
    settings.set("sampling.top_k", 7)
    assert [spy.at(i) for i in range(spy.count())] == [["sampling.top_k", 7]]
    assert QSignalSpy(settings._save_soon.timeout).wait(2000)
    assert json.loads((tmp_path / "settings.json").read_text()) == {"sampling": {"top_k": 7}}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sampling.temperature", "hot"),
        ("sampling.temperature", True),
        ("sampling.temperature", -0.1),
        ("sampling.temperature", float("nan")),
        ("sampling.temperature", None),
        ("sampling.top_k", 1.5),
        ("sampling.seed", 2**63),
        ("sampling.stop", "x"),
        ("sampling.stop", [""]),
        ("decoding.use_ngram", "true"),
        ("decoding.use_ngram", 1),
        ("decoding.mode", "fast"),
        ("chat.user_name", 5),
    ],
)
def test_a_value_that_does_not_fit_is_refused(key: str, value: object) -> None:
    settings = Settings(None)
    with pytest.raises(ValueError, match=key):
        settings.set(key, value)
    assert settings.get(key) == TABLE[key].default


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe\x00", b'{"sampling": ', b"null"])
def test_a_broken_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(content)
    settings, problems = load(file)
    assert settings.number("sampling.temperature") == 0.7
    assert (tmp_path / "settings.broken-1.json").read_bytes() == content
    assert len(problems) == 1
    assert "settings.broken-1.json" in problems[0]
    settings.set("sampling.top_k", 5)
    settings.save()
    assert load(file)[1] == []


def test_one_bad_value_does_not_cost_the_others(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"sampling": {"temperature": "hot", "top_k": 9}}')
    settings, problems = load(file)
    assert settings.whole("sampling.top_k") == 9
    assert settings.number("sampling.temperature") == 0.7
    assert len(problems) == 1
    assert "sampling.temperature" in problems[0]
    assert (tmp_path / "settings.broken-1.json").exists()


def test_what_another_version_wrote_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"future": {"key": [1, {"a": null}]}, "flat": 3, "sampling": {"beam": 4}}')
    settings, problems = load(file)
    settings.set("sampling.top_k", 9)
    settings.save()
    assert problems == []
    assert json.loads(file.read_text()) == {
        "future": {"key": [1, {"a": None}]},
        "flat": 3,
        "sampling": {"beam": 4, "top_k": 9},
    }


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    settings, problems = load(blocked / "settings.json")
    problems.clear()
    settings.set("sampling.top_k", 9)
    settings.save()
    assert len(problems) == 1
    assert settings.whole("sampling.top_k") == 9


def test_a_crash_while_saving_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "settings.json"
    settings, problems = load(file)
    settings.set("sampling.top_k", 9)
    settings.save()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    settings.set("sampling.top_k", 10)
    settings.save()
    assert json.loads(file.read_text()) == {"sampling": {"top_k": 9}}
    assert "No space left" in problems[0]
    assert list(tmp_path.iterdir()) == [file]


def test_presets_and_reset() -> None:
    settings = Settings(None)
    assert settings.preset() == "balanced"
    for name in PRESETS:
        settings.apply_preset(name)
        assert settings.preset() == name
    settings.set("sampling.temperature", 1.23)
    assert settings.preset() is None
    settings.set("chat.send_key", "ctrl_enter")
    settings.set("window.geometry", "abc")
    settings.reset(Group.SAMPLING)
    assert settings.preset() == "balanced"
    assert settings.text("chat.send_key") == "ctrl_enter"
    settings.reset()
    assert settings.text("chat.send_key") == "enter"
    assert settings.text("window.geometry") == "abc"


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    link = tmp_path / "settings.json"
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("no links here")
    settings, _ = load(link)
    settings.set("sampling.top_k", 9)
    settings.save()
    assert link.is_symlink()
    assert "top_k" in target.read_text()
