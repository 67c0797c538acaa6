"""How kernels are compiled: without the GIL, with C's arithmetic, entry points to disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from dagsearch.errors import DagsearchError
from dagsearch.kernels.inner import InnerCompiler
from dagsearch.kernels.keeping import keep

if numba.config.DISABLE_JIT:
    raise DagsearchError(
        "NUMBA_DISABLE_JIT is set, but the kernels of dagsearch run only when they are compiled: unset it"
    )

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    # Kernels work in place and allocate nothing, so arrays need no reference counts: five times faster.
    "_nrt": False,
}
"""Of all kernels, and of overloads."""
# What only other kernels call needs no way in from Python, which takes longer to compile than the kernel itself.
_INNER: dict[str, Any] = {
    **OPTIONS,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": InnerCompiler,
}

INLINED: dict[str, Any] = {**_INNER, "forceinline": True}
"""Options of overloads that are inlined into kernels."""

# Arrays travel in tuples; unless the callee is inlined, each call copies all of them.
kernel: Any = numba.njit(forceinline=True, **_INNER)
"""Decorator of kernels that are inlined into other kernels."""

# Fused multiply-adds let loops over floats vectorise well; reassociation stays off, since it would undo the rounding
# tricks of `elementary.exp_negative`.
contracted_kernel: Any = numba.njit(forceinline=True, fastmath={"contract"}, **_INNER)
"""Decorator of inlined kernels that stream over floating-point numbers."""

reassociated_kernel: Any = numba.njit(forceinline=True, fastmath={"reassoc", "contract"}, **_INNER)
"""Decorator of inlined kernels that add numbers up in any order, so that sums vectorise."""

reassociated_long_kernel: Any = numba.njit(fastmath={"reassoc", "contract"}, **_INNER)
"""Decorator of kernels that add numbers up in any order and whose work outweighs a call."""

contracted_long_kernel: Any = numba.njit(fastmath={"contract"}, **_INNER)
"""Decorator of kernels that stream over floating-point numbers and whose work outweighs a call."""

long_kernel: Any = numba.njit(**_INNER)
"""Decorator of kernels whose work outweighs a call; they are compiled once, not into every caller."""

single_use_kernel: Any = numba.njit(inline="always", **_INNER)
"""Decorator of kernels that a loop calls once or twice and takes in before it is compiled, so that no call is."""


def entry_point(function: Callable[..., Any]) -> Any:
    """Decorate a kernel that Python calls."""
    return keep(numba.njit(**OPTIONS)(function))


def contracted_entry_point(function: Callable[..., Any]) -> Any:
    """Decorate a kernel that Python calls and that streams over floating-point numbers."""
    return keep(numba.njit(fastmath={"contract"}, **OPTIONS)(function))
