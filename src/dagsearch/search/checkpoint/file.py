"""The file of a checkpoint: a line that says what it is, its facts as JSON, arrays as they are, and a checksum of all.

Nothing in it is ever run. It is read only if the checksum fits, and what it says of sizes only believed if the file has
as many bytes.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch._writing import _DRAFT, reason_of, write_whole
from dagsearch.errors import InputError, in_brief

ARGUMENT = "checkpoint"
"""What messages call the file."""

Arrays = dict[str, NDArray[Any]]
"""Arrays by name."""

SECONDS_TO_DIE = 600.0
"""A draft that nobody has written to for so long is dead."""

_FIRST_LINE = b"dagsearch checkpoint, format 1\n"
_DIGEST_BYTES = 32
_LENGTH_BYTES = 8
_KINDS = "biuf"  # of numbers


class Saved(NamedTuple):
    """What a file holds."""

    facts: dict[str, Any]  # what JSON has
    arrays: Arrays


def write_checkpoint(path: Path, saved: Saved) -> None:
    """Write a file, which appears complete or not at all; InputError if it cannot be written."""
    arrays = {name: np.ascontiguousarray(array) for name, array in saved.arrays.items()}
    layout = [[name, _words_of(array.dtype), list(array.shape)] for name, array in arrays.items()]
    head = json.dumps({"facts": saved.facts, "arrays": layout}).encode()

    def content(file: IO[bytes]) -> None:
        digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
        pieces: list[Any] = [_FIRST_LINE, len(head).to_bytes(_LENGTH_BYTES, "little"), head]
        pieces += [array.reshape(-1).view(np.uint8).data for array in arrays.values() if array.size]
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
        file.write(digest.digest())

    write_whole(path, content, ARGUMENT)


def remove_dead_drafts(path: Path) -> None:
    """Remove what processes that were killed left of checkpoints in the same folder, if nobody writes it any more."""
    for draft in path.parent.glob(f"{_DRAFT}*"):
        with suppress(OSError):  # it is gone by now, or not ours
            if draft.is_file() and time.time() - draft.stat().st_mtime > SECONDS_TO_DIE:
                with draft.open("rb") as file:
                    is_ours = file.read(len(_FIRST_LINE)) == _FIRST_LINE
                if is_ours:
                    draft.unlink()


def read_checkpoint(path: Path) -> Saved:
    """Read a file.

    Raises
    ------
    InputError
        If it cannot be read, is another kind of file, or is damaged.
    """
    try:
        if not path.is_file():  # reading of a pipe would wait for ever
            raise InputError(f"{ARGUMENT} must be a file, got {in_brief(path)}")
        with path.open("rb") as file:
            if file.read(len(_FIRST_LINE)) != _FIRST_LINE:
                raise InputError(
                    f"{ARGUMENT} must be a file that dagsearch wrote as such, or a new one, got {in_brief(path)}, "
                    "which is no checkpoint of this version"
                )
            rest = np.fromfile(file, dtype=np.uint8)
    except OSError as error:
        raise InputError(f"{ARGUMENT} cannot be read, got {in_brief(path)}: {reason_of(error)}") from error
    content, digest = rest[:-_DIGEST_BYTES], rest[-_DIGEST_BYTES:]
    true_digest = hashlib.blake2b(_FIRST_LINE, digest_size=_DIGEST_BYTES)
    true_digest.update(content.data)
    if true_digest.digest() != digest.tobytes():
        raise _damaged(path)
    try:
        return _parsed(content)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> InputError:
    return InputError(
        f"{ARGUMENT} is damaged, got {in_brief(path)}: its checksum does not fit; delete it to begin anew"
    )


def _parsed(content: NDArray[np.uint8]) -> Saved:
    """The facts and arrays of a file, whose checksum fits; ValueError and the like if somebody made it up."""
    n_head = int.from_bytes(content[:_LENGTH_BYTES].tobytes(), "little")
    start = _LENGTH_BYTES + n_head
    head = json.loads(content[_LENGTH_BYTES:start].tobytes())
    arrays = {}
    for name, words, shape in head["arrays"]:
        dtype = _dtype_of(words)
        end = start + dtype.itemsize * int(np.prod([int(n) for n in shape], dtype=object))
        if not start <= end <= len(content):
            raise ValueError(f"{name} does not fit into the file")
        arrays[str(name)] = np.frombuffer(content[start:end].tobytes(), dtype).reshape(shape)
        start = end
    return Saved(dict(head["facts"]), arrays)


def _words_of(dtype: np.dtype[Any]) -> Any:
    """A type of numbers, or of records of them, as JSON has it."""
    return dtype.str if dtype.names is None else [[name, dtype[name].str] for name in dtype.names]


def _dtype_of(words: Any) -> np.dtype[Any]:
    dtype = np.dtype(words) if isinstance(words, str) else np.dtype([(str(name), str(of)) for name, of in words])
    simple = [dtype] if dtype.names is None else [dtype[name] for name in dtype.names]
    if any(each.kind not in _KINDS for each in simple):
        raise ValueError(f"{words} are no numbers")
    return dtype
