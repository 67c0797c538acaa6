"""Estimators repeat: seeds, generators, number of jobs."""

from __future__ import annotations

import numpy as np
import pytest
from common import discrete_frame, make, quick
from estimator_cases import TABLE, every_method, name_of, with_policies_marked

import dagsearch as ds
from dagsearch.estimators import METHODS, SEARCHES


@pytest.mark.parametrize(
    ("kind", "edge_budget"),
    with_policies_marked(*((kind, 8) for kind in SEARCHES.values()), *((kind, None) for kind in METHODS.values())),
    ids=name_of,
)
def test_one_seed_gives_one_graph(kind, edge_budget):
    making = make if edge_budget is None else quick
    runs = [making(kind, edge_budget=edge_budget, random_state=7).fit(TABLE) for _ in range(2)]
    assert runs[0].dag_ == runs[1].dag_
    assert runs[0].reward_ == runs[1].reward_
    assert runs[0].result_.n_simulations == runs[1].result_.n_simulations
    assert runs[0].result_.n_score_evaluations == runs[1].result_.n_score_evaluations


@pytest.mark.parametrize("kind", [*SEARCHES.values(), ds.CAM], ids=name_of)
def test_two_seeds_differ_somewhere(kind):
    # Discrete BIC is score-equivalent, so that even the greedy search has ties to break.
    table = discrete_frame(n_nodes=8)
    graphs = {make(kind, edge_budget=10, sims_per_node=1, random_state=seed).fit(table).dag_ for seed in range(5)}
    assert len(graphs) > 1


@pytest.mark.long
def test_two_seeds_of_a_policy_sample_other_graphs():
    assert len({quick(ds.RLBIC, random_state=seed).fit(TABLE).dag_ for seed in range(2)}) == 2


@every_method
def test_n_jobs_changes_nothing(kind):
    score = "bic-linear" if kind in (ds.GES, ds.PC) else "bic-gp"
    runs = [make(kind, score=score, edge_budget=6, n_jobs=n_jobs).fit(TABLE) for n_jobs in (1, 2, -1)]
    assert len({run.dag_ for run in runs}) == 1
    assert len({run.reward_ for run in runs}) == 1
    assert len({run.result_.n_score_evaluations for run in runs}) == 1


@every_method
def test_the_recorded_seed_repeats_a_fit_without_one(kind):
    model = quick(kind, edge_budget=6, random_state=None).fit(TABLE)
    assert quick(kind, edge_budget=6, random_state=model.result_.seed).fit(TABLE).dag_ == model.dag_
    other = quick(kind, edge_budget=6, random_state=None).fit(TABLE)
    assert other.result_.seed != model.result_.seed


def test_generators_are_taken_as_seeds():
    runs = [
        quick(ds.CDUCT, edge_budget=6, random_state=np.random.default_rng(5)).fit(TABLE),
        quick(ds.CDUCT, edge_budget=6, random_state=np.random.default_rng(5)).fit(TABLE),
    ]
    assert runs[0].result_.seed == runs[1].result_.seed
    assert runs[0].dag_ == runs[1].dag_
    generator = np.random.default_rng(5)
    seeds = {quick(ds.CDUCT, edge_budget=2, random_state=generator).fit(TABLE).result_.seed for _ in range(2)}
    assert len(seeds) == 2
    assert quick(ds.CDUCT, edge_budget=6, random_state=np.random.RandomState(5)).fit(TABLE).dag_.n_edges == 6
    assert quick(ds.CDUCT, edge_budget=6, random_state=np.int64(5)).fit(TABLE).result_.seed == 5


def test_numpys_global_state_is_neither_used_nor_changed():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    quick(ds.CDUCT, edge_budget=4, random_state=None).fit(TABLE)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
