"""Variables with their causes, and the numbers behind these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dagsearch.causal_effects import DirectEffect
from dagsearch.causal_effects.words import BENT
from dagsearch.estimators import DagEstimator
from dagsearch.estimators.result import Graph
from dagsearch.graph.focus import Focus
from dagsearch.graph.marks import short_number
from dagsearch.report.directions import open_edges

Edge = tuple[str, str]

_MOST_NAMES = 20


def listed(graph: Graph, model: DagEstimator, in_brackets: Mapping[Edge, str], focus: Focus | None = None) -> list[str]:
    """Each connected variable with its causes, then undirected edges; others in one line.

    Parameters
    ----------
    graph
        What to list.
    model
        The fit, which knows of open directions.
    in_brackets
        What stands behind a cause, by (cause, effect). Undirected edges have both directions, the one that is written
        first.
    focus
        Which variables to list, with what is near them; a first line then says how many edges these have. None: all.
    """
    near = near_names(graph, focus)
    is_open = {frozenset(pair) for pair in open_edges(model)}

    def cause(name: str, effect: str) -> str:
        marked = f"{name}?" if frozenset((name, effect)) in is_open else name
        text = in_brackets.get((name, effect))
        return marked if text is None else f"{marked} ({text})"

    lines = [] if focus is None else [_counted(graph, near, focus)]
    for effect in graph.names:
        causes = [name for name in graph.parents(effect) if name in near and effect in near]
        if causes:
            lines.append(f"  {effect} <- {', '.join(cause(name, effect) for name in causes)}")
    for first, second in graph.undirected_edges:
        if not near >= {first, second}:
            continue
        texts = [in_brackets[pair] for pair in ((first, second), (second, first)) if pair in in_brackets]
        lines.append(f"  {first} -- {second}" + (f" ({', '.join(texts)})" if texts else ""))
    return lines + _others(graph, near)


def near_names(graph: Graph, focus: Focus | None) -> set[str]:
    """The variables that a focus is about, and those near them; all without a focus."""
    return set(graph.names if focus is None else graph.neighbourhood(focus.names, focus.distance))


def _counted(graph: Graph, near: set[str], focus: Focus) -> str:
    """How much of a graph is listed."""
    shown = sum(near >= set(edge) for edge in (*graph.directed_edges, *graph.undirected_edges))
    return f"  {focus.in_words}: {shown} of {graph.n_edges} edges"


def _others(graph: Graph, shown: set[str]) -> list[str]:
    """Those of some variables without causes, and those without any edge."""
    near = {name for pair in graph.undirected_edges for name in pair}
    causes = {name for name, _ in graph.directed_edges}
    effects = {name for _, name in graph.directed_edges}
    roots = [name for name in graph.names if name in shown & causes - effects - near]
    alone = [name for name in graph.names if name in shown - causes - effects - near]
    lines = [f"  without causes: {_some(roots)}"] if roots else []
    return [*lines, f"  not connected: {_some(alone)}"] if alone else lines


def _some(names: Sequence[str]) -> str:
    """The first of many names, and how many more there are."""
    n_more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {n_more} more" if n_more > 0 else "")


# ---------------------------------------------------------------- numbers


def evidence_in_brackets(model: DagEstimator) -> dict[Edge, str]:
    """P-value or largest coefficient of each constructed edge."""
    return {} if model.evidence_ is None else {edge: _short(p) for edge, p in model.evidence_.by_edge().items()}


def _short(value: float) -> str:
    """A p-value or coefficient in few characters."""
    return f"{value:.2g}" if value > 0.0 else "< 1e-300"


def effects_in_brackets(effects: Sequence[DirectEffect]) -> dict[Edge, str]:
    """The effect of each edge: in the original units, then in standard deviations."""
    return {(each.cause, each.effect): _effect(each) for each in effects}


def _effect(effect: DirectEffect) -> str:
    if effect.reason:
        return "unknown"
    if effect.coefficient is None:
        level, value = max(effect.contrasts.items(), key=lambda item: abs(item[1]))
        return f"{level} {short_number(value)}, ..."
    level = f"{next(iter(effect.contrasts))} " if effect.contrasts else ""
    standardised = "" if effect.standardised is None else f", {short_number(effect.standardised)} sd"
    return f"{level}{short_number(effect.coefficient)}{standardised}{', bends' if _bends(effect) else ''}"


def _bends(effect: DirectEffect) -> bool:
    return effect.rising is not None and BENT[0] < effect.rising < BENT[1]


def key_to_effects(effects: Sequence[DirectEffect]) -> list[str]:
    """What the numbers are, as far as some edge has them."""
    if not effects:
        return []

    def some(condition: Callable[[DirectEffect], bool]) -> bool:
        return any(condition(each) for each in effects)

    said = ["In brackets: what one unit more of the cause changes, the other causes fixed; sd: in standard deviations."]
    if some(lambda each: bool(each.contrasts) and each.reference is not None):
        said.append("Before the number: the level of the cause, against its first or most frequent one.")
    if some(lambda each: each.coefficient is None and not each.reason):
        said.append("...: more levels; this one changes most (all of them: --json).")
    if some(lambda each: each.outcome is not None or (each.coefficient is None and each.reference is None)):
        said.append("Of a category, its probability changes.")
    if some(_bends):
        said.append("bends: rises in some rows, falls in others.")
    if some(lambda each: bool(each.reason)):
        said.append("unknown: " + next(each.reason for each in effects if each.reason) + ".")
    return said
