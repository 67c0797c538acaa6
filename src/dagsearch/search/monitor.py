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
from dagsearch.errors import InputError
from dagsearch.interruption import OutOfTimeError, carried_out, watched
from dagsearch.search.checkpoint import Checkpoint, Stage
from dagsearch.search.protocol import FINISHED, INTERRUPTED, TIME_LIMIT
from dagsearch.search.recorder import Recorder

__all__ = ["Monitor", "OutOfTimeError", "Progress"]


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


# Seconds, and share of the time limit, that what follows a search may take when its time is over.
_GRACE, _GRACE_SHARE = 0.3, 0.03


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
    checkpoint
        Where the search is saved, if that is wanted.
    """

    time_limit: float | None = None
    listener: Callable[[Progress], None] | None = None
    status: str = FINISHED
    recorder: Recorder | None = None
    checkpoint: Checkpoint | None = None
    _started: float = field(default_factory=lambda: time.perf_counter() - compilation.seconds())
    _last_report: float = 0.0
    _interrupted: bool = False
    _grace: float = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the search started, without those in which kernels were compiled."""
        return time.perf_counter() - compilation.seconds() - self._started

    def count_earlier(self, seconds: float) -> None:
        """Count seconds that an earlier run searched."""
        self._started -= seconds

    @property
    def is_ending(self) -> bool:
        """Whether the next `check` ends the search."""
        return self._ending() is not None

    def stage(self, name: str) -> Stage:
        """A part of the search, which may have been gone through before."""
        return Stage(self.checkpoint, name)

    def finished_stages(self) -> tuple[str, ...]:
        """Names of those that were gone through before."""
        return () if self.checkpoint is None else self.checkpoint.finished_stages

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
        if self.time_limit is not None and seconds > self.time_limit + self._grace:
            raise OutOfTimeError

    def look(self) -> None:
        """Raise as `check` does, and report nothing; what takes long beneath a search calls it."""
        if self._interrupted:
            raise KeyboardInterrupt
        if self.time_limit is not None and self.seconds > self.time_limit + self._grace:
            raise OutOfTimeError

    @property
    def _seconds_left(self) -> float:
        return 0.0 if self.time_limit is None else self.time_limit + self._grace - self.seconds

    def note_best(self, reward: float, n_edges: int, phase: str, *, rank: int = 0, n_simulations: int = 0) -> None:
        """Tell the recorder, if there is one, of the best graph so far; see `Recorder.found`."""
        if self.recorder is not None:
            self.recorder.found(reward, n_edges, phase, self.seconds, rank=rank, n_simulations=n_simulations)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Let the time limit and Ctrl-C end the enclosed search, and note which it was in ``status``."""
        try:
            with self._calm_interrupts(), watched(self.look):
                yield
        except OutOfTimeError:
            self.status = TIME_LIMIT
        except KeyboardInterrupt:
            self.status = INTERRUPTED

    def carry_out(self, work: Callable[[], None]) -> None:
        """Do what calls other packages, which never look at a clock, in a thread of its own; inside `guard`.

        The end of the search reaches it between any two steps.
        """
        carried_out(work, self._ending)

    def _ending(self) -> type[BaseException] | None:
        if self._interrupted:
            return KeyboardInterrupt
        return OutOfTimeError if self.time_limit is not None and self._seconds_left <= 0.0 else None

    @contextmanager
    def preparing(self, what: str) -> Iterator[None]:
        """Let the time limit end what comes before a search, without which there is no answer.

        Raises
        ------
        InputError
            If the time is over; the message says what took so long.
        """
        try:
            with watched(self.look):
                yield
        except OutOfTimeError:
            raise InputError(
                f"time_limit of {self.time_limit:g} seconds was over while {what}, before any graph was looked at; "
                "allow more time, or use fewer rows or columns"
            ) from None

    @contextmanager
    def aftermath(self) -> Iterator[None]:
        """Let what follows a search go on for a moment longer than the time limit; `OutOfTimeError` ends it."""
        if self.time_limit is None:
            yield
            return
        late = max(self.seconds - self.time_limit, 0.0)
        self._grace = late + max(_GRACE, _GRACE_SHARE * self.time_limit)
        with watched(self.look):
            yield

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
