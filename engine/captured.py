"""Passes captured once for each shape and replayed.

A GPU runs the many small kernels of a pass faster than Python can launch them one by one.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from engine.gpt2 import PassInputs

Run = Callable[[PassInputs], torch.Tensor]
Replay = Callable[[], torch.Tensor]
Capture = Callable[[Callable[[], torch.Tensor]], Replay]
"""Records what a function does to tensors that stay where they are -> does it again, on what they hold by then."""

WARM_UPS = 2
"""Calls before a capture, in which libraries set up what they must not set up in it."""


class CapturedPasses:
    """A function of pass inputs that replays what it did for inputs of the same shape.

    The result lies in the replay's own memory: it holds until the next call.
    """

    def __init__(self, run: Run, capture: Capture) -> None:
        self._run = run
        self._capture = capture
        self._replays: dict[tuple[int, ...], tuple[PassInputs, Replay]] = {}

    def __call__(self, inputs: PassInputs, device: torch.device) -> torch.Tensor:
        """Compute `inputs`, which lie on the host, on `device`."""
        if inputs.shape not in self._replays:
            static = inputs.to(device)
            self._replays[inputs.shape] = static, self._capture(lambda: self._run(static))
        static, replay = self._replays[inputs.shape]
        static.ids.copy_(inputs.ids)
        static.mask.bias.copy_(inputs.mask.bias)
        return replay()


def cuda_capture() -> Capture:
    """Capture in CUDA graphs that share one pool of memory, since only one of them runs at a time."""
    pool = torch.cuda.graph_pool_handle()

    def capture(run: Callable[[], torch.Tensor]) -> Replay:
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM_UPS):
                run()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            result = run()

        def replay() -> torch.Tensor:
            graph.replay()
            return result

        return replay

    return capture
