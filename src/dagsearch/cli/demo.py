"""``dagsearch demo``: a search on measured cells, its graph beside the accepted one, and a page about it.

While the first run compiles, another process does as much of it as can be done on another core.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from dagsearch import compilation
from dagsearch._writing import require_writable_file
from dagsearch.cli.files import Loaded, write_page
from dagsearch.errors import InputError

# Numba compiles one kernel at a time in a process, and keeps it on disk, where other processes find it.
_LAST_KERNELS_FIRST = """
import sys
from dagsearch.engines.orphans import end_with
end_with(int(sys.argv[1]))
import numpy as np
import dagsearch as ds
table = np.random.default_rng(0).laplace(size=(40, 4))
ds.OrderSearch(score="evidence", random_state=0).fit(table)
"""


def carry_out_demo(seed: int, report: Path | None) -> None:
    """Search, print the result, and write a page about it."""
    from dagsearch.datasets import load  # noqa: PLC0415
    from dagsearch.estimators import CDUCT  # noqa: PLC0415
    from dagsearch.report.terminal import as_text, terminal_width  # noqa: PLC0415

    page = report or _place_of_report()
    click.echo("Sachs et al. (2005): 11 proteins and phospholipids measured in 853 single human immune cells.")
    click.echo("(The first run compiles the search loop, which takes a while; later runs start at once.)\n")
    data = load("sachs")
    with compiled_by_two():
        model = CDUCT(random_state=seed, n_jobs=-1, progress=True, trace=True).fit(data)
    click.echo(as_text(model, data, "sachs", width=terminal_width()))
    click.echo(
        "\nOn these cells the graph that explains the measurements best is not the one nearest to the accepted network:"
        "\nGES and PC, which leave directions open, come nearer. See dagsearch discover sachs --method all."
    )
    write_page(model, Loaded(data, None), "sachs", page)


def _place_of_report() -> Path:
    """In the folder where the demo was called, or that of temporary files if nothing can be written there."""
    from dagsearch.cli import REPORT_OF_DEMO  # noqa: PLC0415 - which needs this module

    try:
        require_writable_file(REPORT_OF_DEMO)
    except InputError:
        return Path(tempfile.gettempdir()) / REPORT_OF_DEMO
    return Path(REPORT_OF_DEMO)


@contextmanager
def compiled_by_two() -> Iterator[None]:
    """Let another process compile the kernels that a search ends with, as soon as this one begins to compile."""
    others: list[subprocess.Popen[bytes]] = []

    def help_out(begins: bool) -> None:
        if begins and not others:
            none = subprocess.DEVNULL
            program = [sys.executable, "-c", _LAST_KERNELS_FIRST, str(os.getpid())]
            others.append(subprocess.Popen(program, stdin=none, stdout=none, stderr=none))

    try:
        with compilation.listening(help_out):
            yield
    finally:
        for other in others:
            # What it has not compiled by now, this process has.
            other.terminate()
            other.wait()
