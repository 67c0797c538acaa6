"""Pictures of graphs: by Graphviz where pygraphviz is installed, otherwise by matplotlib."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from dagsearch.causal_effects import DirectEffect
from dagsearch.confidence import Confidence
from dagsearch.errors import InputError, MissingExtraError
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.graph.marks import Marks
from dagsearch.report import with_graphviz, with_matplotlib
from dagsearch.report.directions import marks_of
from dagsearch.report.sketch import Sketch, sketch

_FORMATS = (".svg", ".png")


def draw(
    graph: DAG | PDAG | CyclicGraph,
    path: str | Path,
    title: str | None = None,
    truth: Any = None,
    confidence: Confidence | None = None,
    open_edges: Iterable[Iterable[str]] | None = None,
    effects: Iterable[DirectEffect] | None = None,
) -> Path:
    """Draw a graph into a file; the same graph gives the same file.

    Parameters
    ----------
    graph
        A DAG, PDAG or CyclicGraph; undirected edges have no arrowhead, and more than a few isolated nodes
        are left out and told of below the title.
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

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    InputError
        Where the suffix is another one, or the file cannot be written.
    MissingExtraError
        Where neither pygraphviz nor matplotlib is installed.
    """
    return draw_marked(graph, path, title, truth, marks_of(graph, confidence, open_edges, effects))


def draw_marked(
    graph: DAG | PDAG | CyclicGraph,
    path: str | Path,
    title: str | None = None,
    truth: Any = None,
    marks: Marks | None = None,
) -> Path:
    """Draw a graph into a file with what is known of its edges; arguments and errors are those of `draw`."""
    path = Path(path)
    if path.suffix.lower() not in _FORMATS:
        raise InputError(f"path must end in {' or '.join(_FORMATS)}, got {path}")
    render = _renderer()
    picture = render(sketch(graph, title, truth, marks), path.suffix.lower()[1:])
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise InputError(f"path must be a file that can be written, got {path}: {error.strerror}") from error
    return path


def _renderer() -> Callable[[Sketch, str], bytes]:
    """Choose the best library that is installed."""
    if _importable("pygraphviz"):
        return with_graphviz.render
    if _importable("matplotlib"):
        return with_matplotlib.render
    raise MissingExtraError("drawing a picture", "plot")


def _importable(module: str) -> bool:
    """Import a module, since a broken installation is found but cannot be imported."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True
