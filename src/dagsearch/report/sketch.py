"""What a picture shows, before any library draws it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.graph.marks import MOST_LABELLED, UNMARKED, EdgeMark, Marks
from dagsearch.metrics import Verdict, classify

Kind = Verdict | Literal["plain"]

# Nodes without an edge lie side by side: more of them would make the picture wider than anyone can look at.
MOST_ISOLATED = 8
_MOST_NAMED = 4
_LONGEST_NAME = 24


class Style(NamedTuple):
    """The look of a stroke."""

    colour: str
    dashed: bool = False


STYLES: dict[Kind, Style] = {
    "plain": Style("#3d4b5c"),
    "right": Style("#17713a"),
    "reversed": Style("#e07b00"),
    "extra": Style("#c8453b"),
    "missing": Style("#9aa5b1", dashed=True),
}


class Stroke(NamedTuple):
    """One edge to be drawn."""

    cause: str
    effect: str
    directed: bool
    kind: Kind
    probability: float | None = None
    """That there is the edge, if that is known."""
    label: str | None = None
    """Text beside it."""
    sign: int | None = None
    """That of the effect, 1 or -1, if it is known and not zero."""
    minor: bool = False
    """Whether it has no say in where nodes lie."""

    @property
    def style(self) -> Style:
        """The look that goes with the kind."""
        return STYLES[self.kind]


@dataclass(frozen=True)
class Sketch:
    """Nodes, strokes and title of a picture, and how its strokes are to be read."""

    names: tuple[str, ...]
    strokes: tuple[Stroke, ...]
    title: str | None = None
    caption: str | None = None

    @property
    def legend(self) -> list[tuple[str, Style]]:
        """Texts such as ``9 right`` and their styles; empty where no truth is known."""
        counts = Counter(stroke.kind for stroke in self.strokes)
        return [(f"{counts[kind]} {kind}", style) for kind, style in STYLES.items() if counts[kind] and kind != "plain"]


def sketch(
    graph: DAG | PDAG | CyclicGraph, title: str | None = None, truth: Any = None, marks: Marks | None = None
) -> Sketch:
    """Decide on the strokes: plain ones, or with a known truth one of a kind for each verdict.

    A graph with a cycle is not compared with any truth. Marks take the arrowheads off open edges.
    """
    if truth is not None and not isinstance(graph, CyclicGraph):
        comparison = classify(graph, truth)
        names, strokes = comparison.names, [Stroke(*edge) for edge in comparison.edges]
    else:
        names, strokes = graph.names, [Stroke(*edge, True, "plain") for edge in graph.directed_edges]
        strokes += [Stroke(*pair, False, "plain") for pair in graph.undirected_edges]
    labelled = graph.n_edges <= MOST_LABELLED
    marked = tuple(_marked(stroke, marks or {}, labelled) for stroke in strokes)
    shown = _shown(names, strokes)
    said = [*(_reading(marked) if marks else []), *_on_left_out([name for name in names if name not in set(shown)])]
    return Sketch(shown, marked, title, "; ".join(said) or None)


def _shown(names: tuple[str, ...], strokes: list[Stroke]) -> tuple[str, ...]:
    """All nodes, or only those with an edge if too many have none; some of them if no node has one."""
    joined = {name for stroke in strokes for name in (stroke.cause, stroke.effect)}
    if len(names) - len(joined) <= MOST_ISOLATED:
        return names
    return tuple(name for name in names if name in joined) or names[:MOST_ISOLATED]


def _on_left_out(names: list[str]) -> list[str]:
    """Which nodes are not in the picture."""
    if not names:
        return []
    named = [name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…" for name in names[:_MOST_NAMED]]
    n_more = len(names) - len(named)
    return [f"not shown, without an edge: {', '.join(named)}" + (f" and {n_more} more" if n_more else "")]


def _marked(stroke: Stroke, marks: Marks, labelled: bool) -> Stroke:
    """The stroke of an edge with what is known of it; a missing edge is not one of the graph."""
    mark = marks.get((stroke.cause, stroke.effect)) or marks.get((stroke.effect, stroke.cause), UNMARKED)
    if stroke.kind == "missing":
        return stroke
    label = mark.label if labelled else None
    directed = stroke.directed and not mark.is_open
    return stroke._replace(directed=directed, probability=mark.adjacent, label=label, sign=_sign(mark))


def _sign(mark: EdgeMark) -> int | None:
    """The sign of an effect; None if it is not known, or zero."""
    effect = mark.coefficient if mark.standardised is None else mark.standardised
    return None if not effect or math.isnan(effect) else int(math.copysign(1, effect))


def _reading(strokes: tuple[Stroke, ...]) -> list[str]:
    """How to read what marks have changed."""
    said = []
    if any(stroke.probability is not None for stroke in strokes):
        said.append("thick: a likely edge")
    if not all(stroke.directed for stroke in strokes):
        said.append("no arrowhead: direction open")
    if any(stroke.label for stroke in strokes):
        said.append("numbers: change of the effect per unit of the cause")
    return said
