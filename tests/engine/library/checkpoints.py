"""Small random GPT-2 checkpoints, as files."""

import io
import json
from functools import cache
from pathlib import Path

import torch
from safetensors.torch import save

from engine.checkpoint import GPT2Config, expected_shapes
from engine.resources import resources_folder

BUILTIN = resources_folder() / "models" / "builtin" / "target"
N_EMBD, N_LAYER, N_POSITIONS, VOCAB_SIZE = 16, 2, 256, 8192


def config_json(**changes: object) -> bytes:
    """A configuration whose vocabulary is the built-in tokenizer's."""
    config = {
        "model_type": "gpt2",
        "vocab_size": VOCAB_SIZE,
        "n_positions": N_POSITIONS,
        "n_embd": N_EMBD,
        "n_layer": N_LAYER,
        "n_head": 2,
        "eos_token_id": 0,
    }
    return json.dumps(config | changes).encode()


def weights(seed: int = 0, dtype: torch.dtype = torch.float32) -> dict[str, torch.Tensor]:
    """Every tensor that the configuration asks for, and the masks that old checkpoints carry."""
    generator = torch.Generator().manual_seed(seed)
    config = GPT2Config(VOCAB_SIZE, N_POSITIONS, N_EMBD, N_LAYER, 2, 4 * N_EMBD)
    tensors = {
        name: (torch.randn(shape, generator=generator) * 0.1).to(dtype)
        for name, shape in expected_shapes(config).items()
    }
    masks = {f"h.{layer}.attn.bias": torch.ones(1, 1, 8, 8) for layer in range(N_LAYER)}
    return tensors | masks


def pickled(tensors: dict[str, torch.Tensor]) -> bytes:
    """As `pytorch_model.bin`."""
    buffer = io.BytesIO()
    torch.save(tensors, buffer)
    return buffer.getvalue()


def tokenizer_json() -> bytes:
    """The built-in family's."""
    return (BUILTIN / "tokenizer.json").read_bytes()


@cache
def _safetensors(seed: int, dtype: torch.dtype) -> bytes:
    return save(weights(seed, dtype), {"format": "pt"})


def checkpoint_files(seed: int = 0, dtype: torch.dtype = torch.float32) -> dict[str, bytes | Path]:
    """What a hub has of a model, more than is needed."""
    return {
        "README.md": b"A model.\n",
        "config.json": config_json(),
        "model.safetensors": _safetensors(seed, dtype),
        "pytorch_model.bin": b"never fetched where there are safetensors",
        "tokenizer.json": tokenizer_json(),
        "tokenizer_config.json": b"{}",
    }


def write_checkpoint(folder: Path, seed: int = 0) -> Path:
    """The same as a folder on disk."""
    folder.mkdir(parents=True)
    files = checkpoint_files(seed)
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        content = files[name]
        assert isinstance(content, bytes)
        (folder / name).write_bytes(content)
    return folder


def write_stranger(folder: Path) -> Path:
    """One whose tokenizer calls a token by another name."""
    tokenizer = json.loads((write_checkpoint(folder) / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["model"]["vocab"]["not the same"] = tokenizer["model"]["vocab"].pop("Ġthe")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    return folder
