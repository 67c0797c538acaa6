"""Self-attention with heads so narrow that matrix products would be mostly overhead, and its gradient.

Tensors are (n_heads, head_width, n_nodes, batch): the graphs of a batch come last, next to each other in memory, so
that everything is arithmetic on vectors of graphs. Sums over variables are loops, for two reasons. XLA's own reductions
over an axis in the middle take ten times as long on a processor, and what enters a loop is computed once, where it
would be computed again for each of the sums that it is fused into.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_Saved = tuple[jax.Array, jax.Array, jax.Array, jax.Array, jax.Array]


@jax.custom_vjp  # type: ignore[untyped-decorator]
def attend(query: jax.Array, key: jax.Array, value: jax.Array) -> jax.Array:
    """Values, averaged for each variable i over all variables j with the weights softmax_j(q_i . k_j / sqrt(width))."""
    return _attended(query, key, value)[0]


def _attended(query: jax.Array, key: jax.Array, value: jax.Array) -> tuple[jax.Array, _Saved]:
    """Result, and what its gradient needs."""
    fit = _products(query[:, :, :, None], key[:, :, None]) / np.sqrt(query.shape[1])
    weights = jax.nn.softmax(fit, axis=2)  # (n_heads, i, j, batch)
    mean = _summed(lambda j: _at(j, weights, 2)[:, None] * _at(j, value, 2)[:, :, None], value)
    return mean, (query, key, value, weights, mean)


def _gradients(saved: _Saved, pulled: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Gradients by query, key and value, from the gradient by the result.

    A fit's gradient is w_ij g_i . (v_j - m_i): the mean m_i is at hand, and spares a sum over the variables.
    """
    query, key, value, weights, mean = saved
    from_mean = value[:, :, None] - mean[:, :, :, None]
    by_fit = weights * _products(pulled[:, :, :, None], from_mean) / np.sqrt(query.shape[1])

    def terms(k: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """What variable k adds: as j to the gradients by queries, as i to those by keys and values."""
        by_query = _at(k, by_fit, 2)[:, None] * _at(k, key, 2)[:, :, None]
        by_key = _at(k, by_fit, 1)[:, None] * _at(k, query, 2)[:, :, None]
        by_value = _at(k, weights, 1)[:, None] * _at(k, pulled, 2)[:, :, None]
        return by_query, by_key, by_value

    by_all: tuple[jax.Array, jax.Array, jax.Array] = _summed(terms, (query, key, value))
    return by_all


attend.defvjp(_attended, _gradients)


def _products(left: jax.Array, right: jax.Array) -> jax.Array:
    """Inner products along axis 1, which is short."""
    return sum((left[:, k] * right[:, k] for k in range(1, left.shape[1])), start=left[:, 0] * right[:, 0])


def _summed(terms: Callable[[jax.Array], Any], like: Any) -> Any:
    """Sum of the terms of all variables; it has the shapes of ``like``, (..., n_nodes, batch)."""
    n_nodes = jax.tree.leaves(like)[0].shape[-2]
    nothing = jax.tree.map(jnp.zeros_like, like)
    return jax.lax.fori_loop(0, n_nodes, lambda k, total: jax.tree.map(jnp.add, total, terms(k)), nothing)


def _at(k: jax.Array, x: jax.Array, axis: int) -> jax.Array:
    """Slice k along an axis."""
    chosen: jax.Array = jax.lax.dynamic_index_in_dim(x, k, axis, keepdims=False)
    return chosen
