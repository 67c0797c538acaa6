"""What a picture shows, before any library draws it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from dagsearch._visible import clipped, visible
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.graph.focus import Focus, within
from dagsearch.graph.marks import MOST_LABELLED, UNMARKED, EdgeMark, Marks
from dagsearch.metrics import Verdict, classify

Kind = Verdict | Literal["plain"]

# Nodes without an edge lie side by side: more of them would make the picture wider than anyone can look at. A large
# graph has better use for the room of the few, too.
MOST_ISOLATED = 8
MOST_VARIABLES_WITH_ISOLATED = 40
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
    """Nodes, strokes and title of a picture, and how its strokes are to be read.

    Attributes
    ----------
    names, strokes
        The variables and edges that are drawn.
    title, caption
        Text above and below it.
    left_out
        Which variables are not drawn, in words; it is part of the caption.
    focus
        Those of the names that the picture is about; none: it is about all.
    """

    names: tuple[str, ...]
    strokes: tuple[Stroke, ...]
    title: str | None = None
    caption: str | None = None
    left_out: str | None = None
    focus: tuple[str, ...] = ()

    @property
    def legend(self) -> list[tuple[str, Style]]:
        """Texts such as ``9 right`` and their styles; empty where no truth is known."""
        counts = Counter(stroke.kind for stroke in self.strokes)
        return [(f"{counts[kind]} {kind}", style) for kind, style in STYLES.items() if counts[kind] and kind != "plain"]

    def grouped(self, linked: bool) -> Sketch:
        """The same with a caption that says what frames around groups are, and edges between them if there are any."""
        note = "frames: groups that many edges join" + ("; pale: edges between groups" if linked else "")
        return replace(self, caption=f"{note}; {self.caption}" if self.caption else note)


def sketch(
    graph: DAG | PDAG | CyclicGraph,
    title: str | None = None,
    truth: Any = None,
    marks: Marks | None = None,
    focus: Focus | None = None,
) -> Sketch:
    """Decide on the strokes: plain ones, or with a known truth one of a kind for each verdict.

    A graph with a cycle is not compared with any truth. Marks take the arrowheads off open edges. With a focus only
    variables near some others are drawn, and the edges among them, missing ones included.
    """
    if truth is not None and not isinstance(graph, CyclicGraph):
        comparison = classify(graph, truth)
        names, strokes = comparison.names, [Stroke(*edge) for edge in comparison.edges]
    else:
        names, strokes = graph.names, [Stroke(*edge, True, "plain") for edge in graph.directed_edges]
        strokes += [Stroke(*pair, False, "plain") for pair in graph.undirected_edges]
    shown, left_out = _shown(names, strokes) if focus is None else _near(names, strokes, focus)
    among = set(shown)
    drawn = [stroke for stroke in strokes if stroke.cause in among and stroke.effect in among]
    labelled = sum(stroke.kind != "missing" for stroke in drawn) <= MOST_LABELLED
    marked = tuple(_marked(stroke, marks or {}, labelled) for stroke in drawn)
    said = [*(_reading(marked) if marks else []), *([left_out] if left_out else [])]
    return Sketch(shown, marked, title, "; ".join(said) or None, left_out, focus.names if focus else ())


def _shown(names: tuple[str, ...], strokes: list[Stroke]) -> tuple[tuple[str, ...], str | None]:
    """All nodes, or only those with an edge if too many have none; some if no node has one. And who is absent."""
    joined = {name for stroke in strokes for name in (stroke.cause, stroke.effect)}
    most = MOST_ISOLATED if len(names) <= MOST_VARIABLES_WITH_ISOLATED else 0
    if len(names) - len(joined) <= most:
        return names, None
    shown = tuple(name for name in names if name in joined) or names[:MOST_ISOLATED]
    absent = [name for name in names if name not in set(shown)]
    return shown, f"not shown: {len(absent)} without an edge ({_some(absent)})"


def near(names: tuple[str, ...], strokes: list[Stroke], focus: Focus) -> tuple[str, ...]:
    """The nodes that a focus is about, and those near them."""
    focus.check(names)
    place = {name: node for node, name in enumerate(names)}
    adjacency = np.zeros((len(names), len(names)), dtype=np.int8)
    for stroke in strokes:
        adjacency[place[stroke.cause], place[stroke.effect]] = 1
    found = within(adjacency, [place[name] for name in focus.names], focus.distance)
    return tuple(name for node, name in enumerate(names) if node in found)


def _near(names: tuple[str, ...], strokes: list[Stroke], focus: Focus) -> tuple[tuple[str, ...], str]:
    """`near`, and how many others there are."""
    shown = near(names, strokes, focus)
    n_edges = sum(stroke.cause in shown and stroke.effect in shown for stroke in strokes)
    counts = f"{len(shown)} of {len(names)} variables and {n_edges} of {len(strokes)} edges"
    short = focus._replace(names=(_some(focus.names),))
    return shown, f"{short.in_words}: {counts} are shown"


def _some(names: Sequence[str]) -> str:
    """The first of some names, on one line and cut where they are long."""
    named = [clipped(visible(name), _LONGEST_NAME) for name in names[:_MOST_NAMED]]
    n_more = len(names) - len(named)
    return ", ".join(named) + (f" and {n_more} more" if n_more else "")


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
