"""The benchmark on the built-in family: few prompts, few tokens, real passes. Speeds are not asserted."""

import json
from pathlib import Path

import pytest
import torch

from engine.__main__ import main
from engine.bench import shape, transformers_baseline
from engine.bench.prompts import read_prompts
from engine.bench.report import baseline_table, table
from engine.bench.run import ModeResult, SamplingResult
from engine.bench.transformers_baseline import Setting, run_transformers
from engine.chat_model import ChatModel
from engine.checkpoint import GPT2Config
from engine.config import DecodingMode
from engine.stats import PHASES, Statistics
from tests.engine.support import answer, request

TINY = GPT2Config(vocab_size=97, n_positions=1024, n_embd=32, n_layer=2, n_head=2, n_inner=128)
BENCH = ["bench", "--threads", "1", "--dtype", "float32", "--prompts", "chat", "--limit", "1", "--max-new-tokens", "6"]


def test_all_modes_in_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    assert main([*BENCH, "--sampling", "greedy", "top-k 50", "--json", str(file)]) == 0
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert [result["sampling"] for result in figures["results"]] == ["greedy", "top-k 50"]
    for result in figures["results"]:
        modes = {mode["mode"]: mode for mode in result["modes"]}
        assert set(modes) == set(DecodingMode)
        assert all(not mode["diverged"] for mode in modes.values())
        assert modes["plain"]["speedup"] == 1
        assert modes["plain"]["statistics"]["draft_passes"] == 0
        assert len({mode["statistics"]["new_tokens"] for mode in modes.values()}) == 1
    assert "staged" in capsys.readouterr().out


def test_plain_is_measured_even_when_not_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    assert main([*BENCH, "--sampling", "greedy", "--modes", "ngram", "--json", str(file)]) == 0
    modes = json.loads(file.read_text(encoding="utf-8"))["results"][0]["modes"]
    assert [mode["mode"] for mode in modes] == ["plain", "ngram"]


def test_prompts_are_spread_over_their_set() -> None:
    every, few = read_prompts(["chat"], None), read_prompts(["chat"], 4)
    assert len(every) == 40
    assert [prompt.name for prompt in few] == ["chat/0", "chat/10", "chat/20", "chat/30"]


@pytest.mark.parametrize("wrong", [["--limit", "0"], ["--max-new-tokens", "0"]])
def test_wrong_numbers_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *wrong]) == 2
    assert capsys.readouterr().err.startswith("error: --max-new-tokens and --limit must be 1 or more")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "missing" / "figures.json"
    assert main([*BENCH, "--sampling", "greedy", "--modes", "plain", "--json", str(file)]) == 2
    assert str(file) in capsys.readouterr().err


def _statistics(tokens: int, seconds: float) -> Statistics:
    return Statistics(new_tokens=tokens, target_passes=tokens, seconds=(seconds, *[0.0] * (len(PHASES) - 1)))


def test_the_table_divides_by_plain_and_names_differing_texts() -> None:
    plain = ModeResult(DecodingMode.PLAIN, _statistics(10, 2.0), [1.0], [0.5])
    staged = ModeResult(DecodingMode.STAGED, _statistics(10, 0.8), [2.0, 3.0], [0.25, 0.75], ["chat/3"])
    lines = table([SamplingResult("greedy", [plain, staged])]).splitlines()
    assert lines[2].split()[:3] == ["plain", "5.0", "1.00x"]
    assert lines[3].split()[:4] == ["staged", "12.5", "2.50x", "2.50"]
    assert "(2.00-3.00)" in lines[3]
    assert lines[3].endswith("0.500 s      1 differ")


def test_shape_measures_each_precision_context_and_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(shape.SHAPES, "tiny", TINY)
    times = list(shape.measure_shape("tiny", ["float32", "bfloat16"]))
    assert {(t.dtype, t.context, t.rows) for t in times} == {
        (dtype, context, rows) for dtype in ("float32", "bfloat16") for context in shape.CONTEXTS for rows in shape.ROWS
    }
    assert all(t.seconds > 0 for t in times)
    text = shape.shape_table("tiny", times, 10e9)
    assert len(text.splitlines()) == 2 + 2 * len(shape.CONTEXTS)


def test_a_random_checkpoint_has_every_tensor_of_the_shape() -> None:
    checkpoint = shape.random_checkpoint(TINY)
    assert checkpoint.tensor("h.1.mlp.c_fc.weight").shape == torch.Size([32, 128])


def test_transformers_answers_the_same_prompts(float32_model: ChatModel, monkeypatch: pytest.MonkeyPatch) -> None:
    one_thread = Setting(torch.float32, 1, torch.device("cpu"))
    monkeypatch.setattr(transformers_baseline, "_fastest_setting", lambda *_: one_thread)
    prompt = float32_model.writer.tokenizer.encode("User: Hello!\nAssistant:")
    threads = torch.get_num_threads()
    results = run_transformers(float32_model, [prompt], max_new_tokens=8)
    assert torch.get_num_threads() == threads
    assert [result.name.removeprefix("transformers ") for result in results] == ["plain", "assisted", "prompt lookup"]
    plain = answer(float32_model, request("User: Hello!\nAssistant:", max_new_tokens=8)).token_ids
    for result in results:
        assert result.token_ids == [plain]
        assert result.tokens == len(plain) - 1, "the first token comes with prefill"
        assert 0 < result.tokens_per_s < 1e6
    assert "float32, cpu, 1 threads" in baseline_table(results)


def test_the_fastest_setting_is_one_of_those_in_question(float32_model: ChatModel) -> None:
    threads = torch.get_num_threads()
    try:
        found = transformers_baseline._fastest_setting(float32_model, [1, 2, 3])
    finally:
        torch.set_num_threads(threads)
    assert found.dtype in (torch.float32, torch.bfloat16)
    assert found.threads >= 1
