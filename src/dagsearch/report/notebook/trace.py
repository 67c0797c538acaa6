"""A look inside a search: when better graphs were met, and how often it changed its mind."""

from __future__ import annotations

from collections.abc import Sequence

from dagsearch.report.notebook.cells import Column, block, chain, lead, line, named, notes, sentence, table
from dagsearch.report.page.markup import Child, Markup, joined
from dagsearch.report.page.words import counted
from dagsearch.search.trace import Decision, Improvement, Trace

_MOST_IMPROVEMENTS = 8
_MOST_CHANGES = 5
_MOST_EDGES = 4


def trace_html(trace: Trace) -> str:
    """Improvements of the best graph, and the first changes of mind."""
    said = [
        counted(trace.n_decisions, "decision"),
        counted(trace.n_changes_of_mind, "change of mind", "changes of mind"),
        counted(len(trace.improvements), "improvement"),
    ]
    return block(lead("Trace", f": {', '.join(said)}"), _improvements(trace), _changes(trace), notes(trace.notes))


def _improvements(trace: Trace) -> Markup | None:
    if not trace.improvements:
        return None
    return table(_IMPROVEMENT, [_improvement(each) for each in _evenly(trace.improvements)])


def _evenly(improvements: Sequence[Improvement]) -> list[Improvement]:
    """The first and the last one, and some that lie about evenly between them."""
    n, most = len(improvements), _MOST_IMPROVEMENTS
    if n <= most:
        return list(improvements)
    return [improvements[round(k * (n - 1) / (most - 1))] for k in range(most)]


def _improvement(each: Improvement) -> list[Child]:
    return [
        f"{each.n_simulations:,}",
        f"{each.seconds:.2f}",
        f"{each.reward:,.6g}",
        str(each.n_edges),
        str(each.restart + 1),
        sentence(each.phase),
    ]


def _changes(trace: Trace) -> Markup | None:
    if not trace.changes_of_mind:
        return None
    rows = [_change(each) for each in trace.changes_of_mind[:_MOST_CHANGES]]
    return joined(line("The first changes of mind, at which the best graph lost an edge:"), table(_CHANGE, rows))


def _change(decision: Decision) -> list[Child]:
    what = joined("from ", named(decision.chosen))
    if decision.cause is not None:
        what = chain([decision.cause, decision.chosen])
    return [str(decision.restart + 1), str(decision.step + 1), what, _of_best_graph(decision)]


def _of_best_graph(decision: Decision) -> Markup:
    """Edges that it lost, and those that it gained."""
    changes = [("\N{MINUS SIGN} ", edge) for edge in decision.best_edges_removed]
    changes += [("+ ", edge) for edge in decision.best_edges_added]
    shown = [
        joined("; " if place else None, sign, chain(edge)) for place, (sign, edge) in enumerate(changes[:_MOST_EDGES])
    ]
    n_more = len(changes) - len(shown)
    return joined(shown, f" and {n_more} more" if n_more else None)


_IMPROVEMENT = (
    Column("Simulations", "right"),
    Column("Seconds", "right"),
    Column("Reward", "right"),
    Column("Edges", "right"),
    Column("Search", "right"),
    Column("Found by"),
)
_CHANGE = (Column("Search", "right"), Column("Step", "right"), Column("Decision"), Column("Best graph", wraps=True))
