"""A GPT-2 to train: from scratch in a given shape or from a checkpoint, and back to a folder."""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import GPT2Config, GPT2LMHeadModel

from engine.errors import CheckpointError, InvalidRequest

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.json", "merges.txt")


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a GPT-2."""

    layers: int
    width: int
    heads: int
    positions: int = 1024

    def __post_init__(self) -> None:
        if min(self.layers, self.width, self.heads, self.positions) < 1 or self.width % self.heads:
            raise InvalidRequest("layers, width, heads and positions must be 1 or more, and width a multiple of heads")


def new_model(shape: Shape, vocab_size: int, end_of_text: int, seed: int) -> GPT2LMHeadModel:
    """A GPT-2 with random weights, without dropout (small corpora are seen often, but never twice in one wording)."""
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=vocab_size,
        n_positions=shape.positions,
        n_embd=shape.width,
        n_layer=shape.layers,
        n_head=shape.heads,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=end_of_text,
        eos_token_id=end_of_text,
    )
    return GPT2LMHeadModel(config)


def load_model(folder: Path, device: torch.device) -> GPT2LMHeadModel:
    """A checkpoint in float32. Raises CheckpointError where the folder holds none."""
    try:
        model: GPT2LMHeadModel = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    except (OSError, ValueError, RuntimeError) as error:
        first_line = str(error).splitlines()[0]
        raise CheckpointError(f"{folder} is not a GPT-2 checkpoint that can be trained: {first_line}") from error
    return move(model, device)


def blend(model: GPT2LMHeadModel, other: GPT2LMHeadModel, share: float) -> None:
    """Moves the model's weights a share of the way to those of another one, trained on from the same checkpoint.

    What lies between keeps much of both (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models"). Raises
    InvalidRequest where the shapes differ.
    """
    if {n: p.shape for n, p in model.named_parameters()} != {n: p.shape for n, p in other.named_parameters()}:
        raise InvalidRequest("--blend needs a checkpoint of the same shape as that of --from")
    with torch.no_grad():
        for mine, theirs in zip(model.parameters(), other.parameters(), strict=True):
            mine.lerp_(theirs, share)


def move(model: GPT2LMHeadModel, device: torch.device) -> GPT2LMHeadModel:
    """The model on a device."""
    torch.nn.Module.to(model, device)  # transformers wraps its own `to`, whose signature is lost
    return model


def load_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a folder, or a file. Raises CheckpointError where there is none."""
    file = folder / "tokenizer.json" if folder.is_dir() else folder
    if not file.is_file():
        raise CheckpointError(f"{file} is missing; name a folder with a tokenizer.json")
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.encode_special_tokens = True  # a text that mentions <|endoftext|> does not end there
    return tokenizer


def save_model(model: GPT2LMHeadModel, tokenizer_folder: Path, folder: Path, dtype: torch.dtype) -> None:
    """Writes weights, configuration and tokenizer; the folder is complete or is not there."""
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    tied = {"lm_head.weight"} if model.config.tie_word_embeddings else set()  # stored once, as the embedding
    state = {name: tensor.to(dtype) for name, tensor in model.state_dict().items() if name not in tied}
    model.save_pretrained(partial, state_dict=state)
    config_file = partial / "config.json"
    config = json.loads(config_file.read_text(encoding="utf-8")) | {"dtype": str(dtype).removeprefix("torch.")}
    config_file.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    for name in TOKENIZER_FILES:
        if (tokenizer_folder / name).is_file():
            shutil.copy(tokenizer_folder / name, partial / name)
    for file in partial.iterdir():
        file.chmod(0o644)  # the weights come out readable by their owner alone, which an installed program is not
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(partial, folder)  # noqa: PTH105 - the one call that replaces on every system
