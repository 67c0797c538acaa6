"""The parameters of all methods, each declared once.

A declaration is a line of a class in `shared` or `methods`. The estimators inherit these classes, and with them their
arguments; docstrings and the options of the command line are made of the same declarations. Nothing heavy is imported
here, so that help comes at once.
"""

from dagsearch.parameters.declare import (
    HEADINGS,
    Group,
    Parameter,
    by_purpose,
    declared,
    described,
    parameter,
    with_parameters,
)
from dagsearch.parameters.methods import (
    CAM,
    CDUCT,
    GES,
    METHODS,
    NOTEARS,
    PC,
    RLBIC,
    ExactSearch,
    GreedySearch,
    LiNGAM,
    OrderSearch,
    RandomSearch,
)
from dagsearch.parameters.shared import (
    SCORES,
    BudgetParameters,
    CheckpointParameters,
    CommonParameters,
    ContinuousScoreParameters,
    KnowledgeParameters,
    ParentLimitParameters,
    ScoreParameters,
    SearchParameters,
    TimeParameters,
)

__all__ = [
    "CAM",
    "CDUCT",
    "GES",
    "HEADINGS",
    "METHODS",
    "NOTEARS",
    "PC",
    "RLBIC",
    "SCORES",
    "BudgetParameters",
    "CheckpointParameters",
    "CommonParameters",
    "ContinuousScoreParameters",
    "ExactSearch",
    "GreedySearch",
    "Group",
    "KnowledgeParameters",
    "LiNGAM",
    "OrderSearch",
    "Parameter",
    "ParentLimitParameters",
    "RandomSearch",
    "ScoreParameters",
    "SearchParameters",
    "TimeParameters",
    "declared",
    "described",
    "every_parameter",
    "methods_that_take",
    "parameter",
    "with_parameters",
]


def every_parameter() -> dict[str, Parameter]:
    """Return all parameters by name, by purpose."""
    return by_purpose({name: known for kind in METHODS.values() for name, known in declared(kind).items()})


def methods_that_take(name: str) -> list[str]:
    """Return the methods that have a parameter."""
    return [method for method, kind in METHODS.items() if name in declared(kind)]
