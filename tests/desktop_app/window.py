"""What tests of the views share."""

from desktop_app.records import Message, MessageState
from desktop_app.spans import Spans, TokenSpan
from tests.desktop_app.conftest import Stage, until
from tests.desktop_app.fake_engine import FakeEngine


async def load(stage: Stage, engine: FakeEngine) -> None:
    """Load the scripted model."""
    stage.core.model.load()
    engine.finish()
    await until(lambda: stage.core.model.status.info)


async def answer(stage: Stage, engine: FakeEngine) -> Message:
    """Let the waiting answer be written to its end."""
    await until(lambda: engine.waiting)
    engine.finish()
    await until(lambda: not stage.core.chat.busy)
    messages = stage.core.chat.messages
    return messages.message(messages.rowCount() - 1)


def message(number: int, role: str, text: str, **changes: object) -> Message:
    """A message that was never stored."""
    spans = Spans()
    if role == "assistant":
        spans.extend(
            TokenSpan(word + " ", origin, at, 5, 2)  # type: ignore[arg-type]
            for at, (word, origin) in enumerate(
                zip(text.split(" "), ("draft", "ngram", "target") * len(text), strict=False)
            )
        )
    made = Message(id=number, conversation_id=1, parent_id=None, role=role, text=text, spans=spans)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def conversation(count: int, text: str = "A line of words, and then another. ") -> list[Message]:
    """`count` messages, alternating."""
    return [message(n, "assistant" if n % 2 else "user", f"{n}: " + text * (1 + n % 5)) for n in range(count)]


WRITING = MessageState.WRITING
