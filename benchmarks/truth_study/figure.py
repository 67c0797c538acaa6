"""The figure: a panel per size of table, a row per method, a column per kind of data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from study_runs import figures

from dagsearch.estimators import METHODS as OURS
from truth_study.conditions import EDGES_PER_VARIABLE
from truth_study.summary import means

_MOST_COLUMNS = 16
_WORST = 1.25  # SHD per true edge at which the scale ends; an empty graph has 1
_TITLE = "Mean SHD by method and kind of data\nboxed: lowest of a column; grey: no graph in time, or with a cycle"
_MEAN = "mean"
_DARK = 0.6  # of the scale, from where numbers are white


def draw(runs: pd.DataFrame, folder: Path) -> list[Path]:
    """Write ``truth.svg`` and ``truth.png``, and return their paths."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    column = "kind" if runs["kind"].nunique() <= _MOST_COLUMNS else "mechanism"
    variables, rows = sorted(runs["n_nodes"].unique()), sorted(runs["n_rows"].unique())
    methods, kinds = list(means(runs)["method"]), list(runs[column].unique())
    with mpl.rc_context(figures.STYLE):
        width = 0.5 * (len(kinds) + 1) * len(rows) + 2.6
        height = 0.34 * len(methods) * len(variables) + 0.45 * len(variables) + 2.9
        figure = Figure(figsize=(max(width, 8.0), height), layout="constrained")
        axes = figure.subplots(len(variables), len(rows), squeeze=False, sharex=True, sharey=True)
        for i, d in enumerate(variables):
            for k, n in enumerate(rows):
                part = runs[(runs["n_nodes"] == d) & (runs["n_rows"] == n)]
                image = _panel(axes[i, k], part, column, methods, kinds)
                axes[i, k].set_title(f"{d} variables, {n} rows", fontsize=11, loc="left")
        bar = figure.colorbar(image, ax=axes, location="bottom", shrink=0.5, aspect=40, extend="max")
        bar.set_label("SHD per true edge: 0 is the truth, 1 is as far as the empty graph")
        figure.suptitle(_TITLE, fontsize=13)
        figure.get_layout_engine().set(h_pad=0.12, w_pad=0.08)
        return figures.save(figure, folder, "truth")


def _panel(ax: Any, runs: pd.DataFrame, column: str, methods: list[str], kinds: list[str]) -> Any:
    """Draw one panel; a grey cell has no run that was judged."""
    from matplotlib import colormaps

    values = _values(runs, column, methods, kinds)
    n_true_edges = max(EDGES_PER_VARIABLE * runs["n_nodes"].mean(), 1.0) if len(runs) else 1.0
    colours = colormaps["Blues"].with_extremes(bad="#e4e4e4")
    image = ax.imshow(values / n_true_edges, cmap=colours, vmin=0.0, vmax=_WORST, aspect="auto")
    best = _best(values)
    for (i, k), value in np.ndenumerate(values):
        is_dark = value / n_true_edges > _DARK * _WORST
        text = "-" if np.isnan(value) else f"{value:.1f}" if value < 99.5 else f"{value:.0f}"
        weight = "bold" if best[i, k] else "normal"
        ax.text(k, i, text, ha="center", va="center", fontsize=8, weight=weight, color="white" if is_dark else "black")
        if best[i, k]:
            ax.add_patch(_box(k, i))
    ax.axvline(len(kinds) - 0.5, color="white", linewidth=4)
    ax.axhline(sum(method in OURS for method in methods) - 0.5, color="white", linewidth=4)
    ax.set_xticks(range(len(kinds) + 1), [*kinds, _MEAN], rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(methods)), methods)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return image


def _values(runs: pd.DataFrame, column: str, methods: list[str], kinds: list[str]) -> np.ndarray:
    """Mean SHD, (n_methods, n_kinds + 1); the last column is the mean over kinds, if there is one of each."""
    values = np.full((len(methods), len(kinds)), np.nan)
    if len(runs):
        table = means(runs, [column]).pivot(index="method", columns=column, values="shd")
        values = table.reindex(index=methods, columns=kinds).to_numpy(float)
    return np.column_stack([values, values.mean(axis=1)])


def _best(values: np.ndarray) -> np.ndarray:
    """Which cells are the lowest of their columns, to the digit that is shown."""
    shown = np.round(values, 1)
    return shown == np.min(np.where(np.isnan(shown), np.inf, shown), axis=0)


def _box(k: int, i: int) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((k - 0.46, i - 0.44), 0.92, 0.88, fill=False, edgecolor="#D55E00", linewidth=1.8)
