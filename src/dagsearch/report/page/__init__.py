"""One HTML file that a scientist sends to a colleague.

::

    fit --> material (what is computed beside it) --> sections --> document (style, program and data in one file)
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dagsearch._writing import write_whole
from dagsearch.auditing import Audit
from dagsearch.estimators import Certificate, DagEstimator
from dagsearch.graph.focus import focus_of
from dagsearch.report.files import writable_page
from dagsearch.report.page.answer import answer
from dagsearch.report.page.document import Section, document
from dagsearch.report.page.material import Material, gather
from dagsearch.report.page.sections.audit import audit_section
from dagsearch.report.page.sections.changes import changes_data, changes_section
from dagsearch.report.page.sections.checks import checks_data, checks_section
from dagsearch.report.page.sections.edges import edges_section
from dagsearch.report.page.sections.graph import graph_data, graph_section
from dagsearch.report.page.sections.provenance import proof_section, provenance_section
from dagsearch.report.page.sections.search import search_data, search_section

__all__ = ["write_page", "write_report"]


def write_report(
    model: DagEstimator,
    path: str | Path,
    data_name: str = "the table",
    command: str | None = None,
    certificate: Certificate | None = None,
    findings: Audit | None = None,
    further: tuple[Section, ...] = (),
    focus: str | Iterable[str] | None = None,
) -> Path:
    """Write a page about a fit; the file appears complete or not at all.

    Parameters
    ----------
    model
        A fitted estimator.
    path
        Where to write, ``.html``.
    data_name
        What the table is called.
    command
        What repeats the fit; by default Python code.
    certificate
        What is proven about the graph, if anything.
    findings
        The audit of the table as it was read; by default that of the table that the method saw.
    further
        Sections of others, behind the table of edges.
    focus
        A variable that the page opens with, or several.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    InputError
        If the file cannot be written.
    UnknownNameError
        If the table has no variable to focus on.
    """
    path = writable_page(path, "path")
    looked_at = focus_of(focus)
    if looked_at is not None:
        looked_at.check(model.data_.names)
    names = () if looked_at is None else looked_at.names
    material = gather(model, data_name, command, certificate, findings, names)
    return write_page(path, f"Causal graph of {data_name}", material, further)


def write_page(path: Path, title: str, material: Material, further: tuple[Section, ...] = ()) -> Path:
    """Write the page that some material makes."""
    sections = [
        graph_section(material),
        edges_section(material),
        *further,
        checks_section(material),
        changes_section(material),
        search_section(material),
        proof_section(material),
        audit_section(material),
        provenance_section(material),
    ]
    data: dict[str, Any] = {
        "file": "graph",
        "graph": graph_data(material),
        **checks_data(material),
        **changes_data(material),
        "trace": search_data(material),
    }
    page = document(title, answer(material), [each for each in sections if each is not None], data)
    return write_whole(path, page)
