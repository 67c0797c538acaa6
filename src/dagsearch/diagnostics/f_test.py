"""Whether columns explain more than chance would, beside other columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]

_DEPENDENT = 1e-10  # share of the square of a column that others leave, below which it says nothing beside them
_MOST_NUMBERS = 10_000_000  # of columns that are tested at once


class Added(NamedTuple):
    """What columns add to a regression: the p-value, and the share of what was left that they explain."""

    p_value: float
    share: float


class FTest:
    """F tests of columns that are added to a regression, which take the noise for equally large in all rows.

    Parameters
    ----------
    targets
        (n_samples, n_targets). Of several, the levels of a variable, the least p-value counts, times their number.
    columns
        Those of the regression, in any number of blocks (n_samples, width); an intercept comes in addition.
    """

    def __init__(self, targets: Floats, columns: Sequence[Floats]) -> None:
        self._n_rows = len(targets)
        self._known = _orthonormal(_centred(np.hstack([*columns, np.zeros((len(targets), 0))])))
        self._left = _without(self._known, _centred(targets))
        self._squares = (self._left**2).sum(axis=0)

    def of(self, added: Floats) -> Added | None:
        """The test of further columns, (n_samples, width); None if there is nothing to tell."""
        return self.of_each([added])[0]

    def of_each(self, blocks: Sequence[Floats]) -> list[Added | None]:
        """The tests of several blocks of further columns, each beside the known ones alone."""
        found: list[Added | None] = [None] * len(blocks)
        widths = np.array([block.shape[1] for block in blocks], dtype=np.intp)
        for width in np.unique(widths[widths > 0]).tolist():
            places = np.flatnonzero(widths == width).tolist()
            at_once = max(1, _MOST_NUMBERS // (self._n_rows * width))
            for start in range(0, len(places), at_once):
                chunk = places[start : start + at_once]
                tests = self._of_equal_width(np.hstack([blocks[place] for place in chunk]), width)
                for place, test in zip(chunk, tests, strict=True):
                    found[place] = test
        return found

    def _of_equal_width(self, columns: Floats, width: int) -> list[Added | None]:
        """The tests of blocks that lie side by side."""
        centred = _centred(columns)
        new = _without(self._known, centred)
        lengths, sizes = _lengths(new), _lengths(centred)
        scaled = np.divide(new, lengths, out=np.zeros_like(new), where=lengths > _DEPENDENT**0.5 * sizes)
        apart = np.ascontiguousarray(scaled.reshape(self._n_rows, -1, width).transpose(1, 0, 2))
        values, directions = np.linalg.eigh(apart.transpose(0, 2, 1) @ apart)
        used = values > _DEPENDENT
        shares = directions.transpose(0, 2, 1) @ (apart.transpose(0, 2, 1) @ self._left)
        explained = np.divide(shares**2, values[..., None], out=np.zeros_like(shares), where=used[..., None]).sum(
            axis=1
        )
        return self._judged(explained, used.sum(axis=1))

    def _judged(self, explained: Floats, n_new: NDArray[np.intp]) -> list[Added | None]:
        """The tests by the squares that blocks explain of each target, (n_blocks, n_targets), and their dimensions."""
        n_free = self._n_rows - 1 - self._known.shape[1] - n_new
        total = float(self._squares.sum())
        tellable = (n_new > 0) & (n_free > 0) & (total > 0.0)
        targets = self._squares > 0.0
        degrees, left = n_new[:, None].clip(1), n_free[:, None].clip(1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = (explained / degrees) / ((self._squares - explained).clip(0.0) / left)
        p_values = stats.f.sf(ratios[:, targets], degrees, left).min(axis=1, initial=1.0) * targets.sum()
        return [
            Added(min(1.0, float(p_value)), float(share)) if told else None
            for told, p_value, share in zip(tellable, p_values, explained.sum(axis=1) / (total or 1.0), strict=True)
        ]


def _lengths(columns: Floats) -> Floats:
    return np.asarray(np.sqrt((columns**2).sum(axis=0)))


def _centred(columns: Floats) -> Floats:
    return np.asarray(columns - columns.mean(axis=0))


def _orthonormal(columns: Floats) -> Floats:
    """An orthonormal basis of what columns span."""
    lengths = _lengths(columns)
    kept = lengths > 0.0
    if not kept.any():
        return np.zeros((len(columns), 0))
    scaled = columns[:, kept] / lengths[kept]
    values, directions = np.linalg.eigh(scaled.T @ scaled)
    used = values > _DEPENDENT
    return np.asarray(scaled @ (directions[:, used] / np.sqrt(values[used])))


def _without(basis: Floats, columns: Floats) -> Floats:
    """What an orthonormal basis leaves of columns; twice, as once leaves more than rounding where it leaves little."""
    once = columns - basis @ (basis.T @ columns)
    return np.asarray(once - basis @ (basis.T @ once))
