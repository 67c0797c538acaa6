"""A Dask cluster, on as many machines as there are.

::

    dask scheduler                                                  on one machine
    dask worker tcp://<scheduler>:8786 --nworkers 8 --nthreads 1    on each: a process per core, one run at a time

Workers need the same dagsearch and Python.
"""

from __future__ import annotations

import asyncio
import logging
import pkgutil
import platform
import threading
import traceback
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from dagsearch._version import __version__
from dagsearch.engines.base import GO_ON, Failure, Record, Task, attempt
from dagsearch.errors import DagsearchError, InputError, MissingExtraError

if TYPE_CHECKING:
    from distributed import Client, Future

logger = logging.getLogger("dagsearch")

_SECONDS_TO_CONNECT = 8
_SECONDS_BETWEEN_LOOKS = 2  # for workers that have joined
_SECONDS_TO_CLOSE = 3

# Scores are shared within a process and count their evaluations, and its clock is that of all threads.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class ClusterEngine(Generic[Task, Record]):
    """A Dask cluster that is already running.

    A worker that dies costs the run that it was at, which another one begins anew; a run that costs several workers is
    a `Failure`. There are only as many runs under way as there are workers, so that little is lost when either end
    stops. Runs that have begun cannot be stopped: their workers finish them, to no avail.

    Parameters
    ----------
    work
        Runs a task.
    address
        Of the scheduler, such as ``tcp://10.0.0.1:8786``.
    argument
        What messages call the address.
    advice
        How to go on if the scheduler is lost, which depends on what is kept.
    """

    work: Callable[[Task], Record]
    address: str
    argument: str = "--cluster"
    advice: str = GO_ON

    def require(self) -> None:
        """Raise as `run_all` does where nothing could be run."""
        with _connected(self.address, self.argument, self.advice) as client:
            _require_workers(client, self.address, self.argument)

    def run_all(self, tasks: Iterable[Task]) -> Iterator[Record | Failure]:
        """Run all tasks, as many at a time as the cluster has workers.

        Raises
        ------
        InputError
            If there is no scheduler at the address, it has no workers, or they have other versions than this process.
        MissingExtraError
            If Dask is not installed.
        DagsearchError
            If the scheduler is lost.
        """
        with _connected(self.address, self.argument, self.advice) as client:
            _require_workers(client, self.address, self.argument)
            yield from _Session(client, self.work).outcomes(tasks)


class _Session(Generic[Task, Record]):
    """The runs of a client that are under way."""

    def __init__(self, client: Client, work: Callable[[Task], Record]) -> None:
        self._client = client
        self._work = work
        self._under_way: dict[Future, Task] = {}

    def outcomes(self, tasks: Iterable[Task]) -> Iterator[Record | Failure]:
        """Outcomes as they come."""
        waiting, are_left = iter(tasks), True
        while are_left or self._under_way:
            are_left = are_left and self._submit(waiting)
            for future in self._completed():
                yield _outcome(self._under_way.pop(future), future)

    def _submit(self, waiting: Iterator[Task]) -> bool:
        """Begin as many tasks as there are idle workers; False if none are left.

        Were there more, they would wait on workers, and fall under suspicion when another run kills these.
        """
        n_workers = max(len(self._client.nthreads()), 1)
        while len(self._under_way) < n_workers:
            task = next(waiting, None)
            if task is None:
                return False
            # The same task may have been run before, on another table of that name: nothing is ever taken for done.
            key = f"dagsearch-{uuid.uuid4().hex}"
            future = self._client.submit(_attempt_alike, self._work, task, __version__, key=key, pure=False)
            self._under_way[future] = task
        return True

    def _completed(self) -> list[Future]:
        """Futures that have an outcome; none if it takes long, so that new workers are noticed."""
        from distributed import wait  # noqa: PLC0415 - an optional dependency

        futures = list(self._under_way)
        with self._client.as_current(), suppress(TimeoutError):
            return list(wait(futures, timeout=_SECONDS_BETWEEN_LOOKS, return_when="FIRST_COMPLETED").done)
        return []


def _attempt_alike(work: Callable[[Task], Record], task: Task, version: str) -> Record | Failure:
    """Run a task on a worker, which may have joined after the others were asked for their versions."""
    if version != __version__:
        return Failure(task, f"worker on {platform.node()} has dagsearch {__version__}, this command {version}", "")
    with _one_at_a_time:
        return attempt(work, task)


def _outcome(task: Any, future: Future) -> Any:
    from distributed import CancelledError, KilledWorker  # noqa: PLC0415 - an optional dependency

    try:
        outcome = future.result()
    except CancelledError:
        raise
    except KilledWorker as error:
        message = (
            f"KilledWorker: {error.allowed_failures + 1} workers died while they ran this. Perhaps their memory does "
            "not suffice: dask worker --memory-limit"
        )
        return Failure(task, message, str(error))
    except Exception as error:
        return Failure(task, f"{type(error).__name__}: {error}", traceback.format_exc())
    return outcome


@contextmanager
def _connected(address: str, argument: str, advice: str) -> Iterator[Client]:
    """A connection to the scheduler, whose loss is an error that says how to go on."""
    try:
        from distributed import CancelledError, Client  # noqa: PLC0415 - an optional dependency
        from distributed.client import ClosedClientError  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("a Dask cluster", "cluster") from error
    try:
        with ThreadPoolExecutor(1) as thread:  # the caller's may have an event loop of its own
            thread.submit(asyncio.run, _greet(address)).result()
        client = Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False, name="dagsearch")
    except (OSError, ValueError, TypeError) as error:
        reason = str(error) or "no answer"
        raise InputError(f"{argument}: there is no Dask scheduler at {address!r} ({reason})") from error
    try:
        yield client
    except (CancelledError, ClosedClientError, OSError) as error:
        raise DagsearchError(f"the Dask scheduler at {address} was lost ({error}). {advice}".rstrip()) from error
    finally:
        # The scheduler then cancels what is under way, and if it does not answer there is nothing to cancel.
        with suppress(Exception):
            client.close(timeout=_SECONDS_TO_CLOSE)


async def _greet(address: str) -> None:
    """Shake hands with the scheduler: a client would wait for ever where something else listens."""
    from distributed.comm import connect  # noqa: PLC0415 - an optional dependency
    from distributed.security import Security  # noqa: PLC0415

    options = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, timeout=_SECONDS_TO_CONNECT, **options), _SECONDS_TO_CONNECT)
    comm.abort()


def _require_workers(client: Client, address: str, argument: str = "--cluster") -> None:
    """Refuse a cluster that could not run anything, or would run something else."""
    try:
        client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
    except TimeoutError:
        raise InputError(
            f"{argument}: the Dask scheduler at {address} has no workers; start some with: "
            f"dask worker {address} --nthreads 1"
        ) from None
    _require_answer(client, argument, "Python", _minor(platform.python_version()), platform.python_version)
    _require_answer(client, argument, "dagsearch", __version__, pkgutil.resolve_name, "dagsearch._version:__version__")
    n_threads = client.nthreads()
    if any(n > 1 for n in n_threads.values()):
        logger.warning("workers run one task at a time: start them with --nthreads 1, and more of them")


def _require_answer(
    client: Client, argument: str, what: str, expected: str, ask: Callable[..., str], *arguments: str
) -> None:
    """Compare a version on all workers with ours; the question must be a function of the standard library."""
    answers: dict[str, Any] = client.run(ask, *arguments, on_error="return")
    for worker, answer in answers.items():
        if isinstance(answer, BaseException):
            raise InputError(f"{argument}: worker {worker} cannot tell its version of {what} ({answer})")
        given = _minor(answer) if what == "Python" else answer
        if given != expected:
            raise InputError(f"{argument}: worker {worker} has {what} {given}, this command {what} {expected}")


def _minor(version: str) -> str:
    """The part of Python's version in which pickled tasks must agree."""
    return ".".join(version.split(".")[:2])
