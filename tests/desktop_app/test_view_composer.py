"""The composer: which keys send, what input methods may expect, and that nothing written is lost."""

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QPaintEvent, QRegion
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.settings_table import MODES
from desktop_app.views.composer import Composer

ENTER, CONTROL, SHIFT = Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PLAIN, KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    composer = Composer()
    qtbot.addWidget(composer)
    composer.resize(600, 200)
    composer.show()
    composer.text.setFocus()
    return composer


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    """What the composer sent."""
    texts: list[str] = []
    composer.sent.connect(texts.append)
    return texts


def press(composer: Composer, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
    QApplication.sendEvent(composer.text, QKeyEvent(QEvent.Type.KeyPress, key, modifiers))


class Paints(QObject):
    """Notes what is painted of a widget."""

    def __init__(self) -> None:
        super().__init__()
        self.region = QRegion()

    def eventFilter(self, _: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if isinstance(event, QPaintEvent):
            self.region += event.region()
        return False


def test_another_placeholder_is_drawn_at_once(composer: Composer) -> None:
    composer.set_placeholder("Write already")
    QApplication.processEvents()
    viewport, paints = composer.text.viewport(), Paints()
    viewport.installEventFilter(paints)
    composer.set_placeholder("Write a message")
    QApplication.processEvents()
    assert paints.region.contains(viewport.rect().center())


@pytest.mark.parametrize(
    ("control_sends", "key", "modifiers", "sends"),
    [
        (False, ENTER, PLAIN, True),
        (False, Qt.Key.Key_Enter, KEYPAD, True),
        (False, ENTER, SHIFT, False),
        (False, ENTER, CONTROL, False),
        (True, ENTER, CONTROL, True),
        (True, Qt.Key.Key_Enter, CONTROL | KEYPAD, True),
        (True, ENTER, PLAIN, False),
        (True, ENTER, SHIFT, False),
    ],
)
def test_the_send_key_is_as_set(
    composer: Composer, sent: list[str], control_sends: bool, key: Qt.Key, modifiers: Qt.KeyboardModifier, sends: bool
) -> None:
    composer.text.set_control_sends(control_sends)
    composer.text.setPlainText("Hello")
    press(composer, key, modifiers)
    assert sent == (["Hello"] if sends else [])
    assert composer.text.toPlainText() == ("Hello" if sends else "\nHello")  # the window clears it once it is saved


def test_enter_belongs_to_an_input_method_that_composes(composer: Composer, sent: list[str]) -> None:
    composer.text.setPlainText("Hello")
    QApplication.sendEvent(composer.text, QInputMethodEvent("ni", []))
    press(composer, ENTER)
    assert sent == []
    done = QInputMethodEvent("", [])
    done.setCommitString("你")
    QApplication.sendEvent(composer.text, done)
    press(composer, ENTER)
    assert sent == ["你Hello"]


def test_empty_messages_are_not_sent(composer: Composer, sent: list[str]) -> None:
    composer.text.setPlainText("  \n ")
    press(composer, ENTER)
    composer.send_button.click()
    assert sent == []


def test_it_grows_with_the_text_up_to_a_limit(composer: Composer) -> None:
    heights = []
    for lines in (1, 3, 10, 50):
        composer.text.setPlainText("\n".join(["line"] * lines))
        QApplication.processEvents()
        heights.append(composer.text.height())
    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_it_is_never_disabled(composer: Composer, sent: list[str], qtbot: QtBot) -> None:
    composer.set_busy(True)
    assert composer.text.isEnabled()
    assert composer.stop_button.isVisible()
    assert not composer.send_button.isVisible()
    qtbot.keyClicks(composer.text, "next")
    assert composer.send_button.isVisible()
    press(composer, ENTER)
    assert sent == ["next"]


def test_stop_by_button_and_by_escape(composer: Composer, qtbot: QtBot) -> None:
    composer.set_busy(True)
    with qtbot.waitSignal(composer.stopped):
        composer.stop_button.click()
    with qtbot.waitSignal(composer.stopped):
        press(composer, Qt.Key.Key_Escape)
    composer.set_busy(False)
    with qtbot.assertNotEmitted(composer.stopped):
        press(composer, Qt.Key.Key_Escape)


def test_an_edit_puts_the_draft_aside_and_brings_it_back(composer: Composer, qtbot: QtBot) -> None:
    drafts: list[str] = []
    composer.text_changed.connect(drafts.append)
    composer.text.setPlainText("my draft")
    composer.begin_edit(5, "old question")
    composer.text.setPlainText("new question")
    with qtbot.waitSignal(composer.edited) as edited:
        press(composer, ENTER)
    assert edited.args == [5, "new question"]
    composer.clear()
    assert composer.text.toPlainText() == "my draft"
    composer.begin_edit(5, "old question")
    press(composer, Qt.Key.Key_Escape)
    assert composer.text.toPlainText() == "my draft"
    assert drafts == ["my draft"]


def test_a_draft_that_is_shown_does_not_count_as_typing(composer: Composer, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(composer.text_changed):
        composer.set_draft("of another conversation")
    assert composer.text.textCursor().atEnd()


def test_tokens_are_counted_after_a_pause(composer: Composer, qtbot: QtBot) -> None:
    counted: list[str] = []
    composer.measure.connect(counted.append)
    qtbot.keyClicks(composer.text, "many keys")
    qtbot.waitUntil(lambda: bool(counted))
    assert counted == ["many keys"]


def test_the_meter_says_how_full_the_context_is(composer: Composer) -> None:
    composer.meter.show_size(None, None, 0)
    assert composer.meter.text == ""
    composer.meter.show_size(512, 1024, 0)
    assert composer.meter.text == "512 / 1,024"
    assert "out" not in composer.meter.toolTip().split("\n")[-1].split()[:1]
    composer.meter.show_size(1020, 1024, 3)
    assert "3" in composer.meter.toolTip()


def test_every_mode_explains_itself(composer: Composer, qtbot: QtBot) -> None:
    actions = {action.objectName(): action for action in composer.mode.menu().actions()}
    assert len(actions) == len(MODES)
    for mode in MODES:
        assert mode.help in actions[f"mode_{mode.value}"].text()
        with qtbot.waitSignal(composer.mode_chosen) as chosen:
            actions[f"mode_{mode.value}"].trigger()
        assert chosen.args == [mode.value]
        composer.show_mode(mode.value)
        assert mode.label in composer.mode.text()
        assert composer.mode.toolTip() == mode.help
