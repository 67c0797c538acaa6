"""The PC algorithm: the result of the package in our convention, knowledge, contradictions, and unfit tables."""

import subprocess
import sys

import numpy as np
import pytest
from common import discrete_table, linear_table, normal_table

import dagsearch as ds
from dagsearch.baselines import pc as module
from dagsearch.baselines.pc import pc
from dagsearch.errors import DataError, InputError, MissingExtraError, UnknownNameError

causallearn_pc = pytest.importorskip("causallearn.search.ConstraintBased.PC")

CYCLIC_SEED = 20


def collider_table(n_samples=3000):
    """x0 -> x3 <- x1 and x3 -> x2."""
    x = np.random.default_rng(0).normal(size=(n_samples, 4))
    x[:, 3] += x[:, 0] + x[:, 1]
    x[:, 2] += x[:, 3]
    return x


def chain_table(n_samples=2000):
    """x0 -> x1 -> x2."""
    x = np.random.default_rng(0).normal(size=(n_samples, 3))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1]
    return x


def graph_of(fit):
    return ds.PDAG(fit.adjacency)


def matrix(n_nodes, *edges):
    chosen = np.zeros((n_nodes, n_nodes), dtype=bool)
    for cause, effect in edges:
        chosen[cause, effect] = True
    return chosen


# ---------------------------------------------------------------- the package's own result


def edges_of_causal_learn(values, test, level):
    """Directed and undirected edges as the package prints them."""
    names = [f"v{j}" for j in range(values.shape[1])]
    graph = causallearn_pc.pc(values, level, test, node_names=names, show_progress=False).G
    directed, undirected = set(), set()
    for edge in graph.get_graph_edges():
        first, mark, second = str(edge).split()
        pair = int(first[1:]), int(second[1:])
        assert mark in ("-->", "---")
        (directed if mark == "-->" else undirected).add(pair if mark == "-->" else tuple(sorted(pair)))
    return directed, undirected


def check_against_the_package(values, test, level):
    fit = pc(values, test, level)
    directed, undirected = edges_of_causal_learn(values, test, level)
    if not fit.contradictory:
        assert set(map(tuple, np.argwhere(fit.directed).tolist())) == directed
        assert set(map(tuple, np.argwhere(np.triu(fit.undirected)).tolist())) == undirected
    return fit


@pytest.mark.parametrize("seed", range(12))
def test_continuous_tables_give_what_the_package_gives(seed):
    x = linear_table((50, 200, 1000)[seed % 3], 3 + seed % 6, seed)
    check_against_the_package(x, "fisherz", (0.05, 0.01)[seed % 2])


@pytest.mark.parametrize("seed", [3, 5, 6, 8])
def test_who_is_joined_does_not_depend_on_the_order_of_the_columns(seed):
    x = linear_table(200, 10, seed)
    order = np.random.default_rng(seed).permutation(10)
    joined, elsewhere = (fit.adjacency | fit.adjacency.T for fit in (pc(x, "fisherz"), pc(x[:, order], "fisherz")))
    np.testing.assert_array_equal(elsewhere, joined[np.ix_(order, order)])
    check_against_the_package(x, "fisherz", 0.05)


@pytest.mark.parametrize("test", ["gsq", "chisq"])
def test_discrete_tables_give_what_the_package_gives(test):
    truth = ds.DAG.from_edges([("a", "c"), ("b", "c"), ("c", "d"), ("e", "d"), ("e", "f")], names=list("abcdef"))
    for seed in range(3):
        check_against_the_package(discrete_table(truth, 2000, seed), test, 0.05)


def test_sachs_gives_what_the_package_gives():
    fit = check_against_the_package(ds.datasets.load("sachs").standardised(), "fisherz", 0.05)
    assert (fit.directed.sum(), np.triu(fit.undirected).sum(), fit.contradictory) == (2, 6, ())


def test_edges_point_from_cause_to_effect():
    graph = graph_of(pc(collider_table(), "fisherz"))
    assert graph.directed_edges == [("x0", "x3"), ("x1", "x3"), ("x3", "x2")]
    assert graph.undirected_edges == []


def test_a_chain_stays_undirected():
    graph = graph_of(pc(chain_table(), "fisherz"))
    assert graph.undirected_edges == [("x0", "x1"), ("x1", "x2")]
    assert graph.directed_edges == []


def test_columns_in_another_order_give_the_same_graph_in_that_order():
    x, order = collider_table(), [2, 0, 3, 1]
    np.testing.assert_array_equal(
        pc(x[:, order], "fisherz").adjacency, pc(x, "fisherz").adjacency[np.ix_(order, order)]
    )


def test_a_discrete_network_is_found_up_to_equivalence():
    truth = ds.DAG.from_edges([("a", "c"), ("b", "c"), ("c", "d")], names=list("abcde"))
    found = pc(discrete_table(truth, 20_000, seed=1), "gsq", level=0.01)
    assert ds.PDAG(found.adjacency, truth.names) == truth.to_cpdag()


def test_a_stricter_level_joins_no_more_pairs():
    x = linear_table(100, 6, seed=5)
    assert graph_of(pc(x, "fisherz", 1e-6)).n_edges < graph_of(pc(x, "fisherz", 0.2)).n_edges


def test_a_discrete_column_that_never_varies_is_isolated():
    codes = np.column_stack([chain_table() > 0, np.zeros(2000)]).astype(int)
    adjacency = pc(codes, "gsq").adjacency
    assert not adjacency[3].any()
    assert not adjacency[:, 3].any()


def test_tests_are_counted():
    assert pc(np.random.default_rng(0).normal(size=(500, 2)), "fisherz").n_tests in (1, 2)


# ---------------------------------------------------------------- contradictions


def test_marks_are_turned_with_the_tail_at_the_cause():
    marks = np.zeros((6, 6))
    marks[0, 1], marks[1, 0] = -1, 1
    marks[2, 3] = marks[3, 2] = -1
    marks[4, 5] = marks[5, 4] = 1
    directed, undirected, bidirected = module._marks_turned(marks)
    assert np.argwhere(directed).tolist() == [[0, 1]]
    assert np.argwhere(undirected).tolist() == [[2, 3], [3, 2]]
    assert np.argwhere(bidirected).tolist() == [[4, 5], [5, 4]]


def test_arrows_both_ways_and_arrows_in_a_circle_become_undirected_and_are_told(monkeypatch):
    marks = np.zeros((6, 6))
    for cause, effect in [(0, 1), (1, 2), (2, 0), (0, 3)]:
        marks[cause, effect], marks[effect, cause] = -1, 1
    marks[4, 5] = marks[5, 4] = 1
    monkeypatch.setattr(module, "_marks", lambda *_: (marks, module._Tally(7)))
    fit = pc(np.zeros((3, 6), dtype=int), "gsq")
    assert fit.contradictory == ((0, 1), (0, 2), (1, 2), (4, 5))
    graph = graph_of(fit)
    assert graph.directed_edges == [("x0", "x3")]
    assert graph.undirected_edges == [("x0", "x1"), ("x0", "x2"), ("x1", "x2"), ("x4", "x5")]


def test_a_cycle_that_tests_on_a_sample_give_is_dissolved():
    x = linear_table(1000, 8, CYCLIC_SEED)
    fit = pc(x, "fisherz")
    directed, _ = edges_of_causal_learn(x, "fisherz", 0.05)
    with pytest.raises(ds.CycleError):
        ds.PDAG.from_edges(directed, names=range(8))
    assert len(fit.contradictory) >= 3
    assert {tuple(sorted(edge)) for edge in directed} >= set(fit.contradictory)
    assert fit.undirected[tuple(np.transpose(fit.contradictory))].all()
    graph_of(fit)


# ---------------------------------------------------------------- knowledge


@pytest.mark.parametrize("seed", range(10))
def test_required_edges_are_there_and_ruled_out_ones_are_not(seed):
    x = linear_table(300, 7, seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(7)
    ahead = matrix(7, *[(order[i], order[j]) for i in range(7) for j in range(i + 1, 7)])
    required = ahead & (rng.random((7, 7)) < 0.15)
    apart = np.triu(rng.random((7, 7)) < 0.15)
    allowed = required | ~(apart | apart.T | required.T | (ahead.T & (rng.random((7, 7)) < 0.3)))
    fit = pc(x, "fisherz", allowed=allowed, required=required)
    assert fit.directed[required].all()
    assert not ((fit.directed | fit.undirected) & ~allowed).any()
    graph_of(fit)


def test_tiers_direct_what_the_data_leave_open():
    allowed = ~matrix(3, (1, 0), (2, 0), (2, 1))
    graph = graph_of(pc(chain_table(), "fisherz", allowed=allowed))
    assert graph.directed_edges == [("x0", "x1"), ("x1", "x2")]


def test_one_known_direction_directs_the_edges_behind_it():
    graph = graph_of(pc(chain_table(), "fisherz", required=matrix(3, (0, 1))))
    assert graph.directed_edges == [("x0", "x1"), ("x1", "x2")]


def test_a_required_edge_stays_though_the_data_speak_against_it():
    x = np.random.default_rng(3).normal(size=(1000, 4))
    graph = graph_of(pc(x, "fisherz", level=1e-4, required=matrix(4, (2, 1))))
    assert graph.directed_edges == [("x2", "x1")]
    assert graph.undirected_edges == []


def test_a_pair_that_knowledge_keeps_apart_makes_no_collider_of_a_chain():
    fit = pc(chain_table(), "fisherz", allowed=~matrix(3, (0, 2), (2, 0)))
    assert graph_of(fit).undirected_edges == [("x0", "x1"), ("x1", "x2")]
    x = chain_table()
    x[:, 2] += 0.5 * x[:, 0]
    fit = pc(x, "fisherz", allowed=~matrix(3, (0, 2), (2, 0)))
    assert graph_of(fit).undirected_edges == [("x0", "x1"), ("x1", "x2")]


def test_knowledge_that_says_nothing_changes_nothing():
    x = linear_table(300, 7, seed=2)
    nothing = {"allowed": np.ones((7, 7), dtype=bool), "required": np.zeros((7, 7), dtype=bool)}
    np.testing.assert_array_equal(pc(x, "fisherz", **nothing).adjacency, pc(x, "fisherz").adjacency)


def test_known_directions_on_a_cycle_stay_while_the_others_are_released():
    x = linear_table(1000, 8, CYCLIC_SEED)
    on_cycle = pc(x, "fisherz").contradictory
    directed, _ = edges_of_causal_learn(x, "fisherz", 0.05)
    known = next(edge for edge in sorted(directed) if tuple(sorted(edge)) in on_cycle)
    fit = pc(x, "fisherz", required=matrix(8, known))
    assert fit.directed[known]
    assert tuple(sorted(known)) not in fit.contradictory


def test_knowledge_that_leaves_only_a_cycle_is_refused():
    x = np.random.default_rng(0).normal(size=(500, 1)) + 0.5 * np.random.default_rng(1).normal(size=(500, 3))
    allowed = ~matrix(3, (1, 0), (2, 1), (0, 2))
    with pytest.raises(InputError, match="only directions that form a cycle among 'p', 'q', 'r'"):
        pc(x, "fisherz", allowed=allowed, names=["p", "q", "r"])


def test_knowledge_that_contradicts_itself_is_refused():
    with pytest.raises(InputError, match="required edges must be allowed"):
        pc(chain_table(), "fisherz", allowed=~matrix(3, (0, 1)), required=matrix(3, (0, 1)))
    with pytest.raises(InputError, match="in one direction only"):
        pc(chain_table(), "fisherz", required=matrix(3, (0, 1), (1, 0)))


# ---------------------------------------------------------------- columns that are the same


@pytest.mark.parametrize("test", ["fisherz", "gsq"])
@pytest.mark.parametrize("seed", range(5))
def test_a_copy_of_a_column_hangs_on_it_and_changes_nothing_else(test, seed):
    x = normal_table(400, 5, seed)
    if test == "gsq":
        x = (x > np.median(x, axis=0)).astype(int)
    alone = pc(x, test).adjacency
    with_copies = pc(np.column_stack([x, 3 - 2 * x[:, 1], x[:, 1], x[:, 4]]), test).adjacency
    joined = with_copies | with_copies.T
    np.testing.assert_array_equal(joined[:5, :5], alone | alone.T)
    assert [np.flatnonzero(row).tolist() for row in joined[5:]] == [[1], [1], [4]]


def test_a_required_edge_of_a_copy_stays():
    x = normal_table(300, 3)
    fit = pc(np.column_stack([x, x[:, 0]]), "fisherz", required=matrix(4, (3, 2)))
    assert fit.directed[3, 2]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda x: np.column_stack([x, x[:, 0] + x[:, 2]]), "'a', 'c', 'd' depend on each other"),
        (lambda x: np.column_stack([x, np.full(len(x), 0.1)]), "columns that vary, constant: 'd'; drop them"),
        (lambda x: x[:4], "at least 5 rows for 3 columns, got 4"),
    ],
)
def test_tables_that_cannot_be_tested_are_refused_by_column(spoil, message):
    spoilt = spoil(np.random.default_rng(0).normal(size=(200, 3)))
    with pytest.raises(DataError, match=message):
        pc(spoilt, "fisherz", names=list("abcd")[: spoilt.shape[1]])


def test_the_fewest_rows_that_are_taken_are_enough():
    for seed in range(20):
        pc(np.random.default_rng(seed).normal(size=(8, 6)), "fisherz", level=0.9)


def test_unknown_tests_and_levels_are_refused():
    with pytest.raises(UnknownNameError, match=r"unknown test 'fisher'.*Did you mean 'fisherz'"):
        pc(chain_table(), "fisher")
    for level in (0.0, 1.0, np.nan):
        with pytest.raises(InputError, match="level must be a number between 0 and 1"):
            pc(chain_table(), "fisherz", level)


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "causallearn.utils.cit", None)
    with pytest.raises(MissingExtraError, match=r"PC needs .* pip install '\.\[baselines\]'"):
        pc(chain_table(), "fisherz")


QUIET = """
import os, random, sys, warnings
import numpy as np, scipy.stats, sklearn.gaussian_process
from dagsearch.baselines.pc import pc
assert "causallearn" not in sys.modules
def state():
    return list(warnings.filters), np.geterr(), random.getstate(), np.random.get_state()[1].tolist(), dict(os.environ)
before = state()
pc(np.random.default_rng(0).normal(size=(50, 3)), "fisherz")
assert "causallearn" in sys.modules
assert state() == before
import matplotlib
assert matplotlib.get_backend(auto_select=False) is None
"""


@pytest.mark.long
def test_the_package_is_imported_late_and_quietly_and_changes_nothing():
    ran = subprocess.run([sys.executable, "-W", "default", "-c", QUIET], check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
