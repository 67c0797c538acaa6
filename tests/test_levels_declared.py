"""Which tables declare how many levels their columns have, and what becomes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import discrete_frame, normal_frame
from level_tables import declared, with_categories

import dagsearch as ds
from dagsearch.data import MOST_LEVELS, Dataset, as_dataset
from dagsearch.errors import InputError


def test_pandas_categories_are_declared_whether_they_are_used_or_not():
    data = as_dataset(with_categories())
    assert data.declared_levels == (5, 3, None, None, None)
    assert data.labels == (("high", "low", "middle"),) * 5
    assert data.n_levels().tolist() == [3] * 5
    assert np.array_equal(data.values, as_dataset(with_categories().astype(str)).values)


def test_polars_enums_declare_their_categories_and_polars_categoricals_do_not():
    text = with_categories().astype(str)
    every = ["low", "high", "top", "middle", "bottom"]
    table = pl.DataFrame(
        {
            "enum": pl.Series(text["a"].tolist(), dtype=pl.Enum(every)),
            "categorical": pl.Series(text["b"].tolist(), dtype=pl.Categorical),
            "text": text["c"].tolist(),
            "number": discrete_frame()["d"].tolist(),
        }
    )
    data = as_dataset(table)
    assert data.declared_levels == (5, None, None, None)
    assert data.labels == (("high", "low", "middle"),) * 3 + (None,)


@pytest.mark.parametrize(
    "column",
    [
        [True, False] * 10,
        pd.array([True, False] * 10, dtype="boolean"),
        np.array([True, False] * 10, dtype=object),
        pl.Series([True, False] * 10),
        [True] * 20,
    ],
)
def test_booleans_declare_two_levels_even_if_one_is_seen(column):
    frame = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
    assert as_dataset(frame({"a": column, "z": np.linspace(0, 1, 20)})).declared_levels == (2, None)


@pytest.mark.parametrize("column", [[0, 1] * 10, ["x", "y"] * 10, ["0", "1"] * 10, np.linspace(0, 1, 20)])
def test_plain_numbers_and_text_declare_nothing(column):
    assert as_dataset(pd.DataFrame({"a": column, "z": np.arange(20) ** 2})).declared_levels == (None, None)


def test_arrays_declare_nothing():
    assert as_dataset(discrete_frame().to_numpy()).declared_levels == (None,) * 5


def test_categories_that_are_the_same_as_text_count_once():
    column = pd.Categorical([1, "2"] * 10, categories=[1, "1", "2", 3])
    assert as_dataset(pd.DataFrame({"a": column, "z": np.arange(20) ** 2})).declared_levels == (3, None)


def test_a_dataset_is_made_without_declarations_as_ever():
    data = as_dataset(discrete_frame())
    again = Dataset(data.values, data.names, data.kinds, data.labels)
    assert again.declared_levels == data.declared_levels == (None,) * 5
    assert "declared_levels" not in repr(data)


def test_declarations_are_whole_numbers_of_at_least_the_levels_seen():
    data = as_dataset(discrete_frame())
    some = replace(data, declared_levels=[3, np.int64(4), None, MOST_LEVELS, None])
    assert some.declared_levels == (3, 4, None, MOST_LEVELS, None)
    assert type(some.declared_levels[1]) is int
    for wrong in (2, 0, -1, 3.0, "4", True, MOST_LEVELS + 1):
        message = rf"declared_levels of column 'b' must be a whole number from 3, .* to {MOST_LEVELS}, got {wrong!r}"
        with pytest.raises(InputError, match=message):
            replace(data, declared_levels=(None, wrong, None, None, None))
    with pytest.raises(InputError, match=r"from 1, .*, got True"):
        replace(as_dataset(discrete_frame().assign(a=0)), declared_levels=(True, None, None, None, None))
    with pytest.raises(InputError, match="declared_levels must have 5 entries, one per column, got 2"):
        replace(data, declared_levels=(3, 3))


def test_declarations_survive_other_kinds_and_are_checked_against_other_values():
    data = declared(discrete_frame(), a=4, b=3)
    assert as_dataset(data, kinds={"c": "continuous"}).declared_levels == (4, 3, None, None, None)
    values = data.values.copy()
    values[0, 1] = 9
    with pytest.raises(InputError, match="declared_levels of column 'b' must be a whole number from 4"):
        replace(data, values=values)


def test_cutting_a_column_into_bins_makes_what_it_declared_void():
    table = discrete_frame().assign(a=np.random.default_rng(0).random(200) < 0.5)
    data = as_dataset(table.assign(e=normal_frame(200)["a"]), kinds={"a": "continuous"})
    data = replace(data, declared_levels=(2, 5, None, None, 200))
    binned = data.binned(["a", "e"], 4)
    assert binned.declared_levels == (None, 5, None, None, None)
    assert data.declared_levels == (2, 5, None, None, 200)


def test_a_table_for_pandas_has_the_labels_that_were_seen():
    frame = as_dataset(with_categories()).to_pandas()
    assert frame["a"].cat.categories.tolist() == ["high", "low", "middle"]
    assert frame["a"].astype(str).tolist() == with_categories()["a"].tolist()


def test_a_parquet_file_keeps_what_is_declared(tmp_path):
    with_categories().to_parquet(tmp_path / "t.parquet")
    assert ds.read_dataset(tmp_path / "t.parquet").declared_levels == (5, 3, None, None, None)
