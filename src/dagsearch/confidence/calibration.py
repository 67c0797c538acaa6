"""How far probabilities can be trusted: the calibration study, in the small table that dagsearch brings along.

``calibration.csv`` has a line per kind of tables, number of rows and system, with sums by ten bins of probability. It
is written from the records of the study by ``python benchmarks/calibration.py --bundle``; ``results/calibration`` has
the whole study, and docs/confidence.md what it means.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks
from dagsearch.errors import InputError

Kind = Literal["edges", "adjacencies"]
KINDS: tuple[Kind, ...] = ("edges", "adjacencies")
SYSTEMS = ("exact", "chains", "bootstrap")
N_BINS = 10
_SUMS = ("counts", "claimed", "true")
COLUMNS = (
    *("family", "title", "score", "settings", "graphs", "trouble", "system", "n_rows", "n_tables"),
    *(f"{kind}_{name}" for kind in KINDS for name in _SUMS),
)
"""Of the bundled table."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """Claimed against observed, in the bins of probability that are not empty.

    Attributes
    ----------
    claimed
        (n_bins,) mean probability of the pairs in a bin.
    observed
        (n_bins,) share of them that is true.
    count
        (n_bins,) how many pairs there are.
    """

    claimed: NDArray[np.float64]
    observed: NDArray[np.float64]
    count: NDArray[np.int64]


@dataclass(frozen=True)
class CalibrationRow:
    """A system on all tables of one kind and size.

    Attributes
    ----------
    family, title
        The kind of tables and the score that judged them: its name in the study, and in words.
    score, settings
        The score, and the settings that set it apart, as text.
    graphs
        ``"sparse"``: 1 to 1.5 edges per variable; ``"any"``: uniform over all DAGs, so that half of all pairs are
        adjacent.
    trouble
        What breaks the score's assumptions, in words; empty where they hold.
    system
        What gave the probabilities: ``"exact"`` sums, Markov ``"chains"`` or the ``"bootstrap"``.
    n_rows
        Of each table.
    n_tables
        How many there were.
    sums
        By (kind, name): ten sums, over the pairs whose probability is in (0, 0.1], ..., (0.9, 1.0]; the first has 0,
        too. Names are ``"counts"``, ``"claimed"`` (of probabilities) and ``"true"``.
    """

    family: str
    title: str
    score: str
    settings: Mapping[str, str]
    graphs: str
    trouble: str
    system: str
    n_rows: int
    n_tables: int
    sums: Mapping[tuple[str, str], tuple[float, ...]]

    @property
    def holds(self) -> bool:
        """Whether the score's assumptions hold."""
        return not self.trouble


@dataclass(frozen=True)
class CalibrationStudy:
    """All of the study.

    Attributes
    ----------
    rows
        One per kind of tables, number of rows and system.
    """

    rows: tuple[CalibrationRow, ...]

    @property
    def families(self) -> tuple[str, ...]:
        """Names of the kinds of tables."""
        return tuple(dict.fromkeys(row.family for row in self.rows))

    def reliability(
        self, system: str, kind: Kind = "adjacencies", n_rows: int | None = None, family: str | None = None
    ) -> Reliability:
        """What was claimed and what was true, summed over tables.

        Parameters
        ----------
        system
            ``"exact"``, ``"chains"`` or ``"bootstrap"``.
        kind
            ``"edges"``: ordered pairs, which must have the right direction; ``"adjacencies"``: unordered ones.
        n_rows
            Of the tables, 100 or 500; None: both.
        family
            One of `families`; None: all whose score models them rightly.

        Raises
        ------
        InputError
            If an argument is wrong, or the study has nothing of the kind.
        """
        return pooled(self.select(system, n_rows, family), kind)

    def select(self, system: str, n_rows: int | None = None, family: str | None = None) -> tuple[CalibrationRow, ...]:
        """The rows that `reliability` sums; arguments and errors are its."""
        checks.one_of("system", system, SYSTEMS)
        if family is not None:
            checks.one_of("family", family, self.families)
        sizes = sorted({row.n_rows for row in self.rows})
        if n_rows is not None and n_rows not in sizes:
            raise InputError(f"n_rows must be one of {', '.join(map(str, sizes))}, or None, got {n_rows!r}")
        chosen = tuple(
            row
            for row in self.rows
            if row.system == system
            and n_rows in (None, row.n_rows)
            and (row.holds if family is None else row.family == family)
        )
        if not chosen:
            raise InputError(f"the calibration study has no tables for system={system!r} with family={family!r}")
        return chosen

    def comparable(
        self,
        method: str,
        score: str | None = None,
        settings: Mapping[str, Any] | None = None,
        kind: Kind = "adjacencies",
    ) -> Reliability | None:
        """What was claimed and what was true where probabilities came about in the same way as others.

        Parameters
        ----------
        method, score, settings
            As in `in_words`.
        kind
            As in `reliability`.

        Returns
        -------
        Reliability or None
            Over tables of sparse graphs whose score models them rightly; None if the study has no such score.
        """
        from dagsearch.confidence.calibration_words import comparable_rows  # noqa: PLC0415 - it needs this module

        rows = comparable_rows(self, method, score, settings)
        return pooled(rows, kind) if rows else None

    def in_words(
        self, method: str, n_rows: int, score: str | None = None, settings: Mapping[str, Any] | None = None
    ) -> str:
        """What the study says of probabilities like these, in a few plain sentences.

        Parameters
        ----------
        method
            How they came about: ``method`` of a `Confidence`, or one of the study's systems.
        n_rows
            Of the table that they are about; the nearer of the study's sizes is spoken of.
        score
            Name of the score; None: all that the study has.
        settings
            Of the fit, such as ``result_.settings``: its ``penalty``, ``models``, ``noise`` and ``sample_size`` choose
            the part of the study with the same ones, if there is one.
        """
        from dagsearch.confidence.calibration_words import in_words  # noqa: PLC0415 - it needs this module

        return in_words(self, method, n_rows, score, settings)


def pooled(rows: Iterable[CalibrationRow], kind: str) -> Reliability:
    """Sums over rows, as shares; only of bins that are not empty."""
    checks.one_of("kind", kind, KINDS)
    counts, claimed, true = totals(rows, kind)
    filled = counts > 0
    n = counts[filled]
    return Reliability(claimed[filled] / n, true[filled] / n, n.astype(np.int64))


def totals(rows: Iterable[CalibrationRow], kind: str) -> NDArray[np.float64]:
    """(3, 10): numbers of pairs, sums of their probabilities, numbers of true ones, by bins."""
    parts = [[row.sums[kind, name] for name in _SUMS] for row in rows]
    total: NDArray[np.float64] = np.array(parts, dtype=np.float64).reshape(-1, len(_SUMS), N_BINS).sum(axis=0)
    return total


@cache
def calibration_study() -> CalibrationStudy:
    """The study that dagsearch brings along; read once."""
    text = (resources.files("dagsearch.confidence") / "calibration.csv").read_text(encoding="utf-8")
    return CalibrationStudy(tuple(_row(line) for line in csv.DictReader(text.splitlines())))


def _row(line: dict[str, str]) -> CalibrationRow:
    sums: dict[tuple[str, str], tuple[float, ...]] = {
        (kind, name): tuple(map(float, line[f"{kind}_{name}"].split())) for kind in KINDS for name in _SUMS
    }
    settings = dict(each.split("=", 1) for each in line["settings"].split())
    plain = {name: line[name] for name in ("family", "title", "score", "graphs", "trouble", "system")}
    return CalibrationRow(
        **plain, settings=settings, n_rows=int(line["n_rows"]), n_tables=int(line["n_tables"]), sums=sums
    )
