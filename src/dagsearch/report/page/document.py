"""One HTML file that needs nothing else: style, program and data within, and a policy that forbids everything else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from dagsearch.report.page.markup import Markup, as_data, element, joined

_STYLE = "page.css"
# Each file is one concern; the first ones have what the others use.
_PROGRAM = (
    "elements.js",
    "charts.js",
    "relation.js",
    "details.js",
    "graph.js",
    "download.js",
    "table.js",
    "figures.js",
    "start.js",
)
_NO_PROGRAM = "Slider, search, sorting and pictures of relations need JavaScript; it is part of this file."


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    name
        By which it is linked to.
    title
        Its heading, also in the list of contents.
    body
        What stands below the heading.
    """

    name: str
    title: str
    body: Markup


def document(title: str, lead: Markup, sections: Sequence[Section], data: Any) -> str:
    """The page.

    Parameters
    ----------
    title
        Heading of the page and name of its window.
    lead
        What stands below it, before the contents.
    sections
        The rest.
    data
        What the program of the page draws, in types that JSON has.
    """
    style, program = _asset(_STYLE), "\n".join(_asset(name) for name in _PROGRAM)
    program = f'"use strict";\n(() => {{\n{program}\n}})();\n'
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, program)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Markup(style)),
    )
    body = element(
        "body",
        element("a", "Skip to the content", class_="skip", href="#content"),
        element("header", element("h1", title)),
        _contents(sections),
        element("main", lead, [_section(each) for each in sections], id="content", tabindex="-1"),
        element("noscript", element("p", _NO_PROGRAM)),
        element("script", as_data(data), type="application/json", id="page-data"),
        element("script", Markup(program)),
    )
    return f'<!doctype html>\n<html lang="en">{joined(head, body)}</html>\n'


def _asset(name: str) -> str:
    return (resources.files("dagsearch.report.page") / "assets" / name).read_text(encoding="utf-8")


def _policy(style: str, program: str) -> str:
    """Nothing is loaded, and nothing runs but the program itself; pictures are made of what is here."""
    return (
        f"default-src 'none'; script-src '{_digest(program)}'; style-src '{_digest(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def _contents(sections: Sequence[Section]) -> Markup:
    links = [element("li", element("a", each.title, href=f"#{each.name}")) for each in sections]
    return element("nav", element("ul", links), aria_label="Contents", class_="contents")


def _section(section: Section) -> Markup:
    heading = f"{section.name}-heading"
    return element(
        "section",
        element("h2", section.title, id=heading),
        section.body,
        id=section.name,
        aria_labelledby=heading,
    )
