"""A graph in every format that people ask for, in one folder."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

from dagsearch.errors import InputError, MissingExtraError
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.graph.export import to_dot, to_edge_csv, to_graphml
from dagsearch.report.picture import draw


def write_graph(
    graph: DAG | PDAG | CyclicGraph, folder: str | Path, stem: str = "graph", truth: Any = None
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
            drafts = _write_drafts(graph, Path(workshop), stem, truth)
            return [_publish(draft, folder) for draft in drafts]
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"folder must be a folder, got the file {error.filename}") from error
    except OSError as error:
        raise InputError(f"folder must be writable, got {folder}: {error.strerror}") from error


def _write_drafts(graph: DAG | PDAG | CyclicGraph, workshop: Path, stem: str, truth: Any) -> list[Path]:
    """Write all formats into a temporary folder."""
    texts = {".dot": to_dot(graph), ".graphml": to_graphml(graph), ".csv": to_edge_csv(graph)}
    drafts = [workshop / f"{stem}{suffix}" for suffix in texts]
    for draft, text in zip(drafts, texts.values(), strict=True):
        draft.write_text(text, encoding="utf-8", newline="\n")
    try:
        drafts.append(draw(graph, workshop / f"{stem}.svg", truth=truth))
    except MissingExtraError as error:
        warnings.warn(f"the picture was left out: {error}", stacklevel=3)
    return drafts


def _publish(draft: Path, folder: Path) -> Path:
    """Move a finished file to its place, over an older one."""
    target = folder / draft.name
    os.replace(draft, target)
    return target
