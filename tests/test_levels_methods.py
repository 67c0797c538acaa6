"""Levels of discrete columns, as estimators and the command take them."""

from __future__ import annotations

import inspect

import pytest
from common import FEW, discovered, discrete_frame, make, normal_frame, run, succeed
from level_tables import with_categories
from sklearn.base import clone

import dagsearch as ds
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.estimators import METHODS

TAKE_LEVELS = [kind for kind in METHODS.values() if "levels" in inspect.signature(kind).parameters]


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
    model = make(ds.GES, levels="declared").fit(table)
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
