"""The figure of wide tables: seconds by number of variables, both on logarithmic scales."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from study_runs import figures
from study_runs.records import EXCEEDED

from search_study.methods import METHODS
from search_study.parts import PARTS

_COLOURS = dict(
    zip(METHODS, ("#D55E00", "#E69F00", "#999999", "#000000", "#0072B2", "#56B4E9", "#009E73", "#CC79A7"), strict=True)
)
_PROBLEMS = [problem for problem in PARTS["wide"].problems if problem.penalty == "extended"]
_MARKERS = {4: "o", 6: "s", 10: "^"}
_TITLE = "Linear Gaussian data of random graphs, 1,000 rows: seconds of a search"


def draw(runs: pd.DataFrame, folder: Path) -> list[Path]:
    """Write ``wide.svg`` and ``wide.png`` of the runs of the part ``wide`` with our default penalty; returns paths."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    points = _points(runs)
    with mpl.rc_context(figures.STYLE):
        figure = Figure(figsize=(8.0, 5.2), layout="constrained")
        ax = figure.subplots()
        for method in [name for name in METHODS if name in set(points["method"])]:
            _draw_method(ax, points[points["method"] == method], method)
        _draw_goals(ax)
        ax.set(xscale="log", yscale="log", xlabel="variables", ylabel="seconds (median over seeds)", title=_TITLE)
        sizes = sorted({problem.size[0] for problem in _PROBLEMS})
        ax.set_xticks(sizes, [str(size) for size in sizes], minor=False)
        ax.minorticks_off()
        ax.grid(alpha=0.3)
        legend_title = "average degree: ● 4, ■ 6, ▲ 10; hollow: stopped at the limit"
        figure.legend(title=legend_title, fontsize=9, loc="outside lower center", ncols=5)
        return figures.save(figure, folder, "wide")


def has_points(runs: pd.DataFrame) -> bool:
    """Whether any run of the part ``wide`` that the figure is of has finished."""
    return bool(_drawn(runs)["skeleton_f1"].notna().any())


def _drawn(runs: pd.DataFrame) -> pd.DataFrame:
    return runs[runs["problem"].isin([problem.name for problem in _PROBLEMS])]


def _points(runs: pd.DataFrame) -> pd.DataFrame:
    """One row per method and problem: variables, degree, seconds, and whether it was not finished in time."""
    rows = []
    for (problem, method), group in _drawn(runs).groupby(["problem", "method"], sort=False):
        n_nodes, n_edges = PARTS["wide"].problem(problem).size
        finished = group[group["skeleton_f1"].notna()]
        shown = finished if len(finished) else group[group["status"] == EXCEEDED]
        if len(shown):
            point = {"n_nodes": n_nodes, "degree": round(2 * n_edges / n_nodes), "seconds": shown["seconds"].median()}
            rows.append({"method": method, **point, "exceeded": not len(finished)})
    return pd.DataFrame(rows)


def _draw_method(ax: Any, points: pd.DataFrame, method: str) -> None:
    """A marker per problem, and a line through those of degree 4 that were finished."""
    colour = _COLOURS[method]
    line = points[(points["degree"] == 4) & ~points["exceeded"]].sort_values("n_nodes")
    ax.plot(line["n_nodes"], line["seconds"], color=colour, label=method)
    for _, point in points.iterrows():
        filling = "none" if point["exceeded"] else colour
        ax.plot(point["n_nodes"], point["seconds"], _MARKERS[point["degree"]], color=colour, markerfacecolor=filling)


def _draw_goals(ax: Any) -> None:
    goals = [(problem.size[0], problem.goal.seconds) for problem in _PROBLEMS]
    ax.plot(*zip(*goals, strict=True), "_", color="black", markersize=16, label="goal")
