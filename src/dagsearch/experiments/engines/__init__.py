"""Where runs are carried out: in this process, on the cores of this machine, or on a Dask cluster."""

from dagsearch.experiments.engines.base import Engine, Failure, attempt
from dagsearch.experiments.engines.cluster import ClusterEngine
from dagsearch.experiments.engines.local import LocalEngine

__all__ = ["ClusterEngine", "Engine", "Failure", "LocalEngine", "attempt"]
