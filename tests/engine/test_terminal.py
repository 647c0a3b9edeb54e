"""`python -m engine`: what is typed reaches the engine, and what is wrong is one line and status 2."""

import io
import itertools
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import engine.loading
from engine.__main__ import main
from engine.chat_model import ChatModel
from engine.config import DecodingMode, ModelSpec
from tests.engine.support import CHAT, answer, eager, request

ROOT = Path(__file__).resolve().parent.parent.parent
FAST = ["--dtype", "float32", "--threads", "1", "--device", "cpu"]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command -> status, standard output, standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            status = main(arguments)
        except SystemExit as exit_:
            status = int(exit_.code or 0)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def specs(float32_model: ChatModel, monkeypatch: pytest.MonkeyPatch) -> list[ModelSpec]:
    """What was asked to be loaded; what is loaded is the model that the other tests have too."""
    asked: list[ModelSpec] = []

    def load(spec: ModelSpec, _report: object) -> ChatModel:
        asked.append(spec)
        return eager(float32_model)

    monkeypatch.setattr(engine.loading, "load_chat_model", load)
    return asked


def generated(run: Run, *arguments: str) -> dict[str, object]:
    """The object of `generate --json`."""
    status, out, err = run("generate", "--json", *arguments)
    assert (status, err) == (0, "")
    found: dict[str, object] = json.loads(out)
    assert out.count("\n") == 1
    return found


@pytest.mark.usefixtures("specs")
@pytest.mark.parametrize("mode", DecodingMode)
def test_json_of_every_mode(run: Run, mode: DecodingMode, float32_model: ChatModel) -> None:
    """The flag reaches the engine: the counters show who was at work."""
    found = generated(run, "--mode", mode, "--prompt", "Do you like music?", "--max-new-tokens", "20", "--seed", "7")
    assert found.keys() == {"text", "token_ids", "stop_reason", "seed", "mode", "statistics"}
    assert (found["mode"], found["seed"]) == (mode, 7)
    statistics = found["statistics"]
    assert isinstance(statistics, dict)
    assert (statistics["draft_passes"] > 0) is mode.uses_draft
    assert (statistics["proposed_ngram"] > 0) is mode.uses_ngram
    assert statistics["new_tokens"] == len(found["token_ids"])  # type: ignore[arg-type]
    assert {"tokens_per_s", "speedup", "acceptance_rate", "mean_accepted_length", "relative_bytes_read"} <= set(
        statistics
    )
    plain = answer(float32_model, request(None, "Do you like music?", max_new_tokens=20))
    assert (found["token_ids"], found["text"]) == (list(plain.token_ids), plain.text)


@pytest.mark.usefixtures("specs")
def test_sampling_flags_reach_the_engine(run: Run, float32_model: ChatModel) -> None:
    values = {**CHAT, "temperature": 0.9, "repetition_penalty": 1.4, "seed": 11, "max_new_tokens": 20}
    flags = [text for name, value in values.items() for text in ("--" + name.replace("_", "-"), str(value))]
    prompt = "User: Hi, how are you? Are you well?\nAssistant:"
    expected = list(answer(float32_model, request(prompt, **values)).token_ids)
    assert generated(run, "--raw", "--prompt", prompt, *flags)["token_ids"] == expected
    for changed in (["--seed", "12"], ["--temperature", "0"], ["--top-k", "1"], ["--repetition-penalty", "1"]):
        assert generated(run, "--raw", "--prompt", prompt, *flags, *changed)["token_ids"] != expected


def test_model_flags_reach_the_engine(run: Run, specs: list[ModelSpec], tmp_path: Path) -> None:
    flags = ["--model", str(tmp_path), "--draft", "d", "--dtype", "bfloat16", "--device", "cpu", "--threads", "3"]
    generated(run, "--prompt", "Hi", "--max-new-tokens", "1", *flags)
    assert specs == [ModelSpec(str(tmp_path), "d", None, "bfloat16", "cpu", 3)]


@pytest.mark.usefixtures("specs")
def test_text_is_printed_as_it_is(run: Run) -> None:
    found = generated(run, "--prompt", "Hello!", "--max-new-tokens", "15")
    status, out, err = run("generate", "--prompt", "Hello!", "--max-new-tokens", "15")
    assert (status, out, err) == (0, f"{found['text']}\n", "")


@pytest.mark.usefixtures("specs")
def test_a_drawn_seed_is_told_beside_the_text_and_gives_it_again(run: Run) -> None:
    sampled = ("generate", "--prompt", "Hello!", "--max-new-tokens", "15", "--temperature", "1")
    status, out, err = run(*sampled)
    assert status == 0
    said, seed = err.split()
    assert said == "seed"
    assert run(*sampled, "--seed", seed) == (0, out, "")


@pytest.mark.usefixtures("specs")
def test_prompts_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("Hello!\n"))
    assert generated(run, "--max-new-tokens", "5") | {"statistics": 0} == generated(
        run, "--prompt", "Hello!", "--max-new-tokens", "5", "--seed", "0"
    ) | {"statistics": 0, "seed": ANY}


class _Any:
    def __eq__(self, _other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


ANY = _Any()


def wrong(run: Run, *arguments: str) -> str:
    """The one line about it."""
    status, out, err = run(*arguments)
    assert status == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.usefixtures("specs")
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--prompt", ""], "prompt is empty"),
        (["--prompt", " \n"], "prompt is empty"),
        (["--raw", "--prompt", "word " * 5000], "the context 1024"),
        (["--prompt", "word " * 5000], "the context 1024"),
        (["--prompt", "x", "--max-new-tokens", "0"], "max_new_tokens must be"),
        (["--prompt", "x", "--max-new-tokens", "-3"], "max_new_tokens must be"),
        (["--prompt", "x", "--max-new-tokens", "many"], "--max-new-tokens"),
        (["--prompt", "x", "--temperature", "-1"], "temperature must be"),
        (["--prompt", "x", "--temperature", "nan"], "temperature must be"),
        (["--prompt", "x", "--top-p", "2"], "top_p must be"),
        (["--prompt", "x", "--mode", "magic"], "invalid choice: 'magic'"),
        (["--prompt", "x", "--seed", "-1"], "seed must be"),
        (["--prompt", "x", "--threads", "0"], "threads must be"),
        (["--prompt", "x", "--dtype", "float7"], "invalid choice"),
        (["--prompt", "x", "--nothing"], "--nothing"),
    ],
)
def test_bad_input(run: Run, arguments: list[str], reason: str) -> None:
    assert reason in wrong(run, "generate", *arguments)


@pytest.mark.parametrize("command", [[], ["dance"], ["bench", "--limit", "0"], ["bench", "--max-new-tokens", "0"]])
def test_bad_commands(run: Run, command: list[str]) -> None:
    wrong(run, *command)


def test_bad_models(run: Run, tmp_path: Path) -> None:
    ask = ["generate", "--prompt", "x", "--model"]
    assert "config.json" in wrong(run, *ask, str(tmp_path))
    (tmp_path / "config.json").write_bytes(b"")
    assert "config.json" in wrong(run, *ask, str(tmp_path))
    wrong(run, *ask, str(tmp_path / "nowhere"))
    assert "'cuda:9'" in wrong(run, "generate", "--prompt", "x", "--device", "cuda:9")


def test_a_local_model_needs_no_network(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real load, with every way out of the machine blocked."""

    def blocked(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, blocked)
    for name in ("getaddrinfo", "create_connection"):
        monkeypatch.setattr(socket, name, blocked)
    assert generated(run, *FAST, "--prompt", "Hi", "--max-new-tokens", "3")["token_ids"]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """What a person types in `chat`; an exception is raised as if by a key."""

    def type_lines(*lines: str | BaseException) -> None:
        left: Iterator[str | BaseException] = itertools.chain(lines, [EOFError()])

        def read(_prompt: str = "") -> str:
            line = next(left)
            if isinstance(line, BaseException):
                raise line
            return line

        monkeypatch.setattr("builtins.input", read)

    return type_lines


@pytest.mark.usefixtures("specs")
def test_a_chat(run: Run, typed: Callable[..., None]) -> None:
    typed("/stats", "/mode tree", "/seed 5", "Hello!", "/stats", "How are you?", "/new", "/quit")
    status, out, err = run("chat", "--max-new-tokens", "12")
    assert (status, err) == (0, "")
    assert "no answer yet" in out
    assert "tree: " in out
    assert out.count("seed 5,") == 2
    assert "mean accepted length" in out
    assert "passes of the draft" not in out


@pytest.mark.usefixtures("specs")
def test_a_chat_goes_on_after_mistakes_and_ctrl_c(run: Run, typed: Callable[..., None]) -> None:
    typed("/mode magic", "/seed x", "word " * 3000, KeyboardInterrupt(), "/what", "", "Hello!")
    status, out, _ = run("chat", "--max-new-tokens", "3")
    assert status == 0
    assert out.count("error: ") == 3
    assert "no mode 'magic'" in out
    assert "Ctrl+D leaves" in out
    assert "seed" in out.splitlines()[-2]


def test_ctrl_c_stops_the_answer_and_not_the_program(tmp_path: Path) -> None:
    """A real terminal program and a real signal, sent when the answer has begun."""
    code = (
        "import os, signal, sys\n"
        "from engine import terminal\n"
        "from engine.__main__ import main\n"
        "from engine.events import Accepted\n"
        "receive = terminal.Client._until_end\n"
        "def until_end(self, request_id):\n"
        "    for event in receive(self, request_id):\n"
        "        yield event\n"
        "        if isinstance(event, Accepted) and event.round.index == 3:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "terminal.Client._until_end = until_end\n"
        f"sys.exit(main(['chat', '--max-new-tokens', '900', '--seed', '1', '--mode', 'plain', *{FAST!r}]))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        input="for i in range(100): print i, and tell me all about it\n/seed\n",
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = re.search(r"\[(\d+) tokens.*seed 1, cancelled\]", done.stdout)
    assert told is not None, done.stdout
    assert 4 <= int(told[1]) < 200
    assert "seed: 1" in done.stdout


def test_as_a_program(tmp_path: Path) -> None:
    """Status and streams of the real thing: one line of error, no trace."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "engine", "generate", "--prompt", "x", "--temperature", "-1"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: temperature must be from 0 to 100\n"
