"""The total effect of one variable on another one: along all causal paths together.

The effect is regressed on the cause and on an adjustment set that the graph gives. Where the data leave directions
open, the effect is computed for every set of parents that the cause can have (IDA, its local version; see
`dagsearch.graph.possible`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch._display import Displayed
from dagsearch.causal_effects.family import AVERAGE_SLOPE, SLOPE, Family, Influence, usable_rows
from dagsearch.causal_effects.words import in_words
from dagsearch.data import Dataset
from dagsearch.graph import DAG, PDAG
from dagsearch.graph.queries import AdjustmentKind, different

Interval = tuple[float, float]

_NO_CAUSE = "{cause!r} is no cause of {effect!r} in this graph, neither directly nor by others: the effect is zero"


@dataclass(frozen=True)
class TotalEffect(Displayed):
    """What a change of a cause does to an effect along all paths, if the graph is right.

    Attributes
    ----------
    cause, effect
        Names.
    estimate
        The change of the effect, in its units, for one unit more of the cause; from the first level to the second one
        of a cause with two. None if it is more than one number (see `contrasts`), or not determined (see `reason`).
    standardised
        The same with both variables in standard deviations.
    interval
        Where the estimate lies in the middle `level` of bootstrap samples of the rows; None without an estimate. It
        knows of no doubts about the graph.
    level
        Share of the bootstrap samples within the interval.
    range
        Least and largest effect over the graphs that the data cannot tell apart; None if no direction is open.
    values
        These effects, ascending, one for each set of parents that the cause can have.
    adjusts_for
        The adjustment set; None where the graph says that there is no effect.
    method
        How it was computed.
    kind, contrasts, reference, outcome, rising
        As in `DirectEffect`.
    contrast_intervals
        The interval of each contrast.
    n_rows
        Number of rows that were used.
    n_bootstrap
        Number of bootstrap samples.
    seed
        That repeats the bootstrap.
    reason
        Why there is no number, or why it is zero.
    """

    cause: str
    effect: str
    estimate: float | None
    standardised: float | None
    interval: Interval | None
    level: float
    range: Interval | None
    values: tuple[float, ...]
    adjusts_for: tuple[str, ...] | None
    method: str
    kind: str
    contrasts: Mapping[str, float] = field(default_factory=dict, hash=False)
    contrast_intervals: Mapping[str, Interval] = field(default_factory=dict, hash=False)
    reference: str | None = None
    outcome: str | None = None
    rising: float | None = None
    n_rows: int = 0
    n_bootstrap: int = 0
    seed: int = 0
    reason: str = ""

    @property
    def adjustment_set(self) -> tuple[str, ...] | None:
        """Another name of ``adjusts_for``."""
        return self.adjusts_for

    def to_dict(self) -> dict[str, Any]:
        """All of it in types that JSON has."""
        told = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name in ("interval", "range", "values", "adjusts_for"):
            told[name] = None if told[name] is None else list(told[name])
        told["contrasts"] = dict(self.contrasts)
        told["contrast_intervals"] = {key: list(value) for key, value in self.contrast_intervals.items()}
        return told

    def __str__(self) -> str:
        return in_words(self)


@dataclass(frozen=True)
class Settings:
    """How a total effect is computed: see `dagsearch.effects`."""

    additive: bool = True
    adjust: AdjustmentKind = "parents"
    n_bootstrap: int = 200
    level: float = 0.95
    seed: int = 0


def total_effect(
    graph: DAG | PDAG, data: Dataset, cause: str, effect: str, settings: Settings, graph_class: PDAG | None = None
) -> TotalEffect:
    """The effect of a cause along all causal paths.

    Parameters
    ----------
    graph
        A DAG; for a PDAG the adjustment set is that of one of its members, or its directed parents if it has none.
    data
        The table, with the nodes of the graph among its columns. Rows in which the effect, or a variable on the way to
        it, was set by an experiment are left out.
    cause, effect
        Names of two different variables.
    settings
        How to compute it.
    graph_class
        The graphs that the data cannot tell apart, if there are several.

    Raises
    ------
    InputError
        If cause and effect are the same, or there are too many sets of parents that the cause can have.
    UnknownNameError
        If one of them is not in the graph.
    """
    i, j = different(graph, cause, effect)
    cause, effect = graph.names[i], graph.names[j]
    open_graph = graph if isinstance(graph, PDAG) else graph_class
    question = _Question(data, cause, effect, settings.additive, _on_the_way(graph, open_graph, cause, effect))
    values = _over_the_class(open_graph, question)
    adjusts_for = _adjustment(graph, cause, effect, settings.adjust)
    several: dict[str, Any] = {
        "values": values,
        "range": (values[0], values[-1]) if values else None,
        "level": settings.level,
    }
    if adjusts_for is None:
        return _zero(cause, effect, several, settings)
    family = question.family(adjusts_for)
    influence = family.influence(data.names.index(cause))
    interval, intervals = _intervals(family, data.names.index(cause), influence, settings)
    shared = {name: getattr(influence, name) for name in ("kind", "contrasts", "reference", "outcome", "rising")}
    return TotalEffect(
        cause=cause,
        effect=effect,
        estimate=influence.coefficient,
        standardised=influence.standardised,
        interval=interval,
        adjusts_for=tuple(adjusts_for),
        method=_method(influence, settings, adjusts_for),
        contrast_intervals=intervals,
        n_rows=family.n_rows,
        n_bootstrap=settings.n_bootstrap,
        seed=settings.seed,
        reason=influence.reason,
        **several,
        **shared,
    )


@dataclass(frozen=True)
class _Question:
    """The regressions that give an effect, each for another adjustment set."""

    data: Dataset
    cause: str
    effect: str
    additive: bool
    on_the_way: Sequence[str]

    def family(self, adjusts_for: Sequence[str]) -> Family:
        """The effect explained by its cause and by what is adjusted for."""
        place = self.data.names.index
        effect, nodes = place(self.effect), [place(name) for name in (self.cause, *adjusts_for)]
        never_set = [place(name) for name in self.on_the_way]
        return Family(self.data, effect, nodes, usable_rows(self.data, effect, nodes, never_set), self.additive)

    def coefficient(self, parents: Sequence[str]) -> float | None:
        """The effect if these are the parents of the cause."""
        if self.effect in parents:
            return 0.0
        return self.family(parents).influence(self.data.names.index(self.cause)).coefficient


def _on_the_way(graph: DAG | PDAG, open_graph: PDAG | None, cause: str, effect: str) -> list[str]:
    """Variables on a path from cause to effect in one of the graphs."""
    if open_graph is None:
        return [name for name in graph.descendants(cause) if effect in graph.descendants(name)]
    possible = open_graph.possible_descendants(cause)
    return [name for name in possible if name != effect and effect in open_graph.possible_descendants(name)]


def _over_the_class(graph: PDAG | None, question: _Question) -> tuple[float, ...]:
    """The effects that the members of a class have, ascending; empty if no direction matters or one is not known."""
    if graph is None or not graph.undirected_edges:
        return ()
    if question.effect not in graph.possible_descendants(question.cause):
        return ()
    effects = [question.coefficient(parents) for parents in graph.possible_parents(question.cause)]
    known = sorted(effect for effect in effects if effect is not None)
    return tuple(known) if len(known) == len(effects) > 1 else ()


def _adjustment(graph: DAG | PDAG, cause: str, effect: str, adjust: AdjustmentKind) -> list[str] | None:
    """What to adjust for; None if the cause has no effect."""
    if isinstance(graph, PDAG):
        if not graph.has_member:
            return graph.parents(cause) if effect in graph.possible_descendants(cause) else None
        graph = graph.to_dag()
    if effect not in graph.descendants(cause):
        return None
    return graph.adjustment_set(cause, effect, adjust)


def _zero(cause: str, effect: str, several: dict[str, Any], settings: Settings) -> TotalEffect:
    """What the graph says without looking at the data."""
    return TotalEffect(
        cause=cause,
        effect=effect,
        estimate=0.0,
        standardised=0.0,
        interval=(0.0, 0.0),
        adjusts_for=None,
        method="by the graph alone",
        kind=SLOPE,
        seed=settings.seed,
        reason=_NO_CAUSE.format(cause=cause, effect=effect),
        **several,
    )


def _method(influence: Influence, settings: Settings, adjusts_for: Sequence[str]) -> str:
    """How an effect was computed, in few words."""
    how = "additive regression" if settings.additive else "linear regression"
    how += f", {AVERAGE_SLOPE}" if influence.kind == AVERAGE_SLOPE else ""
    by = f"adjusted by {settings.adjust}" if adjusts_for else "nothing to adjust for"
    return f"{how}, {by}"


def _intervals(
    family: Family, cause: int, influence: Influence, settings: Settings
) -> tuple[Interval | None, dict[str, Interval]]:
    """Percentiles over bootstrap samples of the rows: of the single change, and of each contrast by name."""
    if influence.reason or settings.n_bootstrap == 0:
        return None, {}
    rng = np.random.default_rng(settings.seed)
    samples: list[NDArray[np.float64]] = []
    for _ in range(settings.n_bootstrap):
        drawn = rng.integers(family.n_rows, size=family.n_rows)
        weights = np.bincount(drawn, minlength=family.n_rows).astype(np.float64)
        changes = family.changes(cause, family.regression.solve(weights), weights)
        if changes is not None:
            samples.append(changes)
    # A level that is missing from many samples leaves too few that could tell.
    if 2 * len(samples) <= settings.n_bootstrap:
        return None, {}
    ends = np.quantile(np.array(samples), [(1.0 - settings.level) / 2.0, (1.0 + settings.level) / 2.0], axis=0)
    lows, highs = (family.named(cause, end) for end in ends)
    single = (float(ends[0, 0, 0]), float(ends[1, 0, 0])) if ends[0].size == 1 else None
    return single, {name: (lows[name], highs[name]) for name in lows}
