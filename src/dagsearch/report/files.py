"""A graph in every format that people ask for, in one folder."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from dagsearch._writing import reason_of, require_writable_file, write_all, write_whole
from dagsearch.causal_effects import DirectEffect
from dagsearch.confidence import Confidence
from dagsearch.errors import InputError, as_place
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.graph.export import to_dot, to_edge_csv, to_graphml
from dagsearch.graph.focus import focus_of
from dagsearch.report.directions import marks_of
from dagsearch.report.picture import picture_of

STEMS = ("graph", "pruned")
SUFFIXES = (".dot", ".graphml", ".csv", ".svg")
PAGE_SUFFIXES = (".html", ".htm")


def write_graph(
    graph: DAG | PDAG | CyclicGraph,
    folder: str | Path,
    stem: str = "graph",
    truth: Any = None,
    confidence: Confidence | None = None,
    open_edges: Iterable[Iterable[str]] | None = None,
    effects: Iterable[DirectEffect] | None = None,
    p_values: Mapping[tuple[str, str], float] | None = None,
    focus: str | Iterable[str] | None = None,
    focus_distance: int = 1,
) -> list[Path]:
    """Write a graph as DOT, GraphML, CSV and SVG; files appear complete or not at all, the picture last.

    Parameters
    ----------
    graph
        A DAG, a PDAG or a CyclicGraph.
    folder
        Where to write; created with its parents where it does not exist.
    stem
        Name of the files without suffix.
    truth
        The true graph where it is known; edges of the picture are then coloured by their verdict.
    confidence
        How sure edges are, if that is known, such as ``confidence_`` of an estimator: probabilities are columns of the
        CSV file and attributes in DOT and GraphML, and likely edges are thicker.
    open_edges
        Pairs whose direction is open in any case. These, and edges whose direction is not sure, have no arrowheads, and
        are marked as open; None: nothing is known of directions.
    effects
        Direct effects along the edges, such as ``effects_`` of an estimator: coefficients are columns of the CSV file
        and attributes in DOT and GraphML, and are written beside the edges of small graphs.
    p_values
        By (cause, effect), such as those of ``result_`` of an estimator: a column and attributes, too.
    focus, focus_distance
        As in `dagsearch.report.draw`: the picture shows what is near some variables. The other files have all edges.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        Where the folder is a file or cannot be written to.
    UnknownNameError
        Where the focus is on a variable that the graph does not have.
    """
    folder = Path(folder)
    looked_at = focus_of(focus, focus_distance)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        marks = marks_of(graph, confidence, open_edges, effects, p_values)
        texts = {".dot": to_dot(graph, marks), ".graphml": to_graphml(graph, marks), ".csv": to_edge_csv(graph, marks)}
        written = write_all({folder / f"{stem}{suffix}": text for suffix, text in texts.items()})
        # Whatever becomes of the picture, which takes longest: the texts are there, and no picture of other edges.
        drawn = folder / f"{stem}.svg"
        drawn.unlink(missing_ok=True)
        return [*written, write_whole(drawn, picture_of(graph, ".svg", truth=truth, marks=marks, focus=looked_at))]
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"folder must be a folder, got the file {error.filename}") from error
    except OSError as error:
        raise InputError(f"folder must be writable, got {folder}: {reason_of(error)}") from error


def remove_older(folder: Path, written: Collection[Path]) -> list[Path]:
    """Delete the files of an earlier fit that lie beside those just written, and return them.

    Only ``graph.*`` and ``pruned.*`` in the formats that `write_graph` knows are looked at.
    """
    candidates = [folder / f"{stem}{suffix}" for stem in STEMS for suffix in SUFFIXES]
    older = [path for path in candidates if path not in written and path.is_file()]
    for path in older:
        path.unlink()
    return older


def writable_page(path: str | Path, argument: str) -> Path:
    """The path of a page, if it can be written; otherwise an error that names the argument and says why not."""
    path = Path(path)
    if path.suffix.lower() not in PAGE_SUFFIXES:
        raise InputError(f"{argument} must end in {PAGE_SUFFIXES[0]}, got {as_place(path)}")
    require_writable_file(path, argument)
    return path
