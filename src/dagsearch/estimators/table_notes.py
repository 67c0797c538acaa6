"""What a fit tells of its table: what was set, what was never seen together, what no method can tell apart."""

from __future__ import annotations

import numpy as np

from dagsearch.data import Dataset

_MOST_SHOWN = 4  # of what a note lists


def notes_on(given: Dataset, judged: Dataset) -> tuple[str, ...]:
    """All of them: of the table that was given, and of the one that is judged, which may have been binned."""
    return (*note_on_interventions(given), *note_on_unseen_pairs(given), *note_on_coinciding_columns(judged))


def note_on_interventions(data: Dataset) -> tuple[str, ...]:
    """Say in how many rows variables were set, if any was."""
    if data.was_set is None:
        return ()
    n_set = data.was_set.sum(axis=0)
    listed = [f"{data.names[j]!r} in {n_set[j]} rows" for j in np.flatnonzero(n_set)]
    return (
        f"set by experiments: {some_of(listed, ', ', 'variable')}; what was set tells nothing about its own causes",
    )


def note_on_unseen_pairs(data: Dataset) -> tuple[str, ...]:
    """Say of which pairs of variables no row tells anything, if there are any."""
    if data.all_rows_count:
        return ()
    together = data.seen_together()
    unseen = [f"{data.names[i]!r} and {data.names[j]!r}" for i, j in np.argwhere(np.triu(~together & ~together.T, 1))]
    if not unseen:
        return ()
    return (f"never seen together, so that there is no edge between them: {some_of(unseen, ', ', 'pair')}",)


def note_on_coinciding_columns(data: Dataset) -> tuple[str, ...]:
    """Say which columns no method can tell apart, if there are any."""
    found = (
        ("hold the same information", " = ", data.coinciding_columns()),
        ("are the same but for scale and offset", " ~ ", data.proportional_columns()),
    )
    return tuple(
        f"columns that {what}: {_groups(groups, sign)}; the data cannot tell which of such columns is the cause of "
        "others, nor the direction between them"
        for what, sign, groups in found
        if groups
    )


def _groups(groups: tuple[tuple[str, ...], ...], sign: str) -> str:
    return some_of([some_of(list(map(repr, group)), sign, "column") for group in groups], ", ", "group")


def some_of(items: list[str], between: str, what: str) -> str:
    """The first of many items in words, and how many more there are."""
    n_more = len(items) - _MOST_SHOWN
    rest = f" and {n_more} more {what}{'s' if n_more > 1 else ''}" if n_more > 0 else ""
    return between.join(items[:_MOST_SHOWN]) + rest


def any_of(names: tuple[str, ...]) -> str:
    """Alternatives in words; at least two."""
    return f"{', '.join(names[:-1])} or {names[-1]}"
