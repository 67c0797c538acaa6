"""Choice of the smoothing parameters by GCV, along the path that R's mgcv takes (Wood 2004).

GCV has several local minima, so start, steps and stopping rule are part of the method: Newton steps where the Hessian
is positive definite, steepest descent elsewhere, then a push of each parameter as far as GCV still falls.
"""

from __future__ import annotations

import math

from dagsearch.kernels.additive import complete, evaluate, is_well_conditioned, largest_square, set_ranks
from dagsearch.kernels.compile import long_kernel, single_use_kernel
from dagsearch.kernels.gcv import differentiate
from dagsearch.kernels.lapack import eigen_symmetric
from dagsearch.kernels.update import apply_change, gcv_after

_TOLERANCE = 1e-7
_MAX_ITERATIONS = 200
_MIN_ITERATIONS = 4
_MAX_TRIES = 15
_NEWTON_TRIES = 3  # after so many halvings of a Newton step, steepest descent is tried
_LONGEST_NEWTON_STEP = 5.0
_PUSH = 2.0
_MAX_PUSHES = 5
_START_SHARE = 0.4


@long_kernel
def _mean_share(model, terms):
    """Mean over penalised coordinates of x / (x + s), the size of the data against that of the penalty."""
    total, n = 0.0, 0
    for j in range(model.members.size):
        term = model.members[j]
        scale = math.exp(model.log_smoothing[j])
        for a in range(model.starts[j + 1] - model.starts[j]):
            s = scale * terms.start_penalties[term, a]
            if s > 0.0:
                total += terms.start_squares[term, a] / (terms.start_squares[term, a] + s)
                n += 1
    return total / n if n else _START_SHARE


@single_use_kernel
def _start(model, terms):
    """Smoothing parameters that make data and penalties comparable."""
    p = model.members.size
    for j in range(p):
        term = model.members[j]
        data, penalty = 0.0, 0.0
        for a in range(model.starts[j + 1] - model.starts[j]):
            if terms.start_penalties[term, a] > 0.0:
                data += terms.start_squares[term, a]
                penalty += terms.start_penalties[term, a]
        model.log_smoothing[j] = math.log(data / penalty) if penalty > 0.0 else 0.0
    while _mean_share(model, terms) > _START_SHARE:
        for j in range(p):
            model.log_smoothing[j] += math.log(10.0)
    while _mean_share(model, terms) < _START_SHARE:
        for j in range(p):
            model.log_smoothing[j] -= math.log(10.0)


@single_use_kernel
def _set_steps(model):
    """Steepest descent with largest component 1, and the Newton step where there is one; returns its largest part."""
    p = model.members.size
    largest = 0.0
    for j in range(p):
        largest = max(largest, abs(model.gradient[j]))
    if largest == 0.0:
        return False
    for j in range(p):
        model.descent[j] = -model.gradient[j] / largest
        model.step[j] = model.descent[j]
    eigen_symmetric(model.lapack, model.hessian, p, model.spectrum, model.scratch)
    if model.spectrum[0] > 0.0:
        _set_newton_step(model)
    return True


@single_use_kernel
def _set_newton_step(model):
    """-H^-1 g, not longer than 5 in any component, from the eigenvectors in ``hessian``."""
    p = model.members.size
    for j in range(p):
        model.step[j] = 0.0
    for i in range(p):
        along = 0.0
        for j in range(p):
            along -= model.hessian[i, j] * model.gradient[j]
        for j in range(p):
            model.step[j] += along / model.spectrum[i] * model.hessian[i, j]
    largest = 0.0
    for j in range(p):
        largest = max(largest, abs(model.step[j]))
    if largest > _LONGEST_NEWTON_STEP:
        for j in range(p):
            model.step[j] *= _LONGEST_NEWTON_STEP / largest


@long_kernel
def _evaluate_anew(model, terms):
    set_ranks(model, terms)
    return evaluate(model, terms)


@single_use_kernel
def _advance(model, terms):
    """Take a step that lowers GCV, halved until one does; False if none was found, with nothing changed but caches."""
    p = model.members.size
    current = model.summary[0].gcv
    for j in range(p):
        model.before[j] = model.log_smoothing[j]
    for attempt in range(_MAX_TRIES):
        if attempt == _NEWTON_TRIES:
            for j in range(p):
                model.step[j] = model.descent[j]
        for j in range(p):
            model.log_smoothing[j] = model.before[j] + model.step[j]
        if _evaluate_anew(model, terms) < current:
            return True
        for j in range(p):
            model.step[j] *= 0.5
    for j in range(p):
        model.log_smoothing[j] = model.before[j]
    return False


@single_use_kernel
def _descend(model, terms):
    """Newton's method from the start to convergence; leaves the model complete, with its gradient."""
    p = model.members.size
    gcv = _evaluate_anew(model, terms)
    complete(model)
    differentiate(model)
    for iteration in range(1, _MAX_ITERATIONS + 1):
        steepness = 0.0
        for j in range(p):
            steepness += model.gradient[j] ** 2
        if not _set_steps(model):
            return
        moved = _advance(model, terms)
        if not moved:
            _evaluate_anew(model, terms)
        complete(model)
        differentiate(model)
        fall = gcv - model.summary[0].gcv
        gcv = model.summary[0].gcv
        small = fall <= _TOLERANCE * (1.0 + gcv)
        flat = math.sqrt(steepness) <= _TOLERANCE ** (1.0 / 3.0) * (1.0 + gcv)
        if not moved or (iteration >= _MIN_ITERATIONS and small and flat):
            return


@single_use_kernel
def _can_be_updated(model, terms, j, change):
    """Whether `gcv_after` would hold: no part of a penalty is lost or found, no singular value comes to count as 0.

    The smoothing parameters are those after the change; the model is complete at those before it.
    """
    summary = model.summary[0]
    if set_ranks(model, terms) or summary.deficient or model.ranks[j] != terms.ranks[model.members[j]]:
        return False
    inverse_square = summary.inverse_square * math.exp(max(-change, 0.0))
    return is_well_conditioned(largest_square(model, terms), inverse_square)


@single_use_kernel
def _push(model, terms, j):
    """Move one smoothing parameter downhill in steps of 2 while GCV falls; the model is complete before and after."""
    direction = _PUSH if model.gradient[j] < 0.0 else -_PUSH
    anchor = model.log_smoothing[j]  # where the model is complete
    reached, best = anchor, model.summary[0].gcv
    for _ in range(_MAX_PUSHES):
        model.log_smoothing[j] = reached + direction
        change = reached + direction - anchor
        if _can_be_updated(model, terms, j, change):
            model.log_smoothing[j] = anchor
            gcv = gcv_after(model, j, change)
        else:
            gcv = evaluate(model, terms)
            if gcv < best:
                complete(model)
                anchor = reached + direction
            else:
                anchor = math.nan
        if not gcv < best:
            break
        reached, best = reached + direction, gcv
    if math.isnan(anchor):
        model.log_smoothing[j] = reached
        _evaluate_anew(model, terms)
        complete(model)
    elif anchor != reached:
        model.log_smoothing[j] = anchor
        apply_change(model, j, reached - anchor)


@single_use_kernel
def choose_smoothing(model, terms):
    """Find smoothing parameters for a loaded model; leaves it complete."""
    _start(model, terms)
    _descend(model, terms)
    for j in range(model.members.size):
        if terms.ranks[model.members[j]] > 0:
            _push(model, terms, j)
