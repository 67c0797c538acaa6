"""The table of observations: values, names and kinds, checked once at the door.

::

    file --reading--> pandas or array --door--> Dataset --missing--> Dataset whose gaps are dealt with

Every :class:`Dataset` is finite and read-only. One that `as_dataset` returns is complete, too, unless whoever calls it
can handle missing cells; everybody else needs no checks of their own.
"""

from __future__ import annotations

from dagsearch.data.arrangement import Arrangement
from dagsearch.data.checks import MOST_LEVELS, Kind, checked_levels
from dagsearch.data.columns import standardised
from dagsearch.data.dataset import Dataset
from dagsearch.data.door import FEW_LEVELS, DeclaredKind, as_dataset, read_dataset
from dagsearch.data.reading import read_table

__all__ = [
    "FEW_LEVELS",
    "MOST_LEVELS",
    "Arrangement",
    "Dataset",
    "DeclaredKind",
    "Kind",
    "as_dataset",
    "checked_levels",
    "read_dataset",
    "read_table",
    "standardised",
]
