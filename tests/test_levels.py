"""Scores by how many levels discrete columns have: as seen in the rows, as declared, or as given by name."""

from __future__ import annotations

import itertools
import json
import math
import shutil
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import discrete_frame, families, normal_frame, oracle
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from level_tables import declared, with_categories

import dagsearch as ds
from dagsearch.data import MOST_LEVELS
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.scores import CONTINUOUS, DISCRETE

# ---------------------------------------------------------------- slow twins


def bic_twin(table, node, parents, r):
    """Local BIC divided by n, over all joint values that columns with ``r[j]`` levels can have."""
    rows, n = table.to_numpy().tolist(), len(table)
    total = 0.0
    for values in itertools.product(*(range(r[p]) for p in parents)):
        counts = Counter(row[node] for row in rows if tuple(row[p] for p in parents) == values)
        total += sum(count * math.log(count / counts.total()) for count in counts.values())
        total -= 0.5 * math.log(n) * (r[node] - 1)
    return total / n


def bdeu_twin(table, node, parents, r, sample_size=1.0):
    """Local BDeu divided by n, with one term for each level and each joint value of the parents, seen or not."""
    rows, n = table.to_numpy().tolist(), len(table)
    configurations = list(itertools.product(*(range(r[p]) for p in parents)))
    prior = sample_size / len(configurations)
    total = 0.0
    for values in configurations:
        counts = Counter(row[node] for row in rows if tuple(row[p] for p in parents) == values)
        total += math.lgamma(prior) - math.lgamma(prior + counts.total())
        for level in range(r[node]):
            total += math.lgamma(prior / r[node] + counts[level]) - math.lgamma(prior / r[node])
    return total / n


TWINS = {"bic-discrete": bic_twin, "bdeu": bdeu_twin}


@st.composite
def tables_with_more_levels(draw):
    """A table of codes, and numbers of levels of which not all need be seen."""
    r = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    n_samples = draw(st.integers(8, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = pd.DataFrame({f"v{j}": rng.integers(0, draw(st.integers(1, r[j])), n_samples) for j in range(len(r))})
    varying = [tuple(column) for column in table.to_numpy().T.tolist() if len(set(column)) > 1]
    assume(len(set(varying)) == len(varying))
    return table, r


@pytest.mark.parametrize("name", DISCRETE)
@settings(max_examples=50, deadline=None)
@given(case=tables_with_more_levels())
def test_local_scores_with_declared_levels_equal_their_slow_twins(name, case):
    table, r = case
    data = declared(table, **dict(zip(table.columns, r, strict=True)))
    score = ds.scores.make(name, data, levels="declared")
    for node, parents in families(len(r), 6, max_parents=len(r) - 1):
        expected = TWINS[name](table, node, parents, r)
        assert score.local(node, parents) == pytest.approx(expected, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("sample_size", [0.1, 10.0])
def test_the_prior_of_bdeu_is_spread_over_all_levels_whatever_its_sample_size(sample_size):
    table, r = discrete_frame(100, 3), [5, 3, 4]
    score = ds.scores.make("bdeu", table, sample_size=sample_size, levels=dict(zip("abc", r, strict=True)))
    expected = bdeu_twin(table, 1, [0, 2], r, sample_size)
    assert score.local(1, [0, 2]) == pytest.approx(expected, rel=1e-10)


def test_each_further_level_costs_its_parameters():
    table = discrete_frame()
    seen = ds.scores.make("bic-discrete", table)
    more = ds.scores.make("bic-discrete", table, levels={"a": 5, "b": 4})
    step = 0.5 * math.log(len(table)) / len(table)
    assert seen.local(0, [1, 2]) - more.local(0, [1, 2]) == pytest.approx(step * (4 * 3 * 4 - 3 * 3 * 2), rel=1e-9)
    assert seen.local(2, [0]) - more.local(2, [0]) == pytest.approx(step * (5 * 2 - 3 * 2), rel=1e-9)
    assert seen.local(3, [2, 4]) == more.local(3, [2, 4])


@pytest.mark.parametrize("name", DISCRETE)
def test_markov_equivalent_graphs_score_the_same_with_any_levels(name):
    score = ds.scores.make(name, discrete_frame(n_nodes=3), levels={"a": 7, "c": 4})
    chain, fork = [("a", "b"), ("b", "c")], [("b", "a"), ("b", "c")]
    rewards = [score.reward(ds.DAG.from_edges(edges, names=list("abc"))) for edges in (chain, fork)]
    assert rewards[0] == pytest.approx(rewards[1], rel=1e-12)


@pytest.mark.parametrize("name", DISCRETE)
def test_many_declared_levels_need_no_more_memory_and_no_score_overflows(name):
    values = np.random.default_rng(0).integers(0, 3, (200, 40))
    table = pd.DataFrame(values, columns=[f"v{j}" for j in range(40)])
    seen = ds.scores.make(name, table)
    many = ds.scores.make(name, table, levels=dict.fromkeys(table.columns, MOST_LEVELS))
    assert many.family.table.nbytes == seen.family.table.nbytes
    assert many.family.relabel.nbytes == seen.family.relabel.nbytes
    locals_ = [many.local(0, range(1, n_parents + 1)) for n_parents in (0, 1, 2, 10, 35, 39)]
    assert all(map(math.isfinite, locals_))
    some = ds.scores.make(name, table, levels=dict.fromkeys(table.columns, 10_000))
    assert locals_[1] < some.local(0, [1]) < seen.local(0, [1])


# ---------------------------------------------------------------- levels seen, the default


@pytest.mark.parametrize("name", DISCRETE)
def test_what_is_declared_changes_no_bit_of_a_score_that_goes_by_levels_seen(name):
    plain, told = with_categories().astype(str), with_categories()
    scores = [ds.scores.make(name, plain), ds.scores.make(name, told), ds.scores.make(name, told, levels="seen")]
    for node, parents in families(5, 30, max_parents=4):
        assert len({score.local(node, parents) for score in scores}) == 1


@pytest.mark.parametrize("name", DISCRETE)
def test_declaring_just_the_levels_seen_changes_no_bit_either(name):
    table = discrete_frame()
    scores = [
        ds.scores.make(name, table),
        ds.scores.make(name, table, levels={}),
        ds.scores.make(name, table, levels=dict.fromkeys("abcde", 3)),
        ds.scores.make(name, declared(table, **dict.fromkeys("abcde", 3)), levels="declared"),
    ]
    for node, parents in families(5, 30, max_parents=4):
        assert len({score.local(node, parents) for score in scores}) == 1


# ---------------------------------------------------------------- what a score goes by


@pytest.mark.parametrize("name", DISCRETE)
def test_declared_levels_and_the_same_numbers_by_name_score_alike(name):
    table = with_categories()
    told = ds.scores.make(name, table, levels="declared")
    given_by_name = ds.scores.make(name, table.astype(str), levels={"a": 5})
    seen = ds.scores.make(name, table)
    for node, parents in families(5, 30, max_parents=4):
        assert told.local(node, parents) == given_by_name.local(node, parents)
        assert (told.local(node, parents) == seen.local(node, parents)) is (0 not in (node, *parents))


def test_a_polars_enum_scores_as_the_pandas_categorical():
    pandas = with_categories()
    polars = pl.DataFrame(
        {
            name: pl.Series(column.tolist(), dtype=pl.Enum(column.cat.categories.tolist()))
            if isinstance(column.dtype, pd.CategoricalDtype)
            else column.tolist()
            for name, column in pandas.items()
        }
    )
    rewards = [ds.scores.make("bic-discrete", table, levels="declared").local(0, [1]) for table in (pandas, polars)]
    assert rewards[0] == rewards[1] != ds.scores.make("bic-discrete", pandas).local(0, [1])


def test_a_score_knows_which_levels_it_goes_by():
    table = with_categories()
    assert ds.scores.make("bdeu", table).levels == "seen"
    assert ds.scores.make("bdeu", table, levels="declared").levels == "declared"
    assert ds.scores.make("bdeu", table, levels={"c": np.int64(4)}).levels == {"c": 4}
    assert ds.scores.make("bic-linear", normal_frame()).levels is None


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.parametrize(
    ("levels", "error", "message"),
    [
        ("sen", UnknownNameError, "unknown levels 'sen': choose from seen, declared. Did you mean 'seen'"),
        (None, InputError, "levels must be 'seen', 'declared', or a mapping from column to number of levels, got None"),
        ([3, 3], InputError, r"levels must be .*, got \[3, 3\]"),
        (3, InputError, "levels must be .*, got 3"),
        (
            "declared",
            InputError,
            "levels='declared', but no column declares its levels: pandas Categorical, polars Enum",
        ),
        ({"aa": 3}, UnknownNameError, "unknown column 'aa': choose from a, b, c, d, e. Did you mean 'a'"),
        (
            {"b": 2},
            InputError,
            "levels of column 'b' must be a whole number from 3, as many as the rows hold, .*, got 2",
        ),
        ({"b": 3.5}, InputError, r"levels of column 'b' must be .*, got 3\.5"),
        ({"b": True}, InputError, "levels of column 'b' must be .*, got True"),
        ({"b": "many"}, InputError, "levels of column 'b' must be .*, got 'many'"),
        ({"b": 10**30}, InputError, f"levels of column 'b' must be .* to {MOST_LEVELS}, got 1000"),
    ],
)
def test_wrong_levels_are_answered_with_what_is_allowed(name, levels, error, message):
    with pytest.raises(error, match=message):
        ds.scores.make(name, discrete_frame(), levels=levels)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_scores_have_no_levels(name):
    for levels, shown in (("declared", "'declared'"), ({"a": 3}, r"\{'a': 3\}")):
        with pytest.raises(InputError, match=rf"levels={shown} is for bic-discrete, bdeu; {name} does not take it"):
            ds.scores.make(name, normal_frame(), levels=levels)
    with pytest.raises(UnknownNameError, match="unknown levels 'sen'"):
        ds.scores.make(name, normal_frame(), levels="sen")


# ---------------------------------------------------------------- networks


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", ["asia", "child", "insurance"])
def test_data_of_a_network_declare_all_its_levels(name):
    data, levels = ds.datasets.load(name), ds.datasets.network(name).n_levels
    assert dict(zip(data.names, data.declared_levels, strict=True)) == levels
    more = {each for each, n_seen in zip(data.names, data.n_levels(), strict=True) if levels[each] > n_seen}
    assert more == ({"OtherCarCost", "Theft", "ThisCarCost"} if name == "insurance" else set())


def test_levels_are_declared_without_a_network_in_the_folder_of_data(data_folder, tmp_path, monkeypatch):
    (tmp_path / "bnlearn/processed").mkdir(parents=True)
    for file in ("asia-1000.csv", "asia-1000-gt.npy"):
        shutil.copy(data_folder / "bnlearn/processed" / file, tmp_path / "bnlearn/processed" / file)
    monkeypatch.setenv("DAGSEARCH_DATA", str(tmp_path))
    assert ds.datasets.load("asia").declared_levels == (2,) * 8


@pytest.mark.usefixtures("data_folder")
def test_discrete_bic_with_declared_levels_equals_pgmpy():
    cases = json.loads(oracle("local_bic_discrete.json").read_text())
    names = sorted({case["data"].split("/")[-1].split("-")[0] for case in cases})
    scores = {name: ds.scores.make("bic-discrete", ds.datasets.load(name), levels="declared") for name in names}
    assert sum(case["bic_seen_levels"] != case["bic_declared_levels"] for case in cases) > 10
    for case in cases:
        score = scores[case["data"].split("/")[-1].split("-")[0]]
        local = 1000 * score.local(case["node"], case["parents"])
        assert local == pytest.approx(case["bic_declared_levels"], rel=1e-9, abs=1e-9), case


@pytest.mark.parametrize(
    ("name", "seen", "more"),
    [("asia", -2.16453, -2.16453), ("child", -12.97227, -12.97227), ("insurance", -14.35810, -14.41336)],
)
def test_best_graphs_of_gobnilp_have_the_known_rewards(data_folder, name, seen, more):
    # As stored: adjacency[i, j] means i -> j.
    best = np.load(data_folder / f"bnlearn/processed/{name}-1000-gobnilp-BIC.npy")
    data = ds.datasets.load(name)
    assert ds.scores.make("bic-discrete", data).reward(best) == pytest.approx(seen, abs=1e-5)
    assert ds.scores.make("bic-discrete", data, levels="declared").reward(best) == pytest.approx(more, abs=1e-5)
