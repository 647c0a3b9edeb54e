"""Weights are converted to what the engine maps, and nothing that does not fit is written."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.checkpoint import expected_shapes, open_checkpoint
from engine.errors import Cancelled, CheckpointError
from engine.library.control import Control, Meter
from engine.library.convert import convert, is_converted
from tests.engine.library.checkpoints import N_LAYER, config_json, pickled, weights


def write(folder: Path, tensors: dict[str, torch.Tensor], file: str = "model.safetensors") -> Path:
    folder.mkdir()
    (folder / "config.json").write_bytes(config_json())
    if file == "model.safetensors":
        save_file(tensors, folder / file, {"format": "pt"})
    else:
        (folder / file).write_bytes(pickled(tensors))
    return folder


def run(source: Path, target: Path, precision: str = "float16", control: Control | None = None) -> Path:
    target.mkdir()
    (target / "config.json").write_bytes((source / "config.json").read_bytes())
    convert(source, target / "model.safetensors", precision, control or Control(), Meter(0, lambda _: None))
    return target


@pytest.mark.parametrize("file", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize("prefix", ["", "transformer."])
def test_every_number_is_kept_up_to_rounding(tmp_path: Path, file: str, prefix: str) -> None:
    original = weights()
    source = write(tmp_path / "source", {prefix + name: tensor for name, tensor in original.items()}, file)
    folder = run(source, tmp_path / "target")
    written = load_file(folder / "model.safetensors")
    assert set(written) == set(expected_shapes(open_checkpoint(folder).config))  # the masks are gone
    for name, tensor in written.items():
        assert torch.equal(tensor, original[name].half())
    assert is_converted(folder, "float16")
    assert not is_converted(source, "float16")


@pytest.mark.parametrize("precision", ["bfloat16", "float32"])
def test_other_precisions(tmp_path: Path, precision: str) -> None:
    source = write(tmp_path / "source", weights(), "pytorch_model.bin")
    written = load_file(run(source, tmp_path / "target", precision) / "model.safetensors")
    assert all(torch.equal(tensor, weights()[name].to(tensor.dtype)) for name, tensor in written.items())
    assert {tensor.dtype for tensor in written.values()} == {getattr(torch, precision)}


def test_half_precision_is_left_alone(tmp_path: Path) -> None:
    assert is_converted(write(tmp_path / "half", weights(dtype=torch.float16)), "float16")
    assert is_converted(write(tmp_path / "single", weights()), "float32")
    assert not is_converted(write(tmp_path / "pickled", weights(dtype=torch.float16), "pytorch_model.bin"), "float16")


def test_head_is_kept_only_where_it_is_one_of_its_own(tmp_path: Path) -> None:
    tied = weights()
    source = write(tmp_path / "tied", tied | {"lm_head.weight": tied["wte.weight"].clone()})
    assert not open_checkpoint(run(source, tmp_path / "tied target")).has_head
    source = write(tmp_path / "own", tied | {"lm_head.weight": tied["wte.weight"] + 1})
    converted = open_checkpoint(run(source, tmp_path / "own target"))
    assert torch.equal(converted.tensor("lm_head.weight"), (tied["wte.weight"] + 1).half())


def test_numbers_too_large_for_half_precision_are_refused(tmp_path: Path) -> None:
    tensors = weights()
    tensors["h.1.mlp.c_fc.weight"][0, 0] = 1e6
    source = write(tmp_path / "source", tensors)
    with pytest.raises(CheckpointError, match=r"h\.1\.mlp\.c_fc\.weight .* float32"):
        run(source, tmp_path / "target")
    assert torch.equal(
        open_checkpoint(run(source, tmp_path / "single", "float32")).tensor("h.1.mlp.c_fc.weight"),
        tensors["h.1.mlp.c_fc.weight"],
    )


def test_shards_become_one_file(tmp_path: Path) -> None:
    tensors = weights()
    source = tmp_path / "source"
    source.mkdir()
    (source / "config.json").write_bytes(config_json())
    names = sorted(tensors)
    files = {name: f"model-0000{1 + index % 2}-of-00002.safetensors" for index, name in enumerate(names)}
    for file in set(files.values()):
        save_file({name: tensors[name] for name in names if files[name] == file}, source / file)
    (source / "model.safetensors.index.json").write_text(json.dumps({"weight_map": files}))
    assert not is_converted(source, "float16")
    written = load_file(run(source, tmp_path / "target") / "model.safetensors")
    assert len(written) == 4 + 12 * N_LAYER


def test_conversion_can_be_stopped(tmp_path: Path) -> None:
    source = write(tmp_path / "source", weights())
    control = Control()
    control.cancel()
    with pytest.raises(Cancelled):
        run(source, tmp_path / "target", control=control)
