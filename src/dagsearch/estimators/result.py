"""What a method constructs, and what a fit leaves behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch._display import Displayed
from dagsearch.graph import DAG, PDAG, CyclicGraph

Edges = list[tuple[str, str]]
Graph = DAG | PDAG | CyclicGraph

CYCLIC = "cyclic"


@dataclass(frozen=True)
class Construction:
    """What a method found on a table, before pruning.

    Attributes
    ----------
    graph
        A `DAG`; a `PDAG` if the method leaves directions open; a `CyclicGraph` if it went wrong.
    status
        ``"finished"``, ``"cyclic"``, or why it ended early.
    settings
        Settings of the method that were in force.
    notes
        What was decided on the user's behalf, or what they should know.
    required
        Edges that pruning must keep, (n_nodes, n_nodes) bool; None if there are none.
    n_score_evaluations
        Those of a score that only the construction had.
    """

    graph: Graph
    status: str
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    n_simulations: int = 0
    n_calibration_simulations: int = 0
    required: NDArray[np.bool_] | None = None
    n_score_evaluations: int = 0


@dataclass(frozen=True)
class Result(Displayed):
    """Record of a fit.

    Attributes
    ----------
    method
        Name of the method, as the command line takes it.
    edges, pruned_edges
        (cause, effect) names of the constructed graph, and of the graph after pruning.
    undirected_edges, pruned_undirected_edges
        Pairs whose direction the method leaves open (GES and PC), before and after pruning.
    p_values
        (cause, effect) -> p-value of the constructed edges, if they were pruned by significance; otherwise empty.
    reward
        Reward of the constructed graph; higher is better. NaN for a graph with a cycle.
    n_edges
        Number of edges of the constructed graph, undirected ones included.
    n_simulations
        Simulations that decided moves (CD-UCT), rollouts (random search) or sampled graphs (RL-BIC).
    n_calibration_simulations
        Simulations of the first decision that were run only to learn the scale of exploration.
    n_score_evaluations
        Distinct local scores that the method asked for (whole graphs for a score without local terms).
    seconds
        Time of the whole fit, without that in which kernels were compiled.
    status
        ``"finished"``; ``"time-limit"`` or ``"interrupted"`` if the graph is the best one so far; ``"cyclic"`` if the
        method finished with a graph that is not acyclic.
    seed
        Seed that repeats the fit.
    settings
        All settings in force, defaults resolved.
    notes
        What was decided on the user's behalf, and why.
    fixed
        What ``fix=True`` did to the table, in sentences.
    """

    method: str
    edges: Edges
    pruned_edges: Edges
    undirected_edges: Edges
    pruned_undirected_edges: Edges
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
    fixed: tuple[str, ...] = ()
