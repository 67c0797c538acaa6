"""The steps that gain, from a class to its neighbours: local scores and clock for the compiled walk over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.graph.bitset import members_of_each
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.classes.operators import DELETE, NONE, TURN, new_walk
from dagsearch.kernels.classes.sweep import (
    ASKING,
    BOUNDING,
    CHOOSING,
    DONE,
    FULL,
    LISTING,
    NOTHING,
    STATE,
    Sweep,
    walk_on,
)
from dagsearch.kernels.local import OUTSIDE
from dagsearch.search.ges.classes import EquivalenceClass, Step
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import ScoreLike

_ASKED_TOGETHER, _LISTED_TOGETHER = 4096, 1024
_FITTED_TOGETHER = 64  # these look at the clock themselves, and several are fitted at a time
_HIGHEST = 32
_SECONDS_PER_CHUNK = 0.05  # between two looks at the clock
_FIRST_LOOKS, _MOST_AT_A_TIME = 1000, 10**9


class Steps:
    """Steps of one kind at a time, from class to class.

    Parameters
    ----------
    score
        Gives the local scores.
    unit
        What they are multiplied by.
    check
        Called several times a second; it may raise to end the search.
    """

    def __init__(self, score: ScoreLike, unit: float, check: Callable[[], None]) -> None:
        self._score, self._unit, self._check = score, unit, check
        self._clock = Monitor()
        self._looks = _FIRST_LOOKS
        self._batch = _FITTED_TOGETHER if score.is_fitted else 1
        d = self._n_nodes = score.n_nodes
        n_words, self._words = words_for(d)
        # Where a score costs little, more of them are asked for than are needed, and paths are looked at last.
        self._is_costly = score.family.code == OUTSIDE
        state = np.zeros(1, dtype=STATE)
        state["unit"], state["bars_first"] = unit, self._is_costly
        self._sweep = Sweep(
            state=state,
            walk=new_walk(d, n_words),
            pairs=np.zeros(d * d, dtype=np.int64),
            is_due=np.zeros(d * d, dtype=bool),
            bounds=np.zeros(d * d),
            best_clique=np.zeros(n_words, dtype=np.uint64),
            asked_nodes=np.zeros(_ASKED_TOGETHER, dtype=np.int64),
            asked=np.zeros(_ASKED_TOGETHER * n_words, dtype=np.uint64),
            listed_pairs=np.zeros(_LISTED_TOGETHER, dtype=np.int64),
            listed_gains=np.zeros(_LISTED_TOGETHER),
            listed_cliques=np.zeros(_LISTED_TOGETHER * n_words, dtype=np.uint64),
        )
        self._legal = np.ones(d * d, dtype=bool)
        self._listed: list[Step] = []

    def begin(self, phase: int, legal: NDArray[np.bool_] | None) -> None:
        """Turn to steps of a kind, at pairs that ``legal`` (n_nodes, n_nodes) tells; None: at all."""
        self._sweep.state["phase"] = phase
        self._legal[:] = True if legal is None else legal.ravel()
        self._sweep.bounds[:] = NOTHING
        self._sweep.is_due[:] = self._legal

    def note_change(self, before: EquivalenceClass, after: EquivalenceClass) -> None:
        """Hear that the search has gone from one class to another."""
        self._sweep.is_due[:] |= self._legal & (self._is_costly | after.pairs_touched(before).ravel())

    def best(self, place: EquivalenceClass, least_gain: float) -> Step | None:
        """The valid step that gains most, the first of them; None if none gains more than ``least_gain``."""
        sweep, state = self._sweep, self._sweep.state
        self._bound(place)
        state["best_gain"], state["best_pair"], state["best_rank"] = least_gain, NONE, NONE
        # The best one is likely to be where the highest bounds are; after that, few others need a look.
        for n_highest in (_HIGHEST, None):
            self._walk(place, CHOOSING, _from_the_highest(sweep.bounds, float(state["best_gain"][0]), n_highest))
        if state["best_pair"][0] == NONE:
            return None
        cause, effect = divmod(int(state["best_pair"][0]), self._n_nodes)
        return Step(float(state["best_gain"][0]), int(state["phase"][0]), cause, effect, sweep.best_clique.copy())

    def gaining(self, place: EquivalenceClass, least_gain: float) -> list[Step]:
        """All valid steps that gain more than ``least_gain``, the best first."""
        self._bound(place)
        self._sweep.state["best_gain"] = least_gain
        self._listed = []
        self._walk(place, LISTING, np.flatnonzero(self._sweep.bounds > least_gain))
        self._collect()
        lines = place.adjacency.astype(bool) & place.adjacency.T.astype(bool)
        return sorted(self._listed, key=lambda step: (-step.gain, self._rank(step, lines)))

    def _rank(self, step: Step, lines: NDArray[np.bool_]) -> tuple[bool, int, int]:
        """Which of steps that gain the same comes first, as in `kernels.classes.operators.rank`."""
        if step.phase == TURN:
            return False, step.effect, step.cause
        return step.phase == DELETE and bool(lines[step.cause, step.effect]), step.cause, step.effect

    def _bound(self, place: EquivalenceClass) -> None:
        """Find out what steps gain at the pairs of which it is not known."""
        while len(due := np.flatnonzero(self._sweep.is_due)):
            self._walk(place, BOUNDING, due)
            self._answer()

    def _walk(self, place: EquivalenceClass, task: int, pairs: NDArray[np.int64]) -> None:
        """Walk over pairs of nodes, numbered row by row."""
        state, cache = self._sweep.state, self._score.cache
        self._sweep.pairs[: len(pairs)] = pairs
        state["task"], state["is_inside"], state["place"], state["stop"] = task, 0, 0, len(pairs)
        status = None
        while status != DONE:
            state["n_looks"] = self._looks
            started = self._clock.seconds
            with cache.lock:
                status = walk_on(place.marks, cache.memo, self._sweep, self._n_nodes, self._words)
            self._check()
            if status == ASKING:
                self._answer()
            elif status == FULL:
                self._collect()
            elif status != DONE:
                self._looks = _adapted(self._looks, self._clock.seconds - started)

    def _answer(self) -> None:
        """Have the local scores entered that the walk has missed."""
        n_asked, first = int(self._sweep.state["n_asked"][0]), 0
        rows = self._sweep.asked.reshape(_ASKED_TOGETHER, -1)
        while first < n_asked:
            part = slice(first, min(first + self._batch, n_asked))
            started = self._clock.seconds
            nodes, sets = self._sweep.asked_nodes[part], rows[part].ravel()
            terms = self._score.terms(nodes, sets)
            self._refuse_infinite(terms, nodes, sets)
            self._check()
            if not self._score.is_fitted and part.stop - first == self._batch:
                self._batch = _adapted(self._batch, self._clock.seconds - started)
            first = part.stop
        self._sweep.state["n_asked"] = 0

    def _refuse_infinite(self, terms: NDArray[np.float64], nodes: NDArray[np.int64], sets: Any) -> None:
        scores = terms[:, 0] - terms[:, 1]
        if not np.isfinite(scores).all():
            first = int(np.argmin(np.isfinite(scores)))
            parents = list(members_of_each(sets, len(nodes))[first])
            raise InputError(
                f"local scores must be finite, got {scores[first]} for node {nodes[first]} with parents {parents}"
            )

    def _collect(self) -> None:
        """Take over what the walk has listed."""
        sweep, n_listed = self._sweep, int(self._sweep.state["n_listed"][0])
        phase = int(sweep.state["phase"][0])
        cliques = sweep.listed_cliques.reshape(_LISTED_TOGETHER, -1)
        for pair, gain, clique in zip(
            sweep.listed_pairs[:n_listed].tolist(), sweep.listed_gains[:n_listed].tolist(), cliques, strict=False
        ):
            cause, effect = divmod(pair, self._n_nodes)
            self._listed.append(Step(gain, phase, cause, effect, clique.copy()))
        sweep.state["n_listed"] = 0


def _from_the_highest(bounds: NDArray[np.float64], least: float, n: int | None) -> NDArray[np.int64]:
    """Pairs whose bound is not below ``least``, the ``n`` highest of them or all, from the highest down."""
    found = np.flatnonzero(bounds >= least)
    if n is not None and len(found) > n:
        found = found[np.argpartition(-bounds[found], n)[:n]]
    ordered: NDArray[np.int64] = found[np.argsort(-bounds[found], kind="stable")]
    return ordered


def _adapted(n: int, seconds: float) -> int:
    """How much to do next, after so much took so long: at most twice as much."""
    return int(np.clip(n * min(_SECONDS_PER_CHUNK / max(seconds, 1e-9), 2.0), 1, _MOST_AT_A_TIME))
