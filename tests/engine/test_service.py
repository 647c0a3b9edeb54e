"""The engine thread: the order of events, one end for each request, cancels at every stage, and models that break."""

import queue
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import torch

import engine.loading
from engine.chat_model import ChatModel
from engine.config import DecodingMode, ModelSpec
from engine.errors import (
    Cancelled,
    CheckpointError,
    EngineError,
    GenerationFailed,
    InvalidRequest,
    ModelError,
    NotEnoughMemory,
    PromptTooLong,
)
from engine.events import (
    Accepted,
    Event,
    Failed,
    Finished,
    GenerationRequest,
    Loading,
    Prefilled,
    Ready,
    StopReason,
)
from engine.gpt2 import PassInputs
from engine.runner import Runner
from engine.service import EngineService
from tests.engine.support import eager, request

SPEC = ModelSpec(dtype="float32", device="cpu", threads=1)
LONG = "def f(x):\n    return x\n\n" * 60
ENDS = (Ready, Finished, Failed)
WAIT_S = 60


class Listener:
    """A service, what it says, and what is to be done when it says it (on the engine thread)."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.react: Callable[[Event], None] = lambda _: None
        self.service = EngineService(self._receive)

    def _receive(self, event: Event) -> None:
        self.events.put(event)
        self.react(event)

    def until_end(self, *request_ids: int) -> list[Event]:
        """All events up to the end of the last of some requests."""
        seen: list[Event] = []
        waiting = set(request_ids)
        while waiting:
            seen.append(self.events.get(timeout=WAIT_S))
            if isinstance(seen[-1], ENDS):
                waiting.discard(seen[-1].request_id)
        return seen

    def end(self, request_id: int) -> Event:
        """The last event of a request."""
        return self.until_end(request_id)[-1]


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.react = lambda _: None
    assert made.service.close(timeout_s=WAIT_S)


@pytest.fixture
def loaded(listener: Listener, float32_model: ChatModel, monkeypatch: pytest.MonkeyPatch) -> Listener:
    """With the built-in model, which was loaded before."""

    def load(_spec: ModelSpec, report: Callable[[float, str], None]) -> ChatModel:
        report(0.5, "loading")
        return eager(float32_model)

    monkeypatch.setattr(engine.loading, "load_chat_model", load)
    assert isinstance(listener.end(listener.service.load(SPEC)), Ready)
    return listener


def ask(prompt: str = "User: Hi\nAssistant:", **sampling: object) -> GenerationRequest:
    return request(prompt, mode=DecodingMode.STAGED, **{"max_new_tokens": 20, **sampling})  # type: ignore[arg-type]


def in_order(events: list[Event], request_id: int) -> list[Event]:
    """The events of a request, checked: steps count from 0, one end, and it comes last."""
    mine = [event for event in events if event.request_id == request_id]
    assert [event.step for event in mine] == list(range(len(mine)))
    assert [isinstance(event, ENDS) for event in mine] == [False] * (len(mine) - 1) + [True]
    return mine


def test_a_real_load_and_an_answer(listener: Listener) -> None:
    loading = listener.service.load(SPEC)
    events = in_order(listener.until_end(loading), loading)
    progress = [event.progress for event in events if isinstance(event, Loading)]
    assert progress == sorted(progress)
    assert (progress[0], progress[-1]) == (0, 1)
    assert isinstance(events[-1], Ready)
    assert events[-1].model.dtype == "float32"
    assert isinstance(listener.end(listener.service.generate(ask())), Finished)


def test_the_events_of_an_answer(loaded: Listener) -> None:
    asked = loaded.service.generate(ask())
    events = in_order(loaded.until_end(asked), asked)
    assert isinstance(events[0], Prefilled)
    rounds = [event for event in events if isinstance(event, Accepted)]
    end = events[-1]
    assert isinstance(end, Finished)
    assert "".join(event.text for event in rounds) == end.text
    assert tuple(token for event in rounds for token in event.tokens) == end.token_ids
    assert all(len(event.tokens) == len(event.origins) == event.round.emitted for event in rounds)
    indices = [event.round.index for event in rounds if event.tokens]
    assert indices == sorted(set(indices))
    counted = end.statistics
    assert counted.new_tokens == len(end.token_ids) == sum(event.round.emitted for event in rounds)
    assert counted.target_rows == sum(event.round.tree_size for event in rounds if event.tokens)
    assert counted.target_passes == len(indices)
    assert counted.draft_passes > 0


def test_requests_run_in_order(loaded: Listener) -> None:
    ids = [loaded.service.generate(ask(seed=seed)) for seed in range(3)]
    events = loaded.until_end(*ids)
    order = [event.request_id for event in events]
    assert order == sorted(order)
    for request_id in ids:
        in_order(events, request_id)


def test_the_seed_that_was_drawn_is_told(loaded: Listener) -> None:
    first = loaded.end(loaded.service.generate(ask(seed=None, temperature=1.0)))
    assert isinstance(first, Finished)
    again = loaded.end(loaded.service.generate(ask(seed=first.seed, temperature=1.0)))
    other = loaded.end(loaded.service.generate(ask(seed=first.seed + 1, temperature=1.0)))
    assert isinstance(again, Finished)
    assert isinstance(other, Finished)
    assert again.token_ids == first.token_ids != other.token_ids


def test_cancelled_in_the_queue(loaded: Listener) -> None:
    waiting: list[int] = []
    loaded.react = lambda event: loaded.service.cancel(waiting[0]) if isinstance(event, Prefilled) else None
    running = loaded.service.generate(ask())
    waiting.append(loaded.service.generate(ask()))
    events = loaded.until_end(running, waiting[0])
    assert len(in_order(events, waiting[0])) == 1
    end = events[-1]
    assert isinstance(end, Finished)
    assert (end.reason, end.text, end.token_ids) == (StopReason.CANCELLED, "", ())


def test_cancelled_in_prefill(loaded: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden, passes = Runner._hidden, []

    def cancelling(self: Runner, inputs: PassInputs) -> torch.Tensor:
        passes.append(1)
        if len(passes) == 2:
            loaded.service.cancel(asked)
        return hidden(self, inputs)

    monkeypatch.setattr(Runner, "_hidden", cancelling)
    asked = loaded.service.generate(ask(LONG))
    events = in_order(loaded.until_end(asked), asked)
    assert len(events) == 1, "not even Prefilled"
    assert isinstance(events[0], Finished)
    assert events[0].reason is StopReason.CANCELLED
    assert len(passes) == 2, "within one pass"
    monkeypatch.undo()
    again = loaded.end(loaded.service.generate(ask(LONG)))
    assert isinstance(again, Finished)
    cold = loaded.end(loaded.service.generate(replace(ask(LONG), reuse_cache=False)))
    assert isinstance(cold, Finished)
    assert again.token_ids == cold.token_ids != ()


@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_cancelled_while_decoding(loaded: Listener, rounds: int) -> None:
    seen: list[Event] = []

    def react(event: Event) -> None:
        seen.append(event)
        if sum(isinstance(e, Accepted) and bool(e.tokens) for e in seen) == rounds:
            loaded.service.cancel(event.request_id)

    loaded.react = react
    asked = ask(max_new_tokens=200, temperature=1.0)
    end = loaded.end(loaded.service.generate(asked))
    loaded.react = lambda _: None
    assert isinstance(end, Finished)
    assert end.reason is StopReason.CANCELLED
    assert end.statistics.target_passes == rounds
    assert end.text == "".join(event.text for event in seen if isinstance(event, Accepted))
    whole = loaded.end(loaded.service.generate(asked))
    assert isinstance(whole, Finished)
    assert whole.token_ids[: len(end.token_ids)] == end.token_ids


def test_cancelled_while_loading(listener: Listener) -> None:
    listener.react = lambda event: listener.service.cancel(event.request_id)
    asked = listener.service.load(SPEC)
    end = in_order(listener.until_end(asked), asked)[-1]
    assert isinstance(end, Failed)
    assert isinstance(end.error, Cancelled)
    listener.react = lambda _: None
    assert isinstance(listener.end(listener.service.load(SPEC)), Ready), "the next load works"


def test_cancelling_what_is_over_or_never_was_does_nothing(loaded: Listener) -> None:
    asked = loaded.service.generate(ask())
    loaded.until_end(asked)
    loaded.service.cancel(asked)
    loaded.service.cancel(12345)
    assert isinstance(loaded.end(loaded.service.generate(ask())), Finished)


def test_without_a_model(listener: Listener) -> None:
    end = listener.end(listener.service.generate(ask()))
    assert isinstance(end, Failed)
    assert isinstance(end.error, InvalidRequest)
    assert listener.service.prompt_size(ask()) is None


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        (ask(""), InvalidRequest),
        (ask("word " * 5000), PromptTooLong),
        (ask(logit_bias={1 << 20: 1.0}), InvalidRequest),
        (GenerationRequest(), InvalidRequest),
        (replace(request(None, "Hi"), prompt="Hi"), InvalidRequest),
    ],
)
def test_requests_that_cannot_be_answered(loaded: Listener, asked: GenerationRequest, kind: type[EngineError]) -> None:
    number = loaded.service.generate(asked)
    (end,) = in_order(loaded.until_end(number), number)
    assert isinstance(end, Failed)
    assert type(end.error) is kind
    assert "\n" not in str(end.error)
    assert isinstance(loaded.end(loaded.service.generate(ask())), Finished)


def test_a_model_that_breaks_in_mid_answer(
    loaded: Listener, float32_model: ChatModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What it said stays valid, the error is one line, and the next answer is right."""
    good = loaded.end(loaded.service.generate(ask()))
    calls, extend = [], float32_model.target.extend

    def breaking(tokens: object, parents: object) -> torch.Tensor:
        calls.append(1)
        if len(calls) == 3:
            raise RuntimeError("the device is gone\nand here are ten lines of trace")
        return extend(tokens, parents)  # type: ignore[arg-type]

    monkeypatch.setattr(float32_model.target, "extend", breaking)
    asked = loaded.service.generate(ask())
    events = in_order(loaded.until_end(asked), asked)
    end = events[-1]
    assert isinstance(end, Failed)
    assert isinstance(end.error, GenerationFailed)
    assert "the device is gone" in str(end.error)
    assert "\n" not in str(end.error)
    assert isinstance(end.error.__cause__, RuntimeError)
    assert "generation failed" in caplog.text
    monkeypatch.undo()
    again = loaded.end(loaded.service.generate(ask()))
    assert isinstance(good, Finished)
    assert isinstance(again, Finished)
    assert again.token_ids == good.token_ids
    said = tuple(token for event in events if isinstance(event, Accepted) for token in event.tokens)
    assert said == good.token_ids[: len(said)] != ()


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (CheckpointError("x.bin: damaged"), CheckpointError),
        (MemoryError(), NotEnoughMemory),
        (RuntimeError("odd\ntrace"), ModelError),
    ],
)
def test_loads_that_fail(
    listener: Listener, raised: Exception, kind: type[EngineError], monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(_spec: ModelSpec, _report: object) -> ChatModel:
        raise raised

    monkeypatch.setattr(engine.loading, "load_chat_model", load)
    asked = listener.service.load(SPEC)
    end = in_order(listener.until_end(asked), asked)[-1]
    assert isinstance(end, Failed)
    assert type(end.error) is kind
    assert "\n" not in str(end.error)


def test_closing_ends_everything_with_an_event(loaded: Listener) -> None:
    running = loaded.service.generate(ask(max_new_tokens=900, temperature=1.0))
    waiting = [loaded.service.generate(ask()), loaded.service.load(SPEC)]
    while not isinstance(loaded.events.get(timeout=WAIT_S), Accepted):
        pass
    assert loaded.service.close(timeout_s=WAIT_S)
    ends = {}
    while not loaded.events.empty():
        event = loaded.events.get()
        if isinstance(event, ENDS):
            assert event.request_id not in ends
            ends[event.request_id] = event
    assert ends.keys() == {running, *waiting}
    assert loaded.service.close(), "twice is fine"
    with pytest.raises(EngineError, match="closed"):
        loaded.service.generate(ask())
    with pytest.raises(EngineError, match="closed"):
        loaded.service.load(SPEC)


def test_closing_from_the_engine_thread_does_not_wait_for_itself(listener: Listener) -> None:
    listener.react = lambda event: None if isinstance(event, ENDS) else print(listener.service.close())
    end = listener.end(listener.service.load(SPEC))
    assert isinstance(end, Failed)
    assert isinstance(end.error, Cancelled)


def test_prompt_size(loaded: Listener) -> None:
    size = loaded.service.prompt_size(request(None, "Hi"))
    assert size is not None
    assert 0 < size.tokens < 30 < size.context_length
    with pytest.raises(PromptTooLong):
        loaded.service.prompt_size(ask("word " * 5000))
