"""The networks of RL-BIC: encoder with self-attention, decoder of edges, critic.

All are functions of (parameters, inputs); parameters are nested dictionaries of arrays. A variable is described by
``input_dimension`` of its observations and encoded as a vector of width 64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dagsearch.baselines.rl_bic.attention import attend

_WIDTH = 64
_N_HEADS = 16
_N_BLOCKS = 6
_FEED_FORWARD_WIDTH = 256
_DECODER_WIDTH = 16
_MANY_VECTORS = 512  # of variables in a batch: the paper's run on Sachs has 704
_VARIANCE_FLOOR = 1e-3
FIRST_BASELINE = -1.0
"""What a reward is expected to be before any was seen."""

Parameters = dict[str, Any]
PullBack = Callable[[list[jax.Array]], list[Parameters]]
"""Gradients by parameters from gradients by results, of several functions of the results at a time."""


def initial_parameters(key: jax.Array, input_dimension: int, initial_bias: float) -> Parameters:
    """Draw the first parameters of encoder, decoder and critic: Glorot's uniform weights, zero shifts."""
    keys = iter(jax.random.split(key, 6 + 5 * _N_BLOCKS))

    def weights(n_in: int, n_out: int) -> jax.Array:
        limit = float(np.sqrt(6.0 / (n_in + n_out)))
        return jax.random.uniform(next(keys), (n_in, n_out), minval=-limit, maxval=limit)

    def block() -> Parameters:
        attention = [weights(_WIDTH, _WIDTH) for _ in range(3)]
        return {
            "attention": {"weights": jnp.concatenate(attention, axis=1), "shift": jnp.zeros(3 * _WIDTH)},
            "first_norm": _initial_norm(),
            "widen": {"weights": weights(_WIDTH, _FEED_FORWARD_WIDTH), "shift": jnp.zeros(_FEED_FORWARD_WIDTH)},
            "narrow": {"weights": weights(_FEED_FORWARD_WIDTH, _WIDTH), "shift": jnp.zeros(_WIDTH)},
            "second_norm": _initial_norm(),
        }

    return {
        "encoder": {
            "embedding": {"weights": weights(input_dimension, _WIDTH), "norm": _initial_norm()},
            # Stacked, so that a step moves the same tensor of all blocks at once.
            "blocks": jax.tree.map(lambda *tensors: jnp.stack(tensors), *(block() for _ in range(_N_BLOCKS))),
        },
        "decoder": {
            "cause": weights(_WIDTH, _DECODER_WIDTH),
            "effect": weights(_WIDTH, _DECODER_WIDTH),
            "direction": weights(_DECODER_WIDTH, 1)[:, 0],
            "bias": jnp.array(initial_bias, dtype=jnp.float32),
        },
        "critic": {
            "hidden": {"weights": weights(_WIDTH, _WIDTH), "shift": jnp.zeros(_WIDTH)},
            "value": {"weights": weights(_WIDTH, 1), "shift": jnp.full(1, FIRST_BASELINE, dtype=jnp.float32)},
        },
    }


def encode(encoder: Parameters, x: jax.Array) -> tuple[jax.Array, PullBack]:
    """Vectors of the variables, (batch, n_nodes, width), from observations of each, (batch, n_nodes, dimension).

    Returned with them is a function that takes gradients by the vectors to gradients by the encoder's parameters. It
    takes any number at a time, and goes through the blocks once for all of them, which may then share the cores.
    """
    # Inside, vectors are (width, n_nodes, batch), as attention needs them: no product then has to be transposed.
    # A loop over the blocks copies what it saves for the way back into stacked arrays and out of them. Without one a
    # step takes a tenth less where there are many vectors, but three times as long where they are few.
    unrolled = x.shape[0] * x.shape[1] >= _MANY_VECTORS
    x = jnp.transpose(x, (2, 1, 0))
    x, through_embedding = jax.vjp(lambda embedding: _embedded(embedding, x), encoder["embedding"])
    x, through_blocks = jax.lax.scan(
        lambda x, block: jax.vjp(_through_block, block, x), x, encoder["blocks"], unroll=unrolled
    )

    def pull_back(by_encoded: list[jax.Array]) -> list[Parameters]:
        def step(by_x: list[jax.Array], through_block: Any) -> tuple[list[jax.Array], list[Parameters]]:
            pulled = [through_block(each) for each in by_x]
            return [each[1] for each in pulled], [each[0] for each in pulled]

        last = [jnp.transpose(each, (2, 1, 0)) for each in by_encoded]
        first, by_blocks = jax.lax.scan(step, last, through_blocks, reverse=True, unroll=unrolled)
        return [
            {"embedding": through_embedding(by_x)[0], "blocks": by_block}
            for by_x, by_block in zip(first, by_blocks, strict=True)
        ]

    return jnp.transpose(x, (2, 1, 0)), pull_back


def edge_logits(decoder: Parameters, encoded: jax.Array) -> jax.Array:
    """Logit of each edge i -> j, (batch, n_nodes, n_nodes): u . tanh(W_l e_i + W_r e_j) + bias."""
    cause, effect = encoded @ decoder["cause"], encoded @ decoder["effect"]
    return jnp.tanh(cause[:, :, None] + effect[:, None]) @ decoder["direction"] + decoder["bias"]


def expected_rewards(critic: Parameters, encoded: jax.Array) -> jax.Array:
    """What the critic expects of the graphs that will be drawn, (batch,), relative to the moving average."""
    hidden = jax.nn.relu(encoded.mean(axis=1) @ critic["hidden"]["weights"] + critic["hidden"]["shift"])
    return (hidden @ critic["value"]["weights"] + critic["value"]["shift"])[:, 0]


def _initial_norm() -> Parameters:
    return {"scale": jnp.ones(_WIDTH), "shift": jnp.zeros(_WIDTH)}


def _embedded(embedding: Parameters, x: jax.Array) -> jax.Array:
    return _normalise(embedding["norm"], _product(embedding["weights"], x))


def _product(weights: jax.Array, x: jax.Array) -> jax.Array:
    """Linear map of each variable's vector, (n_in, n_nodes, batch) to (n_out, n_nodes, batch)."""
    return (weights.T @ x.reshape(len(x), -1)).reshape(-1, *x.shape[1:])


def _linear(parameters: Parameters, x: jax.Array) -> jax.Array:
    return _product(parameters["weights"], x) + parameters["shift"][:, None, None]


def _normalise(parameters: Parameters, x: jax.Array) -> jax.Array:
    """Batch normalisation over all variables of all graphs in the batch."""
    centred = x - x.mean(axis=(1, 2), keepdims=True)
    variance = jnp.square(centred).mean(axis=(1, 2), keepdims=True)
    scale, shift = parameters["scale"][:, None, None], parameters["shift"][:, None, None]
    return centred * jax.lax.rsqrt(variance + _VARIANCE_FLOOR) * scale + shift


def _through_block(block: Parameters, x: jax.Array) -> jax.Array:
    """Attention among the variables, then a layer for each variable; both add to what comes in."""
    x = _normalise(block["first_norm"], x + _attend(block["attention"], x))
    wide = jax.nn.relu(_linear(block["widen"], x))
    return _normalise(block["second_norm"], x + _linear(block["narrow"], wide))


def _attend(parameters: Parameters, x: jax.Array) -> jax.Array:
    """Self-attention of the variables of a graph."""
    per_head = jax.nn.relu(_linear(parameters, x)).reshape(3, _N_HEADS, _WIDTH // _N_HEADS, *x.shape[1:])
    return attend(*per_head).reshape(x.shape)
