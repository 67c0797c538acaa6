"""Equivalence classes where variables were set: which directions experiments decide, and where that is told."""

from itertools import chain, combinations

import naive
import naive_classes
import numpy as np
import pandas as pd
import pytest

import dagsearch as ds
from dagsearch.errors import UnknownNameError
from dagsearch.report.directions import class_open_edges

NAMES = list("abcd")


def subsets(n_nodes):
    return list(chain.from_iterable(combinations(range(n_nodes), size) for size in range(1, n_nodes)))


def intervened(edges, target):
    """The graph of an experiment: what leads into a variable that is set is cut."""
    return frozenset((cause, effect) for cause, effect in edges if effect not in target)


def fingerprint(edges, targets):
    """What observations and experiments tell of a DAG: skeleton and v-structures of each graph they come from."""
    return tuple(naive_classes.fingerprint(intervened(edges, target)) for target in ((), *targets))


def classes(n_nodes, targets):
    found = {}
    for edges in naive.all_dags(n_nodes):
        found.setdefault(fingerprint(edges, targets), []).append(edges)
    return found.values()


def check_classes(n_nodes, targets):
    """Arrows are those that all members share."""
    for members in classes(n_nodes, targets):
        agreed = frozenset.intersection(*members)
        for edges in members:
            dag = ds.DAG(naive.adjacency_of(edges, n_nodes), NAMES[:n_nodes])
            found = dag.to_cpdag(targets)
            assert {tuple(map(NAMES.index, edge)) for edge in found.directed_edges} == agreed
            assert found.n_edges == dag.n_edges


# ---------------------------------------------------------------- against brute force


@pytest.mark.parametrize("target", subsets(4), ids=lambda target: "".join(NAMES[node] for node in target))
def test_arrows_are_what_all_dags_of_four_nodes_agree_on_that_one_experiment_does_not_tell_apart(target):
    check_classes(4, [target])


@pytest.mark.parametrize("targets", [[(0,), (1, 2)], [(0, 1), (1, 2)], [(3,), (0, 1, 2)], [(0,), (1,), (2,)]], ids=str)
def test_arrows_are_what_all_dags_of_four_nodes_agree_on_that_several_experiments_do_not_tell_apart(targets):
    check_classes(4, targets)


def test_without_experiments_the_class_is_the_cpdag():
    for edges in naive.all_dags(4):
        adjacency = naive.adjacency_of(edges, 4)
        assert np.array_equal(ds.DAG(adjacency).to_cpdag([]).adjacency, naive_classes.cpdag(adjacency))


def test_setting_every_variable_alone_decides_every_direction():
    dag = ds.DAG(np.triu(np.ones((4, 4)), 1), NAMES)
    assert dag.to_cpdag([[name] for name in NAMES]).undirected_edges == []


def test_variables_that_are_always_set_together_tell_nothing_about_the_edge_between_them():
    assert ds.DAG.from_edges([("a", "b")]).to_cpdag([["a", "b"]]).undirected_edges == [("a", "b")]


def test_a_target_that_is_no_node_is_named():
    with pytest.raises(UnknownNameError, match="'e'"):
        ds.DAG.from_edges([("a", "b")]).to_cpdag([["e"]])


# ---------------------------------------------------------------- tables


def experiment(n_samples=600):
    """a -> b -> c with Gaussian noise, and d -> e beside them; b was set in a sixth of the rows."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n_samples, 5))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1]
    x[:, 4] += x[:, 3]
    frame = pd.DataFrame(x, columns=list("abcde"))
    frame["what"] = np.where(np.arange(n_samples) % 6 == 0, "b", "")
    frame.loc[frame["what"] == "b", "b"] = rng.normal(size=(frame["what"] == "b").sum())
    second = frame["what"] == "b"
    frame.loc[second, "c"] = frame["b"][second] + rng.normal(size=second.sum())
    return frame


def test_a_table_knows_what_was_set_together():
    data = ds.as_dataset(experiment()[list("abc")], interventions=["a;c", "b", "a;c", *[""] * 597])
    assert sorted(data.targets) == [("a", "c"), ("b",)]
    assert ds.as_dataset(experiment()[list("abc")]).targets == []


@pytest.mark.parametrize("score", ["bic-linear", "bdeu", "bic-discrete"])
def test_scores_are_the_same_for_dags_that_experiments_do_not_tell_apart(score):
    frame = experiment()[list("abcd")]
    values = frame if score == "bic-linear" else (frame > 0).astype(int)
    was_set = np.array(["a;b", "c", "", "a;b", "", ""] * 100)
    made = ds.scores.make(score, values, interventions=was_set)
    assert sorted(made.class_targets) == [("a", "b"), ("c",)]
    targets = [(0, 1), (2,)]
    n_distinct = 0
    for members in classes(4, targets):
        rewards = [made.reward(naive.adjacency_of(edges, 4)) for edges in members]
        assert rewards == pytest.approx([rewards[0]] * len(members), rel=1e-7, abs=1e-7)
        n_distinct += 1
    assert n_distinct > len(classes(4, []))


def test_linear_scores_are_the_same_for_such_dags_where_cells_are_missing_too():
    frame = experiment()[list("abcd")]
    holed = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.1)
    made = ds.scores.make("bic-linear", holed, interventions=["a;b", "c", "", ""] * 150)
    assert sorted(made.class_targets) == [("a", "b"), ("c",)]
    for members in classes(4, [(0, 1), (2,)]):
        rewards = [made.reward(naive.adjacency_of(edges, 4)) for edges in members]
        assert rewards == pytest.approx([rewards[0]] * len(members), rel=1e-7, abs=1e-7)


def test_scores_that_tell_equivalent_graphs_apart_know_no_class():
    frame = experiment()
    assert ds.scores.make("evidence", frame, interventions="what", models=["linear"]).class_targets is None
    assert ds.scores.make("evidence", frame[list("abc")]).class_targets is None
    holed = (frame[list("abc")] > 0).astype(float)
    holed.iloc[0, 0] = np.nan
    assert ds.scores.make("bdeu", holed, interventions=["a"] * 10 + [""] * 590).class_targets is None


@pytest.mark.parametrize("kind", [ds.OrderSearch, ds.ExactSearch], ids=lambda kind: kind.method)
def test_directions_that_experiments_decide_are_told_and_others_are_open(kind):
    model = kind(score="bic-linear", interventions="what", random_state=0).fit(experiment())
    assert {("a", "b"), ("b", "c")} <= set(model.dag_.edges)
    assert [frozenset(edge) for edge in class_open_edges(model)] == [frozenset("de")]


def test_without_the_column_the_chain_is_open():
    model = ds.OrderSearch(score="bic-linear", random_state=0).fit(experiment().drop(columns="what"))
    assert {frozenset("ab"), frozenset("bc")} <= {frozenset(edge) for edge in class_open_edges(model)}


def test_exact_search_keeps_the_class_that_experiments_leave():
    model = ds.ExactSearch(score="bic-linear", interventions="what").fit(experiment())
    assert set(model.equivalence_class_.directed_edges) == {("a", "b"), ("b", "c")}
