"""Thin-plate regression splines of one variable (Wood 2003), with the constraint that a term sums to zero.

The radial basis |x - x_i|^3 / 12 at all distinct values, plus a straight line, is the full smoothing spline. Its best
approximation with k coefficients keeps the k leading eigenvectors. Any coordinates would give the same fit; those of
R's mgcv are kept up to a rotation, since the search for smoothing parameters starts from them and what it loses to
rounding depends on them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse.linalg import LinearOperator, eigsh

from dagsearch.gam.knots import MAX_KNOTS, sampled_knots
from dagsearch.kernels.radial import sum_cubed_distances

Floats = NDArray[np.float64]

LINEAR = 2
_DENSE = 60  # distinct values up to which all eigenvectors are computed


@dataclass(frozen=True)
class SmoothTerm:
    """A smooth term in coordinates in which its penalty is diagonal.

    Attributes
    ----------
    columns
        (n_samples, width), each with mean zero.
    penalty
        (width,) diagonal of the penalty, descending; zero for the straight line.
    pivots
        (width,) pivots of the penalty's pivoted Cholesky factorisation, descending, zero beyond its rank.
    roots
        (width + 1, width, width): [r] is an upper triangular root of the penalty rebuilt from its first r pivots.
    start_squares, start_penalties
        (width,) squared norms of the columns and diagonal of the penalty before the rotation.
    """

    columns: Floats
    penalty: Floats
    pivots: Floats
    roots: Floats
    start_squares: Floats
    start_penalties: Floats

    @property
    def width(self) -> int:
        """Number of coefficients."""
        return int(self.columns.shape[1])


def moderate(x: Floats) -> Floats:
    """Values times a power of two, which is exact: their sum and squares neither overflow nor vanish."""
    scaled: Floats = np.ldexp(x, -np.frexp(np.abs(x).max())[1])
    return scaled


def smooth_term(x: Floats, basis: int) -> SmoothTerm | None:
    """The term of one column of values, or None for a constant.

    Parameters
    ----------
    x
        (n_samples,) values.
    basis
        Basis functions before the constraint, at least 2: a straight line. Not more are used than distinct values.
    """
    centred = moderate(x)
    centred -= centred.mean()
    centred /= np.abs(centred).max() or 1.0
    values, where = np.unique(centred, return_inverse=True)
    if len(values) == 1:
        return None
    basis = min(basis, len(values), MAX_KNOTS)
    if basis == LINEAR:
        return _rotated(centred[:, None] / math.sqrt(np.mean(centred**2)), np.zeros((1, 1)))
    return _rotated(*_constrained(*_normalised(*_thin_plate(values, where, basis))))


def _leading_eigenpairs(knots: Floats, k: int) -> tuple[Floats, Floats]:
    """The k eigenpairs of largest absolute eigenvalue of the radial basis at its knots, by descending eigenvalue."""
    n = len(knots)
    if n <= _DENSE or 2 * k >= n:
        eigenvalues, vectors = np.linalg.eigh(_radial_columns(knots, knots, np.eye(n)))
        leading = np.argsort(-np.abs(eigenvalues), kind="stable")[:k]
        eigenvalues, vectors = eigenvalues[leading], vectors[:, leading]
    else:
        operator = LinearOperator((n, n), matvec=lambda v: _radial(knots, knots, v), dtype=np.float64)
        # Any fixed start will do; a ramp is not orthogonal to an eigenvector of either parity.
        eigenvalues, vectors = eigsh(operator, k=k, which="LM", v0=np.linspace(1.0, 2.0, n))
    order = np.argsort(-eigenvalues, kind="stable")
    return eigenvalues[order], vectors[:, order]


def _radial(points: Floats, knots: Floats, weights: Floats) -> Floats:
    """sum_j |points_i - knots_j|^3 / 12 weights_j."""
    sums = np.empty(len(points))
    sum_cubed_distances(points, knots, weights, sums)
    sums /= 12.0
    return sums


def _radial_columns(points: Floats, knots: Floats, weights: Floats) -> Floats:
    """`_radial` of each column of weights."""
    return np.column_stack([_radial(points, knots, column) for column in np.ascontiguousarray(weights.T)])


def _thin_plate(values: Floats, where: NDArray[np.intp], k: int) -> tuple[Floats, Floats]:
    """Columns (n_samples, k) and penalty (k, k): k - 2 wiggly functions, a constant and the straight line."""
    knots = values if len(values) <= MAX_KNOTS else values[sampled_knots(len(values))]
    line = np.vstack([np.ones_like(knots), knots])
    if k == len(knots):  # nothing to leave out: R takes the radial functions as they are
        weights = wiggly = _null_space(line)
        scaled = at_knots = _radial_columns(knots, knots, wiggly)
    else:
        eigenvalues, vectors = _leading_eigenpairs(knots, k)
        wiggly = _null_space(line @ vectors)
        scaled = eigenvalues[:, None] * wiggly
        weights, at_knots = vectors @ wiggly, vectors @ scaled
    functions = at_knots if knots is values else _radial_columns(values, knots, weights)
    columns = np.column_stack([functions, np.ones_like(values), values])
    penalty = np.zeros((k, k))
    penalty[: k - 2, : k - 2] = wiggly.T @ scaled
    return columns[where], penalty


def _null_space(rows: Floats) -> Floats:
    """Orthonormal columns (k, k - 2) that two rows (2, k) annihilate, by reflections that empty them from the left."""
    k = rows.shape[1]
    rotation = np.eye(k)
    for row, last in ((0, k - 1), (1, k - 2)):
        reflector = np.zeros(k)
        reflector[: last + 1] = (rows @ rotation)[row, : last + 1]
        reflector[last] += math.copysign(float(np.linalg.norm(reflector)), reflector[last])
        rotation -= np.outer(rotation @ reflector, reflector) * (2.0 / (reflector @ reflector))
    return rotation[:, : k - 2]


def _normalised(columns: Floats, penalty: Floats) -> tuple[Floats, Floats]:
    """Columns of unit mean square, and a penalty of the same size as their inner products."""
    size = np.sqrt(np.mean(columns**2, axis=0))
    columns, penalty = columns / size, penalty / np.outer(size, size)
    return columns, penalty * (np.abs(columns).sum(axis=1).max() ** 2 / np.abs(penalty).sum(axis=0).max())


def _constrained(columns: Floats, penalty: Floats) -> tuple[Floats, Floats]:
    """One column less, so that all have mean zero: a reflection takes the column means to the first coordinate."""
    reflector = columns.mean(axis=0)
    reflector[0] += math.copysign(float(np.linalg.norm(reflector)), reflector[0])
    reflection = np.eye(len(reflector)) - np.outer(reflector, reflector) * (2.0 / (reflector @ reflector))
    kept = reflection[:, 1:]
    return columns @ kept, kept.T @ penalty @ kept


def _rotated(columns: Floats, penalty: Floats) -> SmoothTerm:
    """The term in the eigenvectors of its penalty, of which all but one eigenvalue are positive."""
    width = len(penalty)
    eigenvalues, vectors = np.linalg.eigh(penalty)
    diagonal = np.append(np.maximum(eigenvalues[:0:-1], 0.0), 0.0)
    vectors = np.hstack([vectors[:, :0:-1], vectors[:, :1]])
    pivots = np.zeros(width)
    roots = np.zeros((width + 1, width, width))
    if width > 1:
        factor, order, found, _ = lapack.dpstrf(penalty, tol=0.0)
        whole = min(int(found), width - 1)
        root = np.zeros((whole, width))
        root[:, order - 1] = np.triu(factor)[:whole]
        pivots[:whole] = np.diag(factor)[:whole] ** 2
        leading = np.tri(whole + 1, whole, -1)  # [r, i]: whether row i is among the first r
        roots[: whole + 1, :whole] = np.linalg.qr(leading[:, :, None] * (root @ vectors), mode="r")
        if whole == width - 1:
            roots[whole] = np.diag(np.sqrt(diagonal))
    penalised = np.arange(width) < width - 1
    return SmoothTerm(
        columns=columns @ vectors,
        penalty=diagonal,
        pivots=pivots,
        roots=roots,
        start_squares=np.where(penalised, np.square(columns).sum(axis=0), 0.0),
        start_penalties=np.where(penalised, np.diag(penalty), 0.0),
    )
