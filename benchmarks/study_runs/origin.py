"""Where a record comes from: when it was made, and by which code."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path

import dagsearch as ds

_COMPUTING = ("numpy", "numba", "scipy", "scikit-learn", "causal-learn", "ges", "xges")


def now() -> str:
    """The time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def versions() -> str:
    """The code, by its commit, and the packages that compute."""
    packages = [f"{name} {_version(name)}" for name in _COMPUTING]
    return ", ".join([f"dagsearch {ds.__version__} ({_commit()})", f"python {platform.python_version()}", *packages])


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """The commit that is checked out, with a mark if sources were changed since."""
    folder = Path(ds.__file__).parent
    try:
        commit = _git(folder, "rev-parse", "--short", "HEAD")
        return commit + ("+changes" if _git(folder, "status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return "no commit"


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
