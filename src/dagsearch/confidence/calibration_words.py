"""What the calibration study says of probabilities, in plain sentences with numbers from its table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dagsearch import checks
from dagsearch.confidence.calibration import SYSTEMS, CalibrationRow, CalibrationStudy, Kind, totals
from dagsearch.errors import UnknownNameError

N_VARIABLES = (8, 12)
"""Of the tables of the study."""
_FEW_TABLES = 30
_MANY_PAIRS = 200
_FAR = 2.0  # times fewer or more rows than any table of the study has
_DEFAULTS = {"penalty": "extended", "models": "linear+additive+joint", "noise": "any", "sample_size": "1"}
_UNCOVERED = "the study says nothing of how far its probabilities can be trusted"
_BEST_CASE = (
    "Real data break assumptions in more ways than simulations do: hidden causes, errors of measurement or selection; "
    "take these shares for the best case."
)


class _Chosen(NamedTuple):
    """Rows of one score where its assumptions hold, all numbers of rows, and what is to be said of the choice."""

    rows: tuple[CalibrationRow, ...]
    proviso: str


def in_words(
    study: CalibrationStudy, method: str, n_rows: int, score: str | None, settings: Mapping[str, Any] | None
) -> str:
    """The sentences of `CalibrationStudy.in_words`."""
    system = system_of(method)
    checks.integer("n_rows", n_rows, 1)
    sparse = _sparse(study, system)
    chosen = _where_score_holds(sparse, score, settings)
    if not chosen.rows:
        scores = ", ".join(dict.fromkeys(row.score for row in sparse))
        return f"The calibration study has {_called(system)} of {scores} only, not of {score}: {_UNCOVERED}."
    sizes = sorted({row.n_rows for row in chosen.rows})
    near = min(sizes, key=lambda size: (max(size / n_rows, n_rows / size), size))
    own = [row for row in chosen.rows if row.n_rows == near]
    said = [_where_it_holds(own, near, chosen.proviso)]
    said += [_elsewhere(f"With {size} rows", chosen.rows, size) for size in sizes if size != near]
    said += _where_it_fails(_for_score([row for row in sparse if row.trouble], score, settings or {}), near)
    said += _on_size(n_rows, sizes)
    if "specifications" in method:
        said.append("The study has probabilities of single specifications, not averages over several.")
    return " ".join([*said, _BEST_CASE])


def comparable_rows(
    study: CalibrationStudy, method: str, score: str | None, settings: Mapping[str, Any] | None
) -> tuple[CalibrationRow, ...]:
    """The rows of `CalibrationStudy.comparable`."""
    return _where_score_holds(_sparse(study, system_of(method)), score, settings).rows


def _sparse(study: CalibrationStudy, system: str) -> list[CalibrationRow]:
    return [row for row in study.rows if row.system == system and row.graphs == "sparse"]


def _where_score_holds(
    rows: Iterable[CalibrationRow], score: str | None, settings: Mapping[str, Any] | None
) -> _Chosen:
    return _for_score([row for row in rows if row.holds], score, settings or {})


def system_of(method: str) -> str:
    """Which system of the study found probabilities in such a way, as `Confidence.method` has it."""
    for system in SYSTEMS:
        if system in str(method):
            return system
    raise UnknownNameError("method", method, ("posterior, exact", "posterior, chains", "bootstrap"))


def _called(system: str) -> str:
    return {"exact": "exact posteriors", "chains": "posteriors by chains", "bootstrap": "bootstraps"}[system]


def _for_score(rows: Sequence[CalibrationRow], score: str | None, settings: Mapping[str, Any]) -> _Chosen:
    """The rows with the same score and settings; those with other settings where there are none."""
    if score is None:
        return _Chosen(tuple(rows), "")
    of_score = tuple(row for row in rows if row.score == score)
    given = {name: _as_text(settings.get(name)) or default for name, default in _DEFAULTS.items()}
    same = tuple(
        row for row in of_score if all(given.get(name, value) == value for name, value in row.settings.items())
    )
    return _Chosen(same, "") if same else _Chosen(of_score, f"{score} with other settings than here, ")


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return "+".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _where_it_holds(rows: Sequence[CalibrationRow], n_rows: int, proviso: str) -> str:
    titles = "; ".join(dict.fromkeys(row.title for row in rows))
    n_tables = sum(row.n_tables for row in rows)
    only = "only " if n_tables < _FEW_TABLES else ""
    low, high = N_VARIABLES
    pairs, edges = _sure(rows, "adjacencies"), _sure(rows, "edges")
    return (
        f"In simulations where the model holds ({proviso}{titles}; {n_rows} rows, {low} to {high} variables, "
        f"{only}{n_tables} tables), {pairs.sentence('pairs', 'were joined by an edge')}; "
        f"{edges.sentence('edges', 'were there with their direction')}."
    )


def _elsewhere(where: str, rows: Iterable[CalibrationRow], n_rows: int) -> str:
    chosen = [row for row in rows if row.n_rows == n_rows]
    pairs, edges = _sure(chosen, "adjacencies"), _sure(chosen, "edges")
    return f"{where}: {pairs.share} of pairs ({pairs.size}), {edges.share} of edges ({edges.size})."


def _where_it_fails(chosen: _Chosen, n_rows: int) -> list[str]:
    """One sentence, if the study has such tables."""
    rows = [row for row in chosen.rows if row.n_rows == n_rows]
    if not rows:
        return []
    troubles = " or ".join(dict.fromkeys(row.trouble for row in rows))
    proviso = f" ({chosen.proviso.removesuffix(', ')})" if chosen.proviso else ""
    return [_elsewhere(f"With {n_rows} rows and {troubles}{proviso}", rows, n_rows)]


def _on_size(n_rows: int, sizes: Sequence[int]) -> list[str]:
    if sizes[0] / _FAR <= n_rows <= sizes[-1] * _FAR:
        return []
    return [f"This table has {n_rows:,} rows; the study has none like it."]


class _Sure(NamedTuple):
    """Pairs above 90%."""

    n: int
    n_true: int

    @property
    def size(self) -> str:
        return f"n = {self.n:,}"

    @property
    def share(self) -> str:
        """In per cent; all of them only if it is all of them."""
        if not self.n:
            return "none"
        percent = 100 * self.n_true / self.n
        n_digits = 1 if self.n >= _MANY_PAIRS or round(percent) == 100 else 0
        return f"{percent:.{n_digits}f}%" if self.n_true < self.n else "100%"

    def sentence(self, what: str, were_true: str) -> str:
        if not self.n:
            return f"no {what} were given more than 0.9"
        return f"of the {what} given more than 0.9, {self.share} {were_true} ({self.size})"


def _sure(rows: Iterable[CalibrationRow], kind: Kind) -> _Sure:
    counts, _, true = totals(rows, kind)
    return _Sure(int(counts[-1]), int(true[-1]))
