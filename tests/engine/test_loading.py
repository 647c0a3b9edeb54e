"""Families on disk: what belongs together is loaded, what does not is refused with the reason."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.chat_model import ChatModel
from engine.checkpoint import GPT2Config
from engine.config import ChatFormatKind, DecodingConfig, DecodingMode, ModelSpec
from engine.errors import Cancelled, CheckpointError, DeviceError, EngineError, IncompatibleDraft, InvalidRequest
from engine.family import find_family
from engine.loading import load_chat_model
from tests.engine.support import BUILTIN, answer, eager, katz_arrays, random_weights, request, write_checkpoint

VOCAB = 8192
SMALL = GPT2Config(VOCAB, n_positions=64, n_embd=8, n_layer=1, n_head=2, n_inner=16, eos_token_id=0)


def model_folder(folder: Path, config: GPT2Config = SMALL) -> Path:
    """A small random model with the built-in tokenizer."""
    write_checkpoint(folder, config)
    shutil.copy(BUILTIN / "target" / "tokenizer.json", folder)
    return folder


def load(dtype: str = "float32", **spec: object) -> ChatModel:
    return load_chat_model(ModelSpec(dtype=dtype, device="cpu", threads=1, **spec), lambda *_: None)  # type: ignore[arg-type]


def refused(kind: type[EngineError], *parts: str, **spec: object) -> None:
    with pytest.raises(kind) as caught:
        load(**spec)
    assert "\n" not in str(caught.value)
    for part in parts:
        assert part in str(caught.value)


def test_a_bare_folder_is_a_family_without_helpers(tmp_path: Path) -> None:
    model = load(target=model_folder(tmp_path / "alone"))
    assert model.draft is None
    assert model.info.draft is model.info.ngram is None
    for mode in (DecodingMode.PLAIN, DecodingMode.STAGED, DecodingMode.NGRAM):
        assert answer(model, request("Hi", mode=mode, max_new_tokens=4)).statistics.new_tokens > 0
    with pytest.raises(InvalidRequest, match="needs a draft model"):
        answer(model, request("Hi", mode=DecodingMode.TREE))


def test_no_end_of_text_token_and_an_ngram_hit(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    del config["eos_token_id"]
    (folder / "config.json").write_text(json.dumps(config))
    model = load(target=folder)
    for mode in (DecodingMode.NGRAM, DecodingMode.STAGED):
        found = answer(model, request("one two three one two three one two", mode=mode, max_new_tokens=30))
        assert found.statistics.new_tokens == 30


def test_a_draft_chosen_by_hand(tmp_path: Path) -> None:
    model = load(target=model_folder(tmp_path / "target"), draft=model_folder(tmp_path / "draft"))
    assert model.info.draft == tmp_path / "draft"
    assert answer(model, request("Hi", mode=DecodingMode.TREE, max_new_tokens=4)).statistics.new_tokens > 0


def test_another_vocabulary_is_refused_with_the_reason(tmp_path: Path) -> None:
    draft = model_folder(tmp_path / "draft")
    raw = json.loads((draft / "tokenizer.json").read_text())
    first, second = [token for token in raw["model"]["vocab"] if len(token) > 3][:2]
    vocabulary = raw["model"]["vocab"]
    vocabulary[first], vocabulary[second] = vocabulary[second], vocabulary[first]
    (draft / "tokenizer.json").write_text(json.dumps(raw))
    refused(IncompatibleDraft, "not the target's vocabulary", target=model_folder(tmp_path / "t"), draft=draft)


def test_a_smaller_vocabulary_is_refused_with_the_numbers(tmp_path: Path) -> None:
    draft = write_checkpoint(tmp_path / "draft", GPT2Config(100, 64, 8, 1, 2, 16))
    refused(IncompatibleDraft, "100 tokens, the target has 8192", target=model_folder(tmp_path / "t"), draft=draft)


def test_a_table_of_another_vocabulary_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "table.npz", **katz_arrays(20))
    refused(IncompatibleDraft, "vocabulary of 20", target=model_folder(tmp_path / "t"), ngram=tmp_path / "table.npz")


def test_rows_beyond_the_tokenizer_are_never_chosen(tmp_path: Path) -> None:
    """A vocabulary padded in the configuration too: such tokens have no text."""
    config = GPT2Config(VOCAB + 64, 64, 8, 1, 2, 16, eos_token_id=0)
    tensors = random_weights(config)
    tensors["wte.weight"][VOCAB:] *= 50
    write_checkpoint(tmp_path, config, tensors)
    shutil.copy(BUILTIN / "target" / "tokenizer.json", tmp_path)
    model = load(target=tmp_path)
    assert model.info.vocab_size == VOCAB
    found = answer(model, request("Hello there", max_new_tokens=40, temperature=5.0))
    assert max(found.token_ids) < VOCAB


@pytest.mark.parametrize(
    ("family", "reason"),
    [
        ({}, "'target' is missing"),
        ({"target": 5}, "'target' must be a text"),
        ({"target": "gone"}, "config.json: file not found"),
        ({"target": "t", "draft": "gone"}, "config.json: file not found"),
        ({"target": "t", "ngram": "gone.npz"}, "not an n-gram table"),
        ({"target": "t", "chat_format": "x"}, "'chat_format' must be an object"),
    ],
    ids=str,
)
def test_broken_families(tmp_path: Path, family: dict[str, object], reason: str) -> None:
    model_folder(tmp_path / "t")
    (tmp_path / "family.json").write_text(json.dumps(family))
    refused(CheckpointError, reason, target=tmp_path)


def test_no_such_folder(tmp_path: Path) -> None:
    refused(CheckpointError, "no such folder", "builtin", target=tmp_path / "nowhere")
    (tmp_path / "file").touch()
    refused(CheckpointError, "no such folder", target=tmp_path / "file")


@pytest.mark.parametrize("device", ["cuda", "cuda:7", "tpu", ""])
def test_devices_that_are_not_here(device: str) -> None:
    if device == "cuda" and torch.cuda.is_available():
        return
    with pytest.raises(DeviceError, match="not available"):
        load_chat_model(ModelSpec(device=device, dtype="float32"), lambda *_: None)


def test_a_bare_folder_may_have_a_chat_format(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    (folder / "chat_format.json").write_text(json.dumps({"kind": "eos"}))
    assert find_family(ModelSpec(folder)).chat_format.kind is ChatFormatKind.EOS


@pytest.mark.parametrize("stage", [0, 1, 3])
def test_loading_can_be_cancelled_between_any_two_steps(stage: int) -> None:
    calls = []

    def report(progress: float, _stage: str) -> None:
        calls.append(progress)
        if len(calls) == stage + 1:
            raise Cancelled

    with pytest.raises(Cancelled):
        load_chat_model(ModelSpec(dtype="float32", threads=1), report)
    assert len(calls) == stage + 1


def test_automatic_choices_say_why(float32_model: ChatModel) -> None:
    assert float32_model.info.dtype_reason == "chosen in the settings"
    model = load_chat_model(ModelSpec(threads=1, device="auto"), lambda *_: None)
    assert model.info.dtype in ("float32", "bfloat16", "float16", "int8")
    assert "ms" in model.info.dtype_reason or model.info.device != "cpu"


@pytest.mark.parametrize("name", ["float32_model", "bfloat16_model", "float16_model", "int8_model"])
def test_what_is_promised_and_measured(name: str, request: pytest.FixtureRequest) -> None:
    model: ChatModel = request.getfixturevalue(name)
    assert model.info.exact is (name != "float32_model")
    assert model.info.plain_tokens_per_s > 0
    costs = model.planner.target
    assert costs.widths == sorted(set(costs.widths))
    assert set(costs.widths) <= set(model.target.widths)
    assert costs.widths[-1] <= model.target.max_tree


def test_a_useless_draft_falls_back_to_plain(tmp_path: Path, float32_model: ChatModel) -> None:
    """The draft is slower than the target and random: most rounds go without it, and the text is plain's."""
    shutil.copytree(BUILTIN / "draft", tmp_path / "target")
    slow = model_folder(tmp_path / "draft", GPT2Config(VOCAB, 1024, 256, 6, 4, 1024, eos_token_id=0))
    model = load(target=tmp_path / "target", draft=slow)
    plain = answer(model, request("User: Hi\nAssistant:", max_new_tokens=300, temperature=1.0))
    found = answer(model, request("User: Hi\nAssistant:", mode=DecodingMode.TREE, max_new_tokens=300, temperature=1.0))
    assert found.token_ids == plain.token_ids
    assert found.statistics.draft_passes < found.statistics.target_passes / 2
    assert float32_model.info.vocab_size == VOCAB


@pytest.mark.parametrize("on", [True, False])
def test_stage_2_is_a_switch(float32_model: ChatModel, on: bool) -> None:
    asked = request("User: Hi\nAssistant:", max_new_tokens=30)
    decoding = DecodingConfig(DecodingMode.STAGED, use_ngram=on)
    found = answer(eager(float32_model), replace(asked, decoding=decoding))
    assert found.token_ids == answer(float32_model, asked).token_ids
    assert (found.statistics.proposed_ngram > 0) is on
