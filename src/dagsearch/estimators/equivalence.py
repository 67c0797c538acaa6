"""What methods that find an equivalence class share: their results are partially directed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from dagsearch import scores
from dagsearch.data import Dataset
from dagsearch.errors import InputError
from dagsearch.estimators.base import DagEstimator
from dagsearch.scores.choose import Choice, choose

_SAME_FOR_EQUIVALENT_GRAPHS = ("bic-linear", "bic-discrete", "bdeu")


class EquivalenceMethod(DagEstimator):
    """Base of methods whose ``dag_`` is a `PDAG`, and whose score must be the same for all DAGs of a class."""

    extra: ClassVar[str | None] = "baselines"
    any_score: ClassVar[bool] = False
    pruned_by_significance: ClassVar[bool] = True

    def _check_settings(self) -> None:
        if isinstance(self.score, str) and self.score not in ("auto", *_SAME_FOR_EQUIVALENT_GRAPHS):
            raise InputError(
                f"score for {self.method} must be the same for all DAGs of an equivalence class, which {self.score} "
                f"tells apart; choose from {', '.join(('auto', *_SAME_FOR_EQUIVALENT_GRAPHS))}"
            )

    def _choose(self, data: Dataset) -> Choice:
        """Discrete BIC as for any method; on numbers the BIC of linear models."""
        choice = choose(data, regression=True)
        return choice if choice.score in scores.DISCRETE else replace(choice, score="bic-linear")

    def _penalty(self, score_name: str) -> Any:
        return None if score_name in scores.DISCRETE else "edges"
