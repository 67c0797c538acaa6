"""DirectLiNGAM: the measure beside an obvious twin, the numbers of its authors' package, knowledge, early ends."""

from __future__ import annotations

from itertools import permutations, product

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import stopping
from common import linear_table, make, standardised
from direct_lingam_numbers import ORDERS, TABLES, TIERS, WEIGHTS, laplace_table
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge_cases import assert_obeys, random_frame, random_knowledge
from linear_models import N_NODES, edges, uniform_table
from linear_models import WEIGHTS as TRUE_WEIGHTS

import dagsearch as ds
from dagsearch.baselines import direct_lingam as module
from dagsearch.baselines.direct_lingam import causal_order, direct_lingam, penalties_of, precedence
from dagsearch.baselines.non_gaussian import Known
from dagsearch.errors import DataError, InputError
from dagsearch.search.monitor import Monitor

NAMES = list("abcdef")
FRAME = pd.DataFrame(uniform_table(), columns=NAMES)
FEW_SAMPLES, MANY_SAMPLES = 7, 3000


# ---------------------------------------------------------------- the measure


def entropy(u):
    """Hyvärinen's approximation, for a standardised variable."""
    flatness, skewness = np.mean(np.log(np.cosh(u))), np.mean(u * np.exp(-(u**2) / 2))
    return (1 + np.log(2 * np.pi)) / 2 - 79.047 * (flatness - 0.37457) ** 2 - 7.4129 * skewness**2


def likelihood_ratio(x, y, slope_scale=1.0):
    """Of x -> y against y -> x."""
    rho = slope_scale * np.mean(x * y)
    residual_x, residual_y = x - rho * y, y - rho * x
    towards_y = entropy(x) + entropy(residual_y / residual_y.std())
    towards_x = entropy(y) + entropy(residual_x / residual_x.std())
    return towards_x - towards_y


def penalties(table, slope_scale=1.0):
    """How much speaks against each column as the first one."""
    n_nodes = table.shape[1]
    return [
        sum(min(0.0, likelihood_ratio(table[:, i], table[:, j], slope_scale)) ** 2 for j in range(n_nodes) if j != i)
        for i in range(n_nodes)
    ]


def order_by_naive_measures(table, slope_scale=1.0):
    table, left, order = table.copy(), list(range(table.shape[1])), []
    while left:
        first = left[int(np.argmin(penalties(standardised(table[:, left]), slope_scale)))]
        left.remove(first)
        order.append(first)
        for node in left:
            slope = np.cov(table[:, node], table[:, first], bias=True)[0, 1] / table[:, first].var()
            table[:, node] -= slope_scale * slope * table[:, first]
    return order


@pytest.mark.parametrize("n_samples", [FEW_SAMPLES, 64, 1000])
@pytest.mark.parametrize("noise", ["uniform", "laplace", "normal", "standard_cauchy"])
def test_penalties_are_those_of_the_formula(noise, n_samples):
    table = standardised(getattr(np.random.default_rng(1), noise)(size=(n_samples, 5)))
    everything = np.arange(5)
    found = penalties_of(np.ascontiguousarray(table.T), everything, everything)
    np.testing.assert_allclose(found, penalties(table), rtol=1e-9, atol=1e-12)
    assert max(found) > 0


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_penalties_do_not_depend_on_how_often_somebody_looks_at_the_clock(monkeypatch, size):
    columns = np.ascontiguousarray(standardised(laplace_table()).T)
    everything = np.arange(len(columns))
    expected = penalties_of(columns, everything, everything)
    monkeypatch.setattr(module, "_MOST_AT_A_TIME", size * columns.shape[1])
    np.testing.assert_allclose(penalties_of(columns, everything, everything), expected, rtol=1e-12)


def test_penalties_of_some_candidates_count_all_that_are_left():
    columns = np.ascontiguousarray(standardised(laplace_table()).T)
    left = np.array([1, 2, 4, 7, 8])
    expected = penalties_of(columns, left, left)
    found = penalties_of(columns, left, np.array([2, 8]))
    np.testing.assert_allclose(found[[2, 8]], expected[[2, 8]], rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(20, 200), st.sampled_from([1.0, 1.05]))
def test_the_order_is_that_of_the_naive_measures(seed, n_nodes, n_samples, slope_scale):
    table = laplace_table(n_samples, n_nodes, seed)
    nothing = np.zeros((n_nodes, n_nodes), dtype=bool)
    order = causal_order(standardised(table), nothing, slope_scale=slope_scale)
    assert order == order_by_naive_measures(table, slope_scale)


# ---------------------------------------------------------------- numbers of the authors' package


@pytest.mark.parametrize("name", TABLES)
def test_order_and_weights_are_those_of_the_package_of_the_authors(name):
    fit = direct_lingam(TABLES[name]())
    assert fit.order == ORDERS[name]
    assert edges(fit.weights) == set(WEIGHTS[name])
    assert [fit.weights[edge] for edge in WEIGHTS[name]] == pytest.approx(list(WEIGHTS[name].values()), rel=1e-6)


def test_order_and_weights_with_tiers_are_those_of_the_package_of_the_authors():
    knowledge, names, expected = ds.Knowledge(tiers=TIERS), [f"x{k}" for k in range(6)], WEIGHTS["uniform, tiers"]
    fit = direct_lingam(uniform_table(), allowed=knowledge.allowed_edges(names))
    assert fit.order == ORDERS["uniform, tiers"] != ORDERS["uniform"]
    assert edges(fit.weights) == set(expected)
    assert [fit.weights[edge] for edge in expected] == pytest.approx(list(expected.values()), rel=1e-6)


# ---------------------------------------------------------------- what it finds


@pytest.mark.parametrize("seed", range(5))
def test_weights_of_a_linear_model_are_recovered_in_the_right_direction(seed):
    fit = direct_lingam(uniform_table(MANY_SAMPLES, seed))
    assert (fit.converged, fit.n_iterations) == (True, 0)
    np.testing.assert_allclose(fit.weights, TRUE_WEIGHTS, rtol=0, atol=0.1)


def test_units_and_means_change_nothing_but_the_scale_of_weights():
    scale, table = np.array([1e-3, 2.0, 50.0, 1.0, 0.2, 1e4]), uniform_table()
    fit, other = direct_lingam(table), direct_lingam(table * scale + 7.0)
    assert other.order == fit.order
    np.testing.assert_allclose(other.weights * scale[:, None] / scale[None, :], fit.weights, rtol=1e-6, atol=1e-9)


def test_the_estimator_has_the_variant_and_the_default_is_the_other_one():
    direct, ica = (make(ds.LiNGAM, prune="none", **more).fit(FRAME) for more in ({"variant": "direct"}, {}))
    assert direct.causal_order_ == [NAMES[node] for node in ORDERS["uniform"]]
    assert direct.result_.settings["variant"] == "direct"
    assert "max_iter" not in direct.result_.settings
    assert ica.result_.settings["variant"] == "ica"
    assert direct.result_.notes == ica.result_.notes
    # Weights are those on standardised data.
    found = {edge: direct.weights_[edge] for edge in WEIGHTS["uniform"]}
    scale = FRAME.std().to_numpy()
    expected = {(i, j): weight * scale[i] / scale[j] for (i, j), weight in WEIGHTS["uniform"].items()}
    assert found == pytest.approx(expected, rel=1e-6)
    assert set(direct.dag_.edges) == {(NAMES[i], NAMES[j]) for i, j in expected}


def test_seeds_of_the_variant_do_not_matter():
    table = np.random.default_rng(0).normal(size=(150, 6))
    orders = {tuple(ds.LiNGAM(variant="direct", random_state=seed).fit(table).causal_order_) for seed in range(3)}
    assert len(orders) == 1


def test_iterations_that_were_asked_for_in_vain_are_noted():
    model = make(ds.LiNGAM, variant="direct", max_iter=5).fit(FRAME)
    assert "max_iter is of no account to the variant direct, which does not iterate" in model.result_.notes


def test_another_variant_is_refused_by_name():
    with pytest.raises(InputError, match=r"unknown variant 'dircet'.*Did you mean 'direct'"):
        ds.LiNGAM(variant="dircet").fit(FRAME)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (uniform_table(6), "more rows than columns, got 6 rows and 6 columns"),
        (np.column_stack([uniform_table(), np.full(400, 3.7)]), "columns that vary; constant: column 6$"),
        (np.column_stack([uniform_table(), uniform_table()[:, :2].sum(axis=1)]), "dependent: column 0, column 1"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_by_column(table, message):
    with pytest.raises(DataError, match=message):
        direct_lingam(table)


def test_nearly_dependent_columns_give_numbers():
    table = uniform_table()
    nearly = table[:, 0] + 1e-7 * np.random.default_rng(0).uniform(size=len(table))
    fit = direct_lingam(np.column_stack([table, nearly]))
    assert sorted(fit.order) == list(range(7))
    assert np.isfinite(fit.weights).all()


# ---------------------------------------------------------------- knowledge


def orders_that_suit(allowed, required):
    """All orders in which required causes come first, and in which no possible ancestor comes after its descendant.

    Possible ancestors are those in some graph that obeys, found by going through the paths of what is possible.
    """
    n_nodes = len(allowed)
    required_graph = nx.from_numpy_array(required, create_using=nx.DiGraph)
    possible = nx.DiGraph()
    possible.add_nodes_from(range(n_nodes))
    possible.add_edges_from(
        (a, b)
        for a, b in product(range(n_nodes), repeat=2)
        if a != b and allowed[a, b] and not nx.has_path(required_graph, b, a)
    )
    paths = {(a, b): nx.has_path(possible, a, b) for a, b in product(range(n_nodes), repeat=2)}
    before = {(a, b) for a, b in paths if a != b and (required[a, b] or (paths[a, b] and not paths[b, a]))}
    return {order for order in permutations(range(n_nodes)) if all(order.index(a) < order.index(b) for a, b in before)}


@pytest.mark.parametrize("seed", range(40))
def test_an_order_is_open_as_far_as_knowledge_leaves_it_open(seed):
    names = NAMES[:5]
    knowledge = random_knowledge(seed, names)
    allowed, required = knowledge.allowed_edges(names), knowledge.required_edges(names)
    before = precedence(Known(allowed, required))
    graph = nx.from_numpy_array(before, create_using=nx.DiGraph)
    assert {tuple(order) for order in nx.all_topological_sorts(graph)} == orders_that_suit(allowed, required)


def test_a_forbidden_edge_alone_leaves_the_order_open_to_effects_through_others():
    allowed = np.ones((3, 3), dtype=bool)
    allowed[0, 1] = False
    assert not precedence(Known.over(3, allowed)).any()
    pair = np.array([[True, False], [True, True]])
    assert precedence(Known.over(2, pair)).tolist() == [[False, False], [True, False]]


@pytest.mark.parametrize("seed", range(15))
def test_the_variant_obeys_what_is_known(seed):
    frame = random_frame(seed, 4 + seed % 3)
    knowledge = random_knowledge(seed, list(frame.columns))
    model = make(ds.LiNGAM, variant="direct", score="bic-linear", knowledge=knowledge).fit(frame)
    assert_obeys(model.dag_, knowledge)
    assert_obeys(model.pruned_dag_, knowledge)
    place = {name: k for k, name in enumerate(model.causal_order_)}
    assert all(place[cause] < place[effect] for cause, effect in model.dag_.edges)


def test_the_order_keeps_to_tiers_and_to_required_edges():
    names = [f"x{k}" for k in range(5)]
    knowledge = ds.Knowledge(required=[(2, 4)], tiers=[[4, 2], [0], [1, 3]])
    allowed, required = knowledge.allowed_edges(names), knowledge.required_edges(names)
    for seed in range(5):
        order = direct_lingam(linear_table(60, 5, seed), allowed=allowed, required=required).order
        assert order[:3] == (2, 4, 0)


# ---------------------------------------------------------------- early ends


def ended_at(monkeypatch, look, act, **more):
    """The fit of a model that ends when somebody looks at the clock for the n-th time."""
    n_looks = 0

    def counting(_monitor):
        nonlocal n_looks
        n_looks += 1
        if n_looks == look:
            act()

    monkeypatch.setattr(Monitor, "look", counting)
    return make(ds.LiNGAM, variant="direct", prune="none", **more).fit(FRAME)


def test_looks_at_the_clock_reach_into_each_step(monkeypatch):
    looks = []
    monkeypatch.setattr(Monitor, "look", lambda _: looks.append(1))
    make(ds.LiNGAM, variant="direct", prune="none").fit(FRAME)
    # Before each variable and its effects, once for entropies in each step, and for each candidate that has others.
    n_steps = N_NODES + (N_NODES - 1) + (N_NODES - 1) + sum(k - 1 for k in range(2, N_NODES + 1))
    assert len(looks) >= n_steps


def test_ctrl_c_in_the_order_keeps_the_order_so_far(monkeypatch):
    whole = [NAMES[node] for node in ORDERS["uniform"]]
    known = set()
    for look in range(1, 25):
        model = ended_at(monkeypatch, look, stopping.interrupt)
        assert model.result_.status == "interrupted"
        assert model.dag_.n_edges == 0
        (note,) = [note for note in model.result_.notes if "LiNGAM had not finished" in note]
        n_known = int(note.split("is known of ")[1].split()[0])
        assert note.endswith(f"edges are missing; the causal order is known of {n_known} of 6 variables")
        rest = [name for name in NAMES if name not in whole[:n_known]]
        assert model.causal_order_ == whole[:n_known] + rest
        known.add(n_known)
    assert known >= {1, 2, 3}


def test_ctrl_c_in_the_effects_keeps_those_so_far(monkeypatch):
    n_edges = set()
    for look in range(26, 45):
        model = ended_at(monkeypatch, look, stopping.interrupt)
        if model.result_.status == "finished":
            break
        assert model.causal_order_ == [NAMES[node] for node in ORDERS["uniform"]]
        assert set(model.dag_.edges) <= {(NAMES[i], NAMES[j]) for i, j in WEIGHTS["uniform"]}
        n_edges.add(model.dag_.n_edges)
    assert len(n_edges) > 2


def test_required_edges_are_there_however_early_the_end(monkeypatch):
    knowledge = ds.Knowledge(required=[("f", "a")], tiers=[["f"], ["a", "b", "c", "d", "e"]])
    model = ended_at(monkeypatch, 1, stopping.interrupt, knowledge=knowledge)
    assert list(model.dag_.edges) == [("f", "a")]
    assert model.causal_order_[0] == "f"


def test_a_time_limit_ends_a_wide_table_soon():
    table = np.random.default_rng(0).uniform(size=(20_000, 60))
    make(ds.LiNGAM, variant="direct", prune="none").fit(FRAME)
    model = make(ds.LiNGAM, variant="direct", prune="none", score="bic-linear", time_limit=0.3).fit(table)
    assert model.result_.status == "time-limit"
    assert model.result_.seconds < 3
    assert "the causal order is known of" in model.result_.notes[-1]
