"""Data sets of the literature, loaded by name with the graph that is taken to be true, and Bayesian networks.

``sachs`` and the networks come with the package; the others are read from the folder that the environment variable
``DAGSEARCH_DATA`` names.
"""

from dagsearch.datasets.bayesian_network import BayesianNetwork
from dagsearch.datasets.networks import network, network_names
from dagsearch.datasets.registry import DatasetInfo, describe, load, names

__all__ = ["BayesianNetwork", "DatasetInfo", "describe", "load", "names", "network", "network_names"]
