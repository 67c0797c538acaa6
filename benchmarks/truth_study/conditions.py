"""Kinds of data: how variables depend on their causes, the noise, and errors of measurement."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import product

import dagsearch as ds
from dagsearch.datasets.mechanisms import MECHANISMS
from dagsearch.datasets.noises import NOISES

EDGES_PER_VARIABLE = 1.5
_ERRORS = (0.0, 0.05, 0.1, 0.2)
_SCALE_DEPENDENCE = 0.5


@dataclass(frozen=True)
class Kind:
    """A kind of data, as `dagsearch.datasets.simulate` takes it.

    Attributes
    ----------
    mechanism, noise
        Names.
    measurement_error
        Share of the variance of each column that is error of measurement.
    scale_dependence
        How strongly the scale of the noise depends on the causes.
    """

    mechanism: str
    noise: str
    measurement_error: float = 0.0
    scale_dependence: float = 0.0

    @property
    def name(self) -> str:
        """In words, and different for different kinds."""
        name = f"{self.mechanism} {self.noise}"
        if self.scale_dependence:
            name += f", scale {self.scale_dependence:g}"
        return name + (f", error {self.measurement_error:g}" if self.measurement_error else "")

    def table(self, n_nodes: int, n_rows: int, seed: int, edges_per_variable: float = EDGES_PER_VARIABLE) -> ds.Dataset:
        """Data of this kind with the true graph; one seed gives all kinds the same graph."""
        n_edges = min(round(edges_per_variable * n_nodes), n_nodes * (n_nodes - 1) // 2)
        return ds.datasets.simulate(
            n_nodes, n_rows, n_edges=n_edges, standardise=True, random_state=seed, **asdict(self)
        )


_TEN_KINDS = (
    Kind("linear", "laplace"),
    Kind("linear", "uniform"),
    Kind("linear", "exponential"),
    Kind("saturating", "gaussian"),
    Kind("network", "gaussian"),
    Kind("bump", "gaussian"),
    Kind("interaction", "gaussian"),
    Kind("saturating", "gaussian", 0.05),
    Kind("network", "laplace", 0.1),
    Kind("linear", "laplace", 0.05),
)


def _full_grid() -> tuple[Kind, ...]:
    """Everything with everything; noise whose scale depends on the causes only where measurement is exact."""
    exact = [Kind(mechanism, noise, 0.0, _SCALE_DEPENDENCE) for mechanism, noise in product(MECHANISMS, NOISES)]
    return (*(Kind(*chosen) for chosen in product(MECHANISMS, NOISES, _ERRORS)), *exact)


GRIDS = {"kinds": _TEN_KINDS, "full": _full_grid()}
"""Kinds of data by the names that the command line takes."""
