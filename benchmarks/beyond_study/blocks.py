"""The families of the paper's data, each with the score and the number of edges that the paper takes there."""

from __future__ import annotations

from dataclasses import dataclass

from dagsearch.experiments.paper import SYNTREN


@dataclass(frozen=True)
class Block:
    """A family of data sets.

    Attributes
    ----------
    title
        As the paper names it.
    data
        Names of the data sets.
    score
        By which the paper judges graphs there.
    edge_budget
        How many edges the paper's searches construct there; None: as many as the true graph has.
    prune
        How the paper prunes there.
    experiment
        Which of the paper's tables has the block.
    """

    title: str
    data: tuple[str, ...]
    score: str
    edge_budget: int | None
    prune: str
    experiment: str

    @property
    def is_discrete(self) -> bool:
        """Whether all columns are."""
        return self.score == "bic-discrete"


BLOCKS = {
    "sachs": Block("Sachs", ("sachs",), "bic-gp", 49, "cam", "table1"),
    "syntren": Block("SynTReN", SYNTREN, "bic-gp", 97, "cam", "table1"),
    "d50": Block("d=50", ("er50-quadratic",), "bic-quadratic", None, "none", "table2b"),
    "asia": Block("Asia", ("asia",), "bic-discrete", None, "none", "table2a"),
    "child": Block("Child", ("child",), "bic-discrete", None, "none", "table2a"),
    "insurance": Block("Insurance", ("insurance",), "bic-discrete", None, "none", "table2a"),
}
"""By the names that the command line takes."""
