"""How the graph changes: with ``min_effect``, over specifications, over replicates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dagsearch.confidence.result import SURE_DIRECTION
from dagsearch.diagnostics import MinEffectPath, PairProbabilities, Stability
from dagsearch.report.page.document import Section
from dagsearch.report.page.markup import Markup, element, joined
from dagsearch.report.page.material import Material
from dagsearch.report.page.words import edge, probability

_MOST_EDGES = 120
_LEAST_WITH_SIGN = 0.1  # a pair that is hardly adjacent has no direction worth reading


def changes_section(material: Material) -> Section:
    """What would have been found by other settings, other rows, or other models."""
    body = joined(
        element("h3", "With the smallest effect that counts (min_effect)"),
        _path(material.path),
        element("h3", "Over ways to set the analysis up, and over rows drawn anew"),
        _stability(material.stability, material.asking),
    )
    return Section("changes", "How much hangs on the settings", body)


def changes_data(material: Material) -> dict[str, Any]:
    """What the program draws."""
    path = material.path
    if path.reason:
        return {"path": None}
    edges = [
        {"cause": each.cause, "effect": each.effect, "presence": list(each.presence)}
        for each in path.edges[:_MOST_EDGES]
    ]
    return {"path": {"values": list(path.values), "own": path.own, "edges": edges}}


def _path(path: MinEffectPath) -> Markup:
    if path.reason:
        return element("p", f"Not shown: {path.reason}.")
    if not path.edges:
        return element("p", "There is no edge for any value.")
    left_out = len(path.edges) - _MOST_EDGES
    return joined(
        element(
            "p",
            "Edges that stay to the right are strong; thin bars point the other way. The search starts anew from the "
            "graph of the neighbouring value.",
        ),
        element(
            "div", data_figure="path", class_="wide rows", tabindex="0", role="region", aria_label="Edges by min_effect"
        ),
        element("p", f"And {left_out} more edges.") if left_out > 0 else None,
    )


def _stability(stability: Stability | None, asking: Callable[[str], str]) -> Markup:
    if stability is None or not stability.pairs:
        return element(
            "p",
            asking(
                "Not computed: confidence='bootstrap' draws rows anew, confidence='specifications' compares ways to "
                "set the analysis up."
            ),
        )
    columns = [*stability.columns]
    head = element(
        "tr",
        element("th", "Pair", scope="col"),
        [element("th", element("span", title), scope="col") for title in columns],
    )
    lines = [
        element("tr", element("th", edge(pair.cause, pair.effect), scope="row"), _cells(pair))
        for pair in stability.pairs
    ]
    key = "→ as written, ← the other way, — direction open." if any(pair.forward for pair in stability.pairs) else ""
    return joined(
        element("p", f"{stability.summary} {key}"),
        element(
            "div",
            element("table", element("thead", head), element("tbody", lines), class_="matrix"),
            class_="scroll tall",
            tabindex="0",
            role="region",
            aria_label="Probabilities of edges",
        ),
    )


def _cells(pair: PairProbabilities) -> list[Markup]:
    """A probability each, with the direction that has most of it."""
    signs = [_sign(share) for share in pair.forward] or [""] * len(pair.values)
    return [
        element(
            "td", f"{probability(value)}{sign if value >= _LEAST_WITH_SIGN else ''}", class_=f"heat-{round(5 * value)}"
        )
        for value, sign in zip(pair.values, signs, strict=True)
    ]


def _sign(forward: float) -> str:
    if forward > SURE_DIRECTION:
        return " →"
    return " ←" if forward < 1.0 - SURE_DIRECTION else " —"
