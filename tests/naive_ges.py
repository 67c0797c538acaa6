"""Greedy equivalence search with the operators of the package ``ges``, slow and obvious: an oracle for ours."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from equivalence import Local

import dagsearch as ds
from dagsearch.graph.equivalence import cpdag
from dagsearch.graph.extension import consistent_extension
from dagsearch.scores.custom import CustomLocalScore
from dagsearch.search.ges import PHASES, equivalence_search
from dagsearch.search.ges.restriction import Restriction

LEAST_GAIN = 1e-6


def score_of(local, n_nodes):
    """A score that compiled code knows nothing of."""
    return CustomLocalScore(SimpleNamespace(local=local), n_nodes)


def search_by(local, n_nodes, **settings):
    return equivalence_search(score_of(local, n_nodes), **settings)


def class_of_the_package(score, unit, phases=PHASES):
    """Where the package's own loop ends."""
    ges = pytest.importorskip("ges")
    return ges.fit(Local(score, unit), phases=list(phases))[0].astype(np.int8)


def restricted_class(score, unit, allowed, required, phases=PHASES):
    """Where the package's steps end, of which the best is taken that leads to a class with a member that obeys."""
    main = pytest.importorskip("ges.main")
    score_steps = {
        "forward": main.score_valid_insert_operators,
        "backward": main.score_valid_delete_operators,
        "turning": main.score_valid_turn_operators,
    }
    restriction, local = Restriction(allowed, required), Local(score, unit)
    place, entered = cpdag(required.astype(np.int8)), True
    for phase in phases:
        seen = set()
        while place.tobytes() not in seen:
            seen.add(place.tobytes())
            steps = [step for x, y in _pairs(phase, place) for step in score_steps[phase](x, y, place, local)]
            gaining = sorted((step[:2] for step in steps if step[0] > LEAST_GAIN), key=lambda each: -each[0])
            neighbours = (cpdag(consistent_extension(changed.astype(np.int8)).adjacency) for _, changed in gaining)
            entered = next((each for each in neighbours if restriction.oriented(each) is not None), None)
            if entered is None:
                break
            place = entered
    return restriction.oriented(place)


def _pairs(phase, place):
    """Pairs of nodes in the order in which the package goes through them."""
    there = place.astype(bool)
    if phase == "forward":
        return np.argwhere(~(there | there.T | np.eye(len(place), dtype=bool))).tolist()
    if phase == "turning":
        return [(x, y) for y, x in np.argwhere(there).tolist()]
    return np.argwhere(there & ~there.T).tolist() + np.argwhere(np.tril(there & there.T)).tolist()


def total(score, unit, adjacency):
    """Score of a DAG of a class."""
    return unit * score.reward(ds.PDAG(adjacency).to_dag())
