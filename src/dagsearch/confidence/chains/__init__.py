"""Sampling of DAGs by Markov chains over ordered partitions (Kuipers and Moffa 2017; Viinikka et al. 2020)."""

from dagsearch.confidence.chains.agreement import Agreement
from dagsearch.confidence.chains.outcome import MOVES, ChainsOutcome
from dagsearch.confidence.chains.sample import sample_dags
from dagsearch.confidence.chains.settings import ChainSettings

__all__ = ["MOVES", "Agreement", "ChainSettings", "ChainsOutcome", "sample_dags"]
