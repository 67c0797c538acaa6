r"""Data with a known truth, made to order: a graph, a mechanism, noise, errors of measurement, experiments.

::

    seed --spawn--> graph ------> DAG ----------------+
               \--> functions --> mechanism, scales --+--> values ----+--> Dataset
                \-> noise ------> noise --------------+               |
                      \--> its dependence on causes --+               |
                      |\-> what is set in which rows -+               |
                       \-> errors of measurement ---------------------+

Each part has a random stream of its own: other numbers of rows or other mechanisms leave the graph as it is.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from dagsearch import checks
from dagsearch._version import __version__
from dagsearch.data import Dataset
from dagsearch.datasets import ranges
from dagsearch.datasets.continuous import AdditiveNoiseModel
from dagsearch.datasets.experiments import DEFAULT_SHARE, checked_plan
from dagsearch.datasets.mechanisms import MECHANISMS
from dagsearch.datasets.mixed import MixedModel
from dagsearch.datasets.noises import NOISES
from dagsearch.datasets.random_graphs import RANDOM_GRAPHS, random_adjacency
from dagsearch.datasets.random_network import RandomTables
from dagsearch.datasets.ranges import Range
from dagsearch.errors import InputError
from dagsearch.graph import DAG, as_graph
from dagsearch.graph.checks import is_table
from dagsearch.graph.convert import is_matrix

DEFAULT_NODES = 10
FEWEST_NODES, FEWEST_ROWS = 2, 3  # a Dataset has no fewer

_WITH_NOISE = {"noise", "noise_scale", "scale_dependence", "rescale", "measurement_error", "standardise"}
_TAKEN_BY = {name: _WITH_NOISE | {mechanism.argument} for name, mechanism in MECHANISMS.items()}
_TAKEN_BY["discrete"] = {"n_levels", "concentration"}
_TAKEN_BY["mixed"] = {"n_levels", "weights", "noise_scale"}


def simulate(
    n_nodes: int | None = None,
    n_samples: int = 1000,
    *,
    graph: Any = "erdos-renyi",
    n_edges: int | None = None,
    mechanism: Literal[
        "linear", "quadratic", "gp", "additive", "saturating", "bump", "interaction", "network", "discrete", "mixed"
    ] = "linear",
    noise: Literal["gaussian", "uniform", "laplace", "exponential", "gumbel"] = "gaussian",
    weights: float | Range = (0.5, 2.0),
    noise_scale: float | Range = (0.5, 1.0),
    scale_dependence: float = 0.0,
    length_scale: float = 1.0,
    rescale: bool | None = None,
    measurement_error: float = 0.0,
    standardise: bool = False,
    n_levels: int | tuple[int, int] = (2, 4),
    concentration: float = 1.0,
    interventions: int | Sequence[str] = 0,
    intervention_share: float = DEFAULT_SHARE,
    random_state: Any = None,
) -> Dataset:
    """Draw a graph and data that it generates.

    An argument that the mechanism does not take must keep its default.

    Parameters
    ----------
    n_nodes
        Number of variables, named X1, X2, ...; 10 by default. Where a graph is given, the number of its nodes.
    n_samples
        Number of rows.
    graph
        ``"erdos-renyi"``: edges uniformly from all pairs (earlier, later) of a random order, so that a DAG is the
        likelier the more orders it fits. ``"scale-free"``: by preferential attachment as in Barabási and Albert
        1999; edges go from earlier to later nodes, so that hubs are causes. Or a graph of your own: anything that
        `dagsearch.graph.as_graph` reads; it keeps its names and their order.
    n_edges
        Exact number of edges of a random graph; by default two per node, or as many as there can be.
    mechanism
        How a variable depends on its parents. ``"linear"``: a weighted sum. ``"quadratic"``: a weighted sum of
        monomials of degree 1 and 2, each of which is there with probability 1/2, as in Zhu, Ng and Chen 2020.
        ``"gp"``: a function of all parents jointly from a Gaussian process with an RBF kernel of variance 1; exact up
        to 3000 rows, beyond that approximated by 1000 random Fourier features. ``"additive"``: a sum over the parents
        of one-dimensional functions of that kind. ``"saturating"``: a sum of curves that level off on both sides, as
        responses to a dose do. ``"bump"``: a sum of curves that rise and fall, so that linear correlation may vanish.
        ``"interaction"``: products of pairs of parents beside main effects; with one parent, its square.
        ``"network"``: a neural network of all parents jointly, with one hidden layer of 15 units. The last four take
        their parents in units of their standard deviations. ``"discrete"``: a conditional probability table.
        ``"mixed"``: half of the variables, drawn at random, are categories, which take the level of largest utility, a
        weighted sum of the parents plus noise; the others are functions of numbers of several kinds, shifted by the
        levels of categories, plus noise of several shapes.
    noise
        Distribution of the noise that is added; all have mean 0.
    weights
        Range of the absolute weights of all mechanisms but ``"gp"``, ``"additive"`` and ``"discrete"``, whose signs are
        random; a number: all are of this size. Where functions are rescaled, only their ratios matter, except those of
        ``"network"``, which lead into the hidden units: the larger, the rougher the function.
    noise_scale
        Range of the standard deviations of noise, one per variable; a number: all are equal.
    scale_dependence
        How strongly the scale of the noise depends on the parents: it is multiplied by exp(scale_dependence * g) with
        g a random smooth function of them that has mean 0 and variance 1 over the rows. At 0.5, the noise is by a
        factor of exp(0.5) = 1.6 larger, or smaller, where g is one standard deviation above, or below, its mean; 0:
        not at all. Factors stay between 1/1000 and 1000. Variables without parents keep their scale.
    length_scale
        Of the kernel of ``"gp"`` and ``"additive"``, in units of the parents: the larger, the smoother.
    rescale
        Whether each function's values are shifted and scaled to mean 0 and variance 1 over the rows before the noise is
        added. By default those of all mechanisms but ``"linear"``, ``"gp"`` and ``"additive"``: quadratic ones would
        explode along paths, and the others then compare with the noise however many parents there are.
    measurement_error
        Share of the variance of each column, from 0 to below 1, that is error of measurement: independent Gaussian
        noise that is added to the finished columns. Effects come from the values without it.
    standardise
        Whether each column has mean 0 and variance 1 in the end. Variances then no longer give away the causal order,
        see `dagsearch.metrics.varsortability`.
    n_levels
        Fewest and most levels of a ``"discrete"`` or ``"mixed"`` variable, drawn uniformly; a number: all have so many.
    concentration
        Of the symmetric Dirichlet distribution from which each row of a ``"discrete"`` table is drawn: the smaller, the
        stronger the dependence; near 0, variables end up constant.
    interventions
        How many variables, drawn at random, an experimenter sets in some of the rows; or their names. Effects come from
        the values that were set: continuous variables get normal draws of their own mean and variance, discrete ones
        any level with the same probability, whatever their causes. `Dataset.was_set` says what was set where.
    intervention_share
        Share of the rows in which each of these variables is set; no two in the same row.
    random_state
        A seed, a numpy generator or None. The citation of the result names the seed.

    Returns
    -------
    Dataset
        With the graph as its truth, and how it was made as its citation.

    Raises
    ------
    InputError
        If an argument is wrong, does not apply, or if values grow so large that rounding swallows the noise.

    Examples
    --------
    >>> data = simulate(5, 200, n_edges=6, mechanism="gp", random_state=0)
    >>> data.values.shape, data.truth
    ((200, 5), DAG(5 nodes, 6 edges))
    """
    settings = {
        "noise": noise,
        "weights": weights,
        "noise_scale": noise_scale,
        "scale_dependence": scale_dependence,
        "length_scale": length_scale,
        "rescale": rescale,
        "measurement_error": measurement_error,
        "standardise": standardise,
        "n_levels": n_levels,
        "concentration": concentration,
    }
    model = _model(checks.one_of("mechanism", mechanism, tuple(_TAKEN_BY)), settings)
    model = replace(model, plan=checked_plan(interventions, intervention_share))
    checks.integer("n_samples", n_samples, FEWEST_ROWS)
    seed = checks.seed_of(random_state)
    of_graph, of_functions, of_noise = np.random.default_rng(seed).spawn(3)
    truth = _true_graph(graph, n_nodes, n_edges, of_graph)
    ranges.require_table(n_samples, truth.n_nodes)
    data = model.sample(truth, n_samples, of_functions, of_noise)
    kind = graph if isinstance(graph, str) else "given"
    story = f"{kind} graph of {truth.n_nodes} nodes and {truth.n_edges} edges, {model.in_words(n_samples)}"
    return replace(data, citation=f"simulated by dagsearch {__version__} with seed {seed}: {story}")


def _model(mechanism: str, settings: dict[str, Any]) -> AdditiveNoiseModel | RandomTables | MixedModel:
    """Return the model with checked settings; refuse those that it would ignore."""
    parameters = inspect.signature(simulate).parameters
    for name, value in settings.items():
        if name not in _TAKEN_BY[mechanism] and not np.array_equal(value, parameters[name].default):
            raise InputError(f"{name} does not apply to mechanism {mechanism!r}, got {value!r}")
    if mechanism == "discrete":
        return RandomTables(
            n_levels=ranges.level_range("n_levels", settings["n_levels"]),
            concentration=checks.real("concentration", settings["concentration"], 0.0, strict=True),
        )
    if mechanism == "mixed":
        return MixedModel(
            n_levels=ranges.level_range("n_levels", settings["n_levels"]),
            weights=ranges.positive_range("weights", settings["weights"]),
            noise_scale=ranges.positive_range("noise_scale", settings["noise_scale"]),
        )
    rescale = settings["rescale"]
    return AdditiveNoiseModel(
        mechanism=mechanism,
        noise=checks.one_of("noise", settings["noise"], tuple(NOISES)),
        weights=ranges.positive_range("weights", settings["weights"]),
        noise_scale=ranges.positive_range("noise_scale", settings["noise_scale"]),
        length_scale=checks.real("length_scale", settings["length_scale"], 0.0, strict=True),
        rescale=MECHANISMS[mechanism].rescaled if rescale is None else checks.boolean("rescale", rescale),
        standardise=checks.boolean("standardise", settings["standardise"]),
        scale_dependence=checks.real("scale_dependence", settings["scale_dependence"], 0.0),
        measurement_error=ranges.share("measurement_error", settings["measurement_error"]),
    )


def _true_graph(graph: Any, n_nodes: Any, n_edges: Any, rng: np.random.Generator) -> DAG:
    """Return the graph that was asked for, or the one that was given."""
    if not isinstance(graph, str):
        return _given_graph(graph, n_nodes, n_edges)
    kind = checks.one_of("graph", graph, tuple(RANDOM_GRAPHS))
    n_drawn_nodes = checks.integer("n_nodes", DEFAULT_NODES if n_nodes is None else n_nodes, FEWEST_NODES)
    n_drawn_edges = None if n_edges is None else checks.integer("n_edges", n_edges, 0)
    return DAG(random_adjacency(kind, n_drawn_nodes, n_drawn_edges, rng), _names(n_drawn_nodes))


def _given_graph(graph: Any, n_nodes: Any, n_edges: Any) -> DAG:
    """Read a graph; a matrix without names gets those of random graphs."""
    has_no_names = is_matrix(graph) and not is_table(graph)
    dag = as_graph(graph, _names(len(graph)) if has_no_names else None)
    if not isinstance(dag, DAG):
        raise InputError("graph must be a DAG, this one has undirected edges")
    if dag.n_nodes < FEWEST_NODES:
        raise InputError(f"graph must have at least {FEWEST_NODES} nodes, got {dag.n_nodes}")
    for name, given, size in (("n_nodes", n_nodes, dag.n_nodes), ("n_edges", n_edges, dag.n_edges)):
        if given is not None and given != size:
            raise InputError(f"{name} must be {size}, as in the given graph, got {given!r}")
    return dag


def _names(n_nodes: int) -> list[str]:
    return [f"X{k}" for k in range(1, n_nodes + 1)]
