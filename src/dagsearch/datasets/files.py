"""Where the files of data sets are: in the user's folder, in the cache, or at the authors' public repository.

| variable | what it names |
|---|---|
| ``DAGSEARCH_DATA`` | a folder that is looked at first, laid out as the repository's |
| ``DAGSEARCH_CACHE`` | the folder for downloads, in place of the operating system's for caches |
| ``DAGSEARCH_URL`` | a mirror of the repository |

A downloaded file is used only if its SHA-256 sum is the one in ``checksums.txt``. A file in the user's folder is used
whatever its sum is, as somebody put it there, but `changed_files` tells of it.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from dagsearch._writing import write_all
from dagsearch.errors import DataError

FOLDER_VARIABLE = "DAGSEARCH_DATA"
CACHE_VARIABLE = "DAGSEARCH_CACHE"
URL_VARIABLE = "DAGSEARCH_URL"

#: The data of the paper's experiments as its authors published them.
PUBLISHED = (
    "https://raw.githubusercontent.com/VictorDarvariu/causal-discovery-mbrl/"
    "5bf9b7df22724201387202b5e9e8b8a736877f69/datasets/"
)

SECONDS_TO_ANSWER = 30

_MOST_SUMS_KEPT = 10_000


def path_of(name: str, relative: str) -> Path:
    """Find a file of a data set, which is downloaded unless it is on this machine.

    Parameters
    ----------
    name
        The data set, for messages.
    relative
        The file's path below the folder of data.

    Raises
    ------
    DataError
        If the download fails; nothing of it is then left behind.
    """
    return local_path(relative) or _downloaded(name, relative)


def local_path(relative: str) -> Path | None:
    """Find a file on this machine: in the user's folder, or undamaged in the cache.

    Parameters
    ----------
    relative
        The file's path below the folder of data.
    """
    in_folder = _path_in_folder(relative)
    if in_folder is not None and os.path.isfile(in_folder):
        return in_folder
    in_cache = cache_folder() / relative
    return in_cache if _is_undamaged(in_cache, relative) else None


def changed_files(relative: Iterable[str]) -> list[Path]:
    """Find the files in the user's folder that are not the published ones, by their SHA-256 sums.

    Parameters
    ----------
    relative
        Paths below the folder of data. Files that are not there, or cannot be read, are none of them.
    """
    in_folder = {path: _path_in_folder(path) for path in relative}
    sums = {path: _sum_of(file) for path, file in in_folder.items() if file is not None and os.path.isfile(file)}
    return [file for path, file in in_folder.items() if file and sums.get(path) not in (None, checksums().get(path))]


def base_url() -> str:
    """Return the address of downloads, with a slash at the end."""
    return (os.environ.get(URL_VARIABLE) or PUBLISHED).rstrip("/") + "/"


def cache_folder() -> Path:
    """Return the folder in which downloads are kept; it need not exist."""
    folder = os.environ.get(CACHE_VARIABLE)
    if folder:
        return Path(folder).expanduser()
    import pooch  # noqa: PLC0415

    return Path(pooch.os_cache("dagsearch"))


@cache
def checksums() -> dict[str, str]:
    """Return the SHA-256 sum of each published file, by its path below the folder of data."""
    text = (resources.files("dagsearch.datasets") / "checksums.txt").read_text(encoding="utf-8")
    return dict(line.split() for line in text.splitlines() if not line.startswith("#"))


def _path_in_folder(relative: str) -> Path | None:
    folder = os.environ.get(FOLDER_VARIABLE)
    return Path(folder).expanduser() / relative if folder else None


def _is_undamaged(path: Path, relative: str) -> bool:
    return _sum_of(path) == checksums()[relative]


def _sum_of(path: Path) -> str | None:
    """The SHA-256 sum of a file, in hexadecimal; None if it cannot be read."""
    try:
        facts = path.stat()
        return _sum_of_version(Path(os.path.abspath(path)), facts.st_size, facts.st_mtime_ns)
    except OSError:
        return None


@lru_cache(maxsize=_MOST_SUMS_KEPT)
def _sum_of_version(path: Path, n_bytes: int, changed_at: int) -> str:  # noqa: ARG001 - what the sum is kept for
    """The sum of a file that has this size and time of change: experiments ask for the same files again and again."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _downloaded(name: str, relative: str) -> Path:
    """Download a file to the cache."""
    # Imported here, so that data on this machine need neither the package nor the time that it takes to import.
    import pooch  # noqa: PLC0415

    target = cache_folder() / relative
    try:
        # Not in the cache, where a download that fails would leave empty folders.
        with TemporaryDirectory(prefix="dagsearch-") as staging, _without_log():
            source = pooch.create(staging, base_url(), registry={relative: checksums()[relative]})
            arrived = source.fetch(relative, downloader=pooch.HTTPDownloader(timeout=SECONDS_TO_ANSWER))
            _put(Path(arrived), target)
    except (OSError, ValueError) as error:
        raise DataError(_failure(name, relative, error)) from error
    return target


@contextmanager
def _without_log() -> Iterator[None]:
    """Keep pooch from announcing downloads to places in which nobody looks for them."""
    import pooch  # noqa: PLC0415

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def _put(arrived: Path, target: Path) -> None:
    """Copy a file to the cache so that other processes see it in whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    write_all({target: arrived.read_bytes()})


def _failure(name: str, relative: str, error: Exception) -> str:
    in_folder = _path_in_folder(relative)
    absent = f"{FOLDER_VARIABLE} is not set" if in_folder is None else f"{in_folder} does not exist"
    return (
        f"data set {name!r} is not bundled with dagsearch, {absent}, and {base_url()}{relative} could not be "
        f"downloaded to {cache_folder()}: {_reason(error)}. Try again later, or set the environment variable "
        f"{FOLDER_VARIABLE} to a folder that holds {relative}"
    )


def _reason(error: BaseException) -> str:
    """Say what went wrong at the bottom of it, without the layers of libraries in between."""
    if not isinstance(error, OSError):
        return "what arrived is not the published file (its SHA-256 sum differs)"
    while error.__context__ is not None:
        error = error.__context__
    return str(error) or type(error).__name__
