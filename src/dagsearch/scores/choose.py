"""Which score suits a table, for users who do not want to choose."""

from __future__ import annotations

from dataclasses import dataclass

from dagsearch.data import Dataset

N_BINS = 5
MAX_QUADRATIC_NODES = 100
MIN_QUADRATIC_SAMPLES = 100


@dataclass(frozen=True)
class Choice:
    """A score's name, the table it is to be used on, and the reason in words."""

    score: str
    data: Dataset
    reason: str


def choose(data: Dataset) -> Choice:
    """Pick a score by the kinds of the columns.

    All discrete: ``bic-discrete``. All numbers: ``bic-quadratic``, or ``bic-linear`` where the table is too wide or too
    short for products of parents. Text beside continuous columns: these are cut into bins and ``bic-discrete`` is used.
    """
    n_discrete = sum(kind == "discrete" for kind in data.kinds)
    n_text = sum(labels is not None for labels in data.labels)
    if n_discrete == data.n_nodes:
        return Choice("bic-discrete", data, "all columns are discrete")
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
