"""The smooth terms of all columns of a table, ready to be fitted in any combination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import DagsearchError
from dagsearch.gam.basis import Floats, SmoothTerm, smooth_term
from dagsearch.kernels.additive import SUMMARY, Model, Terms
from dagsearch.kernels.lapack import SCRATCH_PER_COLUMN, connect
from dagsearch.kernels.significance import fit_additive


@dataclass(frozen=True)
class AdditiveFit:
    """An additive model of one target.

    Attributes
    ----------
    p_values
        (n_terms,) of the hypothesis that a term is zero.
    edf
        (n_terms,) effective degrees of freedom.
    smoothing
        (n_terms,) smoothing parameters.
    rss, gcv, scale
        Residual sum of squares, generalised cross-validation, residual variance.
    total_edf
        Effective degrees of freedom of the whole model, the intercept included.
    """

    p_values: Floats
    edf: Floats
    smoothing: Floats
    rss: float
    gcv: float
    scale: float
    total_edf: float


class TermTable:
    """Smooth terms of all columns with the same number of basis functions.

    Parameters
    ----------
    columns
        (n_samples, n_columns) values to make terms of.
    targets
        (n_samples, n_targets) values to explain; they are centred.
    basis
        Basis functions per column.
    reduce
        Do once what every fit would do again: worthwhile for many fits.
    """

    def __init__(self, columns: Floats, targets: Floats, basis: int, reduce: bool = True) -> None:
        made = [smooth_term(np.ascontiguousarray(column), basis) for column in columns.T]
        self.n_samples = len(columns)
        self.constant = np.array([term is None for term in made])
        self._terms, self._targets = _assembled(made, targets - targets.mean(axis=0), reduce)

    def fit(self, members: Sequence[int], target: int, p_values: bool = True) -> AdditiveFit:
        """Fit a target on some columns, in this order; the p-value of a constant one is 1."""
        given = np.array(members, dtype=np.int64)
        varying = ~self.constant[given]
        model = _workspace(self._terms, given[varying], self.n_samples)
        summary = model.summary[0]
        if varying.any():
            fit_additive(model, self._terms, self._targets[target], p_values)
            if model.lapack.failures[0]:
                raise DagsearchError("an additive model could not be fitted: a matrix iteration did not converge")
        else:  # LAPACK refuses empty matrices
            summary["rss"], summary["trace"] = np.sum(self._targets[target] ** 2), 1.0
            summary["gcv"] = self.n_samples * summary["rss"] / (self.n_samples - 1.0) ** 2
        left = self.n_samples - summary["trace"]

        def spread(values: Floats, otherwise: float) -> Floats:
            full = np.full(len(given), otherwise)
            full[varying] = values
            return full

        return AdditiveFit(
            p_values=spread(model.p_values, 1.0),
            edf=spread(model.edf, 0.0),
            smoothing=spread(np.exp(model.log_smoothing), np.inf),
            rss=float(summary["rss"]),
            gcv=float(summary["gcv"]),
            scale=float(summary["rss"] / left) if left > 0.0 else np.nan,
            total_edf=float(summary["trace"]),
        )


def _assembled(made: list[SmoothTerm | None], targets: Floats, reduce: bool) -> tuple[Terms, Floats]:
    """The terms as arrays, and the targets as rows.

    Only inner products matter to a fit, and an orthogonal factor takes none away: if there are more observations than
    columns, the triangle of their QR factorisation can stand in for them.
    """
    n_terms = len(made)
    width = max((term.width for term in made if term is not None), default=1)
    terms = Terms(
        columns=np.zeros((0, 0)),
        offsets=np.zeros(n_terms + 1, dtype=np.int64),
        ranks=np.zeros(n_terms, dtype=np.int64),
        penalties=np.zeros((n_terms, width)),
        pivots=np.zeros((n_terms, width)),
        roots=np.zeros((n_terms, width + 1, width, width)),
        start_squares=np.zeros((n_terms, width)),
        start_penalties=np.zeros((n_terms, width)),
        own_factors=np.zeros((n_terms, width, width)),
    )
    for i, term in enumerate(made):
        w = 0 if term is None else term.width
        terms.offsets[i + 1] = terms.offsets[i] + w
        if term is None:
            continue
        terms.ranks[i] = np.count_nonzero(term.pivots)
        terms.penalties[i, :w] = term.penalty
        terms.pivots[i, :w] = term.pivots
        terms.roots[i, : w + 1, :w, :w] = term.roots
        terms.start_squares[i, :w] = term.start_squares
        terms.start_penalties[i, :w] = term.start_penalties
        terms.own_factors[i, :w, :w] = np.linalg.qr(term.columns, mode="r")
    together: Floats = np.hstack([*(term.columns for term in made if term is not None), targets])
    if reduce and len(together) > together.shape[1]:
        together = np.asarray(np.linalg.qr(together, mode="r"))
    n_coefficients = int(terms.offsets[-1])
    columns = np.ascontiguousarray(together[:, :n_coefficients].T)
    return terms._replace(columns=columns), np.ascontiguousarray(together[:, n_coefficients:].T)


def _workspace(terms: Terms, members: NDArray[np.int64], n_samples: int) -> Model:
    """Memory for one fit."""
    p, width = len(members), terms.penalties.shape[1]
    starts = np.zeros(p + 1, dtype=np.int64)
    np.cumsum(np.diff(terms.offsets)[members], out=starts[1:])
    q = int(starts[-1])

    summary = np.zeros(1, dtype=SUMMARY)
    summary["n_samples"] = n_samples
    return Model(
        members=members,
        starts=starts,
        stacked=np.empty((q + 1, max(terms.columns.shape[1], q + 1))),
        factor=np.empty((q, q)),
        target=np.empty(q),
        penalty=np.empty(q),
        log_smoothing=np.empty(p),
        ranks=np.zeros(p, dtype=np.int64),
        triangle=np.empty((q, q)),
        root=np.empty((q, q)),
        inverse=np.empty((q, q)),
        projected=np.empty((q, q)),
        covariance=np.empty((q, q)),
        sandwich=np.empty((q, q)),
        singular_values=np.empty(q),
        coefficients=np.empty(q),
        residual=np.empty(q),
        pull=np.empty(q),
        shift=np.empty((p, q)),
        shifted_fit=np.empty((p, q)),
        trace_gradient=np.empty(p),
        rss_gradient=np.empty(p),
        gradient=np.empty(p),
        hessian=np.empty((p, p)),
        step=np.empty(p),
        descent=np.empty(p),
        before=np.empty(p),
        spectrum=np.empty(max(p, width)),
        block=np.empty(width * width),
        along=np.empty(width),
        system=np.empty((width, 2 * width)),
        spread=np.empty((width, q)),
        old_rows=np.empty((width, q)),
        half_rows=np.empty((width, q)),
        weights=np.empty(width + 1),
        reflectors=np.empty(16 * (q + 1)),
        scratch=np.empty(SCRATCH_PER_COLUMN * (q + 1)),
        summary=summary,
        edf=np.full(p, np.nan),
        p_values=np.full(p, np.nan),
        lapack=connect(),
    )
