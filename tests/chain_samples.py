"""Chains over partitions as tests run them."""

from __future__ import annotations

import numpy as np
from naive_partitions import all_candidates

from dagsearch.confidence.chains import ChainSettings, sample_dags
from dagsearch.search.monitor import Monitor


def random_weights(n_nodes: int, spread: float, seed: int) -> np.ndarray:
    return spread * np.random.default_rng(seed).normal(size=(n_nodes, 2 ** (n_nodes - 1)))


def sampled(log_weights, candidates=None, starts=(), seed=0, time_limit=None, **settings):
    candidates = all_candidates(len(log_weights)) if candidates is None else candidates
    monitor = Monitor(time_limit=time_limit)
    return sample_dags(log_weights, candidates, starts, ChainSettings(**settings), np.random.default_rng(seed), monitor)
