"""What ``confidence="auto"`` goes by: whether the exact posterior takes seconds, as table and score tell beforehand.

Never the clock: the same table and settings give the same result on any machine.
"""

from __future__ import annotations

from typing import Any, Never

from dagsearch.confidence.exact import MOST_NODES, PrecisionError
from dagsearch.confidence.posterior import Posterior, reason_against
from dagsearch.confidence.weights import Restrictions, most_parents
from dagsearch.scores import MIXED, Score
from dagsearch.scores.choose import milliseconds_per_fit
from dagsearch.scores.rows import PartialScore

MOST_SECONDS = 15.0
"""By the estimates below, on one core; they are upper bounds of what was measured."""

MICROSECONDS_PER_SET: dict[str, tuple[float, float]] = {
    "bic-linear": (1.0, 0.0),
    "bic-quadratic": (30.0, 0.0),
    "bic-discrete": (14.0, 4.0),
    "bdeu": (30.0, 8.0),
}
"""What the local score of a parent set takes, in any case and per thousand rows; ``evidence`` and ``mixed`` have their
own estimate."""

_SECONDS_PER_PART = 0.02
"""What the local score of a parent set takes, with about a thousand rows, if it has rows of its own."""

_SECONDS_PER_PAIR_OF_SETS = 1.5e-8
"""Of sums over all graphs, which go through all 3^n pairs of a set and a subset of it."""


def reason_against_exact(score: Score, restrictions: Restrictions, most_seconds: float = MOST_SECONDS) -> str:
    """Say why the exact posterior is not to be had within seconds; nothing if it is.

    Parameters
    ----------
    score
        The score, with its table.
    restrictions
        Which parent sets there may be.
    most_seconds
        What it may take.
    """
    reason = reason_against(score)
    if reason:
        return f"rewards of {score.name} are no log probabilities: {reason}"
    if score.n_nodes > MOST_NODES:
        return f"sums over all graphs are out of reach beyond {MOST_NODES} variables"
    per_set = _seconds_per_set(score)
    if per_set is None:
        return f"how long a posterior by {score.name} takes is not known beforehand"
    n_sets = restrictions.n_sets(most_parents(restrictions, score))
    seconds = n_sets * per_set + 3.0**score.n_nodes * _SECONDS_PER_PAIR_OF_SETS
    if seconds <= most_seconds:
        return ""
    return f"a posterior may take {_in_words(seconds)}"


def _seconds_per_set(score: Score) -> float | None:
    """What a local score takes; None if nobody knows."""
    if isinstance(score, PartialScore):
        return _SECONDS_PER_PART * (score.family.n_samples / 1000.0 + 1.0)
    thousands = score.family.n_samples / 1000.0
    if score.name in ("evidence", *MIXED):
        return milliseconds_per_fit(score.family.n_samples, score.settings["models"], score.name) / 1e3
    if score.name not in MICROSECONDS_PER_SET:
        return None
    fixed, per_thousand_rows = MICROSECONDS_PER_SET[score.name]
    return (fixed + per_thousand_rows * thousands) / 1e6


def _in_words(seconds: float) -> str:
    """A time, roughly."""
    for length, unit in ((3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2.0 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.0f} seconds"


class ExactPosterior(Posterior):
    """As `Posterior`, but `PrecisionError` where chains, which take minutes, would have to sample it."""

    def _by_chains(self, *_: Any) -> Never:
        raise PrecisionError("sums over all graphs lose their precision on this table")
