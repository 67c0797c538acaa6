"""What every score has in common: local terms, memoised, and the reward of a whole DAG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.graph import DAG, as_graph
from dagsearch.graph.bitset import Rows, row_of, rows_from_membership
from dagsearch.interruption import in_chunks, is_watched, look
from dagsearch.kernels.families import evaluate_many
from dagsearch.kernels.local import LOG_FLOOR, OUTSIDE, Family
from dagsearch.kernels.refit import Refit
from dagsearch.scores.cache import LocalCache
from dagsearch.scores.levels import Levels

NO_REFIT = Refit(np.zeros((0, 0)), np.zeros((0, 2), dtype=np.int64), np.zeros((0, 0)))
"""There are no columns to go back to."""


def adjacency_of(graph: Any, n_nodes: int) -> NDArray[Any]:
    """Adjacency matrix of a DAG given in any form, checked for size and cycles."""
    dag = graph if isinstance(graph, DAG) else as_graph(graph)
    if not isinstance(dag, DAG):
        raise InputError("a score needs a DAG, got a graph with undirected edges")
    if dag.n_nodes != n_nodes:
        raise InputError(f"the graph has {dag.n_nodes} nodes, the data have {n_nodes} variables")
    return dag.adjacency


def empty_family(n_nodes: int, **changes: Any) -> Family:
    """A `Family` whose local scores come from outside, with the given fields replaced."""
    reals, integers = np.zeros(0), np.zeros(0, dtype=np.int64)
    square = np.zeros((0, 0))
    family = Family(
        code=OUTSIDE,
        n_nodes=n_nodes,
        n_samples=1.0,
        equal_variances=False,
        penalise_parameters=False,
        penalty_weight=0.0,
        edge_price=0.0,
        gram=square,
        codes=np.zeros((0, 0), dtype=np.int32),
        weights=integers,
        levels=integers,
        cardinalities=integers,
        x_log_x=reals,
        work=square,
        columns=integers,
        cells=integers,
        relabel=integers,
        table=integers,
        refit=NO_REFIT,
    )
    return family._replace(**changes)


def _part_of(rows: Rows, part: slice, n_sets: int) -> Rows:
    """Some of many sets."""
    part_of_rows: Rows = rows.reshape(n_sets, -1)[part].ravel()
    return part_of_rows


class Score:
    """A decomposable score of DAGs over a fixed table.

    The reward of a DAG is a sum over nodes of (value - penalty), or with equal variances -log(sum of values) minus the
    sum of penalties. Terms are memoised in ``cache``, which all searches on this score share.
    """

    name: ClassVar[str] = ""
    decomposable: ClassVar[bool] = True
    is_fitted: ClassVar[bool] = False
    """Whether a local score takes milliseconds, so that a search should ask for few."""
    affordable: ClassVar[int] = 20_000_000
    """How many local scores may be evaluated to learn those of all parent sets, if nobody says how many."""
    approximates: ClassVar[bool] = False
    """Whether rewards are BIC: log probabilities of the data up to an error that does not vanish with more rows."""
    is_per_row: ClassVar[bool] = True
    """Whether rewards are divided by the number of rows."""
    no_probability: ClassVar[str] = ""
    """Why rewards cannot be read as log probabilities, if so."""

    def __init__(self, n_nodes: int, family: Family | None = None) -> None:
        self.n_nodes = n_nodes
        self.family = family if family is not None else empty_family(n_nodes)
        self.cache = LocalCache(n_nodes)
        self.penalty = "parameters" if self.family.penalise_parameters else "edges"
        """What BIC counts, as `make` takes it."""
        self.levels: Levels | None = None
        """The levels that a discrete score goes by, as `make` takes them; None for other scores."""

    @property
    def settings(self) -> dict[str, Any]:
        """Further settings in force, as `make` takes them."""
        return {}

    @property
    def nats(self) -> float:
        """How many nats (natural log units) of log probability one unit of reward is."""
        return 1.0

    @property
    def equal_variances(self) -> bool:
        """Whether all residual variances are taken to be equal (F_EV of the paper)."""
        return bool(self.family.equal_variances)

    @property
    def is_equivalent(self) -> bool:
        """Whether all DAGs of an equivalence class have the same reward."""
        return False

    @property
    def class_targets(self) -> list[tuple[str, ...]] | None:
        """Sets of variables that experiments set: DAGs that these do not tell apart have the same reward.

        None: the rewards of equivalent DAGs differ for other reasons, too.
        """
        return [] if self.is_equivalent else None

    @property
    def max_parents(self) -> int | None:
        """The most parents of a node that this score can judge on its table; None: any number."""
        return None

    @property
    def constant_nodes(self) -> NDArray[np.bool_]:
        """Nodes whose column holds one value only, (n_nodes,): an edge at them changes no likelihood."""
        return np.zeros(self.n_nodes, dtype=bool)

    @property
    def n_evaluations(self) -> int:
        """Number of distinct local scores evaluated so far."""
        return self.cache.n_entered

    def memory(self) -> dict[str, NDArray[Any]]:
        """What was learnt so far, as arrays that do not change with what is learnt later."""
        return self.cache.contents()

    def recall(self, memory: dict[str, NDArray[Any]]) -> None:
        """Learn what a score with the same settings had learnt on the same table: its `memory`."""
        self.cache.take_over(memory)

    def compute(self, nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        """Terms (value, penalty), (n, 2), of local scores that the kernels do not evaluate themselves."""
        raise NotImplementedError(f"{self.name} is evaluated by compiled code")

    @contextmanager
    def session(self) -> Iterator[None]:
        """Context of a search on this score."""
        yield

    def anticipate(self, node: int, parents: tuple[int, ...], candidates: list[int]) -> None:
        """Hear that ``parents`` of ``node``, with some of the candidates added, will probably be asked for."""

    def terms(self, nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        """Value and penalty, (n, 2), of each (node, parent set)."""
        if not is_watched() or len(nodes) <= 1:
            return self._terms(nodes, rows)
        return in_chunks(lambda part: self._terms(nodes[part], _part_of(rows, part, len(nodes))), len(nodes))

    def _terms(self, nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        with self.cache.lock:
            terms, known = self.cache.look_up(self.family, nodes, rows)
            if not known.all():
                terms[~known] = self._computed(nodes[~known], rows.reshape(len(nodes), -1)[~known])
            return terms

    def _computed(self, nodes: NDArray[np.int64], sets: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Compute and enter terms that are not in the cache; each once, however often it is asked for."""
        asked = np.column_stack([nodes.astype(np.uint64), sets])
        distinct, positions = np.unique(asked, axis=0, return_inverse=True)
        distinct_nodes, rows = distinct[:, 0].astype(np.int64), np.ascontiguousarray(distinct[:, 1:]).ravel()
        terms = self.compute(distinct_nodes, rows)
        self.cache.store(self.family, distinct_nodes, rows, terms)
        return terms[positions]

    def best_values(self) -> NDArray[np.float64]:
        """Bounds, (n_nodes,), of the value of each node whatever its parents: nothing beats all others as parents."""
        with self.cache.lock:
            others = ~np.eye(self.n_nodes, dtype=bool)
            return self.terms(np.arange(self.n_nodes), rows_from_membership(others))[:, 0]

    def survey(
        self, node: int, rows: Rows, best_value: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Terms (n, 2) of many sets of parents, and what no superset of each set can beat: best value, least penalty.

        What is evaluated in microseconds is not memoised: a survey of all sets would fill the memory.
        """
        look()
        with self.cache.lock:
            n_sets = len(rows) // self.cache.n_words
            if self.family.code == OUTSIDE:
                terms = self.terms(np.full(n_sets, node), rows)
                return terms, np.full(n_sets, best_value), self._least_penalties(terms)
            terms, best_values = np.empty((n_sets, 2)), np.full(n_sets, best_value)
            evaluate_many(self.family, node, rows, terms, best_values, self.cache.words)
            self.cache.count_unkept(n_sets)
            return terms, best_values, terms[:, 1]

    def _least_penalties(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Lower bounds of the penalties of all supersets: those of edges grow with the set, others need not."""
        return np.zeros(len(terms)) if self.family.penalise_parameters else terms[:, 1]

    def combine(self, values: Any, penalties: Any) -> Any:
        """Rewards from sums of values and of penalties."""
        if self.equal_variances:
            return -np.log(values + LOG_FLOOR) - penalties
        return values - penalties

    def reward(self, graph: Any) -> float:
        """Reward of a DAG (higher is better), on the paper's scale: minus the score, divided by n."""
        return self.reward_of(adjacency_of(graph, self.n_nodes))

    def reward_of(self, adjacency: NDArray[Any]) -> float:
        """Reward of an adjacency matrix that is known to be acyclic."""
        return float(self.rewards_of(adjacency[np.newaxis])[0])

    def rewards_of(self, adjacencies: NDArray[Any], penalised: bool = True) -> NDArray[np.float64]:
        """Rewards of many directed graphs, (n, n_nodes, n_nodes), with or without penalties; cycles do not matter."""
        parents = adjacencies.transpose(0, 2, 1).reshape(-1, self.n_nodes)
        nodes = np.tile(np.arange(self.n_nodes), len(adjacencies))
        # A single graph is asked for where a search keeps what it has when its time is over.
        look_up = self._terms if len(adjacencies) == 1 else self.terms
        terms = look_up(nodes, rows_from_membership(parents)).reshape(-1, self.n_nodes, 2)
        values, penalties = terms.sum(axis=1).T
        rewards: NDArray[np.float64] = self.combine(values, penalties if penalised else 0.0)
        return rewards

    def local(self, node: int, parents: Iterable[int]) -> float:
        """Share of ``node`` in the reward, given the indices of its parents (not with equal variances)."""
        if self.equal_variances:
            raise InputError("with variances='equal' the reward does not split into one number per node")
        term = self._term(node, list(parents))
        return float(term[0] - term[1])

    def _term(self, node: int, parents: Sequence[int]) -> NDArray[np.float64]:
        self._check_family(node, parents)
        term: NDArray[np.float64] = self.terms(np.array([node]), row_of(parents, self.n_nodes))[0]
        return term

    def _check_family(self, node: int, parents: Sequence[int]) -> None:
        for index in (node, *parents):
            if not isinstance(index, int | np.integer) or isinstance(index, bool) or not 0 <= index < self.n_nodes:
                raise InputError(f"node indices must be whole numbers from 0 to {self.n_nodes - 1}, got {index!r}")
        if node in parents or len(set(parents)) < len(parents):
            raise InputError(f"parents of node {node} must be distinct other nodes, got {list(parents)}")
