"""Whether independent chains tell the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LARGEST_DIFFERENCE = 0.1
"""Edge probabilities of two independent chains may differ by so much; their average is then off by about half of it."""
LARGEST_R_HAT = 1.05


@dataclass(frozen=True)
class Agreement:
    """How far independent chains agree.

    Attributes
    ----------
    largest_difference
        Largest difference between the probabilities that two chains give to one edge.
    edge
        (cause, effect) of that edge.
    r_hat
        Split R-hat of the log scores (Gelman and Rubin 1992): their spread over half chains, relative to that inside
        them; 1 if all tell the same.
    n_chains
        Number of independent chains.
    """

    largest_difference: float
    edge: tuple[int, int]
    r_hat: float
    n_chains: int

    @property
    def agrees(self) -> bool:
        """Whether the chains agree well enough to go by their probabilities."""
        return self.largest_difference <= LARGEST_DIFFERENCE and self.r_hat <= LARGEST_R_HAT

    @property
    def sentence(self) -> str:
        """What to tell the user."""
        figures = (
            f"edge probabilities of {self.n_chains} independent chains differ by at most "
            f"{self.largest_difference:.2f}, R-hat of the log score is {self.r_hat:.2f}"
        )
        if self.agrees:
            return f"The chains agree: {figures}."
        return (
            f"The chains DISAGREE, so do not rely on these probabilities: {figures} "
            f"(at most {LARGEST_DIFFERENCE} and {LARGEST_R_HAT} would do). Run them longer."
        )


def agreement(edge_probabilities: NDArray[np.float64], log_scores: list[NDArray[np.float64]]) -> Agreement:
    """Compare chains by their edge probabilities, (n_chains, n_nodes, n_nodes), and the log scores of each."""
    spread = edge_probabilities.max(axis=0) - edge_probabilities.min(axis=0)
    cause, effect = np.unravel_index(int(spread.argmax()), spread.shape)
    return Agreement(
        largest_difference=float(spread[cause, effect]),
        edge=(int(cause), int(effect)),
        r_hat=split_r_hat(log_scores),
        n_chains=len(edge_probabilities),
    )


def split_r_hat(chains: list[NDArray[np.float64]]) -> float:
    """Split R-hat of a number along several chains; inf if it is constant inside halves but differs among them."""
    length = min(len(chain) for chain in chains) // 2
    if length < 2:
        return float("inf")
    halves = np.array([half for chain in chains for half in (chain[:length], chain[-length:])])
    within = float(halves.var(axis=1, ddof=1).mean())
    between = length * float(halves.mean(axis=1).var(ddof=1))
    # Sums of the same terms in another order differ by rounding.
    rounding = (1e-12 * (1.0 + float(np.abs(halves).max()))) ** 2
    if within <= rounding:
        return 1.0 if between <= length * rounding else float("inf")
    return float(np.sqrt((length - 1) / length + between / (length * within)))
