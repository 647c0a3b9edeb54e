"""The settings dialog is the table of settings: every one can be found, changed and reset."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.model_controller import DraftState, ModelState, ModelStatus
from desktop_app.setting import GROUP_LABELS, Group, Kind, Setting, Value
from desktop_app.settings import Settings
from desktop_app.settings_table import TABLE
from desktop_app.views.setting_editors import (
    BoolEditor,
    ChoiceEditor,
    LargeNumberEditor,
    LinesEditor,
    NumberEditor,
    OptionalEditor,
    make_editor,
)
from desktop_app.views.settings_dialog import SettingsDialog
from desktop_app.views.settings_extras import DraftCard, PresetRow
from tests.desktop_app.conftest import MakeWindow
from tests.desktop_app.fake_engine import FakeEngine, model_info
from tests.desktop_app.window import load

SHOWN = [setting for setting in TABLE.values() if setting.group is not Group.HIDDEN]


@pytest.fixture
def settings() -> Settings:
    return Settings(None)


@pytest.fixture
def dialog(settings: Settings, qtbot: QtBot) -> SettingsDialog:
    dialog = SettingsDialog(settings, ({}, {}))
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def another(setting: Setting) -> Value:
    """A value that fits and is not the default."""
    if setting.kind is Kind.BOOL:
        return not setting.default
    if setting.kind is Kind.CHOICE:
        return next(choice.value for choice in setting.choices if choice.value != setting.default)
    if setting.kind is Kind.INT:
        return int((setting.minimum or 0) + 3)
    if setting.kind is Kind.FLOAT:
        return float((setting.minimum or 0.0) + 0.25)
    return ("one", "two\nlines") if setting.kind is Kind.TEXTS else "some text"


@pytest.mark.parametrize("setting", SHOWN, ids=lambda setting: setting.key)
def test_every_setting_is_shown_and_edited(setting: Setting, settings: Settings, dialog: SettingsDialog) -> None:
    row = dialog.row_of(setting.key)
    value = another(setting)
    settings.set(setting.key, value)
    told: list[object] = []
    row.editor.edited.connect(told.append)
    row.editor.show_value(value)
    assert told == []  # showing is not editing
    row.editor.edited.emit(setting.default)
    assert settings.get(setting.key) == setting.default
    row.editor.edited.emit(value)
    assert settings.get(setting.key) == value


def test_editors_give_values_with_their_type(qtbot: QtBot) -> None:
    def edit(key: str) -> tuple[OptionalEditor | object, list[object]]:
        editor = make_editor(TABLE[key])
        qtbot.addWidget(editor)
        told: list[object] = []
        editor.edited.connect(told.append)
        return editor, told

    editor, told = edit("sampling.top_k")
    assert isinstance(editor, NumberEditor)
    editor.box.setValue(7)  # type: ignore[arg-type]
    assert told == [7]
    editor, told = edit("sampling.temperature")
    assert isinstance(editor, NumberEditor)
    editor.box.setValue(0.35)  # type: ignore[arg-type]
    assert told == [0.35]
    editor, told = edit("decoding.use_ngram")
    assert isinstance(editor, BoolEditor)
    editor.show_value(True)
    editor.box.click()
    assert told == [False]
    editor, told = edit("decoding.mode")
    assert isinstance(editor, ChoiceEditor)
    editor.box.setCurrentIndex(4)
    editor.box.activated.emit(4)
    assert told == ["plain"]


def test_stop_texts_are_lines_with_escapes(qtbot: QtBot) -> None:
    editor = make_editor(TABLE["sampling.stop"])
    assert isinstance(editor, LinesEditor)
    qtbot.addWidget(editor)
    editor.show_value(("\nUser:", "end"))
    assert editor.field.toPlainText() == "\\nUser:\nend"
    told: list[object] = []
    editor.edited.connect(told.append)
    editor.field.left.emit()
    assert told == [("\nUser:", "end")]


def test_none_is_a_tick(qtbot: QtBot) -> None:
    editor = make_editor(TABLE["sampling.seed"])
    assert isinstance(editor, OptionalEditor)
    assert isinstance(editor.inner, LargeNumberEditor)
    qtbot.addWidget(editor)
    editor.show_value(None)
    assert editor.none_box.isChecked()
    assert editor.inner.isHidden()
    told: list[object] = []
    editor.edited.connect(told.append)
    editor.none_box.click()
    assert told == [0]
    editor.inner.field.setText("9000000000000000000")
    editor.inner.field.editingFinished.emit()
    assert told[-1] == 9_000_000_000_000_000_000
    editor.none_box.click()
    assert told[-1] is None


def test_nonsense_is_explained_and_not_taken(settings: Settings, dialog: SettingsDialog) -> None:
    row = dialog.row_of("sampling.seed")
    assert isinstance(row.editor, OptionalEditor)
    row.editor.none_box.click()
    assert isinstance(row.editor.inner, LargeNumberEditor)
    row.editor.inner.field.setText("seven")
    row.editor.inner.field.editingFinished.emit()
    assert settings.get("sampling.seed") == 0
    assert row.error.text().startswith("sampling.seed must be a whole number")
    assert not row.error.isHidden()
    row.editor.inner.field.setText("7")
    row.editor.inner.field.editingFinished.emit()
    assert settings.get("sampling.seed") == 7
    assert row.error.isHidden()


def test_pages_show_their_group(dialog: SettingsDialog) -> None:
    for group in GROUP_LABELS:
        dialog.show_group(group)
        assert {row.setting.group for row in dialog.rows if not row.isHidden()} <= {group}
        assert any(not row.isHidden() for row in dialog.rows) or group is Group.STORAGE


def test_search_looks_everywhere(dialog: SettingsDialog, qtbot: QtBot) -> None:
    dialog.search.setText("SEED")
    assert "sampling.seed" in [row.setting.key for row in dialog.rows if not row.isHidden()]
    dialog.search.setText("trigram of nothing")
    assert all(row.isHidden() for row in dialog.rows)
    assert dialog.sections.selectedItems() == []
    present = dialog.sections.visualItemRect(dialog.sections.currentItem())
    qtbot.mouseClick(dialog.sections.viewport(), Qt.MouseButton.LeftButton, pos=present.center())
    assert dialog.search.text() == ""
    assert dialog.sections.selectedItems() == [dialog.sections.currentItem()]
    dialog.show_group(Group.CHAT)
    assert dialog.search.text() == ""
    assert not dialog.row_of("chat.preamble").isHidden()


def test_reset_touches_one_page(settings: Settings, dialog: SettingsDialog) -> None:
    settings.set("sampling.top_k", 3)
    settings.set("chat.send_key", "ctrl_enter")
    dialog.show_group(Group.SAMPLING)
    dialog.findChild(QPushButton, "resetPage").click()
    assert settings.get("sampling.top_k") == TABLE["sampling.top_k"].default
    assert settings.get("chat.send_key") == "ctrl_enter"


def test_changes_that_wait_say_so(dialog: SettingsDialog) -> None:
    dialog.show_group(Group.DECODING)
    labels = [label.text() for label in dialog.findChildren(QLabel) if not label.isHidden()]
    assert "Takes effect with the next message." in labels
    assert any(text.endswith("Takes effect when the model is loaded again.") for text in labels)


def test_presets_set_four_values_and_know_them_again(settings: Settings, qtbot: QtBot) -> None:
    row = PresetRow(settings)
    qtbot.addWidget(row)
    assert row.box.currentData() == "balanced"
    row.box.setCurrentIndex(row.box.findData("greedy"))
    row.box.activated.emit(row.box.currentIndex())
    assert settings.get("sampling.temperature") == 0.0
    settings.set("sampling.temperature", 0.11)
    assert row.box.currentData() is None


async def test_the_draft_picker_has_a_text_for_each_state(make_window: MakeWindow) -> None:
    engine = FakeEngine()
    window, stage = make_window(engine)
    card = DraftCard(stage.core.model)
    texts = set()
    for state in DraftState:
        info = model_info() if state is DraftState.COMPATIBLE else None
        card.show_status(ModelStatus(ModelState.READY, draft=state, info=info, error="another vocabulary"))
        texts.add(card.text.text())
    assert len(texts) == len(DraftState)
    assert all(texts)
    assert any("another vocabulary" in text for text in texts)
    await load(stage, engine)
    assert "fits" in card.text.text()
    card.deleteLater()
    del window


async def test_the_storage_page_names_the_folder_and_asks_before_it_deletes(
    make_window: MakeWindow,
    tmp_path: Path,
) -> None:
    window, stage = make_window()
    stage.core.chat.send("Hello")
    window.dialogs.show_settings(Group.STORAGE)
    settings = window.dialogs.settings
    assert settings is not None
    assert str(tmp_path) in [label.text() for label in settings.findChildren(QLabel)]
    settings.findChild(QPushButton, "deleteAll").click()
    assert stage.core.chat.messages.rowCount() == 2
    settings.findChild(QPushButton, "confirmDelete").click()
    assert stage.core.chat.messages.rowCount() == 0
