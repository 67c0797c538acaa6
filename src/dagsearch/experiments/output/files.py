"""Files that appear complete or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from dagsearch.errors import InputError


def write_file(path: Path, content: str | bytes) -> Path:
    """Write a file under a temporary name, then move it to its place, over an older one.

    Raises
    ------
    InputError
        If its folder cannot be made or written to.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".writing-") as workshop:
            draft = Path(workshop) / path.name
            draft.write_bytes(data)
            os.replace(draft, path)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"folder must be a folder, got the file {error.filename}") from error
    except OSError as error:
        raise InputError(f"folder must be writable, got {path.parent}: {error.strerror}") from error
    return path
