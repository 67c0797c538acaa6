"""The integer program by SCIP (extra ``exact``): clusters are cut off inside its branch and bound."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import MissingExtraError
from dagsearch.search.exact.program import Clusters, Incumbent, Relaxation, Remainder, Watch, is_proven
from dagsearch.search.exact.separation import clusters_on_cycles, violated_clusters

_FEASIBLE_SHARE = 1e-9  # a solution as good as the incumbent is not cut off by rounding


def has_scip() -> bool:
    """Whether SCIP is installed."""
    return find_spec("pyscipopt") is not None


def require_scip() -> Any:
    """The module pyscipopt.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        import pyscipopt  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("solver='scip'", "exact") from error
    return pyscipopt


def solve_by_scip(remainder: Remainder, incumbent: Incumbent, watch: Watch) -> None:
    """Solve the integer program by one branch and bound in which cyclic solutions are cut off as they are met."""
    scip = require_scip()
    relaxation, alive, clusters = remainder.relaxation, remainder.alive, remainder.clusters
    model = scip.Model()
    model.hideOutput()
    # The solver sees only some of the inequalities: it must not conclude anything from those it does not see.
    for reduction in ("misc/allowstrongdualreds", "misc/allowweakdualreds"):
        model.setBoolParam(reduction, False)
    model.setBoolParam("misc/catchctrlc", False)
    if np.isfinite(watch.seconds_left):
        model.setRealParam("limits/time", max(watch.seconds_left, 0.0))
    numbers = np.flatnonzero(alive)
    variables = [model.addVar(vtype="B", obj=float(relaxation.losses[f])) for f in numbers]
    for matrix, right, is_equal in (
        (*relaxation.equalities(alive), True),
        (*relaxation.inequalities(alive, clusters), False),
    ):
        for k in range(matrix.shape[0]):
            row = slice(matrix.indptr[k], matrix.indptr[k + 1])
            terms = zip(matrix.indices[row], matrix.data[row], strict=True)
            left = scip.quicksum(float(value) * variables[j] for j, value in terms)
            model.addCons(left == float(right[k]) if is_equal else left <= float(right[k]))
    known = (relaxation.best_sum - incumbent.reward) * relaxation.scale
    if np.isfinite(known):
        model.setObjlimit(known * (1.0 + _FEASIBLE_SHARE))
    handler = _acyclicity(scip, relaxation, numbers, variables, clusters, lambda: watch(incumbent))
    model.includeConshdlr(
        handler, "acyclicity", "no directed cycles", sepapriority=1, enfopriority=-1, chckpriority=-1,
        sepafreq=1, needscons=False,
    )  # fmt: skip
    model.optimize()
    _read_off(model, relaxation, numbers, variables, incumbent)
    if handler.raised is not None:
        raise handler.raised
    watch(incumbent)


def _read_off(
    model: Any, relaxation: Relaxation, numbers: NDArray[np.int64], variables: list[Any], incumbent: Incumbent
) -> None:
    """Take over the best solution and the bound."""
    families = relaxation.families
    if model.getNSols():
        best = model.getBestSol()
        chosen = numbers[[model.getSolVal(best, variable) > 0.5 for variable in variables]]
        incumbent.offer(float(families.scores[chosen].sum()), chosen)
    if model.getStatus() in ("optimal", "infeasible"):  # infeasible: nothing beats the known DAG
        incumbent.bound = incumbent.reward
    else:
        incumbent.lower_bound_to(relaxation.reward_of(model.getDualbound()))
        is_proven(incumbent, relaxation)


def _acyclicity(
    scip: Any,
    relaxation: Relaxation,
    numbers: NDArray[np.int64],
    variables: list[Any],
    clusters: Clusters,
    look: Callable[[], None],
) -> Any:
    """A constraint handler that refuses cyclic solutions and separates clusters."""
    families = relaxation.families.only(np.isin(np.arange(len(relaxation.families)), numbers))
    verdict = scip.SCIP_RESULT

    class Acyclicity(scip.Conshdlr):  # type: ignore[misc]
        """SCIP asks it about solutions; it then also looks whether to go on."""

        raised: BaseException | None = None

        def look_around(self) -> None:
            # An exception must not pass through SCIP: it is kept until SCIP has stopped.
            try:
                look()
            except BaseException as reason:
                self.raised = reason
                self.model.interruptSolve()

        def weights(self, solution: Any) -> NDArray[np.float64]:
            return np.array([self.model.getSolVal(solution, variable) for variable in variables])

        def cycles(self, solution: Any) -> NDArray[np.bool_]:
            chosen = np.flatnonzero(self.weights(solution) > 0.5)
            return clusters_on_cycles(families.adjacency(chosen))

        def cut_off(self, found: NDArray[np.bool_]) -> None:
            clusters.add(found)
            for cluster in found:
                free = cluster[families.nodes] & ~families.parents[:, cluster].any(axis=1)
                self.model.addCons(scip.quicksum(variables[j] for j in np.flatnonzero(free)) >= 1.0)

        def conscheck(self, constraints: Any, solution: Any, *_: Any, **__: Any) -> dict[str, Any]:  # noqa: ARG002
            return {"result": verdict.INFEASIBLE if len(self.cycles(solution)) else verdict.FEASIBLE}

        def consenfolp(self, *_: Any, **__: Any) -> dict[str, Any]:
            found = self.cycles(None)
            self.cut_off(found)
            return {"result": verdict.CONSADDED if len(found) else verdict.FEASIBLE}

        def consenfops(self, *_: Any, **__: Any) -> dict[str, Any]:
            return {"result": verdict.INFEASIBLE if len(self.cycles(None)) else verdict.FEASIBLE}

        def conssepalp(self, *_: Any, **__: Any) -> dict[str, Any]:
            self.look_around()
            found = violated_clusters(families, self.weights(None))
            self.cut_off(found)
            return {"result": verdict.CONSADDED if len(found) else verdict.DIDNOTFIND}

        def conslock(self, *_: Any, **__: Any) -> None:
            """Dual reductions, the only use of locks, are switched off."""

    return Acyclicity()
