"""The sample of knots that R's mgcv takes of a column with many distinct values: R's own generator, seed 1.

R seeds the Mersenne twister by a linear congruential generator and draws whole numbers by rejection from 16 bits at a
time (R 3.6 and newer).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_KNOTS = 2000
_STATE_WORDS = 624


class _RGenerator:
    """Uniform numbers as R's default generator gives them after ``set.seed(seed)``."""

    def __init__(self, seed: int) -> None:
        word, words = seed, []
        for _ in range(50 + _STATE_WORDS + 1):
            word = (69069 * word + 1) % 2**32
            words.append(word)
        self._bits = np.random.MT19937()
        # The first word after the warm-up would be the position in the state, which R resets to its end.
        key = np.array(words[51:], dtype=np.uint32)
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": _STATE_WORDS}}

    def sixteen_bits(self) -> int:
        """The leading 16 bits of the next uniform number."""
        return int(self._bits.random_raw()) >> 16

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        n_bits = (n - 1).bit_length()
        while True:
            value = 0
            for _ in range(n_bits // 16 + 1):
                value = 65536 * value + self.sixteen_bits()
            value &= (1 << n_bits) - 1
            if value < n:
                return value


def sampled_knots(n_values: int, n_knots: int = MAX_KNOTS) -> NDArray[np.intp]:
    """Indices, ascending, of the distinct values that become knots."""
    generator, left, chosen = _RGenerator(1), list(range(n_values)), []
    for _ in range(n_knots):
        k = generator.below(len(left))
        chosen.append(left[k])
        left[k] = left[-1]
        left.pop()
    return np.sort(np.array(chosen, dtype=np.intp))
