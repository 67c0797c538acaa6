"""Reliability diagrams: a panel per family and number of rows, a line per system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from study_runs.figures import STYLE, save

from calibration_study.summary import Cell

_COLOURS = {"exact": "#0072B2", "chains": "#009E73", "bootstrap": "#D55E00"}
_TITLES = {"edges": "Edges with their direction", "adjacencies": "Adjacent or not"}
_FEWEST = 20  # pairs in a bin that is drawn: the shares of fewer say little
_SIDE = 1.75  # inches


def draw(cells: Sequence[Cell], folder: Path, what: str, name: str) -> list[Path]:
    """Write a figure as SVG and PNG, and return their paths."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    blocks = _blocks(cells)
    rows = sorted({cell.n_rows for cell in cells})
    n_columns = max(len(block) for block in blocks)
    with mpl.rc_context({**STYLE, "font.size": 8}):
        size = (_SIDE * n_columns + 0.8, _SIDE * len(blocks) * len(rows) + 1.4)
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(len(blocks) * len(rows), n_columns, squeeze=False, sharex=True, sharey=True)
        for ax in grid.flat:
            ax.set_visible(False)
        for i, block in enumerate(blocks):
            for k, family in enumerate(block):
                for j, n_rows in enumerate(rows):
                    own = [cell for cell in cells if cell.family.name == family and cell.n_rows == n_rows]
                    _panel(grid[i * len(rows) + j, k], own, what, has_title=j == 0)
                    if k == 0:
                        grid[i * len(rows) + j, k].set_ylabel(f"{n_rows} rows\nshare that is true")
                grid[(i + 1) * len(rows) - 1, k].set_xlabel("probability")
        _finish(figure, what)
        return save(figure, folder, name)


def _blocks(cells: Sequence[Cell]) -> list[list[str]]:
    """Names of families: those whose assumptions hold, and the others."""
    names = {holds: [c.family.name for c in cells if c.family.is_modelled == holds] for holds in (True, False)}
    return [list(dict.fromkeys(names[holds])) for holds in (True, False) if names[holds]]


def _panel(ax: Any, cells: Sequence[Cell], what: str, has_title: bool) -> None:
    ax.set_visible(True)
    ax.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, zorder=1)
    for k, cell in enumerate(cells):
        total = cell.total(what)
        drawn = np.flatnonzero(total.counts >= _FEWEST)
        counts = total.counts[drawn]
        x, y = total.probabilities[drawn] / counts, total.truths[drawn] / counts
        colour = _COLOURS[cell.system]
        # Chains are all but on the line of exact sums, which has to be seen beneath theirs.
        width = 3.0 if cell.system == "exact" else 1.0
        ax.plot(x, y, color=colour, linewidth=width, zorder=2 + k)
        ax.scatter(x, y, s=4 * width + 5 * np.log10(counts), color=colour, zorder=2 + k, linewidths=0)
        text = f"{total.calibration_error:.3f}"
        ax.text(0.96, 0.04 + 0.11 * (len(cells) - 1 - k), text, color=colour, ha="right", transform=ax.transAxes)
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], aspect="equal")
    ax.tick_params(length=2, labelbottom=True)
    ax.spines[["top", "right"]].set_visible(False)
    if has_title and cells:
        family = cells[0].family
        ax.set_title(f"{family.title.replace(', ', chr(10))}\n{family.score}", fontsize=8)


def _finish(figure: Any, what: str) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=colour, marker="o", markersize=4, label=name) for name, colour in _COLOURS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    figure.suptitle(
        f"{_TITLES[what]}: probability given, and share that is true\n"
        f"numbers: calibration error; larger dots: more pairs; bins of fewer than {_FEWEST} are left out",
        fontsize=10,
    )
