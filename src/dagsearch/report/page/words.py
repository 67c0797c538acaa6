"""Sentences of a page, in plain English."""

from __future__ import annotations

from collections.abc import Sequence

from dagsearch.causal_effects import DirectEffect
from dagsearch.causal_effects.words import BENT
from dagsearch.graph.marks import short_number

NONE = "\N{EN DASH}"
"""What stands where there is no number."""
_MOST_NAMES = 4
_MOST_CONTRASTS = 8


def some(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Names in a sentence: the first of them, and how many more there are."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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
    """The effect as a cell of a table has it."""
    if effect is None:
        return NONE
    if effect.reason:
        return "unknown"
    if effect.coefficient is None:
        level, value = max(effect.contrasts.items(), key=lambda item: abs(item[1]))
        return f"{short_number(value)} ({level})"
    return short_number(effect.coefficient)


def unit_of(effect: DirectEffect | None) -> str:
    """What the number is of."""
    if effect is None or effect.reason:
        return ""
    changed = effect.effect if effect.outcome is None else f"P({effect.effect} = {effect.outcome})"
    if effect.reference is not None:
        level = next(iter(effect.contrasts)) if effect.coefficient is not None else "another level"
        return f"of {changed}, for {effect.cause} = {level} instead of {effect.reference}"
    if effect.coefficient is None:
        return f"of a probability, per unit of {effect.cause}"
    return f"of {changed}, per unit of {effect.cause}"


def effect_sentences(effect: DirectEffect) -> list[str]:
    """What goes along an edge."""
    if effect.reason:
        return [f"The size of the effect is not determined: {effect.reason}."]
    fixed = f", with {some(effect.adjusts_for)} held fixed" if effect.adjusts_for else ""
    changed = effect.effect if effect.outcome is None else f"the probability of {effect.effect} = {effect.outcome}"
    if effect.coefficient is None:
        return [_heading_of_contrasts(effect, changed, fixed)]
    standardised = "" if effect.standardised is None else f" ({short_number(effect.standardised)} standard deviations)"
    said = (
        f"One unit more of {effect.cause} changes {changed} by {short_number(effect.coefficient)}"
        if effect.reference is None
        else f"{effect.cause} = {next(iter(effect.contrasts))} instead of {effect.reference} changes {changed} by "
        f"{short_number(effect.coefficient)}"
    )
    average = " on average" if effect.kind == "average slope" else ""
    lines = [f"{said}{average}{standardised}{fixed}."]
    if effect.rising is not None and BENT[0] < effect.rising < BENT[1]:
        lines.append(f"The relation bends: it rises in {effect.rising:.0%} of the rows and falls in the others.")
    return lines


def _heading_of_contrasts(effect: DirectEffect, changed: str, fixed: str) -> str:
    largest = sorted(effect.contrasts.items(), key=lambda item: -abs(item[1]))[:_MOST_CONTRASTS]
    listed = ", ".join(f"{level}: {short_number(value)}" for level, value in largest)
    more = len(effect.contrasts) - len(largest)
    what = (
        f"One unit more of {effect.cause} changes the probability of each level of {effect.effect}"
        if effect.reference is None
        else f"Against {effect.cause} = {effect.reference}, {changed} changes by"
    )
    return f"{what}{fixed}: {listed}{f' and {more} more' if more else ''}."
