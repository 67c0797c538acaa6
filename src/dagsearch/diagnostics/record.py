"""What all results share: they turn into types that JSON has."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np


class Record:
    """Base of frozen dataclasses of numbers, texts, arrays and such records."""

    def to_dict(self) -> dict[str, Any]:
        """All of it in types that JSON has; what is no finite number becomes None."""
        return {each.name: plain(getattr(self, each.name)) for each in fields(self)}  # type: ignore[arg-type] # of subclasses


def plain(value: Any) -> Any:
    """A value in types that JSON has."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
