"""Which tasks there are, in which order, and carrying out what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing

from calibration_study.families import Family
from calibration_study.task import CalibrationRecord, CalibrationTask
from dagsearch.engines import Engine, Failure, LineStore

STAGES: tuple[tuple[tuple[str, ...], int, int | None], ...] = (
    (("exact", "chains"), 0, 25),
    (("exact",), 25, 50),
    (("bootstrap",), 0, 25),
    (("exact",), 50, None),
    (("bootstrap",), 25, 50),
)
"""Systems, and from which table to which: every condition gets 50 tables before any gets more, and what takes longest,
chains and bootstrap, fewer than exact sums. Chains come right after these, whose local scores they use."""

Store = LineStore[CalibrationRecord]
Listener = Callable[[int, int, CalibrationRecord | Failure], None]
"""Called with the number of runs that have ended, that of all that were left, and what came of the last one."""


def tasks_of(
    families: Sequence[Family], rows: Iterable[int], n_tables: int, only_systems: Sequence[str] = ()
) -> list[CalibrationTask]:
    """All tasks, by `STAGES`, of all systems or of some.

    Families whose assumptions fail come second in each, and get half as many tables: they are to show where the limits
    are.
    """
    sizes, tasks = list(rows), list[CalibrationTask]()
    for systems, first, last in STAGES:
        for is_modelled in (True, False):
            share = 1 if is_modelled else 2
            bounds = (min(first, n_tables), n_tables if last is None else min(last, n_tables))
            numbers = range(*(-(-bound // share) for bound in bounds))
            chosen = [family for family in families if family.is_modelled == is_modelled]
            wanted = [system for system in systems if not only_systems or system in only_systems]
            tasks += _interleaved(chosen, sizes, numbers, wanted)
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
    missing = store.missing(tasks)
    with closing(engine.run_all(missing)) as outcomes:
        return store.append_all(outcomes, len(missing), listener)
