"""NOTEARS: gradients, optimality, what it finds, and the numbers of an implementation by others."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from common import standardised
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from linear_models import N_NODES, WEIGHTS, edges, normal_noise_table
from scipy.linalg import expm
from scipy.optimize import approx_fprime

import dagsearch as ds
from dagsearch.baselines import notears as module
from dagsearch.baselines.notears import notears, thresholded, without_cycles
from dagsearch.errors import InputError

pytestmark = pytest.mark.usefixtures("one_thread")

TABLE = standardised(normal_noise_table())
COVARIANCE = np.cov(TABLE.T, bias=True)


def random_weights(seed, n_nodes=5):
    return np.random.default_rng(seed).normal(scale=0.6, size=(n_nodes, n_nodes))


def problem(l1=0.1, on_evaluation=None):
    upper = module._upper_bounds(N_NODES, None)
    return module._Problem(COVARIANCE, l1, module._pairs(np.zeros_like(upper), upper), on_evaluation)


# ---------------------------------------------------------------- the parts of the problem


@pytest.mark.parametrize("seed", range(5))
def test_the_loss_from_covariances_is_the_loss_of_the_table(seed):
    weights = random_weights(seed, N_NODES)
    expected = ((TABLE - TABLE @ weights) ** 2).sum() / (2 * len(TABLE))
    assert module._loss(COVARIANCE, weights)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_of_the_loss_is_that_of_finite_differences(seed):
    weights = random_weights(seed, N_NODES)
    numeric = approx_fprime(weights.ravel(), lambda w: module._loss(COVARIANCE, w.reshape(weights.shape))[0])
    np.testing.assert_allclose(module._loss(COVARIANCE, weights)[1].ravel(), numeric, rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_of_the_constraint_is_that_of_finite_differences(seed):
    weights = random_weights(seed)
    numeric = approx_fprime(weights.ravel(), lambda w: module._acyclicity(w.reshape(5, 5))[0])
    np.testing.assert_allclose(module._acyclicity(weights)[1].ravel(), numeric, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_of_the_lagrangian_is_that_of_finite_differences(seed):
    parts = np.abs(np.random.default_rng(seed).normal(scale=0.5, size=(2, N_NODES, N_NODES)))
    at = module._Iterate(parts, h=np.nan, rho=3.0, multiplier=0.7)

    def value(flat):
        return module._lagrangian(problem(), at._replace(parts=flat.reshape(parts.shape)), 1)[0]

    gradient = module._lagrangian(problem(), at, 1)[1]
    np.testing.assert_allclose(gradient, approx_fprime(parts.ravel(), value), rtol=1e-5, atol=1e-4)


def test_the_constraint_is_zero_for_a_dag_and_positive_for_a_cycle():
    assert module._acyclicity(WEIGHTS)[0] == pytest.approx(0.0, abs=1e-12)
    cyclic = WEIGHTS.copy()
    cyclic[1, 3] = 0.1
    assert module._acyclicity(cyclic)[0] > 1e-4
    two_nodes = np.array([[0.0, 0.5], [2.0, 0.0]])  # cosh(1) twice on the diagonal
    assert module._acyclicity(two_nodes)[0] == pytest.approx(2 * np.cosh(1.0) - 2, rel=1e-12)


@pytest.mark.parametrize("size", [30.0, 1e3, 1e9])
def test_weights_whose_walks_overflow_have_numbers_to_step_back_by(size):
    off_diagonal = ~np.eye(4, dtype=bool)
    h, gradient = module._acyclicity(size * off_diagonal)
    assert 1e99 < h < 1e101
    assert np.isfinite(gradient).all()
    assert (gradient[off_diagonal] > 0).all()


@pytest.mark.parametrize("l1", [0.0, 0.05, 0.3])
@pytest.mark.parametrize(("rho", "multiplier"), [(1.0, 0.0), (100.0, 2.0)])
def test_a_step_ends_where_no_weight_can_improve(l1, rho, multiplier):
    start = module._Iterate(np.zeros((2, N_NODES, N_NODES)), np.inf, rho, multiplier)
    parts = module._minimise(problem(l1), start, 1)
    weights = parts[0] - parts[1]
    walks = expm(weights * weights)
    h = np.trace(walks) - N_NODES
    slope = -TABLE.T @ (TABLE - TABLE @ weights) / len(TABLE) + (rho * h + multiplier) * 2 * walks.T * weights
    off_diagonal = ~np.eye(N_NODES, dtype=bool)
    used, unused = off_diagonal & (weights != 0), off_diagonal & (weights == 0)
    np.testing.assert_allclose(slope[used], -l1 * np.sign(weights[used]), rtol=0, atol=2e-3)
    assert np.all(np.abs(slope[unused]) <= l1 + 2e-3)
    assert not np.diag(weights).any()


# ---------------------------------------------------------------- what it finds


def test_weights_of_a_linear_model_are_recovered_in_the_right_direction():
    fit = notears(normal_noise_table(2000), l1=0.02)
    assert fit.converged
    assert edges(fit.weights) == edges(WEIGHTS)
    np.testing.assert_allclose(fit.weights, WEIGHTS, rtol=0, atol=0.1)


def test_the_fit_reports_its_own_constraint_and_threshold():
    fit = notears(TABLE, l1=0.02, threshold=0.5)
    assert fit.converged
    assert fit.h <= 1e-8
    assert fit.h == pytest.approx(np.trace(expm(fit.raw_weights**2)) - N_NODES, abs=1e-12)
    assert np.array_equal(fit.weights, np.where(np.abs(fit.raw_weights) < 0.5, 0.0, fit.raw_weights))
    assert 0 < np.abs(fit.raw_weights[fit.weights == 0]).max() < 0.5
    assert 1 < fit.n_steps < 100


def test_few_steps_do_not_converge_and_say_so():
    fit = notears(TABLE, max_steps=2)
    assert fit.n_steps == 2
    assert fit.h > 1e-8
    assert not fit.converged


def test_a_heavier_penalty_leaves_fewer_edges():
    counts = [len(edges(notears(TABLE, l1=l1, threshold=0.01).weights)) for l1 in (0.01, 0.1, 0.5, 2.0)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[2] > counts[3] == 0


@pytest.mark.parametrize("seed", range(4))
def test_what_is_not_allowed_stays_exactly_zero(seed):
    allowed = np.random.default_rng(seed).random((N_NODES, N_NODES)) < 0.5
    fit = notears(TABLE, allowed=allowed, threshold=0.0)
    assert not fit.raw_weights[~allowed | np.eye(N_NODES, dtype=bool)].any()
    assert fit.raw_weights.any()


def test_where_nothing_is_allowed_nothing_is_found():
    fit = notears(TABLE, allowed=np.zeros((N_NODES, N_NODES), dtype=bool))
    assert fit.converged
    assert not fit.raw_weights.any()


def test_copies_of_a_column_do_no_harm():
    fit = notears(np.column_stack([TABLE, TABLE[:, 0]]))
    assert fit.converged
    assert np.isfinite(fit.raw_weights).all()


def test_the_same_table_gives_the_same_weights_whatever_its_means():
    first, again = notears(TABLE), notears(TABLE)
    assert np.array_equal(first.raw_weights, again.raw_weights)
    shifted = notears(TABLE + 5.0)
    np.testing.assert_allclose(shifted.raw_weights, first.raw_weights, rtol=0, atol=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"l1": -0.1}, r"l1 must be at least 0\.0, got -0\.1"),
        ({"l1": float("nan")}, r"l1 must be at least 0\.0, got nan"),
        ({"threshold": -1.0}, r"threshold must be at least 0\.0, got -1\.0"),
        ({"max_steps": 0}, "max_steps must be at least 1, got 0"),
        ({"allowed": np.ones((2, 2), dtype=bool)}, r"allowed must have shape \(6, 6\) for 6 variables, got \(2, 2\)"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(InputError, match=message):
        notears(TABLE, **arguments)


# ---------------------------------------------------------------- the listener


def test_the_listener_hears_of_every_evaluation():
    states = []
    fit = notears(TABLE, on_evaluation=states.append)
    assert [state.step for state in states] == sorted(state.step for state in states)
    assert (states[0].step, states[-1].step) == (1, fit.n_steps)
    assert (states[0].h, states[0].objective) == (0.0, pytest.approx(N_NODES / 2))
    state = states[len(states) // 2]
    assert state.h == pytest.approx(np.trace(expm(state.weights**2)) - N_NODES, rel=1e-9)
    loss = ((TABLE - TABLE @ state.weights) ** 2).sum() / (2 * len(TABLE))
    assert state.objective >= loss + 0.1 * np.abs(state.weights).sum() - 1e-9
    assert max(state.rho for state in states) > states[0].rho == 1.0


@pytest.mark.parametrize("error", [TimeoutError, KeyboardInterrupt, StopIteration])
def test_an_exception_of_the_listener_ends_the_fit_and_leaves_the_last_weights(error):
    states = []

    def listener(state):
        states.append(state)
        if len(states) == 100:
            raise error

    with pytest.raises(error):
        notears(TABLE, on_evaluation=listener)
    assert len(states) == 100
    assert 0 < np.count_nonzero(thresholded(states[-1].weights, 0.3)) < 20


# ---------------------------------------------------------------- thresholds and cycles


def test_a_threshold_keeps_what_is_as_large_as_itself():
    weights = np.array([[0.0, 0.3], [-0.29, -0.31]])
    assert thresholded(weights, 0.3).tolist() == [[0.0, 0.3], [0.0, -0.31]]
    assert weights[1, 0] == -0.29


def graph(weights):
    return nx.from_numpy_array(weights, create_using=nx.DiGraph)


def broken_up(weights):
    """By listing cycles: the smallest edge on any, until there is none."""
    weights = weights.copy()
    while cycles := list(nx.simple_cycles(graph(weights))):
        on_cycle = {edge for cycle in cycles for edge in zip(cycle, cycle[1:] + cycle[:1], strict=True)}
        weights[min(on_cycle, key=lambda edge: (abs(weights[edge]), edge))] = 0.0
    return weights


@settings(max_examples=150, deadline=None)
@given(arrays(float, (5, 5), elements=st.sampled_from([0.0, 0.0, 0.0, 0.5, -0.5, 1.0, -2.0, 3.0])))
def test_cycles_are_broken_at_their_smallest_weights(weights):
    before = weights.copy()
    acyclic = without_cycles(weights)
    assert np.array_equal(weights, before)
    assert np.array_equal(acyclic, broken_up(weights))


def test_edges_that_only_lead_to_a_cycle_stay():
    weights = np.zeros((4, 4))
    weights[0, 1], weights[1, 2], weights[2, 1], weights[2, 3] = 0.1, 0.8, -0.7, 0.1
    assert edges(without_cycles(weights)) == {(0, 1), (1, 2), (2, 3)}


def test_weights_without_a_cycle_stay_as_they_are():
    assert np.array_equal(without_cycles(WEIGHTS), WEIGHTS)


# ---------------------------------------------------------------- numbers of others

# Linear NOTEARS of gcastle 1.0.4 on TABLE, with the trace of the exponential in place of its polynomial.
GCASTLE = {
    0.1: [
        [0, 0, 0, 0.6595, 0, 0],
        [0, 0, 0.0052, 0, 0, 0],
        [0.2927, 0, 0, 0, -0.7207, 0],
        [0, 0.1220, 0, 0, 0, 0],
        [0, -0.0003, 0, 0, 0, -0.0001],
        [-0.7608, 0.8117, 0.4691, 0, 0, 0],
    ],
    0.02: [
        [0, 0, 0, 0.7324, 0, 0],
        [0.0001, 0, 0.0011, 0, -0.0372, 0],
        [0.4829, 0, 0, 0, -0.7797, 0.0001],
        [0, 0.2985, 0.0001, 0, 0, -0.0001],
        [0, 0, 0, 0, 0, -0.0001],
        [-0.9487, 0.9859, 0.5523, -0.0097, 0, 0],
    ],
}


@pytest.mark.parametrize("l1", GCASTLE)
def test_weights_agree_with_another_implementation(l1):
    # The minimum is flat: two runs of the other one on rows in different order differ as much.
    np.testing.assert_allclose(notears(TABLE, l1=l1).raw_weights, GCASTLE[l1], rtol=0, atol=0.015)


def test_sachs_has_the_graph_of_another_implementation_and_of_the_paper():
    data = ds.datasets.load("sachs")
    weights = notears(data.standardised()).weights
    # gcastle 1.0.4, as above
    expected = {(1, 0): 0.6928, (6, 5): 0.8908, (7, 6): 0.3328, (8, 9): 0.6386}
    assert edges(weights) == set(expected)
    assert [weights[edge] for edge in expected] == pytest.approx(list(expected.values()), abs=0.01)
    found = ds.DAG.from_adjacency((weights != 0).astype(np.int8), names=data.names)
    scores = ds.metrics.compare(ds.prune(found, data, "cam"), data.truth)
    assert (round(scores["tpr"], 3), round(scores["fdr"], 3), scores["shd"]) == (0.118, 0.5, 15)
