"""The database of conversations: a tree of messages on disk that outlives kills, upgrades and full disks."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.database import StoreError
from desktop_app.records import Conversation, Message, MessageState
from desktop_app.schema import MIGRATIONS
from desktop_app.spans import Spans, TokenSpan
from desktop_app.store import Store
from engine.stats import Statistics

SPANS = [TokenSpan("Good ", "draft", 0, 8, 2), TokenSpan("day“ 你", "ngram", 0, 8, 2)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "conversations.sqlite3"


def turn(store: Store, conversation: Conversation, question: str, answer: str, parent: int | None = None) -> list[int]:
    """Add a question and its answer; returns their ids."""
    messages = [
        Message(0, conversation.id, parent, "user", question),
        Message(0, conversation.id, None, "assistant", answer),
    ]
    store.add_messages(*messages)
    return [message.id for message in messages]


def texts(store: Store, conversation: Conversation) -> list[str]:
    return [message.text for message in store.path(conversation.id)]


def test_everything_about_a_message_survives(file: Path) -> None:
    store = Store(file)
    conversation = store.add_conversation("Title")
    spans = Spans()
    spans.extend(SPANS)
    statistics = Statistics(new_tokens=2, emitted_histogram=(0, 1, 3), seconds=(0.1, 0.2, 0.0, 0.0, 0.3))
    message = Message(
        id=0,
        conversation_id=conversation.id,
        parent_id=None,
        role="assistant",
        text="Good day“ 你",
        state=MessageState.FAILED,
        spans=spans,
        statistics=statistics,
        mode="staged",
        seed=2**63 - 1,
        stop_reason="cancelled",
        error="it broke",
        error_kind="DraftingFailed",
        created_at=12.5,
    )
    store.add_messages(message)
    store.close()
    (found,) = Store(file).path(conversation.id)
    assert list(found.spans) == SPANS
    found.spans = message.spans
    assert found == message


def test_conversations_are_kept_and_changed(file: Path) -> None:
    store = Store(file)
    conversation = store.add_conversation()
    store.rename(conversation.id, "Löß 世界")
    store.pin(conversation.id, True)
    store.save_draft(conversation.id, "half a")
    before = store.conversation(conversation.id)
    after = store.touch(conversation.id)
    assert (after.title, after.pinned, after.draft) == ("Löß 世界", True, "half a")
    assert after.used_at >= before.used_at
    store.close()
    assert Store(file).conversations() == [after]


def test_versions_are_siblings_and_the_active_ones_make_the_path(file: Path) -> None:
    store = Store(file)
    conversation = store.add_conversation()
    question, first = turn(store, conversation, "q", "a1")
    second = Message(0, conversation.id, question, "assistant", "a2")
    store.add_messages(second)
    turn(store, conversation, "q2", "a3", parent=second.id)
    assert texts(store, conversation) == ["q", "a2", "q2", "a3"]
    assert [(m.version, m.version_count) for m in store.path(conversation.id)] == [(0, 1), (1, 2), (0, 1), (0, 1)]
    store.activate(first)
    assert texts(store, conversation) == ["q", "a1"]
    assert store.versions(first) == [first, second.id]
    assert [m.text for m in store.path_to(second.id)] == ["q", "a2"]
    store.activate(store.all_messages(conversation.id)[-1].id)  # deep in the other branch
    assert texts(store, conversation) == ["q", "a2", "q2", "a3"]


def test_a_message_leaves_with_what_follows_and_comes_back(file: Path) -> None:
    store = Store(file)
    conversation = store.add_conversation()
    _, answer = turn(store, conversation, "q", "a")
    question, _ = turn(store, conversation, "q2", "a2", parent=answer)
    other = Message(0, conversation.id, answer, "user", "q3")
    store.add_messages(other)
    store.activate(question)
    store.trash_message(question)
    assert texts(store, conversation) == ["q", "a", "q3"]
    store.restore_message(question)
    assert texts(store, conversation) == ["q", "a", "q2", "a2"]
    store.trash_message(question)
    store.close()
    assert {m.text for m in Store(file).all_messages(conversation.id)} == {"q", "a", "q3"}


def test_the_trash_is_emptied_at_the_next_start(file: Path) -> None:
    store = Store(file)
    kept, gone = store.add_conversation("kept"), store.add_conversation("gone")
    turn(store, gone, "secret", "words")
    store.trash(gone.id)
    assert [c.title for c in store.conversations()] == ["kept"]
    assert store.restore(gone.id).title == "gone"
    store.trash(gone.id)
    store.close()
    store = Store(file)
    assert [c.id for c in store.conversations()] == [kept.id]
    assert store.all_messages(gone.id) == []


def test_delete_all_leaves_no_trace_in_the_file(file: Path) -> None:
    store = Store(file)
    turn(store, store.add_conversation("hidden title"), "unmistakable question", "unmistakable answer")
    store.delete_all()
    store.close()
    assert store_bytes(file).count(b"unmistakable") == 0


def store_bytes(file: Path) -> bytes:
    return b"".join(path.read_bytes() for path in file.parent.glob(file.name + "*"))


@pytest.mark.parametrize(
    "query", ["peculative", "SPECULATIVE", "ДРАФТ", "你好", "é", '"quoted"', 'é "quo', "100%", "a_b", "*"]
)
@pytest.mark.parametrize("has_index", [True, False])
def test_search_finds_any_part_in_any_language(file: Path, query: str, has_index: bool) -> None:
    store = Store(file)
    store._database.has_text_index = has_index and store._database.has_text_index
    text = 'Speculative драфт 你好世界 é "quoted" 100% a_b * end'
    conversation = store.add_conversation("nothing")
    _, answer = turn(store, conversation, "nothing", text)
    turn(store, store.add_conversation("other"), "nothing", "at all axb 100 x")
    assert [(hit.conversation_id, hit.message_id) for hit in store.search(query)] == [(conversation.id, answer)]


def test_search_in_titles_and_in_text_that_changes(file: Path) -> None:
    store = Store(file)
    conversation = store.add_conversation("Grüße aus Köln")
    assert [hit.message_id for hit in store.search("KÖLN")] == [None]
    message = Message(0, conversation.id, None, "user", "first wording")
    store.add_messages(message)
    message.text = "second version"
    store.save_message(message)
    assert store.search("wording") == []
    assert len(store.search("version")) == 1
    store.trash_message(message.id)
    assert store.search("version") == []
    assert store.search("100%") == []


def test_an_excerpt_shows_the_match() -> None:
    store = Store(None)
    turn(store, store.add_conversation(), "x " * 200 + "needle" + " y" * 200, "a")
    (hit,) = store.search("needle")
    assert "needle" in hit.excerpt
    assert len(hit.excerpt) < 100


def test_a_file_from_before_the_index_is_indexed(file: Path) -> None:
    store = Store(file)
    turn(store, store.add_conversation(), "findable", "a")
    store.close()
    with sqlite3.connect(file) as database:
        database.executescript("DROP TRIGGER message_reindexed; DROP TABLE message_index;")
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        for name in names:
            database.execute(f"DROP TRIGGER {name}")
    database.close()
    assert len(Store(file).search("findable")) == 1


def test_answers_that_did_not_end_are_interrupted(file: Path) -> None:
    store = Store(file)
    conversation = store.add_conversation()
    states = (MessageState.WRITING, MessageState.QUEUED)
    messages = [Message(0, conversation.id, None, "assistant", "half", state) for state in states]
    store.add_messages(*messages)
    store.close()
    assert {m.state for m in Store(file).path(conversation.id)} == {MessageState.INTERRUPTED}


ADD_PINS = "ALTER TABLE conversations ADD COLUMN colour TEXT"


def test_a_change_that_fails_half_way_leaves_nothing(file: Path) -> None:
    store = Store(file)
    conversation = store.add_conversation()
    with pytest.raises(StoreError):
        store.add_messages(Message(0, conversation.id, None, "user", "q"), Message(0, 4711, None, "assistant", "a"))
    assert store.all_messages(conversation.id) == []


def test_an_older_schema_is_backed_up_then_migrated(file: Path) -> None:
    store = Store(file)
    conversation = store.add_conversation("old")
    store.close()
    store = Store(file, (*MIGRATIONS, ADD_PINS))
    assert store._database.rows("PRAGMA user_version") == [(len(MIGRATIONS) + 1,)]
    assert store._database.rows("SELECT title, colour FROM conversations") == [("old", None)]
    store.close()
    backup = file.with_name(f"conversations.backup-version-{len(MIGRATIONS)}.sqlite3")
    assert Store(backup).conversation(conversation.id).title == "old"


def test_a_migration_that_fails_changes_nothing(file: Path) -> None:
    Store(file).close()
    with pytest.raises(StoreError):
        Store(file, (*MIGRATIONS, f"{ADD_PINS}; SELECT * FROM nowhere"))
    store = Store(file)
    assert store._database.rows("SELECT name FROM pragma_table_info('conversations') WHERE name = 'colour'") == []


def test_a_newer_schema_is_refused_and_left_alone(file: Path) -> None:
    Store(file, (*MIGRATIONS, ADD_PINS)).close()
    before = file.read_bytes()
    with pytest.raises(StoreError, match="newer"):
        Store(file)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_what_is_no_database_is_refused_and_left_alone(file: Path) -> None:
    file.write_bytes(b"this is a letter, not a database" * 100)
    before = file.read_bytes()
    with pytest.raises(StoreError, match="not a database"):
        Store(file)
    assert file.read_bytes() == before


def test_a_full_disk_is_one_line_and_the_store_goes_on(file: Path) -> None:
    store = Store(file)
    conversation = store.add_conversation()
    store._database.rows("PRAGMA max_page_count = 1")
    with pytest.raises(StoreError, match="full"):
        turn(store, conversation, "x" * 100_000, "y")
    store._database.rows("PRAGMA max_page_count = 100000")
    turn(store, conversation, "q", "a")
    assert texts(store, conversation) == ["q", "a"]


WRITER = """
import sys, time
from pathlib import Path
from desktop_app.records import Message, MessageState
from desktop_app.store import Store
store = Store(Path(sys.argv[1]))
conversation = store.add_conversation("killed")
question = Message(0, conversation.id, None, "user", "the question")
answer = Message(0, conversation.id, None, "assistant", "", MessageState.WRITING)
store.add_messages(question, answer)
for word in range(10**6):
    answer.text += f"{word} "
    store.save_message(answer)
    print(word, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_kill_9_in_mid_answer_loses_nothing_that_was_saved(file: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    saved = next(int(line) for line in process.stdout if int(line) >= 20)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    store = Store(file)
    assert store._database.rows("PRAGMA integrity_check") == [("ok",)]
    (conversation,) = store.conversations()
    question, answer = store.path(conversation.id)
    assert question.text == "the question"
    assert answer.text.startswith("".join(f"{word} " for word in range(saved + 1)))
    assert answer.state is MessageState.INTERRUPTED
    assert len(store.search("20 21")) in (0, 1)  # the index is sound too


@pytest.mark.parametrize("name", ["聊天 数据", "Привет мир", "Löß & Söhne", "　ideographic　space"])
def test_any_path_will_do(tmp_path: Path, name: str) -> None:
    file = tmp_path / name / "conversations.sqlite3"
    store = Store(file)
    turn(store, store.add_conversation(), "q", "a")
    store.close()
    assert len(Store(file).conversations()) == 1


def test_a_long_conversation_opens_quickly(file: Path) -> None:
    store = Store(file)
    conversation = store.add_conversation()
    spans = Spans()
    spans.extend(TokenSpan("word ", "draft", number, 8, 3) for number in range(200))
    counters = Statistics(new_tokens=200)
    message = Message(0, conversation.id, None, "assistant", "word " * 200, spans=spans, statistics=counters)
    store.add_messages(*(replace(message) for _ in range(500)))
    path = store.path(conversation.id)
    assert len(path) == 500
    assert all(message.spans._spans is None for message in path)  # nothing was unpacked
    assert len(path[5].spans) == 200


def test_it_stays_on_one_thread(file: Path) -> None:
    store = Store(file)
    errors: list[BaseException] = []

    def use() -> None:
        try:
            store.conversations()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test wants it
            errors.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert len(errors) == 1
