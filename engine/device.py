"""Picks where and how a model computes: device, precision and threads, by measurement where the choice is free."""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil
import torch

from engine.checkpoint import GPT2Config
from engine.errors import DeviceError
from engine.linear import Precision, has_fast_bfloat16, has_fbgemm, make_linear, precision_for

TIMING_ROUNDS = 4
MOST_TIMED_WEIGHTS = 16 << 20


def pick_device(name: str) -> torch.device:
    """The device of a name, "auto" being the best there is. Raises DeviceError where it does not exist."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError):
        raise DeviceError(f"device {name!r} is not available on this machine; choose auto or cpu") from None
    return device


def set_threads(threads: int | None) -> int:
    """Threads of torch on the CPU: by default one for each physical core, since hyperthreads share the arithmetic.

    `engine.calibration.pick_threads` then looks whether fewer do.
    """
    torch.set_num_threads(threads or psutil.cpu_count(logical=False) or 1)
    return torch.get_num_threads()


def pick_precision(name: str, device: torch.device, config: GPT2Config) -> tuple[Precision, str]:
    """The precision of a name, and in words why; "auto" measures a product of the target's shape in the fast ones."""
    if name != "auto":
        return precision_for(getattr(torch, name), device), "chosen in the settings"
    if device.type == "mps":
        return precision_for(torch.float32, device), "16 bit cannot keep the modes equal on this device"
    if device.type != "cpu":
        return precision_for(torch.float16, device), "half the bytes of float32, and fast on this device"
    names = ["float32"] + ["bfloat16"] * has_fast_bfloat16() + ["float16"] * has_fbgemm()
    products = {name: _products(precision_for(getattr(torch, name), device), config) for name in names}
    seconds = dict.fromkeys(names, float("inf"))
    for name in names * TIMING_ROUNDS:  # in turn: a machine that is busy for a moment hits all alike
        seconds[name] = min(seconds[name], products[name]())
    best = min(seconds, key=lambda name: seconds[name])
    measured = ", ".join(f"{name} {seconds[name] * 1e3:.2f} ms" for name in names)
    return precision_for(getattr(torch, best), device), f"fastest here for products of the model's shape ({measured})"


def _products(precision: Precision, config: GPT2Config) -> Callable[[], float]:
    """A function that times products of four rows, a small tree, over as many weights as the model has, or 16M."""
    shape = (config.n_inner, config.n_embd)
    copies = max(1, min(config.parameters, MOST_TIMED_WEIGHTS) // (shape[0] * shape[1]))
    products = [make_linear(torch.full(shape, 0.01), torch.zeros(shape[0]), precision) for _ in range(copies)]
    x = torch.ones(4, config.n_embd, dtype=precision.activations)

    @torch.inference_mode()
    def timed() -> float:
        before = time.perf_counter()
        for product in products:
            product(x)
        return time.perf_counter() - before

    return timed
