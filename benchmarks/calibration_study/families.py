"""Families of simulated tables, and the score that judges each.

What is random was fixed before any result was seen: 8 to 12 variables, 1 to 1.5 edges per variable, linear weights from
0.1 (hardly visible) to 1.5, everything else as `dagsearch.datasets.simulate` has it by default. One thing was changed
after some 20 tables per condition: graphs in which a variable has more causes than posteriors of ``evidence`` consider,
which one table in seven had, are drawn anew. All tables are of after that. The scores of ``gaussian-extended`` and
``discrete-bic``, which searches have by default, and of ``discrete-10`` were added when the first results of the others
were known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

import dagsearch as ds
from calibration_study import from_prior
from dagsearch.datasets.random_graphs import random_adjacency

ROWS = (100, 500)
NODES = (8, 12)
EDGES_PER_NODE = (1.0, 1.5)
MOST_PARENTS = 4
"""Of sparse graphs, and of what posteriors of ``evidence`` consider, whose local scores take milliseconds."""
WEIGHTS = (0.1, 1.5)
MEASUREMENT_ERROR = 0.1
CHILDREN_OF_HIDDEN = (2, 4)
_NOISES = ("laplace", "uniform", "exponential", "gumbel")
_STUDY = 15  # sets these tables apart from those of other studies with the same numbers

Mechanism = Literal["gaussian", "non-gaussian", "gp", "discrete"]
Graphs = Literal["sparse", "any"]
Trouble = Literal["", "error", "hidden"]


@dataclass(frozen=True)
class Family:
    """A kind of tables with a score.

    Attributes
    ----------
    name
        As the command line takes it.
    title
        In words.
    mechanism
        How variables depend on their causes.
    graphs
        ``"sparse"``: 1 to 1.5 edges per variable; ``"any"``: uniform over all DAGs, as the prior of a posterior is
        whose score does not price edges; discrete tables then are from the prior of ``bdeu``, too.
    score, settings
        As `dagsearch.scores.make` takes them.
    trouble
        What the score knows nothing of: errors of measurement, or a common cause that is not in the table.
    max_parents
        Of the posterior; None: as many as the score can afford.
    n_replicates
        Of the bootstrap; 0: none, since estimators have no such settings of the score.
    """

    name: str
    title: str
    mechanism: Mechanism
    score: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    graphs: Graphs = "sparse"
    trouble: Trouble = ""
    max_parents: int | None = None
    n_replicates: int = 100

    @property
    def is_modelled(self) -> bool:
        """Whether the score's assumptions hold."""
        return not self.trouble

    def streams(self, number: int) -> list[np.random.Generator]:
        """Random streams of a table: its graph, its rows, and what is done with it."""
        return np.random.default_rng([_STUDY, number]).spawn(3)

    def table(self, n_rows: int, number: int) -> ds.Dataset:
        """The table of this number, with the true graph, which all families of one kind of graphs share."""
        of_graph, of_rows, _ = self.streams(number)
        n_nodes = int(of_graph.integers(*NODES, endpoint=True))
        if self.graphs == "any" and self.mechanism == "discrete":
            return from_prior.table(n_nodes, n_rows, of_rows)
        if self.graphs == "any":
            return self._rows(from_prior.uniform_dag(n_nodes, of_graph), n_rows, of_rows)
        adjacency = sparse_dag(n_nodes, of_graph)
        if self.trouble != "hidden":
            return self._rows(adjacency, n_rows, of_rows)
        return without_last(self._rows(with_hidden_cause(adjacency, of_graph), n_rows, of_rows))

    def _rows(self, adjacency: np.ndarray, n_rows: int, rng: np.random.Generator) -> ds.Dataset:
        chosen: dict[str, Any] = {"mechanism": "discrete"}
        if self.mechanism != "discrete":
            noise = str(rng.choice(_NOISES)) if self.mechanism == "non-gaussian" else "gaussian"
            error = MEASUREMENT_ERROR if self.trouble == "error" else 0.0
            kind = {"mechanism": "gp"} if self.mechanism == "gp" else {"mechanism": "linear", "weights": WEIGHTS}
            chosen = {**kind, "noise": noise, "measurement_error": error, "standardise": True}
        return ds.datasets.simulate(n_samples=n_rows, graph=adjacency, random_state=rng, **chosen)


def sparse_dag(n_nodes: int, rng: np.random.Generator) -> np.ndarray:
    """Adjacency matrix of a DAG with 1 to 1.5 edges per variable and at most `MOST_PARENTS` causes of each."""
    n_edges = round(n_nodes * rng.uniform(*EDGES_PER_NODE))
    while True:
        adjacency = random_adjacency("erdos-renyi", n_nodes, n_edges, rng)
        if adjacency.sum(axis=0).max() <= MOST_PARENTS:
            return adjacency


def with_hidden_cause(adjacency: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The graph with one more variable, the last, that has no cause and causes 2 to 4 of the others."""
    n_nodes = len(adjacency)
    larger = np.zeros((n_nodes + 1, n_nodes + 1), dtype=np.int8)
    larger[:n_nodes, :n_nodes] = adjacency
    n_children = rng.integers(*CHILDREN_OF_HIDDEN, endpoint=True)
    larger[n_nodes, rng.choice(n_nodes, size=n_children, replace=False)] = 1
    return larger


def without_last(data: ds.Dataset) -> ds.Dataset:
    """The table without its last variable; the edges among the others are the truth."""
    kept = data.names[:-1]
    truth = ds.DAG(np.ascontiguousarray(data.truth.adjacency[:-1, :-1]), kept)
    return ds.Dataset(
        data.values[:, :-1],
        kept,
        data.kinds[:-1],
        labels=data.labels[:-1],
        truth=truth,
        declared_levels=data.declared_levels[:-1],
    )


_BIC = {"score": "bic-linear", "settings": {"penalty": "parameters"}}
_EXTENDED_BIC = {"score": "bic-linear", "settings": {"penalty": "extended"}}
_EVIDENCE: dict[str, Any] = {"score": "evidence", "max_parents": MOST_PARENTS, "n_replicates": 30}
_LINEAR_EVIDENCE = {**_EVIDENCE, "settings": {"models": ("linear",), "noise": "gaussian"}}
_OF_PRIOR = {"sample_size": from_prior.SAMPLE_SIZE, "levels": "declared"}
_ANY: dict[str, Any] = {"graphs": "any", "max_parents": from_prior.MOST_PARENTS}
_BASES: dict[Mechanism, tuple[str, dict[str, Any]]] = {
    "gaussian": ("linear Gaussian", _BIC),
    "non-gaussian": ("linear non-Gaussian", _EVIDENCE),
    "gp": ("Gaussian processes", _EVIDENCE),
    "discrete": ("discrete", {"score": "bdeu"}),
}
_ALL = [
    *(Family(mechanism, title, mechanism, **judge) for mechanism, (title, judge) in _BASES.items()),
    Family("gaussian-evidence", "linear Gaussian", "gaussian", **_LINEAR_EVIDENCE),
    Family("gaussian-extended", "linear Gaussian, extended penalty", "gaussian", **_EXTENDED_BIC),
    Family("discrete-bic", "discrete", "discrete", "bic-discrete"),
    Family("discrete-10", "discrete, prior as good as 10 rows", "discrete", "bdeu", {"sample_size": 10.0}),
    Family("gaussian-any", "linear Gaussian, any DAG", "gaussian", **_BIC, **_ANY),
    Family("prior", "discrete, from the prior", "discrete", "bdeu", _OF_PRIOR, n_replicates=0, **_ANY),
    *(
        Family(f"{mechanism}-error", f"{title}, measurement error", mechanism, trouble="error", **judge)
        for mechanism, (title, judge) in _BASES.items()
        if mechanism != "discrete"
    ),
    *(
        Family(f"{mechanism}-hidden", f"{title}, hidden cause", mechanism, trouble="hidden", **judge)
        for mechanism, (title, judge) in _BASES.items()
    ),
]
FAMILIES = {family.name: family for family in _ALL}
"""By name."""
