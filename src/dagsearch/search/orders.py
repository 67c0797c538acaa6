"""Search over orders of the variables: best moves of single ones, kicks, restarts (as in BOSS, Andrews et al. 2023).

Given an order, each variable gets its parents among those before it by a climb from set to set; what climbs find is
kept in trees (`kernels.forest`), so that orders which differ elsewhere share it. `kernels.moves` searches. At the end,
edges are deleted in the equivalence class as long as that pays, if the score is the same for equivalent graphs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import rows_from_membership
from dagsearch.graph.order import topological_order
from dagsearch.kernels.forest import CLIMBING, STRETCH
from dagsearch.kernels.local import LINEAR, OUTSIDE, QUADRATIC
from dagsearch.kernels.moves import CROWDED, DONE, PAUSED, QUESTION, STATE, OrderSearch, begin, search_orders
from dagsearch.search.deletions import Deletions
from dagsearch.search.forest import MOST_BYTES, ParentTrees, Seed
from dagsearch.search.monitor import Monitor, OutOfTimeError, Progress
from dagsearch.search.protocol import FINISHED, OnBetter, Outcome, Problem, ScoreLike, pays
from dagsearch.search.recorder import look_after
from dagsearch.search.seeds import interacting_pairs

N_KICKED = 4
"""Variables that a kick moves."""
# Counts make many orders that no single move improves, so that kicks pay; so many of them times variables keep a search
# of a thousand variables within minutes. Regressions are easier, and kicks make them try large sets of parents.
_KICKS_TIMES_NODES = 200_000
_FEWEST_KICKS, _MOST_KICKS = 10, 1000
_MANY_NODES = 40
# Where local scores take milliseconds, a kick stays near, so that most sets of parents are known already.
_NEAR = 4
_NO_REWARD = -1e300  # of the best order before there is one; infinity would turn differences into NaN
_FIRST_CHUNK = 64  # variables looked at between two looks at the clock, adapted to take the time below
_SECONDS_PER_CHUNK = 0.05


@dataclass(frozen=True)
class OrderSettings:
    """Settings of a search over orders.

    Attributes
    ----------
    n_restarts
        Searches from random orders, of which the best graph is kept.
    n_kicks
        A search ends after so many kicks in a row that lead to nothing better.
    n_jobs
        Threads for restarts; the result is the same whatever their number.
    """

    n_restarts: int
    n_kicks: int
    n_jobs: int = 1


def is_regression(score: ScoreLike) -> bool:
    """Whether local scores come from sums of squares, among which fewer graphs are local optima than among counts."""
    return score.family.code in (LINEAR, QUADRATIC)


def default_kicks(score: ScoreLike) -> int:
    """As many kicks as are worth their time."""
    if score.is_fitted or is_regression(score):
        return _FEWEST_KICKS
    return int(np.clip(_KICKS_TIMES_NODES // score.n_nodes, _FEWEST_KICKS, _MOST_KICKS))


def default_restarts(score: ScoreLike) -> int:
    """As many restarts as are worth their time."""
    if score.is_fitted:
        return 1
    if score.n_nodes > _MANY_NODES:
        return 2
    return 4 if is_regression(score) else 8


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
        known: float = _NO_REWARD,
    ) -> None:
        d = len(order)
        state = np.zeros(1, dtype=STATE)
        state["best_reward"] = _NO_REWARD
        state["n_kicks"], state["n_kicked"], state["reach"] = n_kicks, min(N_KICKED, d), reach
        self._trees = trees
        self._check = check
        self._on_better = on_better
        self._known = known
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
            self._check(float(state["best_reward"][0]))
            if status != PAUSED:
                self._supply(status)
                continue
            self._tell_when_due()
            if n_next == self._chunk:
                slower = (clock.seconds - started) / _SECONDS_PER_CHUNK
                self._chunk = int(np.clip(self._chunk / max(slower, 0.1), 1, 1_000_000))

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


class OrderClimber:
    """A search over orders that keeps the best graph.

    Parameters
    ----------
    problem
        What graphs must keep to; it has no edge budget.
    score
        A decomposable score. With equal variances the reward is no sum over the variables, but it is nowhere below its
        tangent in the sum of their mean squares, which is: climbs go by that, and take it anew where they end.
    check
        Called now and then with the best reward so far; it may raise to end the search.
    trees
        Those of another search on the same problem and score, to go on with; not with equal variances.
    most_bytes
        Memory for trees, if there are none to go on with.
    on_better
        Called with reward and number of edges of graphs that may be the best so far; None: nobody wants to know.

    Attributes
    ----------
    best
        The best graph so far, the start graph of the problem at first.
    reward
        Its reward.
    """

    def __init__(
        self,
        problem: Problem,
        score: ScoreLike,
        check: Callable[[float], None],
        trees: ParentTrees | None = None,
        most_bytes: int = MOST_BYTES,
        on_better: OnBetter | None = None,
    ) -> None:
        self.best = problem.start.astype(np.int8)
        self.reward = score.reward_of(self.best)
        self._problem = problem
        self._score = score
        self._check = check
        self._trees = trees
        self._most_bytes = most_bytes
        self._on_better = on_better

    def search_from(self, order: list[int], seed: int, n_kicks: int) -> None:
        """Search from an order on, and keep the best graph."""
        if self._climb(order, seed, n_kicks, plants=False) and self._score.family.equal_variances:
            self.search_from_best(seed, n_kicks)

    def search_from_best(self, seed: int, n_kicks: int) -> None:
        """Search from an order of the best graph on; parents of it that climbs do not reach are not lost."""
        while self._climb(topological_order(self.best), seed, n_kicks, plants=True):
            if not self._score.family.equal_variances:
                break

    def delete_edges(self) -> None:
        """Delete edges of the best graph in its equivalence class, as long as that pays, if the score allows it."""
        if not self._score.is_equivalent:
            return
        deletions = Deletions(self._problem, self._score, self.best, lambda: self._check(self.reward))
        try:
            deletions.run()
        finally:
            self.keep(deletions.best)

    def _climb(self, order: list[int], seed: int, n_kicks: int, plants: bool) -> bool:
        """Search from an order on; returns whether that led to a better graph."""
        reach = _NEAR if self._score.is_fitted else self._problem.n_nodes
        trees = self._trees_for_best()
        n_before = trees.n_evaluations
        # With equal variances climbs know no rewards, but those of the tangent.
        on_better = None if self._score.family.equal_variances else self._on_better
        begun = partial(OrderClimb, trees, np.array(order), seed, n_kicks, reach, self._report, on_better, self.reward)
        climb = begun()
        reward_before = self.reward
        try:
            if plants and self._plant_best(trees, climb):
                climb = begun()
            climb.run()
        finally:
            self._score.cache.count_unkept(trees.n_evaluations - n_before)
            for adjacency in climb.graphs():
                self.keep(adjacency)
        return self.reward > reward_before

    def _plant_best(self, trees: ParentTrees, climb: OrderClimb) -> bool:
        """Have climbs start from parents of the best graph that are better than what they reach, if there are any."""
        values = trees.values_of(self.best)
        missed = np.flatnonzero([pays(a, b) for a, b in zip(values, trees.values(climb.arrange()), strict=True)])
        planted = [trees.plant(Seed(int(node), self.best[:, node].astype(bool))) for node in missed]
        return any(planted)

    def _report(self, reward: float) -> None:
        """Pass the best reward on; what climbs tell where variances are equal is that of the tangent."""
        self._check(self.reward if self._score.family.equal_variances else max(reward, self.reward))

    def _trees_for_best(self) -> ParentTrees:
        """The trees that are there already, or new ones where the reward is judged by its tangent."""
        if self._score.family.equal_variances:
            values = self._score.terms(np.arange(len(self.best)), rows_from_membership(self.best.T))[:, 0]
            scale = -1.0 / values.sum()
            return ParentTrees(self._problem, self._score, scale, most_bytes=self._most_bytes)
        if self._trees is None:
            self._trees = ParentTrees(self._problem, self._score, most_bytes=self._most_bytes)
        return self._trees

    def keep(self, adjacency: NDArray[np.int8]) -> None:
        """Remember a graph if it is the best so far, by more than rounding."""
        reward = self._score.reward_of(adjacency)
        if pays(reward, self.reward):
            self.best, self.reward = adjacency, reward
            if self._on_better is not None:
                self._on_better(reward, int(adjacency.sum()))


class _Watch:
    """The monitor of searches in several threads: one of them at a time asks it, and when one ends, all do."""

    def __init__(self, monitor: Monitor, n_restarts: int) -> None:
        self._monitor = monitor
        self._lock = threading.Lock()
        self._reward = _NO_REWARD
        self._has_failed = False
        self._n_restarts = n_restarts
        self._heard: dict[int, list[tuple[float, float, int]]] = {}
        self.n_done = 0

    def check(self, reward: float) -> None:
        """Report, and raise if the search is to end."""
        with self._lock:
            self._reward = max(self._reward, reward)
            if self._has_failed:
                raise OutOfTimeError
            try:
                self._monitor.check(self._progress)
            except BaseException:
                self._has_failed = True
                raise

    def fail(self) -> None:
        """End the searches of all threads."""
        self._has_failed = True

    def listener(self, restart: int) -> OnBetter | None:
        """What hears of better graphs of a restart; None if nothing is recorded."""
        if self._monitor.recorder is None:
            return None
        heard = self._heard.setdefault(restart, [])
        return lambda reward, n_edges: heard.append((self._monitor.seconds, reward, n_edges))

    def tell_recorder(self) -> None:
        """Tell of all restarts in order: one that another thread was ahead with is told of when its turn came."""
        recorder, latest = self._monitor.recorder, 0.0
        if recorder is None:
            return
        for restart, heard in sorted(self._heard.items()):
            recorder.begin(restart, 0)
            for seconds, reward, n_edges in heard:
                latest = max(latest, seconds)
                recorder.found(reward, n_edges, "orders", latest)

    def _progress(self, seconds: float) -> Progress:
        reward = self._reward if self._reward > _NO_REWARD else float("nan")
        return Progress(self.n_done / self._n_restarts, self.n_done, self._n_restarts, 0, reward, seconds)


class _Starts:
    """Where restarts begin: drawn when they are asked for, since many may never be."""

    def __init__(self, problem: Problem, rng: np.random.Generator) -> None:
        self._problem, self._rng = problem, rng
        self._lock = threading.Lock()
        self._drawn: dict[int, np.random.Generator] = {}
        self._n_drawn = 0

    def of(self, restart: int) -> tuple[list[int], int]:
        """Order and seed of a restart; asked for once."""
        with self._lock:
            while self._n_drawn <= restart:
                (self._drawn[self._n_drawn],) = self._rng.spawn(1)
                self._n_drawn += 1
            own = self._drawn.pop(restart)
        return random_order(self._problem, own), int(own.integers(2**63))


def order_search(
    problem: Problem, score: ScoreLike, settings: OrderSettings, rng: np.random.Generator, monitor: Monitor
) -> Outcome:
    """Search for the DAG with the highest reward, over orders; there must be no edge budget."""
    watch = _Watch(monitor, settings.n_restarts)
    starts = _Starts(problem, rng)
    # Local scores from outside are fitted by threads of their own, one search at a time.
    n_threads = 1 if score.family.code == OUTSIDE else min(settings.n_jobs, settings.n_restarts)
    climbers = {-1: OrderClimber(problem, score, watch.check)}
    with monitor.guard():
        trees = _trees(problem, score, watch, n_threads)
        climbers.clear()
        climbers[0] = _climber(problem, score, watch, trees[0], n_threads, 0)

        def work(thread: int) -> None:
            _work(
                thread,
                n_threads,
                climbers,
                starts,
                settings,
                watch,
                partial(_climber, problem, score, watch, trees[thread], n_threads),
            )

        _run(work, n_threads)
    best = _best_of([climbers[restart] for restart in sorted(climbers)])
    with monitor.guard():
        if monitor.status == FINISHED:
            best.delete_edges()
    watch.tell_recorder()
    return Outcome(best.best, best.reward, 0, 0, watch.n_done, monitor.status)


def _trees(problem: Problem, score: ScoreLike, watch: _Watch, n_threads: int) -> list[ParentTrees | None]:
    """Those that the restarts of each thread share; with equal variances each climb has its own."""
    watch.check(_NO_REWARD)
    seeds = interacting_pairs(problem, score, lambda: watch.check(_NO_REWARD))
    if score.family.equal_variances:
        return [None] * n_threads
    return [ParentTrees(problem, score, seeds=seeds, most_bytes=MOST_BYTES // n_threads) for _ in range(n_threads)]


def _climber(
    problem: Problem, score: ScoreLike, watch: _Watch, trees: ParentTrees | None, n_threads: int, restart: int
) -> OrderClimber:
    return OrderClimber(problem, score, watch.check, trees, MOST_BYTES // n_threads, watch.listener(restart))


def _work(
    thread: int,
    n_threads: int,
    climbers: dict[int, OrderClimber],
    starts: _Starts,
    settings: OrderSettings,
    watch: _Watch,
    new_climber: Callable[[int], OrderClimber],
) -> None:
    """The restarts of one thread; of their climbers only those are kept that may have the best graph of all."""
    highest = -np.inf
    try:
        for restart in range(thread, settings.n_restarts, n_threads):
            climber = climbers.setdefault(restart, new_climber(restart)) if restart else climbers[0]
            order, seed = starts.of(restart)
            climber.search_from(order, seed, settings.n_kicks)
            watch.n_done += 1
            # Among climbers that are as good the first one is taken: a later one must be better to matter.
            if climber.reward > highest:
                highest = climber.reward
            else:
                del climbers[restart]
    except BaseException:
        watch.fail()
        raise


def _run(work: Callable[[int], None], n_threads: int) -> None:
    """Do the work of all threads; what ended one of them early is raised."""
    if n_threads == 1:
        work(0)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        failures = [
            failure for future in [pool.submit(work, k) for k in range(n_threads)] if (failure := future.exception())
        ]
    # Those that were told to end tell nothing about why.
    for failure in sorted(failures, key=lambda failure: isinstance(failure, OutOfTimeError)):
        raise failure


def _best_of(climbers: list[OrderClimber]) -> OrderClimber:
    """The first climber with the best graph, or one that is as good."""
    best = max(climber.reward for climber in climbers)
    return next(climber for climber in climbers if not pays(best, climber.reward))


def random_order(problem: Problem, rng: np.random.Generator) -> list[int]:
    """A random order in which required causes come before their effects."""
    shuffled = rng.permutation(problem.n_nodes)
    required = problem.start[np.ix_(shuffled, shuffled)].astype(np.int8)
    return [int(shuffled[k]) for k in topological_order(required)]
