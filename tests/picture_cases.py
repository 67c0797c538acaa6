"""What tests of pictures share: models, probabilities, axes that pyplot knows nothing of, and what is in them."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

import dagsearch as ds
from dagsearch.confidence import Confidence
from dagsearch.graph import DAG

COLUMN = 8.5 / 2.54  # inches
FOUND = DAG.from_edges([("a", "b"), ("c", "b"), ("a", "d"), ("d", "e")], names=[*"abcde", "alone"])
TRUTH = DAG.from_edges([("a", "b"), ("b", "c"), ("e", "c"), ("d", "e")], names=FOUND.names)


def fitted(table, edges, **settings):
    """A model with exactly these edges."""
    names = list(table.columns)
    others = [pair for pair in itertools.permutations(names, 2) if pair not in edges]
    given = {"score": "bic-linear", "prune": "none", "random_state": 0, **settings}
    return ds.OrderSearch(knowledge=ds.Knowledge(required=edges, forbidden=others), **given).fit(table)


def mixed_table(names=("group", "x", "y", "sick", "place"), n=300):
    rng = np.random.default_rng(1)
    group = rng.choice(["low", "mid", "high"], size=n)
    x = rng.normal(size=n) + 2.0 * (group == "high")
    y = x**2 + rng.normal(size=n)
    sick = np.where(rng.uniform(size=n) < 1 / (1 + np.exp(-x)), "yes", "no")
    place = np.where(rng.uniform(size=n) < 0.3 + 0.4 * (sick == "yes"), "north", "south")
    return pd.DataFrame(dict(zip(names, (group, x, y, sick, place), strict=True)))


def mixed_model(names=("group", "x", "y", "sick", "place"), **settings):
    a, b, c, d, e = names
    return fitted(mixed_table(names), [(a, b), (b, c), (b, d), (d, e)], score="auto", **settings)


def confidence_of(names, seed=0):
    rng = np.random.default_rng(seed)
    edges = np.triu(rng.random((len(names), len(names))), 1) * 0.9
    return Confidence(tuple(names), edges, np.sqrt(edges), "bootstrap")


SURE = confidence_of(FOUND.names)


def new_axes(inches=(COLUMN, 3.0), dpi=100):
    """Axes that pyplot knows nothing of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches, dpi=dpi)
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def drawn(ax):
    """The axes after all sizes have been settled."""
    ax.figure.canvas.draw()
    return ax


def of_kind(ax, kind):
    return [patch for patch in ax.patches if type(patch).__name__ == kind]


def edges_in(ax):
    """The lines of edges, without those of the key."""
    return [line for line in of_kind(ax, "ScaledLine") if line.get_path().codes is not None]


def texts_in(ax):
    return [text.get_text() for text in ax.texts]
