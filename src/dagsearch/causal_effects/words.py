"""A total effect in plain English."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagsearch.causal_effects.total import TotalEffect

BENT = (0.1, 0.9)
"""Shares of rows with a rising slope between which an average slope says little."""

_MOST_CONTRASTS = 12


def number(value: float) -> str:
    """A number with its sign and three significant digits."""
    return f"{value:+.3g}"


def in_words(effect: TotalEffect) -> str:
    """Estimate, interval, adjustment set, and what other graphs of the class say."""
    if effect.adjusts_for is None:
        lines = [f"{effect.reason}."]
    elif effect.reason:
        lines = [f"The effect of {effect.cause} on {effect.effect} is not determined: {effect.reason}."]
    elif effect.estimate is not None:
        lines = [_single(effect)]
    else:
        lines = _several(effect)
    if effect.rising is not None and BENT[0] < effect.rising < BENT[1]:
        lines.append(
            f"No straight line: the slope is positive in {effect.rising:.0%} of the rows, and negative elsewhere."
        )
    if effect.adjusts_for is not None:
        lines.append(_adjustment(effect))
    if effect.range is not None:
        n_different = len({f"{value:.6g}" for value in effect.values})
        lines.append(
            f"The data leave directions open: over the graphs that they cannot tell apart, the effect is between "
            f"{number(effect.range[0])} and {number(effect.range[1])} ({n_different} different values)."
        )
    return "\n".join(lines)


def _target(effect: TotalEffect) -> str:
    """What it is that changes."""
    return effect.effect if effect.outcome is None else f"the probability of {effect.effect} = {effect.outcome}"


def _single(effect: TotalEffect) -> str:
    """The sentence about an effect that is one number."""
    if effect.reference is None:
        change = f"One unit more of {effect.cause} changes {_target(effect)} by"
    else:
        level = next(iter(effect.contrasts))
        change = f"{effect.cause} = {level} instead of {effect.reference} changes {_target(effect)} by"
    average = " on average" if effect.kind == "average slope" else ""
    standardised = "" if effect.standardised is None else f" ({number(effect.standardised)} in standard deviations)"
    assert effect.estimate is not None
    return f"{change} {number(effect.estimate)}{average}{standardised}{_interval(effect, effect.interval)}."


def _interval(effect: TotalEffect, interval: tuple[float, float] | None) -> str:
    if interval is None:
        return ""
    return f"; {effect.level * 100:g}% interval {number(interval[0])} to {number(interval[1])}"


def _several(effect: TotalEffect) -> list[str]:
    """A heading and a line for each contrast."""
    against = "one unit more" if effect.reference is None else f"another level than {effect.reference}"
    what = (
        _target(effect) if effect.outcome or effect.reference else f"the probability of each level of {effect.effect}"
    )
    lines = [f"What {against} of {effect.cause} changes of {what}:"]
    for name, value in list(effect.contrasts.items())[:_MOST_CONTRASTS]:
        lines.append(f"  {name}: {number(value)}{_interval(effect, effect.contrast_intervals.get(name))}")
    n_more = len(effect.contrasts) - _MOST_CONTRASTS
    return [*lines, f"  and {n_more} more"] if n_more > 0 else lines


def _adjustment(effect: TotalEffect) -> str:
    names = ", ".join(effect.adjusts_for or ()) or "nothing"
    return f"Adjusts for {names} ({effect.method}; {effect.n_rows} rows)."
