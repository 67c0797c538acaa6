"""Which tasks there are, in which order, and carrying out what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing

from calibration_study.families import Family
from calibration_study.task import CalibrationRecord, CalibrationTask
from dagsearch.engines import Engine, Failure, LineStore

FIRST = 50
"""Tables of each condition that come before any condition gets more, and the most that chains and bootstrap get."""

Store = LineStore[CalibrationRecord]
Listener = Callable[[int, int, CalibrationRecord | Failure], None]
"""Called with the number of runs that have ended, that of all that were left, and what came of the last one."""


def tasks_of(families: Sequence[Family], rows: Iterable[int], n_tables: int) -> list[CalibrationTask]:
    """All tasks: the first tables of each family, then the bootstrap, which takes longest, then the other tables.

    Families whose assumptions fail come second, and get half as many tables: they are to show where the limits are.
    """
    sizes = list(rows)
    stages = [(False, ("exact", "chains")), (False, ("bootstrap",)), (True, ("exact",))]
    tasks = []
    for later, systems in stages:
        for is_modelled in (True, False):
            share = 1 if is_modelled else 2
            first, last = -(-min(FIRST, n_tables) // share), -(-n_tables // share)
            numbers = range(first, last) if later else range(first)
            chosen = [family for family in families if family.is_modelled == is_modelled]
            tasks += _interleaved(chosen, sizes, numbers, systems)
    return tasks


def _interleaved(
    families: Sequence[Family], rows: Sequence[int], numbers: Iterable[int], systems: Sequence[str]
) -> Iterator[CalibrationTask]:
    """All families get their first table before any gets its second; systems of a table follow each other."""
    for number in numbers:
        for family in families:
            for n_rows in rows:
                for system in systems:
                    if system != "bootstrap" or family.n_replicates:
                        yield CalibrationTask(family.name, n_rows, number, system)


def carry_out(
    tasks: Sequence[CalibrationTask],
    store: Store,
    engine: Engine[CalibrationTask, CalibrationRecord],
    listener: Listener,
) -> list[Failure]:
    """Run what has no record, and keep every record at once; returns the runs that raised an exception."""
    failures: list[Failure] = []
    missing = store.missing(tasks)
    with closing(engine.run_all(missing)) as outcomes:
        for n_done, outcome in enumerate(outcomes, start=1):
            if isinstance(outcome, Failure):
                failures.append(outcome)
            else:
                store.append(outcome)
            listener(n_done, len(missing), outcome)
    return failures
