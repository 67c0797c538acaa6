"""Fit of an additive model with p-values of its smooth terms (Wood 2013) and their effective degrees of freedom."""

from __future__ import annotations

import math

from dagsearch.kernels.additive import load
from dagsearch.kernels.chisquared import ratio_tail
from dagsearch.kernels.compile import entry_point, single_use_kernel
from dagsearch.kernels.lapack import eigen_symmetric, multiply
from dagsearch.kernels.smoothing import choose_smoothing


@entry_point
def fit_additive(model, terms, target, with_p_values):
    """Fit ``target`` (n_rows,), with mean zero, on the model's members; the answer is left in the model."""
    load(model, terms, target)
    choose_smoothing(model, terms)
    if with_p_values:
        _test_terms(model, terms)


@single_use_kernel
def _test_terms(model, terms):
    """Effective degrees of freedom and p-value of each term."""
    # F = P X'X = (R P)' R takes the place of M, which is no longer needed.
    q = model.factor.shape[0]
    multiply(model.lapack, model.factor, False, model.covariance, False, q, model.root)
    multiply(model.lapack, model.root, True, model.factor, False, q, model.sandwich)
    summary = model.summary[0]
    left = summary.n_samples - summary.trace
    for j in range(model.members.size):
        edf, reference = _degrees_of_freedom(model, j)
        model.edf[j] = edf
        width = model.starts[j + 1] - model.starts[j]
        if left <= 0.0 or summary.rss <= 0.0:
            # Nothing is left to measure noise by: no test rejects, except that of a perfect fit.
            model.p_values[j] = 1.0 if left <= 0.0 else 0.0
            continue
        _whiten(model, terms, j, summary.rss / left)
        model.p_values[j] = _p_value(model, width, min(float(width), max(reference, 1.0)), left)


@single_use_kernel
def _degrees_of_freedom(model, j):
    """Traces of term j's blocks of F and of 2 F - F F, with F in ``sandwich``."""
    single, double = 0.0, 0.0
    for a in range(model.starts[j], model.starts[j + 1]):
        single += model.sandwich[a, a]
        double += 2.0 * model.sandwich[a, a]
        for b in range(model.factor.shape[0]):
            double -= model.sandwich[b, a] * model.sandwich[a, b]
    return single, double


@single_use_kernel
def _whiten(model, terms, j, variance):
    """Eigenvalues of R V R', ascending, in ``spectrum``; R beta along its eigenvectors in ``along``.

    R'R = X'X of the term's own columns, V the Bayesian covariance of its coefficients.
    """
    term, start = model.members[j], model.starts[j]
    width = model.starts[j + 1] - start
    for a in range(width):
        for b in range(a + 1):
            total = 0.0
            for i in range(a, width):
                for k in range(b, width):
                    total += (
                        terms.own_factors[term, a, i]
                        * model.covariance[start + k, start + i]
                        * terms.own_factors[term, b, k]
                    )
            model.block[a + b * width] = variance * total
            model.block[b + a * width] = variance * total
    eigen_symmetric(model.lapack, model.block, width, model.spectrum, model.scratch)
    for i in range(width):
        total = 0.0
        for a in range(width):
            fitted = 0.0
            for k in range(a, width):
                fitted += terms.own_factors[term, a, k] * model.coefficients[start + k]
            total += model.block[a + i * width] * fitted
        model.along[i] = total


@single_use_kernel
def _p_value(model, width, rank, left):
    """P-value given the reference rank, which need not be whole, and the residual degrees of freedom."""
    whole = math.floor(rank)
    part = rank - whole
    n_plain = whole if part == 0.0 else whole - 1
    plain = 0.0
    for i in range(n_plain):
        model.weights[i] = 1.0
        plain += model.along[width - 1 - i] ** 2 / model.spectrum[width - 1 - i]
    if part == 0.0:
        return ratio_tail(model.weights, whole, plain, left)
    # The last two directions share what the whole number leaves over; the sign of one is arbitrary, hence the mean.
    i = width - whole
    first = model.along[i] / math.sqrt(model.spectrum[i])
    second = model.along[i - 1] / math.sqrt(model.spectrum[i - 1])
    mixing = 2.0 * math.sqrt(0.5 * part * (1.0 - part)) * first * second
    shared = plain + first**2 + part * second**2
    larger = 0.5 * (part + 1.0 + math.sqrt(1.0 - part**2))
    model.weights[n_plain] = larger
    model.weights[n_plain + 1] = part + 1.0 - larger
    k = max(1.0, round(left))
    return 0.5 * (
        ratio_tail(model.weights, whole + 1, shared + mixing, k)
        + ratio_tail(model.weights, whole + 1, shared - mixing, k)
    )
