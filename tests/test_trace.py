"""What a search considered, as ``trace=True`` records it: true to the search, and without any influence on it."""

import json

import numpy as np
import pandas as pd
import pytest
from common import run

import dagsearch as ds
from dagsearch.search.recorder import MOST_DECISIONS, MOST_IMPROVEMENTS, MOST_OPTIONS, Recorder, look_after
from dagsearch.search.trace import Trace

SEARCHES = {
    "budget": lambda **more: ds.CDUCT(edge_budget=5, sims_per_node=20, n_restarts=2, **more),
    "no budget": lambda **more: ds.CDUCT(sims_per_node=20, n_restarts=2, **more),
    "swaps": lambda **more: ds.CDUCT(edge_budget=5, sims_per_node=5, refine="on", **more),
    "random search": lambda **more: ds.RandomSearch(sims_per_node=50, **more),
    "greedy": ds.GreedySearch,
    "order": lambda **more: ds.OrderSearch(n_restarts=3, **more),
    "exact": lambda **more: ds.ExactSearch(max_parents=2, **more),
}


def table(n=300, d=7, seed=0):
    """Each column depends on up to two before it, so that scores disagree about many edges."""
    rng = np.random.default_rng(seed)
    x = rng.laplace(size=(n, d))
    for j in range(2, d):
        x[:, j] += rng.normal(size=2) @ x[:, rng.choice(j, 2, replace=False)].T
    return pd.DataFrame(x, columns=[f"v{j}" for j in range(d)])


def fitted(search, **more):
    return SEARCHES[search](score="bic-linear", random_state=3, **more).fit(table())


def without_seconds(trace):
    """What must be the same each time."""

    def strip(value):
        if isinstance(value, dict):
            return {name: strip(each) for name, each in value.items() if name != "seconds"}
        return [strip(each) for each in value] if isinstance(value, list) else value

    return strip(trace.to_dict())


@pytest.mark.parametrize("search", SEARCHES)
def test_recording_changes_no_result(search):
    with_trace, without = fitted(search, trace=True), fitted(search)
    assert with_trace.dag_ == without.dag_
    assert with_trace.reward_ == without.reward_
    assert with_trace.result_.n_simulations == without.result_.n_simulations
    assert without.trace_ is None


@pytest.mark.parametrize("search", SEARCHES)
def test_rewards_grow_and_end_at_that_of_the_fit(search):
    model = fitted(search, trace=True)
    improvements = model.trace_.improvements
    # With a budget, a graph with more edges goes before any reward.
    ranks = [(each.n_edges if search in ("budget", "swaps") else 0, each.reward) for each in improvements]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)
    assert improvements[-1].reward == pytest.approx(model.reward_, abs=1e-12)
    assert improvements[-1].n_edges == model.dag_.n_edges
    for name in ("seconds", "n_simulations"):
        values = [getattr(each, name) for each in improvements]
        assert values == sorted(values)
    assert improvements[-1].seconds <= model.result_.seconds


@pytest.mark.parametrize("search", ["no budget", "budget", "order"])
def test_one_seed_gives_one_trace_with_any_number_of_jobs(search):
    once, again = fitted(search, trace=True, n_jobs=1), fitted(search, trace=True, n_jobs=2)
    assert without_seconds(once.trace_) == without_seconds(again.trace_)
    # Restarts that ran at the same time are told of one behind the other.
    seconds = [each.seconds for each in again.trace_.improvements]
    assert seconds == sorted(seconds)


def test_decisions_are_those_that_built_the_graph():
    """With a budget each restart decides for every edge of its last graph, cause first."""
    model = fitted("budget", trace=True)
    trace, names = model.trace_, model.dag_.names
    assert trace.n_decisions == len(trace.decisions) == 2 * 2 * 5
    for restart in (0, 1):
        own = [each for each in trace.decisions if each.restart == restart]
        assert [each.step for each in own] == list(range(10))
        assert [each.n_edges for each in own] == [k // 2 for k in range(10)]
        causes, effects = own[::2], own[1::2]
        assert [each.cause for each in causes] == [None] * 5
        assert [each.cause for each in effects] == [each.chosen for each in causes]
        edges = [(each.cause, each.chosen) for each in effects]
        assert len(set(edges)) == 5
        ds.DAG.from_edges(edges, names=names)  # raises on a cycle


def test_visits_are_those_of_the_simulations_of_a_decision():
    model = fitted("budget", trace=True)
    per_decision = 20 * len(model.dag_.names)
    for decision in model.trace_.decisions:
        shares = [option.visits for option in decision.options]
        assert shares == sorted(shares, reverse=True)
        assert len(shares) <= min(decision.n_options, MOST_OPTIONS)
        assert sum(shares) <= per_decision
        # Here all options have a place, and every simulation goes through one of them.
        assert sum(shares) == per_decision or len(shares) < decision.n_options
        chosen = next(option for option in decision.options if option.name == decision.chosen)
        assert chosen.visits == max(shares)
    simulated = model.trace_.decisions[-1].n_simulations
    assert simulated == model.result_.n_simulations + model.result_.n_calibration_simulations


@pytest.mark.parametrize("search", ["budget", "no budget"])
def test_changes_of_the_best_graph_add_up(search):
    """Gains and losses told at decisions lead from nothing to a graph with the reward that is told with them."""
    model = fitted(search, trace=True)
    score = model.score_
    n_changes = 0
    for restart in (0, 1):
        best = set()
        for decision in (each for each in model.trace_.decisions if each.restart == restart):
            added, removed = set(decision.best_edges_added), set(decision.best_edges_removed)
            assert removed <= best
            assert not added & best
            assert decision.changed_mind == bool(removed)
            n_changes += decision.changed_mind
            best = (best - removed) | added
            reward = score.reward(ds.DAG.from_edges(sorted(best), names=model.dag_.names))
            assert reward == pytest.approx(decision.best_reward, abs=1e-9)
    assert n_changes == model.trace_.n_changes_of_mind == len(model.trace_.changes_of_mind)


def test_a_search_with_few_simulations_changes_its_mind():
    model = ds.CDUCT(edge_budget=8, sims_per_node=2, score="bic-linear", random_state=0, trace=True).fit(table())
    assert model.trace_.n_changes_of_mind > 0
    assert f"{model.trace_.n_changes_of_mind} changes of mind" in repr(model.trace_)


def test_methods_that_compare_no_graphs_say_so():
    trace = ds.LiNGAM(random_state=0, trace=True).fit(table()).trace_
    assert len(trace.decisions) == len(trace.improvements) == 0
    assert "there is nothing to record" in trace.notes[0]


def test_a_trace_is_a_parameter_of_no_effect_on_replicates():
    """Replicates of a bootstrap do not record anything, and may be resumed whether the fit was recorded or not."""
    model = ds.GreedySearch(score="bic-linear", random_state=0, trace=True, confidence="bootstrap", n_replicates=3)
    plain = ds.GreedySearch(score="bic-linear", random_state=0, confidence="bootstrap", n_replicates=3)
    both = [each.fit(table()).confidence_.edge_probability for each in (model, plain)]
    assert np.array_equal(*both)


def test_what_is_no_truth_value_is_refused():
    with pytest.raises(ds.InputError, match="trace must be True or False"):
        ds.GreedySearch(trace="yes").fit(table())


# ---------------------------------------------------------------- the recorder


def test_looks_grow_apart_so_that_recording_costs_little():
    looks, n_done = 0, 0
    while n_done < 1_000_000:
        later = look_after(n_done)
        assert later > n_done
        looks, n_done = looks + 1, later
    assert looks < 40


@pytest.mark.parametrize("n", [MOST_IMPROVEMENTS + 1, 3 * MOST_IMPROVEMENTS])
def test_a_long_search_keeps_the_last_improvement_and_says_what_is_left_out(n):
    recorder = Recorder(("a", "b"))
    for k in range(n):
        recorder.found(float(k), 1, "greedy", 0.001 * k)
    trace = recorder.trace()
    assert len(trace.improvements) <= MOST_IMPROVEMENTS
    assert (trace.improvements[0].reward, trace.improvements[-1].reward) == (0.0, n - 1.0)
    assert "not all are kept" in trace.notes[-1]


def test_a_worse_graph_is_no_improvement_unless_its_rank_is_higher():
    recorder = Recorder(("a", "b"))
    recorder.found(2.0, 1, "greedy", 0.0, rank=1)
    recorder.found(1.0, 1, "greedy", 0.1, rank=1)
    recorder.found(9.0, 0, "greedy", 0.2, rank=0)
    recorder.found(1.5, 2, "greedy", 0.3, rank=2)
    assert [each.reward for each in recorder.trace().improvements] == [2.0, 1.5]


def test_decisions_beyond_the_limit_are_counted(monkeypatch):
    monkeypatch.setattr("dagsearch.search.recorder.MOST_DECISIONS", 4)
    trace = fitted("budget", trace=True).trace_
    assert len(trace.decisions) == 4 < MOST_DECISIONS
    assert trace.n_decisions == 20
    assert "16 more decisions were made" in trace.notes[0]


def test_a_trace_prints_as_tables_on_lines_of_their_own_whatever_names_hold():
    names = ("a\nb", "x" * 300, "<i>")
    data = pd.DataFrame(table(d=3).to_numpy(), columns=list(names))
    model = ds.CDUCT(edge_budget=2, sims_per_node=5, score="bic-linear", random_state=0, trace=True).fit(data)
    lines = str(model.trace_).splitlines()
    assert lines[0].startswith("4 decisions")
    assert max(map(len, lines)) < 200
    assert str(Trace()) == "0 decisions, 0 changes of mind, 0 improvements"


# ---------------------------------------------------------------- the command


def test_the_command_tells_of_the_trace_and_writes_it(tmp_path):
    source, target = tmp_path / "data.csv", tmp_path / "result.json"
    table().to_csv(source, index=False)
    options = ("--method", "cd-uct", "--score", "bic-linear", "--edges", 4, "--sims-per-node", 5)
    outcome = run("discover", source, *options, "--trace", "--json", target)
    assert outcome.exit_code == 0, outcome.output
    assert "trace: 8 decisions" in outcome.stdout
    assert "trace: the best graph was found by tree search after" in outcome.stdout
    record = json.loads(target.read_text())
    assert len(record["trace"]["decisions"]) == 8
    assert record["trace"]["improvements"][-1]["reward"] == pytest.approx(record["reward"])
    plain = run("discover", source, *options, "--json", target)
    assert "trace" not in plain.stdout
    assert json.loads(target.read_text()).get("trace") is None
