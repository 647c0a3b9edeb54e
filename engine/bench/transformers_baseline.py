"""The same family through transformers' `generate`: plain, assisted by the draft, and prompt lookup."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import GPT2LMHeadModel

from engine.bench.run import BaselineResult
from engine.chat_model import ChatModel

LOOKUP_TOKENS = 4


def run_transformers(model: ChatModel, prompts: Sequence[Sequence[int]], max_new_tokens: int) -> list[BaselineResult]:
    """Greedy answers in transformers' fastest precision here, in turns over the prompts like the modes."""
    dtype = _fastest_dtype(model, prompts[0])
    target = _load(model.info.target, dtype)
    options: dict[str, dict[str, object]] = {"transformers plain": {}}
    if model.info.draft is not None:
        draft = _load(model.info.draft, dtype)
        options["transformers assisted"] = {"assistant_model": draft}
    options["transformers prompt lookup"] = {"prompt_lookup_num_tokens": LOOKUP_TOKENS}
    results = [BaselineResult(name) for name in options]
    for prompt in prompts:
        for result in results:
            before = time.perf_counter()
            ids = _generate(target, prompt, max_new_tokens, options[result.name])
            result.seconds += time.perf_counter() - before
            result.tokens += len(ids)
            result.token_ids.append(ids)
    return results


def _load(folder: Path, dtype: torch.dtype) -> GPT2LMHeadModel:
    model = GPT2LMHeadModel.from_pretrained(folder, dtype=dtype)
    model.train(False)
    return model


def _fastest_dtype(model: ChatModel, prompt: Sequence[int]) -> torch.dtype:
    """The better of float32 and bfloat16 for a short answer."""
    seconds = {}
    for dtype in (torch.float32, torch.bfloat16):
        target = _load(model.info.target, dtype)
        _generate(target, prompt, 4, {})
        before = time.perf_counter()
        _generate(target, prompt, 16, {})
        seconds[dtype] = time.perf_counter() - before
    return min(seconds, key=lambda dtype: seconds[dtype])


@torch.inference_mode()
def _generate(
    target: GPT2LMHeadModel, prompt: Sequence[int], max_new_tokens: int, options: dict[str, object]
) -> tuple[int, ...]:
    ids = torch.tensor([list(prompt)])
    mask = torch.ones_like(ids)
    out = target.generate(ids, attention_mask=mask, max_new_tokens=max_new_tokens, do_sample=False, **options)
    return tuple(out[0, len(prompt) :].tolist())
