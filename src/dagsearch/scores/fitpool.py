"""Computes expensive things once each, on several threads, some of them before they are asked for.

Tree search asks for fits one at a time, each of which would leave all cores but one idle. While the search goes on,
spare threads work through fits that it is likely to ask for soon. What they find only fills the cache, so the search
takes the same course with any number of threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any

from dagsearch.interruption import look

Key = tuple[int, ...]


class FitPool:
    """A cache of ``fit(key)`` with threads that fill it ahead.

    Parameters
    ----------
    fit
        A pure function that releases the GIL for most of its time.
    n_jobs
        Threads at work, the caller's included.
    shared
        Whether a fit depends on the parents alone: then they are the key, otherwise the node comes before them.
    needed
        Which parents of a node are fitted; others say nothing beside them. All by default.
    """

    def __init__(
        self,
        fit: Callable[[Key], Any],
        n_jobs: int,
        shared: bool = True,
        needed: Callable[[int, Key], Key] = lambda _, parents: parents,
    ) -> None:
        self._fit = fit
        self._n_jobs = n_jobs
        self._shared = shared
        self._needed = needed
        self._changed = threading.Condition()
        self.known: dict[Key, Any] = {}
        self._running: set[Key] = set()
        self._wanted: list[Key] = []
        self._near: dict[int, Iterator[Key]] = {}
        self._far: dict[int, Iterator[Key]] = {}
        self._open = False

    def key(self, node: int, parents: Key) -> Key:
        """The key of a node's regression on its parents, which are in ascending order."""
        needed = self._needed(node, parents)
        return needed if self._shared else (node, *needed)

    def get(self, keys: Iterable[Key]) -> list[Any]:
        """The fits of all keys; the caller's thread does what no other has begun."""
        keys = list(keys)
        missing = [key for key in dict.fromkeys(keys) if key not in self.known]
        if len(missing) > 1:
            with self._changed:
                self._wanted = missing[:0:-1]
                self._changed.notify_all()
        try:
            for key in missing:
                look()
                self._get_one(key)
        except BaseException:
            with self._changed:
                self._wanted = []  # nobody waits for these any more
            raise
        return [self.known[key] for key in keys]

    def _get_one(self, key: Key) -> None:
        with self._changed:
            while key in self._running:
                self._changed.wait()
            if key in self.known:
                return
            self._running.add(key)
        self._run(key)

    def _run(self, key: Key) -> None:
        """Fit a key that is marked as running."""
        try:
            self.known[key] = self._fit(key)
        finally:
            with self._changed:
                self._running.discard(key)
                self._changed.notify_all()

    def anticipate(self, node: int, parents: Key, candidates: list[int], most: int | None = None) -> None:
        """Expect to be asked for ``parents`` of ``node`` with any of the candidates added, few of them first.

        Replaces what was expected for the same node; the last call goes first. Sets of more than ``most`` parents are
        not expected.
        """
        n_added = len(candidates) if most is None else min(len(candidates), most - len(parents))
        with self._changed:
            for queue in (self._near, self._far):
                queue.pop(node, None)
            self._near[node] = self._supersets(node, parents, candidates, 1, min(2, n_added))
            self._far[node] = self._supersets(node, parents, candidates, 3, n_added)
            self._changed.notify_all()

    @contextmanager
    def working_ahead(self) -> Iterator[None]:
        """Keep the spare threads at work while the context is open."""
        self._open = True
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self._n_jobs - 1)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            with self._changed:
                self._open = False
                self._near.clear()
                self._far.clear()
                self._changed.notify_all()
            for thread in threads:
                thread.join()

    def _work(self) -> None:
        while (key := self._take()) is not None:
            self._run(key)

    def _take(self) -> Key | None:
        """Wait for the next key worth fitting and mark it as running; None when the context closes."""
        with self._changed:
            while self._open:
                key = self._next()
                if key is not None:
                    self._running.add(key)
                    return key
                self._changed.wait()
        return None

    def _next(self) -> Key | None:
        """A key that nobody has begun: asked for, then near what is asked for, then farther away."""
        while self._wanted:
            key = self._wanted.pop()
            if self._is_new(key):
                return key
        for queue in (self._near, self._far):
            for node in reversed(list(queue)):
                for key in queue[node]:
                    if self._is_new(key):
                        return key
                del queue[node]
        return None

    def _supersets(self, node: int, parents: Key, candidates: list[int], least: int, most: int) -> Iterator[Key]:
        """Keys of ``parents`` with ``least`` to ``most`` of the candidates added, smaller sets first."""
        for k in range(least, most + 1):
            for added in combinations(candidates, k):
                yield self.key(node, tuple(sorted((*parents, *added))))

    def _is_new(self, key: Key) -> bool:
        return key not in self.known and key not in self._running
