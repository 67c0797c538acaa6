"""Random small problems with limits of all kinds, and what brute force says of the certificates that they get."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import naive
import numpy as np
import pandas as pd

import dagsearch as ds
from dagsearch import scores
from dagsearch.errors import InputError
from dagsearch.graph.bitset import rows_from_membership
from dagsearch.search.monitor import Monitor, OutOfTimeError

DAGS = {n_nodes: naive.parents_in_all_dags(n_nodes) for n_nodes in (3, 4, 5)}
ROUNDING = 1e-8
METHODS = (ds.GreedySearch, ds.CDUCT, ds.RandomSampling, ds.OrderSearch, ds.GES)


@dataclass(frozen=True)
class RandomProblem:
    """A table, a score, an estimator that is limited in some ways, and when the clock is to stop."""

    table: pd.DataFrame
    score: Any
    model: Any
    knowledge: ds.Knowledge
    solver: str
    checks_left: int | None  # the search is out of time when it has looked at the clock so often

    @classmethod
    def drawn(cls, seed: int, solvers: tuple[str, ...]) -> RandomProblem:
        rng = np.random.default_rng(seed)
        n_nodes = int(rng.choice([3, 4, 4, 5]))
        is_discrete = rng.random() < 0.35
        table = _discrete(rng, n_nodes) if is_discrete else _continuous(rng, n_nodes)
        score = _score(rng, table, is_discrete)
        if rng.random() < 0.5:
            score.affordable = int(rng.integers(n_nodes, n_nodes * 2**n_nodes))
        knowledge = _knowledge(rng, list(table.columns)) if rng.random() < 0.5 else ds.Knowledge()
        limits: dict[str, Any] = {"knowledge": knowledge, "score": score, "prune": "none", "random_state": seed}
        solver = str(rng.choice(solvers))
        kind = ds.ExactSearch if rng.random() < 0.7 else METHODS[rng.integers(len(METHODS))]
        if kind is ds.GES and score.equal_variances:
            kind = ds.GreedySearch  # GES needs local scores
        if kind is ds.ExactSearch:
            limits |= {"solver": solver, "budget": str(rng.choice(["exactly", "at-most"]))}
            if not score.equal_variances:
                limits["n_best"] = int(rng.choice([1, 1, 1, 3]))
        if kind not in (ds.OrderSearch, ds.GES) and rng.random() < 0.5:
            limits["edge_budget"] = int(rng.integers(0, n_nodes * (n_nodes - 1) // 2 + 1))
        if kind is not ds.GES and rng.random() < 0.3:
            most_required = int(knowledge.required_edges(list(table.columns)).sum(axis=0).max())
            limits["max_parents"] = max(int(rng.integers(1, n_nodes)), most_required)
        if kind in (ds.CDUCT,):
            limits["sims_per_node"] = 5
        checks_left = int(rng.integers(0, 60)) if rng.random() < 0.25 else None
        return cls(table, score, kind(**limits), knowledge, solver, checks_left)

    def certificate(self, monkeypatch: Any) -> ds.Certificate | None:
        """What is proven; None if no graph fits."""
        try:
            if isinstance(self.model, ds.ExactSearch):
                self._stop_the_clock(monkeypatch)
                return self.model.fit(self.table).certificate_
            self.model.fit(self.table)
            self._stop_the_clock(monkeypatch)
            return ds.certify(self.model, solver=self.solver)
        except InputError as error:
            if "edge_budget" not in str(error):
                raise
            return None

    def _stop_the_clock(self, monkeypatch: Any) -> None:
        left = self.checks_left
        if left is None:
            return

        def check(_: Monitor, report: Any) -> None:
            nonlocal left
            report(0.0)
            left -= 1
            if left < 0:
                raise OutOfTimeError

        monkeypatch.setattr(Monitor, "check", check)


def rewards_of_all(score: Any) -> np.ndarray:
    """The reward of every DAG, from its families one by one."""
    n_nodes = score.n_nodes
    sets = (np.arange(2**n_nodes)[:, np.newaxis] >> np.arange(n_nodes) & 1).astype(bool)
    terms = np.full((n_nodes, 2**n_nodes, 2), np.nan)
    for node in range(n_nodes):
        without = ~sets[:, node]
        terms[node, without] = score.terms(np.full(without.sum(), node), rows_from_membership(sets[without]))
    values, penalties = np.moveaxis(terms[np.arange(n_nodes), DAGS[n_nodes]].sum(axis=1), 1, 0)
    return (-np.log(values + 1e-8) if score.equal_variances else values) - penalties


def named(among: str, problem: RandomProblem) -> np.ndarray:
    """Which of all DAGs a certificate speaks of, by nothing but its words."""
    names = list(problem.table.columns)
    parents = DAGS[len(names)]
    edges = (parents[:, :, np.newaxis] >> np.arange(len(names)) & 1).astype(bool)  # [graph, effect, cause]
    required = problem.knowledge.required_edges(names).T
    chosen = np.ones(len(parents), dtype=bool)
    left = among
    for pattern, kept in (
        (r"exactly (\d+) edges", lambda k: edges.sum(axis=(1, 2)) == k),
        (r"at most (\d+) edges", lambda k: edges.sum(axis=(1, 2)) <= k),
        (
            r"at most (\d+) causes per variable beside required ones \(larger sets were not looked at\)",
            lambda k: (edges & ~required).sum(axis=2).max(axis=1) <= k,
        ),
        (
            r"at most (\d+) causes per variable( \(larger sets were not looked at\))?",
            lambda k: edges.sum(axis=2).max(axis=1) <= k,
        ),
    ):
        while found := re.search(pattern, left):
            chosen &= kept(int(found[1]))
            left = left.replace(found[0], "", 1)
    if "fit what is known" in left:
        ruled_out = ~problem.knowledge.allowed_edges(names).T
        chosen &= ~(edges & ruled_out).any(axis=(1, 2)) & (edges | ~required).all(axis=(1, 2))
    if "have only edges of which some row tells" in left:
        chosen &= ~_with_needless_edges(problem)
    for phrase in ("fit what is known", "have only edges of which some row tells"):
        left = left.replace(phrase, "")
    assert set(left.split()) <= {"all", "DAGs", "with", "and", "that"}, among
    return chosen


def _with_needless_edges(problem: RandomProblem) -> np.ndarray:
    """Which of all DAGs have edges at a constant column that are not required, where the score knows of it."""
    names = list(problem.table.columns)
    constant = problem.score.constant_nodes
    needless = (constant[:, np.newaxis] | constant) & ~problem.knowledge.required_edges(names)
    numbers = (1 << np.arange(len(names))) @ needless
    return (DAGS[len(names)] & numbers).any(axis=1)


def place_of(graph: Any) -> int | None:
    """Which of all DAGs a graph is, or the member of its class that is judged."""
    dag = graph if isinstance(graph, ds.DAG) else graph.to_dag()
    numbers = (1 << np.arange(dag.n_nodes)) @ dag.adjacency
    return int(np.flatnonzero((DAGS[dag.n_nodes] == numbers).all(axis=1))[0])


def assert_not_misleading(problem: RandomProblem, proof: ds.Certificate) -> None:
    """Everything that a certificate says is so."""
    model = problem.model
    rewards, chosen = rewards_of_all(problem.score), named(proof.among, problem)
    best = rewards[chosen].max(initial=-math.inf)
    place = place_of(model.dag_)
    assert proof.reward == model.reward_
    assert abs(proof.reward - rewards[place]) < ROUNDING
    assert proof.is_among is bool(chosen[place])
    assert proof.bound >= best - ROUNDING
    assert proof.best_reward <= best + ROUNDING
    assert proof.optimum is None or abs(proof.optimum - best) < ROUNDING
    assert not proof.is_optimal or (chosen[place] and abs(proof.reward - best) < ROUNDING)
    assert str(proof).startswith("proven optimal among") is proof.is_optimal
    if proof.is_among:
        assert proof.gap == proof.bound - proof.reward > -ROUNDING
        assert str(proof).count("nothing is known beyond") == 0
    else:
        assert math.isnan(proof.gap)
        assert "nothing is known beyond: gap unknown" in str(proof)
    if proof.status == "finished":
        assert abs(proof.bound - best) < ROUNDING if chosen.any() else proof.bound == -math.inf
        assert proof.is_optimal is bool(chosen[place] and rewards[place] > best - ROUNDING)
    if isinstance(model, ds.ExactSearch) and proof.status == "finished" and model.n_best > 1:
        ranked = chosen & ~_with_needless_edges(problem)
        expected = np.sort(rewards[ranked])[::-1][: model.n_best]
        assert np.allclose([each.reward for each in model.best_graphs_], expected, rtol=0.0, atol=ROUNDING)
        assert all(chosen[place_of(each.dag)] for each in model.best_graphs_)


def _continuous(rng: np.random.Generator, n_nodes: int) -> pd.DataFrame:
    n_samples = int(rng.integers(30, 150))
    values = rng.normal(size=(n_samples, n_nodes)) * rng.choice([0.3, 1.0], n_nodes)
    weights = np.triu(rng.normal(size=(n_nodes, n_nodes)) * (rng.random((n_nodes, n_nodes)) < 0.6), 1)
    for node in range(n_nodes):
        values[:, node] += values @ weights[:, node]
    order = rng.permutation(n_nodes)
    table = pd.DataFrame(values[:, order], columns=list("abcde")[:n_nodes])
    return table.round(1) if rng.random() < 0.3 else table


def _discrete(rng: np.random.Generator, n_nodes: int) -> pd.DataFrame:
    n_samples = int(rng.integers(20, 150))
    codes = rng.integers(0, 2, size=(n_samples, n_nodes))
    for node in range(1, n_nodes):
        takes_over = rng.random(n_samples) < rng.choice([0.0, 0.7])
        codes[takes_over, node] = codes[takes_over, rng.integers(node)] ^ codes[takes_over, rng.integers(node)]
    table = pd.DataFrame(codes[:, rng.permutation(n_nodes)], columns=list("abcde")[:n_nodes])
    if rng.random() < 0.3:
        table[table.columns[rng.integers(n_nodes)]] = 1
    return table.astype(str)


def _score(rng: np.random.Generator, table: pd.DataFrame, is_discrete: bool) -> Any:
    if rng.random() < 0.2:
        return scores.adapt(_LocalTable(rng, table.shape[1]), table.shape[1])
    if is_discrete:
        return scores.make(str(rng.choice(["bic-discrete", "bdeu"])), table)
    return scores.make(
        str(rng.choice(["bic-linear", "bic-quadratic"])),
        table,
        variances=str(rng.choice(["different", "different", "equal"])),
        penalty=str(rng.choice(["edges", "parameters", "extended"])),
    )


def _knowledge(rng: np.random.Generator, names: list[str]) -> ds.Knowledge:
    order = list(rng.permutation(names))
    required = [
        (order[i], order[j]) for j in range(len(order)) for i in range(j) if rng.random() < rng.choice([0.0, 0.25])
    ]
    pairs = [(a, b) for a in names for b in names if a != b and (a, b) not in required]
    forbidden = [pair for pair in pairs if rng.random() < rng.choice([0.0, 0.3])]
    tiers = [order[:1], order[1:]] if rng.random() < 0.3 else []
    return ds.Knowledge(required=required, forbidden=forbidden, tiers=tiers)


class _LocalTable:
    """A user's score: random numbers."""

    def __init__(self, rng: np.random.Generator, n_nodes: int) -> None:
        self._table = rng.normal(size=(n_nodes, 2**n_nodes))

    def local(self, node: int, parents: tuple[int, ...]) -> float:
        return float(self._table[node, sum(1 << parent for parent in parents)])
