"""Chat and single answers in a terminal, over the engine thread."""

from __future__ import annotations

import argparse
import json
import queue
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.config import (
    BUILTIN,
    DTYPES,
    ChatMessage,
    DecodingConfig,
    DecodingMode,
    ModelSpec,
    Role,
    SamplingParams,
)
from engine.errors import EngineError, InvalidRequest
from engine.events import Accepted, Event, Failed, Finished, GenerationRequest, Loading, ModelInfo, Prefilled, Ready
from engine.service import EngineService
from engine.stats import PHASES, Statistics

if TYPE_CHECKING:
    from argparse import _SubParsersAction

CHAT_SAMPLING = SamplingParams(temperature=0.7, top_k=50, top_p=0.95, repetition_penalty=1.1)
"""What `chat` uses where nothing else is asked for; `generate` is greedy by default."""

CHAT_HELP = """\
/mode [NAME]   show or change the decoding mode
/stats         figures of the last answer
/seed [N]      show or set the seed of the next answers; /seed random draws one each time
/new           start a new conversation
/help          this text
/quit          leave (Ctrl+D too); Ctrl+C stops an answer"""


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Options that say what to load and where."""
    parser.add_argument("--model", default=BUILTIN, help="folder, or an id of `models list` (default: builtin)")
    parser.add_argument("--draft", help="folder of a draft checkpoint (default: the family's own)")
    parser.add_argument("--dtype", default="auto", choices=DTYPES, help="precision (default: the fastest here)")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda, cuda:1, mps (default: auto)")
    parser.add_argument("--threads", type=int, help="threads on the CPU (default: one for each core)")


def model_spec(options: argparse.Namespace) -> ModelSpec:
    """The `ModelSpec` of the options of `add_model_arguments`. Raises LibraryError for a model that is not here."""
    target: str | Path = options.model
    if target != BUILTIN and not Path(target).is_dir():
        from engine.library.library import Library  # the HTTP library behind it takes a moment to import

        target = Library().folder_to_load(options.model)
    return ModelSpec(target, options.draft, None, options.dtype, options.device, options.threads)


def _add_answer_arguments(parser: argparse.ArgumentParser, defaults: SamplingParams) -> None:
    add_model_arguments(parser)
    modes = [str(mode) for mode in DecodingMode]
    parser.add_argument("--mode", default="staged", choices=modes, help="decoding mode (default: staged)")
    numbers: tuple[tuple[str, type, str], ...] = (
        ("max_new_tokens", int, "longest answer in tokens"),
        ("temperature", float, "0 is greedy"),
        ("top_k", int, "0 is off"),
        ("top_p", float, "1 is off"),
        ("repetition_penalty", float, "1 is off"),
    )
    for name, kind, meaning in numbers:
        default = getattr(defaults, name)
        parser.add_argument(
            "--" + name.replace("_", "-"), type=kind, default=default, help=f"{meaning} (default: {default})"
        )
    parser.add_argument("--seed", type=int, help="same seed, same text, in every mode (default: drawn and shown)")


def _sampling(options: argparse.Namespace) -> SamplingParams:
    return SamplingParams(
        temperature=options.temperature,
        top_k=options.top_k,
        top_p=options.top_p,
        repetition_penalty=options.repetition_penalty,
        seed=options.seed,
        max_new_tokens=options.max_new_tokens,
    )


class Client:
    """Talks to the engine thread from a program that may block."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.service = EngineService(self._events.put)

    def load(self, spec: ModelSpec, show: Callable[[Loading], None]) -> ModelInfo:
        """Load a model. Raises what the engine's `Failed` carries."""
        request_id = self.service.load(spec)
        for event in self._until_end(request_id):
            if isinstance(event, Loading):
                show(event)
            elif isinstance(event, Ready):
                return event.model
        raise AssertionError("a load ends with Ready or Failed")

    def generate(self, request: GenerationRequest) -> Iterator[Event]:
        """The events of an answer. Raises what `Failed` carries; Ctrl+C cancels, and `Finished` still comes."""
        yield from self._until_end(self.service.generate(request))

    def close(self) -> None:
        """End the engine thread."""
        self.service.close()

    def _until_end(self, request_id: int) -> Iterator[Event]:
        with self._cancelled_by_ctrl_c(request_id):
            while True:
                event = self._events.get()
                if event.request_id != request_id:
                    continue
                if isinstance(event, Failed):
                    raise event.error
                yield event
                if isinstance(event, Finished | Ready):
                    return

    @contextmanager
    def _cancelled_by_ctrl_c(self, request_id: int) -> Iterator[None]:
        """Ctrl+C cancels the request, whatever the program is doing when it is typed."""
        before = signal.signal(signal.SIGINT, lambda *_: self.service.cancel(request_id))
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _show_loading(event: Loading) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{event.progress:4.0%} {event.stage}", end="", file=sys.stderr, flush=True)


def _load(options: argparse.Namespace) -> tuple[Client, ModelInfo]:
    client = Client()
    try:
        info = client.load(model_spec(options), _show_loading)
    finally:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
    return client, info


def add_generate_command(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """`generate`: one answer to one prompt."""
    parser = commands.add_parser("generate", help="one answer to one prompt")
    _add_answer_arguments(parser, SamplingParams())
    parser.add_argument("--prompt", help="the message (default: what comes on standard input)")
    parser.add_argument("--raw", action="store_true", help="continue the text as it is, without a chat format")
    parser.add_argument("--json", action="store_true", help="print one object with text, token ids and statistics")
    parser.set_defaults(run=run_generate)


def run_generate(options: argparse.Namespace) -> int:
    """Print an answer as it grows, or one JSON object."""
    decoding = DecodingConfig(mode=DecodingMode(options.mode))
    sampling = _sampling(options)
    prompt = options.prompt if options.prompt is not None else sys.stdin.read().removesuffix("\n")
    if not prompt.strip():
        raise InvalidRequest("the prompt is empty; give one with --prompt or on standard input")
    message = ChatMessage(Role.USER, prompt)
    request = (
        GenerationRequest(prompt=prompt, sampling=sampling, decoding=decoding)
        if options.raw
        else GenerationRequest(messages=(message,), sampling=sampling, decoding=decoding)
    )
    client, _ = _load(options)
    try:
        for event in client.generate(request):
            if isinstance(event, Accepted) and not options.json:
                print(event.text, end="", flush=True)
            elif isinstance(event, Finished):
                print(json.dumps(answer_json(event, options.mode), ensure_ascii=False) if options.json else "")
                if sampling.seed is None and sampling.temperature > 0 and not options.json:
                    print(f"seed {event.seed}", file=sys.stderr)  # what gives this answer again
    finally:
        client.close()
    return 0


def answer_json(event: Finished, mode: str) -> dict[str, object]:
    """An answer as one object, with its counters and the rates derived from them."""
    return {
        "text": event.text,
        "token_ids": list(event.token_ids),
        "stop_reason": str(event.reason),
        "seed": event.seed,
        "mode": mode,
        "statistics": statistics_json(event.statistics),
    }


def statistics_json(statistics: Statistics) -> dict[str, object]:
    """Counters, seconds by phase, and every derived rate (None where nothing was counted)."""
    rates = [name for name in dir(Statistics) if isinstance(getattr(Statistics, name), property)]
    counters = asdict(statistics) | {"seconds": dict(zip(PHASES, statistics.seconds, strict=True))}
    return counters | {name: getattr(statistics, name) for name in rates}


def add_chat_command(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """`chat`: a conversation."""
    parser = commands.add_parser("chat", help="a conversation", epilog=CHAT_HELP)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    _add_answer_arguments(parser, CHAT_SAMPLING)
    parser.set_defaults(run=run_chat)


def run_chat(options: argparse.Namespace) -> int:
    """Talk until the end of input."""
    sampling, decoding = _sampling(options), DecodingConfig(mode=DecodingMode(options.mode))
    client, info = _load(options)
    print(f"{info.name} on {info.device} in {info.dtype}, {decoding.mode} decoding. /help lists the commands.")
    try:
        Conversation(client, info, sampling, decoding).run()
    finally:
        client.close()
    return 0


@dataclass
class Conversation:
    """The state of a terminal chat."""

    client: Client
    info: ModelInfo
    sampling: SamplingParams
    decoding: DecodingConfig
    messages: tuple[ChatMessage, ...] = ()
    last: Finished | None = None

    def run(self) -> None:
        """Read lines and answer them."""
        while True:
            try:
                line = input("\n> ").strip()
            except EOFError:
                print()
                return
            except KeyboardInterrupt:
                print("\n(/quit or Ctrl+D leaves)")
                continue
            if line == "/quit":
                return
            try:
                if line.startswith("/"):
                    self._command(*line[1:].split())
                elif line:
                    self._answer(line)
            except EngineError as error:
                print(f"error: {error}")

    def _answer(self, line: str) -> None:
        messages = (*self.messages, ChatMessage(Role.USER, line))
        request = GenerationRequest(messages=messages, sampling=self.sampling, decoding=self.decoding)
        for event in self.client.generate(request):
            if isinstance(event, Prefilled) and event.dropped_turns:
                print(f"(the context is full: the {event.dropped_turns} oldest turns are no longer seen)")
            elif isinstance(event, Accepted):
                print(event.text, end="", flush=True)
            elif isinstance(event, Finished):
                self.last = event
                self.messages = (*messages, ChatMessage(Role.ASSISTANT, event.text))
                print(f"\n[{summary(event.statistics)}, seed {event.seed}, {event.reason}]")

    def _command(self, name: str = "help", value: str | None = None, *_: str) -> None:
        if name == "mode":
            self._set_mode(value)
        elif name == "seed":
            self._set_seed(value)
        elif name == "stats":
            print(report(self.last.statistics) if self.last is not None else "no answer yet")
        elif name == "new":
            self.messages = ()
            print("a new conversation")
        else:
            print(CHAT_HELP)

    def _set_mode(self, value: str | None) -> None:
        if value is not None:
            if value not in list(DecodingMode):
                raise InvalidRequest(f"no mode {value!r}; choose from {', '.join(DecodingMode)}")
            self.decoding = replace(self.decoding, mode=DecodingMode(value))
        print(f"{self.decoding.mode}: {self.decoding.mode.summary}")

    def _set_seed(self, value: str | None) -> None:
        if value == "random":
            self.sampling = replace(self.sampling, seed=None)
        elif value is not None:
            if not value.isdecimal():
                raise InvalidRequest("a seed is a whole number, or 'random'")
            self.sampling = replace(self.sampling, seed=int(value))
        print(f"seed: {'drawn for each answer' if self.sampling.seed is None else self.sampling.seed}")


def _figure(value: float | None, pattern: str) -> str:
    return pattern.format(value) if value is not None else "–"


def summary(statistics: Statistics) -> str:
    """One line under an answer."""
    speed = _figure(statistics.tokens_per_s, "{:.1f} tokens/s")
    return f"{statistics.new_tokens} tokens, {speed}, {_figure(statistics.speedup, '{:.2f}x plain')}"


def report(statistics: Statistics) -> str:
    """All figures of an answer, a line each."""
    draft = f"{statistics.accepted_draft} of {statistics.proposed_draft}"
    ngram = f"{statistics.accepted_ngram} of {statistics.proposed_ngram}"
    cached = f"{statistics.cached_tokens} of {statistics.prompt_tokens} tokens were cached"
    shares = zip(PHASES, statistics.seconds, strict=True)
    lines = [
        summary(statistics),
        f"mean accepted length   {_figure(statistics.mean_accepted_length, '{:.2f} tokens per target pass')}",
        f"acceptance, draft      {_figure(statistics.draft_acceptance_rate, '{:.0%}')} ({draft})",
        f"acceptance, n-gram     {_figure(statistics.ngram_acceptance_rate, '{:.0%}')} ({ngram})",
        f"passes                 {statistics.target_passes} of the target, {statistics.draft_passes} of the draft",
        f"relative bytes read    {_figure(statistics.relative_bytes_read, '{:.2f}')}",
        "time                   " + ", ".join(f"{name} {seconds * 1e3:.0f} ms" for name, seconds in shares),
        f"prefill                {statistics.prefill_s * 1e3:.0f} ms, {cached}",
    ]
    return "\n".join(lines)
