"""Position-keyed Gumbel noise: a fact of (seed, absolute position, token id), not an event.

Sampling from softmax(l) is argmax(l + g) with independent standard Gumbel g (Gumbel 1954). Because the draft and the
target look at the same g, a draft proposes what the target is likely to choose, and what the target chooses does not
depend on what was proposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log

import numpy as np
import numpy.typing as npt

MAX_NOISE = 38.0
MIN_NOISE = -4.0
"""Bounds of the noise: u lies in [2**-54, 1 - 2**-54], so g = -log(-log u) lies in [-3.63, 37.43]."""

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


def gumbel(seed: int, positions: Sequence[int], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Standard Gumbel noise for the token ids (n, k) in the rows of `tokens`, each row at its position -> (n, k)."""
    keys = np.array([[_position_key(seed, position)] for position in positions], dtype=np.uint64)
    bits = _mix(_mix(tokens.astype(np.uint64) * np.uint64(_GOLDEN) + keys) ^ keys)  # modulo 2**64, as arrays compute
    uniform = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return -np.log(-np.log(uniform))


def gumbel_of(seed: int, position: int, token: int) -> float:
    """The noise of `gumbel` for one token, without arrays: quicker for a handful."""
    key = _position_key(seed, position)
    bits = _mix_int(_mix_int((token * _GOLDEN + key) & _MASK) ^ key)
    return -log(-log(((bits >> 11) + 0.5) * 2.0**-53))


@lru_cache(maxsize=4096)
def _position_key(seed: int, position: int) -> int:
    return _mix_int(_mix_int(seed & _MASK) ^ (position * _GOLDEN & _MASK))


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
