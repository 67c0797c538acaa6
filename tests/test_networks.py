"""Bayesian networks: reading .bif files, and samples against exact probabilities."""

from __future__ import annotations

import gzip
from dataclasses import FrozenInstanceError
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import dagsearch as ds
from dagsearch.datasets import BayesianNetwork, bif, network, network_names
from dagsearch.datasets.bayesian_network import _inverted
from dagsearch.datasets.bif import read_bif
from dagsearch.errors import DataError, InputError, UnknownNameError

RAIN = """
network "garden" { property made by hand; }
// a comment { with marks
variable rain { type discrete [ 2 ] { yes, no }; property position = (1, 2); }
variable wet { type discrete [ 3 ] { <5, "5 to 12", 12+ }; }
variable tap { type discrete[2]{open, almost shut}; }
probability ( rain ) { table 0.2, 0.8; }
/* a parent that stands
   after its child in the file */
probability ( wet | tap, rain ) {
  (open, yes) 0.0, 0.1, 0.9;
  (almost shut, yes) 0.1, 0.2, 0.7;
  (open, no) 0.33, 0.33, 0.33;
  default 1, 0, 0;
}
probability ( tap ) { table 5e-1, 0.5; }
"""


def read(tmp_path: Path, text: str) -> BayesianNetwork:
    path = tmp_path / "n.bif"
    path.write_text(text)
    return network(path)


def positions(data: ds.Dataset, net: BayesianNetwork) -> np.ndarray:
    """The sampled levels as positions in the network's own lists of levels."""
    columns = []
    for j, levels in enumerate(net.levels):
        place = np.array([levels.index(label) for label in data.labels[j]])
        columns.append(place[data.values[:, j].astype(int)])
    return np.stack(columns, axis=1)


def parents_of(net: BayesianNetwork, node: int) -> list[int]:
    return [int(parent) for parent in np.flatnonzero(net.dag.adjacency[:, node])]


def joint_distribution(net: BayesianNetwork) -> np.ndarray:
    """By brute force: the product of the tables' entries, for every combination of levels."""
    joint = np.ones([len(levels) for levels in net.levels])
    for state in product(*(range(len(levels)) for levels in net.levels)):
        for node, table in enumerate(net.tables):
            joint[state] *= table[(*(state[parent] for parent in parents_of(net, node)), state[node])]
    return joint


# ---------------------------------------------------------------- reading


def test_a_file_with_comments_properties_quotes_and_defaults_is_read(tmp_path):
    net = read(tmp_path, RAIN)
    assert net.names == ("rain", "wet", "tap")
    assert net.levels == (("yes", "no"), ("<5", "5 to 12", "12+"), ("open", "almost shut"))
    assert net.dag.edges == [("rain", "wet"), ("tap", "wet")]
    assert net.n_levels == {"rain": 2, "wet": 3, "tap": 2}
    assert np.array_equal(net.tables[2], [0.5, 0.5])


def test_axes_of_a_table_are_the_parents_in_the_order_of_the_variables(tmp_path):
    wet = read(tmp_path, RAIN).tables[1]
    assert wet.shape == (2, 2, 3)
    assert wet[0, 0].tolist() == [0.0, 0.1, 0.9]
    assert wet[0, 1] == pytest.approx([0.1, 0.2, 0.7])
    assert wet[1, 1].tolist() == [1.0, 0.0, 0.0]


def test_rows_that_sum_to_one_up_to_rounding_are_normalised(tmp_path):
    assert read(tmp_path, RAIN).tables[1][1, 0] == pytest.approx([1 / 3] * 3, rel=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.2, 0.8", "0.2, 0.7", r"variable 'rain': probabilities must sum to 1, got 0\.9"),
        ("0.2, 0.8", "1.2, -0.2", "variable 'rain': probabilities must not be negative"),
        ("0.2, 0.8", "nan, 0.8", "variable 'rain': probabilities must not be negative, and finite"),
        ("0.2, 0.8", "0.2, much", "variable 'rain': probabilities must be numbers, found 0.2, much"),
        ("0.2, 0.8", "0.2, 0.4, 0.4", "variable 'rain': a row must have 2 probabilities, got 3"),
        ("tap, rain", "tap, snow", "variable 'wet': its parent 'snow' is not described"),
        ("tap, rain", "tap, tap", "variable 'wet': a parent is listed twice"),
        ("probability ( tap ) {", "probability ( tip ) {", "variable 'tip': has a table, yet is not described"),
        ("probability ( tap ) { table 5e-1, 0.5; }", "", "variable 'tap': has no table"),
        ("probability ( tap )", "probability ( rain )", "variable 'rain': has two tables"),
        ("variable tap", "variable rain", "variable 'rain': is described twice"),
        ("default 1, 0, 0;", "", r"variable 'wet': there is no row for \(almost shut, no\)"),
        ("default 1, 0, 0;", "(shut, no) 1, 0, 0;", r"variable 'wet': there is no row for \(almost shut, no\)"),
        ("default", "(shut, no) 1, 0, 0; default", r"'wet': its parents have no such levels: \(shut, no\)"),
        ("default", "(open, yes) 1, 0, 0; default", r"'wet': has two rows for \(open, yes\)"),
        ("default 1,", "table 1,", "variable 'wet': with parents, rows must be given one by one"),
        ("default 1,", "rest 1,", "variable 'wet': expected a row of its table, found 'rest'"),
        ("[ 2 ] { yes, no }", "[ 3 ] { yes, no }", "variable 'rain': must have 3 levels, found 2"),
        ("[ 2 ] { yes, no }", "[ 2 ] { yes, yes }", "variable 'rain': levels must all differ, got yes, yes"),
        ("[ 2 ] { yes, no }", "[ 2 ] { yes, }", "variable 'rain': needs levels with labels"),
        ("type discrete [ 2 ] { yes, no };", "type continuous;", "variable 'rain': must be discrete"),
        ("type discrete [ 2 ] { yes, no };", "", "variable 'rain': has no type"),
        ("type discrete [ 2 ] {", "kind discrete [ 2 ] {", "variable 'rain': expected type or property, found 'kind'"),
        ("discrete [ 2 ]", "discrete ( 2 ]", r"expected '\[' after .*discrete', found '\('"),
        ("{ yes, no };", "{ yes, no ;", "expected '}' after 'no', found ';'"),
        ("probability ( rain )", "probability ( rain }", r"variable 'rain': expected '\|' or '\)' after it"),
        ("variable rain {", "variable {", "expected the name of a variable, found '{'"),
        ("variable rain", "node rain", "expected network, variable or probability, found 'node'"),
        ("0.5; }\n", "0.5;", "ends in the middle of a block"),
        ("( rain ) { table", "( rain | wet ) { (<5) 0, 1; default", "cycle"),
        ("( rain ) { table", "( rain | rain ) { default", "rain"),
    ],
)
def test_a_mistake_is_reported_with_file_and_variable(tmp_path, old, new, message):
    assert old in RAIN
    with pytest.raises(DataError, match=rf"n\.bif: .*{message}"):
        read(tmp_path, RAIN.replace(old, new, 1))


@pytest.mark.parametrize("content", [b"", b"network unknown {\n}\n", b"\xff\xfe"])
def test_a_file_that_describes_no_network_is_named(tmp_path, content):
    path = tmp_path / "n.bif"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"n\.bif: (describes no discrete variable|is not a text file)"):
        read_bif(path)


@pytest.mark.parametrize("name", ["absent.bif", "./absent"])
def test_an_absent_file_is_named(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"absent.*: cannot be read"):
        network(name)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"unknown network 'asai': .* asia, child, insurance.*mean 'asia'"):
        network("asai")


@pytest.mark.parametrize(
    ("name", "n_nodes", "n_edges", "n_parameters"),
    [("asia", 8, 8, 18), ("child", 20, 25, 230), ("insurance", 27, 52, 1008)],
)
def test_bundled_networks_have_their_known_sizes(name, n_nodes, n_edges, n_parameters):
    net = network(name)
    assert (net.dag.n_nodes, net.dag.n_edges) == (n_nodes, n_edges)
    assert sum(table[..., 1:].size for table in net.tables) == n_parameters
    assert net.citation


def test_bundled_networks_are_those_of_the_papers_authors(data_folder):
    for name in network_names():
        theirs, ours = read_bif(data_folder / "bnlearn" / f"{name}.bif"), network(name)
        assert theirs.dag == ours.dag
        assert theirs.levels == ours.levels
        assert all(map(np.array_equal, theirs.tables, ours.tables))


# ---------------------------------------------------------------- compressed files


@pytest.mark.parametrize("name", ["n.bif.gz", "n.BIF.GZ", "n.bif", "./n"])
def test_a_compressed_file_is_read_by_whatever_name(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(gzip.compress(RAIN.encode()))
    packed, plain = network(name), read(tmp_path, RAIN)
    assert (packed.dag, packed.levels) == (plain.dag, plain.levels)
    assert all(map(np.array_equal, packed.tables, plain.tables))


PACKED = gzip.compress(RAIN.encode())


@pytest.mark.parametrize(
    "content",
    [PACKED[:-9], PACKED[:5], PACKED[:30] + bytes(9) + PACKED[39:], PACKED[:-8] + bytes(8), PACKED[:2], RAIN.encode()],
    ids=["cut", "cut in its header", "spoilt", "of another sum", "begun", "not compressed"],
)
def test_a_damaged_compressed_file_is_named(tmp_path, content):
    (tmp_path / "n.bif.gz").write_bytes(content)
    with pytest.raises(DataError, match=r"n\.bif\.gz: is not a complete gzip file \(.+\)$"):
        network(tmp_path / "n.bif.gz")


def test_a_compressed_file_with_a_mistake_is_reported_as_others(tmp_path):
    (tmp_path / "n.bif.gz").write_bytes(gzip.compress(b"\xff\xfe"))
    with pytest.raises(DataError, match=r"n\.bif\.gz: is not a text file in UTF-8"):
        network(tmp_path / "n.bif.gz")


def test_a_small_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    text = RAIN.encode() + b" " * 5_000_000
    (tmp_path / "n.bif.gz").write_bytes(gzip.compress(text))
    monkeypatch.setattr(bif, "MOST_BYTES", len(text) - 1)
    with pytest.raises(DataError, match=r"n\.bif\.gz: holds more than 5 MB of text when it is unpacked"):
        network(tmp_path / "n.bif.gz")
    monkeypatch.setattr(bif, "MOST_BYTES", len(text))
    assert network(tmp_path / "n.bif.gz").dag.n_nodes == 3


# ---------------------------------------------------------------- the network itself


def test_a_network_is_checked_when_it_is_made():
    dag = ds.DAG.from_edges([("a", "b")])
    levels = (("x", "y"), ("u", "v"))
    tables = ([0.5, 0.5], [[1, 0], [0, 1]])
    net = BayesianNetwork(dag, levels, tables)
    with pytest.raises(FrozenInstanceError):
        net.levels = ()
    with pytest.raises(ValueError, match="read-only"):
        net.tables[0][0] = 1
    with pytest.raises(DataError, match="tables must have 2 entries, one per variable, got 1"):
        BayesianNetwork(dag, levels, tables[:1])
    with pytest.raises(DataError, match=r"variable 'b': its table must have the shape \(2, 2\), got \(2,\)"):
        BayesianNetwork(dag, levels, ([0.5, 0.5], [0.5, 0.5]))
    with pytest.raises(DataError, match="variable 'a': needs levels with labels"):
        BayesianNetwork(dag, ((), levels[1]), tables)


# ---------------------------------------------------------------- samples


def test_a_sample_says_all_that_the_network_knows():
    net = network("insurance")
    data = net.sample(200, random_state=0)
    assert data.names == net.names
    assert set(data.kinds) == {"discrete"}
    assert data.truth == net.dag
    assert "Binder" in data.citation
    assert dict(zip(data.names, data.declared_levels, strict=True)) == net.n_levels
    assert (data.n_levels() < list(net.n_levels.values())).any(), "some level should be too rare to be seen"
    assert data.labels[1] == ("Adolescent", "Adult", "Senior")


def test_a_sample_keeps_its_levels_as_categories_of_a_frame():
    data = network("insurance").sample(200, random_state=0)
    again = ds.as_dataset(data.to_pandas())
    assert again.declared_levels == data.declared_levels
    assert again.names == data.names


def test_one_seed_repeats_and_two_seeds_differ():
    net = network("child")
    first, again, other = (net.sample(500, random_state=seed).values for seed in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    rng = np.random.default_rng(7)
    assert np.array_equal(net.sample(500, random_state=rng).values, first)
    assert not np.array_equal(net.sample(500, random_state=rng).values, first)
    assert not np.array_equal(net.sample(500).values, net.sample(500).values)


def test_frequencies_of_levels_and_pairs_equal_exact_probabilities():
    """A frequency is off by more than 5 standard errors with probability 6e-7; there are 128 of them, and one seed."""
    net = network("asia")
    n_samples, joint = 100_000, joint_distribution(net)
    assert joint.sum() == pytest.approx(1, abs=1e-12)
    codes = positions(net.sample(n_samples, random_state=3), net)
    for pair in combinations(range(8), 2):
        others = tuple(set(range(8)) - set(pair))
        exact = joint.sum(axis=others)
        for state in product(range(2), repeat=2):
            seen = (codes[:, list(pair)] == state).all(axis=1).mean()
            error = np.sqrt(exact[state] * (1 - exact[state]) / n_samples)
            # Impossible pairs have no error: they must not be seen at all.
            assert abs(seen - exact[state]) <= 5 * error, (pair, state)


@pytest.mark.parametrize("name", ["child", "insurance"])
def test_rows_of_every_table_are_seen_in_samples(name):
    """Pearson's statistic summed over all rows that expect 5 or more of each level: neither too large nor too small."""
    net = network(name)
    codes = positions(net.sample(50_000, random_state=11), net)
    statistic, degrees = 0.0, 0
    for node, table in enumerate(net.tables):
        parents = parents_of(net, node)
        counts = np.zeros(table.shape)
        np.add.at(counts, tuple(codes[:, [*parents, node]].T), 1)
        expected = counts.sum(axis=-1, keepdims=True) * table
        assert not counts[table == 0].any()
        usable = ((expected >= 5) | (table == 0)).all(axis=-1)
        terms = (counts - expected)[usable] ** 2 / np.where(table == 0, 1, expected)[usable]
        statistic += terms.sum()
        degrees += int(((table > 0)[usable].sum(axis=-1) - 1).sum())
    assert degrees > 100
    assert 1e-3 < stats.chi2.sf(statistic, degrees) < 1 - 1e-3


def test_impossible_levels_never_happen():
    dag = ds.DAG.from_edges([("a", "b")])
    rows = [[0.0, 0.1, 0.2, 0.3, 0.4, 0.0], [0.1] * 5 + [0.5]]
    labels = tuple("stuvwx")
    net = BayesianNetwork(dag, (("yes", "no"), labels), ([0.9, 0.1], rows))
    codes = positions(net.sample(20_000, random_state=0), net)
    assert set(codes[codes[:, 0] == 0, 1]) == {1, 2, 3, 4}
    assert set(codes[codes[:, 0] == 1, 1]) == set(range(6))


def test_the_largest_uniform_number_gives_no_impossible_level():
    # Ten times 0.1 add up to a little less than 1.
    table, largest = np.array([[0.1] * 10 + [0.0]]), np.nextafter(1.0, 0.0)
    assert np.cumsum(table)[-1] <= largest
    assert _inverted(table, np.zeros(1, dtype=np.intp), np.array([largest])).tolist() == [9]


@pytest.mark.parametrize("n_samples", [2, 0, -1, 10.5, True, "many", None])
def test_sizes_that_make_no_table_are_refused(n_samples):
    with pytest.raises(InputError, match=r"n_samples must be a whole number of at least 3, got"):
        network("asia").sample(n_samples)


@pytest.mark.parametrize("random_state", [-1, 1.5, "seed"])
def test_wrong_seeds_are_refused(random_state):
    with pytest.raises(InputError, match="random_state must be"):
        network("asia").sample(10, random_state=random_state)


def test_a_sample_may_be_too_small_to_tell_two_variables_apart():
    # Whether there is lung cancer, and whether there is tuberculosis or lung cancer, differ in one row of a hundred.
    assert network("asia").sample(30, random_state=0).coinciding_columns() == (("lung", "either"),)
