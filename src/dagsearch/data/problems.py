"""All that keeps a table from being used, said at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types as pandas_types

from dagsearch._visible import half_of_a_pair
from dagsearch.data.checks import LEAST_ROWS, broken_name
from dagsearch.data.formats import written_dates, written_numbers
from dagsearch.data.reading import MISSING_ENTRIES
from dagsearch.errors import DataError

#: An error lists so many problems.
MOST_LISTED = 8


class Problem(NamedTuple):
    """Why a table cannot be used, and whether ``fix=True`` would mend that."""

    message: str
    is_mended: bool = False


def raise_all(problems: Sequence[Problem]) -> None:
    """Raise `DataError` with all problems, one to a line.

    A single one is left to whoever checks for it: its message is the whole one.
    """
    if not problems:
        return
    if len(problems) == 1:
        raise DataError(problems[0].message)
    lines = [f"the table has {len(problems)} problems:", *(f"  {each.message}" for each in problems[:MOST_LISTED])]
    if len(problems) > MOST_LISTED:
        lines.append(f"  and {len(problems) - MOST_LISTED} more")
    n_mended = sum(each.is_mended for each in problems)
    if n_mended:
        lines.append(f"fix=True mends {'all' if n_mended == len(problems) else n_mended} of them")
    raise DataError("\n".join(lines))


def name_problems(names: tuple[str, ...]) -> list[Problem]:
    """Names that are empty, there twice, or no text that a file can hold."""
    empty = [
        Problem(f"column {j} has an empty name; give every column a name")
        for j, name in enumerate(names, start=1)
        if not name.strip()
    ]
    counts = Counter(name for name in names if name.strip())
    twice = [
        Problem(f"{count} columns have the name {name!r}; give every column a name of its own")
        for name, count in counts.items()
        if count > 1
    ]
    broken = [Problem(broken_name(name)) for name in names if half_of_a_pair(name)]
    return [*empty, *twice, *broken]


def value_problems(values_of: Sequence[tuple[str, NDArray[np.float64]]]) -> list[Problem]:
    """Columns by name with infinite values, or with no value at all."""
    # Tables with hardly any rows are refused as such.
    if not values_of or len(values_of[0][1]) < LEAST_ROWS:
        return []
    empty = [repr(name) for name, values in values_of if np.isnan(values).all()]
    problems = (
        [Problem(f"all cells are missing in {', '.join(empty)}: drop what holds no value", True)] if empty else []
    )
    for name, values in values_of:
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            row = infinite[0]
            where = f"column {name!r}: row {row + 1} holds {values[row]}"
            problems.append(Problem(f"{where}; drop this row or column, or replace infinite values"))
    return problems


def means_numbers(entries: pd.Series[Any]) -> bool:
    """Whether a column that cannot be used as it is holds dates, or numbers with marks, which can be read."""
    if pandas_types.is_datetime64_any_dtype(entries.dtype) or isinstance(entries.dtype, pd.PeriodDtype):
        return True
    if not pandas_types.is_object_dtype(entries.dtype) and not pandas_types.is_string_dtype(entries.dtype):
        return False
    try:
        texts = [str(entry) for entry in pd.unique(entries.dropna().astype(object))]
    except TypeError:  # lists and the like
        return False
    texts = [text for text in texts if text.strip() not in MISSING_ENTRIES]
    for read in (written_numbers(texts), written_dates(texts)):
        if read is not None and read.is_certain and read.n_read == len(texts):
            return True
    return False
