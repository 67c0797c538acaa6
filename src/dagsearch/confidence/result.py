"""How sure edges, directions and paths are: the result of a posterior, of a bootstrap, or of averages over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks
from dagsearch._display import Displayed
from dagsearch.confidence.consensus import BestDag, Consensus, best_dag, consensus, expected_shd
from dagsearch.errors import InputError
from dagsearch.graph import DAG, PDAG, as_graph

Sampler = Callable[[int, np.random.Generator], NDArray[np.int8]]
"""Gives adjacency matrices, (n, n_nodes, n_nodes), of as many independent DAGs as asked for."""

SURE_DIRECTION = 0.9
"""A direction that has more than this share of the probability of an edge is sure, unless others say how sure."""
_LEAST_SHOWN = 0.1


@dataclass(frozen=True, eq=False, repr=False)
class Confidence(Displayed):
    """Probabilities of edges and paths, and graphs made from them.

    Attributes
    ----------
    names
        Names of the variables.
    edge_probability
        (n_nodes, n_nodes): ``[i, j]`` is P(i -> j).
    path_probability
        (n_nodes, n_nodes): ``[i, j]`` is the probability of a directed path from i to j.
    method
        How they came about, such as ``"posterior, exact"``.
    notes
        What to know about them, in words.
    adjacency_probability
        (n_nodes, n_nodes), symmetric. By default the sum of both directions; more where open edges were counted.
    samples
        (n_samples, n_nodes, n_nodes) int8 adjacency matrices of sampled DAGs, if there are any.
    sampler
        Draws further DAGs, if that is possible.
    details
        Further numbers, by name, that `to_dict` shows.
    """

    names: tuple[str, ...]
    edge_probability: NDArray[np.float64]
    path_probability: NDArray[np.float64]
    method: str
    notes: tuple[str, ...] = ()
    adjacency_probability: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    samples: NDArray[np.int8] | None = None
    sampler: Sampler | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.adjacency_probability.size:
            both = np.minimum(self.edge_probability + self.edge_probability.T, 1.0)
            object.__setattr__(self, "adjacency_probability", both)
        for name in ("edge_probability", "adjacency_probability", "path_probability"):
            array = getattr(self, name).view()
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def n_nodes(self) -> int:
        """Number of variables."""
        return len(self.names)

    def consensus(self, threshold: float = 0.5, direction: float = SURE_DIRECTION) -> Consensus:
        """The graph that `graph` gives, and what to know about it.

        Parameters
        ----------
        threshold
            Pairs with a higher probability of being adjacent get an edge; from 0 to 1.
        direction
            It is directed where one direction has more than this share of the probability, from 0.5 to 1, and open
            otherwise.
        """
        checks.real("threshold", threshold, 0.0, 1.0)
        checks.real("direction", direction, 0.5, 1.0)
        return consensus(self.names, self.edge_probability, self.adjacency_probability, threshold, direction)

    def graph(self, threshold: float = 0.5, direction: float = SURE_DIRECTION) -> PDAG:
        """The likely edges, directed where the direction is likely; see `consensus`."""
        return self.consensus(threshold, direction).graph

    def best(self) -> BestDag:
        """The DAG with the least expected structural Hamming distance, that distance, and whether it is proven."""
        return best_dag(self.names, self.edge_probability, self.adjacency_probability)

    def best_dag(self) -> DAG:
        """The DAG with the least expected structural Hamming distance; see `best`."""
        return self.best().dag

    def expected_shd(self, graph: Any) -> float:
        """Expected structural Hamming distance of a graph over the same variables, as `metrics.compare` counts it."""
        return expected_shd(self._matched(graph), self.edge_probability, self.adjacency_probability)

    def sample(self, k: int, random_state: Any = None) -> list[DAG]:
        """Return ``k`` sampled DAGs.

        Parameters
        ----------
        k
            Number of DAGs.
        random_state
            Seed or generator.

        Raises
        ------
        InputError
            If there are no samples, or fewer and no way to draw more.
        """
        checks.integer("k", k, 1)
        rng, _ = checks.generator(random_state)
        if self.sampler is not None:
            drawn = self.sampler(k, rng)
        else:
            samples = self._samples()
            if k > len(samples):
                raise InputError(f"k must be at most {len(samples)}, the number of sampled graphs there are, got {k}")
            drawn = samples[np.sort(rng.choice(len(samples), k, replace=False))]
        return [DAG(adjacency, self.names) for adjacency in drawn]

    def probability(self, feature: Callable[[DAG], Any]) -> float:
        """Probability that a DAG has a feature, or the mean of a number, over the sampled DAGs.

        Parameters
        ----------
        feature
            Called with each distinct sampled `DAG`; gives a truth value or a number.

        Raises
        ------
        InputError
            If there are no samples.
        """
        distinct, counts = np.unique(self._samples(), axis=0, return_counts=True)
        values = [float(feature(DAG(adjacency, self.names))) for adjacency in distinct]
        return float(np.average(values, weights=counts))

    def to_dict(self) -> dict[str, Any]:
        """Everything but samples as plain numbers, lists and text."""
        pairs = [
            {
                "a": self.names[i],
                "b": self.names[j],
                "forward": float(self.edge_probability[i, j]),
                "backward": float(self.edge_probability[j, i]),
                "adjacent": float(self.adjacency_probability[i, j]),
            }
            for i, j in zip(*np.triu_indices(self.n_nodes, 1), strict=True)
        ]
        return {
            "method": self.method,
            "names": list(self.names),
            "pairs": pairs,
            "path_probability": self.path_probability.tolist(),
            "n_samples": 0 if self.samples is None else len(self.samples),
            "notes": list(self.notes),
            **self.details,
        }

    def __repr__(self) -> str:
        n_edges = self.graph().n_edges
        return f"Confidence({self.method}: {self.n_nodes} variables, {n_edges} edges more likely than not)"

    def __str__(self) -> str:
        found = self.consensus()
        width = max(12, 2 * max(map(len, self.names)) + 4)
        lines = [f"{self.method}, {self.n_nodes} variables", f"{'edge':<{width}}  adjacent  forward  backward"]
        rows = sorted(self._likely_pairs(), key=lambda pair: (-self.adjacency_probability[pair], pair))
        for i, j in rows:
            drawn = found.graph.adjacency[i, j], found.graph.adjacency[j, i]
            mark = {(1, 0): "->", (1, 1): "--"}.get(drawn, "..")
            lines.append(
                f"{f'{self.names[i]} {mark} {self.names[j]}':<{width}}  {self.adjacency_probability[i, j]:8.2f}  "
                f"{self.edge_probability[i, j]:7.2f}  {self.edge_probability[j, i]:8.2f}"
            )
        if not rows:
            lines.append(f"no pair is adjacent with a probability of {_LEAST_SHOWN:g} or more")
        return "\n".join([*lines, *self.notes, *found.notes])

    def _likely_pairs(self) -> list[tuple[int, int]]:
        """Pairs that are worth a line, the likelier direction first."""
        upper = np.triu(self.adjacency_probability >= _LEAST_SHOWN, 1)
        return [
            (i, j) if self.edge_probability[i, j] >= self.edge_probability[j, i] else (j, i)
            for i, j in np.argwhere(upper).tolist()
        ]

    def _samples(self) -> NDArray[np.int8]:
        if self.samples is None or not len(self.samples):
            raise InputError(f"there are no sampled graphs ({self.method}); ask for some, such as n_samples=1000")
        return self.samples

    def _matched(self, graph: Any) -> NDArray[np.int8]:
        """Adjacency of a graph in the order of the variables, which it may lack some of."""
        given = as_graph(graph, names=None if hasattr(graph, "names") else self._names_for(graph))
        unknown = set(given.names) - set(self.names)
        if unknown:
            raise InputError(f"the graph has the node {sorted(unknown)[0]!r}, which is none of the variables")
        positions = [self.names.index(name) for name in given.names]
        matrix = np.zeros((self.n_nodes, self.n_nodes), dtype=np.int8)
        matrix[np.ix_(positions, positions)] = given.adjacency
        return matrix

    def _names_for(self, graph: Any) -> tuple[str, ...] | None:
        """A matrix without names is in the order of the variables."""
        return self.names if isinstance(graph, np.ndarray) else None
