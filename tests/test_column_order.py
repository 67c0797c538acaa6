"""The columns of a table in another order: the same graph by names, or a note that says what depends on the order."""

import numpy as np
import pandas as pd
import pytest

import dagsearch as ds
from dagsearch.data import Arrangement
from dagsearch.data.arrangement import AS_PUBLISHED, arranged

NAMES = ("glucose", "Age", "x10", "zinc", "x9", "dose")

ON_NUMBERS = {
    "greedy": lambda **more: ds.GreedySearch(score="bic-linear", random_state=0, **more),
    "greedy with a budget": lambda **more: ds.GreedySearch(score="bic-linear", edge_budget=7, random_state=0, **more),
    "cam": lambda **more: ds.CAM(random_state=0, **more),
    "notears": lambda **more: ds.NOTEARS(threshold=0.1, repair=True, **more),
    "lingam": lambda **more: ds.LiNGAM(random_state=0, **more),
    "lingam, direct": lambda **more: ds.LiNGAM(variant="direct", **more),
    "ges": lambda **more: ds.GES(score="bic-linear", **more),
    "pc": ds.PC,
}
REFUSE_TWINS = ("lingam", "lingam, direct")
ON_LEVELS = {
    "greedy": lambda **more: ds.GreedySearch(score="bic-discrete", random_state=0, **more),
    "greedy with a budget": lambda **more: ds.GreedySearch(score="bdeu", edge_budget=7, random_state=0, **more),
    "ges": lambda **more: ds.GES(score="bic-discrete", **more),
    "pc": ds.PC,
}


def numbers(seed, noise="gaussian", n_samples=300):
    """Six columns of a linear model, whose names are not sorted."""
    data = ds.datasets.simulate(6, n_samples, noise=noise, random_state=seed)
    return pd.DataFrame(data.values, columns=NAMES)


def levels(seed):
    """Six columns of categories."""
    data = ds.datasets.simulate(6, 500, mechanism="discrete", random_state=seed)
    return pd.DataFrame(data.values.astype(int), columns=NAMES).astype("category")


def in_other_orders(frame, n_orders=4, seed=1):
    """The table, and the same with its columns in other orders."""
    rng = np.random.default_rng(seed)
    return [frame, *(frame[rng.permutation(list(frame.columns))] for _ in range(n_orders))]


def edges_of(graph):
    return set(graph.directed_edges), {frozenset(pair) for pair in graph.undirected_edges}


def by_names(matrix, columns):
    """A matrix of pairs with rows and columns in the order of `NAMES`."""
    return pd.DataFrame(matrix, index=columns, columns=columns).loc[list(NAMES), list(NAMES)].to_numpy()


# ---------------------------------------------------------------- methods that nobody takes for a matter of chance


@pytest.mark.parametrize("seed", [1, 3])
@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize("method", ON_NUMBERS)
def test_the_graph_does_not_depend_on_the_order_of_columns_of_numbers(method, noise, seed):
    fits = [ON_NUMBERS[method]().fit(table) for table in in_other_orders(numbers(seed, noise))]
    for fit in fits[1:]:
        assert edges_of(fit.dag_) == edges_of(fits[0].dag_)
        assert edges_of(fit.pruned_dag_) == edges_of(fits[0].pruned_dag_)
        # A class has many members, whose rewards differ by the floor beneath residual variances.
        assert fit.reward_ == pytest.approx(fits[0].reward_, rel=1e-6)
    assert fits[0].dag_.n_edges > 0


@pytest.mark.parametrize("seed", [20, 21])
@pytest.mark.parametrize("method", ON_LEVELS)
def test_the_graph_does_not_depend_on_the_order_of_columns_of_categories(method, seed):
    fits = [ON_LEVELS[method]().fit(table) for table in in_other_orders(levels(seed))]
    assert all(edges_of(fit.dag_) == edges_of(fits[0].dag_) for fit in fits[1:])
    assert fits[0].dag_.n_edges > 0


@pytest.mark.parametrize("method", [name for name in ON_NUMBERS if name not in REFUSE_TWINS])
def test_of_columns_that_are_the_same_but_for_their_unit_the_same_one_stands_for_both(method):
    table = numbers(1, "laplace")
    table["zinc"] = 2.0 * table["x10"]
    fits = [ON_NUMBERS[method]().fit(frame) for frame in in_other_orders(table, n_orders=6)]
    assert all(edges_of(fit.dag_) == edges_of(fits[0].dag_) for fit in fits[1:])


@pytest.mark.parametrize("method", ["lingam", "lingam, direct", "notears"])
def test_weights_are_those_of_the_columns_that_they_stand_at(method):
    expected = ON_NUMBERS[method]().fit(numbers(3, "laplace")).weights_
    assert (expected != 0.0).any()
    for table in in_other_orders(numbers(3, "laplace")):
        fit = ON_NUMBERS[method]().fit(table)
        np.testing.assert_array_equal(fit.weights_ != 0.0, fit.dag_.adjacency != 0)
        np.testing.assert_array_equal(by_names(fit.weights_, table.columns), expected)
        if method != "notears":
            places = {name: place for place, name in enumerate(fit.causal_order_)}
            assert set(places) == set(NAMES)
            assert all(places[cause] < places[effect] for cause, effect in fit.dag_.edges)


@pytest.mark.parametrize("method", ON_NUMBERS)
def test_what_is_known_holds_for_the_columns_that_it_names(method):
    knowledge = ds.Knowledge(required=[("zinc", "Age")], forbidden=[("x9", "x10"), ("x10", "x9"), ("dose", "glucose")])
    fits = [ON_NUMBERS[method](knowledge=knowledge).fit(table) for table in in_other_orders(numbers(1, "laplace"))]
    for fit in fits:
        directed, undirected = edges_of(fit.dag_)
        assert ("zinc", "Age") in directed
        assert not directed & {("x9", "x10"), ("x10", "x9"), ("dose", "glucose")}
        assert frozenset(["x9", "x10"]) not in undirected
        assert (directed, undirected) == edges_of(fits[0].dag_)


def test_published_tables_keep_their_order_and_what_was_recorded_on_them():
    names = [ds.datasets.load(name).names for name in ("sachs", *at_hand())]
    assert all(Arrangement.of(each).columns.tolist() == list(range(len(each))) for each in names)
    assert set(AS_PUBLISHED) == {names[0]}
    shuffled = in_other_orders(ds.datasets.load("sachs").to_pandas().iloc[:300], n_orders=2)
    fits = [ds.LiNGAM(random_state=5, prune="none", max_iter=50).fit(table) for table in shuffled]
    assert all(edges_of(fit.dag_) == edges_of(fits[0].dag_) for fit in fits[1:])


def at_hand():
    """Data sets of other families that need no download."""
    families = ("syntren-1", "asia", "child", "insurance", "er50-quadratic", "gp10-e15-1")
    return [name for name in families if ds.datasets.status(name) != "to be downloaded"]


def test_numbers_in_names_are_sorted_by_their_size():
    names = ["x10", "x9", "b", "x1", "x01", "10", "9", "x9y2", "", "x" + "9" * 5000]
    assert arranged(names) == ["", "9", "10", "b", "x01", "x1", "x9", "x9y2", "x10", "x" + "9" * 5000]
    assert arranged(names[::-1]) == arranged(names)


def test_an_arrangement_and_back_is_where_it_began():
    arrangement, matrix = Arrangement.of(NAMES), np.arange(36).reshape(6, 6)
    np.testing.assert_array_equal(arrangement.pairs_back(arrangement.pairs(matrix)), matrix)
    names = arrangement.names(NAMES)
    assert names == ("Age", "dose", "glucose", "x9", "x10", "zinc")
    assert arrangement.pairs(matrix)[0, 3] == matrix[NAMES.index("Age"), NAMES.index("x9")]
    assert [names[place] for place in arrangement.places] == list(NAMES)


# ---------------------------------------------------------------- directions that no score can tell


@pytest.mark.parametrize("table", [numbers(3, "laplace"), levels(21)], ids=["numbers", "levels"])
def test_exact_search_finds_one_class_and_says_which_directions_depend_on_the_order(table):
    score = "bic-discrete" if isinstance(table.dtypes.iloc[0], pd.CategoricalDtype) else "bic-linear"
    fits = [ds.ExactSearch(score=score).fit(frame) for frame in in_other_orders(table)]
    assert len({frozenset(edges_of(fit.equivalence_class_)[0]) for fit in fits}) == 1
    n_open = len(fits[0].equivalence_class_.undirected_edges)
    assert n_open > 0
    for fit in fits:
        assert edges_of(fit.equivalence_class_) == edges_of(fits[0].equivalence_class_)
        (note,) = [note for note in fit.result_.notes if "depends on the order of the columns" in note]
        assert f"no direction of {n_open} of {fit.dag_.n_edges} edges" in note


def test_exact_search_says_nothing_of_directions_that_are_told():
    table = numbers(3, "laplace")
    tiers = ds.Knowledge(tiers=[[name] for name in NAMES])
    for told in ({"score": "bic-linear", "knowledge": tiers}, {"score": "bic-quadratic"}):
        notes = ds.ExactSearch(**told).fit(table).result_.notes
        assert not [note for note in notes if "order of the columns" in note]


# ---------------------------------------------------------------- searches by chance


@pytest.mark.parametrize(
    "search",
    [
        lambda: ds.CDUCT(score="bic-linear", random_state=0),
        lambda: ds.OrderSearch(score="bic-linear", random_state=0),
        lambda: ds.RandomSearch(score="bic-linear", random_state=0, sims_per_node=2000),
    ],
    ids=["cd-uct", "order", "random-search"],
)
def test_searches_by_chance_find_the_optimum_of_an_easy_table_in_any_order(search):
    table = numbers(1).iloc[:, :4]
    best = ds.ExactSearch(score="bic-linear").fit(table)
    for frame in in_other_orders(table):
        fit = search().fit(frame)
        assert edges_of(fit.dag_.to_cpdag()) == edges_of(best.equivalence_class_)
        assert fit.reward_ == pytest.approx(best.reward_, rel=1e-9)
