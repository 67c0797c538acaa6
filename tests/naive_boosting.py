"""Boosting of splines, as CAM selects neighbours, with whole smoothing matrices."""

from __future__ import annotations

import numpy as np


def spline_smoother(x: np.ndarray, degrees_of_freedom: float = 4.0) -> np.ndarray:
    """The matrix S of a cubic spline on 20 inner knots, second differences penalised, with tr(2 S - S'S) as given."""
    edges = np.linspace(x.min(), x.max(), 22)
    width = edges[1] - edges[0]
    knots = np.concatenate([edges[0] - width * np.arange(3, 0, -1), edges, edges[-1] + width * np.arange(1, 4)])
    basis = np.column_stack([_b_spline(x, knots[k : k + 5]) for k in range(24)])
    differences = np.diff(np.eye(24), n=2, axis=0)
    penalty = differences.T @ differences

    def smoother(log_weight: float) -> np.ndarray:
        inside = basis.T @ basis + (np.exp(log_weight) + 1e-9) * penalty
        return basis @ np.linalg.solve(inside, basis.T)

    low, high = -20.0, 40.0
    for _ in range(100):
        middle = (low + high) / 2
        found = smoother(middle)
        too_free = 2.0 * np.trace(found) - np.sum(found**2) > degrees_of_freedom
        low, high = (middle, high) if too_free else (low, middle)
    return smoother(middle)


def _b_spline(x: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """The cubic B-spline on five knots, by the recursion of Cox and de Boor."""
    pieces = [((knots[k] <= x) & (x < knots[k + 1])).astype(float) for k in range(4)]
    for degree in (1, 2, 3):
        pieces = [
            (x - knots[k]) / (knots[k + degree] - knots[k]) * pieces[k]
            + (knots[k + degree + 1] - x) / (knots[k + degree + 1] - knots[k + 1]) * pieces[k + 1]
            for k in range(len(pieces) - 1)
        ]
    return pieces[0]


def boosting_counts(smoothers: list[np.ndarray], y: np.ndarray, target: int) -> list[int]:
    """How often each smoother is the one that leaves least of what is left of y, in 100 steps of a tenth."""
    left = y - y.mean()
    counts = [0] * len(smoothers)
    for _ in range(100):
        fits = {k: smoother @ left for k, smoother in enumerate(smoothers) if k != target}
        best = min(fits, key=lambda k: float(np.square(left - fits[k]).sum()))
        counts[best] += 1
        left = left - 0.1 * fits[best]
    return counts
