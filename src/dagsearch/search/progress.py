"""A progress bar on standard error: step, simulations per second, best reward, time left."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dagsearch.search.monitor import Progress


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[Progress], None]]:
    """A listener that draws a bar while the context is open; nothing if standard error is not a terminal."""
    from rich.console import Console  # noqa: PLC0415 - half of the package's users never see a bar
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[step]}"),
        TextColumn("{task.fields[rate]}"),
        TextColumn("best {task.fields[best]}"),
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None, step="", rate="", best="...", detail="")

        def show(progress: Progress) -> None:
            known = progress.n_steps is not None
            bar.update(
                task,
                total=1.0 if known else None,
                completed=progress.fraction,
                step=f"step {progress.step}" + (f"/{progress.n_steps}" if known else ""),
                rate=f"{progress.n_simulations / max(progress.seconds, 1e-9):,.0f} sims/s"
                if progress.n_simulations
                else "",
                best="..." if math.isnan(progress.best_reward) else f"{progress.best_reward:.4f}",
                detail=progress.detail,
            )

        yield show
