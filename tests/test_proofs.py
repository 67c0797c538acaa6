"""Certificates never mislead: what they say holds, of the graphs that they name."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec

import numpy as np
import pytest
from random_proofs import RandomProblem, assert_not_misleading

import dagsearch as ds
from dagsearch import scores
from dagsearch.report.text import as_json, as_text, certificate_as_json

SOLVERS = ("auto", "dynamic", "highs", "scip") if find_spec("pyscipopt") else ("auto", "dynamic", "highs")
SAMPLE = 40
MANY = 500


def certified(seed, monkeypatch):
    problem = RandomProblem.drawn(seed, SOLVERS)
    with monkeypatch.context() as patched:
        proof = problem.certificate(patched)
    if proof is not None:
        assert_not_misleading(problem, proof)
    return proof


@pytest.mark.parametrize("seed", range(SAMPLE))
def test_what_a_certificate_says_is_what_brute_force_finds(seed, monkeypatch):
    certified(seed, monkeypatch)


@pytest.mark.long
def test_what_five_hundred_certificates_say_is_what_brute_force_finds(monkeypatch):
    proofs = [certified(seed, monkeypatch) for seed in range(SAMPLE, SAMPLE + MANY)]
    met = [proof for proof in proofs if proof is not None]
    assert len(met) > 0.8 * MANY
    assert sum(not proof.is_among for proof in met) > 20  # of every kind there are some
    assert sum(proof.status == "time-limit" for proof in met) > 20
    assert sum(proof.is_optimal for proof in met) > 100


# --- Graphs beyond what was searched ---------------------------------------------------------------


def four_causes(n_samples=300):
    """One variable with four causes, each of which tells something alone."""
    values = np.random.default_rng(0).normal(size=(n_samples, 5))
    values[:, 4] += values[:, :4].sum(axis=1)
    return values


def affording(max_parents, table):
    """A score by which sets of more parents are too many to be looked at."""
    score = scores.make("bic-linear" if isinstance(table, np.ndarray) else "bic-discrete", table)
    n_nodes = score.n_nodes
    score.affordable = sum(n_nodes * math.comb(n_nodes - 1, size) for size in range(max_parents + 1))
    return score


def exact(table, score=None, **settings):
    score = scores.make("bic-linear", table) if score is None else score
    return ds.ExactSearch(score=score, prune="none", random_state=0, **settings).fit(table)


@pytest.mark.parametrize("edge_budget", [None, 4])
def test_a_better_graph_beyond_what_was_searched_is_not_called_optimal(edge_budget):
    table = four_causes()
    last = {"knowledge": ds.Knowledge(tiers=[["x0", "x1", "x2", "x3"], ["x4"]]), "edge_budget": edge_budget}
    model = exact(table, affording(1, table), **last)
    inside = exact(table, max_parents=1, **last)
    proof = model.certificate_
    assert model.dag_.adjacency.sum(axis=0).max() > 1
    assert model.reward_ > inside.reward_ + 0.1
    assert proof.bound == proof.best_reward == proof.optimum == pytest.approx(inside.reward_, abs=1e-9)
    assert (proof.is_among, proof.is_optimal, proof.status) == (False, False, "finished")
    assert math.isnan(proof.gap)
    limits = "all DAGs with at" if edge_budget is None else "DAGs with exactly 4 edges and at"
    among = f"{limits} most 1 causes per variable (larger sets were not looked at) that fit what is known"
    assert proof.among == among
    by = f"({', '.join((*proof.ways, f'{proof.seconds:.1f} s'))})"
    beyond = "this graph is not one of them, and nothing is known beyond: gap unknown"
    assert str(proof) == f"no better graph among {among} {by}; {beyond}"
    assert model.best_graphs_ == ()
    record = certificate_as_json(proof)
    assert (record["gap"], record["is_optimal"], record["is_among"]) == (None, False, False)
    assert "proven optimal" not in as_text(model, model.data_, "four causes", proof)
    assert json.dumps(as_json(model, model.data_, "four causes", proof))


def test_a_worse_graph_beyond_what_was_searched_has_no_gap_but_a_bound():
    table = four_causes()
    score = affording(1, table)
    for kind in (ds.GreedySearch, ds.RandomSampling):
        proof = ds.certify(kind(score=score, prune="none", edge_budget=8, random_state=3).fit(table))
        assert proof.bound == -math.inf  # no DAG has eight edges and one cause per variable
        assert (proof.optimum, proof.is_optimal, proof.is_among) == (None, False, False)
        assert str(proof).startswith("there are no DAGs with exactly 8 edges and at most 1 causes per variable (larger")
    few = ds.certify(ds.GreedySearch(score=score, prune="none", random_state=0).fit(table))
    assert few.optimum == pytest.approx(exact(table, max_parents=1).reward_, abs=1e-9)
    assert not few.is_among
    assert math.isnan(few.gap)


def test_the_ranking_is_of_what_was_searched():
    table = four_causes()
    model = exact(table, affording(1, table), n_best=3)
    rewards = [each.reward for each in exact(table, n_best=3, max_parents=1).best_graphs_]
    assert [each.reward for each in model.best_graphs_] == pytest.approx(rewards, abs=1e-9)
    assert model.reward_ > rewards[0] + 0.1
    assert math.isnan(model.certificate_.gap)


def test_required_causes_come_on_top_of_those_that_could_be_looked_at():
    table = four_causes()
    known = ds.Knowledge(required=[("x0", "x4"), ("x1", "x4")])
    proof = exact(table, affording(1, table), knowledge=known).certificate_
    assert proof.among == (
        "all DAGs with at most 1 causes per variable beside required ones (larger sets were not looked at) that fit "
        "what is known"
    )
    assert not proof.is_among


def network_in_bif(path, n_nodes):
    """Two or three random causes of most variables, of three levels each."""
    rng = np.random.default_rng(0)
    lines = ["network made { }"]
    names = [f"v{node}" for node in range(n_nodes)]
    lines += [f"variable {name} {{ type discrete [ 3 ] {{ a, b, c }}; }}" for name in names]
    for node, name in enumerate(names):
        causes = sorted(rng.choice(node, min(node, int(rng.integers(2, 4))), replace=False).tolist())
        rows = rng.dirichlet([0.3] * 3, size=3 ** len(causes))
        given = " | " + ", ".join(names[cause] for cause in causes) if causes else ""
        lines.append(f"probability ( {name}{given} ) {{")
        for number, row in enumerate(rows):
            levels = ["abc"[number // 3**k % 3] for k in range(len(causes))]
            label = f"({', '.join(levels)}) " if causes else "table "
            lines.append(f"  {label}{', '.join(map(repr, row.tolist()))};")
        lines.append("}")
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("time_limit", [0.3, 4.0])
def test_on_a_wide_network_the_best_graph_known_is_not_called_optimal_among_sparser_ones(tmp_path, time_limit):
    network = ds.datasets.network(network_in_bif(tmp_path / "wide.bif", 70))
    data = network.sample(1000, random_state=0)
    model = exact(data, affording(1, data), time_limit=time_limit)
    assert model.dag_.adjacency.sum(axis=0).max() > 1
    proof = model.certificate_
    if "at most 1 causes" not in proof.among:  # the time was up before
        assert proof.gap == proof.bound - proof.reward > 0.0
        return
    assert (proof.is_optimal, proof.is_among) == (False, False)
    assert math.isnan(proof.gap)
    assert proof.bound >= proof.best_reward
    assert proof.best_reward < proof.reward
    assert "nothing is known beyond" in str(proof)
