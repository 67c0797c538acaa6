"""One search over orders as Python keeps it: memory for the kernel, and what it comes back for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dagsearch.kernels.forest import CLIMBING, STRETCH
from dagsearch.kernels.moves import CROWDED, DONE, PAUSED, QUESTION, STATE, OrderSearch, begin, search_orders
from dagsearch.search.checkpoint import Arrays, arrays_of, with_arrays
from dagsearch.search.forest import ParentTrees
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import OnBetter, pays
from dagsearch.search.recorder import look_after

N_KICKED = 4
"""Variables that a kick moves."""
NO_REWARD = -1e300
"""Of the best order before there is one; infinity would turn differences into NaN."""
_FIRST_CHUNK = 64  # variables looked at between two looks at the clock, adapted to take the time below
_SECONDS_PER_CHUNK = 0.05


class OrderClimb:
    """One search over orders, from a given order on.

    Parameters
    ----------
    trees
        What climbs find; others may go on with them afterwards.
    order
        Where to start; required causes come before their effects.
    seed
        Of the kernel's random generator.
    n_kicks
        End after so many kicks in a row that lead to nothing better.
    reach
        A kick takes a variable at most so many places away.
    check
        Called now and then with the best reward so far; it may raise to end the search.
    on_better
        Called with reward and number of edges of the best graph so far, after numbers of looks that do not depend on
        the time; None: nobody wants to know.
    known
        The best reward that it knows of.
    offer
        Called wherever the search can be `captured`.
    """

    def __init__(
        self,
        trees: ParentTrees,
        order: NDArray[np.int64],
        seed: int,
        n_kicks: int,
        reach: int,
        check: Callable[[float], None],
        on_better: OnBetter | None = None,
        known: float = NO_REWARD,
        offer: Callable[[], None] = lambda: None,
    ) -> None:
        d = len(order)
        state = np.zeros(1, dtype=STATE)
        state["best_reward"] = NO_REWARD
        state["n_kicks"], state["n_kicked"], state["reach"] = n_kicks, min(N_KICKED, d), reach
        self._trees = trees
        self._check = check
        self._on_better = on_better
        self._known = known
        self._offer = offer
        self._next_look = look_after(0)
        self._chunk = _FIRST_CHUNK
        self._search = OrderSearch(
            state=state,
            random=np.array([seed], dtype=np.uint64),
            order=np.tile(order.astype(np.int64), (2, 1)),
            place=np.zeros(d, dtype=np.int64),
            at=np.tile(np.arange(d), (2, 1)),
            is_due=np.ones(d, dtype=bool),
            turns=np.zeros(d, dtype=np.int64),
            spots=np.zeros(d, dtype=np.int64),
            ends=np.zeros(d, dtype=np.int64),
            questions=np.zeros(d + 1, dtype=QUESTION),
            climbing=np.zeros(1, dtype=CLIMBING),
            stack=np.zeros(d + 1, dtype=STRETCH),
        )
        begin(self._search)

    def run(self) -> None:
        """Search; when ``check`` raises, `graphs` has what was found so far."""
        clock = Monitor()
        state = self._search.state
        while True:
            n_next = self._chunk if self._on_better is None else min(self._chunk, self._next_look - self._n_looks)
            state["n_target"] = self._n_looks + n_next
            started = clock.seconds
            status = search_orders(self._trees.growth, self._trees.forest, self._search)
            if status == DONE:
                return
            self._offer()
            self._check(float(state["best_reward"][0]))
            if status != PAUSED:
                self._supply(status)
                continue
            self._tell_when_due()
            if n_next == self._chunk:
                slower = (clock.seconds - started) / _SECONDS_PER_CHUNK
                self._chunk = int(np.clip(self._chunk / max(slower, 0.1), 1, 1_000_000))

    def captured(self) -> Arrays:
        """Where the search is."""
        return arrays_of("search", self._search)

    def restore(self, state: Arrays) -> None:
        """Go on from where a search was that `captured` told of."""
        self._search = with_arrays("search", self._search, state)

    @property
    def _n_looks(self) -> int:
        return int(self._search.state["n_looks"][0])

    def _tell_when_due(self) -> None:
        """Tell of the best graph so far, if somebody wants to know and enough was looked at since."""
        if self._on_better is None or self._n_looks < self._next_look:
            return
        self._next_look = look_after(self._n_looks)
        reward = float(self._search.state["best_reward"][0])
        if pays(reward, self._known):
            self._known = reward
            self._on_better(reward, int(self.graphs()[0].sum()))

    def _supply(self, status: int) -> None:
        """Give the kernel what it came back for."""
        if status == CROWDED:
            self._search.at[:] = self._trees.forget(but=self._search.at)
        else:
            self._trees.supply(status)

    def arrange(self) -> NDArray[np.int64]:
        """The tree nodes where climbs end in the order that it starts from, (n_nodes,)."""
        state = self._search.state
        state["n_target"] = state["n_looks"]
        while (status := search_orders(self._trees.growth, self._trees.forest, self._search)) not in (DONE, PAUSED):
            self._check(float(state["best_reward"][0]))
            self._supply(status)
        ends: NDArray[np.int64] = self._search.at[0]
        return ends

    def graphs(self) -> list[NDArray[np.int8]]:
        """Adjacency of the best order, and of the one that the search is at."""
        return [self._trees.adjacency(at) for at in self._search.at[::-1]]
