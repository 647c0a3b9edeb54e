"""Checkpoints in all their forms, and the errors of those that are not whole: file, key, and what was expected."""

import contextlib
import json
import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from engine.checkpoint import GPT2Config, open_checkpoint, read_config
from engine.errors import CheckpointError
from tests.engine.support import config_json, random_weights, write_checkpoint

SHAPE = GPT2Config(vocab_size=50, n_positions=16, n_embd=8, n_layer=2, n_head=2, n_inner=32)

Tensors = dict[str, torch.Tensor]


def write_config(folder: Path, **changes: object) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config_json(SHAPE, **changes)))


def as_safetensors(folder: Path, tensors: Tensors) -> None:
    save_file(tensors, folder / "model.safetensors")


def as_pickle(folder: Path, tensors: Tensors) -> None:
    torch.save(tensors, folder / "pytorch_model.bin")


def as_old_pickle(folder: Path, tensors: Tensors) -> None:
    """From before PyTorch 1.6: no zip archive."""
    torch.save(tensors, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)


def as_shards(folder: Path, tensors: Tensors) -> None:
    names = list(tensors)
    shards = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for file, part in shards.items():
        save_file({name: tensors[name] for name in part}, folder / file)
    weight_map = {name: file for file, part in shards.items() for name in part}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))


def as_pickle_shards(folder: Path, tensors: Tensors) -> None:
    torch.save(tensors, folder / "pytorch_model-00001-of-00001.bin")
    weight_map = dict.fromkeys(tensors, "pytorch_model-00001-of-00001.bin")
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": weight_map}))


def with_prefix(tensors: Tensors) -> Tensors:
    return {"transformer." + name: tensor for name, tensor in tensors.items()}


def with_masks(tensors: Tensors) -> Tensors:
    masks = {f"h.{layer}.attn.bias": torch.ones(1, 1, 16, 16) for layer in range(2)}
    return tensors | masks | {f"h.{layer}.attn.masked_bias": torch.tensor(-1e4) for layer in range(2)}


def in_half(tensors: Tensors) -> Tensors:
    return {name: tensor.half() for name, tensor in tensors.items()}


@pytest.mark.parametrize("write", [as_safetensors, as_pickle, as_old_pickle, as_shards, as_pickle_shards])
@pytest.mark.parametrize("change", [dict, with_prefix, with_masks, in_half], ids=lambda change: change.__name__)
def test_every_form_gives_the_same_weights(
    tmp_path: Path, write: Callable[[Path, Tensors], None], change: Callable[[Tensors], Tensors]
) -> None:
    tensors = random_weights(SHAPE)
    write_config(tmp_path)
    write(tmp_path, change(tensors))
    checkpoint = open_checkpoint(tmp_path)
    assert not checkpoint.has_head
    for name, tensor in tensors.items():
        read = checkpoint.tensor(name)
        assert torch.equal(read, tensor.to(read.dtype))


def test_untied_head_and_padded_vocabulary(tmp_path: Path) -> None:
    tensors = random_weights(SHAPE)
    padded = torch.cat([tensors["wte.weight"], torch.ones(14, 8)])
    write_checkpoint(tmp_path, SHAPE, tensors | {"wte.weight": padded, "lm_head.weight": padded * 2})
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.has_head
    assert torch.equal(checkpoint.tensor("wte.weight"), tensors["wte.weight"])
    assert torch.equal(checkpoint.tensor("lm_head.weight"), tensors["wte.weight"] * 2)


def test_old_configurations_name_their_context_n_ctx(tmp_path: Path) -> None:
    write_config(tmp_path, n_positions=None, n_ctx=16, n_inner=None, eos_token_id=49)
    config = read_config(tmp_path)
    assert (config.n_positions, config.n_inner, config.eos_token_id) == (16, 32, 49)


@pytest.mark.parametrize("eos", [None, 50, -1, "x", [1, 2]])
def test_an_end_of_text_token_that_does_not_exist_is_none(tmp_path: Path, eos: object) -> None:
    write_config(tmp_path, eos_token_id=eos)
    assert read_config(tmp_path).eos_token_id is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model_type": "llama"}, "model_type is 'llama'"),
        ({"n_embd": None}, "n_embd is None"),
        ({"n_embd": 9}, "not a multiple"),
        ({"n_layer": 0}, "n_layer is 0"),
        ({"n_layer": "2"}, "n_layer is '2'"),
        ({"n_head": True}, "n_head is True"),
        ({"n_positions": 1 << 40}, "n_positions"),
        ({"vocab_size": -5}, "vocab_size is -5"),
        ({"layer_norm_epsilon": "small"}, "layer_norm_epsilon"),
        ({"activation_function": "relu"}, "'relu'; expected one of gelu_new"),
        ({"add_cross_attention": True}, "add_cross_attention"),
        ({"reorder_and_upcast_attn": True}, "reorder_and_upcast_attn"),
        ({"scale_attn_weights": False}, "scale_attn_weights"),
    ],
)
def test_configurations_that_are_not_gpt2(tmp_path: Path, changes: dict[str, object], reason: str) -> None:
    write_config(tmp_path, **changes)
    refused(tmp_path, "config.json", reason)


def read_all(folder: Path) -> None:
    checkpoint = open_checkpoint(folder)
    for name in random_weights(SHAPE):
        checkpoint.tensor(name)


def refused(folder: Path, *parts: str) -> None:
    """One line that names the file and says what is wrong."""
    with pytest.raises(CheckpointError) as caught:
        read_all(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert str(folder) in message
    for part in parts:
        assert part in message


def test_missing_folder_config_and_weights(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere", "config.json", "not found")
    refused(tmp_path, "config.json", "not found")
    write_config(tmp_path)
    refused(tmp_path, "no weights", "model.safetensors")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[1, 2]", b"null", b'{"a": ' * 100_000])
def test_damaged_configurations(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config.json").write_bytes(content)
    refused(tmp_path, "config.json", "JSON")


def test_a_weights_file_in_the_place_of_the_configuration(tmp_path: Path) -> None:
    with (tmp_path / "config.json").open("wb") as file:
        file.truncate(1 << 30)  # a sparse file: no disk is needed
    refused(tmp_path, "config.json", "larger than")


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize("kept", [0, 1, 7, 100, 0.5, 0.99])
def test_truncated_weights(tmp_path: Path, name: str, kept: float) -> None:
    write_config(tmp_path)
    (as_safetensors if name.endswith("safetensors") else as_pickle)(tmp_path, random_weights(SHAPE))
    file = tmp_path / name
    whole = file.read_bytes()
    file.write_bytes(whole[: kept if isinstance(kept, int) else int(len(whole) * kept)])
    refused(tmp_path, name, "download it again" if kept != 1 or name.endswith("safetensors") else name)


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize("content", [b"<html>Not Found</html>" * 20, b"version https://git-lfs.github.com/spec/v1\n"])
def test_foreign_files(tmp_path: Path, name: str, content: bytes) -> None:
    write_config(tmp_path)
    (tmp_path / name).write_bytes(content)
    refused(tmp_path, name)


class _Evil:
    """Runs a command when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return os.mkdir, (str(self.trace),)


@pytest.mark.parametrize("write", [torch.save, lambda value, file: file.write_bytes(pickle.dumps(value))])
def test_code_in_a_pickle_does_not_run(tmp_path: Path, write: Callable[[object, Path], None]) -> None:
    write_config(tmp_path)
    trace = tmp_path / "it ran"
    write(random_weights(SHAPE) | {"wte.weight": _Evil(trace)}, tmp_path / "pytorch_model.bin")
    refused(tmp_path, "pytorch_model.bin")
    assert not trace.exists()


@pytest.mark.parametrize("content", [[1, 2], {"wte.weight": "text"}, torch.ones(2)])
def test_pickles_without_a_dictionary_of_tensors(tmp_path: Path, content: object) -> None:
    write_config(tmp_path)
    torch.save(content, tmp_path / "pytorch_model.bin")
    refused(tmp_path, "pytorch_model.bin", "dictionary of tensors")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: t.pop("h.1.mlp.c_fc.bias"), "1 tensors are missing, 'h.1.mlp.c_fc.bias'"),
        (lambda t: t.update({"h.2.ln_1.weight": torch.ones(8)}), "unexpected tensor 'h.2.ln_1.weight'"),
        (lambda t: t.update({"model.embed.weight": torch.ones(8)}), "unexpected tensor 'model.embed.weight'"),
        (lambda t: t.update({"wpe.weight": torch.ones(15, 8)}), r"(15, 8); config.json asks for (16, 8)"),
        (lambda t: t.update({"wte.weight": torch.ones(49, 8)}), r"(49, 8); config.json asks for (50, 8)"),
        (lambda t: t.update({"lm_head.weight": torch.ones(50, 9)}), "'lm_head.weight' has shape (50, 9)"),
        (lambda t: t.update({"ln_f.bias": torch.ones(8, 1)}), "'ln_f.bias' has shape (8, 1)"),
        (lambda t: t.update({"wte.weight": torch.ones(50, 8, dtype=torch.int8)}), "'wte.weight' holds torch.int8"),
    ],
)
def test_wrong_keys_shapes_and_numbers(tmp_path: Path, change: Callable[[Tensors], None], reason: str) -> None:
    tensors = random_weights(SHAPE)
    change(tensors)
    write_checkpoint(tmp_path, SHAPE, tensors)
    refused(tmp_path, reason)


@pytest.mark.parametrize("shard", ["../secret.safetensors", "/etc/passwd", "a/b.safetensors", "..", "", "."])
def test_shards_outside_the_folder(tmp_path: Path, shard: str) -> None:
    folder = tmp_path / "model"
    write_config(folder)
    save_file(random_weights(SHAPE), tmp_path / "secret.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"wte.weight": shard}}))
    refused(folder, "lies outside the folder")


@pytest.mark.parametrize(
    ("index", "reason"),
    [
        ({"weight_map": {"wte.weight": "gone.safetensors"}}, "this shard is missing"),
        ({"weight_map": {}}, "'weight_map' is missing or empty"),
        ({"weight_map": ["model.safetensors"]}, "'weight_map' is missing or empty"),
        ({}, "'weight_map' is missing or empty"),
    ],
)
def test_broken_indexes(tmp_path: Path, index: dict[str, object], reason: str) -> None:
    write_config(tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    refused(tmp_path, reason)


def test_unusual_paths(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "模型 ünï 'q' \u3000 дом", SHAPE)
    assert open_checkpoint(folder).tensor("ln_f.bias").shape == (8,)
    assert re.search("模型", str(open_checkpoint(folder).folder))


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([as_safetensors, as_pickle, as_old_pickle]), st.data())
def test_flipped_bytes_are_an_error_of_ours_or_harmless(
    tmp_path: Path, write: Callable[[Path, Tensors], None], data: st.DataObject
) -> None:
    for file in tmp_path.iterdir():
        file.unlink()
    write_config(tmp_path)
    write(tmp_path, random_weights(SHAPE))
    file = next(path for path in tmp_path.iterdir() if path.name != "config.json")
    content = bytearray(file.read_bytes())
    for _ in range(3):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(bytes(content))
    with contextlib.suppress(CheckpointError):
        read_all(tmp_path)
