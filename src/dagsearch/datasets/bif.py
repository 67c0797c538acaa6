"""What a file in the Bayesian Interchange Format (.bif) says about the variables of a network."""

from __future__ import annotations

import re
from pathlib import Path

from dagsearch.errors import DataError

# As in:  variable Age { type discrete [ 3 ] { Adolescent, Adult, Senior }; }
_VARIABLE = re.compile(r"^\s*variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*(\d+)\s*\]", re.MULTILINE)


def read_levels(path: Path) -> dict[str, int]:
    """Read how many levels each variable of a network has.

    Parameters
    ----------
    path
        A ``.bif`` file.

    Raises
    ------
    DataError
        If the file cannot be read or describes no discrete variable.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error})") from error
    levels = {name: int(n_levels) for name, n_levels in _VARIABLE.findall(text)}
    if not levels:
        raise DataError(f"{path}: describes no discrete variable, as in  variable Age {{ type discrete [ 3 ] ...")
    return levels
