"""BLAS and LAPACK inside kernels: SciPy's own routines, called without the GIL and without a Python object.

SciPy exports them to Cython as C functions that take every argument by address, as Fortran does. `connect` looks the
addresses up once; kernels get them in a `Lapack` and call through them. LAPACK's matrices are column-major: [i, j] of
one is [j, i] of the arrays here.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import get_cython_function_address, intrinsic

from dagsearch.kernels.compile import entry_point, long_kernel

_ROUTINES = (
    ("scipy.linalg.cython_blas", "dgemm"),
    ("scipy.linalg.cython_lapack", "dgeqrf"),
    ("scipy.linalg.cython_lapack", "dtpqrt"),
    ("scipy.linalg.cython_lapack", "dtrtri"),
    ("scipy.linalg.cython_lapack", "dgesvd"),
    ("scipy.linalg.cython_lapack", "dsyev"),
    ("scipy.linalg.cython_lapack", "dpotrf"),
    ("scipy.linalg.cython_lapack", "dpotrs"),
)
_DGEMM, _DGEQRF, _DTPQRT, _DTRTRI, _DGESVD, _DSYEV, _DPOTRF, _DPOTRS = range(len(_ROUTINES))
_LETTERS = b"NTUAVL"
_NO, _TRANSPOSED, _UPPER, _ALL, _VECTORS, _LOWER = range(len(_LETTERS))
_REAL = 8  # bytes
_INTEGER = 4
_PANEL = 16  # columns that a blocked QR takes at a time
SCRATCH_PER_COLUMN = 64  # reals that LAPACK is given to work with, per column: enough for its blocked ways


class Lapack(NamedTuple):
    """Addresses of routines, and memory for what they want by address. One per thread."""

    routines: Any  # (n_routines,) int64
    letters: Any  # (n_letters,) uint8
    integers: Any  # (16,) int32
    reals: Any  # (2,) float64   0 and 1
    failures: Any  # (1,) int64   how often an iteration did not converge


@cache
def _addresses() -> tuple[int, ...]:
    return tuple(get_cython_function_address(module, name) for module, name in _ROUTINES)


def connect() -> Lapack:
    """A connection for one thread."""
    return Lapack(
        routines=np.array(_addresses(), dtype=np.int64),
        letters=np.frombuffer(_LETTERS, dtype=np.uint8).copy(),
        integers=np.zeros(16, dtype=np.int32),
        reals=np.array([0.0, 1.0]),
        failures=np.zeros(1, dtype=np.int64),
    )


@intrinsic
def _call(typing_context, address, pointers):
    """Call the routine at ``address`` with a tuple of addresses."""

    def code(context, builder, signature, args):
        n = len(signature.args[1])
        pointer = ir.IntType(8).as_pointer()
        function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), [pointer] * n).as_pointer())
        builder.call(function, [builder.inttoptr(p, pointer) for p in cgutils.unpack_tuple(builder, args[1], n)])
        return context.get_dummy_value()

    return types.void(types.int64, types.UniTuple(types.int64, len(pointers))), code


@long_kernel
def _letter(lapack, which):
    return np.int64(lapack.letters.ctypes.data) + which


@long_kernel
def _integer(lapack, slot, value):
    """Address of an integer argument, set to ``value``."""
    lapack.integers[slot] = value
    return np.int64(lapack.integers.ctypes.data) + _INTEGER * slot


@long_kernel
def _real(lapack, which):
    return np.int64(lapack.reals.ctypes.data) + _REAL * which


@long_kernel
def _start(array):
    """Address of an array's first element."""
    return np.int64(array.ctypes.data)


@long_kernel
def multiply(lapack, left, transpose_left, right, transpose_right, n, product):
    """Set ``product`` to left right, all (n, n), each factor transposed if so said."""
    size = _integer(lapack, 0, n)
    _call(
        lapack.routines[_DGEMM],
        (
            _letter(lapack, _TRANSPOSED if transpose_left else _NO),
            _letter(lapack, _TRANSPOSED if transpose_right else _NO),
            size,
            size,
            size,
            _real(lapack, 1),
            _start(left),
            size,
            _start(right),
            size,
            _real(lapack, 0),
            _start(product),
            size,
        ),
    )


@long_kernel
def triangularise(lapack, matrix, n_rows, n_columns, reflectors, scratch):
    """QR factorisation in place: R in the upper triangle, reflectors below.

    ``matrix`` (n_rows, n_columns), ``reflectors`` (at least n_columns,).
    """
    _call(
        lapack.routines[_DGEQRF],
        (
            _integer(lapack, 0, n_rows),
            _integer(lapack, 1, n_columns),
            _start(matrix),
            _integer(lapack, 0, n_rows),
            _start(reflectors),
            _start(scratch),
            _integer(lapack, 2, scratch.size),
            _integer(lapack, 3, 0),
        ),
    )


@long_kernel
def triangularise_pair(lapack, upper, below, n, reflectors, scratch):
    """Replace upper triangular ``upper`` by the R of [upper; below], both (n, n) and upper triangular.

    ``below`` is overwritten; ``reflectors`` has at least 16 n reals. What is under the diagonal is left alone.
    """
    size = _integer(lapack, 0, n)
    _call(
        lapack.routines[_DTPQRT],
        (
            size,
            size,
            size,
            _integer(lapack, 1, min(_PANEL, n)),
            _start(upper),
            size,
            _start(below),
            size,
            _start(reflectors),
            _integer(lapack, 2, _PANEL),
            _start(scratch),
            _integer(lapack, 3, 0),
        ),
    )


@long_kernel
def _invert_triangular(lapack, matrix, n, triangle):
    """Invert the upper or lower triangle of a matrix (n, n) in place."""
    size = _integer(lapack, 0, n)
    _call(
        lapack.routines[_DTRTRI],
        (
            _letter(lapack, triangle),
            _letter(lapack, _NO),
            size,
            _start(matrix),
            size,
            _integer(lapack, 1, 0),
        ),
    )


@long_kernel
def invert_upper(lapack, matrix, n):
    """Invert an upper triangular matrix (n, n) in place; what is under the diagonal is left alone."""
    _invert_triangular(lapack, matrix, n, _UPPER)


@long_kernel
def right_singular_vectors(lapack, matrix, n, values, vectors, scratch):
    """Singular values, descending, and right singular vectors as rows of ``vectors``; ``matrix`` is destroyed."""
    size = _integer(lapack, 0, n)
    _call(
        lapack.routines[_DGESVD],
        (
            _letter(lapack, _NO),
            _letter(lapack, _ALL),
            size,
            size,
            _start(matrix),
            size,
            _start(values),
            _start(matrix),
            size,
            _start(vectors),
            size,
            _start(scratch),
            _integer(lapack, 1, scratch.size),
            _integer(lapack, 2, 0),
        ),
    )
    lapack.failures[0] += lapack.integers[2] != 0


@long_kernel
def eigen_symmetric(lapack, matrix, n, values, scratch):
    """Eigenvalues, ascending, of a symmetric matrix (n, n), which is replaced by the eigenvectors as columns."""
    size = _integer(lapack, 0, n)
    _call(
        lapack.routines[_DSYEV],
        (
            _letter(lapack, _VECTORS),
            _letter(lapack, _UPPER),
            size,
            _start(matrix),
            size,
            _start(values),
            _start(scratch),
            _integer(lapack, 1, scratch.size),
            _integer(lapack, 2, 0),
        ),
    )
    lapack.failures[0] += lapack.integers[2] != 0


@entry_point
def factorise(lapack, matrix):
    """Cholesky factor in place; False if the matrix is not positive definite.

    ``matrix`` (n, n) has its upper triangle filled, which is LAPACK's lower one.
    """
    size = _integer(lapack, 0, matrix.shape[0])
    _call(
        lapack.routines[_DPOTRF],
        (_letter(lapack, _LOWER), size, _start(matrix), size, _integer(lapack, 1, 0)),
    )
    return lapack.integers[1] == 0


@entry_point
def solve_factorised(lapack, factor, rhs):
    """Solve with a factor of `factorise`, in place; each row of ``rhs`` (n_rhs, n) is a right-hand side."""
    size = _integer(lapack, 0, factor.shape[0])
    _call(
        lapack.routines[_DPOTRS],
        (
            _letter(lapack, _LOWER),
            size,
            _integer(lapack, 1, rhs.shape[0]),
            _start(factor),
            size,
            _start(rhs),
            size,
            _integer(lapack, 2, 0),
        ),
    )


@entry_point
def invert_factor(lapack, factor):
    """Replace a factor of `factorise` by its inverse, in place."""
    _invert_triangular(lapack, factor, factor.shape[0], _LOWER)
