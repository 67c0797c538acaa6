"""Guided searches as a whole: what they keep to, how they end, and which settings are refused."""

import math
import signal
from dataclasses import replace

import naive
import numpy as np
import pytest
from common import is_dag, noise_table, normal_frame, run
from hypothesis import given, settings
from hypothesis import strategies as st
from search_problems import budgeted_problems, fits, problem_of
from stopping import Acting, interrupt, press_ctrl_c

import dagsearch as ds
from dagsearch import scores
from dagsearch.errors import InputError
from dagsearch.search.cd_uct import CDUCTSettings, cd_uct
from dagsearch.search.guidance import Guidance
from dagsearch.search.monitor import Monitor

BOTH = ["ucb1", "puct"]

# ---------------------------------------------------------------- what searches keep to


def check_outcome(problem, seed, tree_policy, temperature, refine):
    own = naive.TableScore(seed, problem.n_nodes)
    horizon = 4 if seed % 2 else None
    guided = CDUCTSettings(2, horizon, 0.1, "root-mean", "most-visits", 1, refine, "guided", tree_policy, temperature)
    found = [
        cd_uct(problem, scores.adapt(own, problem.n_nodes), guided, np.random.default_rng(seed), Monitor())
        for _ in range(2)
    ]
    edges = naive.edges_of(found[0].adjacency)
    # Start graphs count as given, whatever else is allowed.
    assert fits(replace(problem, allowed=problem.allowed | problem.start), edges)
    assert found[0].reward == own.reward_of_edges(edges) == found[1].reward
    assert edges == naive.edges_of(found[1].adjacency)
    assert problem.edge_budget is not None or own.reward_of_edges(naive.edges_of(problem.start)) <= found[0].reward
    # What a horizon has ended may be the best graph though more edges could be added.
    if problem.edge_budget is not None and len(edges) < problem.edge_budget and horizon is None:
        assert not naive.NaiveRules(problem.n_nodes, problem.allowed, problem.max_parents).legal(edges)


GUIDED = {"tree_policy": st.sampled_from(BOTH), "temperature": st.sampled_from([0.01, 0.1, 5.0])}


@settings(max_examples=40, deadline=None)
@given(problem=budgeted_problems(), seed=st.integers(0, 10_000), refine=st.booleans(), **GUIDED)
def test_graphs_stay_within_the_problem_and_have_the_reward_that_is_reported(problem, seed, **chosen):
    check_outcome(problem, seed, **chosen)


@pytest.mark.long
@settings(max_examples=10_000, deadline=None)
@given(problem=budgeted_problems(), seed=st.integers(0, 2**40), refine=st.booleans(), **GUIDED)
def test_ten_thousand_graphs_stay_within_the_problem_and_have_the_reward_that_is_reported(problem, seed, **chosen):
    check_outcome(problem, seed, **chosen)


def test_one_seed_repeats_two_differ_and_n_jobs_changes_nothing():
    guided = {"rollout": "guided", "refine": "off", "n_restarts": 1}
    models = [
        ds.CDUCT(models=["linear"], sims_per_node=1, n_jobs=n_jobs, random_state=seed, **guided).fit(
            normal_frame(60, 6)
        )
        for n_jobs, seed in ((1, 4), (1, 4), (2, 4), (-1, 4))
    ]
    assert len({model.dag_ for model in models}) == 1
    assert len({(model.reward_, model.result_.n_score_evaluations) for model in models}) == 1
    others = [
        ds.CDUCT(score=naive.TableScore(3, 9), sims_per_node=0.2, temperature=5.0, random_state=seed, **guided)
        for seed in range(5)
    ]
    assert len({model.fit(noise_table(9)).dag_ for model in others}) > 1


# ---------------------------------------------------------------- ending early


@pytest.mark.parametrize("tree_policy", BOTH)
@pytest.mark.parametrize("ends", [interrupt, press_ctrl_c, None])
def test_an_early_end_while_gains_are_learnt_leaves_the_best_graph_so_far(ends, tree_policy):
    """First at the start, which is all there is then; later where the root has moved and a graph was found."""
    guided = CDUCTSettings(1, 3, 0.1, "none", "most-visits", 1, True, "guided", tree_policy, 0.1)
    problem, handler = problem_of(8, frozenset({(7, 0)})), signal.getsignal(signal.SIGINT)
    starts = []

    class Counting(Guidance):
        def learn(self, effect, root, root_terms):
            starts.append(own.n_calls)
            super().learn(effect, root, root_terms)

    def found(at_call):
        nonlocal own
        monitor = Monitor(time_limit=60.0)
        own = Acting(2, 8, at_call, ends or (lambda: setattr(monitor, "time_limit", 0.0)))
        return cd_uct(problem, scores.adapt(own, 8), guided, np.random.default_rng(0), monitor)

    own = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dagsearch.search.cd_uct.Guidance", Counting)
        whole = found(-1)
    assert len(starts) > 8  # more than those of the first root
    for at_call, is_start in ((starts[4] + 2, True), (starts[8] + 1, False)):
        outcome = found(at_call)
        edges = naive.edges_of(outcome.adjacency)
        assert outcome.status == ("time-limit" if ends is None else "interrupted")
        assert own.n_calls <= at_call + 7  # no more than those of the effect that it was at
        assert fits(problem, edges)
        assert outcome.reward == own.reward_of_edges(edges) <= whole.reward
        assert (edges == {(7, 0)}) is is_start
    assert signal.getsignal(signal.SIGINT) is handler


# ---------------------------------------------------------------- wrong settings

WRONG = [
    ({"tree_policy": "puct", "rollout": "uniform"}, "tree_policy='puct' .* rollout='guided'"),
    ({"tree_policy": "puct", "edge_budget": 3}, "tree_policy='puct' .* rollout='guided'"),
    ({"temperature": 0.0}, "temperature must be .* got 0.0"),
    ({"temperature": -1.0}, "temperature must be .* got -1.0"),
    ({"temperature": math.nan}, "temperature must be .* got nan"),
    ({"rollout": "clever"}, "unknown rollout 'clever': choose from"),
    ({"tree_policy": "best"}, "unknown tree_policy 'best': choose from"),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("chosen", "message"), WRONG)
def test_wrong_settings_are_refused_by_name(chosen, message):
    with pytest.raises(InputError, match=message):
        ds.CDUCT(score="bic-linear", random_state=0, **chosen).fit(normal_frame(60, 5))
    named = {"edges" if name == "edge_budget" else name.replace("_", "-"): value for name, value in chosen.items()}
    options = [part for name, value in named.items() for part in (f"--{name}", value)]
    result = run("discover", "good.csv", "--method", "cd-uct", "--score", "bic-linear", *options)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert any(word in result.stderr for word in (next(iter(chosen)), options[0]))


def test_guided_rollouts_need_local_scores_and_are_uniform_by_default_without():
    whole = naive.WholeGraphScore(naive.TableScore(1, 5))
    with pytest.raises(InputError, match="rollout='guided' needs a score with local"):
        ds.CDUCT(score=whole, rollout="guided").fit(noise_table(5))
    with pytest.raises(InputError, match="tree_policy='puct'"):
        ds.CDUCT(score=whole, tree_policy="puct").fit(noise_table(5))
    model = ds.CDUCT(score=whole, sims_per_node=2, n_restarts=1, random_state=0).fit(noise_table(5))
    assert (model.result_.settings["rollout"], model.result_.settings["tree_policy"]) == ("uniform", "ucb1")
    assert is_dag(model.dag_)
