"""The parameters of each method: those that it shares, and its own.

The classes have the names of the estimators, which inherit them.
"""

# A declaration is the field of a dataclass, which ruff cannot see.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from dagsearch.parameters.declare import parameter
from dagsearch.parameters.shared import (
    BudgetParameters,
    CheckpointParameters,
    CommonParameters,
    ContinuousScoreParameters,
    KnowledgeParameters,
    ParentLimitParameters,
    RestartParameters,
    ScoreParameters,
    SearchParameters,
    SimulationParameters,
    TimeParameters,
)

Budget = Literal["exactly", "at-most"]
Calibration = Literal["greedy", "exploring"]
CycleTracking = Literal["incremental", "traversal"]
ExplorationScale = Literal["root-mean", "none"]
FinalMove = Literal["most-visits", "highest-mean"]
HorizonEnds = Literal["simulations", "rollouts"]
Keep = Literal["budget-size", "any-size"]
LingamVariant = Literal["ica", "direct"]
Refine = Literal["auto", "on", "off"]
Rollout = Literal["auto", "uniform", "guided"]
Solver = Literal["auto", "dynamic", "highs", "scip"]
TreePolicy = Literal["auto", "ucb1", "puct"]

DEFAULT_TEMPERATURE = 0.1
TESTS = ("auto", "fisherz", "gsq", "chisq")

_ONLY_JUDGES = "What ``reward_`` is measured by, as that of `CDUCT`; it has no part in the method."
_RECORDED_ONLY = "Recorded only: the method makes no random choice."
_PRUNE_AS_IN_THE_PAPER = '``"auto"``: CAM pruning, as in the paper; or ``"cam"``, ``"coefficients"``, ``"none"``.'
_PRUNE_NUMBERS = '``"auto"``: CAM pruning on continuous data; or ``"cam"``, ``"coefficients"``, ``"none"``.'


@dataclass(eq=False, repr=False, kw_only=True)
class CDUCT(RestartParameters, SimulationParameters, SearchParameters):
    """Of Monte Carlo tree search."""

    horizon: int | None = parameter(
        None,
        "A simulation adds at most so many edges; by default up to the budget, or, without one, 30 if rollouts are "
        "guided and 6 if they are uniform.",
        "--horizon",
        group="search",
        value_type=int,
    )
    horizon_ends: HorizonEnds = parameter(
        "simulations",
        'What the horizon ends: ``"simulations"``, or ``"rollouts"`` only, as in the paper\'s runs: the tree may grow '
        "beyond it.",
        "--horizon-ends",
        group="search",
        choices=get_args(HorizonEnds),
    )
    keep: Keep = parameter(
        "budget-size",
        'With an edge budget, which graphs may be the result: those of exactly that size (``"budget-size"``), or the '
        'end of any simulation (``"any-size"``), as in the paper\'s runs on discrete data.',
        "--keep",
        group="search",
        choices=get_args(Keep),
    )
    exploration: float = parameter(0.05, "Weight of exploration in UCB1.", "--exploration", group="search")
    exploration_scale: ExplorationScale = parameter(
        "root-mean",
        "What exploration is multiplied with: the absolute mean return of the previous decision's root, as in the "
        'paper\'s runs (``"root-mean"``), or nothing (``"none"``).',
        "--exploration-scale",
        group="search",
        choices=get_args(ExplorationScale),
    )
    calibration: Calibration = parameter(
        "greedy",
        "How the first decision is searched once beforehand, to learn the mean that exploration is multiplied with: "
        'without exploration (``"greedy"``), or with the exploration as it is (``"exploring"``), as in the paper\'s '
        "runs.",
        "--calibration",
        group="search",
        choices=get_args(Calibration),
    )
    final_move: FinalMove = parameter(
        "most-visits",
        'Which child of the root a decision goes to: ``"most-visits"`` or ``"highest-mean"``.',
        "--final-move",
        group="search",
        choices=get_args(FinalMove),
    )
    refine: Refine = parameter(
        "auto",
        "Whether the best graph is improved in the end: by moves of variables in their order, or by swaps of edges if "
        'there is an edge budget; ``"on"``, ``"off"``, or ``"auto"``: without an edge budget.',
        "--refine",
        group="search",
        choices=get_args(Refine),
    )
    rollout: Rollout = parameter(
        "auto",
        'How simulations go on from the tree: ``"uniform"``, as in the paper, or ``"guided"``: edges are drawn by a '
        'softmax over what they are known to gain; ``"auto"``: guided without an edge budget if local scores are '
        "counts or sums of squares, or of your own, uniform otherwise.",
        "--rollout",
        group="search",
        choices=get_args(Rollout),
    )
    tree_policy: TreePolicy = parameter(
        "auto",
        'How simulations go through the tree: ``"ucb1"``, as in the paper, or ``"puct"``, for guided rollouts, with '
        'what edges are known to gain as a prior; ``"auto"``: by the rollouts.',
        "--tree-policy",
        group="search",
        choices=get_args(TreePolicy),
    )
    temperature: float = parameter(
        DEFAULT_TEMPERATURE,
        "Of the softmax of guided rollouts, as a share of the largest gain at the root: near 0 rollouts are greedy.",
        "--temperature",
        group="search",
    )
    cycle_tracking: CycleTracking = parameter(
        "incremental",
        '``"incremental"`` (Algorithm 1 of the paper) or ``"traversal"`` (its naive rival, for comparison).',
        group="search",
        choices=get_args(CycleTracking),
    )


@dataclass(eq=False, repr=False, kw_only=True)
class GreedySearch(SearchParameters):
    """Of greedy search and of random sampling."""


@dataclass(eq=False, repr=False, kw_only=True)
class RandomSearch(SimulationParameters, SearchParameters):
    """Of random search."""

    in_other_words: ClassVar[dict[str, str]] = {
        "sims_per_node": "As many rollouts are made as `CDUCT` would make simulations: so many per decision, times the "
        "number of variables; by default 500, or as many as can be afforded with a score that takes milliseconds.",
    }


@dataclass(eq=False, repr=False, kw_only=True)
class OrderSearch(
    RestartParameters,
    CommonParameters,
    TimeParameters,
    CheckpointParameters,
    KnowledgeParameters,
    ParentLimitParameters,
    ContinuousScoreParameters,
):
    """Of search over orders."""

    in_other_words: ClassVar[dict[str, str]] = {
        "prune": '``"auto"``: nothing, as the score has decided which edges there are; ``"cam"``, ``"coefficients"`` '
        'or ``"none"``.',
        "penalty": 'What BIC counts: ``"parameters"``, ``"edges"`` (the paper\'s), or ``"extended"``, which '
        '``"auto"`` stands for: parameters, and for each edge three times the logarithm of the number of variables.',
        "n_restarts": "Searches from random orders, of which the best graph is kept; by default 4, 8 with scores "
        "of discrete columns, 2 beyond 40 variables, or 1 with a score that takes milliseconds to fit.",
        "n_jobs": "Threads for restarts, and for fits of ``evidence``, ``bic-gp``, ``bic-gam`` and CAM pruning; the "
        "result is the same whatever it is. -1: all cores.",
    }

    n_kicks: int | None = parameter(
        None,
        "A search ends after so many random changes of the order in a row that led to nothing better; by default as "
        "many as are worth their time: 10, or with scores of discrete columns up to 1,000, fewer beyond 200 variables.",
        "--kicks",
        group="search",
        value_type=int,
    )


@dataclass(eq=False, repr=False, kw_only=True)
class CAM(CommonParameters, TimeParameters, KnowledgeParameters, ParentLimitParameters):
    """Of causal additive models."""

    in_other_words: ClassVar[dict[str, str]] = {
        "prune": '``"auto"`` and ``"cam"``: keep what is significant; ``"coefficients"`` or ``"none"``.',
        "alpha": "Significance level of pruning.",
        "max_parents": "No variable gets more causes; by default one per 20 rows.",
        "random_state": "Seed, numpy generator, or None for a fresh seed (kept in ``result_.seed``). It only decides "
        "between edges that are equally good.",
    }

    neighbour_selection: bool = parameter(
        True,
        "Restrict the causes of each variable to at most 10 others that boosting finds useful, before the search.",
        "--no-selection",
        group="method",
        on_command_line="Search without preliminary neighbour selection.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class NOTEARS(CommonParameters, TimeParameters, KnowledgeParameters, ContinuousScoreParameters):
    """Of linear NOTEARS."""

    in_other_words: ClassVar[dict[str, str]] = {
        "score": _ONLY_JUDGES,
        "prune": _PRUNE_AS_IN_THE_PAPER,
        "knowledge": "Required and forbidden edges, tiers; see `Knowledge`. A required edge gets a weight of at least "
        "``threshold``, in the direction in which least squares has it.",
        "random_state": _RECORDED_ONLY,
    }

    l1: float = parameter(0.1, "Weight of the L1 penalty.", "--l1", group="method")
    threshold: float = parameter(
        0.3, "Weights below this are taken for zero, on standardised data.", "--threshold", group="method"
    )
    repair: bool = parameter(
        False,
        "If the result has cycles, drop the smallest weights that lie on them, and say so.",
        "--repair",
        group="method",
        in_python="The note is in ``result_.notes``.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class LiNGAM(CommonParameters, TimeParameters, KnowledgeParameters, ContinuousScoreParameters):
    """Of LiNGAM."""

    in_other_words: ClassVar[dict[str, str]] = {
        "score": _ONLY_JUDGES,
        "prune": _PRUNE_AS_IN_THE_PAPER,
        "time_limit": "Seconds after which the effects so far are returned: none before there is an order.",
        "random_state": "Where FastICA starts. On data that do not fit the model the order may depend on it; that of "
        "DirectLiNGAM does not, which makes no random choice.",
    }

    variant: LingamVariant = parameter(
        "ica",
        'How the causal order is found: ``"ica"``, from independent components, or ``"direct"`` (DirectLiNGAM), '
        "variable by variable, by likelihood ratios of pairs.",
        "--variant",
        group="method",
        choices=get_args(LingamVariant),
    )
    max_iter: int = parameter(
        1000, 'Most iterations of FastICA; of no account to the variant ``"direct"``.', "--max-iter", group="method"
    )


@dataclass(eq=False, repr=False, kw_only=True)
class GES(CommonParameters, TimeParameters, KnowledgeParameters, ScoreParameters):
    """Of greedy equivalence search."""

    in_other_words: ClassVar[dict[str, str]] = {
        "score": '``"bic-linear"``, ``"bic-discrete"`` or ``"bdeu"``, a score made of one of them, or an object of '
        'your own with ``local(node, parents)`` that is the same for equivalent graphs; ``"auto"``: by the kinds of '
        "the columns.",
        "prune": _PRUNE_NUMBERS,
        "random_state": _RECORDED_ONLY,
    }

    phases: Sequence[str] = parameter(
        ("forward", "backward", "turning"),
        '``"forward"``, ``"backward"`` and ``"turning"``, in the order in which they are gone through.',
        group="method",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class PC(CommonParameters, TimeParameters, KnowledgeParameters, ScoreParameters):
    """Of the PC algorithm."""

    in_other_words: ClassVar[dict[str, str]] = {
        "score": _ONLY_JUDGES,
        "prune": _PRUNE_NUMBERS,
        "time_limit": "Seconds after which the pairs that tests have joined so far, and not separated, are returned, "
        "undirected.",
        "random_state": _RECORDED_ONLY,
    }

    ci_test: str = parameter(
        "auto",
        'Test of independence: ``"fisherz"`` (partial correlations), ``"gsq"`` or ``"chisq"`` (counts of discrete '
        'values); ``"auto"``: by the kinds of the columns.',
        "--ci-test",
        group="method",
        choices=TESTS,
    )
    ci_level: float = parameter(
        0.05,
        "Two variables are taken to be dependent if a test's p-value is at most this.",
        "--ci-level",
        group="method",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class ExactSearch(
    CommonParameters,
    TimeParameters,
    KnowledgeParameters,
    ParentLimitParameters,
    BudgetParameters,
    ContinuousScoreParameters,
):
    """Of exact search."""

    in_other_words: ClassVar[dict[str, str]] = {
        "score": "As that of `CDUCT`, but for objects that only have ``reward(adjacency)``.",
        "max_parents": "No variable gets more causes. None: any number, or, where the parent sets are too many to look "
        "at them all, as many as can be afforded; a note then says how many.",
        "penalty": 'What BIC counts: ``"edges"`` (the paper\'s), ``"parameters"``, or ``"extended"``: parameters, and '
        'for each edge three times the logarithm of the number of variables; ``"auto"``: edges with an edge budget and '
        "for ``bic-gp``, whose effective parameters are hundreds; extended otherwise.",
        "time_limit": "Seconds after which the best graph so far is returned, with the gap that is left in "
        "``certificate_``.",
        "random_state": "Seed, numpy generator, or None for a fresh seed (kept in ``result_.seed``). It only decides "
        "where local searches start, and so between graphs of equal reward.",
    }

    budget: Budget = parameter(
        "exactly",
        '``edge_budget`` means ``"exactly"`` so many edges, as the paper\'s searches have, or ``"at-most"`` so many.',
        "--budget",
        group="restrictions",
        choices=get_args(Budget),
    )
    n_best: int = parameter(
        1, "How many of the best graphs to find.", "--best", group="proof", in_python="They are in ``best_graphs_``."
    )
    solver: Solver = parameter(
        "auto",
        '``"dynamic"``: dynamic programming; ``"highs"``: integer programming by SciPy\'s HiGHS; ``"scip"``: by SCIP '
        '(extra ``exact``); ``"auto"`` picks for each part.',
        "--solver",
        group="proof",
        choices=get_args(Solver),
        on_command_line="What solves, also for --certify: dynamic (programming), highs, scip, or auto, which picks for "
        "each part.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class RLBIC(CommonParameters, TimeParameters, KnowledgeParameters, ContinuousScoreParameters):
    """Of RL-BIC; the defaults are those of the paper's runs."""

    in_other_words: ClassVar[dict[str, str]] = {
        "score": "As that of `CDUCT`, but decomposable: graphs with cycles are judged too. The paper uses "
        '``"bic-gp"``.',
        "penalty": '``"edges"``, the paper\'s and what ``"auto"`` stands for, ``"parameters"`` or ``"extended"``.',
    }

    n_iterations: int = parameter(20_000, "Steps of training.", "--iterations", group="method")
    batch_size: int = parameter(64, "Graphs sampled in each step.", "--batch-size", group="method")
    input_dimension: int = parameter(
        64,
        "Observations that describe each variable to the network, drawn afresh for each graph.",
        "--input-dimension",
        group="method",
    )
    learning_rate: float = parameter(1e-3, "Learning rate of Adam at the start.", "--learning-rate", group="method")
    initial_bias: float = parameter(-10.0, "First value of the learnt bias of all edge logits.", group="method")


METHODS: dict[str, type[Any]] = {
    "cd-uct": CDUCT,
    "greedy": GreedySearch,
    "random-search": RandomSearch,
    "random-sampling": GreedySearch,
    "order": OrderSearch,
    "cam": CAM,
    "notears": NOTEARS,
    "lingam": LiNGAM,
    "ges": GES,
    "pc": PC,
    "exact": ExactSearch,
    "rl-bic": RLBIC,
}
"""The parameters of all methods, by the names of these on the command line; the slowest last."""
