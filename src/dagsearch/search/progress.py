"""A progress bar on standard error: step, simulations per second, best reward, time gone and time left."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from dagsearch import compilation
from dagsearch.search.monitor import Progress

if TYPE_CHECKING:
    from rich.console import Console

# Narrower terminals have no room for how fast it goes, and the narrowest none for a bar.
_WIDE = 100
_MEDIUM = 60
_COMPILING = "compiling, once"


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[Progress], None]]:
    """A listener that draws a bar while the context is open; nothing if standard error is not a terminal."""
    from rich.console import Console  # noqa: PLC0415 - half of the package's users never see a bar
    from rich.progress import Progress as Bar  # noqa: PLC0415

    console = Console(stderr=True)
    with Bar(*_columns(console), console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None, **_words(None))

        def show(progress: Progress) -> None:
            total = None if progress.n_steps is None else 1.0
            bar.update(task, total=total, completed=progress.fraction, **_words(progress))

        def tell(begins: bool) -> None:
            bar.update(task, state=_COMPILING if begins else "")

        with compilation.listening(tell):
            yield show


def _columns(console: Console) -> list[Any]:
    """What fits into one line of the terminal."""
    from rich.progress import BarColumn, TextColumn  # noqa: PLC0415

    shown = (
        ["best", "time", "state"] if console.width < _MEDIUM else ["step", "best", "detail", "gone", "left", "state"]
    )
    if console.width >= _WIDE:
        shown.insert(1, "rate")
    bar = [BarColumn(bar_width=None if console.width >= _WIDE else 12)] if console.width >= _MEDIUM else []
    return [TextColumn("[bold]{task.description}"), *bar, *(TextColumn(f"{{task.fields[{name}]}}") for name in shown)]


def _words(progress: Progress | None) -> dict[str, Any]:
    """What the bar says of a search; before its first report, that it starts."""
    if progress is None:
        return dict.fromkeys(("step", "rate", "best", "detail", "gone", "left", "time", "state"), "")
    n_steps = "" if progress.n_steps is None else f"/{progress.n_steps}"
    gone, left = f"{_clock(progress.seconds)} gone", _left(progress)
    rate = progress.n_simulations / max(progress.seconds, 1e-9)
    return {
        "step": f"step {progress.step}{n_steps}",
        "rate": f"{rate:,.0f} sims/s" if progress.n_simulations else "",
        "best": "" if math.isnan(progress.best_reward) else f"best {progress.best_reward:.6g}",
        "detail": progress.detail,
        "gone": gone,
        "left": left,
        "time": left or gone,
        "state": "",
    }


def _left(progress: Progress) -> str:
    """How long it will take if it goes on as before; nothing if that is not known."""
    if progress.n_steps is None or not 0.0 < progress.fraction <= 1.0:
        return ""
    return f"{_clock(progress.seconds * (1.0 / progress.fraction - 1.0))} left"


def _clock(seconds: float) -> str:
    """Minutes and seconds, with hours where there are any."""
    text = str(timedelta(seconds=round(seconds)))
    return text.removeprefix("0:")
