"""Where many independent runs are carried out, and how what they leave is kept.

In this process, on the cores of this machine, or on a Dask cluster; finished runs are lines of a file.
"""

from dagsearch.engines.base import Engine, Failure, attempt
from dagsearch.engines.cluster import ClusterEngine
from dagsearch.engines.local import LocalEngine
from dagsearch.engines.store import Kept, Keyed, LineStore

__all__ = ["ClusterEngine", "Engine", "Failure", "Kept", "Keyed", "LineStore", "LocalEngine", "attempt"]
