"""What guides rollouts: the gains of all edges at the root, from which the kernels go on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import membership_from_rows, rows_from_membership
from dagsearch.kernels.bits import WORD_BITS, words_for
from dagsearch.kernels.growth import LinearGrowth, OutsideGrowth
from dagsearch.kernels.guide import GUIDANCE, NOBODY, Guide, set_root_weights
from dagsearch.kernels.local import LINEAR
from dagsearch.kernels.process import Partial
from dagsearch.search.forest import growth_of
from dagsearch.search.protocol import Problem, ScoreLike

N_CANDIDATES = 24
"""Causes of an effect whose gains are looked up again within a rollout; those of others stay what the root knows."""


class Guidance:
    """Gains of edges at the root of a search.

    Parameters
    ----------
    problem
        The decision process.
    score
        A score whose reward is made of local terms.
    temperature
        Of the softmax, as a share of the largest gain at the root.

    Attributes
    ----------
    guide
        The weights, as kernels take them.
    growth
        What computes the gains of all causes of an effect at once, where that is fast; otherwise they go by the memo.
    """

    def __init__(self, problem: Problem, score: ScoreLike, temperature: float) -> None:
        d = problem.n_nodes
        n_words, self._words = words_for(d)
        self._score = score
        self._temperature = temperature
        n_candidates = min(N_CANDIDATES, d - 1)
        guidance = np.zeros(1, dtype=GUIDANCE)
        guidance["entries_per_edge"] = n_candidates + 2  # beside these, the effect's own and that of its score
        guidance["paying_only"] = problem.edge_budget is None
        self.guide = Guide(
            guidance=guidance,
            candidates=np.full((d, n_candidates), NOBODY),
            gains=np.zeros((d, d)),
            root_weights=np.zeros((d, d)),
            weights=np.zeros((d, d)),
            root_sums=np.zeros(d),
            sums=np.zeros(d),
            stale=np.zeros(n_words, dtype=np.uint64),
            key=np.zeros(n_words, dtype=np.uint64),
            members=np.zeros(d + 1, dtype=np.int64),
            may_join=np.zeros(d, dtype=bool),
            values=np.zeros(d),
        )
        self.growth = growth_of(score.family, 1.0) if score.family.code == LINEAR else OutsideGrowth(d)

    @property
    def entries_per_edge(self) -> int:
        """The most local scores that an edge of a simulation enters in the memo."""
        return int(self.guide.guidance["entries_per_edge"][0])

    def learn(self, effect: int, root: Partial, root_terms: NDArray[np.float64]) -> None:
        """Look up what each legal cause of an effect gains at the root, and which gain most.

        ``root_terms`` (n_nodes, 2) are the local terms of the root. With equal variances gains are judged by the
        tangent of the reward, as it is when an effect is learnt.
        """
        scale = self._scale(root_terms)
        d, n_words = len(root_terms), len(root.stubs)
        parents = membership_from_rows(root.parents[effect * n_words : (effect + 1) * n_words], d)[0]
        is_legal = root.legal[effect // WORD_BITS :: n_words] >> np.uint64(effect % WORD_BITS) & np.uint64(1)
        causes = np.flatnonzero(is_legal)
        sets = parents | np.eye(d, dtype=bool)[causes]
        terms = self._score.terms(np.full(len(causes), effect), rows_from_membership(sets)) - root_terms[effect]
        gains = scale * terms[:, 0] - terms[:, 1]
        self.guide.gains[effect, causes] = gains
        best = causes[np.argsort(-gains, kind="stable")[: self.guide.candidates.shape[1]]]
        self.guide.candidates[effect] = NOBODY
        self.guide.candidates[effect, : len(best)] = best

    def move_to(self, root: Partial, root_terms: NDArray[np.float64]) -> None:
        """Take a graph for the root, all of whose effects are learnt."""
        scale = self._scale(root_terms)
        self.guide.guidance["scale"] = scale
        if isinstance(self.growth, LinearGrowth):
            self.growth = self.growth._replace(scale=scale)
        set_root_weights(self.guide, root, self._temperature, self._words)

    def restore(self, guide: Guide) -> None:
        """Take the weights that another one had at some root."""
        self.guide = guide
        if isinstance(self.growth, LinearGrowth):
            self.growth = self.growth._replace(scale=float(guide.guidance["scale"][0]))

    def _scale(self, root_terms: NDArray[np.float64]) -> float:
        """What values are multiplied with in a gain."""
        return float(-1.0 / root_terms[:, 0].sum()) if self._score.family.equal_variances else 1.0
