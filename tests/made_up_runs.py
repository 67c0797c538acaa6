"""What tests of the benchmarks share: an engine that runs nothing."""

from __future__ import annotations

from dagsearch.experiments.engines import Failure


class MadeUpEngine:
    """Ends every run at once, and notes it; methods named in ``slow`` exceed the limit, those in ``broken`` fail.

    ``exceeded`` makes the record of a task that took longer than so many seconds, ``finished`` that of any other.
    """

    def __init__(self, exceeded, finished, time_limit=10.0, slow=(), broken=()):
        self.exceeded, self.finished = exceeded, finished
        self.time_limit, self.slow, self.broken, self.ran = time_limit, slow, broken, []

    def run_all(self, tasks):
        for task in tasks:
            self.ran.append(task)
            if task.method in self.broken:
                yield Failure(task, "ValueError: no", "")
            else:
                yield self.exceeded(task, self.time_limit) if task.method in self.slow else self.finished(task)
