"""Data sets of the literature, loaded by name with the graph that is taken to be true, and Bayesian networks.

``sachs`` and the networks come with the package. The others are read from the folder that the environment variable
``DAGSEARCH_DATA`` names, or else downloaded on first use. `simulate` makes new ones.
"""

from dagsearch.datasets.bayesian_network import BayesianNetwork
from dagsearch.datasets.catalogue import DatasetInfo
from dagsearch.datasets.networks import network, network_names
from dagsearch.datasets.registry import describe, download, load, names, status
from dagsearch.datasets.simulation import simulate

__all__ = [
    "BayesianNetwork",
    "DatasetInfo",
    "describe",
    "download",
    "load",
    "names",
    "network",
    "network_names",
    "simulate",
    "status",
]
