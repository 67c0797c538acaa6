"""The report as Markdown, its pictures beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from dagsearch._visible import visible
from dagsearch.experiments.output.sections import Section
from dagsearch.experiments.output.table_formats import markdown_table


def report_markdown(title: str, facts: Sequence[str], of_report: Sequence[Section], links: Mapping[str, str]) -> str:
    """The whole report.

    Parameters
    ----------
    title
        Of the report.
    facts
        About all runs.
    of_report
        The sections.
    links
        From names of figures to their pictures, if these could be drawn.
    """
    contents = [f"[{section.heading}](#{_anchor(section.heading)})" for section in of_report]
    parts = [f"# {title}", _list(map(without_markup, facts)), "## Contents", _list(contents), *_differences(of_report)]
    for section in of_report:
        parts += [f"## {section.heading}", section.what_was_run, _shown(section, links), *section.notes]
    return "\n\n".join(parts) + "\n"


def without_markup(text: str) -> str:
    """A text, such as one from a record, in which nothing is markup of Markdown or HTML, nor begins a line."""
    # A colon without what is behind it is no address that renderers would turn into a link.
    escaped = re.sub(r"[\\`*\[\]<>&|~$#!]|(?<!\w)_|_(?!\w)|(?<=\w):(?=//)|(?<=www)\.", r"\\\g<0>", visible(text))
    return escaped.replace("@", "&#64;")


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _anchor(heading: str) -> str:
    """As the renderers of Markdown make it of a heading."""
    kept = (character for character in heading.lower() if character.isalnum() or character in " -")
    return "".join(kept).replace(" ", "-")


def _differences(of_report: Sequence[Section]) -> list[str]:
    parts = ["## Cells that differ from the paper by more than their intervals"]
    for section in of_report:
        if section.differences and section.table and not section.table.has_times:
            parts += [f"**{section.heading}**", _list(section.differences)]
    return [*parts, *(["None so far."] if len(parts) == 1 else [])]


def _shown(section: Section, links: Mapping[str, str]) -> str:
    name = section.experiment.name
    if section.table is not None:
        return markdown_table(section.table)
    return f"![{section.heading}]({links[name]})" if name in links else "The picture was left out: it needs matplotlib."
