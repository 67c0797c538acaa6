"""What a search found, as text for a terminal of any width.

::

    fit --> listing (variables and their causes), reward, comparison --> wrap (lines that fit)
                                                   next_steps (what was not done yet)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dagsearch._visible import visible
from dagsearch.confidence.result import SURE_DIRECTION
from dagsearch.data import Dataset
from dagsearch.estimators import Certificate, DagEstimator, ExactSearch
from dagsearch.estimators.result import Graph
from dagsearch.graph import DAG, CyclicGraph
from dagsearch.graph.focus import Focus
from dagsearch.report.directions import open_edges
from dagsearch.report.options import in_options
from dagsearch.report.terminal.compared import UNDEFINED, comparison
from dagsearch.report.terminal.listing import (
    effects_in_brackets,
    evidence_in_brackets,
    key_to_effects,
    listed,
    near_names,
)
from dagsearch.report.terminal.traced import trace_in_words
from dagsearch.report.terminal.wrap import terminal_width, wrapped

__all__ = ["as_text", "terminal_width", "wrapped"]

_EARLY = {
    "time-limit": "The time limit was reached: this is the best graph so far.",
    "interrupted": "Interrupted: this is the best graph so far.",
}
_NOT_ACYCLIC = "NOT ACYCLIC: this graph is no answer to the question of what causes what."
_IN_NATS = (
    "reward: higher is better; in nats, the logarithm of how many times as probable the data are as if all variables "
    "were independent"
)
_MEANINGS = {
    "evidence": _IN_NATS,
    "mixed": _IN_NATS,
    "bdeu": "reward: higher is better; the logarithm of the probability of the data with this graph, per row",
}
_BIC = "reward: higher is better; how well the graph fits, less a price for its size, per row"
_OWN = "reward: higher is better, by this score"


def as_text(
    model: DagEstimator,
    data: Dataset,
    data_name: str,
    certificate: Certificate | None = None,
    width: int | None = None,
    focus: Focus | None = None,
) -> str:
    """The graph with its effects, its reward and, where the truth is known, the comparison.

    Parameters
    ----------
    model, data, data_name
        The fit, the table and what that is called.
    certificate
        What is proven about the graph, if anything.
    width
        Columns to break lines at, such as `terminal_width`; None: nowhere.
    focus
        Which variables to list, with what is near them; None: all.
    """
    result, pruned = model.result_, model.evidence_ is not None
    lines = [
        f"{result.method} on {data_name}: {data.n_samples} rows, {data.n_nodes} variables",
        *map(in_options, result.notes),
        "",
    ]
    if result.status in _EARLY:
        lines += [_EARLY[result.status], ""]
    if isinstance(model.dag_, CyclicGraph):
        lines += [_NOT_ACYCLIC, ""]
    lines += _graphs(model, focus)
    lines += _on_directions(model)
    if model.confidence_ is not None:
        lines += ["How sure, by " + str(model.confidence_), ""]
    lines += [f"{_reward(model)}, {_effort(model)}", _meaning(model)]
    if model.trace_ is not None:
        lines += trace_in_words(model.trace_)
    if certificate is not None:
        lines.append(str(certificate))
    if isinstance(model, ExactSearch) and model.n_best > 1 and model.best_graphs_:
        lines += ["", *_ranking(model)]
    if data.truth is not None:
        lines += ["", *comparison(_compared(model, pruned), data.truth, width)]
    return wrapped(_with_visible(data.names, lines), width)


def _with_visible(names: Sequence[str], lines: list[str]) -> list[str]:
    """Lines in which no name moves the cursor, begins a line of its own, or turns the direction of what follows."""
    # Longer ones first, as they may contain others.
    odd = sorted((name for name in names if visible(name) != name), key=len, reverse=True)
    for name in odd:
        lines = [line.replace(name, visible(name)) for line in lines]
    return lines


def _graphs(model: DagEstimator, focus: Focus | None) -> list[str]:
    """The constructed graph, and the one that pruning leaves; the last one has the effects."""
    result, near = model.result_, near_names(model.pruned_dag_, focus)
    effects = [each for each in model.effects_ if near >= {each.cause, each.effect}]
    last = [*listed(model.pruned_dag_, model, effects_in_brackets(effects), focus), *key_to_effects(effects), ""]
    if model.evidence_ is None:
        return [f"Constructed graph, {_edges(result.n_edges)}:", *last]
    shown = "p-values" if model.evidence_.measure == "p-value" else "largest coefficients"
    return [
        f"Constructed graph, {_edges(result.n_edges)}, {shown}:",
        *listed(model.dag_, model, evidence_in_brackets(model), focus),
        "",
        f"After pruning ({_rule(model)}), {_edges(model.pruned_dag_.n_edges)}:",
        *last,
    ]


def _on_directions(model: DagEstimator) -> list[str]:
    """How many directions the data decide, if a graph is shown that decides more."""
    n_open = len(open_edges(model))
    if n_open == 0 or not isinstance(model.dag_, DAG):
        return []
    n_edges = model.dag_.n_edges
    n_decided = f"{n_edges - n_open} of {n_edges} directions"
    if model.confidence_ is not None:
        share = f"more than {SURE_DIRECTION:.0%} of the probability of the edge"
        said = f"Sure are {n_decided}, with {share}: edges with a ? may point the other way."
    else:
        said = f"The data decide {n_decided} by this score: edges with a ? may as well point the other way."
    return [said, ""]


def _ranking(model: ExactSearch) -> list[str]:
    """The best graphs in order, and how each differs from the first."""
    n_found = f"{len(model.best_graphs_)} best graphs" if len(model.best_graphs_) > 1 else "best graph"
    lines = [f"The {n_found}, by their difference from the first:"]
    first = set(model.best_graphs_[0].dag.edges)
    for number, each in enumerate(model.best_graphs_, start=1):
        edges = set(each.dag.edges)
        changes = [f"+{cause}->{effect}" for cause, effect in sorted(edges - first)]
        changes += [f"-{cause}->{effect}" for cause, effect in sorted(first - edges)]
        lines.append(f"{number:>4}  {each.reward:.6f}  {len(edges):>3} edges  {' '.join(changes)}".rstrip())
    return lines


def _reward(model: DagEstimator) -> str:
    """The reward and the score that gave it."""
    result = model.result_
    value = f"{result.reward:.6f}" if not math.isnan(result.reward) else UNDEFINED
    return f"reward {value} ({result.settings['score']})"


def _meaning(model: DagEstimator) -> str:
    """What the reward is, in few words."""
    name = str(model.result_.settings["score"])
    return _MEANINGS.get(name, _BIC if name.startswith("bic-") else _OWN)


def _compared(model: DagEstimator, pruned: bool) -> dict[str, Graph]:
    graphs: dict[str, Graph] = {"constructed": model.dag_}
    return {**graphs, "pruned": model.pruned_dag_} if pruned else graphs


def _effort(model: DagEstimator) -> str:
    """Time, simulations, evaluations and seed in a few words."""
    result = model.result_
    parts = [f"{result.seconds:.1f} s"]
    if result.n_simulations:
        parts.append(f"{result.n_simulations:,} simulations")
    parts += [f"{result.n_score_evaluations:,} score evaluations", f"seed {result.seed}"]
    return ", ".join(parts)


def _rule(model: DagEstimator) -> str:
    """The pruning method and the limit below or above which an edge stays."""
    method, evidence = model.result_.settings["prune"], model.evidence_
    if evidence is None:
        return str(method)
    return f"{method}, {'p <' if evidence.measure == 'p-value' else '|coefficient| >'} {evidence.limit:g}"


def _edges(number: int) -> str:
    return f"{number} edge" if number == 1 else f"{number} edges"
