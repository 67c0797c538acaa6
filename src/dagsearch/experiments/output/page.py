"""One page of everything, as HTML that needs no other file, and as Markdown."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Literal

from dagsearch._visible import visible
from dagsearch.errors import MissingExtraError
from dagsearch.experiments.output.figures import render
from dagsearch.experiments.output.files import write_file
from dagsearch.experiments.output.page_markdown import report_markdown
from dagsearch.experiments.output.sections import Section, overview, sections
from dagsearch.experiments.output.tables import NOT_RUN, Entry, Table
from dagsearch.experiments.store import RecordStore
from dagsearch.experiments.study import Experiment

TITLE = "Tree search in DAG space: the paper's tables and figures, repeated"


def write_report(experiments: Iterable[Experiment], store: RecordStore, folder: Path, *said: str) -> list[Path]:
    """Write ``report.html`` and ``report.md``, and the pictures that the latter shows, over older ones.

    Parameters
    ----------
    experiments
        What the report is about.
    store
        The records; whatever has none is shown as not run.
    folder
        Where to write; made if it does not exist.
    said
        Further sentences about all of it, such as by which rules it was run.

    Returns
    -------
    list of Path
        The files written. Without matplotlib there are no pictures, and the report says so in their place.

    Raises
    ------
    InputError
        If the folder cannot be written to.
    """
    of_report = sections(experiments, store)
    facts = [*said, *overview(of_report, store)]
    pictures = {each.experiment.name: png for each in of_report if each.of_panels and (png := _picture(each, "png"))}
    links = {name: f"figures/{name}.png" for name in pictures}
    return [
        *(write_file(folder / links[name], png) for name, png in pictures.items()),
        write_file(folder / "report.md", report_markdown(TITLE, facts, of_report, links)),
        write_file(folder / "report.html", _page(facts, of_report)),
    ]


def _picture(section: Section, file_format: Literal["png", "svg"]) -> bytes | None:
    """A figure; None if it cannot be drawn here."""
    try:
        return render(section.of_panels, file_format)
    except MissingExtraError:
        return None


def _page(facts: Sequence[str], of_report: Sequence[Section]) -> str:
    style = (resources.files("dagsearch.experiments.output") / "page.css").read_text(encoding="utf-8")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    parts = [
        f'<!doctype html>\n<html lang="en"><head>{head}<title>{escape(TITLE)}</title>',
        f"<style>\n{style}</style></head><body><main>",
        f"<h1>{escape(TITLE)}</h1>",
        _list(facts, "facts"),
        _contents(of_report),
        _all_differences(of_report),
        *(_section(section) for section in of_report),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _list(items: Iterable[str], kind: str) -> str:
    return f'<ul class="{kind}">' + "".join(f"<li>{escape(visible(item))}</li>" for item in items) + "</ul>"


def _contents(of_report: Sequence[Section]) -> str:
    links = (f'<li><a href="#{each.experiment.name}">{escape(each.heading)}</a></li>' for each in of_report)
    return f"<nav><h2>Contents</h2><ul>{''.join(links)}</ul></nav>"


def _all_differences(of_report: Sequence[Section]) -> str:
    """All cells that differ, table by table, times left aside."""
    parts = ['<section id="differences"><h2>Cells that differ from the paper by more than their intervals</h2>']
    with_differences = [each for each in of_report if each.differences and each.table and not each.table.has_times]
    for each in with_differences:
        parts.append(f'<h3><a href="#{each.experiment.name}">{escape(each.heading)}</a></h3>')
        parts.append(_list(each.differences, "differences"))
    if not with_differences:
        parts.append("<p>None so far.</p>")
    return "\n".join([*parts, "<p>Times are of other machines than the paper's: see tables 3 and 4.</p></section>"])


def _section(section: Section) -> str:
    shown = _figure(section) if section.table is None else _table(section.table)
    return "\n".join(
        [
            f'<section id="{section.experiment.name}"><h2>{escape(section.heading)}</h2>',
            f'<p class="ran">{escape(section.what_was_run)}</p>',
            shown,
            *(f'<p class="note">{escape(note)}</p>' for note in section.notes),
            "</section>",
        ]
    )


def _figure(section: Section) -> str:
    picture = _picture(section, "svg")
    if picture is None:
        missing = MissingExtraError("drawing figures", "plot")
        return f'<p class="missing">{escape(str(missing))}</p>'
    # As an image of its own, since the identifiers within pictures would clash on one page.
    source = base64.b64encode(picture).decode()
    return f'<img alt="{escape(section.heading)}" src="data:image/svg+xml;base64,{source}">'


def _table(table: Table) -> str:
    """A table that scrolls sideways within the page, with the metrics fixed at its left."""
    titles = "".join(f"<th>{escape(title)}</th>" for title in table.titles)
    lines = [f'<div class="scroll"><table><thead><tr><th class="metric">Metric</th>{titles}</tr></thead><tbody>']
    for (*group, metric), line in zip(table.heads, table.lines, strict=True):
        if any(group):
            # Far down on a small screen, what an earlier line has said is out of sight.
            name = " · ".join(filter(None, (line[0].row.phase, line[0].row.block)))
            span = f'<td colspan="{len(line)}"></td>'
            lines.append(f'<tr class="group"><th class="metric">{escape(name)}</th>{span}</tr>')
        lines.append(f'<tr><th class="metric">{escape(metric)}</th>{"".join(map(_entry, line))}</tr>')
    return "\n".join([*lines, "</tbody></table></div>"])


def _entry(entry: Entry) -> str:
    mean, plus_minus, half_width = entry.ours_text.partition(" ±")
    ours = escape(mean) + (f" <small>±{escape(half_width)}</small>" if plus_minus else "")
    paper = f'<span class="paper">{escape(entry.paper_text)}</span>' if entry.paper_text else ""
    difference = f'<span class="difference">{escape(entry.difference_text)}</span>' if entry.difference_text else ""
    return f'<td class="{_kind(entry)}"><span class="ours">{ours}</span>{paper}{difference}</td>'


def _kind(entry: Entry) -> str:
    """How a cell looks: what is best, what differs from the paper, what is not there."""
    differs = entry.difference is not None and entry.difference.exceeds and entry.row.measure != "seconds"
    kinds = {"best": entry.is_best, "absent": entry.ours_text == NOT_RUN, "differs": differs}
    return " ".join(name for name, applies in kinds.items() if applies)
