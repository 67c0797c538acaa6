"""What the search considered, and where it changed its mind."""

from __future__ import annotations

from typing import Any

from dagsearch.report.page.document import Section
from dagsearch.report.page.markup import Exact, Markup, element, joined
from dagsearch.report.page.material import Material
from dagsearch.report.page.words import brief, counted, edge, probability, some
from dagsearch.search.trace import Decision, Improvement, Trace

_MOST_DECISIONS = 300
_MOST_OPTIONS = 4


def search_section(material: Material) -> Section | None:
    """The trace of the search, if there is one."""
    trace: Trace | None = material.model.trace_
    if trace is None:
        return None
    body = joined(
        [element("p", note) for note in trace.notes],
        _rewards(trace),
        _decisions(trace) if trace.decisions else None,
    )
    return Section("inside", "Inside the search", body)


def search_data(material: Material) -> dict[str, Any] | None:
    """What the program draws of it."""
    trace: Trace | None = material.model.trace_
    if trace is None:
        return None
    return {"improvements": [_improvement(each) for each in trace.improvements]}


def _improvement(improvement: Improvement) -> dict[str, Any]:
    """A better graph; the last of them differ by little, so that no digit is left out."""
    exact = {"reward": Exact(improvement.reward), "seconds": Exact(f"{improvement.seconds:.6f}")}
    return {**improvement.to_dict(), **exact}


def _rewards(trace: Trace) -> Markup:
    if len(trace.improvements) < 2:
        return element("p", "No better graph was met after the first one.")
    return element("div", data_figure="rewards", class_="figures")


def _decisions(trace: Trace) -> Markup:
    shown = trace.decisions[:_MOST_DECISIONS]
    changes = trace.n_changes_of_mind
    restarts = any(decision.restart for decision in shown)
    numbers = ("Search", "Edges before") if restarts else ("Edges before",)
    texts = ("Question", "Considered: share of visits, mean return", "Best graph so far")
    head = element(
        "tr",
        [element("th", title, scope="col", class_="number") for title in numbers],
        [element("th", title, scope="col") for title in texts],
    )
    said = (
        f"{counted(trace.n_decisions, 'decision')}; during {changes} of them the best graph so far lost an edge: "
        "there the search changed its mind."
    )
    left_out = len(trace.decisions) - len(shown)
    return joined(
        element("p", said),
        element("p", f"The first {len(shown)} are shown, {left_out} more are in the JSON file.") if left_out else None,
        element(
            "div",
            element("table", element("thead", head), element("tbody", [_decision(each, restarts) for each in shown])),
            class_="scroll tall",
            tabindex="0",
            role="region",
            aria_label="Decisions of the search",
        ),
    )


def _decision(decision: Decision, restarts: bool) -> Markup:
    question = (
        "where the next edge starts" if decision.cause is None else f"where the edge from {brief(decision.cause)} leads"
    )
    total = sum(option.visits for option in decision.options) or 1
    options = [
        element(
            "li",
            element("strong", name) if option.name == decision.chosen else name,
            f" {probability(option.visits / total)}, {option.mean:.4g}",
        )
        for option, name in ((option, brief(option.name)) for option in decision.options[:_MOST_OPTIONS])
    ]
    more = decision.n_options - len(options)
    return element(
        "tr",
        element("td", str(decision.restart + 1), class_="number") if restarts else None,
        element("td", str(decision.n_edges), class_="number"),
        element("td", question),
        element("td", element("ul", options), f"and {more} more" if more > 0 else None),
        element("td", _change(decision)),
        class_="chosen" if decision.changed_mind else None,
    )


def _change(decision: Decision) -> Markup:
    arrows = {
        "gained": [edge(*each) for each in decision.best_edges_added],
        "lost": [edge(*each) for each in decision.best_edges_removed],
    }
    told = [f"{what} {some(edges)}" for what, edges in arrows.items() if edges]
    return joined("; ".join(told) or "unchanged", element("small", f"reward {decision.best_reward:.4f}"))
