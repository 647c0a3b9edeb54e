"""Position-keyed Gumbel noise: a fact of (seed, absolute position, token id), not an event.

Sampling from softmax(l) is argmax(l + g) with independent standard Gumbel g (Gumbel 1954). Because the draft and the
target look at the same g, a draft proposes what the target is likely to choose, and what the target chooses does not
depend on what was proposed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

MAX_NOISE = 38.0
MIN_NOISE = -4.0
"""Bounds of the noise: u lies in [2**-54, 1 - 2**-54], so g = -log(-log u) lies in [-3.63, 37.43]."""

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


def gumbel(seed: int, position: int, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Standard Gumbel noise for token ids (n,) at one position -> float64 (n,)."""
    key = _mix_int(_mix_int(seed & _MASK) ^ (position * _GOLDEN & _MASK))
    with np.errstate(over="ignore"):  # the generator computes modulo 2**64
        bits = _mix(_mix(tokens.astype(np.uint64) * np.uint64(_GOLDEN) + np.uint64(key)) ^ np.uint64(key))
    uniform = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return -np.log(-np.log(uniform))


def _mix(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finaliser of SplitMix64 (Steele, Lea & Flood 2014): every input bit reaches every output bit."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _mix_int(x: int) -> int:
    """`_mix` for one Python integer."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _MASK
    return x ^ (x >> 31)
