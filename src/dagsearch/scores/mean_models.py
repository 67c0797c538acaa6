"""Models of the mean of a variable given its parents, and their evidence; one factor serves all targets.

Every model is a Gaussian process with a kernel matrix K = F'F of low rank: ``linear`` in the parents; ``additive``, a
sum of one smooth function per parent; ``joint``, one smooth function of all parents. With y centred, nu = n - 1, ratio
the variance of noise over that of the signal, and (e, W) the eigenvalues and rotated features of K, the evidence of a
target with the scale of y integrated out is, up to a constant that is the same for all models and parents,

    -nu/2 log(Q / nu) - 1/2 sum_k log(1 + e_k / ratio),    Q = y'y - sum_k (W y)_k^2 / (e_k + ratio).

It is averaged over a grid of ratios, two length scales and the models, never maximised: an average pays for complexity.

A parent is a block of coordinates: a number is one of them, a category has one per level (`coordinates`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dagsearch.errors import InputError
from dagsearch.kernels.lowrank import choose_landmarks, kernel_rows
from dagsearch.scores.coordinates import Coordinates

Model = Literal["linear", "additive", "joint"]
MODELS: tuple[Model, ...] = ("linear", "additive", "joint")

RATIOS = np.logspace(-3, 4, 29)
LENGTHS = (1.0, 2.0)
"""Length scales in units of the median distance."""

LEFT_OUT = 1e-3  # share of the trace of a kernel matrix that its factor may leave out
MAX_RANK = 100
MAX_LANDMARK_ROWS = 1024  # landmarks are chosen among so many rows
_N_SAMPLED_PAIRS = 4096
_MAX_GRAM_BYTES = 2**30
_LEAST_LEFT = 1e-6  # of a row's weight that its own fit leaves: one less the leverage
_LEAST_SHARE = 1e-12  # of a total that may be left unexplained: less is rounding

Matrix = NDArray[np.float64]


class Member(NamedTuple):
    """One of the models that are averaged: which, with which length scale (by its number), and its share."""

    model: Model
    length: int
    weight: float


class Basis(NamedTuple):
    """Eigenvalues and eigenvectors of a kernel matrix, in terms of its features."""

    values: Matrix  # (rank,)
    rotation: Matrix  # (rank, rank)
    products: Matrix  # (rank, n_nodes)   of the rotated features with all columns


class Smoother(NamedTuple):
    """The rotated features of a kernel matrix on all rows: what residuals come from."""

    values: Matrix  # (rank,)
    rows: Matrix  # (rank, n_samples)
    squares: Matrix  # (rank, n_samples)
    products: Matrix  # (rank, n_nodes)

    def residuals(self, target: Matrix, products: Matrix, ratio: float) -> Matrix:
        """Leave-one-out residuals of a centred target, given its products with the rotated features."""
        shrunk = 1.0 / (self.values + ratio)
        fitted = (products * shrunk) @ self.rows
        leverage = shrunk @ self.squares + 1.0 / len(target)
        left: Matrix = (target - fitted) / np.maximum(1.0 - leverage, _LEAST_LEFT)
        return left


class MeanFit(NamedTuple):
    """What all targets gain on one parent set, averaged over members and ratios, and the best of these; (n_nodes,)."""

    gain: Matrix  # log evidence above that of no parents
    member: NDArray[np.int8]
    ratio: NDArray[np.int8]


def log_evidence(values: Matrix, products: Matrix, totals: Matrix, n_samples: int) -> Matrix:
    """The formula above less its value without parents, for all ratios and targets: (n_ratios, n_targets)."""
    shrunk = 1.0 / (values + RATIOS[:, None])
    left = np.maximum(1.0 - (shrunk @ np.square(products)) / totals, _LEAST_SHARE)
    complexity = 0.5 * np.log1p(values / RATIOS[:, None]).sum(axis=1)
    gains: Matrix = -0.5 * (n_samples - 1) * np.log(left) - complexity[:, None]
    return gains


class MeanModels:
    """Models of the mean on one table.

    Parameters
    ----------
    columns
        Standardised columns, (n_nodes, n_samples): the targets. One that is zero everywhere gains nothing.
    models
        Which models to average.
    coordinates
        What variables are as parents; None: their columns.
    """

    def __init__(self, columns: Matrix, models: tuple[Model, ...], coordinates: Coordinates | None = None) -> None:
        self.columns = columns
        self.models = models
        self.n_nodes, self.n_samples = columns.shape
        rows, starts = coordinates or Coordinates(columns, np.arange(self.n_nodes + 1))
        self._linear = Stack(rows, rows @ rows.T, rows @ columns.T, starts)
        squares = np.einsum("ij,ij->i", columns, columns) if coordinates else np.diag(self._linear.gram)
        self.totals = np.where(squares > 0.0, squares, 1.0)
        self._pairs = np.add.reduceat(_squared_differences(rows), starts[:-1], axis=0)
        places = np.arange(self.n_samples)
        if self.n_samples > MAX_LANDMARK_ROWS:
            places = np.sort(np.random.default_rng(0).choice(places, MAX_LANDMARK_ROWS, replace=False))
        self._landmark_rows = places
        self._smooth = [self._smooth_features(length) for length in LENGTHS] if self._needs_smooth() else []

    def _needs_smooth(self) -> bool:
        return "additive" in self.models or "joint" in self.models

    def members(self, n_parents: int) -> tuple[Member, ...]:
        """What is averaged for so many parents; a function of one parent is additive and joint at once."""
        shares: dict[tuple[Model, int], float] = {}
        for model in self.models:
            smooth: Model = "additive" if n_parents == 1 else model
            kinds: list[tuple[Model, int]] = (
                [("linear", 0)] if model == "linear" else [(smooth, k) for k in range(len(LENGTHS))]
            )
            for kind in kinds:
                shares[kind] = shares.get(kind, 0.0) + 1.0 / (len(self.models) * len(kinds))
        return tuple(Member(*kind, weight) for kind, weight in shares.items())

    def on(self, parents: tuple[int, ...]) -> ParentSet:
        """The models on one parent set."""
        return ParentSet(self, parents)

    def features(self, parents: tuple[int, ...], member: Member) -> Matrix:
        """Centred features F of a member's kernel matrix F'F, (rank, n_samples)."""
        if member.model == "joint":
            return self.joint_features(parents, member.length)
        return self.stack(member.model, member.length).rows_of(parents)

    def stack(self, model: Model, length: int = 0) -> Stack:
        """Features of all variables for the linear model, or for the additive one with a length scale by its number."""
        return self._linear if model == "linear" else self._smooth[length]

    def products(self, parents: tuple[int, ...], member: Member, features: Matrix | None) -> tuple[Matrix, Matrix]:
        """Inner products of a member's features, among themselves and with all columns; known but for joint ones."""
        if features is not None:
            return features @ features.T, features @ self.columns.T
        stack = self.stack(member.model, member.length)
        chosen = stack.of(parents)
        return stack.gram[np.ix_(chosen, chosen)], stack.products[chosen]

    def joint_features(self, parents: tuple[int, ...], length: int) -> Matrix:
        """Centred factor of the RBF kernel of all parents, with a length scale by its number."""
        return self._factor(self._linear.rows_of(parents), LENGTHS[length] * self._median_distance(parents))

    def _smooth_features(self, length: float) -> Stack:
        factors = [
            self._factor(self._linear.rows_of((node,)), length * self._median_distance((node,)))
            for node in range(self.n_nodes)
        ]
        n_features = sum(map(len, factors))
        if 8 * n_features * (n_features + self.n_samples) > _MAX_GRAM_BYTES:
            n_bytes = 8 * n_features * (n_features + self.n_samples)
            raise InputError(
                f"models 'additive' and 'joint' of the evidence score would need {n_bytes / 2**30:.1f} GiB for "
                f"{self.n_nodes} variables; use models=('linear',)"
            )
        rows = np.concatenate(factors)
        return Stack(rows, rows @ rows.T, rows @ self.columns.T, np.cumsum([0, *map(len, factors)]))

    def _factor(self, columns: Matrix, length: float) -> Matrix:
        """Centred factor, (rank, n_samples), of the RBF kernel of some columns."""
        scale = 0.5 / length**2
        rows = self._landmark_rows
        near = np.ascontiguousarray(columns[:, rows])
        room, chosen = np.empty((MAX_RANK, len(rows))), np.empty(MAX_RANK, dtype=np.int64)
        rank = choose_landmarks(near, scale, LEFT_OUT, np.empty(len(rows)), room, chosen)
        factor: Matrix = room[:rank]
        if len(rows) < self.n_samples:
            kernel = np.empty((rank, self.n_samples))
            kernel_rows(columns, np.ascontiguousarray(near[:, chosen[:rank]]), scale, kernel)
            factor = np.asarray(np.linalg.inv(factor[:, chosen[:rank]]).T @ kernel, dtype=np.float64)
        factor -= factor.mean(axis=1, keepdims=True)
        return factor

    def _median_distance(self, parents: tuple[int, ...]) -> float:
        """Median distance of a fixed sample of pairs of rows, or the mean where most of them are equal."""
        squared = self._pairs[list(parents)].sum(axis=0)
        return math.sqrt(float(np.median(squared)) or float(squared.mean()) or 1.0)


class ParentSet:
    """All models of the mean on one parent set; what one question has computed answers the next.

    Parameters
    ----------
    models
        The models on the table.
    parents
        Variables, in ascending order; none at all is a set as well.
    """

    def __init__(self, models: MeanModels, parents: tuple[int, ...]) -> None:
        self._models = models
        self._parents = parents
        self._members = models.members(len(parents))
        self._features: dict[int, Matrix] = {}
        self._bases: dict[int, Basis] = {}
        self._smoothers: dict[int, Smoother] = {}

    def fit(self) -> MeanFit:
        """The gains of all targets."""
        n_nodes = self._models.n_nodes
        if not self._parents:
            nothing = np.zeros(n_nodes, dtype=np.int8)
            return MeanFit(np.zeros(n_nodes), nothing, nothing)
        totals, n_samples = self._models.totals, self._models.n_samples
        gains = np.empty((len(self._members), len(RATIOS), n_nodes))
        for member in range(len(self._members)):
            basis = self._basis(member)
            gains[member] = log_evidence(basis.values, basis.products, totals, n_samples)
        shares = np.log([member.weight / len(RATIOS) for member in self._members])
        averaged = logsumexp(gains + shares[:, None, None], axis=(0, 1))
        best = gains.reshape(-1, n_nodes).argmax(axis=0)
        return MeanFit(averaged, (best // len(RATIOS)).astype(np.int8), (best % len(RATIOS)).astype(np.int8))

    def smoother(self, member: int) -> Smoother:
        """What the residuals of a member, by its number, come from."""
        if member not in self._smoothers:
            basis = self._basis(member)
            features = self._features.get(member)
            if features is None:
                features = self._models.features(self._parents, self._members[member])
            rows = basis.rotation.T @ features
            self._smoothers[member] = Smoother(basis.values, rows, np.square(rows), basis.products)
        return self._smoothers[member]

    def _basis(self, member: int) -> Basis:
        if member not in self._bases:
            which = self._members[member]
            if which.model == "joint":
                self._features[member] = self._models.features(self._parents, which)
            gram, products = self._models.products(self._parents, which, self._features.get(member))
            values, rotation = np.linalg.eigh(gram)
            self._bases[member] = Basis(np.maximum(values, 0.0), rotation, rotation.T @ products)
        return self._bases[member]


@dataclass(frozen=True)
class Stack:
    """Features of all variables, one below the other; those of variable k are rows starts[k] to starts[k + 1]."""

    rows: Matrix
    gram: Matrix
    products: Matrix
    starts: NDArray[np.int64]

    def of(self, nodes: tuple[int, ...]) -> list[int]:
        """Numbers of the rows that belong to some variables."""
        return [row for node in nodes for row in range(self.starts[node], self.starts[node + 1])]

    def rows_of(self, nodes: tuple[int, ...]) -> Matrix:
        """The rows that belong to some variables."""
        return self.rows[self.of(nodes)]


def _squared_differences(columns: Matrix) -> Matrix:
    """Squared differences of each column over a fixed sample of pairs of rows, (n_nodes, n_pairs)."""
    n = columns.shape[1]
    i, j = np.random.default_rng(0).integers(0, n, (2, _N_SAMPLED_PAIRS))
    i, j = i[i != j], j[i != j]
    return np.square(columns[:, i] - columns[:, j])
