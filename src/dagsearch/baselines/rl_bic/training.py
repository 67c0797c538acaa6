"""Training of RL-BIC: one compiled step, from drawing rows to new parameters, and the loop around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import io_callback
from numpy.typing import NDArray

from dagsearch.baselines.rl_bic import BatchScore, RLBICSettings, TrainingState
from dagsearch.baselines.rl_bic.judge import Judge
from dagsearch.baselines.rl_bic.policy import Parameters, edge_logits_and_values, initial_parameters

_BASELINE_DECAY = 0.99
_FIRST_BASELINE = -1.0
_LARGEST_GRADIENT = 1.0


class _State(NamedTuple):
    """What a step hands to the next."""

    parameters: Parameters
    optimiser: Any
    baseline: jax.Array  # moving average of rewards
    key: jax.Array
    iteration: jax.Array


class Trainer:
    """Trains a policy on one table; arguments as those of `dagsearch.baselines.rl_bic.train`."""

    def __init__(
        self,
        values: NDArray[np.float64],
        score: BatchScore,
        settings: RLBICSettings,
        free: NDArray[np.bool_],
        forced: NDArray[np.bool_],
    ) -> None:
        self._settings = settings
        self._judge = Judge(score, values.shape[1], forced)
        self._error: BaseException | None = None
        self._rows = jnp.asarray(values, dtype=jnp.float32)
        self._free = jnp.asarray(free, dtype=jnp.float32)
        self._forced = jnp.asarray(forced, dtype=jnp.int8)
        self._learning_rate = optax.exponential_decay(settings.learning_rate, 5000, 0.96, staircase=True)
        self._optimiser = optax.adam(self._learning_rate, b1=0.9, b2=0.99, eps=1e-7)
        self._step = jax.jit(self._train_once)

    def run(self, seed: int, on_iteration: Callable[[TrainingState], None]) -> None:
        """Train, calling ``on_iteration`` after each step."""
        state = self._first_state(seed)
        for iteration in range(self._settings.n_iterations):
            self._judge.raise_penalties(iteration)
            state = self._step(state)
            # Without this Python would queue up steps far ahead of what is computed.
            jax.block_until_ready(state.baseline)
            if self._error is not None:
                raise self._error
            judge = self._judge
            on_iteration(TrainingState(iteration + 1, judge.adjacency, judge.reward, judge.cyclic_share))

    def _first_state(self, seed: int) -> _State:
        key, parameter_key = jax.random.split(jax.random.key(seed))
        parameters = initial_parameters(parameter_key, self._settings.input_dimension, self._settings.initial_bias)
        optimiser = self._optimiser.init(parameters)
        return _State(parameters, optimiser, jnp.array(_FIRST_BASELINE), key, jnp.array(0))

    def _train_once(self, state: _State) -> _State:
        """One step of policy gradient."""
        key, row_key, edge_key = jax.random.split(state.key, 3)
        x = self._draw_rows(row_key)
        (logits, values), pull_back = jax.vjp(lambda p: edge_logits_and_values(p, x), state.parameters)
        chosen = jax.random.bernoulli(edge_key, jax.nn.sigmoid(logits)).astype(jnp.float32) * self._free
        rewards = -self._costs(chosen)
        baseline = _BASELINE_DECAY * state.baseline + (1.0 - _BASELINE_DECAY) * rewards.mean()

        def loss(logits: jax.Array, values: jax.Array) -> jax.Array:
            surprise = rewards - baseline - values
            gain = jax.lax.stop_gradient(surprise) * self._mean_per_edge(_log_probabilities(logits, chosen))
            entropy = self._mean_per_edge(_entropies(logits))
            weight = self._learning_rate(state.iteration)
            return jnp.square(surprise).mean() - gain.mean() - weight * entropy.mean()

        (gradient,) = pull_back(jax.grad(loss, argnums=(0, 1))(logits, values))
        updates, optimiser = self._optimiser.update(jax.tree.map(_clipped, gradient), state.optimiser)
        parameters = optax.apply_updates(state.parameters, updates)
        return _State(parameters, optimiser, baseline, key, state.iteration + 1)

    def _draw_rows(self, key: jax.Array) -> jax.Array:
        """Random observations of each variable, (batch, n_nodes, input_dimension)."""
        n_samples = self._rows.shape[0]
        drawn = jax.random.randint(key, (self._settings.batch_size, self._settings.input_dimension), 0, n_samples)
        return self._rows[drawn].transpose(0, 2, 1)

    def _costs(self, chosen: jax.Array) -> jax.Array:
        """Costs of the graphs, from Python, where the cache of local scores is."""
        graphs = chosen.astype(jnp.int8) | self._forced
        shape = jax.ShapeDtypeStruct((self._settings.batch_size,), jnp.float32)
        costs: jax.Array = io_callback(self._judged, shape, graphs)
        return costs

    def _judged(self, graphs: Any) -> NDArray[np.float32]:
        """Ask the judge; an error is kept for `run`, since the compiled step would garble it."""
        try:
            return self._judge.costs(np.asarray(graphs)).astype(np.float32)
        except BaseException as error:
            self._error = error
            return np.zeros(len(graphs), dtype=np.float32)

    def _mean_per_edge(self, x: jax.Array) -> jax.Array:
        """Mean over the edges that the policy decides about, (batch,)."""
        return (x * self._free).sum(axis=(1, 2)) / jnp.maximum(self._free.sum(), 1.0)


def _log_probabilities(logits: jax.Array, chosen: jax.Array) -> jax.Array:
    """Log probability of each edge's being there or not, as it was chosen."""
    return -optax.sigmoid_binary_cross_entropy(logits, chosen)


def _entropies(logits: jax.Array) -> jax.Array:
    """Entropy of each edge."""
    return jax.nn.softplus(logits) - jax.nn.sigmoid(logits) * logits


def _clipped(gradient: jax.Array) -> jax.Array:
    """A tensor's gradient, shortened to norm 1 if it is longer."""
    norm = jnp.sqrt(jnp.square(gradient).sum())
    return gradient * (_LARGEST_GRADIENT / jnp.maximum(norm, _LARGEST_GRADIENT))
