"""Cholesky factorisation and solution through SciPy's own LAPACK, without the GIL.

SciPy's Python wrappers keep the GIL while LAPACK works, so two threads would take turns. The same routines are
exported to Cython, and a call through ctypes releases the GIL.
"""

from __future__ import annotations

import ctypes

import numpy as np
from numba.extending import get_cython_function_address
from numpy.typing import NDArray

_INT = ctypes.POINTER(ctypes.c_int)
_MODULE = "scipy.linalg.cython_lapack"
_dpotrf = ctypes.CFUNCTYPE(None, ctypes.c_char_p, _INT, ctypes.c_void_p, _INT, _INT)(
    get_cython_function_address(_MODULE, "dpotrf")
)
_dpotrs = ctypes.CFUNCTYPE(None, ctypes.c_char_p, _INT, _INT, ctypes.c_void_p, _INT, ctypes.c_void_p, _INT, _INT)(
    get_cython_function_address(_MODULE, "dpotrs")
)
_dtrtri = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, _INT, ctypes.c_void_p, _INT, _INT)(
    get_cython_function_address(_MODULE, "dtrtri")
)


def _ref(value: int) -> ctypes._Pointer[ctypes.c_int]:
    """Pointer to an integer, as Fortran wants all arguments."""
    return ctypes.pointer(ctypes.c_int(value))


def factorise(matrix: NDArray[np.float64]) -> bool:
    """Cholesky factor in place; False if the matrix is not positive definite.

    ``matrix`` (n, n) is C-ordered with its upper triangle filled, which is Fortran's lower triangle.
    """
    n, info = _ref(len(matrix)), _ref(0)
    _dpotrf(b"L", n, matrix.ctypes.data, n, info)
    return info.contents.value == 0


def solve(factor: NDArray[np.float64], rhs: NDArray[np.float64]) -> None:
    """Solve with a factor of `factorise`, in place; each row of ``rhs`` (n_rhs, n), C-ordered, is a right-hand side."""
    n = _ref(len(factor))
    _dpotrs(b"L", n, _ref(len(rhs)), factor.ctypes.data, n, rhs.ctypes.data, n, _ref(0))


def invert_factor(factor: NDArray[np.float64]) -> None:
    """Replace a factor of `factorise` by its inverse, in place."""
    n = _ref(len(factor))
    _dtrtri(b"L", b"N", n, factor.ctypes.data, n, _ref(0))
