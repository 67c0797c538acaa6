"""What becomes of missing cells before a score or a method sees the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from dagsearch.data.dataset import Dataset
from dagsearch.errors import UnknownNameError

Missing = Literal["local", "drop", "impute", "refuse"]
MISSING: tuple[Missing, ...] = get_args(Missing)

_N_ROUNDS = 10


class Gaps(NamedTuple):
    """A table whose missing cells have been dealt with, and what was done."""

    data: Dataset
    notes: tuple[str, ...] = ()


def without_gaps(data: Dataset, missing: Missing, rng: np.random.Generator | None = None) -> Gaps:
    """Deal with missing cells: leave them to the scores, leave out their rows, fill them, or refuse them.

    Parameters
    ----------
    data
        The table; one without missing cells is returned as it is.
    missing
        ``"local"``: they stay, and each local score goes by the rows that it can use; ``"drop"``: rows with a missing
        cell are left out; ``"impute"``: cells are filled by one draw; ``"refuse"``.
    rng
        What the draw comes from; None: always the same.

    Raises
    ------
    DataError
        If there are missing cells and they are refused, or if too few rows are left.
    """
    if missing not in MISSING:
        raise UnknownNameError("missing", missing, MISSING)
    if data.is_complete:
        return Gaps(data)
    if missing == "refuse":
        data.require_complete()
    n_missing = int(np.isnan(data.values).sum())
    n_rows = int(np.isnan(data.values).any(axis=1).sum())
    if missing == "drop":
        kept = data.complete_rows()
        return Gaps(kept, (f"missing cells: {n_rows} of {data.n_samples} rows were left out",))
    if missing == "impute":
        filled = imputed(data, np.random.default_rng(0) if rng is None else rng)
        return Gaps(filled, (f"missing cells: {n_missing} were filled by one draw from a model of all columns",))
    share = n_missing / data.values.size
    what = f"missing cells: {n_missing} ({share:.1%})"
    return Gaps(data, (f"{what}; each local score or test goes by the rows that have what it needs",))


def imputed(data: Dataset, rng: np.random.Generator) -> Dataset:
    """Fill missing cells by one draw: each column in turn from its regression on all others, round after round.

    Categories take part as indicators of all levels but the first, and the level with the largest draw is taken.

    Parameters
    ----------
    data
        The table.
    rng
        What the draw comes from.
    """
    # Importing them takes long, and the first has to be asked for.
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401, PLC0415
    from sklearn.impute import IterativeImputer  # noqa: PLC0415

    blocks = [_coordinates(data, node) for node in range(data.n_nodes)]
    filler = IterativeImputer(sample_posterior=True, max_iter=_N_ROUNDS, random_state=int(rng.integers(2**31)))
    filled = np.split(filler.fit_transform(np.hstack(blocks)), np.cumsum([b.shape[1] for b in blocks])[:-1], axis=1)
    values = data.values.copy()
    for node, block in enumerate(filled):
        gaps = np.isnan(values[:, node])
        values[gaps, node] = _as_values(data, node, block)[gaps]
    return replace(data, values=values)


def _coordinates(data: Dataset, node: int) -> NDArray[np.float64]:
    """A column as it is, or indicators of the levels of a discrete one, (n_samples, n_coordinates)."""
    column = data.values[:, node]
    if data.kinds[node] == "continuous":
        return column[:, None]
    levels = np.unique(column[~np.isnan(column)])
    indicators = np.asarray(column[:, None] == levels[1:], dtype=np.float64)  # the first follows from the others
    indicators[np.isnan(column)] = np.nan
    return indicators


def _as_values(data: Dataset, node: int, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values from coordinates that were filled."""
    if data.kinds[node] == "continuous":
        return coordinates[:, 0]
    seen = data.values[~np.isnan(data.values[:, node]), node]
    of_first = 1.0 - coordinates.sum(axis=1, keepdims=True)
    values: NDArray[np.float64] = np.unique(seen)[np.hstack([of_first, coordinates]).argmax(axis=1)]
    return values
