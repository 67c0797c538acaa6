"""Scales on which a table can be looked at: as measured, in logarithms, or by ranks alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import UnknownNameError

SCALES = ("measured", "log", "normal-scores")
"""All scales there are."""


def rescaled(values: NDArray[np.float64], scale: str) -> NDArray[np.float64]:
    """Return columns on another scale, (n_samples, n_columns).

    Parameters
    ----------
    values
        (n_samples, n_columns).
    scale
        ``"measured"``: as they are; ``"log"``: logarithms of columns whose values are all positive, others as they are;
        ``"normal-scores"``: the quantiles of a normal distribution that belong to the ranks, equal values sharing one.

    Raises
    ------
    UnknownNameError
        If there is no such scale.
    """
    if scale == "measured":
        return values.copy()
    if scale == "log":
        positive = (values > 0.0).all(axis=0)
        return np.where(positive, np.log(np.where(positive, values, 1.0)), values)
    if scale == "normal-scores":
        return _normal_scores(values)
    raise UnknownNameError("scale", scale, SCALES)


def different_scales(values: NDArray[np.float64]) -> tuple[str, ...]:
    """Return the scales on which a table looks different, but for units, from those before."""
    found: dict[str, NDArray[np.float64]] = {}
    for scale in SCALES:
        table = _without_units(rescaled(values, scale))
        if not any(np.allclose(table, earlier, rtol=0.0, atol=1e-9) for earlier in found.values()):
            found[scale] = table
    return tuple(found)


def _normal_scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Van der Waerden's scores: quantiles at rank / (n_samples + 1)."""
    from scipy.special import ndtri  # noqa: PLC0415 - most tables are never rescaled
    from scipy.stats import rankdata  # noqa: PLC0415

    ranks: Any = rankdata(values, axis=0)
    scores: NDArray[np.float64] = ndtri(ranks / (len(values) + 1))
    return scores


def _without_units(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns with mean 0 and standard deviation 1; a constant column becomes zeros."""
    largest = np.abs(values).max(axis=0)
    centred = values / np.where(largest > 0.0, largest, 1.0)  # squares then neither overflow nor vanish
    centred -= centred.mean(axis=0)
    spread = centred.std(axis=0)
    standardised: NDArray[np.float64] = centred / np.where(spread > 0.0, spread, 1.0)
    return standardised
