"""How many levels discrete columns have: as seen in the rows, as declared by the table, or as given by name."""

from __future__ import annotations

import inspect
import itertools
import json
import math
import shutil
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import FEW, discovered, discrete_frame, families, make, normal_frame, oracle, run, succeed
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import dagsearch as ds
from dagsearch.data import MOST_LEVELS, Dataset, as_dataset
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.estimators import METHODS
from dagsearch.scores import CONTINUOUS, DISCRETE

TAKE_LEVELS = [kind for kind in METHODS.values() if "levels" in inspect.signature(kind).parameters]


def declared(table, **levels):
    """The table with numbers of levels declared by name."""
    data = as_dataset(table, kinds=dict.fromkeys(table.columns, "discrete"))
    return replace(data, declared_levels=tuple(map(levels.get, data.names)))


def with_categories(n_samples=200):
    """Columns a, b, ... of text with three levels seen: a declares five, b three, and the others none."""
    text = discrete_frame(n_samples).replace({0: "low", 1: "middle", 2: "high"})
    categories = {"a": ["low", "high", "top", "middle", "bottom"], "b": ["high", "middle", "low"]}
    return text.assign(**{name: pd.Categorical(text[name], categories=every) for name, every in categories.items()})


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


# ---------------------------------------------------------------- who declares levels


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


# ---------------------------------------------------------------- estimators


@pytest.mark.parametrize("kind", TAKE_LEVELS)
def test_levels_are_a_parameter_that_can_be_read_set_and_cloned(kind):
    assert kind().get_params()["levels"] == "seen"
    model = kind(levels={"a": 4})
    assert clone(model).get_params()["levels"] == {"a": 4}
    assert model.set_params(levels="declared").levels == "declared"
    with pytest.raises(UnknownNameError, match="unknown levels 'sen'"):
        kind(levels="sen").check()
    with pytest.raises(InputError, match="levels must be 'seen', 'declared', or a mapping"):
        kind(levels=4).check()


def test_every_method_for_discrete_data_takes_levels():
    assert {kind for kind in METHODS.values() if "discrete" in kind.data_kinds} <= set(TAKE_LEVELS)
    assert all(kind.levels == "seen" for kind in METHODS.values())


@pytest.mark.parametrize("kind", [kind for kind in METHODS.values() if "discrete" in kind.data_kinds])
@pytest.mark.parametrize("score", ["auto", "bdeu"])
def test_a_search_goes_by_the_levels_it_is_told_and_says_so(kind, score):
    table = with_categories()
    for levels, note in (
        ("declared", "levels: declared for 2 of 5 columns"),
        ({"c": 4}, "levels: given for 1 of 5 columns"),
    ):
        model = make(kind, score=score, levels=levels).fit(table)
        expected = ds.scores.make(model.score_.name, table, levels=levels)
        dag = model.dag_.to_dag() if isinstance(model.dag_, ds.PDAG) else model.dag_
        assert model.reward_ == expected.reward(dag)
        assert model.result_.settings["levels"] == levels
        assert note in model.result_.notes


def test_levels_seen_are_recorded_without_a_note():
    model = make(ds.GreedySearch).fit(with_categories())
    assert model.result_.settings["levels"] == "seen"
    assert not any("levels:" in note for note in model.result_.notes)
    assert make(ds.GreedySearch).fit(normal_frame()).result_.settings["levels"] is None


def test_a_score_that_was_made_before_keeps_its_levels():
    table = with_categories()
    model = make(ds.GreedySearch, score=ds.scores.make("bdeu", table, levels="declared")).fit(table)
    assert model.result_.settings["levels"] == "declared"


def test_more_levels_make_sparser_graphs():
    table = discrete_frame()
    n_edges = [
        make(ds.GreedySearch, levels=dict.fromkeys("abcde", n_levels)).fit(table).dag_.n_edges for n_levels in (3, 100)
    ]
    assert n_edges[0] > 0 == n_edges[1]


def test_a_search_whose_score_turns_out_continuous_refuses_levels():
    with pytest.raises(InputError, match=r"levels='declared' is for bic-discrete, bdeu; \S+ does not take it"):
        make(ds.CDUCT, levels="declared").fit(normal_frame())


def test_binned_columns_go_by_the_bins_seen():
    table = with_categories().assign(z=normal_frame(200)["a"])
    model = make(ds.GreedySearch, levels="declared").fit(table)
    assert "levels: declared for 2 of 6 columns" in model.result_.notes
    assert model.score_.family.cardinalities.tolist() == [5, 3, 3, 3, 3, 5]


# ---------------------------------------------------------------- the command


def test_the_command_takes_levels_by_name(folder):
    discrete_frame().to_csv(folder / "d.csv", index=False)
    seen = discovered("d.csv", "--method", "greedy")
    given_by_name = discovered("d.csv", "--method", "greedy", "--levels", "a=3, b = 9")
    expected = ds.GreedySearch(levels={"a": 3, "b": 9}, random_state=0).fit(discrete_frame())
    assert seen["settings"]["levels"] == "seen"
    assert given_by_name["settings"]["levels"] == {"a": 3, "b": 9}
    assert given_by_name["reward"] == expected.reward_ < seen["reward"]
    assert "levels: given for 2 of 5 columns" in given_by_name["notes"]
    assert discovered("d.csv", "--method", "greedy", "--levels", "seen")["reward"] == seen["reward"]


def test_the_command_takes_declared_levels(folder):
    with_categories().to_parquet(folder / "d.parquet")
    text = succeed("discover", "d.parquet", *FEW, "--levels", "declared")
    assert "levels: declared for 2 of 5 columns" in text


def test_column_names_may_hold_an_equals_sign(folder):
    discrete_frame().rename(columns={"a": "a=1"}).to_csv(folder / "d.csv", index=False)
    record = discovered("d.csv", "--method", "greedy", "--levels", "a=1=4")
    assert record["settings"]["levels"] == {"a=1": 4}


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ("sen", "'--levels': write 'seen', 'declared', or levels of columns as 'name=count,name=count', got 'sen'"),
        ("a=", "got 'a='"),
        ("=3", "got '=3'"),
        ("a=3,", "got 'a=3,'"),
        ("a=3;b=4", "unknown column 'a=3;b'"),
        ("a=x", "got 'a=x'"),
        ("a=-3", "got 'a=-3'"),
        ("a=3.5", "got 'a=3.5'"),
        ("", "got ''"),
        ("a=3,b=4,a=5", "'--levels': column 'a' is there twice"),
        ("a=2", "--levels of column 'a' must be a whole number from 3"),
        ("z=2", "unknown column 'z'"),
        ("declared", "--levels='declared', but no column declares its levels"),
    ],
)
@pytest.mark.parametrize("method", ["cd-uct", "all"])
def test_wrong_levels_end_the_command_with_one_message(folder, method, levels, message):
    discrete_frame().to_csv(folder / "d.csv", index=False)
    result = run("discover", "d.csv", "--method", method, "--levels", levels)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("Error: ") == 1
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


@pytest.mark.usefixtures("folder")
def test_the_command_refuses_levels_of_continuous_scores():
    result = run("discover", "good.csv", *FEW, "--levels", "a=3")
    assert result.exit_code == 2
    assert "--levels={'a': 3} is for bic-discrete, bdeu; " in result.stderr


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
