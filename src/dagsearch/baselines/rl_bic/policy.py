"""The networks of RL-BIC: encoder with self-attention, decoder of edges, critic.

All are functions of (parameters, inputs); parameters are nested dictionaries of arrays. A variable is described by
``input_dimension`` of its observations and encoded as a vector of width 64.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_WIDTH = 64
_N_HEADS = 16
_N_BLOCKS = 6
_FEED_FORWARD_WIDTH = 256
_DECODER_WIDTH = 16
_VARIANCE_FLOOR = 1e-3
FIRST_BASELINE = -1.0
"""What a reward is expected to be before any was seen."""

Parameters = dict[str, Any]


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
            # Stacked, so that one compiled block serves all: compiles in half the time, and runs faster.
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


def encode(encoder: Parameters, x: jax.Array) -> jax.Array:
    """Vectors of the variables, (batch, n_nodes, width), from observations of each, (batch, n_nodes, dimension)."""
    x = _normalise(encoder["embedding"]["norm"], x @ encoder["embedding"]["weights"])
    encoded: jax.Array = jax.lax.scan(lambda x, block: (_through_block(block, x), None), x, encoder["blocks"])[0]
    return encoded


def edge_logits(decoder: Parameters, encoded: jax.Array) -> jax.Array:
    """Logit of each edge i -> j, (batch, n_nodes, n_nodes): u . tanh(W_l e_i + W_r e_j) + bias."""
    cause, effect = encoded @ decoder["cause"], encoded @ decoder["effect"]
    return jnp.tanh(cause[:, :, None] + effect[:, None]) @ decoder["direction"] + decoder["bias"]


def expected_rewards(critic: Parameters, encoded: jax.Array) -> jax.Array:
    """What the critic expects of the graphs that will be drawn, (batch,), relative to the moving average."""
    hidden = jax.nn.relu(_linear(critic["hidden"], encoded.mean(axis=1)))
    return _linear(critic["value"], hidden)[:, 0]


def _initial_norm() -> Parameters:
    return {"scale": jnp.ones(_WIDTH), "shift": jnp.zeros(_WIDTH)}


def _linear(parameters: Parameters, x: jax.Array) -> jax.Array:
    return x @ parameters["weights"] + parameters["shift"]


def _normalise(parameters: Parameters, x: jax.Array) -> jax.Array:
    """Batch normalisation over all variables of all graphs in the batch."""
    centred = x - x.mean(axis=(0, 1))
    variance = jnp.square(centred).mean(axis=(0, 1))
    return centred * jax.lax.rsqrt(variance + _VARIANCE_FLOOR) * parameters["scale"] + parameters["shift"]


def _through_block(block: Parameters, x: jax.Array) -> jax.Array:
    """Attention among the variables, then a layer for each variable; both add to what comes in."""
    x = _normalise(block["first_norm"], x + _attend(block["attention"], x))
    wide = jax.nn.relu(_linear(block["widen"], x))
    return _normalise(block["second_norm"], x + _linear(block["narrow"], wide))


def _attend(parameters: Parameters, x: jax.Array) -> jax.Array:
    """Self-attention of the variables of a graph."""
    batch, n_nodes, _ = x.shape
    head_width = _WIDTH // _N_HEADS
    per_head = jax.nn.relu(_linear(parameters, x)).reshape(batch, n_nodes, 3, _N_HEADS, head_width)
    query, key, value = per_head[:, :, 0], per_head[:, :, 1], per_head[:, :, 2]
    fit = jnp.einsum("bihc,bjhc->bhij", query, key) / np.sqrt(head_width)
    return jnp.einsum("bhij,bjhc->bihc", jax.nn.softmax(fit, axis=-1), value).reshape(x.shape)
