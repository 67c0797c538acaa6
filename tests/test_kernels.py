"""The small parts of the compiled loop: bit sets, random words, the memo of local scores."""

import pickle

import naive
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagsearch.graph.bitset import members_of_each, membership_from_rows, row_of, rows_from_membership
from dagsearch.kernels import bits
from dagsearch.kernels import random as kernel_random
from dagsearch.kernels.bits import ONE_WORD, words_for
from dagsearch.scores.base import empty_family
from dagsearch.scores.cache import LocalCache

NODE_COUNTS = [1, 2, 63, 64, 65, 127, 128, 129, 200]
node_counts = st.integers(1, 200)
words = st.integers(0, 2**64 - 1)
patient = settings(deadline=None, max_examples=60)  # the first example compiles


@st.composite
def node_sets(draw, min_size=0):
    """Members of a set, as a sorted list, and the number of nodes."""
    n_nodes = draw(st.one_of(node_counts, st.sampled_from(NODE_COUNTS)))
    members = draw(st.sets(st.integers(0, n_nodes - 1), min_size=min(min_size, n_nodes)))
    return sorted(members), n_nodes


# --- Bit sets --------------------------------------------------------------------------------------


@numba.njit
def popcount(word):
    return bits.popcount(word)


@numba.njit
def lowest_bit(word):
    return bits.lowest_bit(word)


@numba.njit
def select_each(rows, row, found, words):
    for k in range(found.shape[0]):
        found[k] = bits.select(rows, row, np.uint64(k), words)


@numba.njit
def size_of(rows, row, words):
    return bits.size(rows, row, words)


@numba.njit
def is_empty(rows, row, words):
    return bits.is_empty(rows, row, words)


@numba.njit
def contains(rows, row, node, words):
    return bits.contains(rows, row, node, words)


@numba.njit
def include(rows, row, node, words):
    bits.include(rows, row, node, words)


@numba.njit
def exclude(rows, row, node, words):
    bits.exclude(rows, row, node, words)


@patient
@given(word=words)
def test_popcount_counts_the_set_bits_of_a_word(word):
    assert popcount(np.uint64(word)) == word.bit_count()


@patient
@given(word=words.filter(bool))
def test_lowest_bit_is_the_position_of_the_first_set_bit(word):
    assert lowest_bit(np.uint64(word)) == (word & -word).bit_length() - 1


def test_every_single_bit_is_found():
    alone = [np.uint64(1 << position) for position in range(64)]
    assert [lowest_bit(word) for word in alone] == list(range(64))
    assert {popcount(word) for word in alone} == {1}


@patient
@given(drawn=node_sets(min_size=1), row=st.integers(0, 2))
def test_select_gives_the_members_in_order_whatever_the_number_of_words(drawn, row):
    members, n_nodes = drawn
    rows = np.concatenate([row_of(members if k == row else [0], n_nodes) for k in range(3)])
    found = np.full(len(members), -1, dtype=np.int64)
    select_each(rows, row, found, words_for(n_nodes)[1])
    assert found.tolist() == members


@patient
@given(drawn=node_sets())
def test_size_and_emptiness_are_those_of_the_set(drawn):
    members, n_nodes = drawn
    rows = np.concatenate([row_of(range(n_nodes), n_nodes), row_of(members, n_nodes)])
    words = words_for(n_nodes)[1]
    assert size_of(rows, 1, words) == len(members)
    assert is_empty(rows, 1, words) == (not members)
    assert size_of(rows, 0, words) == n_nodes


@patient
@given(
    n_nodes=st.sampled_from(NODE_COUNTS),
    changes=st.lists(st.tuples(st.booleans(), st.integers(0, 2), st.integers(0, 199)), max_size=40),
)
def test_including_and_excluding_nodes_does_what_python_sets_do(n_nodes, changes):
    words = words_for(n_nodes)[1]
    rows = rows_from_membership(np.zeros((3, n_nodes), dtype=bool))
    twins = [set(), set(), set()]
    for is_in, row, drawn in changes:
        node = drawn % n_nodes
        (include if is_in else exclude)(rows, row, node, words)
        (twins[row].add if is_in else twins[row].discard)(node)
        assert contains(rows, row, node, words) == is_in
    assert members_of_each(rows, 3) == [tuple(sorted(twin)) for twin in twins]


def test_up_to_64_nodes_take_the_words_argument_that_compiles_loops_away():
    assert [words_for(n) for n in (1, 64, 65, 128, 129)] == [
        (1, ONE_WORD),
        (1, ONE_WORD),
        (2, 2),
        (2, 2),
        (3, 3),
    ]
    assert bits.word_count(ONE_WORD) == 1
    assert bits.word_count(3) == 3


# --- Packing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_nodes", NODE_COUNTS)
@pytest.mark.parametrize("n_sets", [1, 3])
def test_membership_survives_packing_and_unpacking(n_nodes, n_sets):
    membership = np.random.default_rng(n_nodes).random((n_sets, n_nodes)) < 0.4
    rows = rows_from_membership(membership)
    assert rows.dtype == np.uint64
    assert rows.shape == (n_sets * words_for(n_nodes)[0],)
    np.testing.assert_array_equal(membership_from_rows(rows, n_nodes), membership)


@patient
@given(drawn=node_sets())
def test_members_survive_packing_and_unpacking(drawn):
    members, n_nodes = drawn
    row = row_of(members, n_nodes)
    assert members_of_each(row, 1) == [tuple(members)]
    assert np.flatnonzero(membership_from_rows(row, n_nodes)[0]).tolist() == members


def test_node_v_is_bit_v_modulo_64_of_word_v_over_64():
    assert row_of([0, 63], 70).tolist() == [1 | 1 << 63, 0]
    assert row_of([64, 69], 70).tolist() == [0, 1 | 1 << 5]


# --- Random words ----------------------------------------------------------------------------------


@numba.njit
def draw_words(state, found):
    for k in range(found.shape[0]):
        found[k] = kernel_random.next_word(state)


@numba.njit
def below(word, n):
    return kernel_random.below_high(word, n), kernel_random.below_low(word, n)


def first_words(seed, n_words):
    found = np.zeros(n_words, dtype=np.uint64)
    draw_words(np.array([seed], dtype=np.uint64), found)
    return found


def test_splitmix64_gives_its_published_first_words():
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert first_words(1234567, 5).tolist() == published
    twin = naive.SplitMix64(1234567)
    assert [twin.next_word() for _ in range(5)] == published


@patient
@given(seed=words)
def test_random_words_are_those_of_the_naive_twin(seed):
    twin = naive.SplitMix64(seed)
    assert first_words(seed, 20).tolist() == [twin.next_word() for _ in range(20)]


def test_a_stream_goes_on_where_its_state_was_left():
    state = np.array([7], dtype=np.uint64)
    halves = np.zeros((2, 10), dtype=np.uint64)
    draw_words(state, halves[0])
    draw_words(state, halves[1])
    np.testing.assert_array_equal(halves.ravel(), first_words(7, 20))


@patient
@given(word=words, n=st.integers(1, 10_000))
def test_bounded_draws_are_those_of_the_naive_twin_and_in_range(word, n):
    high, low = below(np.uint64(word), np.uint64(n))
    assert (high, low) == (naive.below_high(word, n), naive.below_low(word, n))
    assert 0 <= high < n
    assert 0 <= low < n


@pytest.mark.parametrize("n", [2, 7, 64])
def test_bounded_draws_are_roughly_uniform_and_independent(n):
    n_draws = 20_000
    joint = np.zeros((n, n))
    for word in first_words(42 + n, n_draws):
        joint[below(word, np.uint64(n))] += 1
    for counts in (joint.sum(axis=0), joint.sum(axis=1), joint.ravel()):
        expected = n_draws / len(counts)
        degrees = len(counts) - 1
        chi_square = ((counts - expected) ** 2 / expected).sum()
        assert abs(chi_square - degrees) < 5 * np.sqrt(2 * degrees)


# --- The memo of local scores ----------------------------------------------------------------------


def random_keys(rng, n_nodes, n_keys):
    """(node, parents) pairs, some of them more than once."""
    parents = [rng.choice(n_nodes, size=rng.integers(0, min(n_nodes, 5)), replace=False) for _ in range(n_keys)]
    keys = [(int(rng.integers(n_nodes)), tuple(sorted(p.tolist()))) for p in parents]
    return keys + keys[: n_keys // 4]


def packed(keys, n_nodes):
    nodes = np.array([node for node, _ in keys], dtype=np.int64)
    return nodes, np.concatenate([row_of(parents, n_nodes) for _, parents in keys])


@pytest.mark.parametrize("n_nodes", [1, 6, 64, 70, 130])
def test_the_memo_is_a_dict_under_random_stores_and_look_ups(n_nodes):
    rng = np.random.default_rng(n_nodes)
    cache, family, twin = LocalCache(n_nodes), empty_family(n_nodes), {}
    for _ in range(12):
        stored = random_keys(rng, n_nodes, 50)
        terms = rng.normal(size=(len(stored), 2))
        cache.store(family, *packed(stored, n_nodes), terms)
        twin.update(zip(stored, terms.tolist(), strict=True))
        asked = random_keys(rng, n_nodes, 50) + stored
        found, known = cache.look_up(family, *packed(asked, n_nodes))
        assert known.tolist() == [key in twin for key in asked]
        assert [t for t, k in zip(found.tolist(), known, strict=True) if k] == [
            twin[key] for key in asked if key in twin
        ]
        assert len(cache) == cache.n_entered == len(twin)


def test_sets_that_differ_beyond_the_first_word_only_are_told_apart_in_a_crowded_memo():
    cache, family = LocalCache(80), empty_family(80)
    keys = [(0, tuple(64 + k for k in range(13) if members >> k & 1)) for members in range(2**13)]
    terms = np.arange(2.0 * len(keys)).reshape(-1, 2)
    cache.store(family, *packed(keys, 80), terms)
    assert len(cache) == len(keys) == 0.5 * len(cache.memo.entries)
    found, known = cache.look_up(family, *packed(keys, 80))
    assert known.all()
    np.testing.assert_array_equal(found, terms)


@pytest.mark.parametrize("n_nodes", [20, 70])
def test_the_memo_keeps_every_entry_when_it_grows(n_nodes):
    rng = np.random.default_rng(n_nodes)
    cache, family = LocalCache(n_nodes), empty_family(n_nodes)
    first_capacity = len(cache.memo.entries)
    keys = list(dict.fromkeys(random_keys(rng, n_nodes, first_capacity)))
    terms = rng.normal(size=(len(keys), 2))
    for part in np.array_split(np.arange(len(keys)), 5):
        cache.store(family, *packed([keys[k] for k in part], n_nodes), terms[part])
    assert len(cache.memo.entries) > first_capacity
    found, known = cache.look_up(family, *packed(keys, n_nodes))
    assert known.all()
    np.testing.assert_array_equal(found, terms)
    assert len(cache) == len(keys)


def test_the_same_parents_of_different_nodes_are_different_entries():
    cache, family = LocalCache(3), empty_family(3)
    nodes, rows = packed([(0, ()), (1, ()), (2, ()), (0, (1,)), (0, (2,))], 3)
    terms = np.arange(10.0).reshape(5, 2)
    cache.store(family, nodes, rows, terms)
    np.testing.assert_array_equal(cache.look_up(family, nodes, rows)[0], terms)


def test_storing_again_replaces_and_adds_no_entry():
    cache, family = LocalCache(3), empty_family(3)
    key = packed([(1, (0, 2))], 3)
    cache.store(family, *key, np.array([[1.0, 2.0]]))
    cache.store(family, *key, np.array([[3.0, 4.0]]))
    assert cache.look_up(family, *key)[0].tolist() == [[3.0, 4.0]]
    assert len(cache) == 1


def test_a_pickled_memo_knows_what_it_knew():
    cache, family = LocalCache(70), empty_family(70)
    key = packed([(1, (0, 69))], 70)
    cache.store(family, *key, np.array([[1.5, 2.5]]))
    copy = pickle.loads(pickle.dumps(cache))
    assert copy.look_up(family, *key)[0].tolist() == [[1.5, 2.5]]
    copy.store(family, *packed([(2, ())], 70), np.array([[0.0, 0.0]]))
    assert (len(cache), len(copy)) == (1, 2)


@numba.njit
def _select_portably(word, k):
    return bits.select_portably(word, k)


@pytest.mark.parametrize("word", [1, 1 << 63, 2**64 - 1, 0x8000_0001_0080_0400, 0xAAAA_5555_F0F0_0F0F])
def test_the_portable_selection_finds_every_set_bit_in_order(word):
    members = [bit for bit in range(64) if word >> bit & 1]
    found = [int(_select_portably(np.uint64(word), np.uint64(k))) for k in range(len(members))]
    assert found == members
