"""What searches keep in arrays, as a checkpoint takes it, and back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.search.checkpoint.file import Arrays


def arrays_of(prefix: str, whole: Any) -> Arrays:
    """The arrays of a named tuple, and of those in it, by ``prefix`` and the names of fields; not copied."""
    found: Arrays = {}
    for name, part in zip(whole._fields, whole, strict=True):
        if isinstance(part, np.ndarray):
            found[f"{prefix}.{name}"] = part
        elif hasattr(part, "_fields"):
            found |= arrays_of(f"{prefix}.{name}", part)
    return found


def with_arrays(prefix: str, whole: Any, arrays: Arrays) -> Any:
    """The same named tuple with copies of the arrays that `arrays_of` found; what else it has stays."""
    parts: dict[str, Any] = {}
    for name, part in zip(whole._fields, whole, strict=True):
        if isinstance(part, np.ndarray):
            parts[name] = arrays[f"{prefix}.{name}"].copy()
        elif hasattr(part, "_fields"):
            parts[name] = with_arrays(f"{prefix}.{name}", part, arrays)
    return whole._replace(**parts)


def array_of_generator(rng: np.random.Generator) -> NDArray[np.uint8]:
    """The state of a generator."""
    return np.frombuffer(json.dumps(rng.bit_generator.state).encode(), dtype=np.uint8)


def set_generator(rng: np.random.Generator, state: NDArray[np.uint8]) -> None:
    """Put a generator of the same kind into such a state."""
    rng.bit_generator.state = json.loads(state.tobytes())
