"""Pictures of graphs in files.

SVG needs no library; Graphviz lays out graphs that are neither large nor dense if pygraphviz is installed. PNG needs
pygraphviz or matplotlib. Graphs of more than 60 variables with an edge are drawn in groups.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dagsearch._writing import write_whole
from dagsearch.causal_effects import DirectEffect
from dagsearch.confidence import Confidence
from dagsearch.errors import InputError, MissingExtraError, as_place
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.graph.focus import Focus, focus_of
from dagsearch.graph.marks import Marks
from dagsearch.report import with_graphviz
from dagsearch.report.directions import marks_of
from dagsearch.report.layout import lanes_of, layout_of
from dagsearch.report.layout.effort import MOST_LANES_FOR_GRAPHVIZ
from dagsearch.report.layout.parts import MOST_UNGROUPED
from dagsearch.report.sketch import Sketch, sketch
from dagsearch.report.svg import graph_svg

_FORMATS = (".svg", ".png")


def draw(
    graph: DAG | PDAG | CyclicGraph,
    path: str | Path,
    title: str | None = None,
    truth: Any = None,
    confidence: Confidence | None = None,
    open_edges: Iterable[Iterable[str]] | None = None,
    effects: Iterable[DirectEffect] | None = None,
    focus: str | Iterable[str] | None = None,
    focus_distance: int = 1,
) -> Path:
    """Draw a graph into a file; the same graph gives the same file.

    Parameters
    ----------
    graph
        A DAG, PDAG or CyclicGraph; undirected edges have no arrowhead. More than a few isolated nodes are left out,
        all of them where there are more than 40 variables; the caption counts them. Where more than 60 variables have
        an edge, groups that many edges join have frames.
    path
        Where to write; the suffix ``.svg`` or ``.png`` says in which format.
    title
        Text above the picture.
    truth
        The true graph where it is known, in any form that `dagsearch.metrics.compare` takes. Edges are then
        coloured as right, reversed or extra, missing ones are dashed, and a legend counts them; not for a graph with
        a cycle.
    confidence
        How sure edges are, if that is known, such as ``confidence_`` of an estimator: likely edges are thicker, and
        those whose direction is not sure have no arrowhead.
    open_edges
        Pairs whose direction is open in any case; they have no arrowhead.
    effects
        Direct effects along the edges, such as ``effects_`` of an estimator; they are written beside up to 30 edges.
    focus
        A variable, or several: only these and what is near them is drawn, and the caption says so.
    focus_distance
        Up to how many edges away that is, whichever way they point; 1: direct causes and effects.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    InputError
        Where the suffix is another one, the file cannot be written, or the distance is less than 1.
    UnknownNameError
        Where the focus is on a variable that the graph does not have.
    MissingExtraError
        Where a bitmap is asked for and neither pygraphviz nor matplotlib is installed.
    """
    path = Path(path)
    if path.suffix.lower() not in _FORMATS:
        raise InputError(f"path must end in {' or '.join(_FORMATS)}, got {as_place(path)}")
    marks = marks_of(graph, confidence, open_edges, effects)
    picture = picture_of(graph, path.suffix.lower(), title, truth, marks, focus_of(focus, focus_distance))
    return write_whole(path, picture)


def picture_of(
    graph: DAG | PDAG | CyclicGraph,
    suffix: str,
    title: str | None = None,
    truth: Any = None,
    marks: Marks | None = None,
    focus: Focus | None = None,
) -> bytes:
    """Draw a graph in the format of a suffix; arguments and errors are those of `draw`."""
    render = _svg if suffix == ".svg" else _png
    return render(sketch(graph, title, truth, marks, focus))


def _svg(drawn: Sketch) -> bytes:
    if not _is_ours(drawn) and _importable("pygraphviz"):
        return with_graphviz.render(drawn, "svg")
    return graph_svg(drawn, interactive=False, background="white").encode()


def _png(drawn: Sketch) -> bytes:
    if _importable("pygraphviz"):
        if _is_ours(drawn):
            return with_graphviz.render_placed(drawn, layout_of(drawn))
        return with_graphviz.render(drawn, "png")
    if _importable("matplotlib"):
        # It needs matplotlib itself, which others do without.
        from dagsearch.report.plot.bitmap import png  # noqa: PLC0415

        return png(drawn)
    raise MissingExtraError("drawing a bitmap", "plot")


def _is_ours(drawn: Sketch) -> bool:
    """Whether the layout is our own: of groups that Graphviz would not keep apart, or so dense that it takes long."""
    return len(drawn.names) > MOST_UNGROUPED or lanes_of(drawn) > MOST_LANES_FOR_GRAPHVIZ


def _importable(module: str) -> bool:
    """Import a module, since a broken installation is found but cannot be imported."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True
