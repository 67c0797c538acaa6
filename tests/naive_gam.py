"""A slow, obvious twin of the additive models: mgcv's recipe with dense matrices and a decomposition per evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
from scipy import linalg, stats
from scipy.integrate import quad

EPSILON = float(np.finfo(float).eps)


# ---------------------------------------------------------------- basis


def eliminating_reflections(rows):
    """Orthogonal matrix whose first columns two rows annihilate, by Householder reflections from the last column on."""
    k = rows.shape[1]
    rotation = np.eye(k)
    for row, pivot in ((0, k - 1), (1, k - 2)):
        v = np.zeros(k)
        v[: pivot + 1] = (rows @ rotation)[row, : pivot + 1]
        v[pivot] += math.copysign(np.linalg.norm(v), v[pivot])
        rotation = rotation @ (np.eye(k) - 2 * np.outer(v, v) / (v @ v))
    return rotation


def radial_matrix(x):
    """|x_i - x_j|^3 / 12."""
    return np.abs(x[:, None] - x[None, :]) ** 3 / 12


def thin_plate(x, k):
    """Columns (n, k) and penalty (k, k) of a thin-plate regression spline."""
    values, where = np.unique(x - x.mean(), return_inverse=True)
    line = np.column_stack([np.ones_like(values), values])
    radial = radial_matrix(values)
    basis = np.eye(len(values))
    if k < len(values):
        eigenvalues, vectors = np.linalg.eigh(radial)
        leading = np.argsort(-np.abs(eigenvalues))[:k]
        basis = vectors[:, leading[np.argsort(-eigenvalues[leading])]]
    functions = basis @ eliminating_reflections(line.T @ basis)[:, : k - 2]
    # On a span of eigenvectors the radial matrix acts as itself.
    columns = np.column_stack([radial @ functions, line])[where]
    return columns, linalg.block_diag(functions.T @ radial @ functions, np.zeros((2, 2)))


def smooth(x, k):
    """Columns (n, k - 1), each of mean zero, and their penalty; a straight line for k = 2."""
    if k == 2:
        line = x - x.mean()
        return (line / np.sqrt(np.mean(line**2)))[:, None], np.zeros((1, 1))
    columns, penalty = thin_plate(x, k)
    size = np.sqrt(np.mean(columns**2, axis=0))
    columns, penalty = columns / size, penalty / np.outer(size, size)
    penalty = penalty * np.linalg.norm(columns, np.inf) ** 2 / np.linalg.norm(penalty, 1)
    kept = linalg.qr(columns.mean(axis=0)[:, None])[0][:, 1:]
    return columns @ kept, kept.T @ penalty @ kept


# ---------------------------------------------------------------- one fit at given smoothing parameters


@dataclass
class Problem:
    """Data reduced to the triangle of [1, X]: blocks of coefficients, and the penalty of each in its full size."""

    n: int
    triangle: np.ndarray
    target: np.ndarray
    unexplained: float
    terms: list
    blocks: list
    penalties: list


def problem_of(y, x, k):
    """The model of y on all columns of x, with at most k basis functions each."""
    terms = [smooth(column, min(k, len(np.unique(column)))) for column in x.T]
    design = np.column_stack([np.ones(len(y)), *(columns for columns, _ in terms)])
    ends = np.cumsum([1, *(columns.shape[1] for columns, _ in terms)])
    blocks = [slice(a, b) for a, b in pairwise(ends)]
    penalties = []
    for block, (_, penalty) in zip(blocks, terms, strict=True):
        full = np.zeros((ends[-1], ends[-1]))
        full[block, block] = penalty
        penalties.append(full)
    q, r = np.linalg.qr(design)
    return Problem(len(y), r, q.T @ y, np.sum((y - q @ (q.T @ y)) ** 2), terms, blocks, penalties)


def evaluate(problem, rho):
    """Fit at log smoothing parameters rho: residual sum, trace, GCV, coefficients and (X'X + S)^-1."""
    total = sum(math.exp(r) * s for r, s in zip(rho, problem.penalties, strict=True))
    factor, order, rank, _ = linalg.lapack.dpstrf(total, tol=-1.0)
    root = np.zeros((rank, len(total)))
    root[:, order - 1] = np.triu(factor)[:rank]
    _, d, vt = linalg.svd(np.vstack([problem.triangle, root]), full_matrices=False)
    kept = d >= math.sqrt(EPSILON) * d[0]
    w = vt[kept].T / d[kept]
    beta = w @ (w.T @ (problem.triangle.T @ problem.target))
    rss = problem.unexplained + np.sum((problem.target - problem.triangle @ beta) ** 2)
    trace = np.sum((problem.triangle @ w) ** 2)
    return SimpleNamespace(rss=rss, trace=trace, gcv=problem.n * rss / (problem.n - trace) ** 2, beta=beta, p=w @ w.T)


def derivatives(problem, rho, at):
    """Gradient and Hessian of GCV in the log smoothing parameters."""
    r, n, left = problem.triangle, problem.n, problem.n - at.trace
    scaled = [math.exp(v) * s for v, s in zip(rho, problem.penalties, strict=True)]
    pull = at.p @ (r.T @ (problem.target - r @ at.beta))
    sandwich = at.p @ r.T @ r @ at.p
    shift = [at.p @ s @ at.beta for s in scaled]
    trace = np.array([-np.sum(s * sandwich) for s in scaled])
    rss = np.array([2 * pull @ s @ at.beta for s in scaled])
    trace2, rss2 = np.diag(trace), np.diag(rss)
    for j, s in enumerate(scaled):
        for k, t in enumerate(scaled):
            trace2[j, k] += 2 * np.sum((s @ at.p @ t) * sandwich)
            rss2[j, k] += 2 * (r @ shift[j]) @ (r @ shift[k]) - 2 * pull @ (t @ shift[j] + s @ shift[k])
    mixed = np.outer(rss, trace) + np.outer(trace, rss)
    gradient = n * (rss / left**2 + 2 * at.rss * trace / left**3)
    hessian = rss2 / left**2 + 2 * (mixed + at.rss * trace2) / left**3 + 6 * at.rss * np.outer(trace, trace) / left**4
    return gradient, n * hessian


# ---------------------------------------------------------------- search for smoothing parameters


def start(problem):
    """Log smoothing parameters at which data and penalties are comparable."""
    squares = [np.sum(columns**2, axis=0)[:-1] for columns, _ in problem.terms]
    sizes = [np.diag(penalty)[:-1] for _, penalty in problem.terms]
    rho = np.array([math.log(x.mean() / s.mean()) if len(s) else 0.0 for x, s in zip(squares, sizes, strict=True)])

    def share():
        parts = [x / (x + math.exp(r) * s) for x, s, r in zip(squares, sizes, rho, strict=True)]
        return np.mean(np.concatenate(parts)) if sum(map(len, parts)) else 0.4

    while share() > 0.4:
        rho += math.log(10)
    while share() < 0.4:
        rho -= math.log(10)
    return rho


def first_step(gradient, hessian):
    """The Newton step, not longer than 5 in any component, or steepest descent where the Hessian is not positive."""
    eigenvalues, vectors = np.linalg.eigh(hessian)
    if eigenvalues[0] <= 0:
        return -gradient / np.abs(gradient).max()
    step = -vectors @ ((vectors.T @ gradient) / eigenvalues)
    return step * min(1.0, 5 / np.abs(step).max())


def downhill(problem, rho, at, gradient, hessian):
    """The first of 15 ever shorter steps that lowers GCV, or None."""
    step = first_step(gradient, hessian)
    for attempt in range(15):
        if attempt == 3:
            step = -gradient / np.abs(gradient).max()
        if evaluate(problem, rho + step).gcv < at.gcv:
            return rho + step
        step = step / 2
    return None


def descend(problem, rho):
    """Newton's method to loose convergence; smoothing parameters and the gradient there."""
    at = evaluate(problem, rho)
    gradient, hessian = derivatives(problem, rho, at)
    for iteration in range(200):
        if not gradient.any() or (moved := downhill(problem, rho, at, gradient, hessian)) is None:
            break
        rho, before, steepness = moved, at.gcv, np.linalg.norm(gradient)
        at = evaluate(problem, rho)
        gradient, hessian = derivatives(problem, rho, at)
        size = 1 + at.gcv
        if iteration >= 3 and before - at.gcv <= 1e-7 * size and steepness <= 1e-7 ** (1 / 3) * size:
            break
    return rho, gradient


def push(problem, rho, gradient):
    """Move each parameter downhill by 2 up to five times, while GCV falls at all."""
    for j in range(len(rho)):
        if not problem.penalties[j].any():
            continue
        step = np.zeros(len(rho))
        step[j] = 2.0 if gradient[j] < 0 else -2.0
        for _ in range(5):
            if not evaluate(problem, rho + step).gcv < evaluate(problem, rho).gcv:
                break
            rho = rho + step
    return rho


# ---------------------------------------------------------------- the whole fit and its p-values


def fit(y, x, k):
    """The additive model of y on the columns of x: rss, gcv, scale, edf, smoothing, p_values."""
    problem = problem_of(y, x, k)
    rho = push(problem, *descend(problem, start(problem)))
    at = evaluate(problem, rho)
    f = at.p @ problem.triangle.T @ problem.triangle
    double = 2 * np.diag(f) - np.sum(f * f.T, axis=1)
    left = problem.n - at.trace
    p_values = [
        p_value(columns, at.beta[b], at.rss / left * at.p[b, b], min(columns.shape[1], max(1.0, double[b].sum())), left)
        for b, (columns, _) in zip(problem.blocks, problem.terms, strict=True)
    ]
    return SimpleNamespace(
        rss=at.rss,
        gcv=at.gcv,
        scale=at.rss / left,
        edf=np.array([np.trace(f[b, b]) for b in problem.blocks]),
        smoothing=np.exp(rho),
        p_values=np.array(p_values),
    )


def p_value(columns, beta, covariance, rank, left):
    """Wood's (2013) test that a term is zero, of a rank that need not be whole."""
    r = np.linalg.qr(columns, mode="r")
    eigenvalues, vectors = np.linalg.eigh(r @ covariance @ r.T)
    z = (vectors.T @ (r @ beta))[::-1] / np.sqrt(np.maximum(eigenvalues[::-1], 1e-300))
    whole = math.floor(rank)
    part = rank - whole
    if part == 0:
        return stats.f.sf(np.sum(z[:whole] ** 2) / rank, rank, left)
    rho = math.sqrt(part * (1 - part) / 2)
    larger = (part + 1 + math.sqrt(1 - part**2)) / 2
    weights = [1.0] * (whole - 1) + [larger, part + 1 - larger]
    tails = []
    for sign in (1, -1):
        last = z[whole - 1 : whole + 1] * [sign, 1]
        d = np.sum(z[: whole - 1] ** 2) + last @ np.array([[1, rho], [rho, part]]) @ last
        tails.append(tail(weights, d, max(1, round(left))))
    return np.mean(tails)


def tail(weights, d, k):
    """P(sum_i w_i chi2_1 > d chi2_k / k) by Imhof's integral over the log of its variable; absolute error 1e-9."""
    factors, counts = np.append(weights, -d / k), np.append(np.ones(len(weights)), k)
    scale = 1.0 / math.sqrt(np.sum(counts * factors**2))

    def integrand(t):
        u = factors * (scale * math.exp(t))
        return math.sin(0.5 * np.sum(counts * np.arctan(u))) * math.exp(-0.25 * np.sum(counts * np.log1p(u**2)))

    integral = sum(quad(integrand, a, b, epsabs=1e-10, limit=500)[0] for a, b in ((-25.0, 0.0), (0.0, 30.0)))
    return min(1.0, max(0.0, 0.5 + integral / math.pi))
