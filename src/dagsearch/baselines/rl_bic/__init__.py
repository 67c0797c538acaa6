r"""RL-BIC (Zhu, Ng and Chen 2020): a policy that proposes whole graphs, trained by policy gradient.

::

    rows of the table --> policy: encoder --> decoder --> edge probabilities --> 64 graphs
                             |       \--> critic                                    |
                             \--<-- gradient <-- advantage <-- cost <-- judge <--score

``policy``    the networks, as functions of their parameters
``attention`` what the variables tell each other in the encoder, and its gradient
``judge``     what a batch of graphs costs: the score, rescaled, and the penalties of cycles; keeps the best DAG
``training``  one compiled step, and the loop around it
``memory``    keeps the scratch of a step from going back to the system

The networks need JAX and optax (extra ``rl``), which are imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import MissingExtraError

__all__ = ["RLBICSettings", "TrainingState", "train"]


@dataclass(frozen=True)
class RLBICSettings:
    """Settings of training; the defaults are the paper's.

    Attributes
    ----------
    n_iterations
        Steps of gradient descent.
    batch_size
        Graphs sampled in each step.
    input_dimension
        Observations, drawn afresh for each graph, that describe each variable to the encoder.
    learning_rate
        Of Adam, multiplied with 0.96 every 5,000 iterations.
    initial_bias
        First value of the learnt bias of all edge logits: -10 starts from nearly empty graphs.
    """

    n_iterations: int = 20_000
    batch_size: int = 64
    input_dimension: int = 64
    learning_rate: float = 1e-3
    initial_bias: float = -10.0


@dataclass(frozen=True)
class TrainingState:
    """Where training stands after ``iteration`` steps.

    ``adjacency`` is the best acyclic graph so far (None before the first one) and ``reward`` its reward;
    ``cyclic_share`` is the share of the last batch that has cycles.
    """

    iteration: int
    adjacency: NDArray[np.int8] | None
    reward: float
    cyclic_share: float


class BatchScore(Protocol):
    """What training needs of a score."""

    def rewards_of(self, adjacencies: NDArray[Any], penalised: bool = True) -> NDArray[np.float64]:
        """Rewards of many directed graphs, with or without cycles and with or without penalties."""


def train(
    values: NDArray[np.float64],
    score: BatchScore,
    settings: RLBICSettings,
    rng: np.random.Generator,
    on_iteration: Callable[[TrainingState], None],
    free: NDArray[np.bool_] | None = None,
    forced: NDArray[np.bool_] | None = None,
) -> None:
    """Train a policy, and report the best DAG that it sampled after every iteration.

    Parameters
    ----------
    values
        (n_samples, n_nodes) standardised table.
    score
        Gives the rewards of graphs.
    settings
        Of training.
    rng
        Source of the seed.
    on_iteration
        Called after each iteration; an exception that it raises ends training.
    free
        Edges that the policy decides about, (n_nodes, n_nodes); by default all.
    forced
        Edges that all graphs have; by default none.

    Raises
    ------
    MissingExtraError
        If JAX or optax is not installed.
    """
    try:
        from dagsearch.baselines.rl_bic.training import run  # noqa: PLC0415 - imports JAX
    except ImportError as error:
        raise MissingExtraError("RL-BIC", "rl") from error
    n_nodes = values.shape[1]
    everywhere = ~np.eye(n_nodes, dtype=bool)
    nowhere = np.zeros((n_nodes, n_nodes), dtype=bool)
    run(
        values,
        score,
        settings,
        int(rng.integers(2**31)),
        on_iteration,
        free=everywhere if free is None else free & everywhere,
        forced=nowhere if forced is None else forced,
    )
