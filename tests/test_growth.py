"""Branches of the trees of parent sets: local scores with one parent more, fewer or another one, against the scores."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from common import normal_table
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from search_problems import problem_of

from dagsearch import scores
from dagsearch.graph.bitset import row_of
from dagsearch.kernels.forest import ADDITIONS, EXCHANGES, NEGLIGIBLE, NOBODY, UNKNOWN
from dagsearch.kernels.local import LOG_FLOOR
from dagsearch.search.forest import ParentTrees
from dagsearch.search.order_climb import OrderClimb

EXACT = 1e-9


def grown(problem, score, n_orders=3, **changes):
    """The trees after searches from a few orders, which look at many sets of parents."""
    trees = ParentTrees(problem, score, **changes)
    rng = np.random.default_rng(0)
    required = [(int(cause), int(effect)) for cause, effect in np.argwhere(problem.start)]
    for seed in range(n_orders):
        order = rng.permutation(problem.n_nodes).tolist()
        while late := [edge for edge in required if order.index(edge[0]) > order.index(edge[1])]:
            order.remove(late[0][0])
            order.insert(order.index(late[0][1]), late[0][0])
        OrderClimb(trees, np.array(order), seed, 2, problem.n_nodes, lambda _reward: None).run()
    return trees


def found_steps(trees, tree_node, kind):
    """What is known of a set, as {(added, dropped): value}; None if nobody asked. Branches come best first."""
    start, n_branches = trees.forest.lists[tree_node, kind].tolist()
    if start == UNKNOWN:
        return None
    branches = trees.forest.branches[start : start + n_branches]
    assert (np.diff(branches["value"]) <= 0).all()
    steps = {(int(b["added"]), int(b["dropped"])): float(b["value"]) for b in branches}
    assert len(steps) == n_branches
    return steps


def all_additions(local, node, parents, others):
    return {(c, NOBODY): local(node, parents | {c}) for c in others}


def all_exchanges(local, node, parents, free, others):
    """Drops, and for each variable that comes in the best exchange."""
    steps = {(NOBODY, p): local(node, parents - {p}) for p in free}
    for c in others:
        values = {p: local(node, parents - {p} | {c}) for p in free}
        if values:
            best = max(values, key=values.get)
            steps[c, best] = values[best]
    return steps


def same_steps(found, expected, least, tolerance):
    """Whether all that pays was found, and nothing else, with the right values."""
    for (added, _dropped), value in found.items():
        assert value > least
        # Of two parents that are as good to take the place of, either may go.
        alike = [other for (coming, _), other in expected.items() if coming == added]
        assert any(value == pytest.approx(other, abs=tolerance) for other in alike)
    if tolerance == EXACT:
        for (added, dropped), value in expected.items():
            if value > least + tolerance and added == NOBODY:
                assert found[added, dropped] == pytest.approx(value, abs=tolerance)
            elif value > least + tolerance:
                (of_added,) = (other for (coming, _), other in found.items() if coming == added)
                assert of_added == pytest.approx(value, abs=tolerance)


def check_branches(trees, problem, local, tolerance=EXACT):
    """Compare all branches with local scores from elsewhere; returns how many additions and exchanges pay."""
    n_paying = [0, 0]
    everybody = set(range(problem.n_nodes))
    for tree_node in range(int(trees.forest.books["n_tree_nodes"][0])):
        node, members = trees._owner_and_members(tree_node)
        parents, required = set(np.flatnonzero(members).tolist()), set(np.flatnonzero(problem.start[:, node]).tolist())
        others = {c for c in everybody - parents - {node} if problem.allowed[c, node]}
        value = float(trees.forest.nodes["value"][tree_node])
        assert value == pytest.approx(local(node, parents), abs=tolerance)
        assert int(trees.forest.nodes["n_parents"][tree_node]) == len(parents) <= problem.max_parents
        assert required <= parents
        swaps_with = others if trees.forest.books["exchanges"][0] else set()
        expected = (
            all_additions(local, node, parents, others),
            all_exchanges(local, node, parents, parents - required, swaps_with),
        )
        for kind in (ADDITIONS, EXCHANGES):
            found = found_steps(trees, tree_node, kind)
            if found is not None:
                same_steps(found, expected[kind], value + NEGLIGIBLE, tolerance)
                n_paying[kind] += len(found)
    return n_paying


def checked(score, problem=None, n_orders=3, tolerance=EXACT):
    """`check_branches` of searches by a score, against its own local scores."""
    problem = problem or problem_of(score.n_nodes)
    return check_branches(grown(problem, score, n_orders), problem, score.local, tolerance)


# ---------------------------------------------------------------- regression

SETTINGS = [
    {"penalty": "edges"},
    {"penalty": "parameters"},
    {"penalty": "extended"},
    {"penalty": "parameters", "min_effect": 0.02},
    {"penalty": "extended", "min_effect": 0.1},
]


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
@pytest.mark.parametrize("chosen", SETTINGS, ids=str)
def test_branches_of_regressions_are_local_scores_and_none_that_pays_is_missing(name, chosen):
    n_additions, _ = checked(scores.make(name, normal_table(150, 8, seed=1), **chosen))
    assert n_additions > 100


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
def test_parents_that_others_make_needless_are_dropped(name):
    rng = np.random.default_rng(4)
    causes = rng.normal(size=(300, 6))
    pairs = causes[:, ::2] + causes[:, 1::2] + 0.3 * rng.normal(size=(300, 3))
    sums = causes.sum(axis=1, keepdims=True) + 0.3 * rng.normal(size=(300, 1))
    score = scores.make(name, np.hstack([causes, pairs, sums]))
    n_additions, n_drops = checked(score, n_orders=6)
    assert n_additions > 100
    assert n_drops > 3


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
def test_required_parents_stay_and_forbidden_ones_are_not_looked_at(name):
    rng = np.random.default_rng(3)
    start = frozenset({(6, 7), (5, 7), (0, 3)})
    allowed = rng.random((8, 8)) < 0.7
    for cause, effect in start:
        allowed[cause, effect] = True
    problem = problem_of(8, start, allowed, max_parents=3)
    n_additions, _ = checked(scores.make(name, normal_table(150, 8, seed=2)), problem)
    assert n_additions > 30


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
@pytest.mark.parametrize("penalty", ["edges", "parameters"])
def test_with_equal_variances_branches_are_values_on_the_scale_that_was_given(name, penalty):
    score = scores.make(name, normal_table(150, 7, seed=5), variances="equal", penalty=penalty)
    scale = -0.3

    def local(node, parents):
        value, penalty = score.terms(np.array([node]), row_of(sorted(parents), 7))[0]
        return float(scale * value - penalty)

    problem = problem_of(7)
    n_additions, _ = check_branches(grown(problem, score, scale=scale), problem, local)
    assert n_additions > 50


def test_linear_branches_are_those_of_least_squares():
    x = normal_table(120, 6, seed=7)

    def local(node, parents):
        columns = np.column_stack([np.ones(len(x)), x[:, sorted(parents)]])
        left = x[:, node] - columns @ np.linalg.lstsq(columns, x[:, node], rcond=None)[0]
        return -math.log(left.var() / x[:, node].var() + LOG_FLOOR) - len(parents) * math.log(120) / 120

    problem = problem_of(6)
    n_additions, _ = check_branches(grown(problem, scores.make("bic-linear", x)), problem, local)
    assert n_additions > 30


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
@pytest.mark.parametrize("penalty", ["edges", "parameters"])
def test_columns_that_others_determine_leave_all_values_finite(name, penalty):
    """Beside the floor of the logarithm, a residual of rounding shows in the seventh digit."""
    x = normal_table(80, 5, seed=8)
    x = np.column_stack([x, x[:, 0], x[:, 1] + x[:, 2], x[:, 3] * x[:, 4]])
    checked(scores.make(name, x, penalty=penalty), tolerance=1e-3)
    trees = grown(problem_of(8), scores.make(name, x, penalty=penalty))
    n_tree_nodes, n_branches = (int(trees.forest.books[what][0]) for what in ("n_tree_nodes", "n_branches"))
    assert np.isfinite(trees.forest.nodes["value"][:n_tree_nodes]).all()
    assert np.isfinite(trees.forest.branches["value"][:n_branches]).all()


# ---------------------------------------------------------------- counts


def dependent_codes(n_samples, n_levels, seed=0, noise=0.4):
    """Discrete columns with these many levels, each depending on the two before."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.integers(0, r, n_samples) for r in n_levels])
    for j in range(1, len(n_levels)):
        follows = rng.random(n_samples) > noise
        x[:, j] = np.where(follows, x[:, j - 1] + x[:, max(j - 2, 0)], x[:, j]) % n_levels[j]
    return pd.DataFrame(x.astype(str), columns=[f"x{j}" for j in range(len(n_levels))])


# Bits of 64 rows are counted at a time where cells are few and distinct rows many.
TABLES = {
    "rows that repeat": (400, [2, 2, 3, 2]),
    "many distinct rows": (2000, [2] * 11),
    "a constant column": (200, [3, 1, 4, 2, 3]),
    "columns of many levels": (2000, [12, 3, 20, 2, 9]),
    "one word of bits": (64, [2, 3, 2, 4, 2, 3]),
}


@pytest.mark.parametrize("name", ["bic-discrete", "bdeu"])
@pytest.mark.parametrize("table", TABLES)
def test_branches_of_counts_are_local_scores_and_none_that_pays_is_missing(name, table):
    n_samples, n_levels = TABLES[table]
    n_additions, _ = checked(scores.make(name, dependent_codes(n_samples, n_levels, noise=0.1)), n_orders=2)
    assert n_additions > 5


@pytest.mark.parametrize("name", ["bic-discrete", "bdeu"])
def test_three_rows_are_enough_to_count(name):
    checked(scores.make(name, pd.DataFrame({"a": list("nny"), "b": list("nyn"), "c": list("nyy"), "d": list("nnn")})))


@pytest.mark.parametrize("name", ["bic-discrete", "bdeu"])
def test_exchanges_and_drops_of_counts_are_local_scores(name):
    n_exchanges = 0
    for seed in range(3):
        table = dependent_codes(500, [2, 3, 2, 2, 3, 2, 2], seed, noise=0.2)
        n_exchanges += checked(scores.make(name, table), problem_of(7, max_parents=3), n_orders=4)[EXCHANGES]
    assert n_exchanges > 5


@pytest.mark.parametrize("name", ["bic-discrete", "bdeu"])
def test_levels_that_could_be_but_are_not_count_in_branches_as_in_local_scores(name):
    table = dependent_codes(400, [2, 3, 2, 4, 2])
    free = checked(scores.make(name, table))
    assert checked(scores.make(name, table, levels={"x0": 9, "x3": 30})) != free


def test_tables_too_large_for_the_scratch_are_counted_all_the_same():
    """With two required parents of sixty levels, a third one takes more room than there is, one of few not."""
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.integers(0, 60, (300, 5)), rng.integers(0, 2, 300), np.zeros(300, dtype=np.int64)])
    x[:, 4] = (x[:, 0] + x[:, 1] + x[:, 2] + 7 * x[:, 5]) % 60
    table = pd.DataFrame(x.astype(str), columns=list("abcdefg"))
    problem = problem_of(7, frozenset({(0, 4), (1, 4)}))
    for sample_size in (1.0, 1e4, 1e8):
        score = scores.make("bdeu", table, sample_size=sample_size)
        assert checked(score, problem, n_orders=2)[ADDITIONS] > 0
    assert grown(problem, score).growth.table.shape[0] < len(np.unique(x[:, :2], axis=0)) * 60 * 60


@st.composite
def any_codes(draw):
    """Discrete tables of any shape: constant columns, repeated rows and columns, few rows."""
    n_samples, n_nodes = draw(st.integers(3, 200)), draw(st.integers(2, 6))
    n_levels = draw(st.lists(st.integers(1, 9), min_size=n_nodes, max_size=n_nodes))
    noise = draw(st.sampled_from([0.05, 0.2, 0.7]))
    table = dependent_codes(n_samples, n_levels, draw(st.integers(0, 10_000)), noise)
    table["twin"] = table["x0"]
    assume((table.nunique() < n_samples).all())  # scores refuse columns with a level for each row
    return table


def check_any_counts(table, name, max_parents):
    score = scores.make(name, table)
    checked(score, problem_of(score.n_nodes, max_parents=min(max_parents, score.n_nodes - 1)), n_orders=1)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(table=any_codes(), name=st.sampled_from(["bic-discrete", "bdeu"]), max_parents=st.integers(1, 5))
def test_branches_of_counts_hold_for_any_table(table, name, max_parents):
    check_any_counts(table, name, max_parents)


@pytest.mark.long
@settings(max_examples=10_000, deadline=None)
@given(table=any_codes(), name=st.sampled_from(["bic-discrete", "bdeu"]), max_parents=st.integers(1, 5))
def test_branches_of_counts_hold_for_ten_thousand_tables(table, name, max_parents):
    check_any_counts(table, name, max_parents)


def test_no_parents_are_allowed_if_the_limit_is_zero():
    problem = replace(problem_of(5), max_parents=0)
    assert checked(scores.make("bic-linear", normal_table(100, 5)), problem) == [0, 0]
