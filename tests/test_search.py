"""The searches: against slow twins, against brute force, and how they end."""

import math

import naive
import naive_search
import numpy as np
import pytest
from common import FACES, EqualVarianceTable, Faulty, noise_table
from hypothesis import given, settings
from hypothesis import strategies as st
from search_problems import budgeted_problems, problem_of

from dagsearch import scores
from dagsearch.errors import InputError
from dagsearch.estimators import CDUCT, SEARCHES, GreedySearch, RandomSampling, RandomSearch
from dagsearch.scores import cache
from dagsearch.search import simulator
from dagsearch.search.cd_uct import CDUCTSettings, cd_uct
from dagsearch.search.greedy import greedy
from dagsearch.search.monitor import Monitor
from dagsearch.search.random_search import random_search

DAGS = {n_nodes: naive.all_dags(n_nodes) for n_nodes in (4,)}
LIGHT = {"cd-uct": {"sims_per_node": 6, "rollout": "uniform"}, "random-search": {"sims_per_node": 6}}


def run_both(score, reward, problem, seed, **chosen):
    """The compiled and the naive CD-UCT with the same settings and seed."""
    options = {
        "sims_per_node": 6,
        "horizon": None,
        "exploration": 0.2,
        "exploration_scale": "root-mean",
        "final_move": "most-visits",
        "n_restarts": 1,
        **chosen,
    }
    compiled = cd_uct(problem, score, CDUCTSettings(**options), np.random.default_rng(seed), Monitor())
    rules = naive.NaiveRules(problem.n_nodes, problem.allowed, problem.max_parents)
    slow = naive_search.naive_cd_uct(
        rules,
        reward,
        np.random.default_rng(seed),
        edge_budget=problem.edge_budget,
        start=naive.edges_of(problem.start),
        **options,
    )
    return compiled, slow


def check_that_both_agree(n_nodes, seed, problem, **chosen):
    own = naive.TableScore(seed, n_nodes)
    compiled, slow = run_both(scores.adapt(own, n_nodes), own.reward_of_edges, problem, seed, **chosen)
    assert naive.edges_of(compiled.adjacency) == slow.edges
    assert compiled.reward == slow.reward
    assert compiled.n_simulations == slow.n_simulations
    assert compiled.n_calibration_simulations == slow.n_calibration_simulations


# --- CD-UCT against its naive twin -----------------------------------------------------------------


@pytest.mark.parametrize("horizon", [None, 1, 3])
@pytest.mark.parametrize("edge_budget", [0, 1, 4, 10, None])
@pytest.mark.parametrize("final_move", ["most-visits", "highest-mean"])
@pytest.mark.parametrize("exploration_scale", ["root-mean", "none"])
def test_cd_uct_equals_its_naive_twin_move_for_move(horizon, edge_budget, final_move, exploration_scale):
    check_that_both_agree(
        5,
        seed=11,
        problem=problem_of(5, edge_budget=edge_budget),
        horizon=horizon,
        final_move=final_move,
        exploration_scale=exploration_scale,
    )


@pytest.mark.parametrize("horizon", [1, 2])
@pytest.mark.parametrize("edge_budget", [1, 4, 10, None])
@pytest.mark.parametrize("keep", ["budget-size", "any-size"])
def test_with_the_rules_of_the_papers_runs_it_equals_its_naive_twin(horizon, edge_budget, keep):
    rules = {"horizon_ends": "rollouts", "calibration": "exploring", "keep": keep}
    problem = problem_of(5, edge_budget=edge_budget)
    check_that_both_agree(5, seed=11, problem=problem, horizon=horizon, sims_per_node=40, **rules)


@settings(max_examples=60, deadline=None)
@given(
    problem=budgeted_problems(),
    seed=st.integers(0, 10_000),
    sims_per_node=st.sampled_from([1, 3.3, 10]),
    horizon=st.sampled_from([None, 1, 2, 5]),
    exploration=st.sampled_from([0.0, 0.05, 1.0]),
    exploration_scale=st.sampled_from(["root-mean", "none"]),
    final_move=st.sampled_from(["most-visits", "highest-mean"]),
    horizon_ends=st.sampled_from(["simulations", "rollouts"]),
    calibration=st.sampled_from(["greedy", "exploring"]),
    keep=st.sampled_from(["budget-size", "any-size"]),
    n_restarts=st.sampled_from([1, 2]),
)
def test_cd_uct_equals_its_naive_twin_whatever_the_problem(problem, seed, **chosen):
    check_that_both_agree(problem.n_nodes, seed, problem, **chosen)


@pytest.mark.parametrize("edge_budget", [7, None])
def test_cd_uct_equals_its_naive_twin_with_several_words(edge_budget):
    allowed = np.zeros((70, 70), dtype=bool)
    allowed[np.ix_([0, 1, 63, 64, 65, 69], [0, 1, 63, 64, 65, 69])] = True
    problem = problem_of(70, frozenset({(69, 3), (3, 64), (1, 0)}), allowed, edge_budget=edge_budget)
    check_that_both_agree(70, seed=2, problem=problem, horizon=3, sims_per_node=0.5)


@pytest.mark.parametrize("edge_budget", [4, None])
def test_cd_uct_equals_its_naive_twin_with_equal_variances_and_penalties(edge_budget):
    score = EqualVarianceTable(5, 5)
    problem = problem_of(5, edge_budget=edge_budget)
    compiled, slow = run_both(score, score.reward_of_edges, problem, seed=3)
    assert naive.edges_of(compiled.adjacency) == slow.edges
    assert compiled.reward == pytest.approx(slow.reward, rel=1e-12)
    assert compiled.n_simulations == slow.n_simulations


@pytest.mark.parametrize(
    ("module", "constant", "value"),
    [(simulator, "_FIRST_TREE", 8), (simulator, "_FIRST_CHUNK", 7), (cache, "_FIRST_CAPACITY", 16)],
)
@pytest.mark.parametrize("edge_budget", [6, None])
def test_running_out_of_memory_on_the_way_changes_nothing(monkeypatch, module, constant, value, edge_budget):
    monkeypatch.setattr(module, constant, value)
    check_that_both_agree(6, seed=4, problem=problem_of(6, edge_budget=edge_budget))


# --- Users' own scores -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", SEARCHES)
@pytest.mark.parametrize("edge_budget", [4, None])
def test_a_local_score_and_the_same_score_of_whole_graphs_give_the_same_search(method, edge_budget):
    own = naive.TableScore(1, 5)
    models = [
        SEARCHES[method](score=score, edge_budget=edge_budget, random_state=3, **LIGHT.get(method, {})).fit(
            noise_table(5)
        )
        for score in (own, naive.WholeGraphScore(own))
    ]
    assert models[0].dag_.edges == models[1].dag_.edges
    assert models[0].reward_ == models[1].reward_ == own.reward_of_edges(naive.edges_of(models[0].dag_.adjacency))
    assert models[0].result_.n_simulations == models[1].result_.n_simulations


def test_a_local_score_is_asked_once_for_each_family():
    asked = []

    class Counting(naive.TableScore):
        def local(self, node, parents):
            asked.append((node, parents))
            return super().local(node, parents)

    model = CDUCT(score=Counting(1, 5), edge_budget=5, sims_per_node=10, random_state=0).fit(noise_table(5))
    assert len(asked) == len(set(asked)) == model.result_.n_score_evaluations


class StrangeError(Exception):
    pass


def raise_strangely():
    raise StrangeError("from the user's own code", 42)


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("method", ["cd-uct", "greedy", "random-search"])
@pytest.mark.parametrize("at_call", [1, 20])
def test_an_exception_in_a_users_score_comes_out_as_it_is(face, method, at_call):
    score = FACES[face](Faulty(at_call, raise_strangely))
    with pytest.raises(StrangeError) as failure:
        SEARCHES[method](score=score, edge_budget=8, random_state=0).fit(noise_table(6))
    assert failure.value.args == ("from the user's own code", 42)


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("method", ["cd-uct", "greedy", "random-search"])
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (math.nan, "must return a finite number, got nan"),
        (math.inf, "must return a finite number, got inf"),
        (-math.inf, "must return a finite number, got -inf"),
        ("high", "must return a number, got 'high'"),
        (None, "must return a number, got None"),
    ],
)
def test_an_answer_that_is_no_number_is_an_input_error_that_names_the_call(face, method, answer, message):
    score = FACES[face](Faulty(20, lambda: answer))
    with pytest.raises(InputError, match=f"your score's {face}") as refusal:
        SEARCHES[method](score=score, edge_budget=8, random_state=0).fit(noise_table(6))
    assert message in str(refusal.value)


# --- Greedy and random search ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("max_parents", "edge_budget"),
    [(None, 0), (None, 1), (None, 5), (None, 15), (None, None), (2, 5), (2, 9), (2, None)],
)
@pytest.mark.parametrize("seed", range(3))
def test_greedy_search_adds_the_best_edge_by_brute_force(edge_budget, seed, max_parents):
    own = naive.TableScore(seed, 6)
    problem = problem_of(6, edge_budget=edge_budget, max_parents=max_parents)
    found = greedy(problem, scores.adapt(own, 6), np.random.default_rng(0), Monitor())
    slow = naive_search.naive_greedy(naive.NaiveRules(6, None, max_parents), own.reward_of_edges, edge_budget)
    assert naive.edges_of(found.adjacency) == slow.edges
    assert found.reward == slow.reward


def test_greedy_search_breaks_ties_at_random():
    class Indifferent:
        def local(self, node, parents):  # noqa: ARG002
            return float(len(parents))

    first = {
        tuple(GreedySearch(score=Indifferent(), edge_budget=1, random_state=s).fit(noise_table(4)).dag_.edges)
        for s in range(60)
    }
    assert len(first) == 12


@pytest.mark.parametrize("edge_budget", [4, None])
@pytest.mark.parametrize("n_simulations", [1, 25])
def test_random_search_is_the_best_of_its_rollouts(edge_budget, n_simulations):
    own = naive.TableScore(7, 6)
    rng, rng_of_twin = (np.random.default_rng(5) for _ in range(2))
    problem = problem_of(6, edge_budget=edge_budget)
    found = random_search(problem, scores.adapt(own, 6), n_simulations, rng, Monitor())
    slow = naive_search.naive_random_search(
        naive.NaiveRules(6),
        own.reward_of_edges,
        rng_of_twin,
        edge_budget=edge_budget,
        n_simulations=n_simulations,
    )
    assert naive.edges_of(found.adjacency) == slow.edges
    assert found.reward == slow.reward
    assert found.n_simulations == n_simulations


def test_random_search_improves_with_more_rollouts():
    own = naive.TableScore(7, 6)
    rewards = [
        RandomSearch(score=own, edge_budget=7, sims_per_node=sims, random_state=1).fit(noise_table(6)).reward_
        for sims in (0.2, 2, 20, 200)
    ]
    assert rewards == sorted(rewards)
    assert rewards[0] < rewards[-1]


def test_random_sampling_is_one_rollout_of_random_search():
    own = naive.TableScore(7, 6)
    model = RandomSampling(score=own, edge_budget=7, random_state=1).fit(noise_table(6))
    rollout = random_search(problem_of(6, edge_budget=7), scores.adapt(own, 6), 1, np.random.default_rng(1), Monitor())
    np.testing.assert_array_equal(model.dag_.adjacency, rollout.adjacency)
    assert model.result_.n_simulations == 1


def test_rollouts_choose_stubs_uniformly_and_then_endpoints_uniformly():
    """From {1 -> 0}: stub 1 has the one endpoint 2, stubs 0 and 2 have one and two; not uniform over edges."""
    allowed = np.ones((3, 3), dtype=bool)
    problem = problem_of(3, edge_budget=2, start=frozenset({(1, 0)}), allowed=allowed)
    counts = dict.fromkeys([(0, 2), (1, 2), (2, 0), (2, 1)], 0)
    score = scores.adapt(naive.TableScore(0, 3), 3)
    for seed in range(1000):
        added = random_search(problem, score, 1, np.random.default_rng(seed), Monitor()).adjacency
        (edge,) = naive.edges_of(added) - {(1, 0)}
        counts[edge] += 1
    shares = [count / 1000 for count in counts.values()]
    assert shares == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=0.04)


# --- Optima ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("edge_budget", [1, 2, 3, 4, 5, 6, None])
@pytest.mark.parametrize("final_move", ["most-visits", "highest-mean"])
def test_cd_uct_with_enough_simulations_finds_the_best_dag_on_four_nodes(edge_budget, final_move):
    for seed in range(3):
        own = naive.TableScore(seed, 4)
        wanted = [edges for edges in DAGS[4] if edge_budget in (None, len(edges))]
        best = max(wanted, key=own.reward_of_edges)
        model = CDUCT(
            score=own,
            edge_budget=edge_budget,
            exploration=5.0,
            exploration_scale="none",
            final_move=final_move,
            refine="off" if edge_budget is None else "auto",
            rollout="uniform",
            random_state=seed,
        ).fit(noise_table(4))
        assert model.reward_ == own.reward_of_edges(best)
        assert naive.edges_of(model.dag_.adjacency) == best


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
def test_cd_uct_finds_the_best_dag_of_a_compiled_score(name):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(80, 4))
    x[:, 1] += x[:, 0] ** 2 - x[:, 3]
    x[:, 2] += x[:, 1] + x[:, 0]
    score = scores.make(name, x, penalty="parameters")
    best = max(score.reward_of(naive.adjacency_of(edges, 4)) for edges in DAGS[4])
    model = CDUCT(score=score, refine="off", random_state=0).fit(x)
    assert model.reward_ == pytest.approx(best, rel=1e-9)


# --- Seeds -----------------------------------------------------------------------------------------


def fitted(**changes):
    settings = {"edge_budget": 9, "sims_per_node": 3, "refine": "off", "random_state": 0, **changes}
    return CDUCT(score=naive.TableScore(3, 7), **settings).fit(noise_table(7))


@pytest.mark.parametrize("method", SEARCHES)
def test_one_seed_repeats(method):
    first, second = (
        SEARCHES[method](score=naive.TableScore(3, 7), edge_budget=9, random_state=8, **LIGHT.get(method, {})).fit(
            noise_table(7)
        )
        for _ in range(2)
    )
    assert first.dag_.edges == second.dag_.edges
    assert first.reward_ == second.reward_
    assert first.result_.seed == second.result_.seed == 8


def test_two_seeds_differ():
    assert len({tuple(fitted(random_state=seed).dag_.edges) for seed in range(5)}) > 1


def test_the_seed_of_an_unseeded_fit_repeats_it():
    unseeded = fitted(random_state=None)
    again = fitted(random_state=unseeded.result_.seed)
    assert unseeded.dag_.edges == again.dag_.edges


@pytest.mark.parametrize("edge_budget", [9, None])
@pytest.mark.parametrize("max_parents", [None, 2])
def test_incremental_and_traversal_tracking_find_the_same_graph(edge_budget, max_parents):
    options = {"edge_budget": edge_budget, "max_parents": max_parents}
    incremental, traversal = (fitted(cycle_tracking=tracking, **options) for tracking in ("incremental", "traversal"))
    assert incremental.dag_.edges == traversal.dag_.edges
    assert incremental.result_.n_simulations == traversal.result_.n_simulations


def test_a_search_on_a_warm_cache_finds_the_same_graph():
    score = scores.adapt(naive.TableScore(3, 7), 7)
    first, second = (
        CDUCT(score=score, edge_budget=9, sims_per_node=3, random_state=0).fit(noise_table(7)) for _ in range(2)
    )
    assert first.dag_.edges == second.dag_.edges
    assert second.result_.n_score_evaluations == 0


# edge budget: edges, reward, simulations
GOLDEN = {
    7: ([(0, 3), (0, 5), (1, 0), (3, 2), (4, 0), (4, 2), (5, 3)], 8.375, 1680),
    None: (
        [(0, 1), (0, 2), (0, 5), (1, 2), (1, 5), (3, 0), (3, 5), (4, 0), (4, 1), (4, 3), (4, 5), (5, 2)],
        9.7138671875,
        8880,
    ),
}


@pytest.mark.parametrize("edge_budget", GOLDEN)
def test_the_golden_run_is_what_it_was(edge_budget):
    model = CDUCT(
        score=naive.TableScore(2024, 6),
        edge_budget=edge_budget,
        sims_per_node=20,
        refine="off",
        rollout="uniform",
        n_restarts=1 if edge_budget else 4,
        random_state=7,
    ).fit(noise_table(6))
    edges, reward, n_simulations = GOLDEN[edge_budget]
    assert sorted(naive.edges_of(model.dag_.adjacency)) == edges
    assert model.reward_ == reward
    assert model.result_.n_simulations == n_simulations
