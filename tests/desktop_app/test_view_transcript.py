"""The transcript: fast with 2,000 messages, still where the user looks, following where the end is in sight."""

import itertools
import time
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.models.message_list import MessageListModel
from desktop_app.records import Message, MessageState
from desktop_app.spans import TokenSpan
from desktop_app.views.find_bar import FindBar
from desktop_app.views.message_actions import MessageAction
from desktop_app.views.message_view import MessageView
from desktop_app.views.transcript import Transcript
from tests.desktop_app.window import WRITING, conversation, message

MakeTranscript = Callable[..., Transcript]


@pytest.fixture
def make_transcript(qtbot: QtBot) -> MakeTranscript:
    """Makes a transcript that is shown."""

    def make(messages: list[Message], width: int = 700, height: int = 500) -> Transcript:
        model = MessageListModel()
        model.show(messages)
        transcript = Transcript(model)
        model.setParent(transcript)
        qtbot.addWidget(transcript)
        transcript.resize(width, height)
        transcript.show()
        QApplication.processEvents()
        return transcript

    return make


def in_sight(transcript: Transcript) -> dict[int, MessageView]:
    """The views that a person sees, by message id."""
    port = transcript.viewport().rect()
    views = transcript.findChildren(MessageView)
    return {
        view.message.id: view
        for view in views
        if view.isVisible() and view.message and port.intersects(view.geometry())
    }


def stream(transcript: Transcript, text: str) -> None:
    """Let the last message, which has the id 2, grow as a controller does."""
    answer = transcript.model.message(transcript.model.rowCount() - 1)
    answer.text += text
    answer.spans.extend([TokenSpan(text, "draft", 0, 4, 1)])
    transcript.model.stream(2, text)


def text_of(view: MessageView) -> str:
    return "\n".join(block.toPlainText() for block in view.blocks)


def test_two_thousand_messages_open_with_a_handful_of_widgets(make_transcript: MakeTranscript) -> None:
    start_s = time.process_time()
    transcript = make_transcript(conversation(2000))
    opened_s = time.process_time() - start_s
    assert len(transcript.findChildren(MessageView)) < 20
    assert 1999 in in_sight(transcript)
    assert opened_s < 2  # of the processor; some 0.2 s are enough


def test_scrolling_through_everything_keeps_few_widgets(make_transcript: MakeTranscript) -> None:
    transcript = make_transcript(conversation(2000))
    bar = transcript.verticalScrollBar()
    for step in range(40):
        bar.setValue(bar.maximum() * step // 40)
        assert in_sight(transcript)
    QApplication.sendPostedEvents(None, 52)  # DeferredDelete
    assert len(transcript.findChildren(MessageView)) < 60


def test_messages_in_sight_touch_and_do_not_overlap(make_transcript: MakeTranscript) -> None:
    transcript = make_transcript(conversation(200))
    bar = transcript.verticalScrollBar()
    for value in (0, 137, bar.maximum() // 3, bar.maximum() // 2, bar.maximum()):
        bar.setValue(value)
        seen = in_sight(transcript)
        places = [seen[number].geometry() for number in sorted(seen)]
        for upper, lower in itertools.pairwise(places):
            assert 0 <= lower.top() - upper.bottom() <= 12
        assert places[0].top() <= 30
        assert places[-1].bottom() >= transcript.viewport().height() - 60


def test_the_ends_can_be_reached(make_transcript: MakeTranscript, qtbot: QtBot) -> None:
    transcript = make_transcript(conversation(300))
    qtbot.keyClick(transcript, Qt.Key.Key_Home)
    assert in_sight(transcript)[0].y() > 0
    assert transcript.verticalScrollBar().value() == 0
    qtbot.keyClick(transcript, Qt.Key.Key_End)
    assert 299 in in_sight(transcript)
    assert transcript.following


def test_scrolling_up_in_small_steps_does_not_jump(make_transcript: MakeTranscript) -> None:
    transcript = make_transcript(conversation(300))
    bar = transcript.verticalScrollBar()
    for _ in range(60):
        before = {number: view.y() for number, view in in_sight(transcript).items()}
        bar.setValue(bar.value() - 40)
        after = in_sight(transcript)
        moved = {after[number].y() - y for number, y in before.items() if number in after}
        assert moved == {40}


def test_the_end_is_followed_while_it_is_in_sight(make_transcript: MakeTranscript) -> None:
    transcript = make_transcript(conversation(50))
    transcript.model.append(message(100, "user", "new " * 300))
    transcript.lay_out()
    assert 100 in in_sight(transcript)
    assert in_sight(transcript)[100].geometry().bottom() <= transcript.viewport().height()


def test_who_reads_above_is_left_in_peace(make_transcript: MakeTranscript) -> None:
    transcript = make_transcript(conversation(50))
    transcript.show_row(10)
    before = {number: view.y() for number, view in in_sight(transcript).items()}
    transcript.model.append(message(100, "user", "new " * 300))
    transcript.lay_out()
    assert {number: view.y() for number, view in in_sight(transcript).items()} == before
    assert not transcript.following


def test_a_button_leads_back_to_the_latest(make_transcript: MakeTranscript, qtbot: QtBot) -> None:
    transcript = make_transcript(conversation(50))
    button = transcript.findChild(QPushButton, "jumpToLatest") or transcript.findChild(object, "jumpToLatest")
    assert button.isHidden()
    transcript.show_row(3)
    assert button.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert 49 in in_sight(transcript)
    assert button.isHidden()


def test_streamed_text_appears_and_becomes_markdown_at_the_end(make_transcript: MakeTranscript) -> None:
    answer = message(2, "assistant", "", state=WRITING)
    transcript = make_transcript([message(1, "user", "Question"), answer])
    for word in ("**bold** ", "and ", "more\n", "lines"):
        stream(transcript, word)
        transcript.model.announce()
    transcript.lay_out()
    view = in_sight(transcript)[2]
    assert text_of(view) == "**bold** and more\nlines"
    assert view.blocks[0].height() >= view.blocks[0].document().size().height()
    transcript.model.update(message(2, "assistant", "**bold** and more\nlines"))
    transcript.lay_out()
    assert text_of(in_sight(transcript)[2]) == "bold and more\nlines"


def test_many_pieces_in_a_frame_are_laid_out_once(make_transcript: MakeTranscript, qtbot: QtBot) -> None:
    transcript = make_transcript([message(1, "user", "Q"), message(2, "assistant", "", state=WRITING)])
    layouts = []
    original = transcript.lay_out
    transcript.lay_out = lambda: layouts.append(original())  # type: ignore[method-assign]
    transcript._soon.timeout.disconnect()
    transcript._soon.timeout.connect(transcript.lay_out)
    for _ in range(200):
        stream(transcript, "word ")
    qtbot.waitUntil(lambda: bool(layouts))
    assert len(layouts) == 1
    assert text_of(in_sight(transcript)[2]) == "word " * 200


def test_text_that_was_built_in_mid_stream_is_not_doubled(make_transcript: MakeTranscript) -> None:
    answer = message(2, "assistant", "", state=WRITING)
    transcript = make_transcript([answer])
    stream(transcript, "one ")
    transcript.set_colored(True)  # builds the view anew, with text that was not announced yet
    transcript.model.announce()
    transcript.lay_out()
    assert text_of(in_sight(transcript)[2]) == "one "


def test_origins_are_coloured_and_explain_themselves(make_transcript: MakeTranscript) -> None:
    transcript = make_transcript([message(1, "assistant", "one two three")])
    transcript.set_colored(True)
    block = in_sight(transcript)[1].blocks[0]
    assert block.toPlainText() == "one two three "
    cursor = block.textCursor()
    styles = []
    for place in (1, 5, 9):
        cursor.setPosition(place)
        styles.append((cursor.charFormat().underlineStyle(), cursor.charFormat().background().color().name()))
    assert len(set(styles)) == 3
    tip = block.span_tip(block.cursorRect(cursor).center())
    assert tip == "Target · round 3 · tree of 5 · 2 tokens emitted"
    assert block.span_tip(QPoint(0, 0)).startswith("Draft · round 1")
    transcript.set_colored(False)
    assert text_of(in_sight(transcript)[1]).strip() == "one two three"


def test_copy_gives_the_original_markdown(make_transcript: MakeTranscript) -> None:
    source = "**Bold** and\n\n```python\nx = 1\n```"
    transcript = make_transcript([message(1, "assistant", source)])
    transcript.act_on_current(MessageAction.COPY)
    assert QGuiApplication.clipboard().text() == source


def test_actions_go_to_the_last_message_that_they_fit(make_transcript: MakeTranscript, qtbot: QtBot) -> None:
    transcript = make_transcript([message(1, "user", "Q"), message(2, "assistant", "A")])
    with qtbot.waitSignal(transcript.requested) as asked:
        transcript.act_on_current(MessageAction.EDIT)
    assert asked.args == ["edit", 1]
    with qtbot.waitSignal(transcript.requested) as asked:
        transcript.act_on_current(MessageAction.REGENERATE)
    assert asked.args == ["regenerate", 2]


def test_buttons_come_with_the_focus(make_transcript: MakeTranscript, qtbot: QtBot) -> None:
    transcript = make_transcript([message(1, "user", "Q"), message(2, "assistant", "A")])
    view = in_sight(transcript)[2]
    height = view.height()
    view.setFocus()
    view.show_actions()
    names = {button.objectName() for button in view.findChildren(object, "regenerate")}
    assert names == {"regenerate"}
    transcript.lay_out()
    assert view.height() == height
    with qtbot.waitSignal(transcript.requested) as asked:
        qtbot.mouseClick(view.findChild(object, "branch"), Qt.MouseButton.LeftButton)
    assert asked.args == ["branch", 2]


@pytest.mark.parametrize("key", [Qt.Key.Key_Backspace, Qt.Key.Key_Delete])
def test_delete_keys_delete_nothing(make_transcript: MakeTranscript, qtbot: QtBot, key: Qt.Key) -> None:
    transcript = make_transcript([message(1, "user", "Question"), message(2, "assistant", "Answer")])
    asked: list[object] = []
    transcript.requested.connect(lambda *args: asked.append(args))
    view = in_sight(transcript)[2]
    for target in (transcript, view, view.blocks[0], in_sight(transcript)[1].blocks[0]):
        target.setFocus()
        qtbot.keyClick(target, key)
    assert asked == []
    assert text_of(view) == "Answer"


def test_errors_offer_a_way_on(make_transcript: MakeTranscript, qtbot: QtBot) -> None:
    broken = message(1, "assistant", "half", error="the drafter broke", error_kind="DraftingFailed")
    transcript = make_transcript([broken])
    labels = {button.text(): button for button in in_sight(transcript)[1].findChildren(QPushButton)}
    assert set(labels) == {"Try again", "Use plain mode"}
    with qtbot.waitSignal(transcript.requested) as asked:
        qtbot.mouseClick(labels["Use plain mode"], Qt.MouseButton.LeftButton)
    assert asked.args == ["retry_plain", 1]


def test_find_counts_steps_and_shows(make_transcript: MakeTranscript, qtbot: QtBot) -> None:
    messages = [message(n, "user", "needle and Needle" if n % 10 == 0 else "hay") for n in range(100)]
    transcript = make_transcript(messages)
    bar = FindBar(transcript.model)
    qtbot.addWidget(bar)
    bar.found.connect(transcript.show_find)
    bar.open_bar()
    bar.field.setText("needle")
    assert bar.count.text() == "20 / 20"
    assert 90 in in_sight(transcript)
    for _ in range(3):
        bar.step(-1)
    assert bar.count.text() == "17 / 20"
    view = in_sight(transcript)[80]
    marks = view.blocks[0].extraSelections()
    assert len(marks) == 2
    assert marks[0].format.background() != marks[1].format.background()
    bar.field.setText("nothing like it")
    assert bar.count.text() == "Nothing found"
    bar.close_bar()
    assert not any(view.blocks[0].extraSelections() for view in in_sight(transcript).values())


def test_a_narrower_window_keeps_the_place(make_transcript: MakeTranscript) -> None:
    transcript = make_transcript(conversation(200))
    transcript.show_row(100)
    transcript.resize(420, 500)
    QApplication.processEvents()
    assert 100 in in_sight(transcript)


def test_removed_messages_leave(make_transcript: MakeTranscript) -> None:
    transcript = make_transcript(conversation(20))
    transcript.model.replace_from(15, [])
    transcript.lay_out()
    assert max(in_sight(transcript)) == 14
    transcript.model.show([])
    assert in_sight(transcript) == {}


def test_versions_can_be_browsed(make_transcript: MakeTranscript, qtbot: QtBot) -> None:
    transcript = make_transcript([message(1, "assistant", "A", version=1, version_count=3)])
    for action in (MessageAction.OLDER_VERSION, MessageAction.NEWER_VERSION):
        with qtbot.waitSignal(transcript.requested) as asked:
            transcript.act_on_current(action)
        assert asked.args == [action.value, 1]


def test_an_answer_that_was_built_anew_is_measured_at_once(make_transcript: MakeTranscript) -> None:
    growing = message(2, "assistant", "An answer of one line", state=WRITING)
    transcript = make_transcript([message(1, "user", "Q"), growing])
    before = in_sight(transcript)[2].height()
    growing.state = MessageState.COMPLETE
    transcript.model.update(growing)
    transcript.lay_out()  # before any event has shown the new widgets
    assert in_sight(transcript)[2].height() > before / 2


@pytest.mark.usefixtures("qapp")
def test_a_question_takes_the_height_of_its_present_width() -> None:
    views = [MessageView() for _ in range(2)]
    for view in views:
        view.show_message(message(1, "user", "Write a Python function that adds two numbers."), colored=False)
    views[0].set_width(640)
    assert views[0].set_width(336) == views[1].set_width(336)


@pytest.mark.parametrize("width", [280, 420, 900])
@pytest.mark.parametrize("text", ["short", "word " * 200, "x" * 300, "one\n\n" * 5])
def test_no_text_is_cut(make_transcript: MakeTranscript, width: int, text: str) -> None:
    transcript = make_transcript([message(1, "user", text), message(2, "assistant", text)], width=width)
    for view in in_sight(transcript).values():
        for block in view.blocks:
            assert block.document().size().height() <= block.height()
            assert block.document().idealWidth() <= block.width() + 1
            assert view.rect().contains(block.geometry().translated(block.parentWidget().mapTo(view, QPoint(0, 0))))
