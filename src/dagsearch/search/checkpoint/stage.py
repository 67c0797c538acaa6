"""A checkpoint as searches see it: the stages that they go through, each of which may have been gone through before."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from dagsearch._writing import require_writable_file
from dagsearch.errors import InputError, in_brief
from dagsearch.search.checkpoint.file import (
    ARGUMENT,
    Arrays,
    Saved,
    read_checkpoint,
    remove_dead_drafts,
    write_checkpoint,
)

logger = logging.getLogger("dagsearch.checkpoint")

SECONDS_BETWEEN_SAVES = 60.0
_LEAST_SHARE_OF_SEARCH = 20  # that many times as long as a save takes, the search goes on before the next

_MEMORY, _RESULT, _STATE = "memory", "result", "state"
_NOT_SHOWN = ("table", "restrictions", "rewards")  # what an identity has only a checksum of


class Remembering(Protocol):
    """A score: what it has learnt can be put into arrays, and learnt from these."""

    def memory(self) -> Arrays:
        """What was learnt so far; later learning does not change it."""

    def recall(self, memory: Arrays) -> None:
        """Learn what another score of the kind had learnt on the same table."""


class Clock(Protocol):
    """A monitor: seconds since the search began, and whether it is about to be ended early."""

    @property
    def seconds(self) -> float:
        """Seconds so far."""

    @property
    def is_ending(self) -> bool:
        """Whether the next look at the clock ends the search."""

    def count_earlier(self, seconds: float) -> None:
        """Count seconds of an earlier run."""


class Checkpoint:
    """A file from which a search goes on after whatever ended it.

    The file belongs to one search: table, settings, seed and version are in it, and a search that differs is refused.
    It is written every minute, or less often if writing takes long, and whenever the search is about to be ended.

    Parameters
    ----------
    path
        The file, which need not exist.

    Attributes
    ----------
    seed
        The seed of the search; that of the file, if there is one, until another one is set.
    depends_on_memory
        Whether the search goes by what the score has learnt, so that it must not know more than it did.

    Raises
    ------
    InputError
        If the file is no checkpoint or is damaged, or cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        require_writable_file(self.path, ARGUMENT)
        self._before = read_checkpoint(self.path) if self.path.exists() else None
        self.seed: int | None = None if self._before is None else int(self._before.facts["identity"]["seed"])
        self.depends_on_memory = False
        self._lock = threading.RLock()
        self._identity: dict[str, Any] = {}
        self._is_finished = self._is_saved_at_end = False
        self._results: dict[str, Arrays] = {}
        self._states: dict[str, Arrays] = {}
        self._due: dict[str, float] = {}
        self._pause = SECONDS_BETWEEN_SAVES
        self._trouble = ""

    @property
    def goes_on(self) -> bool:
        """Whether there is a search to go on with."""
        return self._before is not None

    def seed_for(self, random_state: Any) -> Any:
        """What was given for a seed, or, where nothing was, the seed of the search that goes on."""
        return self.seed if random_state is None else random_state

    def open(self, identity: dict[str, Any], score: Remembering, clock: Clock) -> None:
        """Begin the search, or go on with it.

        Parameters
        ----------
        identity
            What JSON has, by the names that messages use: a file in which anything differs is of another search.
        score
            What the search goes by; it learns what it had learnt.
        clock
            Time that was used before counts.

        Raises
        ------
        InputError
            If the file is of another search, or cannot be written.
        """
        self._identity = json.loads(json.dumps({**identity, "seed": self.seed}))
        self._score, self._clock = score, clock
        self._opened = time.monotonic()
        if self._before is None:
            self._write()
            return
        self._require_same(self._before.facts["identity"])
        score.recall(_below(_MEMORY, self._before.arrays))
        self._results = _by_stage(_RESULT, self._before.arrays)
        self._states = _by_stage(_STATE, self._before.arrays)
        clock.count_earlier(float(self._before.facts["seconds"]))
        logger.info("%s", self._how_it_began)

    def _require_same(self, identity: dict[str, Any]) -> None:
        for name in dict.fromkeys((*self._identity, *identity)):
            was, now = identity.get(name), self._identity.get(name)
            if was == now:
                continue
            told = f"other {name}" if name in _NOT_SHOWN else f"{name} was {was!r} and is {now!r}"
            raise InputError(
                f"{ARGUMENT} is of another search, got {in_brief(self.path)}: {told}; name another file, or delete it "
                "to begin anew"
            )

    @property
    def notes(self) -> tuple[str, ...]:
        """How the search went on, that it has not come to its end, and that the file could not be written, if so."""
        said = [] if self._before is None else [self._how_it_began]
        if self._trouble:
            said.append(f"checkpoint: not written: {self._trouble}")
        elif not self._is_finished:
            said.append(f"checkpoint: the search is not finished; with {in_brief(self.path)} it goes on")
        return tuple(said)

    @property
    def _how_it_began(self) -> str:
        assert self._before is not None
        if self._before.facts["is_finished"]:
            return f"checkpoint: {in_brief(self.path)} holds the finished search"
        used = timedelta(seconds=round(self._before.facts["seconds"]))
        return f"checkpoint: the search goes on from {in_brief(self.path)}, after {used}"

    def result(self, stage: str) -> Arrays | None:
        """What a stage that was gone through left; None for others."""
        return self._results.get(stage)

    @property
    def finished_stages(self) -> tuple[str, ...]:
        """Names of the stages that were gone through."""
        return tuple(self._results)

    def state(self, stage: str) -> Arrays | None:
        """Where a stage was that had begun; None for others."""
        return self._states.get(stage)

    def offer(self, stage: str, capture: Callable[[], Arrays]) -> None:
        """Save where a stage is, if that is due."""
        is_due = time.monotonic() >= self._due.get(stage, self._opened + self._pause)
        is_ending = self._clock.is_ending
        if not is_due and not is_ending:
            return
        with self._lock:
            self._is_saved_at_end = is_ending
            self._states[stage] = {name: array.copy() for name, array in capture().items()}
            self._try_to_write()
            self._due[stage] = time.monotonic() + self._pause

    def finish(self, stage: str, result: Arrays) -> None:
        """Note what a stage left that was gone through."""
        with self._lock:
            self._results[stage] = result
            self._states.pop(stage, None)

    def close(self, is_finished: bool) -> None:
        """End the search; one that was ended early goes on from where it was last saved, with all that was learnt."""
        self._is_finished = is_finished
        if is_finished or not (self._is_saved_at_end or self.depends_on_memory):
            self._try_to_write()
        remove_dead_drafts(self.path)

    def _try_to_write(self) -> None:
        """Write the file; a disk that is full must not cost the search."""
        started = time.monotonic()
        try:
            self._write()
            self._trouble = ""
        except InputError as error:
            self._trouble = str(error)
            logger.warning("the search goes on, but its checkpoint is not written: %s", error)
        self._pause = max(SECONDS_BETWEEN_SAVES, _LEAST_SHARE_OF_SEARCH * (time.monotonic() - started))

    def _write(self) -> None:
        arrays = {f"{_MEMORY}/{name}": array for name, array in self._score.memory().items()}
        for kind, stages in ((_RESULT, self._results), (_STATE, self._states)):
            for stage, of_stage in stages.items():
                arrays |= {f"{kind}/{stage}/{name}": array for name, array in of_stage.items()}
        facts = {"identity": self._identity, "seconds": self._clock.seconds, "is_finished": self._is_finished}
        write_checkpoint(self.path, Saved(facts, arrays))


class Stage:
    """A part of a search, from beginning to end; without a checkpoint nothing is known of it and nothing is saved.

    Parameters
    ----------
    checkpoint
        Where it is saved, if anywhere.
    name
        What it is called among the stages of the search.

    Attributes
    ----------
    result
        What it left if it was gone through before.
    state
        Where it was if it had begun before.
    """

    def __init__(self, checkpoint: Checkpoint | None, name: str) -> None:
        self._checkpoint = checkpoint
        self._name = name
        self.result = None if checkpoint is None else checkpoint.result(name)
        self.state = None if checkpoint is None else checkpoint.state(name)

    @property
    def is_kept(self) -> bool:
        """Whether anything is saved."""
        return self._checkpoint is not None

    def offer(self, capture: Callable[[], Arrays] = dict) -> None:
        """Save where it is, if that is due: ``capture`` tells from what ``state`` it can go on to the same end."""
        if self._checkpoint is not None:
            self._checkpoint.offer(self._name, capture)

    def depend_on_memory(self) -> None:
        """Note that the search goes by what the score has learnt, and not only by what it says."""
        if self._checkpoint is not None:
            self._checkpoint.depends_on_memory = True

    def finish(self, result: Arrays) -> None:
        """Note what it left."""
        if self._checkpoint is not None:
            self._checkpoint.finish(self._name, result)


NOT_KEPT = Stage(None, "")
"""A stage of a search without a checkpoint."""


def _below(kind: str, arrays: Arrays) -> Arrays:
    return {name.removeprefix(f"{kind}/"): array for name, array in arrays.items() if name.startswith(f"{kind}/")}


def _by_stage(kind: str, arrays: Arrays) -> dict[str, Arrays]:
    found: dict[str, Arrays] = {}
    for name, array in _below(kind, arrays).items():
        stage, _, own = name.rpartition("/")
        found.setdefault(stage, {})[own] = array
    return found
