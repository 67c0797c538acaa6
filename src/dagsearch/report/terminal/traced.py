"""What was recorded of a search, in a line or two."""

from __future__ import annotations

from dagsearch.search.trace import Decision, Trace, change_in_words


def trace_in_words(trace: Trace) -> list[str]:
    """How many decisions there were, where the search changed its mind, and when it had its best graph."""
    lines = [f"trace: {_decisions(trace)}"] if trace.n_decisions else []
    if trace.improvements:
        best = trace.improvements[-1]
        # All simulations come before refinement: their number would say nothing.
        counts = best.n_simulations > 0 and best.phase != "refinement"
        simulations = f" after {best.n_simulations:,} simulations" if counts else ""
        lines.append(f"trace: the best graph was found by {best.phase}{simulations}, at {best.seconds:.1f} s")
    return [*lines, *(f"trace: {note}" for note in trace.notes)]


def _decisions(trace: Trace) -> str:
    n_restarts = len({decision.restart for decision in trace.decisions})
    counted = f"{trace.n_decisions:,} decisions" + (f" in {n_restarts} restarts" if n_restarts > 1 else "")
    changes = trace.changes_of_mind
    if not changes:
        return f"{counted}; no edge of the best graph was ever taken back"
    times = "once" if len(changes) == 1 else f"{len(changes):,} times"
    where = _place(changes[0], n_restarts)
    return f"{counted}; it changed its mind {times}, {'at' if len(changes) == 1 else 'first at'} {where}"


def _place(decision: Decision, n_restarts: int) -> str:
    restart = f" of restart {decision.restart + 1}" if n_restarts > 1 else ""
    return f"edge {decision.n_edges + 1}{restart}: {change_in_words(decision)}"
