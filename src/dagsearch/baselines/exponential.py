"""The exponential of a square matrix; that of a large one looks at the clock between its parts.

N. J. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl. 26,
2005, with the diagonal Padé approximant of degree 13.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm, lu_factor, lu_solve

from dagsearch.interruption import look

Floats = NDArray[np.float64]

LARGE = 400
"""Rows from which a product of matrices may take tenths of a second; smaller matrices are scipy's."""

_LARGEST_NORM = 5.371920351148152  # up to which the approximant is exact to rounding
_MOST_SQUARINGS = 1_024  # entries overflow long before
_BLOCK = 256  # columns solved for together
_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip


def exponential(matrix: Floats) -> Floats:
    """Return exp(matrix) for a square matrix; entries that overflow are infinite or NaN."""
    if len(matrix) < LARGE:
        result: Floats = expm(matrix)
        return result
    norm = float(np.abs(matrix).sum(axis=0).max())
    if not math.isfinite(norm):
        return np.full_like(matrix, np.nan)
    n_squarings = min(max(0, math.ceil(math.log2(max(norm, 1e-300) / _LARGEST_NORM))), _MOST_SQUARINGS)
    power = _approximant(matrix / 2.0**n_squarings)
    for _ in range(n_squarings):
        power = _product(power, power)
    return power


def _approximant(a: Floats) -> Floats:
    """Their equations (2.2) and (2.3): r(A) = q(A)^-1 p(A), with p = v + u and q = v - u."""
    b, one = _PADE, np.eye(len(a))
    a2 = _product(a, a)
    a4 = _product(a2, a2)
    a6 = _product(a4, a2)
    odd = _product(a6, b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one
    u = _product(a, odd)
    v = _product(a6, b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    look()
    factors, numerator = lu_factor(v - u), v + u
    for first in range(0, len(a), _BLOCK):
        look()
        numerator[:, first : first + _BLOCK] = lu_solve(factors, numerator[:, first : first + _BLOCK])
    return numerator


def _product(a: Floats, b: Floats) -> Floats:
    look()
    product: Floats = a @ b
    return product
