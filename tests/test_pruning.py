"""Pruning: by significance as R's CAM does it, by coefficients, and which of them a search is followed by."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from common import discrete_frame, make, normal_frame, oracle
from estimator_cases import name_of, with_scores
from sklearn.preprocessing import PolynomialFeatures

import dagsearch as ds
from dagsearch.errors import DataError, InputError
from dagsearch.estimators import SEARCHES
from dagsearch.pruning import EdgeEvidence, evidence, prune

TABLE = normal_frame()
FULL = np.triu(np.ones((6, 6), dtype=int), 1)
STAR = np.zeros((8, 8), dtype=int)
STAR[:7, 7] = 1


# ---------------------------------------------------------------- significance


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("which", ["sachs", "syntren"])
def test_cam_pruning_equals_that_of_r_edge_for_edge(which):
    stored = np.load(oracle(f"prune_{which}.npz"))
    for k in range(0, len(stored["dataset"]), 6 if which == "sachs" else 4):
        data = ds.datasets.load(str(stored["dataset"][k]).replace("syntren", "syntren-"))
        found = evidence(stored["adjacency"][k], data)
        np.testing.assert_array_equal(found.supported.adjacency, stored["pruned"][k])
        there = stored["adjacency"][k] == 1
        np.testing.assert_array_equal(~np.isnan(found.values), there)
        # R's own p-values are off by up to 1e-4, and its rounding now and then by more.
        np.testing.assert_allclose(found.values[there], stored["p_values"][k][there], rtol=0, atol=5e-3)
        assert np.median(np.abs(found.values - stored["p_values"][k])[there]) < 1e-6
        assert 0 < found.supported.n_edges < there.sum()


def test_p_values_are_those_of_the_additive_model_of_each_effect():
    values = evidence(FULL, TABLE).values
    z = ds.as_dataset(TABLE).standardised()
    for effect in range(1, 6):
        np.testing.assert_allclose(
            values[:effect, effect], ds.gam_pvalues(z[:, effect], z[:, :effect]), rtol=1e-6, atol=1e-12
        )


def test_a_cause_that_matters_stays_and_one_that_does_not_goes():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 4))
    x[:, 3] = np.cos(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.3 * x[:, 3]
    dag = ds.DAG.from_edges([("x0", "x3"), ("x1", "x3"), ("x2", "x3"), ("x0", "x1")], names=[f"x{j}" for j in range(4)])
    assert prune(dag, x).edges == [("x0", "x3"), ("x1", "x3")]


def test_a_graph_without_edges_has_no_evidence_and_stays_as_it_is():
    found = evidence(np.zeros((6, 6)), TABLE)
    assert found.by_edge() == {}
    assert found.supported.n_edges == 0


def test_a_larger_alpha_keeps_a_superset():
    noise = np.random.default_rng(2).normal(size=(100, 8))
    full = np.triu(np.ones((8, 8), dtype=int), 1)
    kept = [set(prune(full, noise, alpha=alpha).edges) for alpha in (1e-6, 0.01, 0.1, 0.5, 0.9, 1.0)]
    for fewer, more in itertools.pairwise(kept):
        assert fewer <= more
    assert len(kept[0]) < len(kept[2]) < len(kept[4]) <= 28


def test_alpha_one_keeps_every_edge_with_a_p_value_below_one():
    found = evidence(FULL, TABLE, alpha=1.0)
    assert set(found.supported.edges) == {edge for edge, p in found.by_edge().items() if p < 1.0}
    # A limit is strict: an edge whose p-value equals it goes.
    exact = sorted(found.by_edge().values())[len(found.by_edge()) // 2]
    assert 0.0 < exact < 1.0
    kept = evidence(FULL, TABLE, alpha=exact).by_edge()
    assert len(prune(FULL, TABLE, alpha=exact).edges) == sum(p < exact for p in kept.values()) < len(kept)


@pytest.mark.parametrize("method", ["cam", "coefficients"])
@pytest.mark.parametrize("limit", [0.001, 0.3])
def test_evidence_by_edge_says_what_is_supported(method, limit):
    full = ds.DAG.from_adjacency(FULL, names=list("abcdef"))
    found = evidence(full, TABLE, method, alpha=limit, threshold=limit)
    measured = found.by_edge()
    assert list(measured) == full.edges
    keeps = (lambda value: value < limit) if method == "cam" else (lambda value: value > limit)
    assert set(found.supported.edges) == {edge for edge, value in measured.items() if keeps(value)}
    assert found.supported.n_edges > 0
    assert prune(full, TABLE, method, alpha=limit, threshold=limit) == found.supported
    assert (found.measure, found.limit) == ({"cam": "p-value", "coefficients": "coefficient"}[method], limit)


def test_names_are_those_of_the_graph_or_of_its_matrix():
    named = ds.DAG.from_edges([("p", "q")], names=list("pqrstu"))
    assert list(evidence(named, TABLE).by_edge()) == [("p", "q")]
    assert next(iter(evidence(FULL, TABLE.to_numpy()).by_edge())) == ("x0", "x1")


@pytest.mark.parametrize("method", ["cam", "coefficients"])
def test_the_units_of_columns_do_not_matter(method):
    moved = TABLE * [1e3, 1e-4, 2, -1, 7, 1e6] + [0, 3, -1e3, 5, 0, 1e6]
    here, there = (evidence(FULL, table, method) for table in (TABLE, moved))
    np.testing.assert_allclose(there.values, here.values, rtol=1e-5, atol=1e-9)
    assert there.supported == here.supported


@pytest.mark.parametrize("method", ["cam", "coefficients"])
def test_the_order_of_columns_matters_to_nothing_but_rounding(method):
    here = evidence(FULL, TABLE, method).values
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(6)
        there = evidence(FULL[np.ix_(order, order)], TABLE.iloc[:, order], method)
        np.testing.assert_allclose(there.values, here[np.ix_(order, order)], rtol=1e-4, atol=1e-7)


def test_n_jobs_changes_nothing():
    values = [evidence(FULL, TABLE, n_jobs=n_jobs).values for n_jobs in (1, 2, 5)]
    np.testing.assert_array_equal(values[1], values[0])
    np.testing.assert_array_equal(values[2], values[0])


def test_few_and_many_causes_are_tested_alike():
    """One factorisation of all columns stands in for many small ones where it pays: that must not show."""
    full = evidence(FULL, TABLE).values
    for effect in range(1, 6):
        alone = np.zeros((6, 6), dtype=int)
        alone[:effect, effect] = 1
        np.testing.assert_allclose(evidence(alone, TABLE).values[:effect, effect], full[:effect, effect], rtol=1e-5)


def test_the_inputs_are_not_changed():
    table, graph = TABLE.copy(), FULL.copy()
    for method in ("cam", "coefficients", "none"):
        prune(graph, table, method)
    pd.testing.assert_frame_equal(table, TABLE)
    np.testing.assert_array_equal(graph, FULL)


def test_values_that_are_no_edges_are_never_supported():
    values = np.array([[np.nan, 0.2, np.nan], [np.nan, np.nan, 0.0], [np.nan] * 3])
    found = EdgeEvidence("p-value", 0.1, values, ("a", "b", "c"))
    assert found.supported.edges == [("b", "c")]
    assert found.by_edge() == {("a", "b"): 0.2, ("b", "c"): 0.0}
    assert EdgeEvidence("coefficient", 0.1, values, ("a", "b", "c")).supported.edges == [("a", "b")]


# ---------------------------------------------------------------- coefficients


def pruned_by_hand(table, dag, degree):
    """Edges that stay, with scikit-learn's table of exponents to say which monomial contains which parent."""
    z = ((table - table.mean()) / table.std(ddof=0)).to_numpy()
    kept = []
    for effect in range(dag.n_nodes):
        parents = np.flatnonzero(dag.adjacency[:, effect])
        if not len(parents):
            continue
        features = PolynomialFeatures(degree)
        coefficients = np.linalg.lstsq(features.fit_transform(z[:, parents]), z[:, effect], rcond=None)[0]
        large = features.powers_[1:][np.abs(coefficients[1:]) > 0.3]
        kept += [(dag.names[p], dag.names[effect]) for p in parents[(large > 0).any(axis=0)]]
    return set(kept)


@pytest.mark.parametrize(("score", "degree"), [("bic-linear", 1), ("bic-quadratic", 2)])
@pytest.mark.parametrize("prune", ["auto", "coefficients"])
def test_pruning_keeps_the_parents_with_a_coefficient_above_three_tenths(score, degree, prune):
    model = make(ds.CDUCT, score=score, edge_budget=12, prune=prune).fit(TABLE)
    expected = pruned_by_hand(TABLE, model.dag_, degree)
    assert set(model.pruned_dag_.edges) == expected
    assert 0 < len(expected) < 12
    assert model.result_.settings["prune"] == "coefficients"


@pytest.mark.parametrize("degree", [1, 2])
def test_twelve_parents_are_not_mixed_up(degree):
    # Named x0..x12: a search for "x1" in the names of monomials would also find x10, x11 and x12.
    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 13))
    strong = (1, 5, 11) if degree == 1 else (1, 11)
    x[:, 12] = sum(x[:, p] for p in strong) if degree == 1 else 2 * x[:, 1] * x[:, 11] + 0.1 * x[:, 10]
    x[:, 12] += 0.5 * rng.normal(size=600)
    table = pd.DataFrame(x, columns=[f"x{j}" for j in range(13)])
    star = ds.DAG.from_edges([(f"x{p}", "x12") for p in range(12)], names=list(table))
    pruned = prune(star, table, "coefficients", degree=degree)
    assert pruned.edges == [(f"x{p}", "x12") for p in strong]
    assert set(pruned.edges) == pruned_by_hand(table, star, degree)


def test_a_parent_that_matters_only_in_a_product_stays_with_degree_two_alone():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(500, 3))
    x[:, 2] = x[:, 0] * x[:, 1] + 0.1 * x[:, 2]
    dag = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]])
    assert prune(dag, x, "coefficients", degree=2).n_edges == 2
    assert prune(dag, x, "coefficients", degree=1).n_edges == 0


def test_the_threshold_decides_what_stays():
    x = np.random.default_rng(3).normal(size=(5000, 2))
    x[:, 1] = 0.5 * x[:, 0] + math.sqrt(0.75) * x[:, 1]
    edge = [[0, 1], [0, 0]]
    kept = [prune(edge, x, "coefficients", threshold=t).n_edges for t in (0.0, 0.3, 0.45, 0.55)]
    assert kept == [1, 1, 1, 0]


# ---------------------------------------------------------------- after a search


@pytest.mark.parametrize(
    ("score", "method", "measure"),
    [
        ("evidence", "cam", "p-value"),
        ("bic-linear", "coefficients", "coefficient"),
        ("bic-quadratic", "coefficients", "coefficient"),
        ("bic-gp", "cam", "p-value"),
        ("bic-gam", "cam", "p-value"),
        ("bic-discrete", "none", None),
        ("bdeu", "none", None),
    ],
)
def test_automatic_pruning_with_a_budget_depends_on_the_score_alone(score, method, measure):
    table = discrete_frame() if method == "none" else normal_frame(80, 5)
    model = make(ds.GreedySearch, score=score, edge_budget=6).fit(table)
    assert model.result_.settings["prune"] == method
    assert model.result_.notes == ()
    if measure is None:
        assert model.evidence_ is None
        assert model.pruned_dag_ == model.dag_
        return
    degree = 2 if score == "bic-quadratic" else 1
    assert model.evidence_.measure == measure
    assert model.pruned_dag_ == prune(model.dag_, table, method, degree=degree)
    assert model.evidence_.by_edge() == evidence(model.dag_, table, method, degree=degree).by_edge()


@pytest.mark.parametrize(("kind", "score"), with_scores(SEARCHES.values(), ds.scores.names()), ids=name_of)
def test_automatic_pruning_leaves_what_a_score_decided_for_without_a_budget(kind, score):
    table = discrete_frame(100, 4) if score in ds.scores.DISCRETE else normal_frame(60, 4)
    model = make(kind, score=score).fit(table)
    assert model.result_.settings["prune"] == "none"
    assert model.evidence_ is None
    assert model.pruned_dag_ == model.dag_


@pytest.mark.parametrize("kind", [ds.CAM, ds.NOTEARS, ds.LiNGAM, ds.GES, ds.PC], ids=lambda kind: kind.method)
def test_automatic_pruning_of_methods_that_know_no_budget_is_by_significance(kind):
    model = make(kind).fit(normal_frame(80, 5))
    assert model.result_.settings["prune"] == "cam"
    assert model.evidence_.measure == "p-value"
    assert model.pruned_dag_ == prune(model.dag_, normal_frame(80, 5))


@pytest.mark.parametrize("method", ["cam", "coefficients"])
def test_pruning_that_is_asked_for_is_done_without_a_budget(method):
    model = make(ds.GreedySearch, score="bic-linear", prune=method).fit(TABLE)
    assert model.result_.settings["prune"] == method
    assert model.evidence_.by_edge() == evidence(model.dag_, TABLE, method).by_edge()
    assert model.pruned_dag_ == prune(model.dag_, TABLE, method)


def test_automatic_pruning_leaves_what_a_users_own_score_constructed():
    class Own:
        def local(self, node, parents):
            return float(node - sum(parents))

    model = make(ds.GreedySearch, score=Own(), edge_budget=6).fit(TABLE)
    assert model.result_.settings["prune"] == "none"
    assert model.pruned_dag_ == model.dag_
    asked = make(ds.GreedySearch, score=Own(), edge_budget=6, prune="cam").fit(TABLE)
    assert asked.dag_ == model.dag_
    assert asked.pruned_dag_ == prune(model.dag_, TABLE)


@pytest.mark.parametrize("alpha", [1e-9, 0.2])
@pytest.mark.parametrize("score", ["bic-linear", "bic-gp"])
def test_alpha_reaches_the_pruning_of_a_search(score, alpha):
    model = make(ds.GreedySearch, score=score, edge_budget=12, prune="cam", alpha=alpha).fit(TABLE)
    assert model.pruned_dag_ == prune(model.dag_, TABLE, alpha=alpha)
    assert model.result_.settings["alpha"] == model.evidence_.limit == alpha
    assert model.result_.p_values == model.evidence_.by_edge()


def test_no_pruning_gives_the_very_same_graph():
    model = make(ds.CDUCT, score="bic-linear", edge_budget=12, prune="none").fit(TABLE)
    assert model.pruned_dag_ == model.dag_
    assert model.evidence_ is None
    assert prune(model.dag_, TABLE, method="none") == model.dag_


@pytest.mark.parametrize("score", ["bic-linear", "bic-gam"])
def test_required_edges_survive_pruning(score):
    noise = pd.DataFrame(np.random.default_rng(4).normal(size=(500, 4)), columns=list("abcd"))
    knowledge = ds.Knowledge(required=[("d", "a"), ("b", "a")])
    model = make(ds.CDUCT, score=score, edge_budget=5, knowledge=knowledge).fit(noise)
    assert set(model.pruned_dag_.edges) == {("d", "a"), ("b", "a")}


def test_start_edges_that_are_not_required_may_be_pruned():
    noise = pd.DataFrame(np.random.default_rng(4).normal(size=(500, 4)), columns=list("abcd"))
    model = make(ds.GreedySearch, score="bic-gam", edge_budget=2, start=[("d", "a"), ("b", "a")]).fit(noise)
    assert model.dag_.n_edges == 2
    assert model.pruned_dag_.n_edges == 0


@pytest.mark.long
@pytest.mark.parametrize("first", ["CDUCT", "prune"])
def test_prune_is_the_function_whatever_was_used_before(first):
    program = f"import dagsearch as ds; ds.{first}; assert callable(ds.prune), ds.prune"
    run = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


# ---------------------------------------------------------------- too few rows, and wrong arguments


def few_rows(n_samples=6, n_nodes=8):
    return np.random.default_rng(5).normal(size=(n_samples, n_nodes))


def test_too_many_causes_for_the_rows_are_refused_by_the_name_of_the_effect():
    with pytest.raises(InputError, match="'x7' has 7 causes, of which 6 rows can test at most 4 together"):
        prune(STAR, few_rows())
    tested = evidence(STAR, few_rows(9)).by_edge()
    assert len(tested) == 7
    assert all(0.0 <= p <= 1.0 for p in tested.values())


class NeverAsked:
    def local(self, node, parents):
        raise AssertionError(f"asked for {parents} of {node}")


def test_pruning_that_too_few_rows_rule_out_is_refused_before_the_search():
    model = make(ds.GreedySearch, score=NeverAsked(), prune="cam")
    message = "prune='cam': 6 rows can test at most 4 causes of a variable together, 7 are possible; set max_parents"
    with pytest.raises(InputError, match=message):
        model.fit(few_rows())
    assert not hasattr(model, "dag_")


@pytest.mark.parametrize("settings", [{"max_parents": 4}, {"prune": "none"}])
def test_what_the_refusal_advises_helps(settings):
    model = make(ds.GreedySearch, **{"score": "bic-gp", "edge_budget": 9, "prune": "cam", **settings}).fit(few_rows())
    assert model.dag_.n_edges == 9
    assert model.result_.notes == ()


def test_automatic_pruning_that_too_few_rows_rule_out_is_left_out_with_a_note():
    model = make(ds.GreedySearch, score="bic-gp", edge_budget=9).fit(few_rows())
    (note,) = model.result_.notes
    assert note.startswith("not pruned: 6 rows can test at most 4 causes of a variable together, 7 are possible")
    assert model.pruned_dag_ == model.dag_
    assert model.evidence_ is None
    assert (model.result_.settings["prune"], model.result_.settings["alpha"]) == ("none", None)


@pytest.mark.parametrize("function", [prune, evidence])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "cofficients"}, "unknown pruning method 'cofficients'.*Did you mean 'coefficients'"),
        ({"method": "gam"}, "unknown pruning method 'gam'.*choose from cam, coefficients"),
        ({"alpha": 0}, "alpha must be a number above 0 and at most 1, got 0"),
        ({"alpha": 1.5}, r"alpha must be a number above 0 and at most 1, got 1\.5"),
        ({"alpha": -0.1}, r"alpha must be a number above 0 and at most 1, got -0\.1"),
        ({"alpha": math.nan}, "alpha must be a number above 0 and at most 1, got nan"),
        ({"n_jobs": 0}, "n_jobs must be a whole number of at least 1, got 0"),
        ({"n_jobs": -1}, "n_jobs must be a whole number of at least 1, got -1"),
        ({"method": "coefficients", "threshold": -0.1}, r"threshold must not be negative, got -0\.1"),
        ({"method": "coefficients", "threshold": math.nan}, "threshold must not be negative, got nan"),
        ({"method": "coefficients", "degree": 3}, "degree must be 1 or 2, got 3"),
        ({"dag": np.zeros((3, 3))}, "the graph has 3 nodes, the data have 6 variables"),
        ({"dag": np.ones((6, 6))}, "cycle"),
    ],
)
def test_wrong_arguments_are_named(function, arguments, message):
    with pytest.raises(InputError, match=message):
        function(**{"dag": np.zeros((6, 6)), "data": TABLE, **arguments})


def test_there_is_no_evidence_by_no_method():
    with pytest.raises(InputError, match="unknown pruning method 'none': choose from cam, coefficients"):
        evidence(FULL, TABLE, "none")


@pytest.mark.parametrize("method", ["cam", "coefficients"])
@pytest.mark.parametrize(("column", "message"), [(1.0, "'c' is constant"), (["low", "high"] * 75, "'c' holds text")])
def test_a_table_that_cannot_be_pruned_by_is_refused_by_the_name_of_the_column(method, column, message):
    with pytest.raises(DataError, match=message):
        prune(FULL, TABLE.assign(c=column), method)


def test_columns_in_another_order_than_the_nodes_are_refused():
    x = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=list("abc"))
    dag = ds.DAG.from_edges([("a", "b")], names=list("abc"))
    with pytest.raises(InputError, match="in another order"):
        prune(dag, x[["c", "b", "a"]])
