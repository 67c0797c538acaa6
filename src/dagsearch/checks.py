"""Checks of arguments: each error names the argument, what is allowed and what was given."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from dagsearch.errors import InputError, UnknownNameError
from dagsearch.graph import Knowledge

MOST = 1_000_000_000
"""No setting that counts something may be larger: it would not end, or not fit into what compiled code counts with."""
MOST_JOBS = 1_024
_LONGEST_SHOWN = 60


def one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    """A name from a list."""
    if not isinstance(value, str) or value not in allowed:
        raise UnknownNameError(name, value, allowed)
    return str(value)


def boolean(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def integer(name: str, value: Any, least: int, optional: bool = False, most: int | None = MOST) -> Any:
    """A whole number of at least ``least`` and, unless that is None, at most ``most``, or None if that is allowed."""
    if value is None and optional:
        return None
    or_none = ", or None" if optional else ""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}{or_none}, got {shown(value)}")
    if most is not None and int(value) > most:
        raise InputError(f"{name} must be a whole number from {least} to {most:,}{or_none}, got {shown(value)}")
    return int(value)


def real(
    name: str, value: Any, least: float, most: float = math.inf, strict: bool = False, optional: bool = False
) -> Any:
    """A finite number of at least (or above) ``least`` and at most ``most``, or None if that is allowed."""
    if value is None and optional:
        return None
    if not _is_finite(value) or not least <= value <= most or (strict and value == least):
        what = f"a number {'above' if strict else 'of at least'} {least:g}"
        what += (f" and at most {most:g}" if most < math.inf else "") + (", or None" if optional else "")
        raise InputError(f"{name} must be {what}, got {shown(value)}")
    return float(value)


def _is_finite(value: Any) -> bool:
    """Whether a value is a number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def shown(value: Any) -> str:
    """A value as messages show it, in brief."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no longer numbers
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def between(name: str, value: Any, low: float, high: float) -> float:
    """A number above ``low`` and below ``high``."""
    if not _is_finite(value) or not low < value < high:
        raise InputError(f"{name} must be a number above {low:g} and below {high:g}, got {shown(value)}")
    return float(value)


def path(name: str, value: Any, optional: bool = False) -> None:
    """A path, or None if that is allowed."""
    if not (isinstance(value, str | os.PathLike) and str(value)) and not (value is None and optional):
        raise InputError(f"{name} must be the path of a file{', or None' if optional else ''}, got {value!r}")


def knowledge(value: Any) -> None:
    """Nothing, or what a user knows beforehand."""
    if value is not None and not isinstance(value, Knowledge):
        raise InputError(f"knowledge must be a dagsearch.Knowledge or None, got {value!r}")


def jobs(value: Any) -> int:
    """Number of threads; -1 stands for all cores."""
    if isinstance(value, numbers.Integral) and value == -1:
        return os.cpu_count() or 1
    return int(integer("n_jobs", value, 1, most=MOST_JOBS))


def seed_of(random_state: Any) -> int:
    """The seed that an integer, a numpy generator or None stands for, so that a run can be repeated."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
    return int(integer("random_state", random_state, 0, most=None))


def generator(random_state: Any) -> tuple[np.random.Generator, int]:
    """A generator from an integer, a numpy generator or None, and the seed that makes it again."""
    seed = seed_of(random_state)
    return np.random.default_rng(seed), seed
