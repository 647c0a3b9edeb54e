"""The training loop: resumes after any interruption, keeps the best checkpoint."""

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm
from transformers import GPT2LMHeadModel

from engine.errors import CheckpointError
from engine.training.batches import Batch, Mixture
from engine.training.models import save_model

Loss = Callable[[Batch], Tensor]
"""The mean loss of a batch in nats per learnt token."""

Validate = Callable[[], dict[str, float]]
"""Named figures on held-out text; `loss` decides which checkpoint is the best."""


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How long and how to train. The learning rate rises, stays, and falls to zero over the last part of the steps.

    rows, window      sequences per step, and tokens in each
    long_share        of the steps, at the end, with windows of the whole context (and fewer rows)
    decay_share       of the steps, at the end, over which the learning rate falls to zero
    validate_every    in steps
    save_every_s      seconds between two saved states: what a killed run loses at most
    """

    steps: int
    rows: int = 16
    window: int = 128
    learning_rate: float = 6e-4
    warmup_steps: int = 50
    decay_share: float = 0.4
    long_share: float = 0.02
    weight_decay: float = 0.1
    validate_every: int = 200
    save_every_s: float = 60.0
    seed: int = 0

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        rising = (step + 1) / max(1, self.warmup_steps)
        falling = (self.steps - step) / max(1.0, self.decay_share * self.steps)
        return self.learning_rate * min(1.0, rising, falling)

    def batch_shape(self, step: int, context: int) -> tuple[int, int]:
        """Rows and window of a step."""
        if step < self.steps * (1 - self.long_share):
            return self.rows, min(self.window, context)
        return max(1, self.rows * self.window // context), context


class Trainer:
    """Trains a model into a folder: `state.pt` to go on from, `best/` with the best checkpoint so far."""

    def __init__(self, model: GPT2LMHeadModel, options: TrainingOptions, folder: Path, tokenizer_folder: Path) -> None:
        self.model = model
        self.options = options
        self.folder = folder
        self.tokenizer_folder = tokenizer_folder
        self.step = 0
        self.best_loss = float("inf")
        self.optimizer = torch.optim.AdamW(
            _parameter_groups(model, options.weight_decay), lr=options.learning_rate, betas=(0.9, 0.95), fused=True
        )

    def train(self, mixture: Mixture, loss: Loss, validate: Validate) -> dict[str, float]:
        """Runs the steps that are left. Returns the last figures of the validation."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._resume()
        figures: dict[str, float] = {}
        saved_at = time.monotonic()
        with tqdm(total=self.options.steps, initial=self.step, unit="step", mininterval=2, smoothing=0.05) as bar:
            while self.step < self.options.steps:
                started = time.monotonic()
                batch = self._batch(mixture)
                value = self._update(loss(batch))
                self.step += 1
                tokens_per_s = batch.input_ids.numel() / (time.monotonic() - started)
                bar.set_postfix_str(f"loss {value:.3f}, {tokens_per_s:,.0f} tokens/s", refresh=False)
                bar.update()
                if self.step % self.options.validate_every == 0 or self.step == self.options.steps:
                    figures = self._validate(validate, bar)
                if time.monotonic() - saved_at > self.options.save_every_s:
                    self._save()
                    saved_at = time.monotonic()
        self._save()
        return figures

    def _batch(self, mixture: Mixture) -> Batch:
        context = self.model.config.n_positions
        rows, window = self.options.batch_shape(self.step, context)
        return mixture.batch(self.step, rows, window, context, self.options.seed).to(self.model.device)

    def _update(self, loss: Tensor) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = self.options.rate(self.step)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return float(loss.detach())

    def _validate(self, validate: Validate, bar: tqdm) -> dict[str, float]:
        self.model.train(False)
        with torch.inference_mode():
            figures = validate()
        self.model.train(True)
        bar.write(f"step {self.step:,}: " + ", ".join(f"{name} {value:.3f}" for name, value in figures.items()))
        if figures["loss"] < self.best_loss:
            self.best_loss = figures["loss"]
            save_model(self.model, self.tokenizer_folder, self.folder / "best", torch.float32)
        return figures

    def _save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "best_loss": self.best_loss,
        }
        partial = self.folder / "state.pt.partial"
        torch.save(state, partial)
        os.replace(partial, self.folder / "state.pt")  # noqa: PTH105 - replaces on every system

    def _resume(self) -> None:
        file = self.folder / "state.pt"
        if not file.exists():
            shutil.rmtree(self.folder / "best", ignore_errors=True)  # of a run that was killed before its first save
            return
        try:
            state = torch.load(file, map_location=self.model.device, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
        except (RuntimeError, ValueError, KeyError, EOFError) as error:
            raise CheckpointError(
                f"{file} belongs to another model or is damaged; name another output folder"
            ) from error
        self.step, self.best_loss = state["step"], state["best_loss"]


def _parameter_groups(model: GPT2LMHeadModel, weight_decay: float) -> list[dict[str, object]]:
    """Matrices decay; biases, gains and positions do not."""
    decays = [p for name, p in model.named_parameters() if p.dim() >= 2 and "wpe" not in name]
    others = [p for name, p in model.named_parameters() if p.dim() < 2 or "wpe" in name]
    return [{"params": decays, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
