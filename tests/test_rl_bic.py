"""RL-BIC: networks against a slow twin, the judge's costs, and what training does."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from knowledge_cases import assert_obeys, random_knowledge

import dagsearch as ds
from dagsearch.baselines.rl_bic import RLBICSettings, train
from dagsearch.baselines.rl_bic.judge import Judge
from dagsearch.errors import InputError

jax = pytest.importorskip("jax", reason="needs the extra rl")

pytestmark = pytest.mark.long  # compiles the networks

import jax.numpy as jnp  # noqa: E402

from dagsearch.baselines.rl_bic import attention, policy, training  # noqa: E402

N_NODES = 4
SMALL = RLBICSettings(n_iterations=12, batch_size=8, input_dimension=6, learning_rate=0.01, initial_bias=-1.0)
NOWHERE = np.zeros((N_NODES, N_NODES), dtype=bool)
EVERYWHERE = ~np.eye(N_NODES, dtype=bool)
CHAIN = np.diag(np.ones(N_NODES - 1, dtype=np.int8), 1)


class PairScore:
    """Every edge has its own worth, whatever the other edges are."""

    def __init__(self, worth):
        self.worth = worth
        self.n_batches = 0

    def rewards_of(self, adjacencies, penalised=True):
        self.n_batches += 1
        return (adjacencies * self.worth).sum(axis=(1, 2)).astype(float) - penalised * 0.01 * adjacencies.sum(
            axis=(1, 2)
        )


def values(n_samples=50, seed=0):
    """Columns of different means, by which the encoder can tell the variables apart."""
    return np.random.default_rng(seed).normal(size=(n_samples, N_NODES)) + np.array([0.0, 2.0, -2.0, 4.0])


# ---------------------------------------------------------------- the networks


def naive_normalised(norm, x):
    flat = x.reshape(-1, x.shape[-1])
    centred = (x - flat.mean(axis=0)) / np.sqrt(flat.var(axis=0) + 1e-3)
    return centred * norm["scale"] + norm["shift"]


def naive_attention(parameters, x, n_heads=16):
    """One graph, one head, one variable at a time."""
    out = np.zeros_like(x)
    width = x.shape[-1] // n_heads
    for graph in range(len(x)):
        mixed = np.maximum(x[graph] @ parameters["weights"] + parameters["shift"], 0.0)
        query, key, value = np.split(mixed, 3, axis=1)
        for head in range(n_heads):
            part = slice(head * width, (head + 1) * width)
            for i in range(x.shape[1]):
                fits = np.array([query[i, part] @ key[j, part] for j in range(x.shape[1])]) / np.sqrt(width)
                weights = np.exp(fits - fits.max())
                out[graph, i, part] = weights / weights.sum() @ value[:, part]
    return out


def naive_encoded(encoder, x):
    x = naive_normalised(encoder["embedding"]["norm"], x @ encoder["embedding"]["weights"])
    n_blocks = len(encoder["blocks"]["widen"]["shift"])
    for block in (jax.tree.map(lambda tensor, k=k: tensor[k], encoder["blocks"]) for k in range(n_blocks)):
        x = naive_normalised(block["first_norm"], x + naive_attention(block["attention"], x))
        wide = np.maximum(x @ block["widen"]["weights"] + block["widen"]["shift"], 0.0)
        x = naive_normalised(block["second_norm"], x + wide @ block["narrow"]["weights"] + block["narrow"]["shift"])
    return x


@pytest.fixture(scope="module")
def parameters():
    """Random parameters, with shifts and scales that are not trivial."""
    first = policy.initial_parameters(jax.random.key(1), 6, -2.0)
    leaves, shape = jax.tree.flatten(first)
    rng = np.random.default_rng(2)
    return jax.tree.unflatten(shape, [np.asarray(leaf) + 0.1 * rng.normal(size=leaf.shape) for leaf in leaves])


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(3).normal(size=(3, 5, 6))


def test_encoder_equals_its_naive_twin(parameters, x):
    fast, _ = policy.encode(parameters["encoder"], x.astype(np.float32))
    np.testing.assert_allclose(fast, naive_encoded(parameters["encoder"], x), rtol=1e-3, atol=1e-3)


def plain_attention(query, key, value):
    """As `attention.attend`, by JAX's own products and sums, which JAX differentiates."""
    fit = jnp.einsum("hcib,hcjb->hijb", query, key) / np.sqrt(query.shape[1])
    return jnp.einsum("hijb,hcjb->hcib", jax.nn.softmax(fit, axis=2), value)


def plain_normalised(norm, x):
    variance = jnp.var(x, axis=(0, 1))
    return (x - x.mean(axis=(0, 1))) / jnp.sqrt(variance + 1e-3) * norm["scale"] + norm["shift"]


def plain_encoded(encoder, x, n_heads=16):
    """As `policy.encode`, in the usual order of axes and without a gradient of its own."""
    x = plain_normalised(encoder["embedding"]["norm"], x @ encoder["embedding"]["weights"])
    for k in range(len(encoder["blocks"]["widen"]["shift"])):
        block = jax.tree.map(lambda tensor, k=k: tensor[k], encoder["blocks"])
        mixed = jax.nn.relu(x @ block["attention"]["weights"] + block["attention"]["shift"])
        parts = (part.reshape(*x.shape[:2], n_heads, -1).transpose(2, 3, 1, 0) for part in jnp.split(mixed, 3, axis=2))
        x = plain_normalised(block["first_norm"], x + plain_attention(*parts).transpose(3, 2, 0, 1).reshape(x.shape))
        wide = jax.nn.relu(x @ block["widen"]["weights"] + block["widen"]["shift"])
        x = plain_normalised(block["second_norm"], x + wide @ block["narrow"]["weights"] + block["narrow"]["shift"])
    return x


@pytest.mark.parametrize(
    ("n_heads", "width", "n_nodes", "batch"), [(16, 4, 11, 8), (2, 3, 1, 5), (1, 1, 2, 1), (3, 5, 30, 2)]
)
def test_attention_and_its_gradient_are_those_of_the_plain_formula(n_heads, width, n_nodes, batch):
    rng = np.random.default_rng(n_nodes)
    inputs = [jnp.asarray(rng.normal(size=(n_heads, width, n_nodes, batch)), dtype=jnp.float32) for _ in range(3)]
    weight = rng.normal(size=inputs[0].shape).astype(np.float32)
    fast, plain = (
        jax.value_and_grad(lambda *x, attend=attend: (attend(*x) * weight).sum(), argnums=(0, 1, 2))(*inputs)
        for attend in (attention.attend, plain_attention)
    )
    np.testing.assert_allclose(attention.attend(*inputs), plain_attention(*inputs), rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(fast[1], plain[1], strict=True):
        assert float(jnp.abs(theirs).max()) > 0.0 or n_nodes == 1
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_attention_stays_finite_where_fits_are_huge():
    huge = jnp.full((1, 2, 3, 1), 1e4).at[0, 0, 1, 0].set(2e4)
    by_inputs = jax.grad(lambda *x: attention.attend(*x).sum(), argnums=(0, 1, 2))(huge, huge, huge)
    assert all(bool(jnp.isfinite(each).all()) for each in by_inputs)


@pytest.mark.parametrize("is_unrolled", [False, True])
def test_the_encoders_gradients_are_those_that_jax_finds_for_the_plain_formula(parameters, is_unrolled, monkeypatch):
    monkeypatch.setattr(policy, "_MANY_VECTORS", 88 if is_unrolled else 89)  # there are 8 x 11
    encoder = jax.tree.map(lambda tensor: jnp.asarray(tensor, dtype=jnp.float32), parameters["encoder"])
    rng = np.random.default_rng(6)
    x = jnp.asarray(rng.normal(size=(8, 11, 6)), dtype=jnp.float32)
    by_encoded = [jnp.asarray(rng.normal(size=(8, 11, 64)), dtype=jnp.float32) for _ in range(2)]
    encoded, pull_back = policy.encode(encoder, x)
    plain, plain_pull_back = jax.vjp(lambda encoder: plain_encoded(encoder, x), encoder)
    np.testing.assert_allclose(encoded, plain, rtol=1e-3, atol=1e-3)
    for ours, each in zip(pull_back(by_encoded), by_encoded, strict=True):
        (theirs,) = plain_pull_back(each)
        assert jax.tree.structure(ours) == jax.tree.structure(theirs)
        scale = max(float(jnp.abs(tensor).max()) for tensor in jax.tree.leaves(theirs))
        for tensor, expected in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
            np.testing.assert_allclose(tensor, expected, rtol=1e-3, atol=1e-5 * scale)


def test_gradients_that_are_pulled_back_together_are_those_of_each_alone(parameters, x):
    _, pull_back = policy.encode(parameters["encoder"], x.astype(np.float32))
    by_encoded = [jnp.asarray(np.random.default_rng(k).normal(size=(3, 5, 64)), dtype=jnp.float32) for k in range(2)]
    together, alone = pull_back(by_encoded), [pull_back([each])[0] for each in by_encoded]
    for ours, theirs in zip(jax.tree.leaves(together), jax.tree.leaves(alone), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def test_logits_are_those_of_the_formula(parameters):
    encoded = np.random.default_rng(4).normal(size=(3, 5, 64))
    logits = policy.edge_logits(parameters["decoder"], encoded)
    decoder = parameters["decoder"]
    for graph, i, j in np.ndindex(3, 5, 5):
        hidden = np.tanh(encoded[graph, i] @ decoder["cause"] + encoded[graph, j] @ decoder["effect"])
        np.testing.assert_allclose(logits[graph, i, j], hidden @ decoder["direction"] + decoder["bias"], rtol=1e-4)


def test_critic_sees_the_mean_of_the_variables(parameters):
    encoded = np.random.default_rng(5).normal(size=(3, 5, 64))
    critic = parameters["critic"]
    hidden = np.maximum(encoded.mean(axis=1) @ critic["hidden"]["weights"] + critic["hidden"]["shift"], 0.0)
    expected = hidden @ critic["value"]["weights"][:, 0] + critic["value"]["shift"]
    np.testing.assert_allclose(policy.expected_rewards(critic, encoded), expected, rtol=1e-4)


def test_variables_in_another_order_have_their_edges_in_that_order(parameters, x):
    order = np.array([3, 0, 4, 1, 2])
    logits = policy.edge_logits(parameters["decoder"], policy.encode(parameters["encoder"], x)[0])
    shuffled = policy.edge_logits(parameters["decoder"], policy.encode(parameters["encoder"], x[:, order])[0])
    np.testing.assert_allclose(shuffled, logits[:, order][:, :, order], rtol=1e-3, atol=1e-4)


def test_the_first_policy_draws_nearly_empty_graphs_with_the_papers_bias():
    first = policy.initial_parameters(jax.random.key(0), 64, -10.0)
    drawn = np.random.default_rng(0).normal(size=(8, 11, 64))
    logits = policy.edge_logits(first["decoder"], policy.encode(first["encoder"], drawn)[0])
    assert -14.0 < float(logits.min()) < float(logits.max()) < -6.0


# ---------------------------------------------------------------- the judge


def ring(n_nodes):
    return np.roll(np.eye(n_nodes, dtype=np.int8), 1, axis=1)


def test_costs_are_rescaled_rewards_and_penalties_of_cycles():
    worth = np.arange(16.0).reshape(N_NODES, N_NODES)
    judge = Judge(PairScore(worth), N_NODES, NOWHERE)
    for iteration in range(1, 3001):
        judge.raise_penalties(iteration)
    two_cycle = np.zeros((N_NODES, N_NODES), dtype=np.int8)
    two_cycle[0, 1] = two_cycle[1, 0] = 1
    costs = judge.costs(np.stack([NOWHERE.astype(np.int8), CHAIN, two_cycle]))
    full = (worth * EVERYWHERE).sum()
    rewards = np.array([0.0, (worth * CHAIN).sum() - 0.03, worth[0, 1] + worth[1, 0] - 0.02])
    h = 2.0 * (np.cosh(1.0) - 1.0)  # trace of exp of a swap, less its size
    # After three raises: lambda1 = 3, lambda2 = 10**-round(4 / 3) * 10**3, but at most 0.01.
    np.testing.assert_allclose(costs, 5.0 * (full - rewards) / full + np.array([0.0, 0.0, 3.0 + 0.01 * h]), rtol=1e-12)


def test_penalties_start_at_zero_and_ten_to_the_minus_third_of_the_variables():
    n_nodes = 11
    score = PairScore(np.zeros((n_nodes, n_nodes)))
    judge = Judge(score, n_nodes, np.zeros((n_nodes, n_nodes), dtype=bool))
    swap = np.zeros((1, n_nodes, n_nodes), dtype=np.int8)
    swap[0, 0, 1] = swap[0, 1, 0] = 1
    h = 2.0 * (np.cosh(1.0) - 1.0)
    for n_raises, indicator, weight in ((0, 0.0, 1e-4), (1, 1.0, 1e-3), (2, 2.0, 1e-2), (3, 3.0, 1e-2), (9, 5.0, 1e-2)):
        judge = Judge(score, n_nodes, np.zeros((n_nodes, n_nodes), dtype=bool))
        plain = judge.costs(swap)[0] - 1e-4 * h
        for iteration in range(1, 1000 * n_raises + 1):
            judge.raise_penalties(iteration)
        np.testing.assert_allclose(judge.costs(swap)[0] - plain, indicator + weight * h, rtol=1e-9)


def test_the_indicator_never_outweighs_the_best_dags_own_cost():
    judge = Judge(PairScore(np.ones((N_NODES, N_NODES))), N_NODES, NOWHERE)
    complete = np.triu(np.ones((N_NODES, N_NODES), dtype=np.int8), 1)
    own_cost = judge.costs(complete[np.newaxis])[0]
    for iteration in range(1, 9001):
        judge.raise_penalties(iteration)
    np.testing.assert_allclose(judge._indicator_weight, own_cost)
    assert own_cost < 5.0


def test_the_best_dag_is_kept_and_cyclic_graphs_never_are():
    judge = Judge(PairScore(np.ones((N_NODES, N_NODES))), N_NODES, NOWHERE)
    judge.costs(np.stack([NOWHERE.astype(np.int8), ring(N_NODES)]))
    assert judge.reward == 0.0
    assert judge.cyclic_share == 0.5
    judge.costs(np.stack([CHAIN, EVERYWHERE.astype(np.int8)]))
    np.testing.assert_array_equal(judge.adjacency, CHAIN)
    judge.costs(NOWHERE.astype(np.int8)[np.newaxis])
    np.testing.assert_array_equal(judge.adjacency, CHAIN)
    assert judge.reward == pytest.approx(3 - 0.03)


def test_a_cycle_through_many_variables_is_a_cycle():
    n_nodes = 16  # h of such a ring is 1 / 15!, far below any tolerance that one might set
    judge = Judge(PairScore(np.ones((n_nodes, n_nodes))), n_nodes, np.zeros((n_nodes, n_nodes), dtype=bool))
    judge.costs(ring(n_nodes)[np.newaxis])
    assert judge.cyclic_share == 1.0
    assert judge.adjacency is None


@pytest.mark.parametrize("sign", [-1.0, 0.0])
def test_costs_are_finite_and_ordered_by_reward_where_the_full_graph_is_no_better_than_the_empty_one(sign):
    worth = sign * np.ones((N_NODES, N_NODES))
    worth[0, 1] = 0.5 if sign else 0.0
    judge = Judge(PairScore(worth), N_NODES, NOWHERE)
    graphs = np.stack([NOWHERE.astype(np.int8), CHAIN])
    graphs[0, 0, 1] = 1
    costs = judge.costs(graphs)
    assert np.isfinite(costs).all()
    assert costs[0] < costs[1]


# ---------------------------------------------------------------- training


def run(settings=SMALL, score=None, seed=0, **masks):
    states = []
    score = score or PairScore(np.ones((N_NODES, N_NODES)))
    train(values(), score, settings, np.random.default_rng(seed), states.append, **masks)
    return states


def test_every_iteration_is_reported_and_the_best_reward_never_falls():
    states = run()
    assert [state.iteration for state in states] == list(range(1, 13))
    assert (np.diff([state.reward for state in states]) >= 0.0).all()
    assert all(0.0 <= state.cyclic_share <= 1.0 for state in states)
    ds.DAG(states[-1].adjacency)


def test_one_seed_repeats_and_two_differ():
    first, again, other = run(seed=1), run(seed=1), run(seed=2)
    assert [state.reward for state in first] == [state.reward for state in again]
    assert [state.cyclic_share for state in first] != [state.cyclic_share for state in other]


def test_a_step_moves_parameters_by_the_learning_rate_at_most_and_the_baseline_by_a_hundredth():
    states = [training.first_state(0, SMALL)]
    step = training.train_once

    def keep(*arguments):
        states.append(step(*arguments))
        return states[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "train_once", keep)
        run(dataclasses.replace(SMALL, n_iterations=1))
    before, after = training.first_state(int(np.random.default_rng(0).integers(2**31)), SMALL), states[-1]
    for network, n_steps in (("encoder", 2), ("decoder", 1), ("critic", 1)):
        changes = jax.tree.map(lambda a, b: float(np.abs(a - b).max()), before.parameters, after.parameters)[network]
        assert max(jax.tree.leaves(changes)) <= 1.001 * n_steps * SMALL.learning_rate
        assert max(jax.tree.leaves(changes)) > 0.5 * SMALL.learning_rate
    # Costs of PairScore lie between 0 and 5, and a little more with cycles.
    assert -1.0 - 0.01 * 6.0 < float(after.baseline) < -1.0 + 0.01
    assert int(after.iteration) == 1


def test_a_gradient_is_clipped_to_norm_one_and_never_lengthened():
    long, short = np.array([[3.0, 4.0]]), np.array([0.3, 0.4])
    np.testing.assert_allclose(training._clipped(long), [[0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(training._clipped(short), short, rtol=1e-6)


def test_stacked_blocks_are_clipped_one_by_one():
    gradient = {"blocks": {"weights": np.array([[3.0, 4.0], [0.3, 0.4]])}, "embedding": np.array([[3.0, 4.0]])}
    clipped = training._with_clipped_tensors(gradient)
    np.testing.assert_allclose(clipped["blocks"]["weights"], [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)
    np.testing.assert_allclose(clipped["embedding"], [[0.6, 0.8]], rtol=1e-6)


def test_another_table_of_the_same_size_needs_no_compilation():
    run(seed=3)
    n_compiled = training.train_once._cache_size()
    run(score=PairScore(-np.ones((N_NODES, N_NODES))), seed=4)
    assert training.train_once._cache_size() == n_compiled


def test_what_is_worth_more_becomes_more_probable():
    """On average over seeds: how far one of them comes depends on the last digits of the processor's arithmetic."""
    settings = dataclasses.replace(SMALL, n_iterations=600, learning_rate=0.002)

    def chances(seed):
        """Of edges of the chain, and of others, at first and at last."""
        drawn = []

        class Watching(PairScore):
            def rewards_of(self, adjacencies, penalised=True):
                if len(adjacencies) == settings.batch_size:
                    drawn.append((adjacencies[:, CHAIN > 0].mean(), adjacencies[:, others].mean()))
                return super().rewards_of(adjacencies, penalised)

        run(settings, Watching(np.where(CHAIN > 0, 1.0, -0.1)), seed=seed)
        return np.mean(drawn[:20], axis=0), np.mean(drawn[-20:], axis=0)

    others = EVERYWHERE & (CHAIN == 0)
    early, late = np.mean([chances(seed) for seed in range(4)], axis=0)
    assert late[0] > 1.4 * early[0]
    of_chain, of_others = (late / (1 - late)) / (early / (1 - early))
    assert of_chain > 1.5 * of_others


def test_forced_edges_are_always_there_and_others_only_where_they_are_free():
    forced, free = NOWHERE.copy(), NOWHERE.copy()
    forced[2, 0], free[0, 1] = True, True

    class Watching(PairScore):
        def rewards_of(self, adjacencies, penalised=True):
            if len(adjacencies) == SMALL.batch_size:
                assert (adjacencies[:, 2, 0] == 1).all()
                assert (adjacencies.sum(axis=(1, 2)) == 1 + adjacencies[:, 0, 1]).all()
            return super().rewards_of(adjacencies, penalised)

    states = run(score=Watching(np.ones((N_NODES, N_NODES))), forced=forced, free=free)
    assert states[-1].adjacency[2, 0] == 1


def test_an_error_of_the_score_comes_out_as_it_is():
    class Broken(PairScore):
        def rewards_of(self, adjacencies, penalised=True):
            if self.n_batches == 4:
                raise InputError("no more")
            return super().rewards_of(adjacencies, penalised)

    with pytest.raises(InputError, match=r"^no more$"):
        run(score=Broken(np.ones((N_NODES, N_NODES))))


def test_an_exception_of_the_listener_ends_training():
    seen = []

    def listen(state):
        seen.append(state.iteration)
        if state.iteration == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(values(), PairScore(np.ones((N_NODES, N_NODES))), SMALL, np.random.default_rng(0), listen)
    assert seen == [1, 2, 3]


# ---------------------------------------------------------------- the estimator


def table():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(50, N_NODES))
    x[:, 1] += 2.0 * x[:, 0]
    x[:, 3] -= x[:, 1]
    return x


def model(**changes):
    light = {"n_iterations": 12, "batch_size": 8, "input_dimension": 6, "initial_bias": -1.0, "random_state": 0}
    return ds.RLBIC(**{"score": "bic-linear", **light, **changes})


def test_the_estimator_keeps_the_best_dag_and_its_reward():
    fitted = model().fit(table())
    assert isinstance(fitted.dag_, ds.DAG)
    score = ds.scores.make("bic-linear", table(), penalty="edges")
    assert fitted.reward_ == pytest.approx(score.reward(fitted.dag_), rel=1e-12)
    assert fitted.result_.n_simulations == 12 * 8
    assert fitted.result_.settings["penalty"] == "edges"
    assert fitted.result_.settings["n_iterations"] == 12
    assert fitted.result_.status == "finished"


def test_the_number_of_threads_changes_nothing():
    one, two = (model(score="bic-gam", n_jobs=n_jobs).fit(table()) for n_jobs in (1, 2))
    assert one.dag_ == two.dag_
    assert one.reward_ == two.reward_


def test_knowledge_is_kept_to():
    known = ds.Knowledge(required=[("x2", "x0")], forbidden=[("x0", "x1"), ("x1", "x0")])
    fitted = model(knowledge=known).fit(table())
    assert ("x2", "x0") in fitted.dag_.edges
    assert ("x2", "x0") in fitted.pruned_dag_.edges
    assert not {("x0", "x1"), ("x1", "x0"), ("x0", "x2")} & set(fitted.dag_.edges)


@pytest.mark.parametrize("seed", range(5))
def test_random_knowledge_is_kept_to(seed):
    known = random_knowledge(seed, [f"x{k}" for k in range(N_NODES)])
    fitted = model(knowledge=known, n_iterations=2).fit(table())
    assert_obeys(fitted.dag_, known)
    assert_obeys(fitted.pruned_dag_, known)


def test_a_time_limit_ends_training_with_the_best_graph_so_far():
    fitted = model(n_iterations=10**6, time_limit=0.001).fit(table())
    assert fitted.result_.status == "time-limit"
    # It is looked at after every step, and may be over before the first one where the processor is busy.
    assert fitted.result_.n_simulations in (0, 8)


def test_a_score_of_whole_graphs_is_refused_before_training():
    class Whole:
        def reward(self, adjacency):
            return -float(adjacency.sum())

    with pytest.raises(InputError, match=r"score must have local\(node, parents\)"):
        model(score=Whole()).fit(table())
