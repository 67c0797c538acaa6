"""``fix=True`` and ``dagsearch check``: the safe remedies, what they leave alone, and all problems in one message."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from common import run, succeed

import dagsearch as ds
from dagsearch.auditing import mended_dataset

N = 200


def messy(n_rows=N):
    rng = np.random.default_rng(0)
    a = rng.normal(size=n_rows)
    b = a + rng.normal(size=n_rows)
    days = pd.date_range("2020-01-01", periods=n_rows)
    return pd.DataFrame(
        {
            "id": range(n_rows),
            "a": a,
            "b": b,
            "when": days.astype(str),
            "price": [f"${value:.2f}" for value in rng.gamma(20, 9, n_rows)],
            "site": "Rome",
            "inches": 2.54 * a,
        }
    )


def fitted(data, **settings):
    return ds.GreedySearch(score="bic-linear", fix=True, **settings).fit(data)


def test_the_safe_remedies_are_applied_and_told():
    data = messy()
    before = data.copy()
    model = fitted(data)
    assert list(model.feature_names_in_) == ["a", "b", "when", "price"]
    assert len(model.result_.fixed) == 5
    assert {f"fixed: {done}" for done in model.result_.fixed} <= set(model.result_.notes)
    assert any("days since 2020-01-01" in done for done in model.result_.fixed)
    pd.testing.assert_frame_equal(data, before)


def test_a_mended_table_holds_the_numbers_that_were_meant():
    data = messy()
    mended, _ = ds.audit(data).fixed(data)
    assert mended["when"].tolist() == list(range(N))
    np.testing.assert_array_equal(mended["price"], data["price"].str[1:].astype(float))
    np.testing.assert_array_equal(mended["a"], data["a"])


def test_without_fix_nothing_is_changed():
    model = ds.GreedySearch(score="bic-linear").fit(messy()[["id", "a", "b"]])
    assert list(model.feature_names_in_) == ["id", "a", "b"]
    assert model.result_.fixed == ()


def test_discover_mends_once_and_says_so():
    model = ds.discover(messy()[["id", "a", "b", "when"]], fix=True, score="bic-linear", random_state=0)
    assert list(model.feature_names_in_) == ["a", "b", "when"]  # days count rows, and are not dropped for it
    assert len(model.result_.fixed) == 2
    assert model.get_params()["fix"] is True


def test_a_table_that_has_been_mended_is_not_mended_again():
    once = mended_dataset(messy()[["id", "a", "b", "when"]])
    model = fitted(once)
    assert list(model.feature_names_in_) == ["a", "b", "when"]
    assert model.result_.fixed == once.mended


def test_a_clean_table_gives_the_same_graph_with_fix_and_without():
    data = messy()[["a", "b"]].assign(c=np.random.default_rng(1).normal(size=N))
    settings = {"score": "bic-linear", "random_state": 0}
    mended, plain = ds.GreedySearch(**settings, fix=True).fit(data), ds.GreedySearch(**settings).fit(data)
    assert mended.result_.fixed == ()
    assert (mended.dag_ == plain.dag_, mended.reward_) == (True, plain.reward_)


def test_columns_that_somebody_speaks_of_are_not_dropped():
    data = messy()[["id", "a", "b", "inches"]]
    assert "id" in fitted(data, kinds={"id": "continuous"}).feature_names_in_
    assert "id" in fitted(data, knowledge=ds.Knowledge(forbidden=[("a", "id")])).feature_names_in_
    assert list(fitted(data, kinds={"inches": "continuous"}).feature_names_in_) == ["b", "inches"]
    both = {"a": "continuous", "inches": "continuous"}
    assert list(fitted(data, kinds=both).feature_names_in_) == ["a", "b", "inches"]
    with pytest.raises(ds.UnknownNameError, match="unknown column 'ids'"):
        fitted(data, kinds={"ids": "continuous"})


def test_what_is_declared_discrete_is_not_read_as_numbers():
    data = messy()[["a", "b"]].assign(share=np.where(np.arange(N) % 3 == 0, "10%", "20%"))
    table = mended_dataset(data, kinds={"share": "discrete"})
    assert table.labels[2] == ("10%", "20%")
    assert mended_dataset(data).labels[2] is None


def test_experiments_survive_the_loss_of_columns():
    data = messy()[["id", "a", "b", "site"]].assign(target=np.where(np.arange(N) < 50, "b", ""))
    by_name = fitted(data, interventions="target", random_state=0)
    was_set = np.zeros((N, 4), dtype=bool)
    was_set[:50, 2] = True
    by_table = fitted(data.drop(columns="target"), interventions=was_set, random_state=0)
    assert list(by_name.feature_names_in_) == list(by_table.feature_names_in_) == ["a", "b"]
    assert any("'b' in 50 rows" in note for note in by_name.result_.notes)
    assert by_name.dag_ == by_table.dag_


def test_a_true_graph_loses_what_is_dropped_unless_that_has_effects():
    data = ds.as_dataset(messy()[["a", "b", "site"]].assign(site=1.0))

    def with_truth(*edges):
        return ds.Dataset(
            data.values, data.names, data.kinds, data.labels, truth=ds.DAG.from_edges(edges, names=data.names)
        )

    mended = mended_dataset(with_truth(("a", "b"), ("b", "site")))
    assert mended.truth.edges == [("a", "b")]
    with pytest.raises(ds.InputError, match="'site' causes 'a', and fix=True drops the column 'site'"):
        mended_dataset(with_truth(("site", "a")))


def test_a_bootstrap_of_a_mended_table_has_its_columns():
    model = fitted(messy()[["id", "a", "b"]])
    confidence = ds.bootstrap(model, messy()[["id", "a", "b"]], n=3, random_state=0)
    assert list(confidence.names) == ["a", "b"]


# ---------------------------------------------------------------- all problems at once


def test_all_problems_of_a_table_are_in_one_message():
    data = messy()[["a", "b"]].assign(
        text=["oops", *map(str, range(1, N))], day=pd.date_range("2020", periods=N), nothing=np.nan, most=np.inf
    )
    with pytest.raises(ds.DataError) as caught:
        ds.as_dataset(data)
    lines = str(caught.value).splitlines()
    assert lines[0] == "the table has 4 problems:"
    assert [name in line for name, line in zip(("text", "day", "nothing", "most"), lines[1:5], strict=True)] == [
        True
    ] * 4
    assert lines[5] == "fix=True mends 2 of them"


def test_of_many_problems_the_first_are_told_and_a_single_one_stands_alone():
    data = pd.DataFrame({f"x{j}": [np.inf] * 5 for j in range(12)})
    with pytest.raises(ds.DataError, match="and 4 more") as caught:
        ds.as_dataset(data)
    assert "fix" not in str(caught.value)
    with pytest.raises(ds.DataError, match=r"^column 'a': row 1 holds inf; drop this row or column"):
        ds.as_dataset(pd.DataFrame({"a": [np.inf] * 5, "b": range(5)}))


# ---------------------------------------------------------------- the command


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "t.csv"
    messy().to_csv(path, index=False)
    return str(path)


def test_check_tells_the_findings_and_the_command_that_goes_on(file):
    shown = succeed("check", file)
    assert shown.splitlines()[-1] == f"dagsearch discover {file} --fix"
    found = json.loads(succeed("check", file, "--json", "-"))
    assert {name for each in found["findings"] for name in each["columns"]} >= {"id", "when", "price", "site", "inches"}
    assert all({"column", "kind", "message", "remedy"} <= each.keys() for each in found["findings"])


def test_check_of_a_file_that_cannot_be_read_is_wrong_use(tmp_path):
    result = run("check", str(tmp_path / "absent.csv"))
    assert result.exit_code == 2
    assert "there is no such file" in result.output


def test_discover_says_the_three_most_important_findings_or_mends_them(file):
    arguments = ("discover", file, "--method", "greedy", "--json", "-")
    plain = run(*arguments, "--score", "mixed", "--max-parents", "1")
    said = [line for line in plain.stderr.splitlines() if line.startswith("check: ")]
    assert len(said) == 4
    assert said[3] == f"check: and 2 more: dagsearch check {file}"
    mended = run(*arguments, "--score", "bic-linear", "--fix")
    assert "check: " not in mended.stderr
    record = json.loads(mended.stdout)
    assert record["names"] == ["a", "b", "when", "price"]
    assert len(record["fixed"]) == 5


def test_discover_says_nothing_of_data_sets_that_have_a_name():
    assert "check: " not in run("discover", "asia", "--method", "greedy", "--json", "-").stderr
