"""A GPT-2 checkpoint in a folder, in the Hugging Face layout -> checked weights, one tensor at a time.

Reads safetensors (one file or shards with an index) or `pytorch_model.bin` (weights only: no code in it can run).
A tensor is read when it is asked for, so that loading never holds two copies of a model.
"""

from __future__ import annotations

import pickle
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import torch
from safetensors import SafetensorError, safe_open

from engine.errors import CheckpointError
from engine.files import read_json

ACTIVATIONS = {"gelu_new": "tanh", "gelu_pytorch_tanh": "tanh", "gelu": "none"}
"""GPT-2's activation names -> the `approximate` argument of torch's gelu."""

_SINGLE_FILES = ("model.safetensors", "pytorch_model.bin")
_INDEX_FILES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_IGNORED_ENDINGS = (".attn.bias", ".attn.masked_bias")  # causal masks that old versions stored as buffers


@dataclass(frozen=True, slots=True)
class GPT2Config:
    """The shape of a GPT-2. `gelu` is the `approximate` argument of torch's gelu; `eos_token_id` may be missing."""

    vocab_size: int
    n_positions: int
    n_embd: int
    n_layer: int
    n_head: int
    n_inner: int
    layer_norm_epsilon: float = 1e-5
    gelu: str = "tanh"
    scale_attn_by_inverse_layer_idx: bool = False
    eos_token_id: int | None = None

    @property
    def head_dim(self) -> int:
        """Features of one attention head."""
        return self.n_embd // self.n_head

    @property
    def parameters(self) -> int:
        """Number of weights, the tied head counted once."""
        d, inner = self.n_embd, self.n_inner
        layer = 4 * d + (3 * d * d + 3 * d) + (d * d + d) + (d * inner + inner) + (inner * d + d)
        return (self.vocab_size + self.n_positions) * d + self.n_layer * layer + 2 * d


def read_config(folder: Path) -> GPT2Config:
    """The `config.json` of a checkpoint folder. Raises CheckpointError where it is missing, damaged or not GPT-2."""
    path = Path(folder) / "config.json"
    return parse_config(read_json(path), path)


def parse_config(raw: dict[str, Any], path: Path) -> GPT2Config:
    """The shape that the contents of a `config.json` name; errors, which are as in `read_config`, name `path`."""
    kind = raw.get("model_type", "gpt2")
    if kind != "gpt2":
        raise CheckpointError(f"{path}: model_type is {kind!r}; only GPT-2 models can be loaded")
    for flag in ("add_cross_attention", "reorder_and_upcast_attn"):
        if raw.get(flag):
            raise CheckpointError(f"{path}: {flag} is not supported")
    if not raw.get("scale_attn_weights", True):
        raise CheckpointError(f"{path}: scale_attn_weights false is not supported")
    activation = raw.get("activation_function", "gelu_new")
    if activation not in ACTIVATIONS:
        raise CheckpointError(f"{path}: activation_function {activation!r}; expected one of {', '.join(ACTIVATIONS)}")
    n_embd = _whole(path, raw, "n_embd")
    n_head = _whole(path, raw, "n_head")
    if n_embd % n_head:
        raise CheckpointError(f"{path}: n_embd {n_embd} is not a multiple of n_head {n_head}")
    epsilon = raw.get("layer_norm_epsilon", 1e-5)
    if not isinstance(epsilon, float | int) or not 0 < epsilon < 1:
        raise CheckpointError(f"{path}: layer_norm_epsilon is {epsilon!r}; expected a small positive number")
    vocab_size = _whole(path, raw, "vocab_size", most=1 << 24)
    eos = raw.get("eos_token_id")
    return GPT2Config(
        vocab_size=vocab_size,
        n_positions=_whole(path, raw, "n_positions", default=raw.get("n_ctx")),
        n_embd=n_embd,
        n_layer=_whole(path, raw, "n_layer", most=1 << 10),
        n_head=n_head,
        n_inner=_whole(path, raw, "n_inner", default=4 * n_embd, most=1 << 22),
        layer_norm_epsilon=float(epsilon),
        gelu=ACTIVATIONS[activation],
        scale_attn_by_inverse_layer_idx=bool(raw.get("scale_attn_by_inverse_layer_idx", False)),
        eos_token_id=eos if isinstance(eos, int) and 0 <= eos < vocab_size else None,
    )


def _whole(path: Path, raw: dict[str, Any], key: str, default: int | None = None, most: int = 1 << 20) -> int:
    value = raw.get(key)
    value = default if value is None else value
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise CheckpointError(f"{path}: {key} is {value!r}; expected a whole number from 1 to {most}")
    return value


def expected_shapes(config: GPT2Config) -> dict[str, tuple[int, ...]]:
    """Every tensor of a GPT-2 without the head, by its name without the `transformer.` prefix -> its shape."""
    d, inner = config.n_embd, config.n_inner
    shapes: dict[str, tuple[int, ...]] = {
        "wte.weight": (config.vocab_size, d),
        "wpe.weight": (config.n_positions, d),
        "ln_f.weight": (d,),
        "ln_f.bias": (d,),
    }
    for layer in range(config.n_layer):
        h = f"h.{layer}."
        shapes |= {h + "ln_1.weight": (d,), h + "ln_1.bias": (d,), h + "ln_2.weight": (d,), h + "ln_2.bias": (d,)}
        shapes |= {h + "attn.c_attn.weight": (d, 3 * d), h + "attn.c_attn.bias": (3 * d,)}
        shapes |= {h + "attn.c_proj.weight": (d, d), h + "attn.c_proj.bias": (d,)}
        shapes |= {h + "mlp.c_fc.weight": (d, inner), h + "mlp.c_fc.bias": (inner,)}
        shapes |= {h + "mlp.c_proj.weight": (inner, d), h + "mlp.c_proj.bias": (d,)}
    return shapes


class Checkpoint:
    """Checked weights, read on demand. Made by `open_checkpoint`."""

    def __init__(self, folder: Path, config: GPT2Config, readers: dict[str, Callable[[], torch.Tensor]]) -> None:
        self.folder = folder
        self.config = config
        self._readers = readers

    @property
    def has_head(self) -> bool:
        """True where the output embedding is a tensor of its own and not the input embedding."""
        return "lm_head.weight" in self._readers

    def tensor(self, name: str) -> torch.Tensor:
        """One tensor in the precision of the file, vocabulary padding cut off; do not write to it.

        Raises CheckpointError where it holds no floating-point numbers.
        """
        tensor = self._readers[name]()
        if not tensor.is_floating_point():
            raise CheckpointError(f"{self.folder}: {name!r} holds {tensor.dtype}, not weights; choose another copy")
        if name in ("wte.weight", "lm_head.weight"):
            tensor = tensor[: self.config.vocab_size]
        return tensor


def open_checkpoint(folder: Path) -> Checkpoint:
    """Check config, keys and shapes of the checkpoint in a folder and map its weights.

    Raises CheckpointError naming the file, the key and what was expected.
    """
    folder = Path(folder)
    config = read_config(folder)
    readers: dict[str, Callable[[], torch.Tensor]] = {}
    expected = expected_shapes(config)
    for path in _weight_files(folder):
        for raw_name, shape, read in _open_weights(path):
            name = raw_name.removeprefix("transformer.")
            if name.endswith(_IGNORED_ENDINGS):
                continue
            wanted = expected["wte.weight"] if name == "lm_head.weight" else expected.get(name)
            if wanted is None:
                raise CheckpointError(
                    f"{path}: unexpected tensor {raw_name!r}; not a GPT-2 language model of {config.n_layer} layers"
                )
            if not _shape_fits(name, shape, wanted):
                raise CheckpointError(f"{path}: {raw_name!r} has shape {shape}; config.json asks for {wanted}")
            readers[name] = read
    missing = [name for name in expected if name not in readers]
    if missing:
        raise CheckpointError(f"{folder}: {len(missing)} tensors are missing, {missing[0]!r} first; download it again")
    return Checkpoint(folder, config, readers)


def _shape_fits(name: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    if name in ("wte.weight", "lm_head.weight") and len(shape) == 2:  # a vocabulary may be padded with unused rows
        return shape[0] >= wanted[0] and shape[1] == wanted[1]
    return shape == wanted


def _weight_files(folder: Path) -> list[Path]:
    for name, index_name in zip(_SINGLE_FILES, _INDEX_FILES, strict=True):
        if (folder / name).is_file():
            return [folder / name]
        if (folder / index_name).is_file():
            return _indexed_files(folder / index_name)
    raise CheckpointError(f"{folder}: no weights; expected {' or '.join(_SINGLE_FILES)} or an index of shards")


def _indexed_files(index: Path) -> list[Path]:
    weight_map = read_json(index).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise CheckpointError(f"{index}: 'weight_map' is missing or empty")
    names = sorted({str(name) for name in weight_map.values()})
    for name in names:
        if Path(name).name != name or name in ("", ".", ".."):
            raise CheckpointError(f"{index}: shard {name!r} lies outside the folder")
        if not (index.parent / name).is_file():
            raise CheckpointError(f"{index.parent / name}: this shard is missing; download it again")
    return [index.parent / name for name in names]


_Entry: TypeAlias = tuple[str, tuple[int, ...], Callable[[], torch.Tensor]]


def _open_weights(path: Path) -> list[_Entry]:
    if path.stat().st_size == 0:
        raise CheckpointError(f"{path}: the file is empty; download it again")
    return _open_safetensors(path) if path.suffix == ".safetensors" else _open_pickle(path)


def _open_safetensors(path: Path) -> list[_Entry]:
    def read(name: str) -> torch.Tensor:
        # Opened anew for every tensor: pages that stay mapped would count as a second copy of the weights.
        with safe_open(path, framework="pt") as file:
            tensor: torch.Tensor = file.get_tensor(name)
            return tensor

    try:
        with safe_open(path, framework="pt") as file:
            names = list(file.keys())  # no mapping: it cannot be iterated itself
            return [(name, tuple(file.get_slice(name).get_shape()), partial(read, name)) for name in names]
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path}: damaged or not a safetensors file ({error}); download it again") from None


def _open_pickle(path: Path) -> list[_Entry]:
    try:
        state = _load_pickle(path)
    except pickle.UnpicklingError:
        raise CheckpointError(
            f"{path}: holds more than tensors (it could run code), or is damaged; use safetensors"
        ) from None
    except Exception as error:  # noqa: BLE001 - damaged bytes break the reader in every way there is
        reason = str(error).split("\n")[0][:120]
        raise CheckpointError(f"{path}: damaged or not a PyTorch file ({reason}); download it again") from None
    if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise CheckpointError(f"{path}: expected a dictionary of tensors")
    return [(str(name), tuple(value.shape), partial(_same, value)) for name, value in state.items()]


def _same(value: torch.Tensor) -> torch.Tensor:
    return value


def _load_pickle(path: Path) -> object:
    is_zip = zipfile.is_zipfile(path)  # files from before PyTorch 1.6 are none, and cannot be mapped
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about pickles that PyTorch did not write; what comes of them is checked
        return torch.load(path, map_location="cpu", weights_only=True, mmap=is_zip)
