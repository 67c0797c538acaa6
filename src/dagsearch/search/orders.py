"""Search over orders of the variables: best moves of single ones, kicks, restarts (as in BOSS, Andrews et al. 2023).

Given an order, each variable gets its parents among those before it by a climb from set to set; what climbs find is
kept in trees (`kernels.forest`), so that orders which differ elsewhere share it. `kernels.moves` searches. At the end,
edges are deleted in the equivalence class as long as that pays, if the score is the same for equivalent graphs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import rows_from_membership
from dagsearch.graph.order import topological_order
from dagsearch.kernels.local import LINEAR, OUTSIDE, QUADRATIC
from dagsearch.search.checkpoint import NOT_KEPT, Arrays, Stage
from dagsearch.search.deletions import Deletions
from dagsearch.search.forest import MOST_BYTES, ParentTrees, Seed
from dagsearch.search.monitor import Monitor, OutOfTimeError, Progress
from dagsearch.search.order_climb import NO_REWARD, OrderClimb
from dagsearch.search.protocol import FINISHED, OnBetter, Outcome, Problem, ScoreLike, pays
from dagsearch.search.seeds import arrays_of_seeds, interacting_pairs, seeds_from

# Counts make many orders that no single move improves, so that kicks pay; so many of them times variables keep a search
# of a thousand variables within minutes. Regressions are easier, and kicks make them try large sets of parents.
_KICKS_TIMES_NODES = 200_000
_FEWEST_KICKS, _MOST_KICKS = 10, 1000
_MANY_NODES = 40
# Where local scores take milliseconds, a kick stays near, so that most sets of parents are known already.
_NEAR = 4

_RESTART = "order "  # and its number: the name of a stage


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
        self._state: Arrays | None = None  # that the next climb goes on from

    def search_from(self, order: list[int], seed: int, n_kicks: int, stage: Stage = NOT_KEPT) -> None:
        """Search from an order on, and keep the best graph; a stage that has begun is gone on with."""
        if self._takes_over(stage):
            return
        self._begin(stage)
        is_past_order = self._state is not None and bool(self._state["from_best"][0])
        is_better = is_past_order or self._climb(order, seed, n_kicks, stage, from_best=False)
        if is_better and self._score.family.equal_variances:
            self._climb_from_best(seed, n_kicks, stage)
        self._finish(stage)

    def search_from_best(self, seed: int, n_kicks: int, stage: Stage = NOT_KEPT) -> None:
        """Search from an order of the best graph on; parents of it that climbs do not reach are not lost."""
        if self._takes_over(stage):
            return
        self._begin(stage)
        self._climb_from_best(seed, n_kicks, stage)
        self._finish(stage)

    def _climb_from_best(self, seed: int, n_kicks: int, stage: Stage) -> None:
        while self._climb(topological_order(self.best), seed, n_kicks, stage, from_best=True):
            if not self._score.family.equal_variances:
                break

    def delete_edges(self, stage: Stage = NOT_KEPT) -> None:
        """Delete edges of the best graph in its equivalence class, as long as that pays, if the score allows it."""
        if not self._score.is_equivalent or self._takes_over(stage):
            return
        trees = self._trees
        if stage.state and trees is not None:
            trees.restore(stage.state)

        def check() -> None:
            # Deletions begin again, which is quick; those who come next need the trees.
            stage.offer(dict if trees is None else trees.captured)
            self._check(self.reward)

        deletions = Deletions(self._problem, self._score, self.best, check)
        try:
            deletions.run()
        finally:
            self.keep(deletions.best)
        self._finish(stage)

    def _takes_over(self, stage: Stage) -> bool:
        """Whether a stage was gone through before; its graph is the best then, and what it planted is."""
        if stage.result is None:
            return False
        self._take(stage.result["best"])
        if self._trees is not None:
            for seed in seeds_from(stage.result):
                self._trees.plant(seed)
        return True

    def _begin(self, stage: Stage) -> None:
        """Begin a stage, or go on with it."""
        self._state = stage.state
        if stage.state is not None:
            self._take(stage.state["best"])

    def _finish(self, stage: Stage) -> None:
        if stage.is_kept:
            planted = [] if self._trees is None else self._trees.planted()
            stage.finish({"best": self.best, **arrays_of_seeds(planted, len(self.best))})

    def _take(self, adjacency: NDArray[np.int8]) -> None:
        """Have a graph for the best."""
        self.best = adjacency.astype(np.int8)
        self.reward = self._score.reward_of(self.best)

    def _climb(self, order: list[int], seed: int, n_kicks: int, stage: Stage, from_best: bool) -> bool:
        """Search from an order on, that of the best graph or another; returns whether that led to a better graph."""
        reach = _NEAR if self._score.is_fitted else self._problem.n_nodes
        trees = self._trees_for_best()
        n_before = trees.n_evaluations
        # With equal variances climbs know no rewards, but those of the tangent.
        on_better = None if self._score.family.equal_variances else self._on_better
        state, self._state = self._state, None
        if state is not None:
            trees.restore(state)
            n_before = int(state["n_evaluations_before"][0])

        def captured() -> Arrays:
            marks = {"from_best": np.array([from_best]), "n_evaluations_before": np.array([n_before])}
            return {"best": self.best, **marks, **trees.captured(), **climb.captured()}

        begun = partial(
            OrderClimb,
            trees,
            np.array(order),
            seed,
            n_kicks,
            reach,
            self._report,
            on_better,
            self.reward,
            lambda: stage.offer(captured),
        )
        climb = begun()
        reward_before = self.reward
        try:
            if state is not None:
                climb.restore(state)
            elif from_best and self._plant_best(trees, climb):
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
        self._reward = NO_REWARD
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

    def stage(self, name: str) -> Stage:
        """A part of the search."""
        return self._monitor.stage(name)

    def finished(self) -> list[int]:
        """Restarts that were gone through before."""
        names = self._monitor.finished_stages()
        return sorted(int(name.removeprefix(_RESTART)) for name in names if name.startswith(_RESTART))

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
        reward = self._reward if self._reward > NO_REWARD else float("nan")
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
            new_climber = partial(_climber, problem, score, watch, trees[thread], n_threads)
            restarts = _in_turn(thread, n_threads, settings.n_restarts, watch)
            _work(restarts, climbers, new_climber, starts, settings, watch)

        _run(work, n_threads)
    best = _best_of([climbers[restart] for restart in sorted(climbers)])
    with monitor.guard():
        if monitor.status == FINISHED:
            best.delete_edges(monitor.stage("deletions"))
    watch.tell_recorder()
    return Outcome(best.best, best.reward, 0, 0, watch.n_done, monitor.status)


def _trees(problem: Problem, score: ScoreLike, watch: _Watch, n_threads: int) -> list[ParentTrees | None]:
    """Those that the restarts of each thread share; with equal variances each climb has its own."""
    stage = watch.stage("pairs")
    if stage.result is None:  # what was found before is not lost, even if time is up
        watch.check(NO_REWARD)
    seeds = interacting_pairs(problem, score, lambda: watch.check(NO_REWARD), stage)
    if score.family.equal_variances:
        return [None] * n_threads
    return [ParentTrees(problem, score, seeds=seeds, most_bytes=MOST_BYTES // n_threads) for _ in range(n_threads)]


def _climber(
    problem: Problem, score: ScoreLike, watch: _Watch, trees: ParentTrees | None, n_threads: int, restart: int
) -> OrderClimber:
    return OrderClimber(problem, score, watch.check, trees, MOST_BYTES // n_threads, watch.listener(restart))


def _in_turn(thread: int, n_threads: int, n_restarts: int, watch: _Watch) -> Iterator[int]:
    """The restarts of a thread; those gone through before come first: they are not lost, even if time is up."""
    own = range(thread, n_restarts, n_threads)
    before = [restart for restart in watch.finished() if restart in own]
    yield from before
    known = set(before)
    yield from (restart for restart in own if restart not in known)


def _work(
    restarts: Iterable[int],
    climbers: dict[int, OrderClimber],
    new_climber: Callable[[int], OrderClimber],
    starts: _Starts,
    settings: OrderSettings,
    watch: _Watch,
) -> None:
    """The restarts of one thread; of their climbers only those are kept that may have the best graph of all."""
    kept: dict[int, float] = {}
    try:
        for restart in restarts:
            climber = climbers.setdefault(restart, new_climber(restart)) if restart else climbers[0]
            order, seed = starts.of(restart)
            climber.search_from(order, seed, settings.n_kicks, watch.stage(_stage_of(restart)))
            watch.n_done += 1
            # Among climbers that are as good the first one is taken: a later one must be better to matter.
            if any(earlier < restart and reward >= climber.reward for earlier, reward in kept.items()):
                del climbers[restart]
            else:
                kept[restart] = climber.reward
    except BaseException:
        watch.fail()
        raise


def _stage_of(restart: int) -> str:
    return f"{_RESTART}{restart}"


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
