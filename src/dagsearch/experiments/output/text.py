"""Names and numbers as tables, figures and notes show them."""

from __future__ import annotations

from dagsearch.experiments.study import Row

TITLES = {
    "cd-uct": "CD-UCT",
    "rl-bic": "RL-BIC",
    "greedy": "Greedy Search",
    "random-search": "Random Search",
    "random-sampling": "Random Sampling",
    "cam": "CAM",
    "lingam-as-published": "LiNGAM as published (edges reversed)",
    "direct-lingam": "DirectLiNGAM",
    "lingam": "ICA-LiNGAM",
    "notears": "NOTEARS",
    "ges": "GES",
    "pc": "PC",
    "exact": "Exact",
}
"""Columns by the paper's titles, but for LiNGAM, of which there are several."""

_OTHER_LABELS = {"traversal": "naive (traversal)"}
_MEASURES = {"reward": "Reward", "tpr": "TPR", "fdr": "FDR", "shd": "SHD", "seconds": "Time"}
_BETTER_HIGH = ("reward", "tpr")


def title(label: str) -> str:
    """Title of a method; of any other curve, what the paper calls it."""
    return TITLES.get(label) or _OTHER_LABELS.get(label, label)


def measure_title(measure: str) -> str:
    """A measure as the paper names it; whether it is before or after pruning is told by the phase."""
    name = measure.removeprefix("pruned_")
    return _MEASURES.get(name, name)


def is_better_high(measure: str) -> bool:
    """Whether more of a measure is better."""
    return measure.removeprefix("pruned_") in _BETTER_HIGH


def arrow(measure: str) -> str:
    """Which way is better."""
    return "↑" if is_better_high(measure) else "↓"


def where(row: Row, method: str) -> str:
    """A cell in words."""
    phase = {"Prune": " after pruning", "Construct": " as constructed"}.get(row.phase, "")
    return f"{title(method)} on {row.block}, {measure_title(row.measure)}{phase}"


def number(value: float, measure: str, signed: bool = False) -> str:
    """A value as the paper prints it: three decimals, and times as h:mm:ss."""
    text = clock(abs(value)) if measure == "seconds" else f"{abs(value):.3f}"
    if value < 0 and set(text) & set("123456789"):
        return f"\N{MINUS SIGN}{text}"
    return f"+{text}" if signed else text


def clock(seconds: float, tenths: bool = True) -> str:
    """h:mm:ss, with tenths below a minute, and hundredths below a second."""
    if tenths and seconds < 59.95:
        return f"0:00:{seconds:04.1f}" if seconds >= 0.995 else f"0:00:{seconds:05.2f}"
    minutes, whole_seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole_seconds:02}"


def with_interval(mean: float, half_width: float | None, measure: str) -> str:
    """A mean, with half its interval if it has one: of times in seconds, since it is short."""
    if half_width is None:
        return number(mean, measure)
    half = f"{brief(half_width)} s" if measure == "seconds" else number(half_width, measure)
    return f"{number(mean, measure)} ±{half}"


def brief(value: float) -> str:
    """A positive number with two digits that count, or more before the point."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
