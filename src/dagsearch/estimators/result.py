"""What a fit leaves behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Result:
    """Record of a fit.

    Attributes
    ----------
    method
        Name of the method, as the command line takes it.
    edges, pruned_edges
        (cause, effect) names of the constructed graph, and of the graph after pruning.
    p_values
        (cause, effect) -> p-value of the constructed edges, if they were pruned by significance; otherwise empty.
    reward
        Reward of the constructed graph; higher is better.
    n_edges
        Number of edges of the constructed graph.
    n_simulations
        Simulations that decided moves (CD-UCT) or rollouts (random search).
    n_calibration_simulations
        Simulations of the first decision that were run only to learn the scale of exploration.
    n_score_evaluations
        Distinct local scores evaluated by this fit (whole graphs for a score without local terms).
    seconds
        Time of the whole fit.
    status
        ``"finished"``; ``"time-limit"`` or ``"interrupted"`` if the graph is the best one so far.
    seed
        Seed that repeats the fit.
    settings
        All settings in force, defaults resolved.
    notes
        What was decided on the user's behalf, and why.
    """

    method: str
    edges: list[tuple[str, str]]
    pruned_edges: list[tuple[str, str]]
    p_values: dict[tuple[str, str], float] = field(repr=False)
    reward: float
    n_edges: int
    n_simulations: int
    n_calibration_simulations: int
    n_score_evaluations: int
    seconds: float
    status: str
    seed: int
    settings: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
