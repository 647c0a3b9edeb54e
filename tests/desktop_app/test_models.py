"""The Qt models, under Qt's own tester."""

import gc
import tracemalloc

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy

from desktop_app.models.conversation_list import ConversationListModel, ConversationRole, SortedConversations
from desktop_app.models.live_statistics import HISTORY, LiveStatistics
from desktop_app.models.message_list import MessageListModel, MessageRole
from desktop_app.records import Conversation, Message, MessageState
from desktop_app.spans import Spans, TokenSpan
from engine.stats import Statistics

pytestmark = pytest.mark.usefixtures("qapp")
FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


def message(number: int, text: str = "text", **changes: object) -> Message:
    return Message(number, 1, None, "assistant" if number % 2 else "user", text, **changes)  # type: ignore[arg-type]


def ids(model: MessageListModel) -> list[int]:
    return [model.index(row).data(MessageRole.ID) for row in range(model.rowCount())]


def test_messages_come_and_go_under_the_tester() -> None:
    model = MessageListModel()
    QAbstractItemModelTester(model, FATAL)
    model.show([message(number) for number in range(5)])
    model.append(message(5), message(6))
    model.replace_from(2, [message(7)])
    model.replace_from(3, [])
    assert ids(model) == [0, 1, 7]
    assert [model.row_of(number) for number in (0, 7, 5)] == [0, 2, None]
    model.update(message(7, "new"))
    assert model.index(2).data() == "new"
    model.show([])
    assert model.rowCount() == 0


def test_looking_at_spans_keeps_nothing_of_them() -> None:
    written = Spans()
    written.extend(TokenSpan("word ", "draft", number, 4, 1) for number in range(5_000))
    kept = Spans(written.pack())
    tracemalloc.start()
    assert len(kept) == 5_000
    assert kept[4_999] == written[4_999]
    assert tracemalloc.get_traced_memory()[0] < 50_000
    tracemalloc.stop()
    kept.extend([TokenSpan("more", "target", 5_000, 1, 1)])
    assert (len(kept), kept[-1].text) == (5_001, "more")


def test_message_roles() -> None:
    model = MessageListModel()
    spans = Spans()
    spans.extend([TokenSpan("text", "draft", 0, 4, 1)])
    shown = message(3, state=MessageState.FAILED, spans=spans, statistics=Statistics(new_tokens=1), error="why")
    model.show([shown])
    index = model.index(0)
    roles = {role: index.data(role) for role in MessageRole}
    assert roles[MessageRole.MESSAGE] is shown
    assert roles[MessageRole.STATE] == MessageState.FAILED
    assert roles[MessageRole.IS_ANSWER] is True
    assert list(roles[MessageRole.SPANS]) == list(spans)
    assert roles[MessageRole.ERROR] == "why"
    assert index.data(Qt.ItemDataRole.DecorationRole) is None
    assert bytes(model.roleNames()[MessageRole.STATE]) == b"state"


def test_text_is_announced_once_a_frame() -> None:
    model = MessageListModel()
    growing = message(1, "")
    model.show([message(0), growing])
    streamed, changed = QSignalSpy(model.streamed), QSignalSpy(model.dataChanged)
    for word in ("a ", "b ", "c "):
        growing.text += word
        model.stream(1, word)
    model.stream(99, "not shown")
    assert streamed.count() == 0
    assert model.index(1).data() == "a b c "
    assert streamed.wait(1000)
    assert (streamed.count(), changed.count()) == (1, 1)
    assert streamed.at(0) == [1, "a b c "]


def test_text_of_a_row_that_leaves_is_announced_before() -> None:
    model = MessageListModel()
    model.show([message(0), message(1)])
    streamed = QSignalSpy(model.streamed)
    model.stream(1, "late")
    model.replace_from(1, [])
    assert streamed.count() == 1
    model.stream(0, "lost with its conversation")
    model.show([])
    model.announce()
    assert streamed.count() == 1


def test_conversations_are_sorted_pinned_first_then_by_use() -> None:
    model = ConversationListModel()
    shown = SortedConversations(model)
    QAbstractItemModelTester(model, FATAL)
    QAbstractItemModelTester(shown, FATAL)
    for number, pinned, used_at in ((1, False, 10.0), (2, False, 30.0), (3, True, 5.0), (4, False, 20.0)):
        model.put(Conversation(number, f"title {number}", pinned, used_at=used_at))

    def order() -> list[int]:
        return [shown.index(row, 0).data(ConversationRole.ID) for row in range(shown.rowCount())]

    assert order() == [3, 2, 4, 1]
    model.put(Conversation(1, "title 1", used_at=40.0))
    assert order() == [3, 1, 2, 4]
    shown.show_only({2, 4})
    assert order() == [2, 4]
    assert (shown.row_of(4), shown.row_of(3)) == (1, None)
    model.show_excerpts({4: "…found…"})
    assert shown.index(1, 0).data(ConversationRole.EXCERPT) == "…found…"
    shown.show_only(None)
    model.remove(3)
    model.remove(99)
    assert order() == [1, 2, 4]
    model.show([])
    assert order() == []


def test_a_conversation_without_title_has_a_name_but_nothing_to_edit() -> None:
    model = ConversationListModel()
    model.show([Conversation(1)])
    assert model.index(0).data() == "New conversation"
    assert model.index(0).data(Qt.ItemDataRole.EditRole) == ""


def counters(tokens: int, seconds: float) -> Statistics:
    return Statistics(new_tokens=tokens, seconds=(seconds, 0.0, 0.0, 0.0, 0.0), plain_tokens_per_s=10.0)


def test_live_statistics_follow_an_answer() -> None:
    live = LiveStatistics()
    live.open(None, Statistics())
    assert live.current is None
    live.begin(None, counters(100, 5.0))
    changed = QSignalSpy(live.changed)
    live.update(counters(10, 0.5))
    live.update(counters(11, 0.55))  # too short for a rate
    live.update(counters(40, 1.5))
    assert changed.count() == 3
    assert [(sample.time_s, sample.tokens_per_s, sample.speedup) for sample in live.history] == [
        (0.5, 20.0, 2.0),
        (1.5, 30.0, 3.0),
    ]
    assert live.totals.new_tokens == 140
    live.end()
    assert (live.running, live.totals.new_tokens) == (False, 140)
    live.begin(None, live.totals)
    live.update(counters(1, 0.3))
    assert live.totals.new_tokens == 141
    assert len(live.history) == 1


def test_the_history_is_bounded() -> None:
    live = LiveStatistics()
    live.begin(None, Statistics())
    for step in range(HISTORY + 100):
        live.update(counters(step, step * 0.3))
    assert len(live.history) == HISTORY


def test_streaming_into_2000_messages_keeps_no_more_than_the_text() -> None:
    """Half an hour's worth of text in a moment: what stays is the text and its packed spans."""
    model = MessageListModel()
    model.show([message(number, "word " * 100) for number in range(2000)])
    growing = model.message(1999)
    growing.text = ""
    live = LiveStatistics()
    live.begin(None, Statistics())

    def stream(words: int) -> None:
        for number in range(words):
            growing.text += "word "
            model.stream(growing.id, "word ")
            live.update(counters(number, number * 0.1))
            if number % 10 == 0:
                model.announce()
        model.announce()

    stream(HISTORY * 3)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    stream(6_000)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 150_000  # 30 kB are the text
