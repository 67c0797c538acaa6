"""Parameters that several methods share, one class for each set that is taken together.

A class that inherits several has the parameters of the last one first.
"""

# A declaration is the field of a dataclass, which ruff cannot see.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from dagsearch.parameters.declare import parameter

if TYPE_CHECKING:
    from dagsearch.graph import Knowledge

Variances = Literal["different", "equal"]
Levels = Literal["seen", "declared"] | Mapping[str, int]
Missing = Literal["local", "drop", "impute", "refuse"]

SCORES = ("evidence", "bic-linear", "bic-quadratic", "bic-gp", "bic-gam", "mixed", "bic-discrete", "bdeu")
PENALTIES = ("auto", "edges", "parameters", "extended")
CONFIDENCE = ("none", "posterior", "bootstrap", "specifications", "auto")
PRUNING = ("auto", "cam", "coefficients", "none")


def names_from_text(text: str) -> tuple[str, ...]:
    """A comma-separated list."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def levels_from_text(text: str) -> str | dict[str, int]:
    """``seen``, ``declared``, or numbers of levels by column, written as ``name=count,name=count``."""
    if text in ("seen", "declared"):
        return text
    levels: dict[str, int] = {}
    for part in text.split(","):
        name, _equals, count = (word.strip() for word in part.rpartition("="))
        if not name or not count.isdecimal():
            raise ValueError(f"write 'seen', 'declared', or levels of columns as 'name=count,name=count', got {text!r}")
        if name in levels:
            raise ValueError(f"column {name!r} is there twice, got {text!r}")
        levels[name] = int(count)
    return levels


@dataclass(eq=False, repr=False, kw_only=True)
class CommonParameters:
    """Of every method."""

    prune: str = parameter(
        "auto",
        '``"auto"``: by the score if there is an edge budget, nothing otherwise; ``"cam"``, ``"coefficients"`` or '
        '``"none"``.',
        "--prune",
        group="pruning",
        choices=PRUNING,
        in_python="See `dagsearch.prune`.",
    )
    alpha: float = parameter(0.001, 'Significance level of ``prune="cam"``.', "--alpha", group="pruning")
    confidence: str = parameter(
        "none",
        'How sure edges and directions are: ``"posterior"``: by the posterior over DAGs of the score, which must be '
        'made of log probabilities; ``"bootstrap"``: by how often the method finds them when rows are drawn anew; '
        '``"specifications"``: by the mean of posteriors over ways to set the analysis up, scales of the columns times '
        "models; "
        '``"auto"``: the posterior if it is exact within seconds by table and score, and there is no edge budget; '
        '``"none"``: not asked.',
        "--confidence",
        group="confidence",
        choices=CONFIDENCE,
        in_python="The answer is in ``confidence_``, a `Confidence`. ``time_limit`` is of each search and posterior.",
        option_default="auto",
    )
    n_replicates: int = parameter(100, 'Replicates of ``confidence="bootstrap"``.', "--replicates", group="confidence")
    kinds: Any = parameter(
        None, '``{"column": "continuous" | "discrete" | "ordered"}`` where the inferred kind is wrong.', group="data"
    )
    missing: Missing = parameter(
        "local",
        'What to do where cells are missing: ``"local"``: each local score goes by the rows in which the variable and '
        'its causes were seen; ``"drop"``: rows with a missing cell are left out; ``"impute"``: cells are filled by a '
        'draw from a model of all columns, a new one for each replicate of ``confidence="bootstrap"``; ``"refuse"``.',
        "--missing",
        group="data",
        choices=get_args(Missing),
    )
    fix: bool = parameter(
        False,
        "Mend the table before the search, as far as that is safe: columns that tell nothing are dropped (row numbers, "
        "identifiers, constants, all cells missing), texts that mean numbers or dates are read so, and of columns that "
        "hold the same one is kept. Notes say what was done.",
        "--fix",
        group="data",
        in_python="See `dagsearch.audit`. Columns that ``kinds``, ``knowledge`` or ``interventions`` name are kept.",
    )
    interventions: Any = parameter(
        None,
        "What was set by experiments in which row: the name of a column that says so, such entries, or a boolean "
        "table; see `dagsearch.as_dataset`.",
        group="data",
    )
    random_state: Any = parameter(
        None,
        "Seed, numpy generator, or None for a fresh seed (kept in ``result_.seed``).",
        "--seed",
        group="run",
        value_type=int,
        on_command_line="Same data, settings and seed: same graph.",
        option_default=0,
    )
    n_jobs: int = parameter(
        1,
        "Threads for ``evidence``, ``mixed``, ``bic-gp``, ``bic-gam`` and CAM pruning; the result is the same whatever "
        "it is. -1: all cores.",
        "--jobs",
        group="run",
        option_default=-1,
    )
    progress: bool = parameter(False, "Show a progress bar on a terminal.", group="run")
    trace: bool = parameter(
        False,
        "Record what the search considered: the options of each decision of the tree search, where it changed its "
        "mind, and the best reward over simulations and time.",
        "--trace",
        group="run",
        in_python="The record is in ``trace_``, a `Trace`; the graph that is found does not depend on it.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class TimeParameters:
    """Of methods that can be stopped and have a best graph so far."""

    time_limit: float | None = parameter(
        None,
        "Seconds after which the best graph so far is returned; a posterior that is asked for has as many of its own, "
        "and so has each replicate of a bootstrap.",
        "--time-limit",
        group="run",
        value_type=float,
    )


@dataclass(eq=False, repr=False, kw_only=True)
class CheckpointParameters:
    """Of methods that go on where they were."""

    checkpoint: str | Path | None = parameter(
        None,
        "A file in which the search is saved every minute: after a crash or Ctrl-C the same call goes on from there, "
        "to the same graph; once finished, it gives the result again at once.",
        "--checkpoint",
        group="run",
        in_python="With other data, settings or seed it is refused. Time limit and ``n_jobs`` may differ.",
        on_command_line="Save the search in this file every minute; after a crash or Ctrl-C the same command goes on "
        "from there, to the same graph. Give the finished search another file, or delete it, to begin anew.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class KnowledgeParameters:
    """Of methods that can be told what is known beforehand."""

    knowledge: Knowledge | None = parameter(
        None, "Required and forbidden edges, tiers; see `Knowledge`.", group="restrictions"
    )


@dataclass(eq=False, repr=False, kw_only=True)
class ParentLimitParameters:
    """Of methods that decide about the causes of one variable at a time."""

    max_parents: int | None = parameter(
        None,
        "No variable gets more causes; by default as many as the score can tell apart.",
        "--max-parents",
        group="restrictions",
        value_type=int,
    )


@dataclass(eq=False, repr=False, kw_only=True)
class BudgetParameters:
    """Of methods that can be told how many edges there are."""

    edge_budget: int | None = parameter(
        None,
        "Number of edges of the constructed graph; without one the score decides.",
        "--edges",
        group="restrictions",
        value_type=int,
    )


@dataclass(eq=False, repr=False, kw_only=True)
class ScoreParameters:
    """Of methods that take a score, if only to judge the result."""

    score: Any = parameter(
        "auto",
        f'``"auto"``: by the table, or a score\'s name: {", ".join(SCORES)}.',
        "--score",
        group="score",
        suggestions=("auto", *SCORES),
        in_python="Or a score made by `dagsearch.scores.make`, or an object of your own with ``local(node, parents)`` "
        "or ``reward(adjacency)``.",
    )
    levels: Levels = parameter(
        "seen",
        "For discrete scores given by name, whose penalty or prior depends on how many levels columns have: "
        '``"seen"`` in the rows, ``"declared"`` by the table (pandas Categorical, polars Enum), or '
        '``{"column": number}``.',
        "--levels",
        group="score",
        read=levels_from_text,
        on_command_line="Levels of columns for discrete scores: seen, declared (by the table), or "
        "name=count,name=count.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class ContinuousScoreParameters(ScoreParameters):
    """Of methods that leave open how a continuous score given by name is computed."""

    variances: Variances = parameter(
        "different",
        '``"different"`` or ``"equal"`` residual variances, for continuous scores given by name.',
        "--variances",
        group="score",
        choices=get_args(Variances),
    )
    penalty: str = parameter(
        "auto",
        'What BIC counts: ``"edges"`` (the paper\'s), ``"parameters"``, or ``"extended"``: parameters, and for each '
        'edge three times the logarithm of the number of variables; ``"auto"``: edges with an edge budget, extended '
        "without.",
        "--penalty",
        group="score",
        choices=PENALTIES,
    )
    models: Sequence[str] | None = parameter(
        None,
        "Models that the scores ``evidence`` and ``mixed`` average: any of ``linear``, ``additive`` and ``joint``; by "
        "default all, or as many as a large table can afford.",
        "--models",
        group="score",
        read=names_from_text,
    )
    noise: str | None = parameter(
        None,
        'What the scores ``evidence`` and ``mixed`` take noise to be: ``"any"`` (the default: its shape is fitted, and '
        'its scale may depend on the causes), ``"shape"`` (its shape is fitted) or ``"gaussian"``.',
        "--noise",
        group="score",
    )
    min_effect: float | None = parameter(
        None,
        "Share of what the other causes leave unexplained that an edge must explain, for ``evidence`` and ``mixed`` "
        "(by default 0.01) and BIC that does not count edges alone (by default 0).",
        "--min-effect",
        group="score",
        value_type=float,
    )


@dataclass(eq=False, repr=False, kw_only=True)
class SearchParameters(
    CommonParameters,
    TimeParameters,
    CheckpointParameters,
    KnowledgeParameters,
    ParentLimitParameters,
    BudgetParameters,
    ContinuousScoreParameters,
):
    """Of searches that add one edge after the other."""

    start: Any = parameter(None, "A DAG to start from; its edges count towards the budget.", group="restrictions")


@dataclass(eq=False, repr=False, kw_only=True)
class RestartParameters:
    """Of searches that begin anew several times."""

    n_restarts: int | None = parameter(
        None,
        "Independent searches of which the best graph is kept; by default 1 with an edge budget, and without up to 8, "
        "fewer on wide tables.",
        "--restarts",
        group="search",
        value_type=int,
    )


@dataclass(eq=False, repr=False, kw_only=True)
class SimulationParameters:
    """Of searches that simulate how a graph may go on."""

    sims_per_node: float | None = parameter(
        None,
        "Simulations per decision, times the number of variables; by default 500 with an edge budget, and without as "
        "many as make 10 to 200 guided, or up to 4,000 uniform ones, per decision.",
        "--sims-per-node",
        group="search",
        value_type=float,
    )
