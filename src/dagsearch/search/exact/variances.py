"""Exact learning with equal variances, where the reward -log(S) - P is no sum over nodes.

S is the sum of the nodes' mean squares, P that of their penalties. log is concave, so for any slope w

    log(S)  <=  w S - 1 - log(w),   with equality at w = 1 / S,

and the least log(S) + P over all DAGs is the least value over w of  g(w) - 1 - log(w),  where g(w) is the least
w S + P: a problem that is a sum over nodes. g is concave, so between two slopes it lies above its chord. That bounds
what is inside an interval of slopes; intervals that may hold something better are cut in two.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from dagsearch.kernels.local import LOG_FLOOR
from dagsearch.search.exact.learner import Learner

_PROVEN = 1e-9


@dataclass(frozen=True, order=True)
class _Interval:
    """Slopes from ``low`` to ``high``, g at both, and a lower bound of log(S) + P for all slopes between."""

    bound: float
    best_slope: float
    low: float
    high: float
    g_low: float
    g_high: float

    @classmethod
    def between(cls, low: float, high: float, g_low: float, g_high: float) -> _Interval:
        """Bound by the chord: least value of chord(w) - 1 - log(w), which is convex in w."""
        steepness = (g_high - g_low) / (high - low) if high > low else 0.0
        slope = float(np.clip(1.0 / steepness if steepness > 0.0 else high, low, high))
        chord = g_low + steepness * (slope - low)
        return cls(chord - 1.0 - float(np.log(slope)), slope, low, high, g_low, g_high)


def learn_with_equal_variances(learner: Learner) -> None:
    """Find the DAG with the best reward; ``learner.best_inside`` and ``.bound`` have what was reached at any time."""

    def g(slope: float) -> float:
        # The logarithm's argument is S plus a constant, which the slope multiplies too.
        return -learner.optimum(-slope).reward + slope * LOG_FLOOR

    least = max(float(learner.score.best_values().sum()), 0.0) + LOG_FLOOR
    empty = np.zeros((1, learner.problem.n_nodes, learner.problem.n_nodes))
    most = float(np.exp(-learner.score.rewards_of(empty, penalised=False)[0]))
    low, high = 0.5 / most, 1.0 / least
    g_low = g(low)
    intervals = [_Interval.between(low, high, g_low, g(high))]
    while intervals:
        learner.bound = max(min(learner.bound, -intervals[0].bound), learner.best_inside.reward)
        if -intervals[0].bound <= learner.best_inside.reward + _PROVEN:
            learner.bound = learner.best_inside.reward
            return
        interval = heapq.heappop(intervals)
        middle = interval.best_slope
        g_middle = g(middle)
        for part in (
            _Interval.between(interval.low, middle, interval.g_low, g_middle),
            _Interval.between(middle, interval.high, g_middle, interval.g_high),
        ):
            if part.high > part.low:
                heapq.heappush(intervals, part)
    learner.bound = learner.best_inside.reward
