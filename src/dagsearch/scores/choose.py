"""Which score suits a table, for users who do not want to choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dagsearch.data import Dataset
from dagsearch.scores.mean_models import Model

N_BINS = 5
MAX_QUADRATIC_NODES = 100
MIN_QUADRATIC_SAMPLES = 100

#: Seconds that a search may take by `estimated_seconds` before ``"auto"`` takes fewer models of the mean.
AFFORDABLE_SECONDS = 300.0

# From the richest to the cheapest. What a local score took on one core (`benchmarks/evidence.py`), in milliseconds: in
# any case, and per thousand rows.
_FAMILIES: tuple[tuple[tuple[Model, ...], str, float, float], ...] = (
    (("linear", "additive", "joint"), "linear, additive and joint models", 1.5, 2.2),
    (("linear", "additive"), "linear and additive models", 1.0, 0.65),
    (("linear",), "linear models", 0.6, 0.45),
)
#: Scores that average models, and how many times as long as those of ``evidence`` their local scores take.
_TIMES_AS_LONG = {"evidence": 1.0, "mixed": 1.5}
_TIMES_AS_LONG_WITH_GAPS = 6.0  # each parent set is fitted on rows of its own, with all its subsets
_ASKED_PER_PAIR = (
    15.0  # local scores that CD-UCT asked for, for each pair of variables: 5 to 18 from 10 to 50 variables
)


@dataclass(frozen=True)
class Choice:
    """A score's name and settings, the table it is to be used on, and the reason in words."""

    score: str
    data: Dataset
    reason: str
    settings: Mapping[str, Any] = field(default_factory=dict)


def choose(data: Dataset, regression: bool = False, chooses_models: bool = True) -> Choice:
    """Pick a score by the kinds of the columns and the size of the table.

    All discrete: ``bic-discrete``. All continuous: ``evidence``. Both: ``mixed``. The last two have fewer models where
    the table is large.

    Parameters
    ----------
    data
        The table.
    regression
        Whether it must be a BIC score: of regressions if all columns are numbers, ``bic-quadratic``, or ``bic-linear``
        where the table is too wide or too short for products of parents; if there is text beside numbers, these are cut
        into bins and it is ``bic-discrete``.
    chooses_models
        Whether models of the mean may be left out; otherwise somebody else has chosen them.
    """
    n_discrete = sum(kind == "discrete" for kind in data.kinds)
    if n_discrete == data.n_nodes:
        return Choice("bic-discrete", data, "all columns are discrete")
    if regression:
        return _bic(data, n_discrete)
    score, what = "evidence", "all columns are continuous"
    if n_discrete:
        score, what = "mixed", f"{data.n_nodes - n_discrete} columns are continuous and {n_discrete} discrete"
    return _averaged(score, data, what) if chooses_models else Choice(score, data, what)


def estimated_seconds(n_nodes: int, n_samples: int, models: tuple[Model, ...], score: str = "evidence") -> float:
    """About how long CD-UCT takes with a score on one core: local scores asked for, times what one takes."""
    return _ASKED_PER_PAIR * n_nodes**2 * milliseconds_per_fit(n_samples, models, score) / 1000.0


def milliseconds_per_fit(n_samples: float, models: Iterable[Model], score: str = "evidence") -> float:
    """About how long a local score takes on one core: what the cheapest family with the models does."""
    wanted = set(models)
    fixed, per_thousand_rows = next(cost for family, _, *cost in reversed(_FAMILIES) if wanted <= set(family))
    return _TIMES_AS_LONG[score] * (fixed + per_thousand_rows * n_samples / 1000.0)


def _averaged(score: str, data: Dataset, what: str) -> Choice:
    """A score that averages models, with all that can be afforded, or with linear ones."""
    times = 1.0 if data.is_complete else _TIMES_AS_LONG_WITH_GAPS
    estimates = {
        models: times * estimated_seconds(data.n_nodes, data.n_samples, models, score) for models, *_ in _FAMILIES
    }
    affordable = [family for family in _FAMILIES if estimates[family[0]] <= AFFORDABLE_SECONDS]
    models, in_words, *_ = affordable[0] if affordable else _FAMILIES[-1]
    if models == _FAMILIES[0][0]:
        return Choice(score, data, what)
    minutes = estimates[_FAMILIES[0][0]] / 60.0
    reason = f"{what}; with {in_words} only, since all models would take about {minutes:,.0f} minutes of one core"
    return Choice(score, data, reason, {"models": models})


def _bic(data: Dataset, n_discrete: int) -> Choice:
    """BIC of regressions, or of bins beside text."""
    n_text = sum(labels is not None for labels in data.labels)
    if n_text:
        continuous = [name for name, kind in zip(data.names, data.kinds, strict=True) if kind == "continuous"]
        reason = (
            f"{n_text} columns hold text, so the {len(continuous)} continuous ones were cut into {N_BINS} bins each"
        )
        return Choice("bic-discrete", data.binned(continuous, N_BINS), reason)
    what = "all columns are continuous" if not n_discrete else f"all columns are numbers ({n_discrete} with few levels)"
    if data.n_nodes > MAX_QUADRATIC_NODES:
        return Choice("bic-linear", data, f"{what}, too many of them for products")
    if data.n_samples < MIN_QUADRATIC_SAMPLES:
        return Choice("bic-linear", data, f"{what}, and {data.n_samples} rows are few")
    return Choice("bic-quadratic", data, what)
