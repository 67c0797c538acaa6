"""Sums of cubes of distances in linear time: the matrix |x_i - x_j|^3 applied to a vector, never formed."""

from __future__ import annotations

from dagsearch.kernels.compile import entry_point, kernel


@kernel
def _shift(moments, h):
    """Move the origin of sum_j w_j (x - x_j)^m, m = 0 ... 3, by h >= 0."""
    s0, s1, s2, s3 = moments
    return s0, s1 + h * s0, s2 + h * (2.0 * s1 + h * s0), s3 + h * (3.0 * s2 + h * (3.0 * s1 + h * s0))


@entry_point
def sum_cubed_distances(points, sources, weights, sums):
    """Set sums[i] = sum_j weights[j] |points[i] - sources[j]|^3, with points and sources ascending.

    Each sweep carries the moments of what it has passed, so no large numbers cancel.
    """
    n_points, n_sources = points.size, sources.size
    moments, place, j = (0.0, 0.0, 0.0, 0.0), points[0], 0
    for i in range(n_points):
        while j < n_sources and sources[j] <= points[i]:
            moments = _shift(moments, max(sources[j] - place, 0.0))
            moments = (moments[0] + weights[j], moments[1], moments[2], moments[3])
            place = sources[j]
            j += 1
        moments = _shift(moments, points[i] - place)
        place = points[i]
        sums[i] = moments[3]
    moments, place, j = (0.0, 0.0, 0.0, 0.0), points[n_points - 1], n_sources - 1
    for i in range(n_points - 1, -1, -1):
        while j >= 0 and sources[j] > points[i]:
            moments = _shift(moments, max(place - sources[j], 0.0))
            moments = (moments[0] + weights[j], moments[1], moments[2], moments[3])
            place = sources[j]
            j -= 1
        moments = _shift(moments, place - points[i])
        place = points[i]
        sums[i] += moments[3]
