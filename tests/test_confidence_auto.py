"""``confidence="auto"``: the exact posterior where table and score say that it takes seconds, nothing otherwise."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pytest
from common import run, succeed

import dagsearch as ds
from dagsearch.confidence.affordable import MICROSECONDS_PER_SET, MOST_SECONDS, reason_against_exact
from dagsearch.confidence.exact import PrecisionError
from dagsearch.confidence.weights import Restrictions
from dagsearch.engines import attempt


def linear_table(n_nodes=4, n_rows=120):
    rng = np.random.default_rng(7)
    mixing = np.eye(n_nodes) + np.diag(np.full(n_nodes - 1, 0.7), 1)
    return rng.laplace(size=(n_rows, n_nodes)) @ mixing


def fitted(kind=ds.GreedySearch, table=None, **settings):
    settings = {"score": "bic-linear", "confidence": "auto", "random_state": 3, **settings}
    return kind(**settings).fit(linear_table() if table is None else table)


def the_note(model):
    """What is said of confidence."""
    (note,) = [note for note in model.result_.notes if note.startswith("confidence: ")]
    return note


# ---------------------------------------------------------------- what it gives


def test_it_is_the_exact_posterior_of_the_score_of_the_fit():
    model = fitted()
    asked = fitted(confidence="posterior").confidence_
    assert model.confidence_.method == "posterior, exact"
    assert np.array_equal(model.confidence_.edge_probability, asked.edge_probability)
    assert np.array_equal(model.confidence_.samples, asked.samples)
    assert not any(note.startswith("confidence") for note in model.result_.notes)


@pytest.mark.parametrize("score", ["bic-linear", "evidence"])
@pytest.mark.parametrize("kind", [ds.RandomSearch, ds.CDUCT])
def test_the_search_is_the_same_with_and_without_it(kind, score):
    with_it, without = fitted(kind, score=score), fitted(kind, score=score, confidence="none")
    assert with_it.dag_ == without.dag_
    assert with_it.result_.n_score_evaluations == without.result_.n_score_evaluations
    assert with_it.confidence_ is not None
    assert without.confidence_ is None


def test_threads_change_nothing():
    one, two = fitted(score="evidence"), fitted(score="evidence", n_jobs=2)
    assert np.array_equal(one.confidence_.edge_probability, two.confidence_.edge_probability)
    assert np.array_equal(one.confidence_.samples, two.confidence_.samples)


def test_discover_asks_for_it_and_estimators_do_not():
    assert ds.discover(linear_table(), random_state=0).confidence_ is not None
    assert ds.discover(linear_table(), random_state=0, confidence="none").confidence_ is None
    assert ds.GreedySearch(score="bic-linear").fit(linear_table()).confidence_ is None


def test_knowledge_and_the_limit_of_parents_are_those_of_the_fit():
    knowledge = ds.Knowledge(required=[(0, 1)], forbidden=[(2, 3)])
    model = fitted(knowledge=knowledge, max_parents=1)
    assert model.confidence_.edge_probability[0, 1] == pytest.approx(1.0, abs=1e-9)
    assert model.confidence_.edge_probability[2, 3] == 0.0
    assert model.confidence_.samples.sum(axis=1).max() == 1


# ---------------------------------------------------------------- where it computes nothing, and why


class OfAUser:
    """A score of which nobody knows what it costs."""

    def local(self, _node, parents):
        return -float(len(parents))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"edge_budget": 2}, "a posterior knows no edge budget; ask for it by confidence='bootstrap', 100 more fits"),
        ({"kind": ds.LiNGAM}, "lingam does not construct its graph by a score"),
        ({"score": "bic-gp"}, "rewards of bic-gp are no log probabilities"),
        ({"variances": "equal"}, "with variances='equal' rewards do not split"),
        ({"score": "bic-gam"}, "how long a posterior by bic-gam takes is not known"),
        ({"table": linear_table(21)}, "sums over all graphs are out of reach beyond 20 variables"),
        ({"table": linear_table(20)}, r"a posterior may take \d+ seconds; .* or by confidence='posterior'"),
        ({"score": "evidence", "time_limit": 0.001}, "the time limit was over"),
    ],
)
def test_the_reason_is_a_note_that_says_how_to_have_it_all_the_same(settings, reason):
    model = fitted(**settings)
    assert model.confidence_ is None
    note = the_note(model)
    assert note.startswith("confidence: none, since ")
    assert "ask for it by confidence='bootstrap'" in note
    assert ds.GreedySearch(score="bic-linear", confidence="none").fit(linear_table()).result_.notes == ()
    assert re.search(reason, note)


def test_a_score_of_a_user_can_be_asked_for_its_posterior_but_not_for_a_bootstrap():
    note = the_note(fitted(score=OfAUser()))
    assert note.endswith("is not known beforehand; ask for it by confidence='posterior'")


def anything(n_nodes):
    return Restrictions(np.zeros((n_nodes, n_nodes), dtype=bool), ~np.eye(n_nodes, dtype=bool))


def largest(name, n_rows):
    """The widest table for which there is a posterior by itself."""
    rng = np.random.default_rng(0)
    width = 0
    for n_nodes in range(2, 21):
        values = rng.normal(size=(n_rows, n_nodes))
        table = ds.as_dataset(np.digitize(values, [-0.5, 0.5]) if name in ds.scores.DISCRETE else values)
        if reason_against_exact(ds.scores.make(name, table), anything(n_nodes)):
            return width
        width = n_nodes
    return width


WIDTHS = [
    ("bic-linear", 500, 18),
    ("bic-quadratic", 500, 15),
    ("bic-discrete", 1000, 16),
    ("bic-discrete", 20_000, 14),
    ("bdeu", 1000, 15),
    ("bdeu", 20_000, 13),
    ("evidence", 200, 10),
    ("evidence", 500, 10),
    ("evidence", 1000, 9),
    ("evidence", 5000, 8),
]


@pytest.mark.parametrize(("name", "n_rows", "width"), WIDTHS)
def test_up_to_how_many_variables_there_is_a_posterior_by_itself(name, n_rows, width):
    assert largest(name, n_rows) == width


def test_the_documentation_has_these_widths():
    page = Path(__file__).parent.parent / "docs" / "confidence.md"
    if not page.exists():
        pytest.skip("documentation comes with the repository only")
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d+) \| (\d+) \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 7
    assert {(name, int(n_rows), int(width)) for name, n_rows, width in rows} <= set(WIDTHS)
    assert f"at most {MOST_SECONDS:.0f} seconds" in page.read_text(encoding="utf-8")


def test_every_score_with_a_price_has_log_probabilities():
    table = ds.as_dataset(np.random.default_rng(0).integers(0, 3, (50, 3)))
    for name in MICROSECONDS_PER_SET:
        score = ds.scores.make(name, table if name in ds.scores.DISCRETE else ds.as_dataset(linear_table()))
        assert reason_against_exact(score, anything(score.n_nodes)) == ""


def test_fewer_sets_of_causes_are_affordable_on_wider_tables():
    score = ds.scores.make("evidence", ds.as_dataset(linear_table(12)))
    assert reason_against_exact(score, anything(12))
    few = Restrictions(np.zeros((12, 12), dtype=bool), ~np.eye(12, dtype=bool), max_parents=2)
    assert reason_against_exact(score, few) == ""
    assert fitted(table=linear_table(12), max_parents=2, score="bic-linear").confidence_ is not None


def test_sums_that_lose_precision_are_not_replaced_by_minutes_of_chains(monkeypatch):
    def imprecise(*_arguments):
        raise PrecisionError("an error of 1e-3")

    monkeypatch.setattr(sys.modules["dagsearch.confidence.posterior"], "sum_over_dags", imprecise)
    model = fitted()
    assert model.confidence_ is None
    assert "lose their precision" in the_note(model)


# ---------------------------------------------------------------- Ctrl-C


def press_ctrl_c_before(monkeypatch, name):
    """Press Ctrl-C when a function of the package is called."""
    module, _, function = name.rpartition(".")
    original = getattr(sys.modules[module], function)

    def interrupted(*arguments, **keywords):
        os.kill(os.getpid(), signal.SIGINT)
        return original(*arguments, **keywords)

    monkeypatch.setattr(sys.modules[module], function, interrupted)


@pytest.mark.parametrize("confidence", ["auto", "posterior"])
def test_ctrl_c_during_the_posterior_keeps_the_graph(monkeypatch, confidence):
    press_ctrl_c_before(monkeypatch, "dagsearch.confidence.posterior.weigh")
    model = fitted(confidence=confidence)
    assert model.dag_ == fitted(confidence="none").dag_
    assert model.confidence_ is None
    assert model.result_.status == "finished"
    assert the_note(model).startswith("confidence: none, since it was interrupted")


def test_ctrl_c_during_the_bootstrap_keeps_the_graph_and_what_there_is_of_it(monkeypatch):
    press_ctrl_c_before(monkeypatch, "dagsearch.confidence.bootstrap._outcomes")
    model = fitted(confidence="bootstrap")
    assert model.confidence_.details["n_replicates"] == 1
    assert model.confidence_.notes[0] == "1 replicates of the 100 asked for: interrupted"

    def at_once(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("dagsearch.estimators.sureness._bootstrap", at_once)
    model = fitted(confidence="bootstrap")
    assert model.confidence_ is None
    assert model.dag_ == fitted(confidence="none").dag_


def test_the_command_writes_the_graph_after_ctrl_c_during_confidence(monkeypatch, tmp_path):
    table = written(tmp_path)
    press_ctrl_c_before(monkeypatch, "dagsearch.confidence.posterior.weigh")
    record = json.loads(succeed("discover", table, "--score", "bic-linear", "--out", tmp_path / "out", "--json", "-"))
    assert "confidence" not in record
    assert record["status"] == "finished"
    assert (tmp_path / "out" / "graph.csv").exists()


def test_a_search_that_was_interrupted_is_not_followed_by_more_work(monkeypatch):
    original = ds.GreedySearch._construct

    def cut_short(*arguments):
        return dataclasses.replace(original(*arguments), status="interrupted")

    monkeypatch.setattr(ds.GreedySearch, "_construct", cut_short)
    for confidence in ("auto", "posterior", "bootstrap"):
        model = fitted(confidence=confidence)
        assert model.confidence_ is None
        assert the_note(model) == "confidence: none, since the search was interrupted"


# ---------------------------------------------------------------- the command


def written(folder):
    """A file with a table."""
    path = folder / "table.csv"
    np.savetxt(path, linear_table(), delimiter=",", header="a,b,c,d", comments="")
    return path


def test_the_command_shows_it_unless_told_not_to(tmp_path):
    table = written(tmp_path)
    assert "How sure, by posterior, exact" in succeed("discover", table, "--score", "bic-linear")
    assert "How sure" not in succeed("discover", table, "--score", "bic-linear", "--confidence", "none")
    for_budget = succeed("discover", table, "--score", "bic-linear", "--edges", 2)
    assert (
        "confidence: none, since a posterior knows no edge budget; ask for it by --confidence bootstrap" in for_budget
    )


def test_a_table_of_all_methods_has_no_room_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr("dagsearch.cli.all_methods.METHODS", {"greedy": ds.GreedySearch})
    shown = json.loads(succeed("discover", written(tmp_path), "--method", "all", "--json", "-"))
    assert "confidence" not in shown["methods"][0]
    assert shown["methods"][0]["notes"] == ["score: evidence, since all columns are continuous"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--confidence", "maybe"], "unknown confidence 'maybe': choose from none, posterior, bootstrap,"),
        (
            ["--confidence", "bootstrap", "--replicates", "0"],
            "--replicates must be a whole number of at least 1, got 0",
        ),
        (["--confidence", "posterior", "--score", "bic-gp"], "--confidence posterior: score must be a sum of log"),
        (["--confidence", "bootstrap", "--replicates", "few"], "'few' is not a valid integer"),
        (["--replicates", "20"], "--replicates is for --confidence bootstrap, got --confidence auto"),
    ],
)
@pytest.mark.parametrize("method", ["greedy", "auto", "all"])
def test_wrong_options_are_refused_before_anything_is_written(tmp_path, options, message, method):
    table = written(tmp_path)
    refused = run("discover", table, "--method", method, "--out", tmp_path / "out", *options)
    assert refused.exit_code == 2
    assert message in " ".join(refused.stderr.split())
    assert "Traceback" not in refused.output
    assert not (tmp_path / "out").exists()


# ---------------------------------------------------------------- replicates


def test_the_bootstrap_has_as_many_replicates_as_asked_for(tmp_path):
    assert fitted(confidence="bootstrap", n_replicates=7).confidence_.details["n_replicates"] == 7
    options = ("--score", "bic-linear", "--method", "greedy", "--confidence", "bootstrap", "--replicates", 5)
    record = json.loads(succeed("discover", written(tmp_path), *options, "--json", "-"))
    assert record["confidence_details"]["n_replicates"] == 5
    for wrong in (0, 2.5, True, "many"):
        with pytest.raises(ds.InputError, match="n_replicates must be"):
            fitted(n_replicates=wrong)


def test_the_number_of_replicates_is_nothing_that_a_store_tells_bootstraps_apart_by(tmp_path):
    table = linear_table()
    ds.bootstrap(ds.GreedySearch(score="bic-linear"), table, n=3, random_state=0, store=tmp_path)
    ds.bootstrap(ds.GreedySearch(score="bic-linear", n_replicates=3), table, n=3, random_state=0, store=tmp_path)
    assert len((tmp_path / "bootstrap.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize("has_store", [False, True])
def test_after_a_breakdown_only_a_store_is_said_to_go_on(monkeypatch, tmp_path, has_store):
    def break_down(self, tasks):
        yield attempt(self.work, next(iter(tasks)))
        raise BrokenProcessPool

    monkeypatch.setattr("dagsearch.engines.local.LocalEngine._begin", break_down)
    monkeypatch.setattr(sys.modules["dagsearch.confidence.bootstrap"], "_SECONDS_ALONE", 0.0)
    store = tmp_path if has_store else None
    model = ds.GreedySearch(score="bic-linear")
    found = ds.bootstrap(model, linear_table(), n=5, n_jobs=2, random_state=0, store=store)
    (note,) = found.notes
    assert note.startswith("1 replicates of the 5 asked for: a process that ran a task was killed")
    assert ("the same call goes on from here" in note) is has_store
    assert "the same command" not in note
    assert found.details["status"] == "broken"
