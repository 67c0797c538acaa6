"""Files in folders that are made for them."""

from __future__ import annotations

from pathlib import Path

from dagsearch._writing import reason_of, write_all
from dagsearch.errors import InputError


def write_file(path: Path, content: str | bytes) -> Path:
    """Write a file so that it appears complete or not at all, over an older one.

    Raises
    ------
    InputError
        If its folder cannot be made or written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_all({path: content})
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"folder must be a folder, got the file {error.filename}") from error
    except OSError as error:
        raise InputError(f"folder must be writable, got {path.parent}: {reason_of(error)}") from error
    return path
