"""The noise is a fact of (seed, position, token), and it is Gumbel noise."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from engine.config import MAX_SEED
from engine.noise import MAX_NOISE, MIN_NOISE, gumbel

TOKENS = np.arange(50_000)


def test_same_key_same_noise_whatever_the_company() -> None:
    together = gumbel(7, 100, TOKENS)
    chosen = np.array([49_999, 3, 17, 3])
    assert np.array_equal(gumbel(7, 100, chosen), together[chosen])


@given(st.integers(0, MAX_SEED), st.integers(0, 1 << 20), st.integers(0, 1 << 24))
def test_every_part_of_the_key_matters(seed: int, position: int, token: int) -> None:
    def noise(seed: int, position: int, token: int) -> float:
        return float(gumbel(seed, position, np.array([token]))[0])

    here = noise(seed, position, token)
    others = [noise((seed + 1) % MAX_SEED, position, token), noise(seed, position + 1, token)]
    assert here not in [*others, noise(seed, position, token + 1), noise(position, seed % (1 << 20), token)] or (
        seed == position
    )
    assert MIN_NOISE <= here <= MAX_NOISE


def test_distribution_is_gumbel() -> None:
    for seed, position in [(0, 0), (0, 1), (12345, 1023), (MAX_SEED, 5)]:
        assert stats.kstest(gumbel(seed, position, TOKENS), "gumbel_r").pvalue > 1e-4


def test_neighbouring_seeds_positions_and_tokens_are_independent() -> None:
    base = gumbel(1, 10, TOKENS)
    for other in (gumbel(2, 10, TOKENS), gumbel(1, 11, TOKENS), np.roll(base, 1)):
        assert abs(np.corrcoef(base, other)[0, 1]) < 0.02
    along_positions = np.array([gumbel(1, position, np.array([5]))[0] for position in range(4000)])
    assert stats.kstest(along_positions, "gumbel_r").pvalue > 1e-4
    assert abs(np.corrcoef(along_positions[1:], along_positions[:-1])[0, 1]) < 0.06


def test_bounds_are_those_of_the_uniform_numbers_behind() -> None:
    assert -np.log(-np.log(0.5 * 2.0**-53)) > MIN_NOISE
    assert -np.log(-np.log1p(-0.5 * 2.0**-53)) < MAX_NOISE
