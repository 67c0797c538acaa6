"""Tables whose discrete columns may have more levels than are seen."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from common import discrete_frame

from dagsearch.data import as_dataset


def declared(table, **levels):
    """The table with numbers of levels declared by name."""
    data = as_dataset(table, kinds=dict.fromkeys(table.columns, "discrete"))
    return replace(data, declared_levels=tuple(map(levels.get, data.names)))


def with_categories(n_samples=200):
    """Columns a, b, ... of text with three levels seen: a declares five, b three, and the others none."""
    text = discrete_frame(n_samples).replace({0: "low", 1: "middle", 2: "high"})
    categories = {"a": ["low", "high", "top", "middle", "bottom"], "b": ["high", "middle", "low"]}
    return text.assign(**{name: pd.Categorical(text[name], categories=every) for name, every in categories.items()})
