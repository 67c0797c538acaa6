"""Slow twins of the search over orders: parents by climbs from scratch, and every place of a variable."""

from __future__ import annotations

from collections.abc import Callable

from naive import NEGLIGIBLE


def climbed_parents(
    local: Callable[[frozenset[int]], float],
    candidates: frozenset[int],
    required: frozenset[int] = frozenset(),
    max_parents: int = 64,
    exchanges: bool = False,
    start: frozenset[int] | None = None,
) -> frozenset[int]:
    """Parents by the best addition while one pays, else by the best drop or exchange (ties: the first)."""
    chosen = required if start is None else start
    while True:
        others, free = sorted(candidates - chosen), sorted(chosen - required)
        additions = [chosen | {c} for c in others] if len(chosen) < max_parents else []
        drops = [chosen - {p} for p in free]
        swapped = [chosen - {p} | {c} for c in others for p in free] if exchanges else []
        before = chosen
        for steps in (additions, drops + swapped):
            best = max(steps, key=local, default=chosen)
            if chosen == before and local(best) > local(chosen) + NEGLIGIBLE:
                chosen = best
        if chosen == before:
            return chosen


def orders_with_one_moved(order: list[int], node: int) -> list[list[int]]:
    """The orders in which ``node`` is at place 0, 1, ... and the others are as they were."""
    others = [other for other in order if other != node]
    return [[*others[:place], node, *others[place:]] for place in range(len(order))]
