"""Factors of low rank against full kernel matrices of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from common import normal_table, standardised
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import rbf_kernel

import dagsearch as ds
from dagsearch.kernels.lowrank import choose_landmarks, kernel_rows
from dagsearch.scores import mean_models
from dagsearch.scores.mean_models import MODELS, MeanModels


def factor_of(columns, scale, share=mean_models.LEFT_OUT, most=None):
    """Factor (rank, n) and landmarks of the kernel exp(-scale * squared distance) of columns (p, n)."""
    n = columns.shape[1]
    out, chosen = np.full((most or n, n), np.nan), np.full(most or n, -1)
    rank = choose_landmarks(np.ascontiguousarray(columns), scale, share, np.empty(n), out, chosen)
    return out[:rank], chosen[:rank]


@st.composite
def columns(draw):
    """Columns of any values, with ties or without."""
    shape = draw(st.tuples(st.integers(1, 3), st.integers(2, 40)))
    elements = draw(st.sampled_from([st.floats(-10, 10), st.integers(-2, 2).map(float)]))
    return draw(hnp.arrays(np.float64, shape, elements=elements))


# ---------------------------------------------------------------- the factor


@settings(max_examples=60, deadline=None)
@given(columns=columns(), scale=st.floats(1e-3, 1e2), share=st.sampled_from([0.1, mean_models.LEFT_OUT, 1e-8]))
def test_the_factor_leaves_at_most_its_share_of_the_trace_and_nothing_negative(columns, scale, share):
    factor, chosen = factor_of(columns, scale, share)
    rest = rbf_kernel(columns.T, gamma=scale) - factor.T @ factor
    assert np.trace(rest) <= share * len(rest) + 1e-12
    assert np.linalg.eigvalsh(rest).min() > -1e-9
    assert len(set(chosen.tolist())) == len(chosen)
    assert np.abs(rest[chosen]).max(initial=0.0) < 1e-6  # at landmarks nothing is left
    if len(chosen):
        before = factor[:-1]
        assert np.trace(rbf_kernel(columns.T, gamma=scale) - before.T @ before) > share * len(rest) - 1e-12


def test_the_worst_explained_row_comes_next():
    x = standardised(normal_table(60, 2)).T
    factor, chosen = factor_of(x, 0.5)
    kernel = RBF(1.0)(x.T)
    for rank in range(1, len(chosen)):
        left = 1.0 - np.square(factor[:rank]).sum(axis=0)
        assert left[chosen[rank]] == pytest.approx(left.max(), rel=1e-5)
    assert np.trace(kernel - factor.T @ factor) <= mean_models.LEFT_OUT * 60


def test_the_rank_is_at_most_the_room_for_it():
    x = np.random.default_rng(0).normal(size=(3, 80))
    factor, chosen = factor_of(x, 5.0, 1e-9, most=7)
    assert len(factor) == len(chosen) == 7
    whole = factor_of(x, 5.0, 1e-9)[0]
    assert np.array_equal(whole[:7], factor)


@pytest.mark.parametrize("n_levels", [2, 5])
def test_the_rank_is_at_most_the_number_of_different_rows(n_levels):
    x = np.random.default_rng(0).integers(0, n_levels, (1, 100)).astype(float)
    assert len(factor_of(x, 0.7, 1e-12)[0]) == n_levels


def test_kernel_rows_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    x, landmarks = rng.normal(size=(2, 50)), rng.normal(size=(2, 9))
    out = np.empty((9, 50))
    kernel_rows(x, landmarks, 0.3, out)
    assert out == pytest.approx(rbf_kernel(landmarks.T, x.T, gamma=0.3), rel=1e-13)


# ---------------------------------------------------------------- features of a table


@pytest.mark.parametrize("parents", [(0,), (1, 3), (0, 1, 2)])
@pytest.mark.parametrize("length", range(len(mean_models.LENGTHS)))
def test_features_of_the_joint_model_are_a_centred_factor(parents, length):
    models = MeanModels(np.ascontiguousarray(standardised(normal_table(90, 4)).T), MODELS)
    factor = models.joint_features(parents, length)
    distance = mean_models.LENGTHS[length] * models._median_distance(parents)
    kernel = RBF(distance)(models.columns[list(parents)].T)
    centring = np.eye(90) - 1 / 90
    rest = centring @ kernel @ centring - factor.T @ factor
    assert np.trace(rest) <= mean_models.LEFT_OUT * 90 + 1e-9
    assert np.linalg.eigvalsh(rest).min() > -1e-9
    assert factor.sum(axis=1) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("parents", [(0,), (1,), (0, 2), (0, 1, 3)])
def test_the_median_distance_is_about_that_of_all_pairs(parents):
    models = MeanModels(np.ascontiguousarray(standardised(normal_table(300, 4)).T), MODELS)
    x = models.columns[list(parents)].T
    i, j = np.triu_indices(300, 1)
    exact = np.median(np.linalg.norm(x[i] - x[j], axis=1))
    assert models._median_distance(parents) == pytest.approx(exact, rel=0.06)  # 4096 pairs: a standard error of 2%


# ---------------------------------------------------------------- landmarks among some of the rows


@pytest.mark.parametrize("parents", [(2,), (0, 1), (0, 1, 3)])
def test_landmarks_among_some_rows_serve_all_rows(monkeypatch, parents):
    monkeypatch.setattr(mean_models, "MAX_LANDMARK_ROWS", 80)
    x = np.ascontiguousarray(standardised(normal_table(200, 4)).T)
    models = MeanModels(x, MODELS)
    rows = models._landmark_rows
    assert len(set(rows.tolist())) == 80
    distance = models._median_distance(parents)
    chosen = rows[factor_of(x[list(parents)][:, rows], 0.5 / distance**2, most=mean_models.MAX_RANK)[1]]
    kernel = RBF(distance)(x[list(parents)].T)
    to_landmarks = kernel[chosen]
    approximated = to_landmarks.T @ np.linalg.solve(kernel[np.ix_(chosen, chosen)], to_landmarks)
    centring = np.eye(200) - 1 / 200
    factor = models._factor(x[list(parents)], distance)
    assert factor.T @ factor == pytest.approx(centring @ approximated @ centring, abs=1e-8)


def test_with_the_same_landmarks_both_ways_are_the_same(monkeypatch):
    x = np.ascontiguousarray(standardised(normal_table(150, 4)).T)
    direct = MeanModels(x, MODELS)
    _, landmarks = factor_of(x[[0, 1]], 0.5 / direct._median_distance((0, 1)) ** 2, most=mean_models.MAX_RANK)
    # All rows but one that is no landmark: pivoting goes the same way without it.
    spare = next(row for row in range(150) if row not in landmarks)
    monkeypatch.setattr(direct, "_landmark_rows", np.delete(np.arange(150), spare))
    other_way = direct._factor(x[[0, 1]], direct._median_distance((0, 1)))
    monkeypatch.undo()
    one_way = direct._factor(x[[0, 1]], direct._median_distance((0, 1)))
    n = min(len(one_way), len(other_way))  # one row less may end it one landmark sooner
    assert len(one_way) - n <= 1
    assert other_way[:n] == pytest.approx(one_way[:n], abs=1e-7)


@pytest.mark.parametrize("noise", ["gaussian", "any"])
def test_landmarks_among_some_rows_change_no_value_by_much(monkeypatch, noise):
    table = normal_table(400, 4)
    whole = ds.scores.make("evidence", table, noise=noise)
    monkeypatch.setattr(mean_models, "MAX_LANDMARK_ROWS", 200)
    some = ds.scores.make("evidence", table, noise=noise)
    for node, parents in ((1, [0]), (3, [1, 2]), (0, [1, 2, 3]), (2, [0])):
        # The rows that are not looked at are explained a little worse, in either direction.
        assert some.local(node, parents) == pytest.approx(whole.local(node, parents), abs=1.5)
