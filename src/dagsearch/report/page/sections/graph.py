"""The graph with its controls, and the details of what is chosen in it."""

from __future__ import annotations

import math
from typing import Any

from dagsearch.report.page.document import Section
from dagsearch.report.page.edges import EdgeRow
from dagsearch.report.page.markup import Markup, element, joined
from dagsearch.report.page.material import Material
from dagsearch.report.page.rounding import as_drawn
from dagsearch.report.page.words import brief, edge, effect_sentences, p_value, probability, size_of, unit_of
from dagsearch.report.svg import graph_svg

_KEY = (
    ("pos", "more of the cause, more of the effect"),
    ("neg", "more of the cause, less of the effect"),
    ("none", "no single sign (a category, a bend, or not determined)"),
)
_AXES = (("x", "grid", "bin_x"), ("y", "fit", "lower", "upper", "quantiles", "means"))
_VERDICTS = ("right", "reversed", "extra", "missing")


def graph_section(material: Material) -> Section:
    """The picture, what changes it, and the panel beside it."""
    body = joined(
        _controls(material),
        element(
            "div",
            element("div", _picture(material), _key(material), _left_out(material)),
            _panel(),
            class_="graph-and-details",
        ),
    )
    return Section("graph-section", "The graph", body)


def _picture(material: Material) -> Markup:
    return element(
        "div",
        Markup(graph_svg(material.shown.sketch, embedded=True)),
        id="graph",
        class_="graph",
        tabindex="0",
        role="application",
        aria_roledescription="graph",
        aria_label=_description(material),
    )


def _panel() -> Markup:
    """What is known of the variable or edge that is chosen."""
    return element(
        "aside",
        element("p", "Choose a variable or an edge: click on it, or use the arrow keys in the graph."),
        id="details",
        class_="panel",
        tabindex="0",
        aria_live="polite",
        aria_label="Details of what is chosen",
    )


def _controls(material: Material) -> Markup:
    by_confidence = material.model.confidence_ is not None
    label = "Show edges with a probability of at least" if by_confidence else "Show effects of at least"
    initial = 0.5 if by_confidence else 0.0
    strengths = [row.strength for row in material.shown.found if row.strength is not None]
    largest = 1.0 if by_confidence else math.ceil(10 * max(strengths, default=0.0)) / 10
    has_slider = by_confidence or bool(strengths)
    slider = element(
        "label",
        f"{label} ",
        element("input", type="range", id="threshold", min="0", max=f"{largest:g}", step="0.01", value=f"{initial:g}"),
        element("output", "", id="threshold-value", for_="threshold"),
    )
    truth = element(
        "label",
        element("input", type="checkbox", id="truth"),
        " compare with the known graph",
        class_="check",
    )
    buttons = [
        element("button", text, type="button", id=name, aria_label=said)
        for name, text, said in (
            ("zoom-in", "+", "Zoom in"),
            ("zoom-out", "\N{MINUS SIGN}", "Zoom out"),
            ("zoom-reset", "Fit", "Fit: show the whole graph"),
            ("save-svg", "SVG", "Download the graph as SVG"),
            ("save-png", "PNG", "Download the graph as PNG"),
        )
    ]
    return element(
        "div",
        slider if has_slider else None,
        element(
            "label",
            "Find a variable ",
            element("input", type="search", id="search", autocomplete="off", list="names"),
        ),
        element("datalist", [element("option", value=name) for name in material.shown.sketch.names], id="names"),
        truth if material.model.data_.truth is not None else None,
        element("span", buttons, class_="buttons"),
        element("p", "", id="shown-count", class_="count", role="status"),
        class_="controls",
    )


def _description(material: Material) -> str:
    n_found = len(material.shown.found)
    return (
        f"Graph of {len(material.shown.sketch.names)} variables and {n_found} edges; all of them are in the table "
        "below. Arrow keys go from variable to variable, Enter shows details, plus and minus zoom."
    )


def _key(material: Material) -> Markup | None:
    if not material.shown.rows:
        return None
    signs = [element("li", element("span", class_=f"line {kind}"), text) for kind, text in _KEY]
    has_confidence = material.model.confidence_ is not None
    others = [
        "no arrowhead: the data leave the direction open",
        *(["thick and dark: likely", "dotted: likely, though not in the fitted graph"] if has_confidence else []),
    ]
    verdicts = [element("li", element("span", class_=f"line {kind}"), kind) for kind in _VERDICTS]
    return joined(
        element("ul", signs, [element("li", text) for text in others], class_="key signs"),
        element("ul", verdicts, class_="key verdicts") if material.model.data_.truth is not None else None,
    )


def _left_out(material: Material) -> Markup | None:
    shown = set(material.shown.sketch.names)
    alone = [name for name in material.model.data_.names if name not in shown]
    if not alone:
        return None
    return element(
        "details",
        element("summary", f"{len(alone)} variables without an edge are not drawn"),
        element("p", ", ".join(map(brief, alone))),
    )


def graph_data(material: Material) -> dict[str, Any]:
    """What the program needs to know of nodes and edges."""
    names = material.shown.sketch.names
    place = {name: index for index, name in enumerate(names)}
    by_name = {each.name: each for each in material.residuals}
    return {
        "names": list(names),
        "focus": [place[name] for name in material.focus if name in place],
        "threshold": "probability" if material.model.confidence_ is not None else "strength",
        "nodes": [_node(by_name.get(name)) for name in names],
        "edges": [_edge(row, place) for row in material.shown.rows],
    }


def _node(fit: Any) -> dict[str, Any]:
    return {} if fit is None else {"explained": fit.explained, "rows": fit.n_rows}


def _edge(row: EdgeRow, place: dict[str, int]) -> dict[str, Any]:
    return {
        "from": place[row.cause],
        "to": place[row.target],
        "found": row.is_found,
        "missing": row.is_missing,
        "directed": row.stroke.directed,
        "kind": row.stroke.kind,
        "adjacent": row.mark.adjacent,
        "forward": row.mark.forward,
        "backward": row.mark.backward,
        "strength": row.strength,
        "facts": _facts(row),
        "sentences": _sentences(row),
        "relation": None if row.relation is None else as_drawn(row.relation.to_dict(), *_AXES),
    }


def _sentences(row: EdgeRow) -> list[str]:
    """What goes along an edge, and on what condition."""
    if row.effect is None:
        return []
    condition = f"The direction is open; this holds if it is {edge(row.cause, row.target)}:"
    return [*([] if row.stroke.directed else [condition]), *effect_sentences(row.effect)]


def _facts(row: EdgeRow) -> list[list[str]]:
    """What the panel lists of an edge."""
    facts = []
    if row.mark.adjacent is not None:
        facts += [
            ["There is an edge", probability(row.mark.adjacent)],
            [edge(row.cause, row.target), probability(row.mark.forward)],
            [edge(row.target, row.cause), probability(row.mark.backward)],
        ]
    if row.effect is not None and not row.effect.reason:
        facts.append(["Change", f"{size_of(row.effect)} {unit_of(row.effect)}"])
    if row.p_value is not None:
        facts.append(["p-value", p_value(row.p_value)])
    if row.stroke.kind != "plain":
        facts.append(["Against the known graph", row.stroke.kind])
    return facts
