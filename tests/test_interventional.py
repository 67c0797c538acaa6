"""SID and AID: slow twins by d-separation and by linear models, published numbers, and graphs that have none."""

import itertools
import subprocess
import sys

import naive
import networkx as nx
import numpy as np
import pytest

import dagsearch as ds
from dagsearch.errors import CycleError, InputError
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.metrics import agreement, aid, compare, sid

STRATEGIES = ("ancestor", "parent", "oset")
TRUTH = DAG.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
MEASURES = [sid, *(lambda found, truth, kind=kind: aid(found, truth, kind) for kind in STRATEGIES)]
by_measure = pytest.mark.parametrize("measure", MEASURES, ids=["sid", *STRATEGIES])

# --- Slow twins ------------------------------------------------------------------------------------


def all_matrices(n_nodes):
    return [naive.adjacency_of(edges, n_nodes) for edges in naive.all_dags(n_nodes)]


def random_dag(rng, n_nodes):
    density = rng.choice([0.2, 0.5, 0.8])
    matrix = np.triu(rng.random((n_nodes, n_nodes)) < density, 1).astype(int)
    order = rng.permutation(n_nodes)
    return matrix[np.ix_(order, order)]


def random_pairs(n_pairs, seed, sizes=(4, 5, 6)):
    rng = np.random.default_rng(seed)
    for _ in range(n_pairs):
        n_nodes = rng.choice(sizes)
        yield random_dag(rng, n_nodes), random_dag(rng, n_nodes)


def digraph(matrix):
    return nx.from_numpy_array(np.asarray(matrix), create_using=nx.DiGraph)


def on_causal_paths(graph, t, y):
    """Nodes on directed paths from t to y, without t."""
    return (nx.descendants(graph, t) & (nx.ancestors(graph, y) | {y})) if y in nx.descendants(graph, t) else set()


def is_valid(graph, t, y, adjusted):
    """Whether adjusting gives p(y | do(t)): Shpitser et al. 2010, on the proper back-door graph."""
    causal = on_causal_paths(graph, t, y)
    forbidden = causal.union(*(nx.descendants(graph, node) for node in causal))
    back_door = graph.copy()
    back_door.remove_edges_from([(t, node) for node in causal if graph.has_edge(t, node)])
    return y not in adjusted and not forbidden & adjusted and nx.is_d_separator(back_door, {t}, {y}, adjusted)


def claim(found, t, y, strategy):
    """What a DAG says of the effect of t on y: the set to adjust for; None if there is no effect."""
    if strategy == "parent":
        parents = set(found.predecessors(t))
        return None if y in parents else parents
    if y not in nx.descendants(found, t):
        return None
    if strategy == "ancestor":
        return nx.ancestors(found, t)
    causal = on_causal_paths(found, t, y)
    return {parent for node in causal for parent in found.predecessors(node)} - causal - {t}


def naive_distance(found, truth, strategy):
    """Count over all pairs of nodes of two DAGs, straight from the definitions."""
    found, truth, wrong = digraph(found), digraph(truth), 0
    for t, y in itertools.permutations(truth, 2):
        adjusted = claim(found, t, y, strategy)
        wrong += y in nx.descendants(truth, t) if adjusted is None else not is_valid(truth, t, y, adjusted)
    return wrong


def members(mixed):
    """All DAGs of the equivalence class that a CPDAG stands for."""
    lines = [(i, j) for i, j in np.argwhere(mixed & mixed.T) if i < j]
    for away in itertools.product([(0, 1), (1, 0)], repeat=len(lines)):
        matrix = mixed.copy()
        for (i, j), (forward, backward) in zip(lines, away, strict=True):
            matrix[i, j], matrix[j, i] = forward, backward
        if nx.is_directed_acyclic_graph(digraph(matrix)) and np.array_equal(DAG(matrix).to_cpdag().adjacency, mixed):
            yield digraph(matrix)


def possible_effects(mixed, t):
    """Nodes that t may reach, and those that it may reach by an undirected edge first, in a CPDAG.

    The effect on the latter is open: it is not the same in all members.
    """
    without = digraph(mixed)
    without.remove_edges_from([(node, t) for node in range(len(mixed))])
    first = {int(node) for node in np.flatnonzero(mixed[t] & mixed[:, t])}
    return nx.descendants(without, t), first.union(*(nx.descendants(without, node) for node in first))


def class_claim(found, t, y, strategy):
    """What a CPDAG says of the effect of t on y: the set to adjust for, None, or that it is open."""
    reached, is_open = possible_effects(found, t)
    arrows = digraph(found & ~found.T)
    if strategy == "parent" and y in set(arrows.predecessors(t)):
        return None
    if strategy != "parent" and y not in reached:
        return None
    if y in is_open:
        return "open"
    return set(arrows.predecessors(t)) if strategy == "parent" else nx.ancestors(arrows, t)


def naive_class_distance(found, truth, strategy):
    """Count over all pairs of nodes of two CPDAGs; an adjustment is valid if it is in all members of the truth."""
    dags, wrong = list(members(truth)), 0
    for t, y in itertools.permutations(range(len(truth)), 2):
        claimed = class_claim(found, t, y, strategy)
        reached, is_open = possible_effects(truth, t)
        if claimed is None:
            wrong += y in reached
        elif claimed == "open" or y in is_open:
            wrong += (claimed == "open") != (y in is_open)
        else:
            wrong += not all(is_valid(dag, t, y, claimed) for dag in dags)
    return wrong


def naive_mixed_distance(found, truth, strategy):
    """As for two classes, where the truth is the only member of its own."""
    wrong, graph = 0, digraph(truth)
    for t, y in itertools.permutations(range(len(truth)), 2):
        claimed = class_claim(found, t, y, strategy)
        if claimed is None:
            wrong += y in nx.descendants(graph, t)
        else:
            wrong += claimed == "open" or not is_valid(graph, t, y, claimed)
    return wrong


def gaussian_sid(found, truth, rng):
    """SID of linear Gaussian models: mean and variance of y under do(t), true and by adjustment.

    For y among the parents of t, which are adjusted for, the distribution is that of y alone.
    """
    n_nodes = len(truth)
    weights = truth * rng.uniform(0.5, 2, truth.shape) * rng.choice([-1, 1], truth.shape)
    noise = rng.uniform(0.5, 2, n_nodes)

    def covariance(coefficients, variances):
        mixing = np.linalg.inv(np.eye(n_nodes) - coefficients)
        return mixing.T @ np.diag(variances) @ mixing

    observed, wrong = covariance(weights, noise), 0
    for t, y in itertools.permutations(range(n_nodes), 2):
        cut, still = weights.copy(), noise.copy()
        cut[:, t], still[t] = 0, 0
        slope, variance = np.linalg.inv(np.eye(n_nodes) - cut)[t, y], covariance(cut, still)[y, y]
        parents = np.flatnonzero(found[:, t])
        if y in parents:
            by_adjustment = [0, observed[y, y]]
        else:
            used = [t, *parents]
            coefficients = np.linalg.solve(observed[np.ix_(used, used)], observed[used, y])
            explained = coefficients[1:] @ observed[np.ix_(parents, parents)] @ coefficients[1:]
            rest = observed[y, y] - coefficients @ observed[used, y]
            by_adjustment = [coefficients[0], explained + rest]
        wrong += not np.allclose(by_adjustment, [slope, variance], rtol=1e-7, atol=1e-9)
    return wrong


# --- Distances of DAGs -----------------------------------------------------------------------------


@pytest.mark.long
def test_all_graphs_of_three_nodes_have_the_distances_of_the_slow_twin():
    dags = all_matrices(3)
    assert len(dags) == 25
    for found, truth in itertools.product(dags, repeat=2):
        for strategy in STRATEGIES:
            assert aid(found, truth, strategy) == naive_distance(found, truth, strategy)
        assert sid(found, truth) == naive_distance(found, truth, "parent")


@pytest.mark.long
def test_random_graphs_have_the_distances_of_the_slow_twin():
    for found, truth in random_pairs(150, seed=0):
        for strategy in STRATEGIES:
            assert aid(found, truth, strategy) == naive_distance(found, truth, strategy)
        assert sid(found, truth) == naive_distance(found, truth, "parent")


@pytest.mark.long
def test_sid_counts_wrong_interventional_distributions_of_linear_models():
    rng = np.random.default_rng(1)
    pairs = itertools.chain(itertools.product(all_matrices(3), repeat=2), random_pairs(100, seed=2))
    for found, truth in pairs:
        assert sid(found, truth) == gaussian_sid(found, truth, rng)


def test_the_example_of_the_sid_paper():
    """Peters and Buehlmann 2015, figure 1: an edge too many costs nothing, a reversed one eight effects."""
    truth = [("x1", "x2"), *itertools.product(["x1", "x2"], ["y1", "y2", "y3"])]
    one_more, one_reversed = [*truth, ("y1", "y2")], [("x2", "x1"), *truth[1:]]
    assert (compare(one_more, truth)["shd"], sid(one_more, truth)) == (1, 0)
    assert (compare(one_reversed, truth)["shd"], sid(one_reversed, truth)) == (1, 8)


def test_distances_are_those_of_the_found_graph_to_the_truth_and_not_back():
    empty = DAG(np.zeros((4, 4)), TRUTH.names)
    # The chain contains the empty graph; the empty graph misses the six effects of the chain, and nothing else
    # is confounded.
    for measure in MEASURES:
        assert measure(TRUTH, empty) == 0
    assert aid(empty, TRUTH, "ancestor") == aid(empty, TRUTH, "oset") == 6
    # By adjusting for nothing, the effects along the chain are right, and those against it are wrong.
    assert sid(empty, TRUTH) == 6


@by_measure
def test_a_graph_is_at_no_distance_from_itself(measure):
    for found, _ in random_pairs(20, seed=3):
        assert measure(found, found) == 0


@by_measure
def test_graphs_without_edges_or_pairs_are_at_no_distance(measure, capfd):
    for n_nodes in (0, 1, 2, 5):
        graph = DAG(np.zeros((n_nodes, n_nodes)))
        assert measure(graph, graph) == 0
    assert measure([], []) == 0
    assert capfd.readouterr() == ("", "")


# --- Equivalence classes ---------------------------------------------------------------------------


def class_of(matrix):
    return DAG(matrix).to_cpdag().adjacency


@pytest.mark.long
@pytest.mark.parametrize("strategy", ["ancestor", "parent"])
def test_classes_have_the_distances_of_the_slow_twin(strategy):
    classes = {matrix.tobytes(): matrix for matrix in map(class_of, all_matrices(3))}.values()
    assert len(classes) == 11
    pairs = [(class_of(found), class_of(truth)) for found, truth in random_pairs(60, seed=4, sizes=(4, 5))]
    for found, truth in [*itertools.product(classes, repeat=2), *pairs]:
        assert aid(found, truth, strategy) == naive_class_distance(found, truth, strategy)


@pytest.mark.parametrize("strategy", ["ancestor", "parent"])
def test_a_class_has_the_distance_of_the_slow_twin_to_a_dag(strategy):
    for found, truth in random_pairs(60, seed=7, sizes=(3, 4, 5)):
        assert aid(class_of(found), truth, strategy) == naive_mixed_distance(class_of(found), truth, strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_a_class_leaves_open_is_wrong_of_a_dag_and_right_of_the_same_class(strategy):
    truth = DAG.from_edges([("a", "b")])
    assert aid(truth.to_cpdag(), truth, strategy) == 2
    assert aid(truth, truth.to_cpdag(), strategy) == 2
    assert aid(truth.to_cpdag(), truth.to_cpdag(), strategy) == 0


def test_sid_is_for_dags_only():
    line = PDAG.from_edges(undirected=[("a", "b")])
    assert sid(line, [("a", "b")]) is None
    assert sid([("a", "b")], line) is None
    assert compare(line, [("a", "b")])["sid"] is None
    assert compare(line, [("a", "b")])["ancestor_aid"] == 2


def test_a_pdag_without_undirected_edges_is_a_dag():
    assert sid(PDAG(TRUTH.adjacency, TRUTH.names), TRUTH) == 0


NO_CLASSES = {
    "an arrow before a line": PDAG.from_edges([("a", "b")], [("b", "c")], names=list("abcd")),
    "an arrow that nothing compels": PDAG.from_edges([("a", "b")], [("c", "d")], names=list("abcd")),
    "a cycle without chord": PDAG.from_edges(undirected=[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]),
    "a partly directed cycle": PDAG.from_edges([("a", "b")], [("b", "c"), ("c", "a")], names=list("abcd")),
}


@pytest.mark.parametrize("graph", NO_CLASSES.values(), ids=NO_CLASSES)
def test_a_pdag_that_is_no_equivalence_class_has_no_distance(graph, capfd):
    for measure in MEASURES:
        assert measure(graph, TRUTH) is None
        assert measure(TRUTH, graph) is None
    assert compare(graph, TRUTH)["sid"] is None
    assert compare(graph, TRUTH)["ancestor_aid"] is None
    assert capfd.readouterr() == ("", "")


# --- Cycles, names, limits -------------------------------------------------------------------------


@by_measure
def test_a_found_graph_with_a_cycle_has_no_distance(measure, capfd):
    two_cycle = CyclicGraph([[0, 1], [1, 0]], ["a", "b"])
    loop = CyclicGraph([[1]], ["a"])
    for found in (two_cycle, loop):
        assert measure(found, TRUTH) is None
    with pytest.raises(CycleError):
        measure(TRUTH, two_cycle)
    with pytest.raises(CycleError):
        measure([("a", "b"), ("b", "c"), ("c", "a")], TRUTH)
    with pytest.raises(InputError, match="share none"):
        measure(CyclicGraph([[0, 1], [1, 0]], ["p", "q"]), TRUTH)
    assert capfd.readouterr() == ("", "")


@by_measure
def test_nodes_are_matched_by_name(measure):
    found = DAG.from_edges([("b", "a"), ("b", "c"), ("a", "d")])
    expected = measure(found, TRUTH)
    assert expected > 0
    for names in itertools.permutations("abcd"):
        assert measure(DAG.from_edges(found.edges, names=names), TRUTH) == expected
    assert measure(iter(found.edges), TRUTH) == expected
    assert measure(found.to_networkx(), TRUTH.to_networkx()) == expected


@by_measure
def test_a_node_that_one_graph_lacks_is_isolated_there(measure):
    small, large = [("a", "b")], DAG.from_edges([("a", "b")], names=list("abc"))
    assert measure(small, large) == measure(large, small) == 0


@by_measure
def test_nodes_that_cannot_be_matched_are_refused(measure):
    with pytest.raises(InputError, match="share none: found has p, q; truth has a, b, c, d"):
        measure([("p", "q")], TRUTH)
    with pytest.raises(InputError, match="matrix for 3 nodes and a graph of 4"):
        measure(np.zeros((3, 3)), TRUTH)


def test_another_strategy_is_refused():
    with pytest.raises(InputError, match="strategy must be ancestor, parent or oset, got 'children'"):
        aid(TRUTH, TRUTH, "children")


def test_ancestors_are_the_default():
    for found, truth in random_pairs(20, seed=5):
        assert aid(found, truth) == aid(found, truth, "ancestor")


def test_compare_has_the_same_distances():
    metrics = compare(DAG.from_edges([("a", "b"), ("b", "c")]), DAG.from_edges([("b", "a"), ("b", "c")]))
    assert (metrics["sid"], metrics["ancestor_aid"]) == (3, 3)
    assert type(metrics["sid"]) is type(metrics["ancestor_aid"]) is int
    for found, truth in random_pairs(20, seed=6):
        metrics = compare(found, truth)
        assert (metrics["sid"], metrics["ancestor_aid"]) == (sid(found, truth), aid(found, truth, "ancestor"))
    assert compare(iter(TRUTH.edges), iter(TRUTH.edges))["sid"] == 0


def test_compare_leaves_out_what_would_take_long(monkeypatch):
    found = DAG.from_edges([("b", "a")], names=TRUTH.names)
    mixed = PDAG.from_edges(undirected=[("a", "b")], names=TRUTH.names)
    monkeypatch.setattr(agreement, "_MOST_STEPS", 16)  # 4 nodes times 1 + 3 edges
    assert compare(found, TRUTH)["sid"] == sid(found, TRUTH)
    monkeypatch.setattr(agreement, "_MOST_STEPS", 15)
    metrics = compare(found, TRUTH)
    assert (metrics["sid"], metrics["ancestor_aid"], metrics["shd"]) == (None, None, 3)
    monkeypatch.undo()
    monkeypatch.setattr(agreement, "_MOST_NODES_UNDIRECTED", 3)
    assert compare(mixed, TRUTH)["ancestor_aid"] is None
    assert compare(found, TRUTH)["ancestor_aid"] is not None


def test_sparse_graphs_of_a_thousand_nodes_are_compared_and_dense_ones_not():
    rng = np.random.default_rng(0)
    sparse, dense = (np.triu(rng.random((1000, 1000)) < density, 1) for density in (0.004, 0.03))
    assert compare(sparse, sparse)["sid"] == 0
    assert compare(dense, sparse)["sid"] is None


@pytest.mark.long
def test_gadjid_is_imported_when_it_is_needed():
    code = "import sys, dagsearch as ds; ds.metrics.compare; assert 'gadjid' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert ds.metrics.sid(TRUTH, TRUTH) == 0
