"""The places that the results of a command go to: looked at before the work, and kept apart from what it reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from dagsearch._writing import require_writable_file, require_writable_folder
from dagsearch.errors import InputError, as_place

_NOT_A_FILE = "-"  # standard output


def check_destinations(
    out: Path | None,
    json_file: str | None,
    option: str = "--out",
    report: Path | None = None,
    checkpoint: str | None = None,
    read: Iterable[object] = (),
    names: Iterable[str] = (),
) -> None:
    """Complain about places that cannot be written to before the search rather than after it.

    Parameters
    ----------
    out, json_file, option, report, checkpoint
        The places, and what the command calls the first of them; None: nothing goes there.
    read
        What the command reads: paths, among other things that are none. No file of these may be written over.
    names
        Of the files that may be written to the folder.

    Raises
    ------
    InputError
        If a place cannot be written to, two of them are the same file, or one of them is a file that is read.
    """
    if report is not None:
        from dagsearch.report.files import writable_page  # noqa: PLC0415

        writable_page(report, "--report")
    files = [] if out is None else _files_in(out, names, option)
    if json_file is not None and json_file != _NOT_A_FILE:
        require_writable_file(json_file, "--json")
        files.append(("--json", Path(json_file)))
    files += [(name, Path(place)) for name, place in (("--report", report), ("--checkpoint", checkpoint)) if place]
    _require_apart(files, [Path(place) for place in read if isinstance(place, str | Path)])


def files_of_graphs(stems: Iterable[str] = ("graph", "pruned")) -> list[str]:
    """The names of the files that hold graphs."""
    from dagsearch.report.files import SUFFIXES  # noqa: PLC0415

    return [f"{stem}{suffix}" for stem in stems for suffix in SUFFIXES]


def _files_in(folder: Path, names: Iterable[str], option: str) -> list[tuple[str, Path]]:
    """What may be written to a folder; each file must be writable if it is there already."""
    require_writable_folder(folder, option)
    files = [folder / name for name in names]
    for path in files:
        if os.path.lexists(path):
            require_writable_file(path, option)
    return [(option, path) for path in files]


def _require_apart(written: list[tuple[str, Path]], read: list[Path]) -> None:
    """Complain where a file would be written over by another, or over what the command reads."""
    inputs = {os.path.realpath(path): path for path in read if os.path.isfile(path)}
    seen: dict[str, str] = {}
    for option, path in written:
        place = os.path.realpath(path)
        if os.path.exists(place) and not os.path.isfile(place):  # of devices and pipes nothing is lost
            continue
        if place in inputs:
            raise InputError(f"{option} must not be written over {as_place(inputs[place])}, which is read")
        if place in seen:
            raise InputError(f"{seen[place]} and {option} must be different files, both are {as_place(path)}")
        seen[place] = option
