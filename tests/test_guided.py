"""Guided rollouts and PUCT: against a slow twin, and against plain formulas."""

import functools
import itertools
import math
from collections import Counter

import naive
import numpy as np
import pytest
import scipy.stats
from common import EqualVarianceTable, discrete_frame, normal_table
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_guided import UNIFORM_SHARE, GuidedSearch, NaiveGuide, best_by_puct, naive_guided_cd_uct
from search_problems import budgeted_problems, problem_of

from dagsearch import scores
from dagsearch.graph.bitset import membership_from_rows
from dagsearch.kernels.local import LINEAR, OUTSIDE
from dagsearch.scores import cache
from dagsearch.search import guidance, simulator
from dagsearch.search.cd_uct import CDUCTSettings, cd_uct
from dagsearch.search.guidance import Guidance
from dagsearch.search.monitor import Monitor
from dagsearch.search.process import legal_edges
from dagsearch.search.simulator import Simulator

BOTH = ["ucb1", "puct"]
COMPILED = [
    ("bic-linear", {}),
    ("bic-linear", {"variances": "equal"}),
    ("bic-quadratic", {}),
    ("bic-quadratic", {"variances": "equal"}),
    ("bic-discrete", {}),
    ("bdeu", {}),
]


def made(name, chosen, seed=0, n_nodes=6):
    table = discrete_frame(300, n_nodes, seed) if name in ("bic-discrete", "bdeu") else normal_table(60, n_nodes, seed)
    return scores.make(name, table, **chosen)


def guide_of(own, problem, **chosen):
    """A twin's guide for a user's score, or for one of compiled code."""
    if isinstance(own, scores.Score):
        terms = functools.cache(lambda node, parents: tuple(own._term(node, list(parents)).tolist()))
        code = own.family.code
        chosen |= {"equal_variances": own.equal_variances, "evaluates": code != OUTSIDE, "at_once": code == LINEAR}
        return NaiveGuide(terms, most_edges=problem.max_edges, **chosen)
    return NaiveGuide(lambda node, parents: (own.local(node, parents), 0.0), most_edges=problem.max_edges, **chosen)


def reward_by(guide, n_nodes):
    """Reward of edges from a guide's terms."""

    def reward(edges):
        terms = [guide.terms(node, naive.parents_of(edges, node)) for node in range(n_nodes)]
        value, penalty = (math.fsum(column) for column in zip(*terms, strict=True))
        return -math.log(value + 1e-8) - penalty if guide.equal_variances else value - penalty

    return reward


def run_both(score, guide, problem, seed, **chosen):
    """The compiled and the naive search with the same settings and seed."""
    options = {
        "sims_per_node": 3,
        "horizon": None,
        "exploration": 0.2,
        "exploration_scale": "root-mean",
        "final_move": "most-visits",
        "n_restarts": 1,
        **chosen,
    }
    tree_policy = "puct" if guide.has_prior else "ucb1"
    guided = CDUCTSettings(rollout="guided", tree_policy=tree_policy, temperature=guide.temperature, **options)
    compiled = cd_uct(problem, score, guided, np.random.default_rng(seed), Monitor())
    rules = naive.NaiveRules(problem.n_nodes, problem.allowed, problem.max_parents)
    options |= {"edge_budget": problem.edge_budget, "start": naive.edges_of(problem.start)}
    reward = functools.cache(reward_by(guide, problem.n_nodes))
    return compiled, naive_guided_cd_uct(rules, reward, guide, np.random.default_rng(seed), **options)


def check_that_both_agree(problem, seed, tree_policy, temperature=0.3, n_candidates=24, **chosen):
    own, d = naive.TableScore(seed, problem.n_nodes), problem.n_nodes
    score = scores.adapt(own, d)
    guide = guide_of(own, problem, temperature=temperature, has_prior=tree_policy == "puct", n_candidates=n_candidates)
    compiled, slow = run_both(score, guide, problem, seed, **chosen)
    assert naive.edges_of(compiled.adjacency) == slow.edges
    assert compiled.reward == slow.reward == own.reward_of_edges(slow.edges)
    assert compiled.n_simulations == slow.n_simulations
    assert compiled.n_calibration_simulations == slow.n_calibration_simulations
    assert score.n_evaluations == len(guide.known)


# ---------------------------------------------------------------- against the naive twin


@pytest.mark.parametrize("tree_policy", BOTH)
@pytest.mark.parametrize(("edge_budget", "horizon"), [(None, None), (None, 2), (0, None), (1, 3), (4, 2), (10, None)])
@pytest.mark.parametrize("final_move", ["most-visits", "highest-mean"])
def test_guided_searches_equal_their_naive_twin_move_for_move(edge_budget, horizon, final_move, tree_policy):
    problem = problem_of(5, edge_budget=edge_budget)
    check_that_both_agree(problem, 11, tree_policy, horizon=horizon, final_move=final_move)


@settings(max_examples=40, deadline=None)
@given(
    problem=budgeted_problems(),
    seed=st.integers(0, 10_000),
    tree_policy=st.sampled_from(BOTH),
    temperature=st.sampled_from([0.02, 0.1, 1.0, 50.0]),
    sims_per_node=st.sampled_from([0.1, 1, 3.3]),
    horizon=st.sampled_from([None, 1, 2, 5]),
    exploration=st.sampled_from([0.0, 0.05, 1.0]),
    exploration_scale=st.sampled_from(["root-mean", "none"]),
    n_restarts=st.sampled_from([1, 2]),
)
def test_guided_searches_equal_their_naive_twin_whatever_the_problem(problem, seed, tree_policy, temperature, **chosen):
    check_that_both_agree(problem, seed, tree_policy, temperature, **chosen)


@pytest.mark.parametrize("tree_policy", BOTH)
@pytest.mark.parametrize("edge_budget", [7, None])
def test_guided_searches_equal_their_naive_twin_with_several_words(edge_budget, tree_policy):
    allowed = np.zeros((70, 70), dtype=bool)
    allowed[np.ix_([0, 1, 63, 64, 65, 69], [0, 1, 63, 64, 65, 69])] = True
    problem = problem_of(70, frozenset({(69, 3), (3, 64), (1, 0)}), allowed, edge_budget=edge_budget)
    check_that_both_agree(problem, 2, tree_policy, horizon=3, sims_per_node=0.1)


@pytest.mark.parametrize("tree_policy", BOTH)
@pytest.mark.parametrize("edge_budget", [7, None])
def test_only_the_best_candidates_are_looked_up_again(monkeypatch, edge_budget, tree_policy):
    monkeypatch.setattr(guidance, "N_CANDIDATES", 2)
    for seed in range(2):
        check_that_both_agree(problem_of(6, edge_budget=edge_budget), seed, tree_policy, n_candidates=2)


@pytest.mark.parametrize(
    ("module", "constant", "value"),
    [(simulator, "_FIRST_TREE", 8), (simulator, "_FIRST_CHUNK", 7), (cache, "_FIRST_CAPACITY", 16)],
)
@pytest.mark.parametrize("tree_policy", BOTH)
def test_running_out_of_memory_on_the_way_changes_nothing(monkeypatch, module, constant, value, tree_policy):
    monkeypatch.setattr(module, constant, value)
    for edge_budget in (6, None):
        check_that_both_agree(problem_of(6, edge_budget=edge_budget), 4, tree_policy)


@pytest.mark.parametrize("tree_policy", BOTH)
@pytest.mark.parametrize("name", ["bic-linear", "bic-discrete"])
def test_emptying_the_memo_on_the_way_changes_nothing(monkeypatch, name, tree_policy):
    def found():
        score = made(name, {}, n_nodes=8)
        guided = CDUCTSettings(5, 3, 0.2, "root-mean", "most-visits", 1, False, "guided", tree_policy, 0.3)
        outcome = cd_uct(problem_of(8), score, guided, np.random.default_rng(0), Monitor())
        return naive.edges_of(outcome.adjacency), outcome.reward, outcome.n_simulations, score.cache

    whole = found()
    monkeypatch.setattr(cache, "_FIRST_CAPACITY", 16)
    monkeypatch.setattr(cache, "_MAX_BYTES", 0)
    emptied = found()
    assert emptied[:3] == whole[:3]
    assert emptied[3]._n_not_here > 0


@pytest.mark.parametrize("tree_policy", BOTH)
@pytest.mark.parametrize("edge_budget", [4, None])
def test_guided_searches_equal_their_naive_twin_with_equal_variances_and_penalties(edge_budget, tree_policy):
    score, problem = EqualVarianceTable(5, 5), problem_of(5, edge_budget=edge_budget)
    guide = guide_of(score, problem, temperature=0.3, has_prior=tree_policy == "puct")
    compiled, slow = run_both(score, guide, problem, seed=3)
    assert naive.edges_of(compiled.adjacency) == slow.edges
    assert compiled.reward == pytest.approx(slow.reward, rel=1e-12)
    assert compiled.n_simulations == slow.n_simulations


@pytest.mark.parametrize("tree_policy", BOTH)
@pytest.mark.parametrize("edge_budget", [6, None])
@pytest.mark.parametrize(("name", "chosen"), COMPILED)
def test_compiled_scores_lead_to_the_reward_of_the_naive_twin(name, chosen, edge_budget, tree_policy):
    """Graphs of the same reward, of which these scores make many, may differ by how sums are rounded."""
    problem = problem_of(6, frozenset({(5, 0)}), edge_budget=edge_budget, max_parents=3)
    guide = guide_of(made(name, chosen), problem, temperature=0.3, has_prior=tree_policy == "puct")
    compiled, slow = run_both(made(name, chosen), guide, problem, seed=1, sims_per_node=1, horizon=4)
    assert compiled.reward == pytest.approx(slow.reward, abs=1e-9)
    assert compiled.n_simulations == slow.n_simulations
    if name == "bic-quadratic":  # no two of its graphs are equivalent
        assert naive.edges_of(compiled.adjacency) == slow.edges


class Step:
    """A search whose simulations are run one by one."""

    def __init__(self, score, problem, temperature=0.3, uses_prior=False, seed=5):
        self.guidance = Guidance(problem, score, temperature)
        self.simulator = Simulator(problem, score, seed, Monitor(), None, self.guidance, uses_prior)

    def first(self, exploration=0.5):
        """A simulation below a new tree; returns its edges in order."""
        self.simulator.simulate(1, exploration)
        return self.edges

    def next(self):
        """Another one in the same tree."""
        control = self.simulator._control
        control["n_target"] = control["n_done"] + 1
        self.simulator._run_to_target(int(control["n_done"]))
        return self.edges

    @property
    def edges(self):
        search = self.simulator._search
        n_added = int(search.control[0]["n_added"])
        return list(zip(search.causes[:n_added].tolist(), search.effects[:n_added].tolist(), strict=True))

    @property
    def root(self):
        search = self.simulator._search
        return naive.edges_of(membership_from_rows(search.root.parents, search.root_terms.shape[0]).T)


@pytest.mark.parametrize("edge_budget", [6, None])
@pytest.mark.parametrize(("name", "chosen"), COMPILED)
def test_weights_after_each_simulation_are_those_of_the_naive_twin(name, chosen, edge_budget):
    problem = problem_of(6, frozenset({(5, 0)}), edge_budget=edge_budget, max_parents=3)
    guide = guide_of(made(name, chosen), problem, temperature=0.3)
    rules, start = naive.NaiveRules(6, problem.allowed, 3), naive.edges_of(problem.start)
    slow = GuidedSearch(rules, start, edge_budget, reward_by(guide, 6), 5, guide=guide)
    step, graphs = Step(made(name, chosen), problem), []
    slow._back_up = lambda _path, built: graphs.append(built)
    for _ in range(30):
        edges = step.first()
        slow.simulate(1, None, 0.5)
        assert edges == [next(iter(b - a)) for a, b in itertools.pairwise(graphs[-1])]
        np.testing.assert_allclose(step.guidance.guide.weights, slow.weights, rtol=1e-6)
        assert int(step.simulator._search.random[0]) == slow.random.state


# ---------------------------------------------------------------- weights by plain formulas


def gain(score, edges, edge):
    """What an edge gains in a graph."""
    longer, shorter = (naive.adjacency_of(graph, score.n_nodes) for graph in (edges | {edge}, edges))
    return score.reward_of(longer) - score.reward_of(shorter)


def test_edges_are_drawn_by_the_softmax_over_their_gains():
    """A uniform stub of the tree, its endpoint by weight, then a second edge by what all gain after the first."""
    score, temperature, d = made("bic-linear", {}, n_nodes=4), 2.0, 4
    rules, nothing = naive.NaiveRules(d), frozenset()
    top = max(gain(score, nothing, edge) for edge in naive.legal_pairs(rules, nothing))

    def weights(edges, of_edges):
        by_edge = {edge: math.exp((gain(score, edges, edge) - top) / (temperature * top)) for edge in of_edges}
        return {edge: weight / sum(by_edge.values()) for edge, weight in by_edge.items()}

    expected = {}
    for i in range(d):
        for first, share in weights(nothing, [(i, j) for j in range(d) if j != i]).items():
            edges = frozenset({first})
            for second, its_share in weights(edges, list(naive.legal_pairs(rules, edges))).items():
                expected[first, second] = share * its_share / d
    step = Step(score, problem_of(d, edge_budget=2), temperature)
    n_drawn = 12_000
    counts = Counter(tuple(step.first()) for _ in range(n_drawn))
    assert set(counts) <= set(expected)
    assert min(expected.values()) * n_drawn > 5
    pairs = sorted(expected)
    observed, wanted = [counts[pair] for pair in pairs], [n_drawn * expected[pair] for pair in pairs]
    assert scipy.stats.chisquare(observed, wanted).pvalue > 0.001


@pytest.mark.parametrize("temperature", [1e-3, 1e-9, 1e-320])
@pytest.mark.parametrize("name", ["bic-linear", "bic-discrete"])
def test_near_temperature_zero_rollouts_are_greedy(name, temperature):
    score, rules = made(name, {}, n_nodes=7), naive.NaiveRules(7)
    step = Step(score, problem_of(7), temperature)
    as_good = 0.02 * max(gain(score, frozenset(), edge) for edge in naive.legal_pairs(rules, frozenset()))
    for _ in range(10):
        edges = frozenset()
        for k, edge in enumerate(step.first()):
            if k > 0:  # the first one is of the tree
                gains = [gain(score, edges, other) for other in naive.legal_pairs(rules, edges)]
                assert gain(score, edges, edge) > max(gains) - as_good
            edges |= {edge}
        assert all(gain(score, edges, other) < 1e-9 for other in naive.legal_pairs(rules, edges))


@pytest.mark.parametrize("uses_prior", [False, True])
@pytest.mark.parametrize(("name", "chosen"), [case for case in COMPILED if not case[1]])
def test_without_a_budget_rollouts_draw_what_pays_and_end_where_nothing_does(name, chosen, uses_prior):
    score, rules = made(name, chosen), naive.NaiveRules(6)
    step = Step(score, problem_of(6), 1.0, uses_prior)
    for _ in range(40):
        edges, added = frozenset(), step.first()
        for k, edge in enumerate(added):
            assert k == 0 or gain(score, edges, edge) > -1e-12
            edges |= {edge}
        assert len(added) > 1
        assert all(gain(score, edges, other) < 1e-9 for other in naive.legal_pairs(rules, edges))


@pytest.mark.parametrize("uses_prior", [False, True])
@pytest.mark.parametrize("edge_budget", [1, 6, 15])
def test_with_a_budget_rollouts_spend_it_even_if_nothing_pays(edge_budget, uses_prior):
    class Costly:
        def local(self, node, parents):
            return -float(len(parents) ** 2 * (1 + node))

    step = Step(scores.adapt(Costly(), 6), problem_of(6, edge_budget=edge_budget), 0.1, uses_prior)
    for _ in range(40):
        edges = step.first()
        assert len(set(edges)) == len(edges) == edge_budget
        assert naive.is_acyclic(frozenset(edges))


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
def test_with_equal_variances_gains_are_those_of_the_tangent(name):
    score, problem = made(name, {"variances": "equal"}), problem_of(6)
    step = Step(score, problem)
    learnt = range(6)
    for action in (None, 0, 1, 3, 4):  # two edges are added at the root, and only their effects are learnt again
        if action is not None:
            step.simulator.move(action)
        step.first()
        root = naive.adjacency_of(step.root, 6)
        terms = score.terms(np.arange(6), step.simulator._search.root.parents)
        learnt = learnt if action in (None, 0, 3) else [action]
        legal = legal_edges(step.simulator._search.root, 6)
        for i, j in np.argwhere(legal):
            if j in learnt:
                longer = root.copy()
                longer[i, j] = 1
                value, penalty = (score._term(j, np.flatnonzero(longer[:, j]).tolist()) - terms[j]).tolist()
                values, penalties = terms.sum(axis=0)
                small = 1e-5
                change = score.combine(values + small * value, penalties + small * penalty)
                slope = (change - score.combine(values - small * value, penalties - small * penalty)) / (2 * small)
                assert step.guidance.guide.gains[j, i] == pytest.approx(slope, rel=1e-6, abs=1e-9)


# ---------------------------------------------------------------- PUCT


@pytest.mark.parametrize("edge_budget", [6, None])
def test_puct_visits_the_child_with_the_largest_value_of_all_whether_in_the_tree_or_not(edge_budget):
    step = Step(made("bic-quadratic", {}), problem_of(6, edge_budget=edge_budget), 0.3, uses_prior=True)
    step.first(exploration=1.0)
    n_new = 0
    for _ in range(100):
        tree = step.simulator._search.tree
        first, n, known = (int(tree[k][0]) for k in range(3))
        children = list(zip(tree.mean[first : first + known], tree.visits[first : first + known], strict=True))
        priors = tree.prior[first : first + n].tolist()
        wanted = best_by_puct(float(tree.mean[0]), int(tree.visits[0]), children, priors, 1.0)
        step.next()
        visits = step.simulator._search.tree.visits[first : first + n]
        assert visits[wanted] == (children[wanted][1] if wanted < known else 0) + 1
        n_new += wanted >= known
    assert 0 < n_new < 6


@pytest.mark.parametrize("edge_budget", [6, None])
def test_priors_descend_sum_to_one_and_rule_nothing_out(edge_budget):
    step = Step(made("bic-discrete", {}), problem_of(6, edge_budget=edge_budget), 0.1, uses_prior=True)
    step.first(exploration=1.0)
    for _ in range(100):
        step.next()
    tree = step.simulator._search.tree
    n_opened = 0
    for node in range(int(tree.size[0])):
        is_known = node == 0 or tree.visits[node] > 0
        if is_known and tree.first_child[node] > 0 and tree.n_actions[node] > 0:
            priors = tree.prior[tree.first_child[node] :][: tree.n_actions[node]]
            n_opened += 1
            assert priors.sum() == pytest.approx(1.0, abs=1e-12)
            assert (np.diff(priors) <= 0.0).all()
            assert priors.min() >= UNIFORM_SHARE / len(priors) * (1 - 1e-12)
    assert n_opened > 20
    first = step.guidance.guide.root_weights.sum(axis=0)  # by cause
    shares = (1 - UNIFORM_SHARE) * first / first.sum() + UNIFORM_SHARE / 6
    block = slice(int(tree.first_child[0]), int(tree.first_child[0]) + 6)
    assert dict(zip(tree.action[block].tolist(), tree.prior[block], strict=True)) == pytest.approx(
        dict(enumerate(shares)), rel=1e-9
    )
