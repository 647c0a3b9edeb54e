"""The noise is a fact of (seed, position, token), and it is Gumbel noise."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from engine.config import MAX_SEED
from engine.noise import MAX_NOISE, MIN_NOISE, gumbel, gumbel_of

TOKENS = np.arange(50_000)


def noise(seed: int, position: int, tokens: npt.NDArray[np.int64] = TOKENS) -> npt.NDArray[np.float64]:
    return gumbel(seed, [position], tokens[None])[0]


def test_same_key_same_noise_whatever_the_company() -> None:
    together = noise(7, 100)
    chosen = np.array([49_999, 3, 17, 3])
    assert np.array_equal(noise(7, 100, chosen), together[chosen])
    assert np.array_equal(gumbel(7, [3, 100], np.array([[1], [17]])), [[noise(7, 3)[1]], [together[17]]])
    assert [gumbel_of(7, 100, int(token)) for token in chosen] == pytest.approx(together[chosen].tolist(), rel=1e-12)


@given(st.integers(0, MAX_SEED), st.integers(0, 1 << 20), st.integers(0, 1 << 24))
def test_every_part_of_the_key_matters(seed: int, position: int, token: int) -> None:
    here = gumbel_of(seed, position, token)
    others = [gumbel_of((seed + 1) % MAX_SEED, position, token), gumbel_of(seed, position + 1, token)]
    assert here not in [
        *others,
        gumbel_of(seed, position, token + 1),
        gumbel_of(position, seed % (1 << 20), token),
    ] or (seed == position)
    assert MIN_NOISE <= here <= MAX_NOISE


def test_distribution_is_gumbel() -> None:
    for seed, position in [(0, 0), (0, 1), (12345, 1023), (MAX_SEED, 5)]:
        assert stats.kstest(noise(seed, position), "gumbel_r").pvalue > 1e-4


def test_neighbouring_seeds_positions_and_tokens_are_independent() -> None:
    base = noise(1, 10)
    for other in (noise(2, 10), noise(1, 11), np.roll(base, 1)):
        assert abs(np.corrcoef(base, other)[0, 1]) < 0.02
    along_positions = gumbel(1, range(4000), np.full((4000, 1), 5))[:, 0]
    assert stats.kstest(along_positions, "gumbel_r").pvalue > 1e-4
    assert abs(np.corrcoef(along_positions[1:], along_positions[:-1])[0, 1]) < 0.06


def test_bounds_are_those_of_the_uniform_numbers_behind() -> None:
    assert -np.log(-np.log(0.5 * 2.0**-53)) > MIN_NOISE
    assert -np.log(-np.log1p(-0.5 * 2.0**-53)) < MAX_NOISE
