"""Local scores of a node with one parent more, for all candidates at once; one family of scores per file.

The type of ``growth`` decides at compile time which family it is, so that a search compiles no other.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from dagsearch.kernels.compile import OPTIONS
from dagsearch.kernels.growth import discrete, linear, quadratic
from dagsearch.kernels.growth.discrete import DiscreteGrowth
from dagsearch.kernels.growth.linear import LinearGrowth
from dagsearch.kernels.growth.outside import OutsideGrowth
from dagsearch.kernels.growth.quadratic import QuadraticGrowth

__all__ = [
    "DiscreteGrowth",
    "LinearGrowth",
    "OutsideGrowth",
    "QuadraticGrowth",
    "is_outside",
    "values_that_pay",
    "values_without_each",
]

_FILES = {LinearGrowth: linear, QuadraticGrowth: quadratic, DiscreteGrowth: discrete}


def is_outside(growth: Any) -> bool:
    """Whether local scores come from outside compiled code; known at compile time."""
    return isinstance(growth, OutsideGrowth)


def values_without_each(growth: Any, node: int, parents: Any, n_parents: int, rest: Any, values: Any) -> None:
    """Write local scores without each of the first ``n_parents`` of ``parents`` to ``values``; ``rest`` is scratch."""
    raise NotImplementedError("for kernels only")


def values_that_pay(
    growth: Any, node: int, parents: Any, n_parents: int, may_join: Any, least: float, values: Any
) -> None:
    """Write local scores with each candidate added to ``values``, or -inf if they are not above ``least``.

    ``may_join`` (n_nodes,) bool are the candidates; ``parents`` has room for one more.
    """
    raise NotImplementedError("for kernels only")


@overload(is_outside)
def _is_outside(growth):
    if growth.instance_class is OutsideGrowth:
        return lambda growth: True  # noqa: ARG005 - numba matches arguments by name
    return lambda growth: False  # noqa: ARG005


@overload(values_without_each, jit_options=OPTIONS)
def _values_without_each(growth, node, parents, n_parents, rest, values):
    if growth.instance_class is OutsideGrowth:
        return lambda growth, node, parents, n_parents, rest, values: None  # noqa: ARG005
    of_family = _FILES[growth.instance_class].values_without_each

    def call(growth, node, parents, n_parents, rest, values):
        of_family(growth, node, parents, n_parents, rest, values)

    return call


@overload(values_that_pay, jit_options=OPTIONS)
def _values_that_pay(growth, node, parents, n_parents, may_join, least, values):
    if growth.instance_class is OutsideGrowth:
        return lambda growth, node, parents, n_parents, may_join, least, values: None  # noqa: ARG005
    of_family = _FILES[growth.instance_class].values_that_pay

    def call(growth, node, parents, n_parents, may_join, least, values):
        of_family(growth, node, parents, n_parents, may_join, least, values)

    return call
