"""A page with two graphs side by side, in one layout, and how they differ."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dagsearch._writing import write_whole
from dagsearch.graph.focus import Focus
from dagsearch.metrics import classify, compare
from dagsearch.metrics.matching import Matched, match
from dagsearch.report.files import writable_page
from dagsearch.report.layout import GraphLayout, layout_of
from dagsearch.report.page.document import Section, document
from dagsearch.report.page.markup import Markup, element, joined
from dagsearch.report.page.sections.provenance import definitions
from dagsearch.report.page.words import NONE, counted, edge
from dagsearch.report.sketch import Kind, Sketch, Stroke, near
from dagsearch.report.svg import graph_svg

_MEANINGS: dict[str, str] = {
    "right": "in both graphs, in the same way",
    "reversed": "in both, but directed otherwise",
    "extra": "only in the first graph",
    "missing": "only in the second graph",
}
_LETTERS = {"tpr", "fdr", "shd", "f1", "sid"}


def write_comparison(
    found: Any,
    truth: Any,
    path: str | Path,
    labels: tuple[str, str] = ("Found", "Truth"),
    focus: Focus | None = None,
) -> Path:
    """Write a page that shows two graphs side by side.

    Parameters
    ----------
    found, truth
        Graphs as `dagsearch.metrics.compare` takes them.
    path
        Where to write, ``.html``.
    labels
        What the graphs are called.
    focus
        Of which variables the surroundings are shown; None: all. The numbers are of the whole graphs all the same.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    InputError
        If the nodes cannot be matched, or the file cannot be written.
    UnknownNameError
        If neither graph has a variable to focus on.
    """
    path = writable_page(path, "path")
    matched = match(found, truth)
    judged = [Stroke(*each) for each in classify(found, truth).edges]
    names = _joined(matched.names, judged) if focus is None else near(matched.names, judged, focus)
    both = [stroke for stroke in judged if stroke.cause in names and stroke.effect in names]
    layout = layout_of(Sketch(names, tuple(both)))
    shown = _what_is_shown(len(names), len(both), matched, len(judged), focus)
    sections = [
        Section(
            "graphs",
            "The graphs",
            joined(shown, _side_by_side(matched, names, both, layout, labels)),
        ),
        Section("differences", "Edge by edge", _table(both)),
        Section("metrics", "In numbers", _metrics(compare(found, truth))),
    ]
    page = document(f"{labels[0]} and {labels[1]}", _lead(judged, labels), sections, {"file": "graphs"})
    return write_whole(path, page)


def _joined(names: tuple[str, ...], strokes: list[Stroke]) -> tuple[str, ...]:
    """The variables with an edge in either graph; all if there is none."""
    ends = {name for stroke in strokes for name in (stroke.cause, stroke.effect)}
    return tuple(name for name in names if name in ends) or names


def _what_is_shown(n_names: int, n_edges: int, matched: Matched, n_judged: int, focus: Focus | None) -> Markup | None:
    """Which part of the graphs is shown, if not all."""
    if focus is None:
        return None
    said = f"{n_names} of {len(matched.names)} variables and {n_edges} of {counted(n_judged, 'edge')} are shown"
    return element("p", f"{focus.in_words[:1].upper()}{focus.in_words[1:]}: {said}.")


def _lead(both: list[Stroke], labels: tuple[str, str]) -> Markup:
    counts = {kind: sum(stroke.kind == kind for stroke in both) for kind in _MEANINGS}
    n_found, n_true = len(both) - counts["missing"], len(both) - counts["extra"]
    said = (
        f"{labels[0]} has {counted(n_found, 'edge')}, {labels[1]} {n_true}: {counts['right']} are in both in the same "
        f"way, {counts['reversed']} directed otherwise, {counts['extra']} only in {labels[0]} and {counts['missing']} "
        f"only in {labels[1]}."
    )
    return element("div", element("p", said), class_="answer")


def _side_by_side(
    matched: Matched, names: tuple[str, ...], both: list[Stroke], layout: GraphLayout, labels: tuple[str, str]
) -> Markup:
    pictures = [
        element(
            "figure",
            element("figcaption", element("strong", label)),
            element(
                "div",
                Markup(_picture(matrix, matched.names, names, both, layout, label)),
                class_="graph",
                tabindex="0",
                role="region",
                aria_label=f"Graph of {label}",
            ),
        )
        for label, matrix in zip(labels, (matched.found, matched.truth), strict=True)
    ]
    key = [element("li", element("span", class_=f"line {kind}"), f"{kind}: {said}") for kind, said in _MEANINGS.items()]
    return element(
        "div",
        element("div", pictures, class_="pair"),
        element("ul", key, class_="key verdicts"),
        class_="with-truth",
    )


def _picture(
    matrix: Any, all_names: tuple[str, ...], names: tuple[str, ...], both: list[Stroke], layout: GraphLayout, label: str
) -> str:
    """The edges of one of the graphs, each where the layout of both has it."""
    place = {name: node for node, name in enumerate(all_names)}
    strokes, routes = [], []
    for stroke, route in zip(both, layout.routes, strict=True):
        i, j = place[stroke.cause], place[stroke.effect]
        forward, backward = bool(matrix[i, j]), bool(matrix[j, i])
        if forward or backward:
            turned = backward and not forward
            ends = (stroke.effect, stroke.cause) if turned else (stroke.cause, stroke.effect)
            strokes.append(Stroke(*ends, forward != backward, stroke.kind))
            routes.append(route[::-1] if turned else route)
    own_layout = layout._replace(routes=tuple(routes))
    return graph_svg(Sketch(names, tuple(strokes), label), embedded=True, layout=own_layout)


def _table(both: list[Stroke]) -> Markup:
    if not both:
        return element("p", "Neither graph has an edge.")
    order: list[Kind] = ["extra", "missing", "reversed", "right"]
    titles = ("Edge", "Verdict")
    head = [element("th", element("button", title, type="button"), scope="col", aria_sort="none") for title in titles]
    lines = [
        element(
            "tr",
            element("th", edge(stroke.cause, stroke.effect, stroke.directed), scope="row"),
            element(
                "td",
                element("span", stroke.kind, class_=f"verdict {stroke.kind}"),
                f": {_MEANINGS[stroke.kind]}",
                data_key=order.index(stroke.kind),
            ),
        )
        for stroke in sorted(both, key=lambda stroke: order.index(stroke.kind))
    ]
    return element(
        "div",
        element("table", element("thead", element("tr", head)), element("tbody", lines), class_="sortable"),
        class_="scroll tall",
        tabindex="0",
        role="region",
        aria_label="Edges of both graphs",
    )


def _metrics(metrics: Mapping[str, float | int | None]) -> Markup:
    shown = [
        (
            name.upper() if name in _LETTERS else name.replace("_", " "),
            NONE if value is None else f"{value:.3f}" if isinstance(value, float) else str(value),
        )
        for name, value in metrics.items()
    ]
    return joined(element("p", "The second graph is taken for the truth."), definitions(shown))
