"""SplitMix64: a random generator whose whole state is one word, so that a search can stop and go on anywhere."""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.compile import kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@kernel
def next_word(state):
    """Next 64 random bits; ``state`` (1,) uint64 is advanced in place."""
    state[0] += _GAMMA
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@kernel
def below_high(word, n):
    """Uniform number below ``n`` from the upper half of a random word (bias under n / 2**32)."""
    return ((word >> _HALF) * n) >> _HALF


@kernel
def below_low(word, n):
    """Uniform number below ``n`` from the lower half of a random word (bias under n / 2**32)."""
    return ((word & _LOW_HALF) * n) >> _HALF
