"""The PC algorithm: who is independent of whom, given what, and which directions follow from that.

P. Spirtes, C. Glymour and R. Scheines, "Causation, prediction, and search", 2000, in the order-independent form of
D. Colombo and M. H. Maathuis, JMLR 15, 2014. Tests, skeleton, colliders and Meek's rules are those of ``causal-learn``
with its defaults; the marks of its graphs are turned into ours in `_marks_turned`.

Tests on finite samples may contradict each other. Where they leave an edge with two arrowheads, or arrows that form a
cycle, the data say that there is an edge but not which way it points: it becomes undirected, and the record says so.

Of columns that are the same (up to their units, or up to the names of their levels) the first stands for all: the
others are independent of everything given it. Conditioned on each other, all of them would lose their neighbours.

Where cells are missing, each test goes by the rows that have what it needs, see `seen_rows`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch._twins import Twins, coinciding
from dagsearch.baselines.seen_rows import SINGULAR, SeenRowsTest, twins_with_gaps
from dagsearch.errors import DataError, InputError, MissingExtraError, UnknownNameError
from dagsearch.graph.checks import default_names
from dagsearch.graph.order import edges_on_cycles
from dagsearch.interruption import OutOfTimeError, look

__all__ = ["TESTS", "PcFit", "pc"]

TESTS = ("fisherz", "gsq", "chisq")

BoolMatrix = NDArray[np.bool_]
Pairs = tuple[tuple[int, int], ...]

_FIRST_COLLIDER_WINS = 2  # causal-learn's default rule for colliders that contradict each other


@dataclass(frozen=True, eq=False)
class PcFit:
    """What PC found.

    Attributes
    ----------
    directed
        (n_nodes, n_nodes); [i, j]: i -> j. Without cycles.
    undirected
        (n_nodes, n_nodes), symmetric; [i, j]: i - j.
    contradictory
        Pairs (lower index, higher index) that are undirected because the tests gave them two arrowheads, or made them
        part of a directed cycle.
    n_tests
        Number of tests of independence.
    unseen
        Pairs that too few rows hold together to be tested; they are taken to be independent.
    n_undecided
        How many tests given other variables had too few rows; their pairs stay joined.
    """

    directed: BoolMatrix
    undirected: BoolMatrix
    contradictory: Pairs
    n_tests: int
    unseen: Pairs = ()
    n_undecided: int = 0

    @property
    def adjacency(self) -> NDArray[np.int8]:
        """Both kinds of edges, (n_nodes, n_nodes); [i, j] == 1 alone means i -> j, both ways i - j."""
        return (self.directed | self.undirected).astype(np.int8)


def pc(
    values: NDArray[Any],
    test: str,
    level: float = 0.05,
    allowed: BoolMatrix | None = None,
    required: BoolMatrix | None = None,
    names: Sequence[str] | None = None,
    on_early_end: Callable[[PcFit], None] | None = None,
) -> PcFit:
    """Learn a partially directed graph by tests of conditional independence.

    Parameters
    ----------
    values
        (n_samples, n_nodes): numbers for ``"fisherz"``, codes of levels for ``"gsq"`` and ``"chisq"``. NaN: missing.
    test
        One of `TESTS`.
    level
        Two variables are taken to be dependent if the p-value is at most this.
    allowed
        (n_nodes, n_nodes); not [i, j]: there is no edge i -> j. A pair that may not be joined either way is tested all
        the same; if the tests do not separate it, no collider is concluded from its absence.
    required
        (n_nodes, n_nodes); [i, j]: there is an edge i -> j, whatever the tests say.
    names
        Of the columns, for messages.
    on_early_end
        Called, if tests are ended by an exception, with the pairs that were tested and not separated so far,
        undirected, beside required edges.

    Raises
    ------
    InputError
        If the test or the level is unknown, or the knowledge contradicts itself or leaves only a cycle.
    DataError
        If the table does not suit the test; the message names the columns.
    MissingExtraError
        If the package ``causal-learn`` is not installed.
    """
    labels = default_names(values.shape[1]) if names is None else tuple(names)
    _check_settings(test, level)
    twins = _checked_twins(values, test, labels)
    knowledge = _Knowledge.over(len(labels), allowed, required)
    marks, tally = _marks(values, test, level, knowledge, twins, on_early_end)
    directed, undirected, bidirected = _marks_turned(marks)
    released = bidirected | (edges_on_cycles(directed) & ~knowledge.fixed)
    released |= released.T
    directed &= ~released
    _refuse_fixed_cycle(directed, labels)
    return PcFit(directed, undirected | released, _pairs(released), *tally)


@dataclass(frozen=True, eq=False)
class _Knowledge:
    """Knowledge about edges, (n_nodes, n_nodes) each."""

    allowed: BoolMatrix
    required: BoolMatrix

    @classmethod
    def over(cls, n_nodes: int, allowed: BoolMatrix | None, required: BoolMatrix | None) -> _Knowledge:
        """Knowledge as it was given, or none."""
        everything = ~np.eye(n_nodes, dtype=bool)
        given = everything if allowed is None else everything & allowed
        needed = np.zeros_like(everything) if required is None else required
        if (needed & ~given).any() or (needed & needed.T).any():
            raise InputError("required edges must be allowed, and required in one direction only")
        return cls(given, needed)

    @property
    def fixed(self) -> BoolMatrix:
        """Directions that leave no choice, should there be an edge."""
        return self.required | (self.allowed & ~self.allowed.T)

    @property
    def joined(self) -> BoolMatrix:
        """Pairs with an edge, whatever the tests say."""
        return self.required | self.required.T

    @property
    def apart(self) -> BoolMatrix:
        """Pairs without an edge, whatever the tests say."""
        return ~(self.allowed | self.allowed.T)


class _Tally(NamedTuple):
    """What was tested, and what could not be; as in `PcFit`."""

    n_tests: int
    unseen: Pairs = ()
    n_undecided: int = 0


class _Test:
    """A test of causal-learn that counts its calls, does not question required edges, and knows of twins."""

    def __init__(self, inner: Any, knowledge: _Knowledge, twins: Twins, level: float) -> None:
        self.method = inner.method
        self.n_calls = 0
        self._inner, self._knowledge, self._level = inner, knowledge, level
        self._joined = knowledge.joined
        self._were_tested, self._were_separated = np.zeros((2, *self._joined.shape), dtype=bool)
        self._first_twin: list[int] = twins.first.tolist()

    @property
    def tally(self) -> _Tally:
        """What was tested, and what could not be."""
        if not isinstance(self._inner, SeenRowsTest):
            return _Tally(self.n_calls)
        return _Tally(self.n_calls, tuple(sorted(self._inner.unseen)), self._inner.n_undecided)

    @property
    def so_far(self) -> PcFit:
        """What no test has separated, of what was tested."""
        left = self._were_tested & ~self._were_separated & ~self._knowledge.apart & ~self._joined
        return PcFit(self._knowledge.required, left | left.T, (), *self.tally)

    def __call__(self, first: int, second: int, given: Any) -> float:
        """P-value of independence."""
        look()
        p_value = self._p_value(first, second, given)
        ends = min(first, second), max(first, second)
        self._were_tested[ends] = True
        self._were_separated[ends] |= p_value > self._level
        return p_value

    def _p_value(self, first: int, second: int, given: Any) -> float:
        if self._joined[first, second]:
            return 0.0
        own = {self._first_twin[first], self._first_twin[second]}
        if (own - {first, second}).intersection(given):
            return 1.0
        if len(own) == 1:
            return 0.0
        self.n_calls += 1
        others = {self._first_twin[node] for node in given} - own
        return float(self._inner(first, second, tuple(sorted(others))))


def _marks(
    values: NDArray[Any],
    test: str,
    level: float,
    knowledge: _Knowledge,
    twins: Twins,
    on_early_end: Callable[[PcFit], None] | None,
) -> tuple[NDArray[Any], _Tally]:
    """Run PC, and return the marks of causal-learn and what was tested."""
    try:
        from causallearn.utils.cit import CIT  # noqa: PLC0415
        from causallearn.utils.PCUtils import Meek, SkeletonDiscovery, UCSepset  # noqa: PLC0415
        from causallearn.utils.PCUtils.BackgroundKnowledgeOrientUtils import (  # noqa: PLC0415
            orient_by_background_knowledge,
        )
    except ImportError as error:
        raise MissingExtraError("PC", "baselines") from error
    inner = CIT(values, test) if _is_complete(values) else SeenRowsTest(values, test, CIT)
    counted = _Test(inner, knowledge, twins, level)
    try:
        graph = SkeletonDiscovery.skeleton_discovery(values, level, counted, stable=True, show_progress=False)
        _take_apart(graph, knowledge.apart)
        _separate_by_all(graph, counted.tally.unseen)
        background = _background(graph, knowledge)
        orient_by_background_knowledge(graph, background)
        graph = UCSepset.uc_sepset(graph, _FIRST_COLLIDER_WINS, background_knowledge=background)
        return Meek.meek(graph, background_knowledge=background).G.graph, counted.tally
    except (OutOfTimeError, KeyboardInterrupt):
        if on_early_end is not None:
            on_early_end(counted.so_far)
        raise


def _take_apart(graph: Any, apart: BoolMatrix) -> None:
    """Remove edges that knowledge rules out."""
    nodes = graph.G.nodes
    ruled_out = _pairs(np.triu(apart, 1) & (graph.G.graph != 0))
    for i, j in ruled_out:
        graph.G.remove_edge(graph.G.get_edge(nodes[i], nodes[j]))
    _separate_by_all(graph, ruled_out)


def _separate_by_all(graph: Any, pairs: Pairs) -> None:
    """Say that all others separate some pairs: no collider follows from edges that no test removed."""
    for i, j in pairs:
        graph.sepset[i, j] = graph.sepset[j, i] = [tuple(range(len(graph.G.nodes)))]


def _background(graph: Any, knowledge: _Knowledge) -> Any:
    """Knowledge in the words of causal-learn."""
    from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge  # noqa: PLC0415

    background, nodes = BackgroundKnowledge(), graph.G.nodes
    for i, j in np.argwhere(~knowledge.allowed & knowledge.allowed.T):
        background.add_forbidden_by_node(nodes[i], nodes[j])
    for i, j in np.argwhere(knowledge.required):
        background.add_required_by_node(nodes[i], nodes[j])
    return background


def _marks_turned(marks: NDArray[Any]) -> tuple[BoolMatrix, BoolMatrix, BoolMatrix]:
    """Directed, undirected and bidirected edges from causal-learn's marks, where [i, j] is the mark at i of i -- j."""
    tail, arrow = marks == -1, marks == 1
    return tail & arrow.T, tail & tail.T, arrow & arrow.T


def _pairs(symmetric: BoolMatrix) -> Pairs:
    """Pairs of indices, lower first."""
    return tuple((int(i), int(j)) for i, j in np.argwhere(np.triu(symmetric)))


def _refuse_fixed_cycle(directed: BoolMatrix, names: Sequence[str]) -> None:
    """Raise where edges whose direction is known form a cycle."""
    among = np.flatnonzero(edges_on_cycles(directed).any(axis=0))
    if len(among):
        raise InputError(f"knowledge leaves only directions that form a cycle among {_listed(among, names)}")


def _check_settings(test: str, level: float) -> None:
    if test not in TESTS:
        raise UnknownNameError("test", test, TESTS)
    if not 0.0 < level < 1.0:
        raise InputError(f"level must be a number between 0 and 1, got {level!r}")


def _checked_twins(values: NDArray[Any], test: str, names: Sequence[str]) -> Twins:
    """Columns that are the same; raises where the test cannot be computed for all sets of the others.

    With missing cells, that is seen from test to test.
    """
    n_samples, n_nodes = values.shape
    if not _is_complete(values):
        _require_variation(values, test, names)
        return twins_with_gaps(values, test)
    if test != "fisherz":
        return Twins(n_nodes, coinciding(values, np.ones(n_nodes, dtype=bool)))
    if n_samples < n_nodes + 2:
        raise DataError(f"fisherz needs at least {n_nodes + 2} rows for {n_nodes} columns, got {n_samples}")
    _require_variation(values, test, names)
    twins = Twins.among((values - values.mean(axis=0)) / values.std(axis=0), values)
    distinct = np.unique(twins.first)
    sizes, directions = np.linalg.eigh(np.atleast_2d(np.corrcoef(values[:, distinct].T)))
    involved = distinct[(np.abs(directions[:, sizes < SINGULAR]) > 1e-6).any(axis=1)]
    if len(involved):
        raise DataError(
            f"fisherz needs columns none of which is a sum of multiples of others: {_listed(involved, names)} depend "
            "on each other; drop one of them"
        )
    return twins


def _require_variation(values: NDArray[Any], test: str, names: Sequence[str]) -> None:
    """Raise where a column holds one value only and the test goes by correlations."""
    if test != "fisherz":
        return
    constant = np.flatnonzero(np.nanmax(values, axis=0) == np.nanmin(values, axis=0))
    if len(constant):
        raise DataError(f"fisherz needs columns that vary, constant: {_listed(constant, names)}; drop them")


def _is_complete(values: NDArray[Any]) -> bool:
    """Whether no cell is missing."""
    return not np.isnan(values).any()


def _listed(nodes: NDArray[np.intp], names: Sequence[str]) -> str:
    return ", ".join(repr(names[node]) for node in nodes.tolist())
