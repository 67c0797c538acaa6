"""The integer program by SciPy's HiGHS, which is solved again whenever its solution has a cycle."""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint

from dagsearch.search.exact.background import INFEASIBLE, OUT_OF_TIME, Program, solved, wait_for_the_end
from dagsearch.search.exact.program import Incumbent, Remainder, Watch, is_proven
from dagsearch.search.exact.separation import clusters_on_cycles

_SECONDS_TO_REPORT = 2.0  # before the time limit, so that the solver can still tell its bound


def solve_by_highs(remainder: Remainder, incumbent: Incumbent, watch: Watch) -> None:
    """Solve the integer program by SciPy's HiGHS again and again, with the clusters of cycles that its solution has."""
    relaxation, alive, clusters = remainder.relaxation, remainder.alive, remainder.clusters
    families = relaxation.families
    numbers = np.flatnonzero(alive)
    equal, equal_right = relaxation.equalities(alive)
    while True:
        watch(incumbent)
        at_most, right = relaxation.inequalities(alive, clusters)
        left = watch.seconds_left
        limit = left - min(0.1 * left, _SECONDS_TO_REPORT)
        program = Program(
            "milp",
            {
                "c": relaxation.losses[alive],
                "integrality": np.ones(len(numbers)),
                "bounds": Bounds(0.0, 1.0),
                "constraints": [
                    LinearConstraint(equal, equal_right, equal_right),
                    LinearConstraint(at_most, -np.inf, right),
                ],
            },
            {"mip_rel_gap": 0.0},
        )
        found = solved(program, limit, lambda: watch(incumbent))
        if found.status == INFEASIBLE:  # infeasible: nothing beats the incumbent
            incumbent.lower_bound_to(-np.inf)
            return
        if found.mip_dual_bound is not None:
            incumbent.lower_bound_to(relaxation.reward_of(found.mip_dual_bound))
        if found.x is not None:
            chosen = numbers[found.x > 0.5]
            cycles = clusters_on_cycles(families.adjacency(chosen))
            if len(cycles) == 0:
                incumbent.offer(float(families.scores[chosen].sum()), chosen)
                if found.status == 0:
                    incumbent.bound = incumbent.reward
                    return
            clusters.add(cycles)
        if is_proven(incumbent, relaxation):
            return
        if found.status == OUT_OF_TIME:
            wait_for_the_end(lambda: watch(incumbent))
