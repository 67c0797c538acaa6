"""What a long search reports to, and asks whether to go on."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from dagsearch import compilation
from dagsearch.search.protocol import FINISHED, INTERRUPTED, TIME_LIMIT
from dagsearch.search.recorder import Recorder


@dataclass(frozen=True)
class Progress:
    """Where a search stands."""

    fraction: float
    step: int
    n_steps: int | None
    n_simulations: int
    best_reward: float
    seconds: float
    detail: str = ""


class OutOfTimeError(Exception):
    """Raised inside a search when its time limit is over; never leaves it."""


@dataclass
class Monitor:
    """Clock, time limit and listener of one search; the clock stands still while kernels are compiled.

    Parameters
    ----------
    time_limit
        Seconds after which the search ends with its best graph so far.
    listener
        Called with the search's `Progress`, a few times a second.
    recorder
        Hears what the search considers, if that is to be recorded.
    """

    time_limit: float | None = None
    listener: Callable[[Progress], None] | None = None
    status: str = FINISHED
    recorder: Recorder | None = None
    _started: float = field(default_factory=lambda: time.perf_counter() - compilation.seconds())
    _last_report: float = 0.0
    _interrupted: bool = False

    @property
    def seconds(self) -> float:
        """Seconds since the search started, without those in which kernels were compiled."""
        return time.perf_counter() - compilation.seconds() - self._started

    def check(self, report: Callable[[float], Progress]) -> None:
        """Report now and then; raise `OutOfTimeError` once the time limit is over, KeyboardInterrupt on Ctrl-C."""
        if self._interrupted:
            raise KeyboardInterrupt
        if self.listener is None and self.time_limit is None:
            return
        seconds = self.seconds
        if self.listener is not None and seconds - self._last_report > 0.1:
            self._last_report = seconds
            self.listener(report(seconds))
        if self.time_limit is not None and seconds > self.time_limit:
            raise OutOfTimeError

    def note_best(self, reward: float, n_edges: int, phase: str, *, rank: int = 0, n_simulations: int = 0) -> None:
        """Tell the recorder, if there is one, of the best graph so far; see `Recorder.found`."""
        if self.recorder is not None:
            self.recorder.found(reward, n_edges, phase, self.seconds, rank=rank, n_simulations=n_simulations)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Let the time limit and Ctrl-C end the enclosed search, and note which it was in ``status``."""
        try:
            with self._calm_interrupts():
                yield
        except OutOfTimeError:
            self.status = TIME_LIMIT
        except KeyboardInterrupt:
            self.status = INTERRUPTED

    @contextmanager
    def _calm_interrupts(self) -> Iterator[None]:
        """Make the first Ctrl-C a note that `check` reads, since an exception cannot pass through compiled code.

        A second one raises at once. Only the main thread may do this; elsewhere Ctrl-C is none of ours.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = signal.getsignal(signal.SIGINT)

        def note(_number: int, _frame: FrameType | None) -> None:
            if self._interrupted:
                raise KeyboardInterrupt
            self._interrupted = True

        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous if previous is not None else signal.SIG_DFL)
