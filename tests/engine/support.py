"""Small models, planners that leave nothing to the clock, and answers in one call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from engine.chat_model import ChatModel
from engine.checkpoint import GPT2Config, expected_shapes, open_checkpoint
from engine.config import ChatMessage, DecodingConfig, DecodingMode, Role, SamplingParams
from engine.events import Event, Finished, GenerationRequest
from engine.gpt2 import load_gpt2
from engine.linear import precision_for
from engine.planner import PassCosts, Planner
from engine.resources import resources_folder
from engine.runner import Runner
from engine.stats import RoundTiming

BUILTIN = resources_folder() / "models" / "builtin"
CPU = torch.device("cpu")
NEVER: Callable[[], bool] = lambda: False  # noqa: E731 - a name for "not cancelled"
DRAFTING_MODES = [mode for mode in DecodingMode if mode is not DecodingMode.PLAIN]
LOW_PRECISION = ["bfloat16", "float16", "int8", pytest.param("gpu", marks=pytest.mark.gpu)]
"""Models of the fixtures `..._model` whose modes must agree to the last bit."""
CHAT = {"temperature": 0.8, "top_k": 50, "top_p": 0.95, "repetition_penalty": 1.2}


class StagedCosts(PassCosts):
    """Passes whose costs are given and stay as they are, whatever the machine does."""

    def observe(self, rows: int, seconds: float) -> None:
        """Nothing is learnt."""


class EagerPlanner(Planner):
    """Drafts in every round, and takes the largest tree that may pay."""

    def should_draft(self, key: str) -> bool:  # noqa: ARG002
        """Always."""
        return True

    def observe_round(self, key: str, drafted: bool, tokens: int, timing: RoundTiming) -> None:
        """Nothing is learnt."""


def eager_planner(max_rows: int = 16) -> EagerPlanner:
    """A target pass costs the same whatever its rows, a draft pass a hundredth."""
    return EagerPlanner(StagedCosts([max_rows], [0.01], stepped=True), StagedCosts([max_rows], [1e-4], stepped=True))


def eager(model: ChatModel) -> ChatModel:
    """The same model, drafting as much as it can: a planner that falls back to plain would hide mistakes."""
    return replace(model, planner=eager_planner(model.planner.target.widths[-1]), acceptances={})


def request(
    prompt: str | None = None,
    *messages: str,
    mode: DecodingMode = DecodingMode.PLAIN,
    reuse_cache: bool = True,
    **sampling: object,
) -> GenerationRequest:
    """Raw text, or messages that user and assistant wrote in turn."""
    roles = (Role.USER, Role.ASSISTANT)
    return GenerationRequest(
        messages=tuple(ChatMessage(roles[index % 2], text) for index, text in enumerate(messages)),
        prompt=prompt,
        sampling=SamplingParams(**{"seed": 0, **sampling}),  # type: ignore[arg-type]
        decoding=DecodingConfig(mode=mode),
        reuse_cache=reuse_cache,
    )


def events(model: ChatModel, asked: GenerationRequest, cancelled: Callable[[], bool] = NEVER) -> Iterator[Event]:
    """The events of one answer."""
    for step, make_event in enumerate(model.generate(asked, cancelled)):
        yield make_event(1, step)


def answer(model: ChatModel, asked: GenerationRequest, cancelled: Callable[[], bool] = NEVER) -> Finished:
    """The end of an answer."""
    *_, last = events(model, asked, cancelled)
    assert isinstance(last, Finished)
    return last


def random_weights(config: GPT2Config, seed: int = 0, scale: float = 0.1) -> dict[str, torch.Tensor]:
    """Normal weights for every tensor that the configuration asks for."""
    generator = torch.Generator().manual_seed(seed)
    shapes = expected_shapes(config)
    tensors = {name: torch.randn(shape, generator=generator) * scale for name, shape in shapes.items()}
    return tensors | {name: tensors[name] + 1 for name in tensors if "ln_" in name and name.endswith("weight")}


def config_json(config: GPT2Config, **changes: object) -> dict[str, object]:
    """The `config.json` of a shape."""
    names = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head", "n_inner", "layer_norm_epsilon")
    values: dict[str, object] = {name: getattr(config, name) for name in names}
    return {"model_type": "gpt2", "eos_token_id": config.eos_token_id, **values, **changes}


def write_checkpoint(
    folder: Path, config: GPT2Config, tensors: dict[str, torch.Tensor] | None = None, **changes: object
) -> Path:
    """A checkpoint folder with safetensors; random weights where none are given."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config_json(config, **changes)))
    save_file(tensors or random_weights(config), folder / "model.safetensors")
    return folder


def runner(folder: Path, dtype: torch.dtype = torch.float32, ordered: bool = False, max_tree: int = 16) -> Runner:
    """A checkpoint as a runner, with all of its vocabulary."""
    checkpoint = open_checkpoint(folder)
    model = load_gpt2(checkpoint, precision_for(dtype, CPU), checkpoint.config.vocab_size, lambda _: None)
    return Runner(model, ordered, max_tree)


def run_path(model: Runner, text: Sequence[int], path: Sequence[int]) -> list[torch.Tensor]:
    """Logits behind each token of a path under a text, one pass per token."""
    model.reset()
    model.prefill(text)
    rows = []
    for token in path:
        rows.append(model.extend([token], [-1])[0].cpu().clone())
        model.commit([0], [token])
    return rows


def katz_arrays(vocab_size: int, seed: int = 0) -> dict[str, np.ndarray]:
    """A table that has two continuations of every token, and of every pair that begins with an even one."""
    rng = np.random.default_rng(seed)
    pairs = [a * vocab_size + b for a in range(0, vocab_size, 2) for b in range(vocab_size)]

    def rows(contexts: Sequence[int], order: str) -> dict[str, np.ndarray]:
        following = np.concatenate([rng.choice(vocab_size, 2, replace=False) for _ in contexts])
        return {
            f"{order}_context": np.repeat(np.array(contexts), 2),
            f"{order}_next": following,
            f"{order}_prob": np.tile(np.array([0.5, 0.3]), len(contexts)),
        }

    return rows(pairs, "tri") | rows(range(vocab_size), "bi") | {"vocab_size": np.array(vocab_size)}
