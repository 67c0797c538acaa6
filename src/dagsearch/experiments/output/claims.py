"""What the paper's text says about its figures, whose pictures are not at hand, and what we found."""

from __future__ import annotations

from dagsearch.experiments.output import text
from dagsearch.experiments.output.curves import RATIO, Drawing
from dagsearch.experiments.output.published import SPEED_UPS
from dagsearch.experiments.output.summary import Point

_FULL_BUDGET = 1178.0
_HUNDREDTH = 100
_SAID = {
    "figure4": (
        "The paper's text: with few edges CD-UCT and Greedy Search are alike; as the graph gets denser CD-UCT and "
        "Random Search improve, and Greedy Search does not. With more rows all methods improve, and Random Search "
        "levels off.",
    ),
}


def claims(name: str, of_panels: tuple[Drawing, ...]) -> list[str]:
    """Sentences for a figure: the paper's, and what ours says to them."""
    if name == "figure2":
        return _budget_claims(of_panels)
    if name == "figure3":
        return _speed_up_claims(of_panels)
    return list(_SAID.get(name, ()))


def _budget_claims(of_panels: tuple[Drawing, ...]) -> list[str]:
    said = (
        "The paper's text: with a hundredth of its evaluations, CD-UCT and Random Search both have a better reward and "
        "SHD than RL-BIC. The dashed line is RL-BIC's mean in the paper's tables 1 and 3."
    )
    times = (
        "Our runs share local scores that an earlier run on the same table has fitted, so that their times are not "
        "those of single runs: see table 3 for these."
    )
    return [
        said,
        times,
        *(note for drawing in of_panels if drawing.panel.measure != "seconds" for note in _beside(drawing)),
    ]


def _beside(drawing: Drawing) -> list[str]:
    """How each method does at a hundredth of the budget, against the paper's RL-BIC."""
    if drawing.level is None:
        return []
    measure = drawing.panel.measure
    found = []
    for curve in drawing.curves:
        at = [point for point in curve.points if abs(point.x * _HUNDREDTH / _FULL_BUDGET - 1) < 0.01]
        found += [f"{text.title(curve.label)} {_mean(at[0], measure)} ({_verdict(at[0], drawing)})"] if at else []
    if not found:
        return []
    level = text.number(drawing.level, measure)
    return [f"Ours at a hundredth, {drawing.panel.y_label} (RL-BIC in the paper: {level}): {'; '.join(found)}."]


def _mean(point: Point, measure: str) -> str:
    return text.with_interval(point.mean, point.half_width, measure)


def _verdict(point: Point, drawing: Drawing) -> str:
    assert drawing.level is not None
    difference = point.mean - drawing.level
    is_better = difference > 0 if text.is_better_high(drawing.panel.measure) else difference < 0
    return "better" if is_better else "not better"


def _speed_up_claims(of_panels: tuple[Drawing, ...]) -> list[str]:
    paper = " and ".join(f"{times} at {d:g} variables" for d, times in SPEED_UPS.items())
    said = f"The paper's text: tracking cycles incrementally is faster by factors from {paper}."
    ratios = [point for each in of_panels for curve in each.curves if curve.label == RATIO for point in curve.points]
    ours = ", ".join(f"{point.mean:.2f} at {point.x:g}" for point in ratios)
    return [said, f"Ours: {ours}."] if ours else [said]
