"""The same family through transformers' `generate`: plain, assisted by the draft, and prompt lookup."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
import torch
from transformers import GPT2LMHeadModel

from engine.bench.run import BaselineResult
from engine.chat_model import ChatModel

LOOKUP_TOKENS = 4


@dataclass(frozen=True, slots=True)
class Setting:
    """How transformers computes."""

    dtype: torch.dtype
    threads: int
    device: torch.device

    def __str__(self) -> str:
        return f"{str(self.dtype).removeprefix('torch.')}, {self.device}, {self.threads} threads"

    def load(self, folder: Path) -> GPT2LMHeadModel:
        """A checkpoint, ready to generate; torch's threads are set too."""
        torch.set_num_threads(self.threads)
        model = GPT2LMHeadModel.from_pretrained(folder, dtype=self.dtype)
        torch.nn.Module.to(model, self.device)
        model.train(False)
        return model


def run_transformers(model: ChatModel, prompts: Sequence[Sequence[int]], max_new_tokens: int) -> list[BaselineResult]:
    """Greedy answers in transformers' fastest setting here, in turns over the prompts like the modes."""
    threads = torch.get_num_threads()
    try:
        return _run(model, _fastest_setting(model, prompts[0]), prompts, max_new_tokens)
    finally:
        torch.set_num_threads(threads)


def _run(
    model: ChatModel, setting: Setting, prompts: Sequence[Sequence[int]], max_new_tokens: int
) -> list[BaselineResult]:
    target = setting.load(model.info.target)
    options: dict[str, dict[str, object]] = {"transformers plain": {}}
    if model.info.draft is not None:
        options["transformers assisted"] = {"assistant_model": setting.load(model.info.draft)}
    options["transformers prompt lookup"] = {"prompt_lookup_num_tokens": LOOKUP_TOKENS}
    results = [BaselineResult(name, str(setting)) for name in options]
    for prompt in prompts:
        _, first_token_s = _timed(target, prompt, 1, {})
        for result in results:
            ids, seconds = _timed(target, prompt, max_new_tokens, options[result.name])
            result.seconds += seconds - first_token_s
            result.tokens += len(ids) - 1
            result.token_ids.append(ids)
    return results


def _fastest_setting(model: ChatModel, prompt: Sequence[int]) -> Setting:
    """The best for a short answer of the precisions that a device is good at and the numbers of threads in question."""
    device = torch.device(model.info.device)
    dtypes = (torch.float32, torch.bfloat16) if device.type == "cpu" else (torch.float16,)
    seconds = {}
    for threads in {model.info.threads, psutil.cpu_count(logical=False) or 1}:
        for dtype in dtypes:
            setting = Setting(dtype, threads, device)
            target = setting.load(model.info.target)
            _timed(target, prompt, 4, {})
            seconds[setting] = _timed(target, prompt, 16, {})[1]
    return min(seconds, key=lambda setting: seconds[setting])


@torch.inference_mode()
def _timed(
    target: GPT2LMHeadModel, prompt: Sequence[int], max_new_tokens: int, options: dict[str, object]
) -> tuple[tuple[int, ...], float]:
    """One call of `generate` -> the new token ids, and its seconds."""
    ids = torch.tensor([list(prompt)], device=target.device)
    mask = torch.ones_like(ids)
    before = time.perf_counter()
    out = target.generate(ids, attention_mask=mask, max_new_tokens=max_new_tokens, do_sample=False, **options)
    new = tuple(out[0, len(prompt) :].tolist())
    return new, time.perf_counter() - before
