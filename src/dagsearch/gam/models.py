"""Additive models over the columns of a table: how many basis functions, and what cannot be fitted."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from dagsearch.blas import one_blas_thread
from dagsearch.errors import InputError
from dagsearch.gam.basis import LINEAR, Floats, moderate
from dagsearch.gam.table import AdditiveFit, TermTable

BASIS = 10
_FEW_ROWS = 30  # per parent, below which the basis shrinks
_SMALLEST_SMOOTH = 3
_SCALES_OF_R = (1e-2, 1e2)  # standard deviations of a target for which R's absolute tolerances make sense


def basis_size(n_samples: int, n_parents: int, basis: int = BASIS) -> int:
    """Basis functions per parent: fewer where there are fewer than 30 rows per parent, as CAM has it.

    R stops with an error where there would be more coefficients than rows; here the basis shrinks further then, down to
    a straight line.
    """
    if n_samples < _FEW_ROWS * n_parents:
        basis = min(basis, math.ceil(n_samples / (3 * n_parents)))
    most = 1 + (n_samples - 1) // n_parents  # with the intercept, as many coefficients as rows
    return max(min(max(basis, _SMALLEST_SMOOTH), most), LINEAR)


def max_parents_for(n_samples: int) -> int:
    """The most parents whose influence so many rows can tell from noise: straight lines, one degree of freedom left."""
    return n_samples - 2


def _check_rows(n_samples: int, n_parents: int) -> None:
    if n_parents > max_parents_for(n_samples):
        raise InputError(
            f"an additive model of {n_parents} parents needs at least {n_parents + 2} rows, got {n_samples}"
        )


class AdditiveModels:
    """Additive models of some columns on others.

    Parameters
    ----------
    columns
        (n_samples, n_columns) possible parents.
    targets
        (n_samples, n_targets).
    basis
        Most basis functions per parent.
    many
        Whether many models will be fitted, so that work done once for all of them pays.
    """

    def __init__(self, columns: Floats, targets: Floats, basis: int = BASIS, many: bool = True) -> None:
        self.n_samples = len(columns)
        self._columns, self._targets = columns, targets
        self._basis, self._many = basis, many
        self._tables: dict[int, TermTable] = {}
        self._lock = threading.Lock()

    def fit(self, target: int, parents: Sequence[int], p_values: bool = True) -> AdditiveFit:
        """Fit a target on at least one parent, in this order; a constant parent explains nothing.

        Raises
        ------
        InputError
            If there are too few rows for so many parents.
        """
        _check_rows(self.n_samples, len(parents))
        with one_blas_thread():
            return self._table(basis_size(self.n_samples, len(parents), self._basis)).fit(parents, target, p_values)

    def _table(self, basis: int) -> TermTable:
        with self._lock:
            if basis not in self._tables:
                self._tables[basis] = TermTable(self._columns, self._targets, basis, reduce=self._many)
            return self._tables[basis]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_tables": {}, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())


def gam_pvalues(y: Any, X: Any, basis: int = BASIS) -> Floats:
    """P-values of the smooth terms of the additive model y = f_1(x_1) + f_2(x_2) + ... + noise.

    The model is that of R's ``mgcv::gam(y ~ s(x1, k = basis) + ...)`` with its defaults: thin-plate regression splines,
    smoothing parameters by generalised cross-validation, and Wood's (2013) test of each term being zero. P-values are
    exact where R's are off by up to 2e-5 or are rounded to zero.

    Parameters
    ----------
    y
        (n_samples,) target.
    X
        (n_samples, n_columns) parents; a single column may be one-dimensional.
    basis
        Most basis functions per column, at least 3. Fewer are used where a column has fewer different values or there
        are fewer than 30 rows per column.

    Returns
    -------
    ndarray of float64, (n_columns,)
        1 for a constant column, and for all columns if y is constant.

    Raises
    ------
    InputError
        If the shapes do not fit, values are missing or infinite, or there are fewer rows than columns plus 2.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=300)
    >>> (gam_pvalues(y, X) < 0.001).tolist()
    [True, False]
    """
    target, columns = _checked(y, X)
    if isinstance(basis, bool) or not isinstance(basis, int | np.integer) or basis < _SMALLEST_SMOOTH:
        raise InputError(f"basis must be a whole number of at least {_SMALLEST_SMOOTH}, got {basis!r}")
    _check_rows(*columns.shape)
    if np.all(target == target[0]):
        return np.ones(columns.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(target.std())
    if not _SCALES_OF_R[0] <= deviation <= _SCALES_OF_R[1]:
        target = moderate(target)
        target = (target - target.mean()) / target.std()
    models = AdditiveModels(columns, target[:, None], int(basis), many=False)
    return models.fit(0, range(columns.shape[1])).p_values


def _checked(y: Any, X: Any) -> tuple[Floats, Floats]:
    """Target and columns as arrays of finite numbers that fit together."""
    try:
        target, columns = np.asarray(y, dtype=np.float64), np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"y and X must hold numbers: {error}") from error
    if columns.ndim == 1:
        columns = columns[:, None]
    if target.ndim != 1 or columns.ndim != 2:
        raise InputError(f"y must have 1 dimension and X 2, got {target.ndim} and {columns.ndim}")
    if len(target) != len(columns):
        raise InputError(f"y and X must have as many rows as each other, got {len(target)} and {len(columns)}")
    if columns.shape[1] == 0:
        raise InputError("X must have at least one column, got none")
    for name, values in (("y", target), ("X", columns)):
        if not np.isfinite(values).all():
            raise InputError(f"{name} must hold finite numbers, got missing or infinite ones")
    return target, columns
