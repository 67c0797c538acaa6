"""Growth of quadratic regressions, candidate by candidate and parent by parent, against scores from scratch."""

import numpy as np
import pytest
from common import normal_table

from dagsearch import scores
from dagsearch.kernels.compile import entry_point
from dagsearch.kernels.growth import values_that_pay, values_without_each
from dagsearch.search.forest import growth_of


@entry_point
def with_each(growth, node, parents, n_parents, may_join, values):
    values_that_pay(growth, node, parents, n_parents, may_join, -np.inf, values)


@entry_point
def without_each(growth, node, parents, n_parents, rest, values):
    values_without_each(growth, node, parents, n_parents, rest, values)


def sets_in_turn(n_nodes, sizes, rng):
    """A node and parents of it, with the same first parents as the set before in every other case."""
    parents = []
    for n_parents in sizes:
        keep = int(rng.integers(len(parents) + 1)) if rng.random() < 0.5 else 0
        kept = parents[: min(keep, n_parents)]
        others = [int(v) for v in rng.permutation(n_nodes) if v not in kept]
        parents = kept + others[1 : n_parents - len(kept) + 1]
        yield others[0], parents


def check_growth(score, sizes, tolerance, seed=0):
    """All candidates and all drops of some sets; returns how many values were compared."""
    growth, d, n_compared = growth_of(score.family, 1.0), score.n_nodes, 0
    for node, parents in sets_in_turn(d, sizes, np.random.default_rng(seed)):
        members, values = np.zeros(d + 1, dtype=np.int64), np.zeros(d)
        members[: len(parents)] = parents
        may_join = ~np.isin(np.arange(d), [node, *parents])
        with_each(growth, node, members, len(parents), may_join, values)
        assert np.isneginf(values[~may_join]).all()
        for c in np.flatnonzero(may_join).tolist():
            assert values[c] == pytest.approx(score.local(node, [*parents, c]), abs=tolerance)
        without_each(growth, node, members, len(parents), np.zeros(d + 1, dtype=np.int64), values)
        for k, parent in enumerate(parents):
            assert values[k] == pytest.approx(score.local(node, set(parents) - {parent}), abs=tolerance)
        n_compared += int(may_join.sum()) + len(parents)
    return n_compared


@pytest.mark.parametrize("penalty", ["edges", "parameters"])
def test_all_candidates_and_drops_have_their_local_scores(penalty):
    score = scores.make("bic-quadratic", normal_table(400, 12, seed=1), penalty=penalty)
    assert check_growth(score, [0, 1, 2, 5, 7, 3, 8, 9, 4, 6, 10, 11, 2], tolerance=1e-9) > 100


@pytest.mark.parametrize("penalty", ["edges", "parameters"])
def test_monomials_that_others_determine_count_as_from_scratch(penalty):
    """A twin, a sum, a square and a product; which of them have coefficients does not depend on who came first."""
    x = normal_table(300, 6, seed=2)
    x += 0.3 * np.random.default_rng(0).normal(size=x.shape)
    x = np.column_stack([x, x[:, 0], x[:, 1] + x[:, 2]])
    standardised = (x - x.mean(axis=0)) / x.std(axis=0)
    x = np.column_stack([x, standardised[:, 3] ** 2, standardised[:, 4] * standardised[:, 5]])
    node_noise = np.random.default_rng(1).normal(size=(300, 2))
    x = np.column_stack([x, x[:, [3, 4]] * x[:, [0, 1]] + node_noise])
    score = scores.make("bic-quadratic", x, penalty=penalty)
    for seed in range(4):
        assert check_growth(score, [2, 3, 4, 5, 6, 4, 7, 8, 3], tolerance=1e-5, seed=seed) > 80


def test_more_monomials_than_observations_leave_values_finite():
    score = scores.make("bic-quadratic", normal_table(20, 10, seed=3), penalty="parameters")
    growth, rng = growth_of(score.family, 1.0), np.random.default_rng(0)
    for _, parents in sets_in_turn(10, [9, 8, 9, 7, 9], rng):
        node = next(v for v in range(10) if v not in parents)
        members, values = np.array([*parents, *[0] * (11 - len(parents))]), np.zeros(10)
        may_join = ~np.isin(np.arange(10), [node, *parents])
        with_each(growth, node, members, len(parents), may_join, values)
        assert np.isfinite(values[may_join]).all()
        without_each(growth, node, members, len(parents), np.zeros(11, dtype=np.int64), values)
        assert np.isfinite(values[: len(parents)]).all()
