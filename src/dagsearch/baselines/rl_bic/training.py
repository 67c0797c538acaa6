"""Training of RL-BIC: one compiled step, from drawing rows to new parameters, and the loop around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import monitoring
from jax.experimental import io_callback
from numpy.typing import NDArray

from dagsearch import compilation
from dagsearch.baselines.rl_bic import BatchScore, RLBICSettings, TrainingState
from dagsearch.baselines.rl_bic.judge import Judge
from dagsearch.baselines.rl_bic.memory import large_blocks_kept
from dagsearch.baselines.rl_bic.policy import (
    FIRST_BASELINE,
    Parameters,
    edge_logits,
    encode,
    expected_rewards,
    initial_parameters,
)

# Tracing is left out: functions that are traced within others would count twice.
_COMPILING = ("/jax/core/compile/jaxpr_to_mlir_module_duration", "/jax/core/compile/backend_compile_duration")
_BASELINE_DECAY = 0.99
_RATE_DECAY, _DECAY_ITERATIONS = 0.96, 5000
_LARGEST_GRADIENT = 1.0
_ADAM = optax.chain(optax.scale_by_adam(b1=0.9, b2=0.99, eps=1e-7), optax.scale(-1.0))


def _tell_of_compilation(event: str, seconds: float, **_: Any) -> None:
    if event in _COMPILING:
        compilation.add(seconds)


monitoring.register_event_duration_secs_listener(_tell_of_compilation)


class Task(NamedTuple):
    """What stays the same from step to step."""

    rows: jax.Array  # (n_samples, n_nodes)
    free: jax.Array  # (n_nodes, n_nodes), 1 for edges that the policy decides about
    forced: jax.Array  # (n_nodes, n_nodes) int8, 1 for edges that all graphs have
    learning_rate: jax.Array
    court: jax.Array  # the key in _COURTS of whoever judges the graphs


class Moments(NamedTuple):
    """Adam's averages for each network."""

    encoder: Any
    decoder: Any
    critic: Any


class State(NamedTuple):
    """What a step hands to the next."""

    parameters: Parameters
    moments: Moments
    baseline: jax.Array  # moving average of rewards
    key: jax.Array
    iteration: jax.Array


def run(
    values: NDArray[np.float64],
    score: BatchScore,
    settings: RLBICSettings,
    seed: int,
    on_iteration: Callable[[TrainingState], None],
    free: NDArray[np.bool_],
    forced: NDArray[np.bool_],
) -> None:
    """Train; arguments as those of `dagsearch.baselines.rl_bic.train`."""
    judge = Judge(score, values.shape[1], forced)
    state = first_state(seed, settings)
    with _held_court(judge) as (court, number), large_blocks_kept():
        task = Task(
            rows=jnp.asarray(values, dtype=jnp.float32),
            free=jnp.asarray(free, dtype=jnp.float32),
            forced=jnp.asarray(forced, dtype=jnp.int8),
            learning_rate=jnp.array(settings.learning_rate, dtype=jnp.float32),
            court=jnp.array(number, dtype=jnp.int32),
        )
        for iteration in range(settings.n_iterations):
            judge.raise_penalties(iteration)
            state = train_once(state, task, settings.batch_size, settings.input_dimension)
            # Without this Python would queue up steps far ahead of what is computed.
            jax.block_until_ready(state.baseline)
            if court.error is not None:
                raise court.error
            on_iteration(TrainingState(iteration + 1, judge.adjacency, judge.reward, judge.cyclic_share))


def first_state(seed: int, settings: RLBICSettings) -> State:
    """The state before the first step."""
    key, parameter_key = jax.random.split(jax.random.key(seed))
    parameters = initial_parameters(parameter_key, settings.input_dimension, settings.initial_bias)
    moments = Moments(*(_ADAM.init(parameters[network]) for network in Moments._fields))
    # With types as definite as those of a step's results the step is compiled only once.
    baseline, iteration = jnp.array(FIRST_BASELINE, dtype=jnp.float32), jnp.array(0, dtype=jnp.int32)
    return State(parameters, moments, baseline, key, iteration)


# ---------------------------------------------------------------- one step


@partial(jax.jit, static_argnames=("batch_size", "input_dimension"))
def train_once(state: State, task: Task, batch_size: int, input_dimension: int) -> State:
    """One step of policy gradient; compiled once for all tables and settings of the same sizes.

    The encoder serves policy and critic, and moves twice: along the gradient of either, each clipped for itself, with
    moments that they share. With one step along their sum the critic's far larger gradient would take over.
    """
    key, row_key, edge_key = jax.random.split(state.key, 3)
    x = _drawn_rows(task.rows, row_key, batch_size, input_dimension)
    encoded, pull_back = encode(state.parameters["encoder"], x)
    logits = edge_logits(state.parameters["decoder"], encoded)
    chosen = jax.random.bernoulli(edge_key, jax.nn.sigmoid(logits)).astype(jnp.float32) * task.free
    rewards = -_costs(chosen.astype(jnp.int8) | task.forced, task.court)
    surplus = rewards - state.baseline
    advantage = surplus - expected_rewards(state.parameters["critic"], encoded)
    rate = task.learning_rate * _RATE_DECAY ** (state.iteration / _DECAY_ITERATIONS)

    def policy_loss(decoder: Parameters, encoded: jax.Array) -> jax.Array:
        logits = edge_logits(decoder, encoded)
        gain = advantage * _mean_per_edge(_log_probabilities(logits, chosen), task.free)
        return -(gain + rate * _mean_per_edge(_entropies(logits), task.free)).mean()

    def critic_loss(critic: Parameters, encoded: jax.Array) -> jax.Array:
        return jnp.square(surplus - expected_rewards(critic, encoded)).mean()

    by_policy = jax.grad(policy_loss, argnums=(0, 1))(state.parameters["decoder"], encoded)
    by_critic = jax.grad(critic_loss, argnums=(0, 1))(state.parameters["critic"], encoded)
    gradients = {
        "encoder": pull_back([by_policy[1], by_critic[1]]),
        "decoder": [by_policy[0]],
        "critic": [by_critic[0]],
    }
    parameters, moments = _moved(state, gradients, rate)
    baseline = _BASELINE_DECAY * state.baseline + (1.0 - _BASELINE_DECAY) * rewards.mean()
    return State(parameters, moments, baseline, key, state.iteration + 1)


def _drawn_rows(rows: jax.Array, key: jax.Array, batch_size: int, input_dimension: int) -> jax.Array:
    """Random observations of each variable, (batch, n_nodes, input_dimension)."""
    drawn = jax.random.randint(key, (batch_size, input_dimension), 0, rows.shape[0])
    return rows[drawn].transpose(0, 2, 1)


def _moved(state: State, gradients: dict[str, list[Parameters]], rate: jax.Array) -> tuple[Parameters, Moments]:
    """Parameters and moments of each network after a step of Adam along each of its gradients in turn."""
    parameters, moments = dict(state.parameters), state.moments._asdict()
    for network, of_network in gradients.items():
        for gradient in of_network:
            direction, moments[network] = _ADAM.update(_with_clipped_tensors(gradient), moments[network])
            parameters[network] = jax.tree.map(lambda p, d: p + rate * d, parameters[network], direction)
    return parameters, Moments(**moments)


def _with_clipped_tensors(gradient: Parameters) -> Parameters:
    """A network's gradient with each tensor clipped; those of the encoder's blocks are stacked."""
    clip = {"blocks": jax.vmap(_clipped)}
    return {name: jax.tree.map(clip.get(name, _clipped), part) for name, part in gradient.items()}


def _clipped(gradient: jax.Array) -> jax.Array:
    """A tensor's gradient, shortened to norm 1 if it is longer."""
    norm = jnp.sqrt(jnp.square(gradient).sum())
    return gradient * (_LARGEST_GRADIENT / jnp.maximum(norm, _LARGEST_GRADIENT))


def _log_probabilities(logits: jax.Array, chosen: jax.Array) -> jax.Array:
    """Log probability of each edge's being there or not, as it was chosen."""
    return -optax.sigmoid_binary_cross_entropy(logits, chosen)


def _entropies(logits: jax.Array) -> jax.Array:
    """Entropy of each edge."""
    return jax.nn.softplus(logits) - jax.nn.sigmoid(logits) * logits


def _mean_per_edge(x: jax.Array, free: jax.Array) -> jax.Array:
    """Mean over the edges that the policy decides about, (batch,)."""
    return (x * free).sum(axis=(1, 2)) / jnp.maximum(free.sum(), 1.0)


# ---------------------------------------------------------------- rewards, from outside the compiled step


class _Court:
    """Where graphs are judged; an error is kept for `run`, since the compiled step would garble it."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.error: BaseException | None = None

    def costs(self, graphs: NDArray[np.int8]) -> NDArray[np.float32]:
        try:
            return self._judge.costs(graphs).astype(np.float32)
        except BaseException as error:
            self.error = error
            return np.zeros(len(graphs), dtype=np.float32)


# The compiled step knows its court by a number: with the court itself in it, each fit would compile its own.
_COURTS: dict[int, _Court] = {}
_NUMBERS = count()


@contextmanager
def _held_court(judge: Judge) -> Iterator[tuple[_Court, int]]:
    """A court that the compiled step finds by its number while the context is open."""
    court, number = _Court(judge), next(_NUMBERS)
    _COURTS[number] = court
    try:
        yield court, number
    finally:
        del _COURTS[number]


def _costs(graphs: jax.Array, court: jax.Array) -> jax.Array:
    """Costs of the graphs, from Python, where the cache of local scores is."""
    shape = jax.ShapeDtypeStruct(graphs.shape[:1], jnp.float32)
    costs: jax.Array = io_callback(_judged, shape, graphs, court)
    return costs


def _judged(graphs: Any, court: Any) -> NDArray[np.float32]:
    return _COURTS[int(court)].costs(np.asarray(graphs))
