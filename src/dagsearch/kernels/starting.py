"""Numba imported for the first time, with one line where its environment variables keep it from starting."""

from __future__ import annotations

import warnings

from dagsearch.errors import DagsearchError, in_brief

_UNREADABLE = "Environment variable 'NUMBA_"


def start_numba() -> None:
    """Import numba, which reads its variables then.

    Raises
    ------
    DagsearchError
        If one of them has a value that numba refuses, or would replace by another with a traceback as a warning.
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            import numba  # noqa: F401, PLC0415
        except ValueError as error:
            raise DagsearchError(f"numba cannot start: {in_brief(error)} Unset NUMBA_NUM_THREADS") from error
    for each in said:
        if str(each.message).startswith(_UNREADABLE):
            raise DagsearchError(f"{in_brief(str(each.message).splitlines()[0])} Unset or mend it")
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
