"""A graph in every format that people ask for, in one folder."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from dagsearch.causal_effects import DirectEffect
from dagsearch.confidence import Confidence
from dagsearch.errors import InputError, MissingExtraError
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.graph.export import to_dot, to_edge_csv, to_graphml
from dagsearch.graph.marks import Marks
from dagsearch.report.directions import marks_of
from dagsearch.report.picture import draw_marked

STEMS = ("graph", "pruned")
SUFFIXES = (".dot", ".graphml", ".csv", ".svg")


def write_graph(
    graph: DAG | PDAG | CyclicGraph,
    folder: str | Path,
    stem: str = "graph",
    truth: Any = None,
    confidence: Confidence | None = None,
    open_edges: Iterable[Iterable[str]] | None = None,
    effects: Iterable[DirectEffect] | None = None,
    p_values: Mapping[tuple[str, str], float] | None = None,
) -> list[Path]:
    """Write a graph as DOT, GraphML, CSV and SVG; files appear complete or not at all.

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

    Returns
    -------
    list of Path
        The files written. Without a drawing library the picture is left out, with a warning.

    Raises
    ------
    InputError
        Where the folder is a file or cannot be written to.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".writing-") as workshop:
            marks = marks_of(graph, confidence, open_edges, effects, p_values)
            drafts = _write_drafts(graph, Path(workshop), stem, truth, marks)
            return [_publish(draft, folder) for draft in drafts]
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"folder must be a folder, got the file {error.filename}") from error
    except OSError as error:
        raise InputError(f"folder must be writable, got {folder}: {error.strerror}") from error


def _write_drafts(graph: DAG | PDAG | CyclicGraph, workshop: Path, stem: str, truth: Any, marks: Marks) -> list[Path]:
    """Write all formats into a temporary folder."""
    texts = {".dot": to_dot(graph, marks), ".graphml": to_graphml(graph, marks), ".csv": to_edge_csv(graph, marks)}
    drafts = [workshop / f"{stem}{suffix}" for suffix in texts]
    for draft, text in zip(drafts, texts.values(), strict=True):
        draft.write_text(text, encoding="utf-8", newline="\n")
    try:
        drafts.append(draw_marked(graph, workshop / f"{stem}.svg", truth=truth, marks=marks))
    except MissingExtraError as error:
        warnings.warn(f"the picture was left out: {error}", stacklevel=3)
    return drafts


def _publish(draft: Path, folder: Path) -> Path:
    """Move a finished file to its place, over an older one."""
    target = folder / draft.name
    os.replace(draft, target)
    return target


def remove_older(folder: Path, written: Collection[Path]) -> list[Path]:
    """Delete the files of an earlier fit that lie beside those just written, and return them.

    Only ``graph.*`` and ``pruned.*`` in the formats that `write_graph` knows are looked at.
    """
    candidates = [folder / f"{stem}{suffix}" for stem in STEMS for suffix in SUFFIXES]
    older = [path for path in candidates if path not in written and path.is_file()]
    for path in older:
        path.unlink()
    return older
