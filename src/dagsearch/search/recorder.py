"""Records what a search considers; searches tell it, and none of them depends on it.

What is recorded must depend on the seed alone, while searches look at the clock whenever that is due. The best graph of
a long run of simulations is therefore looked at after fixed numbers of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from dagsearch.search.protocol import pays
from dagsearch.search.trace import Decision, Edge, Improvement, Option, Trace

if TYPE_CHECKING:
    from dagsearch.search.simulator import Simulator

MOST_DECISIONS = 2_000
"""Decisions that are kept; others are only counted."""
MOST_IMPROVEMENTS = 2_000
"""Improvements that are kept; of more, every other one goes, again and again."""
MOST_OPTIONS = 12
"""Options of a decision that are kept."""

_NO_EDGES = np.zeros((0, 2), dtype=np.intp)
_FIRST_LOOK = 64
_FINE_LOOKS = 4096


def look_after(n_done: int) -> int:
    """After how many simulations, or other small steps, to look at the best graph again.

    That is twice as many at first, later a quarter more.
    """
    return n_done + max(_FIRST_LOOK, n_done if n_done < _FINE_LOOKS else n_done // 4)


class _Heard(NamedTuple):
    """What a search tells of a decision: positions of variables, and arrays as they are."""

    restart: int
    step: int
    stub: int | None
    n_edges: int
    actions: NDArray[np.int32]
    visits: NDArray[np.int32]
    means: NDArray[np.float64]
    n_options: int
    action: int
    n_simulations: int
    seconds: float
    best_reward: float
    added: NDArray[np.intp]
    removed: NDArray[np.intp]


class RecordedDecisions(Sequence[Decision]):
    """Decisions that were heard of; they are put into names when somebody looks, which takes no time of the search.

    Parameters
    ----------
    heard
        What the search told.
    names
        Names of the variables.
    """

    def __init__(self, heard: tuple[_Heard, ...], names: tuple[str, ...]) -> None:
        self._heard = heard
        self._names = names

    def __len__(self) -> int:
        return len(self._heard)

    @overload
    def __getitem__(self, place: int) -> Decision: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Decision, ...]: ...

    def __getitem__(self, place: int | slice) -> Decision | tuple[Decision, ...]:
        return self._decisions[place]

    @cached_property
    def _decisions(self) -> tuple[Decision, ...]:
        return tuple(map(self._named, self._heard))

    def _named(self, heard: _Heard) -> Decision:
        return Decision(
            restart=heard.restart,
            step=heard.step,
            cause=None if heard.stub is None else self._names[heard.stub],
            n_edges=heard.n_edges,
            options=self._options(heard),
            n_options=heard.n_options,
            chosen=self._names[heard.action],
            n_simulations=heard.n_simulations,
            seconds=heard.seconds,
            best_reward=heard.best_reward,
            changed_mind=len(heard.removed) > 0,
            best_edges_added=self._edges(heard.added),
            best_edges_removed=self._edges(heard.removed),
        )

    def _options(self, heard: _Heard) -> tuple[Option, ...]:
        """The most visited children of the root, the chosen one among them."""
        actions, visits, means = heard.actions, heard.visits, heard.means
        order = np.lexsort((actions, -means, -visits))
        shown = order[:MOST_OPTIONS]
        if heard.action not in actions[shown] and heard.action in actions:
            shown[-1] = np.flatnonzero(actions == heard.action)[0]
        rows = zip(actions[shown].tolist(), visits[shown].tolist(), means[shown].tolist(), strict=True)
        return tuple(Option(self._names[node], n_visits, mean) for node, n_visits, mean in rows)

    def _edges(self, edges: NDArray[np.intp]) -> tuple[Edge, ...]:
        return tuple((self._names[i], self._names[j]) for i, j in edges.tolist())


class Recorder:
    """What a search has told so far.

    Parameters
    ----------
    names
        Names of the variables.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self._restart = 0
        self._n_simulations = 0  # when the restart began
        self._best: tuple[int, float] | None = None
        self._decisions: list[_Heard] = []
        self._n_decisions = 0
        self._improvements: list[Improvement] = []
        self._is_thinned = False

    def begin(self, restart: int, n_simulations: int) -> None:
        """Take what comes for that of a restart, before which so many simulations were made."""
        self._restart, self._n_simulations = restart, n_simulations

    def found(
        self, reward: float, n_edges: int, phase: str, seconds: float, *, rank: int = 0, n_simulations: int = 0
    ) -> None:
        """Hear of a graph, which is kept if it is the best so far.

        Parameters
        ----------
        reward, n_edges
            Of the graph.
        phase
            What found it.
        seconds
            When.
        rank
            A graph of higher rank goes before any reward.
        n_simulations
            Simulations of the restart until then.
        """
        if self._best is not None and (rank < self._best[0] or (rank == self._best[0] and not self._pays(reward))):
            return
        self._best = rank, reward
        n_all = self._n_simulations + n_simulations
        self._improvements.append(Improvement(n_all, seconds, reward, n_edges, phase, self._restart))
        if len(self._improvements) > MOST_IMPROVEMENTS:
            del self._improvements[1:-1:2]
            self._is_thinned = True

    def _pays(self, reward: float) -> bool:
        return self._best is None or pays(reward, self._best[1])

    def decided(self, search: Simulator, action: int, added: NDArray[np.intp], removed: NDArray[np.intp]) -> None:
        """Hear of a decision before it is carried out.

        Parameters
        ----------
        search, action
            The search, and what it decided for.
        added, removed
            (n, 2) causes and effects of edges that its best graph gained and lost since the last decision.
        """
        self._n_decisions += 1
        if len(self._decisions) == MOST_DECISIONS:
            return
        actions, visits, means = search.children()
        self._decisions.append(
            _Heard(
                restart=self._restart,
                step=search.step,
                stub=search.stub,
                n_edges=search.n_edges,
                actions=actions.copy(),
                visits=visits.copy(),
                means=means.copy(),
                n_options=search.n_actions,
                action=action,
                n_simulations=self._n_simulations + search.n_all_simulations,
                seconds=search.monitor.seconds,
                best_reward=search.best_reward,
                added=added,
                removed=removed,
            )
        )

    def trace(self, *notes: str) -> Trace:
        """All that was recorded, with these notes."""
        n_left_out = self._n_decisions - len(self._decisions)
        said = list(notes)
        if n_left_out:
            said.append(f"{n_left_out:,} more decisions were made, of which nothing is kept but how many they are")
        if self._is_thinned:
            said.append(f"of more than {MOST_IMPROVEMENTS:,} improvements not all are kept")
        decisions = RecordedDecisions(tuple(self._decisions), self.names)
        return Trace(decisions, tuple(self._improvements), tuple(said), self._n_decisions)


class TreeRecord:
    """What one search from simulation to simulation tells its recorder.

    Parameters
    ----------
    recorder
        Who hears.
    search
        The search, which begins.
    """

    def __init__(self, recorder: Recorder, search: Simulator) -> None:
        self._recorder = recorder
        self._best = search.best_adjacency()
        self._is_new = False  # whether the search has another one now
        self._known = search.n_best_edges, search.best_reward
        self._next_look = look_after(0)

    def n_until_look(self, search: Simulator) -> int:
        """How many simulations may be made until the best graph is looked at."""
        return self._next_look - search.n_all_simulations

    def look(self, search: Simulator) -> None:
        """Look at the best graph, if that is due."""
        if search.n_all_simulations >= self._next_look:
            self._next_look = look_after(search.n_all_simulations)
            self.tell_best(search)

    def tell_best(self, search: Simulator) -> None:
        """Tell of the best graph if it is another one than before."""
        n_edges, reward = search.n_best_edges, search.best_reward
        if (n_edges, reward) == self._known:
            return
        self._known, self._is_new = (n_edges, reward), True
        self._recorder.found(
            reward,
            n_edges,
            "tree search" if search.uses_tree else "rollouts",
            search.monitor.seconds,
            rank=0 if search.problem.edge_budget is None else n_edges,
            n_simulations=search.n_all_simulations,
        )

    def decided(self, search: Simulator, action: int) -> None:
        """Tell of a decision before it is carried out."""
        self.tell_best(search)
        added = removed = _NO_EDGES
        if self._is_new:
            best = search.best_adjacency()
            added, removed = np.argwhere(best > self._best), np.argwhere(best < self._best)
            self._best, self._is_new = best, False
        self._recorder.decided(search, action, added, removed)
