"""Gaussian additive models as R's mgcv fits them: thin-plate splines, GCV, Wood's p-values; no R needed.

The arithmetic is in `dagsearch.kernels` (additive, gcv, smoothing, significance, chisquared).
"""

from __future__ import annotations

from dagsearch.gam.models import BASIS, AdditiveModels, basis_size, gam_pvalues, max_parents_for
from dagsearch.gam.table import AdditiveFit

__all__ = [
    "BASIS",
    "AdditiveFit",
    "AdditiveModels",
    "basis_size",
    "gam_pvalues",
    "max_parents_for",
]
