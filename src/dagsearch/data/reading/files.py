"""Which reader a file gets: by its suffix, after unpacking."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dagsearch import contents
from dagsearch.data.reading import packed
from dagsearch.data.reading.binary import read_feather, read_npy, read_parquet, read_stata
from dagsearch.data.reading.sheets import read_excel
from dagsearch.data.reading.tables import Table, as_table
from dagsearch.data.reading.text import Read, is_number, read_delimited
from dagsearch.errors import DataError, InputError, as_place

_TEXTS: dict[str, Callable[[str, bytes, Sequence[str]], Read]] = {
    ".csv": partial(read_delimited, separators=",;\t|"),
    ".tsv": partial(read_delimited, separators="\t"),
    ".txt": partial(read_delimited, separators="\t,;| "),
}
_OTHERS: dict[str, Callable[[str, bytes], Read | NDArray[Any]]] = {
    ".parquet": read_parquet,
    ".feather": read_feather,
    ".npy": read_npy,
    ".xlsx": read_excel,
    ".xlsm": read_excel,
    ".dta": read_stata,
}
_SUFFIXES = (*_TEXTS, *_OTHERS)
FORMATS = f"{', '.join(_SUFFIXES)}, any of them with {', '.join(packed.COMPRESSED)} behind it, or .zip"
"""The suffixes of all files that are read, for messages."""


def read_table(path: str | Path, na: Sequence[str] = ()) -> pd.DataFrame | NDArray[Any]:
    """Read a file into a table that ``as_dataset`` accepts.

    Parameters
    ----------
    path
        A file whose suffix says what it holds:

        - ``.csv``, ``.tsv``, ``.txt``: text that names its columns in the first line, separated by tabs (``.tsv``), by
          commas, by semicolons (with decimal commas or points), by bars, or by blanks (``.txt``). It is UTF-8, UTF-16
          or UTF-32 with a byte order mark, or else cp1252. Lines at the top that start with ``#`` are left out.
        - ``.parquet``, ``.feather``: extra ``parquet``. ``.xlsx``, ``.xlsm``: the first sheet, extra ``excel``.
        - ``.dta``: Stata; value labels become categories.
        - ``.npy``: one array of two dimensions.
        - any of them with ``.gz``, ``.bz2`` or ``.xz`` behind it, or a ``.zip`` archive that holds exactly one.

        A first column without a name that numbers the rows from 0 or 1, as pandas and R write it, or that names each of
        them, is left out; also where, as in R, the header is one name shorter than the rows.
    na
        Entries of a text file that stand for a missing cell, beside `MISSING_ENTRIES`; numbers, such as ``"-999"``, are
        recognised in any file.

    Returns
    -------
    DataFrame or ndarray
        The array of an ``.npy`` file, a pandas table otherwise.

    Raises
    ------
    InputError
        If the suffix is none of the above.
    DataError
        If the file is absent, empty, damaged, too large once unpacked, or not a table.
    MissingExtraError
        If the format needs a package that is not installed.
    """
    return _read(path, na)[0]


def read_file(path: str | Path, na: Sequence[str] = ()) -> Table:
    """Read a file as `read_table` does, into columns with notes on what was decided in reading it."""
    content, notes = _read(path, na)
    try:
        table = as_table(content)
    except DataError as error:
        raise DataError(f"{as_place(path)}: {error}") from error
    return replace(table, notes=(*table.notes, *notes))


def _read(path: str | Path, na: Sequence[str]) -> tuple[pd.DataFrame | NDArray[Any], tuple[str, ...]]:
    path = Path(path)
    _require_known(path)
    if os.path.isdir(path):
        raise DataError(f"{as_place(path)}: is a folder, a file is needed")
    try:
        content = contents.of(path)
    except FileNotFoundError:
        raise DataError(f"{as_place(path)}: there is no such file") from None
    except OSError as error:
        raise DataError(f"{as_place(path)}: cannot be read ({error.strerror or error})") from error
    name, content, notes = _unpacked(path, content)
    read = _formatted(as_place(path), PurePosixPath(name.lower()).suffix, content, na)
    if not isinstance(read, Read):
        return _with_gaps(read, na), notes
    return _with_gaps(read.frame, na), (*notes, *read.notes)


def _require_known(path: Path) -> None:
    """Raise `InputError` for a suffix that no reader has."""
    name = path.name.lower()
    for suffix in packed.COMPRESSED:
        name = name.removesuffix(suffix)
    if PurePosixPath(name).suffix in _SUFFIXES or path.suffix.lower() == ".zip":
        return
    shown = "".join(path.suffixes[-2:]) if path.suffix.lower() in packed.COMPRESSED else path.suffix
    hint = ""
    if not path.suffix and os.sep not in str(path):
        hint = f"; data sets are loaded by name with datasets.load({as_place(path)!r})"
    raise InputError(f"{as_place(path)}: the suffix must be one of {FORMATS}, got {shown!r}{hint}")


def _unpacked(path: Path, content: bytes) -> tuple[str, bytes, tuple[str, ...]]:
    """Name and content of the file inside another, or the file itself; and what to say of it."""
    where, suffix = as_place(path), path.suffix.lower()
    if suffix in packed.COMPRESSED:
        return path.name[: -len(suffix)], packed.decompressed(where, content, suffix), ()
    if suffix == ".zip":
        name, inside = packed.only_table(where, content, _SUFFIXES)
        return name, inside, (f"read {name} in the archive",)
    return path.name, content, ()


def _formatted(where: str, suffix: str, content: bytes, na: Sequence[str]) -> Read | NDArray[Any]:
    """Read an unpacked file by its suffix."""
    if suffix in _TEXTS:
        return _TEXTS[suffix](where, content, na)
    return _OTHERS[suffix](where, content)


def _with_gaps(table: pd.DataFrame | NDArray[Any], na: Sequence[str]) -> pd.DataFrame | NDArray[Any]:
    """Empty the cells that hold one of ``na``: the text, or the number that it is."""
    if not na:
        return table
    marks: list[Any] = [*na, *(float(text) for text in na if is_number(text))]
    emptied = pd.DataFrame(table).apply(lambda column: _exact(column).mask(column.isin(marks)))
    gappy: pd.DataFrame | NDArray[Any] = emptied if isinstance(table, pd.DataFrame) else emptied.to_numpy()
    return gappy


def _exact(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column of integers as one that can have gaps without turning into floats."""
    if not isinstance(column.dtype, np.dtype) or column.dtype.kind not in "iu":
        return column
    return column.astype("Int64" if column.dtype.kind == "i" else "UInt64")
