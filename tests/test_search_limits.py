"""How searches end early, and what restricts them: knowledge, start graphs, budgets, many variables."""

import math
import random
import signal
import time

import naive
import pytest
from common import FACES, Faulty, is_dag, noise_table

from dagsearch.errors import InputError
from dagsearch.estimators import CDUCT, SEARCHES
from dagsearch.graph import DAG, Knowledge

LIGHT = {"cd-uct": {"sims_per_node": 6}, "random-search": {"sims_per_node": 6}}


# --- Early ends ------------------------------------------------------------------------------------


def answer_after_ctrl_c():
    signal.raise_signal(signal.SIGINT)
    return 0.0


def interrupt():
    raise KeyboardInterrupt


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("method", ["cd-uct", "greedy", "random-search"])
@pytest.mark.parametrize("act", [answer_after_ctrl_c, interrupt])
def test_ctrl_c_inside_a_users_score_ends_with_the_best_graph_so_far(face, method, act):
    handler = signal.getsignal(signal.SIGINT)
    score = FACES[face](Faulty(45, act))
    model = SEARCHES[method](score=score, edge_budget=8, random_state=0).fit(noise_table(6))
    assert model.result_.status == "interrupted"
    assert is_dag(model.dag_)
    assert math.isfinite(model.reward_)
    assert signal.getsignal(signal.SIGINT) is handler


class Slow(naive.TableScore):
    def local(self, node, parents):
        time.sleep(0.002)
        return super().local(node, parents)


@pytest.mark.parametrize("method", ["cd-uct", "greedy", "random-search"])
@pytest.mark.parametrize("edge_budget", [8, None])
def test_the_time_limit_ends_with_the_best_graph_so_far(method, edge_budget):
    model = SEARCHES[method](score=Slow(1, 7), edge_budget=edge_budget, time_limit=0.03, random_state=0)
    model.fit(noise_table(7))
    assert model.result_.status == "time-limit"
    assert is_dag(model.dag_)
    assert model.reward_ == naive.TableScore(1, 7).reward_of_edges(naive.edges_of(model.dag_.adjacency))


@pytest.mark.parametrize("method", ["cd-uct", "random-search"])
def test_the_time_limit_ends_a_search_that_never_leaves_compiled_code(method):
    model = SEARCHES[method](score="bic-linear", edge_budget=8, sims_per_node=2e4, time_limit=0.1, random_state=0).fit(
        noise_table(8)
    )
    assert model.result_.status == "time-limit"
    assert model.result_.seconds < 5
    assert model.dag_.n_edges == 8


@pytest.mark.parametrize("method", SEARCHES)
def test_a_search_left_alone_is_finished(method):
    model = SEARCHES[method](
        score=naive.TableScore(1, 5), edge_budget=4, time_limit=60, random_state=0, **LIGHT.get(method, {})
    ).fit(noise_table(5))
    assert model.result_.status == "finished"
    assert model.dag_.n_edges == 4


# --- Restrictions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", SEARCHES)
@pytest.mark.parametrize("edge_budget", [7, None])
@pytest.mark.parametrize("seed", range(3))
def test_every_search_respects_knowledge_and_the_limit_on_parents(method, edge_budget, seed):
    knowledge = Knowledge(
        required=[("x0", "x5"), ("x2", "x3")],
        forbidden=[("x1", "x2"), ("x2", "x1"), ("x5", "x4")],
        tiers=[["x0", "x2"], ["x3", "x4"], ["x5"]],
    )
    names = [f"x{node}" for node in range(6)]
    model = SEARCHES[method](
        score=naive.TableScore(seed, 6),
        edge_budget=edge_budget,
        knowledge=knowledge,
        max_parents=2,
        random_state=seed,
        **LIGHT.get(method, {}),
    ).fit(noise_table(6))
    adjacency = model.dag_.adjacency.astype(bool)
    assert is_dag(model.dag_)
    assert adjacency[knowledge.required_edges(names)].all()
    assert not adjacency[~knowledge.allowed_edges(names)].any()
    assert adjacency.sum(axis=0).max() <= 2
    assert edge_budget is None or model.dag_.n_edges == edge_budget


def test_a_start_graph_that_knowledge_forbids_is_refused():
    model = CDUCT(
        score=naive.TableScore(0, 4),
        start=[("x0", "x1")],
        knowledge=Knowledge(forbidden=[("x0", "x1")]),
        edge_budget=2,
    )
    with pytest.raises(InputError, match="x0 -> x1"):
        model.fit(noise_table(4))


@pytest.mark.parametrize("method", SEARCHES)
def test_the_start_graph_is_part_of_the_result(method):
    start = DAG.from_edges([("x3", "x0"), ("x1", "x4")], names=[f"x{node}" for node in range(5)])
    model = SEARCHES[method](
        score=naive.TableScore(0, 5), start=start, edge_budget=5, random_state=0, **LIGHT.get(method, {})
    ).fit(noise_table(5))
    assert set(start.edges) < set(model.dag_.edges)
    assert model.dag_.n_edges == 5


@pytest.mark.parametrize("method", SEARCHES)
def test_a_budget_beyond_the_largest_dag_is_refused_with_the_range(method):
    with pytest.raises(InputError) as refusal:
        SEARCHES[method](score=naive.TableScore(0, 5), edge_budget=11).fit(noise_table(5))
    assert str(refusal.value) == "edge_budget must be between 0 and 10 for 5 variables, got 11"


def test_a_budget_smaller_than_what_is_required_is_refused_with_the_range():
    model = CDUCT(score=naive.TableScore(0, 5), edge_budget=1, knowledge=Knowledge(required=[(0, 1), (1, 2)]))
    with pytest.raises(InputError, match="edge_budget must be between 2 and 10 for 5 variables, got 1"):
        model.fit(noise_table(5))


def test_a_budget_beyond_the_limit_on_parents_is_refused_with_the_range():
    model = CDUCT(score=naive.TableScore(0, 5), edge_budget=8, max_parents=1)
    with pytest.raises(InputError, match="between 0 and 4 for 5 variables under these restrictions, got 8"):
        model.fit(noise_table(5))


@pytest.mark.parametrize("method", SEARCHES)
def test_a_budget_that_allowed_edges_cannot_spend_gives_the_largest_graph_there_is(method):
    """Of three pairs each may point one way only, round in a circle: one of them has to stay away."""
    forbidden = [(1, 0), (2, 1), (0, 2)]
    model = SEARCHES[method](
        score=naive.TableScore(0, 3), edge_budget=3, knowledge=Knowledge(forbidden=forbidden), random_state=0
    ).fit(noise_table(3))
    assert model.dag_.n_edges == 2
    assert model.result_.status == "finished"


@pytest.mark.parametrize("edge_budget", [7, None])
def test_without_a_budget_few_simulations_are_enough_to_go_on(edge_budget):
    for seed in range(5):
        model = CDUCT(score=naive.TableScore(seed, 7), edge_budget=edge_budget, sims_per_node=1, random_state=seed).fit(
            noise_table(7)
        )
        assert is_dag(model.dag_)


def test_without_a_budget_a_single_simulation_per_decision_is_enough_to_go_on():
    model = CDUCT(score=naive.TableScore(1, 7), sims_per_node=0.1, random_state=1).fit(noise_table(7))
    assert is_dag(model.dag_)


# --- More than 64 variables ------------------------------------------------------------------------


@pytest.mark.parametrize("method", SEARCHES)
@pytest.mark.parametrize("score", ["bic-linear", "local"])
def test_seventy_variables_work_and_required_edges_survive(method, score):
    required = [("x0", "x69"), ("x69", "x64"), ("x64", "x1")]
    own = naive.TableScore(0, 70) if score == "local" else score
    options = {"sims_per_node": 0.5} if method in LIGHT else {}
    model = SEARCHES[method](
        score=own,
        edge_budget=8,
        knowledge=Knowledge(required=required, forbidden=[("x65", "x2")]),
        random_state=random.Random(method).randrange(100),
        **options,
    ).fit(noise_table(70, n_samples=100))
    assert is_dag(model.dag_)
    assert model.dag_.n_edges == 8
    assert set(required) <= set(model.dag_.edges)
    assert set(required) <= set(model.pruned_dag_.edges)
