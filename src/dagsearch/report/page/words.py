"""Sentences of a page, in plain English."""

from __future__ import annotations

from collections.abc import Sequence

from dagsearch._visible import shortened, visible
from dagsearch.causal_effects import DirectEffect
from dagsearch.causal_effects.words import BENT
from dagsearch.graph.marks import short_number

NONE = "\N{EN DASH}"
"""What stands where there is no number."""
_MOST_NAMES = 4
_LONGEST_NAME = 60
_MOST_CONTRASTS = 8


def some(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Names in a sentence: the first of them, and how many more there are."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def brief(name: str) -> str:
    """A name as sentences and tables have it: of a very long one its beginning and its end."""
    return shortened(visible(name), _LONGEST_NAME)


def edge(cause: str, effect: str, directed: bool = True) -> str:
    """An edge as one reads it."""
    return f"{brief(cause)} {'→' if directed else '—'} {brief(effect)}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number of things."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def probability(value: float | None) -> str:
    """A probability as a percentage; what is not certain is not written as such."""
    if value is None:
        return NONE
    if 0.0 < value <= 0.005:
        return "< 1%"
    return "> 99%" if 0.995 <= value < 1.0 else f"{value:.0%}"


def p_value(value: float | None) -> str:
    """A p-value in few characters."""
    if value is None:
        return NONE
    if value < 1e-300:
        return "< 1e-300"
    return f"{value:.2g}"


def short_effect(effect: DirectEffect | None) -> str:
    """The effect as a cell of a table has it; of several changes the largest, with the level that it is about."""
    if effect is None or effect.reason or effect.coefficient is not None:
        return size_of(effect)
    return f"{size_of(effect)} ({brief(_largest(effect)[0])})"


def size_of(effect: DirectEffect | None) -> str:
    """The number of an effect, beside what `unit_of` says; of several changes the largest."""
    if effect is None:
        return NONE
    if effect.reason:
        return "unknown"
    return short_number(_largest(effect)[1] if effect.coefficient is None else effect.coefficient)


def unit_of(effect: DirectEffect | None) -> str:
    """What the number is of, and for which change."""
    if effect is None or effect.reason:
        return ""
    start, end = _levels(effect)
    changed = brief(effect.effect) if end is None else f"P({brief(effect.effect)} = {brief(end)})"
    cause = brief(effect.cause)
    change = (
        f"per unit of {cause}" if start is None else f"for {cause} = {start} instead of {brief(effect.reference or '')}"
    )
    n_others = len(effect.contrasts) - 1 if effect.coefficient is None else 0
    return f"of {changed}, {change}{f'; the largest of {n_others + 1} changes' if n_others else ''}"


def _largest(effect: DirectEffect) -> tuple[str, float]:
    """Of an effect that is several numbers: the largest, and what it is about."""
    return max(effect.contrasts.items(), key=lambda item: abs(item[1]))


def _levels(effect: DirectEffect) -> tuple[str | None, str | None]:
    """The level of the cause and that of the effect that the number is about; None where there are none."""
    if effect.coefficient is not None:
        start = None if effect.reference is None else brief(next(iter(effect.contrasts)))
        return start, effect.outcome
    level = _largest(effect)[0]
    if effect.reference is None:
        return None, level
    # Both levels are categories unless the effect is a number; a level may hold an arrow of its own.
    start, arrow, end = level.partition(" -> ")
    return (brief(start), end) if arrow else (brief(level), effect.outcome)


def effect_sentences(effect: DirectEffect) -> list[str]:
    """What goes along an edge."""
    if effect.reason:
        return [f"The size of the effect is not determined: {effect.reason}."]
    cause, target = brief(effect.cause), brief(effect.effect)
    fixed = f", with {some([brief(name) for name in effect.adjusts_for])} held fixed" if effect.adjusts_for else ""
    changed = target if effect.outcome is None else f"the probability of {target} = {brief(effect.outcome)}"
    if effect.coefficient is None:
        return [_heading_of_contrasts(effect, changed, fixed)]
    standardised = "" if effect.standardised is None else f" ({short_number(effect.standardised)} standard deviations)"
    said = (
        f"One unit more of {cause} changes {changed} by {short_number(effect.coefficient)}"
        if effect.reference is None
        else f"{cause} = {brief(next(iter(effect.contrasts)))} instead of {brief(effect.reference)} changes {changed} "
        f"by {short_number(effect.coefficient)}"
    )
    average = " on average" if effect.kind == "average slope" else ""
    lines = [f"{said}{average}{standardised}{fixed}."]
    if effect.rising is not None and BENT[0] < effect.rising < BENT[1]:
        lines.append(f"The relation bends: it rises in {effect.rising:.0%} of the rows and falls in the others.")
    return lines


def _heading_of_contrasts(effect: DirectEffect, changed: str, fixed: str) -> str:
    largest = sorted(effect.contrasts.items(), key=lambda item: -abs(item[1]))[:_MOST_CONTRASTS]
    listed = ", ".join(f"{brief(level)}: {short_number(value)}" for level, value in largest)
    more = len(effect.contrasts) - len(largest)
    what = (
        f"One unit more of {brief(effect.cause)} changes the probability of each level of {brief(effect.effect)}"
        if effect.reference is None
        else f"Against {brief(effect.cause)} = {brief(effect.reference)}, {changed} changes by"
    )
    return f"{what}{fixed}: {listed}{f' and {more} more' if more else ''}."
