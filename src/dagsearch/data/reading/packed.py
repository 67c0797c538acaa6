"""Compressed files and archives, unpacked up to a limit: a small file must not fill the memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import IO, Any

from dagsearch import memory
from dagsearch.errors import DataError, in_brief

#: No file is unpacked to more bytes than these, nor to more than a quarter of the memory that is free.
MOST_BYTES = 4 * 2**30

_CHUNK = 2**20
_MOST_LISTED = 8

_OPENERS: dict[str, Callable[[Any], IO[bytes]]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}  # type: ignore[dict-item]
# What the standard library raises for damaged files; where numbers in them are wrong, it may be nearly anything.
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, struct.error, KeyError, OverflowError)
COMPRESSED = tuple(_OPENERS)
"""Suffixes of files that hold one compressed file."""


def most_bytes() -> int:
    """Into how many bytes a file may unpack on this machine."""
    return min(MOST_BYTES, memory.free_bytes() // 4)


def decompressed(where: str, content: bytes, suffix: str) -> bytes:
    """Return what a ``.gz``, ``.bz2`` or ``.xz`` file holds.

    Raises
    ------
    DataError
        If it is damaged, cut off, or holds more than `most_bytes`.
    """
    try:
        with _OPENERS[suffix](io.BytesIO(content)) as file:
            return _up_to_limit(where, file)
    except _DAMAGED as error:
        raise DataError(f"{where}: is damaged or not a {suffix} file ({in_brief(error)})") from error


def only_table(where: str, content: bytes, suffixes: Iterable[str]) -> tuple[str, bytes]:
    """Return name and content of the one file in an archive that has one of `suffixes`.

    Raises
    ------
    DataError
        If the archive is damaged, has a password, is too large, or does not hold exactly one such file.
    """
    known = tuple(suffixes)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = [name for name in archive.namelist() if _is_of_the_user(name)]
            tables = [name for name in files if name.lower().endswith(known)]
            if len(tables) != 1:
                raise DataError(f"{where}: must hold exactly one table, it holds {_listed(tables or files)}")
            with archive.open(tables[0]) as file:
                return tables[0], _up_to_limit(where, file)
    except DataError:
        raise
    except (*_DAMAGED, ValueError) as error:
        raise DataError(f"{where}: is damaged or not a .zip file ({in_brief(error)})") from error
    except (RuntimeError, NotImplementedError) as error:  # passwords, exotic compressions
        raise DataError(f"{where}: cannot be unpacked ({in_brief(error)})") from error


def require_size(where: str, content: bytes) -> None:
    """Raise `DataError` if an archive that other packages open says that it holds more than `most_bytes`."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            require_unpacked(where, sum(part.file_size for part in archive.infolist()))
    except DataError:
        raise
    except (*_DAMAGED, ValueError) as error:
        raise DataError(f"{where}: is damaged or not of the kind that its suffix says ({in_brief(error)})") from error


def require_unpacked(where: str, n_bytes: int) -> None:
    """Raise `DataError` if a file that another package unpacks says that it holds more than `most_bytes`."""
    if n_bytes > most_bytes():
        raise DataError(_too_large(where))


def require_cells(where: str, n_rows: int, n_columns: int) -> None:
    """Raise `DataError` if a table that is stored in few bytes has more cells than `most_bytes` hold as numbers."""
    if 8 * n_rows * n_columns > most_bytes():
        raise DataError(
            f"{where}: has {n_rows:,} rows of {n_columns:,} columns, {memory.in_words(8.0 * n_rows * n_columns)} as "
            f"numbers, at most {memory.in_words(most_bytes())} are read; keep the rows and columns that you need"
        )


def _up_to_limit(where: str, file: IO[bytes]) -> bytes:
    limit = most_bytes()
    unpacked = io.BytesIO()
    while chunk := file.read(_CHUNK):
        unpacked.write(chunk)
        if unpacked.tell() > limit:
            raise DataError(_too_large(where))
    return unpacked.getvalue()


def _too_large(where: str) -> str:
    return (
        f"{where}: unpacks to more than {most_bytes():,} bytes, too many for this machine; "
        "unpack it, and keep the rows and columns that you need"
    )


def _is_of_the_user(name: str) -> bool:
    """Whether a file in an archive was meant to be there: no folder, nothing hidden that systems add."""
    parts = PurePosixPath(name).parts
    return not name.endswith("/") and "__MACOSX" not in parts and not parts[-1].startswith(".")


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_LISTED
    return ", ".join(names[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "") if names else "no file"
