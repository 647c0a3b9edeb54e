"""All steps of `python -m engine train` on a tiny corpus, and a run that is killed and goes on."""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from engine.errors import CheckpointError, EngineError, InvalidRequest
from engine.ngram import KatzTable
from engine.training.cli import add_arguments
from engine.training.models import Shape, blend, load_model, new_model
from engine.training.trainer import TrainingOptions

ROOT = Path(__file__).parents[3]
DIALOGUES = """\
? Hello
? Hi
? Hey there
? Good day
? Hello to you
? Greetings to you
= Hello! How can I help?

? What is the capital of France?
? Which city is the capital of France?
? Name the capital of France.
? Tell me the capital of France.
= The capital of France is Paris.
"""


def train(*arguments: object) -> None:
    """Runs one step in this process."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args([str(argument) for argument in arguments])
    args.run(args)


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer and a corpus."""
    folder = tmp_path_factory.mktemp("training")
    (folder / "text").mkdir()
    (folder / "text" / "ours.dialogues").write_text(DIALOGUES, encoding="utf-8")
    for index in range(40):
        (folder / "text" / f"{index}.py").write_text(f"def f{index}(x):\n    return x + {index}\n" * 3, "utf-8")
    source = ("--source", folder / "text", "MIT", "--conversations", 60)
    train("tokenizer", *source, "--vocab-size", 300, "--out", folder / "tokenizer")
    train("corpus", *source, "--tokenizer", folder / "tokenizer", "--validation-share", 0.3, "--out", folder / "corpus")
    return folder


def target_arguments(folder: Path, out: str, steps: int) -> list[object]:
    return [
        *("target", "--corpus", folder / "corpus", 1, "--tokenizer", folder / "tokenizer", "--shape", "1x32x2"),
        *("--positions", 256, "--steps", steps, "--rows", 4, "--window", 32, "--validate-every", 5, "--save-every", 0),
        *("--long-share", 0.1, "--learning-rate", 3e-3, "--device", "cpu", "--out", folder / out),
    ]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    state: dict[str, torch.Tensor] = torch.load(folder / "state.pt", weights_only=True)["model"]
    return state


def test_killed_and_resumed_gives_what_an_uninterrupted_run_gives(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(argument) for argument in target_arguments(folder, "killed", 20)]
    code = "import argparse, sys; from engine.training.cli import add_arguments as add; p = argparse.ArgumentParser();"
    code += "add(p); a = p.parse_args(sys.argv[1:]); a.run(a)"
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert any(line.startswith("step 10:") for line in child.stdout)
        child.kill()
    reached = torch.load(folder / "killed" / "state.pt", weights_only=True)["step"]
    assert 9 <= reached < 20

    train(*target_arguments(folder, "killed", 20))
    lines = capsys.readouterr().out
    assert "step 20:" in lines
    assert "step 5:" not in lines  # it went on, and did not begin again
    train(*target_arguments(folder, "whole", 20))
    resumed, whole = weights(folder / "killed"), weights(folder / "whole")
    assert all(resumed[name].equal(whole[name]) for name in whole)
    best = [(folder / name / "best" / "model.safetensors").read_bytes() for name in ("killed", "whole")]
    assert best[0] == best[1]


def test_a_family_from_text_to_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = folder / "corpus"
    train(*target_arguments(folder, "target", 40))
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in capsys.readouterr().out.splitlines()]
    assert losses[-1] < losses[0] - 0.5
    target = folder / "target" / "best"
    draft_arguments: list[object] = [
        *("draft", "--target", target, "--corpus", corpus, 1, "--tokenizer", target, "--shape", "1x16x2"),
        *("--positions", 256, "--steps", 10, "--rows", 4, "--window", 32, "--validate-every", 5),
        *("--learning-rate", 1e-2, "--sampled-tokens", 200, "--device", "cpu", "--out", folder / "draft"),
    ]
    train(*draft_arguments)
    assert "mean accepted length" in capsys.readouterr().out
    train(
        *("ngram", "--draft", folder / "draft" / "best", "--target", target, "--corpus", corpus),
        *("--sampled-tokens", 500, "--corpus-tokens", 10_000, "--batch", 8, "--out", folder / "family" / "ngram.npz"),
    )
    found = re.search(
        r"^([\d,]+) contexts, ([\d,]+) rows, .* MB[\s\S]*a query takes", capsys.readouterr().out, re.MULTILINE
    )
    assert found is not None
    contexts, rows = (int(number.replace(",", "")) for number in found.groups())
    assert 50 < contexts < rows == KatzTable.load(folder / "family" / "ngram.npz", 300).contexts

    train(
        "pack", "--target", target, "--draft", folder / "draft" / "best", "--name", "Tiny", "--out", folder / "family"
    )
    family = json.loads((folder / "family" / "family.json").read_text(encoding="utf-8"))
    assert family["ngram"] == "ngram.npz"
    questions = folder / "questions.jsonl"
    questions.write_text('{"question": "Hello"}\n', encoding="utf-8")
    train(
        *("report", "--family", folder / "family", "--corpus", corpus, "--questions", questions, "--prompts", 4),
        *("--bench-prompts", 1, "--out", folder / "report.md"),
    )
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert report.count("| corpus | target | 128 |") == report.count("| corpus | target | 256 |") == 1
    assert "| corpus | n-gram table |" in report
    assert "- **Hello** " in report
    modes = [line.split()[0] for line in report.splitlines() if line.endswith(" same")]
    assert modes == ["plain", "speculative", "tree", "staged", "ngram"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--shape", "1x32x2"), "give --from"),
        (("--from", "nowhere"), "not a GPT-2 checkpoint"),
        (("--shape", "1x33x2", "--tokenizer", "TOKENIZER"), "multiple of heads"),
    ],
)
def test_bad_arguments_say_what_to_do(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    given = [folder / "tokenizer" if argument == "TOKENIZER" else argument for argument in arguments]
    with pytest.raises(EngineError, match=message):
        train(
            "target", "--corpus", folder / "corpus", 1, "--steps", 1, *given, "--device", "cpu", "--out", folder / "x"
        )


def test_blend_begins_between_two_checkpoints(folder: Path) -> None:
    for seed in (1, 2):
        train(*target_arguments(folder, f"seed{seed}", 1), "--seed", seed)
    first, second = (load_model(folder / f"seed{seed}" / "best", torch.device("cpu")) for seed in (1, 2))
    expected = {n: 0.75 * a + 0.25 * b for (n, a), b in zip(first.named_parameters(), second.parameters(), strict=True)}
    blend(first, second, 0.25)
    assert all(torch.allclose(parameter, expected[name]) for name, parameter in first.named_parameters())
    still = [
        *("target", "--corpus", folder / "corpus", 1, "--from", folder / "seed1" / "best", "--steps", 1),
        *("--learning-rate", 0, "--rows", 1, "--window", 8, "--device", "cpu", "--out", folder / "blend"),
    ]
    train(*still, "--blend", folder / "seed2" / "best", 0.25)
    blended = weights(folder / "blend")
    assert all(torch.allclose(blended[name], parameter) for name, parameter in expected.items())
    with pytest.raises(InvalidRequest, match="--blend takes a folder and a number"):
        train(*still, "--blend", folder / "seed2" / "best", "half")
    other = new_model(Shape(1, 16, 2, positions=256), 300, 0, seed=0)
    with pytest.raises(InvalidRequest, match="of the same shape"):
        blend(first, other, 0.5)


def test_without_a_compiler_it_says_so_and_trains(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    train(*target_arguments(folder, "uncompiled", 1), "--compile")
    assert "no compiler found" in capsys.readouterr().out
    assert (folder / "uncompiled" / "best").is_dir()


def test_a_state_of_another_model_is_left_alone(folder: Path) -> None:
    train(*target_arguments(folder, "small", 2))
    before = (folder / "small" / "state.pt").read_bytes()
    arguments = ["1x16x2" if argument == "1x32x2" else argument for argument in target_arguments(folder, "small", 4)]
    with pytest.raises(CheckpointError, match="another model"):
        train(*arguments)
    assert (folder / "small" / "state.pt").read_bytes() == before
    shutil.rmtree(folder / "small")


def test_the_learning_rate_rises_stays_and_falls() -> None:
    options = TrainingOptions(steps=100, learning_rate=1.0, warmup_steps=10, decay_share=0.5)
    rates = [options.rate(step) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert rates[20] == rates[49] == 1.0
    assert rates[75] == pytest.approx(0.5)
    assert min(rates) == rates[-1] or rates[-1] == pytest.approx(0.02)


def test_long_windows_come_last() -> None:
    options = TrainingOptions(steps=100, rows=16, window=128, long_share=0.1)
    assert options.batch_shape(89, context=1024) == (16, 128)
    assert options.batch_shape(91, context=1024) == (2, 1024)
