"""Runs the compiled simulation loop below one root and gives it whatever it comes back for."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import membership_from_rows
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.callback import REWARDS, TERMS
from dagsearch.kernels.guided import simulate_guided
from dagsearch.kernels.local import OUTSIDE, Outside
from dagsearch.kernels.process import NO_STUB, add_edge
from dagsearch.kernels.simulate import simulate
from dagsearch.kernels.simulation import CONTROL, DONE, FAILED, MEMO_FULL, NO_BUDGET, TREE_FULL, Search
from dagsearch.kernels.tree import ROOT, TABULATED, Tree, reset
from dagsearch.search.checkpoint import NOT_KEPT, Arrays, Stage, arrays_of, with_arrays
from dagsearch.search.guidance import Guidance
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.process import (
    adjacency_from_parents,
    copy_partial,
    legal_edges,
    rules_of,
    start_partial,
)
from dagsearch.search.protocol import Problem, ScoreLike
from dagsearch.search.recorder import TreeRecord

# Simulations between two looks at the clock, adapted to take the time below. On wide tables one alone takes longer.
_FIRST_CHUNK = 10
_SECONDS_PER_CHUNK = 0.05
_FIRST_TREE = 1 << 12
_OF_TREE_NODES = ("first_child", "n_actions", "n_expanded", "action", "visits", "mean", "spread", "prior")
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def _new_tree(capacity: int) -> Tree:
    counts = np.arange(1, TABULATED, dtype=np.float64)
    return Tree(
        first_child=np.zeros(capacity, dtype=np.int32),
        n_actions=np.zeros(capacity, dtype=np.int32),
        n_expanded=np.zeros(capacity, dtype=np.int32),
        action=np.zeros(capacity, dtype=np.int32),
        visits=np.zeros(capacity, dtype=np.int32),
        mean=np.zeros(capacity),
        spread=np.zeros(capacity),
        prior=np.zeros(capacity),
        size=np.zeros(1, dtype=np.int64),
        log_width=np.concatenate([[0.0], np.sqrt(2.0 * np.log(counts))]),
        inverse_root=np.concatenate([[np.inf], 1.0 / np.sqrt(counts)]),
    )


def _larger_tree(tree: Tree) -> Tree:
    """The same tree with twice the room."""
    capacity = len(tree.visits)
    larger = _new_tree(2 * capacity)
    for old, new in zip(tree, larger, strict=True):
        new[: len(old)] = old
    return larger


class Simulator:
    """The state of one search: root graph, tree, best graph, and the loop over simulations.

    Parameters
    ----------
    problem
        The decision process.
    score
        Where rewards come from.
    seed
        Seed of the kernel's random generator.
    monitor
        Clock and listener.
    horizon
        A simulation adds at most so many edges to the root; None: up to the budget.
    guidance
        What guides rollouts; None: they are uniform.
    uses_prior
        Whether guidance is a prior of the tree policy, too.
    tree_beyond_horizon
        Whether the tree may grow beyond the horizon, which then ends rollouts only.
    keeps_any_size
        With an edge budget: whether the end of every simulation may be the best graph, rather than those of the
        budget's size.
    stage
        The part of a search that this is; it goes on where that was.

    Attributes
    ----------
    is_calibrated
        Whether the calibration is over, or there is none.
    """

    def __init__(
        self,
        problem: Problem,
        score: ScoreLike,
        seed: int,
        monitor: Monitor,
        horizon: int | None = None,
        guidance: Guidance | None = None,
        uses_prior: bool = False,
        tree_beyond_horizon: bool = False,
        keeps_any_size: bool = False,
        stage: Stage = NOT_KEPT,
    ) -> None:
        self.problem = problem
        self.score = score
        self.monitor = monitor
        self._guidance = guidance
        self._unknown_to_guidance = set(range(problem.n_nodes))  # effects with other causes than it has heard of
        self._uses_prior = uses_prior
        self._most_edges = problem.max_edges if problem.edge_budget is None else problem.edge_budget
        self._horizon = min(horizon or self._most_edges, self._most_edges)
        self._reach = self._most_edges if tree_beyond_horizon else self._horizon  # of the tree, in edges from the root
        self._keeps_any_size = keeps_any_size
        self.n_simulations = 0
        self.n_calibration_simulations = 0
        self.step = 0
        self.n_steps: int | None = None
        self.is_calibrated = False
        self._stage = stage
        self._goes_on = False  # with simulations that had begun
        self._n_planned = 0
        self._chunk = _FIRST_CHUNK
        self._words = words_for(problem.n_nodes)[1]
        self._search = self._allocate(seed)
        self._callback = _CALLBACK(self._answer)
        self._control["callback"] = ctypes.cast(self._callback, ctypes.c_void_p).value
        self._failure: BaseException | None = None
        self._set_root_terms()
        self._remember_start()
        self._anticipate(range(problem.n_nodes - 1, -1, -1))
        recorder = monitor.recorder
        self.record = None if recorder is None else TreeRecord(recorder, self)
        if stage.state is not None:
            self._restore(stage.state)
        elif guidance is not None and score.family.code == OUTSIDE:
            stage.depend_on_memory()

    def _allocate(self, seed: int) -> Search:
        d, room = self.problem.n_nodes, self._reach + 1
        n_words, _ = words_for(d)
        rules = rules_of(self.problem)
        root = start_partial(self.problem, rules)
        root.touched[:] = 0
        control = np.zeros(1, dtype=CONTROL)
        budget = self.problem.edge_budget
        control["edge_budget"] = NO_BUDGET if budget is None else budget
        control["keeps_any_size"] = self._keeps_any_size
        control["stub"] = NO_STUB
        control["n_root_edges"] = self.problem.n_start_edges
        control["decomposable"] = self.score.decomposable
        control["equal_variances"] = self.score.family.equal_variances
        return Search(
            control=control,
            root=root,
            graph=copy_partial(root),
            rules=rules,
            tree=_new_tree(_FIRST_TREE),
            memo=self.score.cache.memo,
            family=Outside(d) if self.score.family.code == OUTSIDE else self.score.family,
            random=np.array([seed], dtype=np.uint64),
            path=np.zeros(2 * room + 2, dtype=np.int64),
            causes=np.zeros(room, dtype=np.int64),
            effects=np.zeros(room, dtype=np.int64),
            rewards=np.zeros(room + 1),
            root_terms=np.zeros((d, 2)),
            replay_terms=np.zeros((d, 2)),
            replay=np.zeros(d * n_words, dtype=np.uint64),
            changed=np.zeros(n_words, dtype=np.uint64),
            best_parents=np.zeros(d * n_words, dtype=np.uint64),
            request_nodes=np.zeros(room, dtype=np.int64),
            request_parents=np.zeros(room * n_words, dtype=np.uint64),
            request_terms=np.zeros((room, 2)),
        )

    @property
    def _control(self) -> Any:
        """The control record, one scalar field at a time."""
        return self._search.control[0]

    @property
    def n_edges(self) -> int:
        """Number of edges at the root."""
        return int(self._control["n_root_edges"])

    @property
    def has_stub(self) -> bool:
        """Whether the root waits for the endpoint of an edge."""
        return bool(self._control["stub"] != NO_STUB)

    @property
    def stub(self) -> int | None:
        """Where the edge starts that the root waits for the endpoint of; None if it does not."""
        return int(self._control["stub"]) if self.has_stub else None

    @property
    def n_actions(self) -> int:
        """Number of legal actions at the root that was simulated from."""
        return int(self._search.tree.n_actions[ROOT])

    @property
    def n_all_simulations(self) -> int:
        """Simulations so far, those of the calibration included."""
        return self.n_simulations + self.n_calibration_simulations

    @property
    def uses_tree(self) -> bool:
        """Whether simulations go through a tree."""
        return bool(self._control["use_tree"])

    @property
    def n_best_edges(self) -> int:
        """Number of edges of the best graph so far."""
        return int(self._control["n_best_edges"])

    @property
    def best_reward(self) -> float:
        """Reward of the best graph so far."""
        return float(self._control["best_reward"])

    @property
    def at_best(self) -> bool:
        """Whether the root is the best graph so far."""
        return not self.has_stub and bool(np.array_equal(self._search.root.parents, self._search.best_parents))

    def actions_to_best(self) -> NDArray[np.intp]:
        """Actions that bring the root nearer to the best graph so far, whose edges include the root's."""
        d = self.problem.n_nodes
        ahead = self.best_adjacency() > adjacency_from_parents(self._search.root.parents, d)
        return np.flatnonzero(ahead[self._control["stub"]] if self.has_stub else ahead.any(axis=1))

    @property
    def root_mean(self) -> float:
        """Mean return of the last step."""
        return float(self._search.tree.mean[ROOT])

    @property
    def has_actions(self) -> bool:
        """Whether any edge can be added at the root within the budget."""
        budget = self.problem.edge_budget
        return bool(self._search.root.stubs.any()) and (budget is None or self.n_edges < budget)

    def best_adjacency(self) -> NDArray[np.int8]:
        """The best graph so far."""
        return adjacency_from_parents(self._search.best_parents, self.problem.n_nodes)

    def simulate(self, n_simulations: int, exploration: float | None) -> None:
        """Run simulations below the root, with a fresh tree, or without one if ``exploration`` is None.

        Those that an earlier run had begun are gone on with.
        """
        control = self._control
        self._n_planned = n_simulations
        if not self._goes_on:
            self._begin(exploration)
        self._goes_on = False
        while control["n_done"] < n_simulations:
            n_done = int(control["n_done"])
            n_next = min(self._chunk, n_simulations - n_done)
            n_until_look = n_next if self.record is None else min(n_next, self.record.n_until_look(self))
            control["n_target"] = n_done + n_until_look
            started = self.monitor.seconds
            self._run_to_target(n_done)
            if self.record is not None:
                self.record.look(self)
            if n_until_look == n_next:  # what was cut short for the record tells nothing about the time
                slower = (self.monitor.seconds - started) / _SECONDS_PER_CHUNK
                self._chunk = int(np.clip(self._chunk / max(slower, 0.1), 1, 100_000))

    def _begin(self, exploration: float | None) -> None:
        """Prepare simulations below the root."""
        control = self._control
        if self._guidance is not None:
            self._guide(self._guidance)
        control["n_tree_limit"] = min(self._most_edges, self.n_edges + self._reach)
        control["n_edges_limit"] = min(self._most_edges, self.n_edges + self._horizon)
        control["n_done"] = 0
        control["use_tree"] = exploration is not None
        control["exploration"] = 0.0 if exploration is None else exploration
        reset(self._search.tree)

    def _guide(self, guidance: Guidance) -> None:
        """Tell what guides rollouts where the root is."""
        search = self._search
        for effect in sorted(self._unknown_to_guidance):
            self.monitor.check(self._progress)
            guidance.learn(effect, search.root, search.root_terms)
        if self._unknown_to_guidance:
            guidance.move_to(search.root, search.root_terms)
            self._unknown_to_guidance.clear()

    def calibrate(self, n_simulations: int, exploration: float) -> None:
        """Simulate only to learn the mean return at the root; counted apart, even if it ends early."""
        if self.is_calibrated:
            return
        try:
            self.simulate(n_simulations, exploration)
        finally:
            self.n_calibration_simulations, self.n_simulations = self.n_simulations, 0
        self.is_calibrated = True

    def _run_to_target(self, n_before: int) -> None:
        """Call the kernel until its target is reached, giving it memory when it runs out."""
        with self.score.cache.lock:
            self._search = self._search._replace(memo=self.score.cache.memo)
            while True:
                status = self._simulate()
                n_done = int(self._control["n_done"])
                self.n_simulations += n_done - n_before
                n_before = n_done
                if status == FAILED:
                    self._raise_failure()
                self._stage.offer(self._captured)
                self.monitor.check(self._progress)
                if status == DONE:
                    return
                self._enlarge(status)

    def _captured(self) -> Arrays:
        """Where the search is, between two simulations."""
        search, tree = self._search, self._search.tree
        counts = [self.n_simulations, self.n_calibration_simulations, self.step, self.is_calibrated, len(tree.visits)]
        guide = {} if self._guidance is None else arrays_of("guide", self._guidance.guide)
        n_used = int(tree.size[0])
        return {
            "counts": np.array(counts, dtype=np.int64),
            "control": search.control,
            "random": search.random,
            "root_terms": search.root_terms,
            "best_parents": search.best_parents,
            **arrays_of("root", search.root),
            **{f"tree.{name}": getattr(tree, name)[:n_used] for name in _OF_TREE_NODES},
            **guide,
        }

    def _restore(self, state: Arrays) -> None:
        """Go on from where a search was that `_captured` told of."""
        *counts, is_calibrated, capacity = state["counts"].tolist()
        self.n_simulations, self.n_calibration_simulations, self.step = counts
        self.is_calibrated = bool(is_calibrated)
        tree = _new_tree(capacity)
        for name in _OF_TREE_NODES:
            saved = state[f"tree.{name}"]
            getattr(tree, name)[: len(saved)] = saved
            tree.size[0] = len(saved)
        root = with_arrays("root", self._search.root, state)
        graph = copy_partial(root)
        graph.touched[:] = 0
        names = ("control", "random", "root_terms", "best_parents")
        arrays = {name: state[name].copy() for name in names}
        arrays["control"]["callback"] = self._control["callback"]
        self._search = self._search._replace(tree=tree, root=root, graph=graph, **arrays)
        if self._guidance is not None:
            self._guidance.restore(with_arrays("guide", self._guidance.guide, state))
            self._unknown_to_guidance.clear()
        self._goes_on = True
        self._anticipate(range(self.problem.n_nodes - 1, -1, -1))

    def _simulate(self) -> int:
        """Run the kernel; returns its status."""
        if self._guidance is None:
            return int(simulate(self._search, self._words))
        guidance = self._guidance
        return int(simulate_guided(self._search, guidance.guide, guidance.growth, self._uses_prior, self._words))

    def _enlarge(self, status: int) -> None:
        """Give the kernel the memory it came back for."""
        if status == MEMO_FULL:
            self.score.cache.grow(self.score.family, self._most_entries())
            self._search = self._search._replace(memo=self.score.cache.memo)
        elif status == TREE_FULL:
            self._search = self._search._replace(tree=_larger_tree(self._search.tree))

    def _most_entries(self) -> int:
        """The most local scores that one simulation enters in the memo."""
        n_edges = int(self._control["n_tree_limit"])
        return (
            n_edges if self._guidance is None else n_edges * int(self._guidance.guide.guidance["entries_per_edge"][0])
        )

    def _answer(self, what: int, how_many: int) -> int:
        """Called by the kernel in the middle of a simulation, for what it cannot compute itself."""
        try:
            self.monitor.check(self._progress)
            if what == TERMS:
                self._fill_terms(how_many)
            elif what == REWARDS:
                self._fill_rewards(how_many)
        except BaseException as failure:
            # It cannot pass through compiled code; `_raise_failure` raises it again behind that.
            self._failure = failure
            return 1
        return 0

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _fill_terms(self, k: int) -> None:
        """The ``k`` local terms that the simulation met and nobody knows."""
        search = self._search
        rows = search.request_parents[: k * len(search.changed)]
        search.request_terms[:k] = self.score.compute(search.request_nodes[:k], rows)

    def _fill_rewards(self, n_added: int) -> None:
        """Rewards of the simulation's graph, and of all its prefixes if there is no budget."""
        search = self._search
        adjacency = adjacency_from_parents(search.root.parents, self.problem.n_nodes)
        with_prefixes = self.problem.edge_budget is None
        for k in range(n_added + 1):
            if k > 0:
                adjacency[search.causes[k - 1], search.effects[k - 1]] = 1
            if with_prefixes or k == n_added:
                search.rewards[k] = self.score.reward_of(adjacency)

    def _progress(self, seconds: float) -> Progress:
        steps = self.n_steps
        within = self._control["n_done"] / max(1, self._n_planned)
        return Progress(
            fraction=0.0 if steps is None else min(1.0, (self.step + within) / max(1, steps)),
            step=self.step,
            n_steps=steps,
            n_simulations=self.n_simulations,
            best_reward=self.best_reward,
            seconds=seconds,
        )

    def children(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        """Actions, visits and mean returns of the root's children that were expanded."""
        tree = self._search.tree
        first = int(tree.first_child[ROOT])
        block = slice(first, first + int(tree.n_expanded[ROOT]))
        return tree.action[block], tree.visits[block], tree.mean[block]

    def move(self, action: int) -> None:
        """Take an action at the root: choose the stub, or add the edge from it."""
        control = self._control
        if control["stub"] == NO_STUB:
            control["stub"] = action
            return
        root = self._search.root
        add_edge(root, int(control["stub"]), action, self._search.rules, self._words)
        self._anticipate([action])
        control["stub"] = NO_STUB
        control["n_root_edges"] += 1
        for own, of_root in zip(self._search.graph, root, strict=True):
            own[:] = of_root
        self._search.graph.touched[:] = 0
        self._set_root_terms()
        self._unknown_to_guidance.add(action)

    def _anticipate(self, nodes: Iterable[int]) -> None:
        """Tell the score that simulations will add causes to these nodes, the last one first."""
        d = self.problem.n_nodes
        parents = membership_from_rows(self._search.root.parents, d)
        legal = legal_edges(self._search.root, d)
        for node in nodes:
            own = tuple(np.flatnonzero(parents[node]).tolist())
            self.score.anticipate(node, own, np.flatnonzero(legal[:, node]).tolist())

    def _set_root_terms(self) -> None:
        """Local terms of the root, from which simulations count differences."""
        if not self.score.decomposable:
            return
        d = self.problem.n_nodes
        terms = self.score.terms(np.arange(d), self._search.root.parents)
        self._search.root_terms[:] = terms
        self._control["root_value"], self._control["root_penalty"] = terms.sum(axis=0)

    def _remember_start(self) -> None:
        """The start graph is the best until something better is met."""
        self._search.best_parents[:] = self._search.root.parents
        self._control["best_reward"] = self.score.reward_of(self.best_adjacency())
        self._control["n_best_edges"] = self.n_edges
