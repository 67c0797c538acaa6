"""What a picture shows, before any library draws it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.metrics import Verdict, classify

Kind = Verdict | Literal["plain"]


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

    @property
    def style(self) -> Style:
        """The look that goes with the kind."""
        return STYLES[self.kind]


@dataclass(frozen=True)
class Sketch:
    """Nodes, strokes and title of a picture."""

    names: tuple[str, ...]
    strokes: tuple[Stroke, ...]
    title: str | None = None

    @property
    def legend(self) -> list[tuple[str, Style]]:
        """Texts such as ``9 right`` and their styles; empty where no truth is known."""
        counts = Counter(stroke.kind for stroke in self.strokes)
        return [(f"{counts[kind]} {kind}", style) for kind, style in STYLES.items() if counts[kind] and kind != "plain"]


def sketch(graph: DAG | PDAG | CyclicGraph, title: str | None = None, truth: Any = None) -> Sketch:
    """Decide on the strokes: plain ones, or with a known truth one of a kind for each verdict.

    A graph with a cycle is not compared with any truth.
    """
    if truth is not None and not isinstance(graph, CyclicGraph):
        comparison = classify(graph, truth)
        return Sketch(comparison.names, tuple(Stroke(*edge) for edge in comparison.edges), title)
    arrows = [Stroke(cause, effect, True, "plain") for cause, effect in graph.directed_edges]
    lines = [Stroke(first, second, False, "plain") for first, second in graph.undirected_edges]
    return Sketch(graph.names, (*arrows, *lines), title)
