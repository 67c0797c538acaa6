"""What a search considered and when it found better graphs, as ``trace=True`` records it.

One seed gives one trace, but for the seconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dagsearch._display import Displayed

Edge = tuple[str, str]

_MOST_ROWS = 30
_MOST_POINTS = 12
_MOST_CHARACTERS = 24


@dataclass(frozen=True, slots=True)
class Option:
    """One way to go on from the root of a decision.

    Attributes
    ----------
    name
        The variable to choose.
    visits
        Simulations that went this way.
    mean
        The mean of what they returned.
    """

    name: str
    visits: int
    mean: float


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of the tree search: the variable that the next edge starts at, or the one that it leads to.

    Attributes
    ----------
    restart, step
        The search and the decision in it, from 0; each edge takes two decisions.
    cause
        The cause whose effect is chosen; None if the decision is which variable the next edge starts at.
    n_edges
        Edges that had been decided for before.
    options
        The ways to go on that were tried, most visited first: at most 12, the chosen one among them if it was tried.
    n_options
        How many ways to go on there were.
    chosen
        The variable that was decided for.
    n_simulations, seconds
        Simulations of all restarts, those that only learn the scale of exploration included, and time until then.
    best_reward
        Reward of the best graph that this restart had met until then.
    changed_mind
        Whether that graph lost an edge during this decision: the search had taken the edge for part of the answer, and
        found a better graph without it, or with its reverse. The first decision of a restart has nothing to take back.
    best_edges_added, best_edges_removed
        (cause, effect) edges that the best graph of this restart gained and lost during this decision.
    """

    restart: int
    step: int
    cause: str | None
    n_edges: int
    options: tuple[Option, ...]
    n_options: int
    chosen: str
    n_simulations: int
    seconds: float
    best_reward: float
    changed_mind: bool
    best_edges_added: tuple[Edge, ...] = ()
    best_edges_removed: tuple[Edge, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The decision as plain numbers, lists and text."""
        return {
            "restart": self.restart,
            "step": self.step,
            "cause": self.cause,
            "n_edges": self.n_edges,
            "options": [
                {"name": option.name, "visits": option.visits, "mean": _finite(option.mean)} for option in self.options
            ],
            "n_options": self.n_options,
            "chosen": self.chosen,
            "n_simulations": self.n_simulations,
            "seconds": self.seconds,
            "best_reward": _finite(self.best_reward),
            "changed_mind": self.changed_mind,
            "best_edges_added": [list(edge) for edge in self.best_edges_added],
            "best_edges_removed": [list(edge) for edge in self.best_edges_removed],
        }


@dataclass(frozen=True, slots=True)
class Improvement:
    """A graph that was better than all before it.

    Attributes
    ----------
    n_simulations, seconds
        Simulations of all restarts and time until it was noticed, which may be a little after it was found.
    reward, n_edges
        Of the graph. With an edge budget a graph that spends more of it goes before any reward.
    phase
        What found it: ``"tree search"``, ``"rollouts"``, ``"greedy"``, ``"orders"``, ``"refinement"``, ``"proof"``,
        ``"policy gradient"``, or a phase of GES.
    restart
        Which of the independent searches found it, from 0.
    """

    n_simulations: int
    seconds: float
    reward: float
    n_edges: int
    phase: str
    restart: int

    def to_dict(self) -> dict[str, Any]:
        """The improvement as plain numbers and text."""
        return {
            "n_simulations": self.n_simulations,
            "seconds": self.seconds,
            "reward": _finite(self.reward),
            "n_edges": self.n_edges,
            "phase": self.phase,
            "restart": self.restart,
        }


@dataclass(frozen=True, repr=False)
class Trace(Displayed):
    """A look inside a search.

    Attributes
    ----------
    decisions
        Those of the tree search, in order; other searches have none. The last look of a search without an edge budget,
        after which it stops where it is, decides nothing and is not among them.
    improvements
        The best graph so far over simulations and time.
    notes
        What is not recorded, and why.
    n_decisions
        How many decisions were made, recorded or not.
    """

    decisions: Sequence[Decision] = ()
    improvements: tuple[Improvement, ...] = ()
    notes: tuple[str, ...] = ()
    n_decisions: int = 0

    @property
    def n_changes_of_mind(self) -> int:
        """How many of the recorded decisions took an edge of the best graph back."""
        return len(self.changes_of_mind)

    @property
    def changes_of_mind(self) -> tuple[Decision, ...]:
        """The recorded decisions that took an edge of the best graph back."""
        return tuple(decision for decision in self.decisions if decision.changed_mind)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain numbers, lists and text."""
        return {
            "n_decisions": self.n_decisions,
            "n_changes_of_mind": self.n_changes_of_mind,
            "decisions": [decision.to_dict() for decision in self.decisions],
            "improvements": [improvement.to_dict() for improvement in self.improvements],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return (
            f"Trace({self.n_decisions} decisions, {self.n_changes_of_mind} changes of mind, "
            f"{len(self.improvements)} improvements)"
        )

    def __str__(self) -> str:
        counted = (
            f"{self.n_decisions:,} decisions, {self.n_changes_of_mind:,} changes of mind, "
            f"{len(self.improvements):,} improvements"
        )
        parts = [[counted], self._table_of_decisions(), self._table_of_improvements(), list(self.notes)]
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def _table_of_decisions(self) -> list[str]:
        if not self.decisions:
            return []
        titles = ("restart", "step", "decision", "visits", "options", "best reward", "best graph")
        rows = [_row_of_decision(decision) for decision in self.decisions[:_MOST_ROWS]]
        n_more = self.n_decisions - len(rows)
        return _table(titles, rows) + ([f"and {n_more:,} more decisions"] if n_more > 0 else [])

    def _table_of_improvements(self) -> list[str]:
        """The improvements, or some of them that lie about evenly among all, the last one included."""
        n = len(self.improvements)
        shown = [self.improvements[n - 1 - k * n // _MOST_POINTS] for k in range(min(n, _MOST_POINTS))][::-1]
        if n <= _MOST_POINTS:
            shown = list(self.improvements)
        titles = ("simulations", "seconds", "reward", "edges", "restart", "found by")
        rows = [
            (
                f"{each.n_simulations:,}",
                f"{each.seconds:.2f}",
                f"{each.reward:.6g}",
                str(each.n_edges),
                str(each.restart + 1),
                each.phase,
            )
            for each in shown
        ]
        return _table(titles, rows) if rows else []


def change_in_words(decision: Decision) -> str:
    """How the best graph changed during a decision, in a few words; nothing if it did not."""
    changes = [f"+{_arrow(edge)}" for edge in decision.best_edges_added]
    changes += [f"-{_arrow(edge)}" for edge in decision.best_edges_removed]
    n_more = len(changes) - 4
    return " ".join(changes[:4]) + (f" and {n_more} more" if n_more > 0 else "")


def _row_of_decision(decision: Decision) -> tuple[str, ...]:
    chosen = shown_name(decision.chosen)
    visits = {option.name: option.visits for option in decision.options}
    return (
        str(decision.restart + 1),
        str(decision.step + 1),
        f"from {chosen}" if decision.cause is None else f"{shown_name(decision.cause)} -> {chosen}",
        f"{visits.get(decision.chosen, 0):,}",
        str(decision.n_options),
        f"{decision.best_reward:.6g}",
        change_in_words(decision),
    )


def _arrow(edge: Edge) -> str:
    return f"{shown_name(edge[0])}->{shown_name(edge[1])}"


def shown_name(name: str) -> str:
    """A name that fits into a line of a table, whatever characters it has."""
    plain = "".join(character if character.isprintable() else " " for character in name)
    return plain if len(plain) <= _MOST_CHARACTERS else plain[: _MOST_CHARACTERS - 1] + "…"


def _table(titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns below their titles; numbers to the right, text to the left."""
    widths = [max(len(row[k]) for row in (titles, *rows)) for k in range(len(titles))]
    is_text = [title in ("decision", "best graph", "found by") for title in titles]
    return [
        "  ".join(
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(row, widths, is_text, strict=True)
        ).rstrip()
        for row in (titles, *rows)
    ]


def _finite(value: float) -> float | None:
    """A number that JSON has."""
    return value if math.isfinite(value) else None
