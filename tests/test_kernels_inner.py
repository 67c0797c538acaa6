"""What only other kernels call: no machine code of its own, and the same results in those that call it."""

from __future__ import annotations

import numba
import numpy as np

from dagsearch.kernels.compile import entry_point, kernel, reassociated_kernel
from dagsearch.kernels.inner import InnerCompiler


def _sum_of_squares(x):
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * x[k]
    return total


inner_sum = reassociated_kernel(_sum_of_squares)
plain_sum = numba.njit(forceinline=True, fastmath={"reassoc", "contract"}, error_model="numpy", _nrt=False)(
    _sum_of_squares
)


@kernel
def root(x):
    return np.sqrt(inner_sum(x))


@entry_point
def norm(x):
    return root(x)


@numba.njit(error_model="numpy", _nrt=False)
def plain_norm(x):
    return np.sqrt(plain_sum(x))


def test_sums_in_any_order_are_those_of_plain_numba_to_the_last_bit():
    rng = np.random.default_rng(0)
    tables = [rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, n) for n in (1, 3, 8, 17, 64, 1001)]
    assert [norm(x) for x in tables] == [plain_norm(x) for x in tables]


def test_inner_kernels_have_no_machine_code_and_entry_points_do():
    norm(np.ones(3))
    for inner in (root, inner_sum):
        (compiled,) = inner.overloads.values()
        assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) == 0
        assert inner._compiler.pipeline_class is InnerCompiler
    (compiled,) = norm.overloads.values()
    assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) != 0
