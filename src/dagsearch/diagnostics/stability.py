"""How the graph varies over ways to set the analysis up, or over rows drawn anew, where the fit has tried them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks
from dagsearch.confidence.result import Confidence
from dagsearch.confidence.specifications import AveragedConfidence
from dagsearch.diagnostics.families import require_fitted
from dagsearch.diagnostics.record import Record

Floats = NDArray[np.float64]

_LEAST_SHOWN = 0.05
_TINY = 1e-300  # probabilities whose sum is nothing have no share either


@dataclass(frozen=True)
class PairProbabilities(Record):
    """A pair of variables, and what each column of a `Stability` says of it.

    Attributes
    ----------
    cause, effect
        Names, the likelier direction first.
    values
        A probability for each column.
    forward
        Over specifications: for each column, the share of this direction in the probability of an edge; else empty.
    """

    cause: str
    effect: str
    values: tuple[float, ...]
    forward: tuple[float, ...] = ()


@dataclass(frozen=True)
class Stability(Record):
    """How the graph varies.

    Attributes
    ----------
    columns
        What each number of a pair is: the probability of an edge between them by a specification, or how often rows
        drawn anew gave an edge, this direction, and the other one.
    pairs
        Those that anything speaks for, the likeliest first.
    summary
        All that in words.
    """

    columns: tuple[str, ...]
    pairs: tuple[PairProbabilities, ...]
    summary: str


def stability(model: Any, most_pairs: int = 200) -> Stability | None:
    """How the graph varies over specifications or replicates; None if the fit has tried neither.

    Parameters
    ----------
    model
        A fitted estimator, or a `Confidence`.
    most_pairs
        The most pairs that are given.

    Raises
    ------
    InputError
        If the model is not fitted.
    """
    checks.integer("most_pairs", most_pairs, 1)
    found = model if isinstance(model, Confidence) else require_fitted(model).confidence_
    if isinstance(found, AveragedConfidence):
        return _over_specifications(found, most_pairs)
    if found is not None and "n_replicates" in found.details:
        return _over_replicates(found, most_pairs)
    return None


def _over_specifications(found: AveragedConfidence, most_pairs: int) -> Stability:
    each = [result.confidence.adjacency_probability for result in found.specifications]
    names = tuple(result.name for result in found.specifications)
    pairs = _likeliest(found, np.max(each, axis=0), most_pairs)
    forward = [result.edge_probability for result in found.specifications]
    rows = tuple(
        PairProbabilities(
            found.names[i],
            found.names[j],
            tuple(float(adjacent[i, j]) for adjacent in each),
            tuple(float(one[i, j] / max(one[i, j] + one[j, i], _TINY)) for one in forward),
        )
        for i, j in pairs
    )
    values = np.array([row.values for row in rows]).reshape(len(rows), len(names))
    n_agreed = int(((values > 0.5).all(axis=1) | (values <= 0.5).all(axis=1)).sum())
    summary = (
        f"The probability that two variables are adjacent, by {len(names)} ways to set the analysis up. On {n_agreed} "
        f"of {len(rows)} pairs all agree whether it is more than a half."
    )
    return Stability(names, rows, summary)


def _over_replicates(found: Confidence, most_pairs: int) -> Stability:
    pairs = _likeliest(found, found.adjacency_probability, most_pairs)
    rows = tuple(
        PairProbabilities(
            found.names[i],
            found.names[j],
            (
                float(found.adjacency_probability[i, j]),
                float(found.edge_probability[i, j]),
                float(found.edge_probability[j, i]),
            ),
        )
        for i, j in pairs
    )
    summary = f"How often {found.details['n_replicates']} tables of rows drawn anew gave an edge."
    if found.samples is not None and len(found.samples):
        counts = found.samples.sum(axis=(1, 2))
        least, most = int(counts.min()), int(counts.max())
        summary += f" Their graphs have {least} to {most} edges." if least < most else f" Each graph has {most} edges."
    return Stability(("any edge", "in this direction", "in the other one"), rows, summary)


def _likeliest(found: Confidence, adjacent: Floats, most: int) -> list[tuple[int, int]]:
    """Pairs, the likelier direction first."""
    upper = np.argwhere(np.triu(adjacent >= _LEAST_SHOWN, 1)).tolist()
    upper.sort(key=lambda pair: (-round(float(adjacent[pair[0], pair[1]]), 9), pair))
    forward = found.edge_probability
    return [(i, j) if forward[i, j] >= forward[j, i] else (j, i) for i, j in upper[:most]]
