"""Surroundings: variables, folders, limits and streams that are not as usual. The result is as usual."""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from hostile.case import REFUSED, RIGHT, Case
from hostile.process import NOT_SET, discover, run

FAMILY = "environment"
_SECONDS = 180.0  # where kernels are compiled anew

_VARIABLES: dict[str, tuple[str | None, ...]] = {
    "HOME": (NOT_SET, "", "/nonexistent", "/dev/null"),
    "USER": (NOT_SET, ""),
    "PATH": ("",),
    "LANG": ("C", "nonsense", "de_DE.UTF-8", "tr_TR.UTF-8"),
    "LC_ALL": ("C", "POSIX", "nonsense"),
    "LC_NUMERIC": ("de_DE.UTF-8",),
    "PYTHONIOENCODING": ("ascii", "latin-1", "utf-16"),
    "PYTHONUTF8": ("0", "1"),
    "PYTHONHASHSEED": ("0", "1"),
    "PYTHONOPTIMIZE": ("1", "2"),
    "PYTHONDONTWRITEBYTECODE": ("1",),
    "PYTHONUNBUFFERED": ("1",),
    "PYTHONDEVMODE": ("1",),
    "PYTHONSAFEPATH": ("1",),
    "PYTHONMALLOC": ("debug",),
    "COLUMNS": ("", "0", "1", "-5", "abc", "1000000000"),
    "LINES": ("0", "x"),
    "TERM": (NOT_SET, "", "dumb", "nonsense"),
    "NO_COLOR": ("1",),
    "FORCE_COLOR": ("1",),
    "TZ": ("nonsense", "Pacific/Kiritimati"),
    "OMP_NUM_THREADS": ("0", "abc", "1000000", "1,2"),
    "NUMBA_NUM_THREADS": ("1", "1000000"),
    "PYTHONWARNINGS": ("error", "nonsense"),
    "XDG_CACHE_HOME": ("/dev/null", "relative"),
    "OPENBLAS_NUM_THREADS": ("0", "-1"),
    "MPLCONFIGDIR": ("/nonexistent",),
    "MPLBACKEND": ("nonsense",),
    "TMPDIR": ("/nonexistent", "/proc", ""),
    "NUMBA_CACHE_DIR": ("/dev/null/deep", "/proc/none", "/dev/full", ""),
    "DAGSEARCH_DATA": ("/nonexistent", "/dev/null", "", "relative", "~nobody/x", "a\nb"),
    "DAGSEARCH_CACHE": ("/nonexistent", "/dev/null", "", "relative"),
    "DAGSEARCH_URL": ("", "nonsense", "file:///etc", "http://[::1"),
    "http_proxy": ("nonsense",),
}


def cases() -> Iterator[Case]:
    """All of this family."""
    yield Case(FAMILY, "as usual", discover, (RIGHT,), seconds=_SECONDS)
    for name, values in _VARIABLES.items():
        for value in values:
            act = partial(discover, {name: value})
            yield Case(
                FAMILY, f"{name}={'(not set)' if value is None else repr(value)}", act, (RIGHT,), seconds=_SECONDS
            )
    yield Case(FAMILY, "no compilation", partial(discover, {"NUMBA_DISABLE_JIT": "1"}), (REFUSED,), "NUMBA_DISABLE_JIT")
    for name, value in (("NUM_THREADS", "0"), ("NUM_THREADS", "-1"), ("NUM_THREADS", "abc"), ("OPT", "abc")):
        act = partial(discover, {f"NUMBA_{name}": value})
        yield Case(FAMILY, f"NUMBA_{name}={value!r}", act, (REFUSED,), "Unset", seconds=_SECONDS)
    yield Case(FAMILY, "an empty environment", _bare, (RIGHT,), seconds=_SECONDS)
    for url in ("nonsense", "http://127.0.0.1:1/", "http://[::1", "ftp://x", "file:///etc/passwd?"):
        changes = {"DAGSEARCH_URL": url, "DAGSEARCH_DATA": NOT_SET, "DAGSEARCH_CACHE": "kept"}
        act = partial(run, ["discover", "syntren-1", "--method", "greedy"], changes)
        yield Case(FAMILY, f"download from {url}", act, (REFUSED,), "could not be downloaded", seconds=90.0)
    for what, prepare in _PREPARATIONS.items():
        yield Case(FAMILY, what, partial(discover, None, prepare), (RIGHT,), seconds=_SECONDS)
    yield Case(FAMILY, "a working folder that is gone", _gone, (RIGHT, REFUSED))
    if os.getuid() == 0 and not Path(sys.executable).resolve().is_relative_to("/root"):
        yield Case(FAMILY, "nobody's process", _nobody, (RIGHT,), seconds=_SECONDS)
    yield Case(FAMILY, "a full disk for kernels", _full_for_kernels, (RIGHT, REFUSED), seconds=_SECONDS)


def _bare() -> None:
    keep = {"PYTHONPATH"}
    discover({name: NOT_SET for name in os.environ if name not in keep})


def _closed(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _limit(what: int, value: int) -> None:
    resource.setrlimit(what, (value, value))


_PREPARATIONS = {
    "standard input closed": partial(_closed, 0),
    "standard output closed": partial(_closed, 1),
    "standard error closed": partial(_closed, 2),
    "all streams closed": partial(_closed, 0, 1, 2),
    "few open files": partial(_limit, resource.RLIMIT_NOFILE, 40),
    "a small stack": partial(_limit, resource.RLIMIT_STACK, 1 << 20),
    "no core files": partial(_limit, resource.RLIMIT_CORE, 0),
    "Ctrl-C ignored": partial(signal.signal, signal.SIGINT, signal.SIG_IGN),
    "hang-up ignored": partial(signal.signal, signal.SIGHUP, signal.SIG_IGN),
    "files that nobody may read": partial(os.umask, 0o777),
    "the lowest priority": partial(os.nice, 19),
    "the root as working folder": partial(os.chdir, "/"),
    "a folder that cannot be written to as working folder": partial(os.chdir, "/proc"),
}


def _gone() -> None:
    def leave() -> None:
        os.mkdir("gone")
        os.chdir("gone")
        os.rmdir("../gone")

    discover(None, leave)


def _nobody() -> None:
    os.chmod("..", 0o777)
    os.chmod(".", 0o777)
    discover({"HOME": "/root"}, partial(os.setuid, 65534))


def _full_for_kernels() -> None:
    Path("kernels").mkdir()
    discover({"NUMBA_CACHE_DIR": str(Path("kernels").absolute())}, partial(_limit, resource.RLIMIT_FSIZE, 20_000))
