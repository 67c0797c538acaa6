"""Tables as text: separated by commas, semicolons, tabs, bars or blanks, in encodings and dialects of many programs."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np
import pandas as pd

from dagsearch import memory
from dagsearch.data.reading.columns import MISSING_ENTRIES, become_the_same, is_rounded
from dagsearch.errors import DataError, in_brief

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),  # starts like that of UTF-16
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_NOT_IN_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f]")
_BLANKS_AT_END = re.compile(r" +(?=\r?$)", re.MULTILINE)
# Of memory while a text is parsed: the file, its text, what is below its header, as text and encoded; and of each entry
# a number, with where it begins.
_BYTES_OF_A_LETTER, _BYTES_OF_A_CELL = 5, 32
_FEW_DIGITS = 15  # that a float always holds
# What pandas calls a column without a name when it writes a table that it has read.
_UNNAMED = re.compile(r"(Unnamed: \d+)?")


class Read(NamedTuple):
    """A table from a file, and what was decided in reading it."""

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()


def read_delimited(where: str, content: bytes, na: Sequence[str], separators: str) -> Read:
    """Read a text, split by the first of `separators` that divides its header.

    Raises
    ------
    DataError
        If it is no text, or no table; the message starts with `where`.
    """
    text, notes = _decoded(where, content)
    if " " in separators:
        text = _BLANKS_AT_END.sub("", text)
    try:
        text, about_comments = _without_comments(text, separators)
        if not text.strip():
            raise DataError(f"{where}: holds no table, only lines that start with #")
        separator = _separator(text, separators)
        _require_memory(where, text, separator)
        header = _checked_header(where, text, separator)
        frame = _parsed(text, separator, na, len(header))
    except (csv.Error, pd.errors.ParserError, OverflowError) as error:
        raise DataError(f"{where}: cannot be read as a table ({in_brief(error)})") from error
    # pandas renames duplicates ("a", "a.1"); the names as written let the duplicate be reported.
    frame.columns = pd.Index(header)
    read = without_row_names(frame)
    return Read(read.frame, (*notes, *about_comments, *read.notes))


def without_row_names(frame: pd.DataFrame) -> Read:
    """Leave out an unnamed first column that numbers the rows, from 0 (pandas) or 1 (R), or names each of them."""
    if frame.empty or not _UNNAMED.fullmatch(str(frame.columns[0])):
        return Read(frame)
    first = frame.iloc[:, 0]
    count = np.arange(len(frame))
    if np.array_equal(first.to_numpy(), count) or np.array_equal(first.to_numpy(), count + 1):
        return Read(frame.iloc[:, 1:], ("the first column has no name and numbers the rows: it was left out",))
    if not frame.columns[0] and first.is_unique and all(isinstance(entry, str) for entry in first):
        return Read(frame.iloc[:, 1:], ("the first column has no name and holds row names: it was left out",))
    return Read(frame)


def require_names(where: str, header: Sequence[str]) -> None:
    """Raise `DataError` if a header holds only numbers."""
    if all(is_number(name) for name in header):
        raise DataError(f"{where}: the first line must hold the column names, it holds only numbers")


# ---------------------------------------------------------------- bytes to text


def _decoded(where: str, content: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file, and what to say of its encoding."""
    text, notes = _decoded_somehow(where, content)
    if "\0" in text:
        raise DataError(f"{where}: is a binary file, text is needed")
    if not text.strip():
        raise DataError(f"{where}: is empty")
    return text if "\n" in text else text.replace("\r", "\n"), notes  # old programs end lines with \r alone


def _decoded_somehow(where: str, content: bytes) -> tuple[str, tuple[str, ...]]:
    """By its byte order mark, as UTF-8, or else as what Windows writes in the West, which has all of latin-1."""
    marked = next((name for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)), None)
    try:
        if marked is not None:
            return content.decode(marked), (f"read as {marked}, since its first bytes say so",)
        return content.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        refusal = DataError(f"{where}: is not a text file in UTF-8, UTF-16 or cp1252; save it as UTF-8")
        if marked is not None:
            raise refusal from error
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError as error:
        raise refusal from error
    if _NOT_IN_TEXT.search(text):
        raise refusal
    return text, ("read as cp1252, since it is not UTF-8: check letters with accents",)


def _without_comments(text: str, separators: str) -> tuple[str, tuple[str, ...]]:
    """Leave out lines at the top that start with #, unless the last of them holds the names of the columns."""
    stripped = text.lstrip("\r\n")
    comments = list(takewhile(lambda line: line.startswith("#"), _lines(stripped)))
    if not comments:
        return text, ()
    n_comments, rest = len(comments), stripped[sum(map(len, comments)) :]
    if not rest.strip():
        return "", ()
    separator = _separator(rest, separators)
    first, names = next(_rows(rest, separator)), comments[-1].lstrip("# ")
    if any(is_number(entry) for entry in first) and len(next(_rows(names, separator), [])) == len(first):
        n_comments -= 1
        rest = names + rest
        said: tuple[str, ...] = ("the names of the columns are in a line that starts with #",)
    else:
        said = ()
    if n_comments:
        said += (f"{n_comments} line{'s' if n_comments > 1 else ''} at the top, starting with #, left out",)
    return rest, said


# ---------------------------------------------------------------- text to columns


def _parsed(text: str, separator: str, na: Sequence[str], n_names: int) -> pd.DataFrame:
    """Parse a checked text with a header into typed columns."""
    settings = {
        "sep": separator,
        # Between semicolons a comma can only be a decimal comma; numbers with decimal points are then left
        # as text, which read_column turns into numbers.
        "decimal": "," if separator == ";" else ".",
        "index_col": False,
        "header": None,
        "names": range(n_names),
        "skipinitialspace": True,
        "keep_default_na": False,
        "na_values": [*MISSING_ENTRIES, *na],
        "low_memory": False,
    }
    body = _body(text, separator)
    if not body.strip():
        return pd.DataFrame(columns=range(n_names))
    encoded = body.encode()
    frame: pd.DataFrame = pd.read_csv(io.BytesIO(encoded), **settings)  # type: ignore[call-overload]
    for name in _maybe_rounded(frame):
        entries = pd.read_csv(io.BytesIO(encoded), **settings, usecols=[name], dtype=str)[name]  # type: ignore[call-overload]
        long = [entry for entry in entries if isinstance(entry, str) and len(entry) > _FEW_DIGITS]
        if any(map(is_rounded, long)) or become_the_same(long):
            frame[name] = entries
    return frame


def _body(text: str, separator: str) -> str:
    """The lines below the header, which may span several."""
    n_read = 0

    def lines() -> Iterator[str]:
        nonlocal n_read
        for line in _lines(text):
            n_read += len(line)
            yield line

    rows = csv.reader(lines(), delimiter=separator, skipinitialspace=True)
    next(row for row in rows if row not in ([], [""]))
    return text[n_read:]


def _require_memory(where: str, text: str, separator: str) -> None:
    """Refuse a text that would not fit into memory while it is parsed: short entries take many times their size."""
    n_cells = text.count(separator) + text.count("\n") + 1
    n_bytes = _BYTES_OF_A_LETTER * len(text) + _BYTES_OF_A_CELL * n_cells
    what = f"{where}: a text of {n_cells:,} entries"
    memory.require(n_bytes, what, "keep the rows and columns that you need", DataError)


def _maybe_rounded(frame: pd.DataFrame) -> list[int]:
    """Columns that pandas read as floats, for want of a few cells, though their integers need more digits."""
    large = [name for name, column in frame.items() if column.dtype == np.float64 and (column.abs() > 2**53).any()]
    return [int(str(name)) for name in large]


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    """Split the text into its rows of entries, without blank lines."""
    rows = csv.reader(_lines(text), delimiter=separator, skipinitialspace=True)
    return (row for row in rows if row not in ([], [""]))


def _lines(text: str) -> Iterator[str]:
    """The lines of a text with their ends, one by one: all at once would take many times the memory of the text."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _separator(text: str, separators: str) -> str:
    """Choose the first separator that gives the header more than one name."""
    return next((mark for mark in separators if len(next(_rows(text, mark))) > 1), separators[0])


def _checked_header(where: str, text: str, separator: str) -> list[str]:
    """Return the names in the first line after checking that every row has as many entries.

    Where every row has one entry more, as R writes tables, the first of them is a row's name: that column has none.
    """
    rows = _rows(text, separator)
    header = [name.strip() for name in next(rows)]
    require_names(where, header)
    lengths, ends = set(), set()
    first_odd = None
    for number, row in enumerate(rows, start=1):
        lengths.add(len(row))
        ends.add(bool(row[-1]))
        if first_odd is None and len(row) != len(header):
            first_odd = f"row {number} has {len(row)} entries"
    # Rows that all end with a separator have an entry more, too, which names nothing.
    if lengths == {len(header) + 1} and True in ends:
        return ["", *header]
    if first_odd is not None:
        raise DataError(f"{where}: {first_odd}, the header has {len(header)} names")
    return header


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
