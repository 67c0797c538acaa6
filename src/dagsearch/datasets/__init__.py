"""Data sets of the literature, loaded by name with the graph that is taken to be true.

``sachs`` comes with the package; the others are read from the folder that the environment variable
``DAGSEARCH_DATA`` names.
"""

from dagsearch.datasets.registry import DatasetInfo, describe, load, names

__all__ = ["DatasetInfo", "describe", "load", "names"]
