"""A Bayesian network of discrete variables: its graph, its tables, and exact samples of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks
from dagsearch.data import Dataset, Kind
from dagsearch.datasets import ranges
from dagsearch.datasets.experiments import DEFAULT_SHARE, Experiments, checked_plan, drawn
from dagsearch.errors import DataError, InputError
from dagsearch.graph import DAG

#: Probabilities are often published with two digits, as three times 0.33: so far may their sum be from 1.
ROUNDING = 0.01

FEWEST_SAMPLES = 3


@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """A graph over discrete variables with the probabilities of each variable given its parents.

    Parameters
    ----------
    dag
        The graph; its names are the variables.
    levels
        The labels of each variable, in the order of its table.
    tables
        Of each variable an array (levels of the first parent, ..., levels of the last parent, own levels), with the
        parents in the order of `names`. Stored as read-only copies whose rows are divided by their sums.
    citation
        Who published it.

    Raises
    ------
    DataError
        If a variable has no levels, a label twice, a table of another shape, or probabilities that are negative or
        do not sum to 1 up to rounding. The message names the variable.
    """

    dag: DAG
    levels: tuple[tuple[str, ...], ...] = field(repr=False)
    tables: tuple[NDArray[np.float64], ...] = field(repr=False)
    citation: str = ""

    def __post_init__(self) -> None:
        for part in ("levels", "tables"):
            n_entries = len(getattr(self, part))
            if n_entries != self.dag.n_nodes:
                raise DataError(f"{part} must have {self.dag.n_nodes} entries, one per variable, got {n_entries}")
        object.__setattr__(self, "levels", tuple(tuple(map(str, labels)) for labels in self.levels))
        for name, labels in zip(self.names, self.levels, strict=True):
            require_distinct_labels(name, labels)
        object.__setattr__(self, "tables", tuple(self._checked_table(node) for node in range(self.dag.n_nodes)))

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order of the samples' columns."""
        return tuple(self.dag.names)

    @property
    def n_levels(self) -> dict[str, int]:
        """Number of levels of each variable."""
        return {name: len(labels) for name, labels in zip(self.names, self.levels, strict=True)}

    def sample(
        self,
        n_samples: int,
        random_state: Any = None,
        *,
        interventions: int | Sequence[str] = 0,
        intervention_share: float = DEFAULT_SHARE,
    ) -> Dataset:
        """Draw independent rows from the joint distribution, causes before effects.

        Parameters
        ----------
        n_samples
            Number of rows, at least 3.
        random_state
            A seed, or a `numpy.random.Generator` that is then used up further; None for a fresh one.
        interventions, intervention_share
            Variables that are set in some of the rows, as in `simulate`.

        Returns
        -------
        Dataset
            All columns discrete, with all levels of the network as labels and as declared levels, whether the rows
            show them or not; the network's graph is its truth. Variables that rarely differ may come out the same,
            see `Dataset.coinciding_columns`.

        Raises
        ------
        InputError
            If `n_samples` is not a whole number of at least 3, if `random_state` is no seed, or if what is to be set
            is no variable or does not fit into the rows.
        DataError
            If the network has one variable only.
        """
        n_rows, rng = checks.integer("n_samples", n_samples, FEWEST_SAMPLES), _generator(random_state)
        ranges.require_table(n_rows, self.dag.n_nodes)
        plan = checked_plan(interventions, intervention_share)
        # A further stream changes no draws, but what the caller spawns from the same generator afterwards.
        of_experiments = rng.spawn(1)[0] if plan.variables else rng
        experiments = drawn(plan, self.names, n_rows, of_experiments)
        codes = self._sampled_codes(n_rows, rng, experiments)
        # A data set codes text by its sorted labels, a network lists its levels in an order of its own.
        ranks = [np.argsort(np.argsort(np.array(labels, dtype=object))) for labels in self.levels]
        kind: Kind = "discrete"
        return Dataset(
            values=np.stack([rank[column] for rank, column in zip(ranks, codes, strict=True)], axis=1),
            names=self.names,
            kinds=(kind,) * self.dag.n_nodes,
            labels=tuple(tuple(sorted(labels)) for labels in self.levels),
            truth=self.dag,
            citation=self.citation,
            declared_levels=tuple(map(len, self.levels)),
            was_set=experiments.was_set,
        )

    def _sampled_codes(self, n_samples: int, rng: np.random.Generator, experiments: Experiments) -> NDArray[np.intp]:
        """Draw positions in `levels`, (n_nodes, n_samples)."""
        codes = np.zeros((self.dag.n_nodes, n_samples), dtype=np.intp)
        for name in self.dag.topological_order():
            node = self.names.index(name)
            table = self.tables[node]
            rows = np.zeros(n_samples, dtype=np.intp)
            for parent in np.flatnonzero(self.dag.adjacency[:, node]):
                rows = rows * len(self.levels[parent]) + codes[parent]
            codes[node] = _inverted(table.reshape(-1, table.shape[-1]), rows, rng.random(n_samples))
            experiments.set_levels(codes, node, len(self.levels[node]))
        return codes

    def _checked_table(self, node: int) -> NDArray[np.float64]:
        """Return the table of a variable with rows that sum to 1."""
        name, labels = self.names[node], self.levels[node]
        table = np.array(self.tables[node], dtype=np.float64)
        parents = np.flatnonzero(self.dag.adjacency[:, node])
        shape = (*(len(self.levels[parent]) for parent in parents), len(labels))
        if table.shape != shape:
            raise DataError(f"variable {name!r}: its table must have the shape {shape}, got {table.shape}")
        if not np.isfinite(table).all() or table.min() < 0:
            raise DataError(f"variable {name!r}: probabilities must not be negative, and finite")
        sums = table.sum(axis=-1, keepdims=True)
        worst = float(sums.flat[np.argmax(np.abs(sums - 1))])
        if abs(worst - 1) > ROUNDING + 1e-9:
            raise DataError(f"variable {name!r}: probabilities must sum to 1, got {worst:.6g}")
        table /= sums
        table.setflags(write=False)
        return table


def _inverted(table: NDArray[np.float64], rows: NDArray[np.intp], uniform: NDArray[np.float64]) -> NDArray[np.intp]:
    """Turn uniform numbers into levels by the cumulative distribution in the given row of the table."""
    cumulative = np.cumsum(table, axis=1)
    # The last sum is 1 exactly, and so are those before it that only zeros follow: what is impossible never happens.
    cumulative /= cumulative[:, -1:]
    codes = np.zeros(len(rows), dtype=np.intp)
    for bound in cumulative[:, :-1].T:
        codes += uniform >= bound[rows]
    return codes


def require_distinct_labels(name: str, labels: tuple[str, ...]) -> None:
    """Raise a `DataError` that names the variable unless its labels are there and differ."""
    if not labels or not all(labels):
        raise DataError(f"variable {name!r}: needs levels with labels, got {labels}")
    if len(set(labels)) < len(labels):
        raise DataError(f"variable {name!r}: levels must all differ, got {', '.join(labels)}")


def _generator(random_state: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise InputError(f"random_state must be None, a seed or a numpy Generator, got {random_state!r}") from error
