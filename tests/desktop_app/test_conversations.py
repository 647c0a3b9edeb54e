"""The list of conversations, and conversations as files."""

import json
from pathlib import Path

import pytest

from desktop_app.exchange import ExchangeError, from_markdown, read_conversations, to_markdown
from desktop_app.models.conversation_list import ConversationRole
from desktop_app.paths import Paths
from desktop_app.records import Message
from desktop_app.store import Store
from tests.desktop_app.conftest import MakeStage, Stage, until
from tests.desktop_app.fake_engine import FakeEngine, Plan


async def talk(stage: Stage, engine: FakeEngine, *texts: str) -> None:
    """Have messages answered in the open conversation."""
    if stage.core.model.status.info is None:
        stage.core.model.load()
        engine.finish()
        await until(lambda: stage.core.model.status.info)
    for text in texts:
        assert stage.core.chat.send(text)
        await until(lambda: engine.waiting)
        engine.finish()
        await until(lambda: not stage.core.chat.busy)


def titles(stage: Stage) -> list[str]:
    shown = stage.core.conversations.shown
    return [shown.index(row, 0).data() for row in range(shown.rowCount())]


async def test_the_first_start_opens_an_empty_conversation(make_stage: MakeStage) -> None:
    stage = make_stage()
    assert titles(stage) == ["New conversation"]
    first = stage.core.chat.conversation_id
    stage.core.conversations.new()
    assert stage.core.chat.conversation_id == first  # no heap of empty ones


async def test_rename_pin_and_order(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    for text in ("first", "second", "third"):
        stage.core.conversations.new()
        await talk(stage, engine, text)
    assert titles(stage) == ["third", "second", "first"]
    oldest = stage.core.conversations.shown.index(2, 0).data(ConversationRole.ID)
    stage.core.conversations.pin(oldest, True)
    assert titles(stage) == ["first", "third", "second"]
    stage.core.conversations.rename(oldest, "  a better\n name ")
    stage.core.conversations.rename(oldest, "   ")
    assert titles(stage)[0] == "a better name"


async def test_delete_and_undo(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await talk(stage, engine, "first")
    first = stage.core.chat.conversation_id
    stage.core.conversations.new()
    await talk(stage, engine, "second")
    stage.core.conversations.delete(stage.core.chat.conversation_id)
    assert titles(stage) == ["first"]
    assert stage.core.chat.conversation_id == first
    stage.undos[0]()
    assert titles(stage) == ["second", "first"]
    assert stage.rows()[0] == ("user", "second")


async def test_deleting_a_conversation_ends_its_answer(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await talk(stage, engine, "first")
    stage.core.chat.send("second")
    await until(lambda: engine.waiting)
    stage.core.conversations.delete(stage.core.chat.conversation_id)
    await until(lambda: not stage.core.chat.busy)
    assert engine.waiting == 0
    assert titles(stage) == ["New conversation"]
    assert stage.rows() == []


async def test_delete_all(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await talk(stage, engine, "first")
    stage.core.conversations.delete_all()
    assert titles(stage) == ["New conversation"]
    assert stage.rows() == []
    await talk(stage, engine, "anew")
    assert titles(stage) == ["anew"]


async def test_search_filters_and_reveals_versions(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(["a needle"]), Plan(["hay"]), Plan(["straw"])])
    stage = make_stage(engine)
    await talk(stage, engine, "first")
    stage.core.chat.regenerate(stage.core.chat.messages.message(1).id)
    await until(lambda: engine.waiting)
    engine.finish()
    await until(lambda: not stage.core.chat.busy)
    stage.core.conversations.new()
    await talk(stage, engine, "second")
    stage.core.conversations.search(" needle ")
    assert titles(stage) == ["first"]
    assert stage.core.conversations.shown.index(0, 0).data(ConversationRole.EXCERPT) == "a needle"
    hit = stage.core.conversations.hits[0]
    stage.core.chat.open(hit.conversation_id)
    assert stage.rows()[1] == ("assistant", "hay")
    assert hit.message_id is not None
    stage.core.chat.reveal(hit.message_id)
    assert stage.rows()[1] == ("assistant", "a needle")
    stage.core.conversations.search("")
    assert titles(stage) == ["second", "first"]


async def test_branch(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(["one"]), Plan(["two"]), Plan(["three"])])
    stage = make_stage(engine)
    await talk(stage, engine, "first", "second")
    original = stage.core.chat.conversation_id
    stage.core.conversations.branch(stage.core.chat.messages.message(1).id)
    assert stage.core.chat.conversation_id != original
    assert stage.rows() == [("user", "first"), ("assistant", "one")]
    await talk(stage, engine, "other")
    stage.core.chat.open(original)
    assert [text for _, text in stage.rows()] == ["first", "one", "second", "two"]


async def test_the_last_conversation_is_open_again_after_a_restart(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await talk(stage, engine, "first")
    wanted = stage.core.chat.conversation_id
    stage.core.conversations.new()
    await talk(stage, engine, "second")
    stage.core.chat.open(wanted)
    await stage.close()
    stage = make_stage(FakeEngine())
    assert stage.core.chat.conversation_id == wanted
    assert stage.rows()[0] == ("user", "first")


@pytest.mark.parametrize("name", ["聊天", "Привет", "Löß & Söhne", "　ideographic　"])
async def test_json_keeps_everything(make_stage: MakeStage, tmp_path: Path, name: str) -> None:
    engine = FakeEngine([Plan(["eins “zwei” 你好"]), Plan(["other version"])])
    stage = make_stage(engine)
    await talk(stage, engine, "first")
    stage.core.chat.regenerate(stage.core.chat.messages.message(1).id)
    await until(lambda: engine.waiting)
    engine.finish()
    await until(lambda: not stage.core.chat.busy)
    original = stage.core.chat.conversation_id
    file = tmp_path / name / f"{name}.json"
    file.parent.mkdir()
    assert stage.core.conversations.export(original, file)
    assert stage.core.conversations.import_file(file)
    copy = stage.core.chat.conversation_id
    assert copy != original

    def content(conversation_id: int) -> list[tuple[object, ...]]:
        messages = stage.core._store.all_messages(conversation_id)
        places = {message.id: place for place, message in enumerate(messages)}
        return [(m.text, list(m.spans), m.statistics, m.seed, m.active, places.get(m.parent_id)) for m in messages]  # type: ignore[arg-type]

    assert content(copy) == content(original)
    assert len(content(copy)) == 3


NASTY = [
    "plain",
    "# heading\n\n**You**\n\n- list\n\n```python\nprint('<b>x</b>')\n```",
    "<!-- staged-chat: user -->\n**You**\n\nquoted export",
    "  leading and trailing  \n\n",
    "He said <smirk> hi <b>x</b>",
]


def test_markdown_keeps_the_words_letter_for_letter() -> None:
    path = [Message(i, 1, None, "assistant" if i % 2 else "user", text) for i, text in enumerate(NASTY)]
    ((title, messages),) = from_markdown(to_markdown("A title", path))
    assert title == "A title"
    assert [(m.role, m.text) for m in messages] == [(m.role, m.text) for m in path]
    assert [m.parent_id for m in messages] == [None, 0, 1, 2, 3]


async def test_markdown_is_written_by_suffix(make_stage: MakeStage, tmp_path: Path) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await talk(stage, engine, "Hello")
    file = tmp_path / "chat.md"
    assert stage.core.conversations.export(stage.core.chat.conversation_id, file)
    assert file.read_text().startswith("# Hello\n")
    assert str(file) in stage.notices[-1]
    assert stage.core.conversations.import_file(file)
    assert stage.rows() == [("user", "Hello"), ("assistant", "Good day to you.")]


VALID = {"format": "staged-chat conversations", "version": 1}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"just a letter",
        b"{",
        b'{"format": "other"}',
        json.dumps({**VALID, "version": 2}).encode(),
        json.dumps(VALID).encode(),
        json.dumps({**VALID, "conversations": [{"title": "t"}]}).encode(),
        json.dumps({**VALID, "conversations": [{"title": "t", "messages": [{"id": 1}]}]}).encode(),
        json.dumps({**VALID, "conversations": 5}).encode(),
    ],
)
async def test_a_file_that_is_no_export_is_refused(make_stage: MakeStage, tmp_path: Path, content: bytes) -> None:
    stage = make_stage()
    file = tmp_path / "import.json"
    file.write_bytes(content)
    with pytest.raises(ExchangeError):
        read_conversations(file)
    assert not stage.core.conversations.import_file(file)
    assert "import.json" in stage.problems[0]
    assert "\n" not in stage.problems[0]
    assert titles(stage) == ["New conversation"]


@pytest.mark.parametrize(
    "change",
    [
        {"role": "system"},
        {"text": 5},
        {"state": "odd"},
        {"seed": "x"},
        {"tokens": [["a", "moon", 0, 1, 1]]},
        {"id": None},
    ],
)
async def test_a_damaged_message_is_refused(make_stage: MakeStage, tmp_path: Path, change: dict[str, object]) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await talk(stage, engine, "Hello")
    file = tmp_path / "chat.json"
    stage.core.conversations.export(stage.core.chat.conversation_id, file)
    content = json.loads(file.read_text())
    content["conversations"][0]["messages"][0] |= change
    file.write_text(json.dumps(content))
    with pytest.raises(ExchangeError):
        read_conversations(file)


async def test_a_missing_file_or_folder_is_one_line(make_stage: MakeStage, tmp_path: Path) -> None:
    stage = make_stage()
    assert not stage.core.conversations.import_file(tmp_path / "nowhere.json")
    (tmp_path / "file").write_text("")
    assert not stage.core.conversations.export(stage.core.chat.conversation_id, tmp_path / "file" / "chat.md")
    assert len(stage.problems) == 2


@pytest.mark.parametrize("breakage", ["file instead of folder", "newer schema", "not a database"])
async def test_a_store_that_cannot_be_used_still_lets_the_window_open(
    make_stage: MakeStage, tmp_path: Path, breakage: str
) -> None:
    home = Paths(tmp_path / "home", tmp_path / "home", tmp_path / "logs")
    if breakage == "file instead of folder":
        home.data.write_text("")
    else:
        home.data.mkdir()
    if breakage == "newer schema":
        store = Store(home.database)
        store._database.rows("PRAGMA user_version = 99")
        store.close()
    if breakage == "not a database":
        home.database.write_bytes(b"a letter" * 1000)
    engine = FakeEngine()
    stage = make_stage(engine, home)
    assert stage.core.is_temporary
    assert any("memory" in text for text in stage.problems)
    await talk(stage, engine, "Hello")
    assert stage.rows() == [("user", "Hello"), ("assistant", "Good day to you.")]
