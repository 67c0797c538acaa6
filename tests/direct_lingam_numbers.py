"""Tables, and what DirectLiNGAM of the authors' package finds on them.

The numbers are those of lingam 1.13.0 with scikit-learn 1.9.1 and NumPy 2.2.6, default settings: ``causal_order_``, and
the transpose of ``adjacency_matrix_`` after ``DirectLiNGAM().fit(table)``. With tiers, ``prior_knowledge`` was -1
everywhere but 0 from columns of a later tier to those of an earlier one.
"""

from __future__ import annotations

import numpy as np
from common import linear_table, standardised
from linear_models import uniform_table

import dagsearch as ds


def laplace_table(n_samples=300, n_nodes=9, seed=5):
    """A dense linear model with Laplace noise, whose columns are in no causal order."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((n_nodes, n_nodes)) < 0.6, 1) * rng.uniform(-1.2, 1.2, (n_nodes, n_nodes))
    noise = rng.laplace(size=(n_samples, n_nodes))
    return (noise @ np.linalg.inv(np.eye(n_nodes) - weights))[:, rng.permutation(n_nodes)]


TABLES = {
    "uniform": uniform_table,
    "laplace": laplace_table,
    "laplace, wide": lambda: laplace_table(400, 16, seed=11),
    "gaussian": lambda: linear_table(200, 7, seed=3),
    "few rows": lambda: laplace_table(20, 9, seed=2),
    "sachs": lambda: standardised(ds.datasets.load("sachs").values),
}


TIERS = [[2, 4], [0], [1, 3, 5]]
"""Those of the last case, which has the first table."""

ORDERS = {
    "uniform": (3, 2, 0, 4, 5, 1),
    "laplace": (8, 6, 5, 2, 4, 1, 0, 3, 7),
    "laplace, wide": (3, 1, 9, 4, 5, 11, 7, 13, 0, 12, 2, 8, 10, 15, 6, 14),
    "gaussian": (3, 0, 5, 1, 4, 6, 2),
    "few rows": (4, 7, 3, 0, 5, 1, 2, 6, 8),
    "sachs": (5, 2, 1, 3, 4, 7, 10, 6, 8, 9, 0),
    "uniform, tiers": (2, 4, 0, 5, 3, 1),
}

# "cause>effect weight"
_WEIGHTS = {
    "uniform": """
        0>5 -0.871325657, 2>4 -1.20208448, 2>5 1.07001909, 3>0 1.20825085, 3>1 0.909028997, 5>1 1.02275214
    """,
    "laplace": """
        0>7 -0.693033111, 1>7 0.223945837, 2>1 -0.164510482, 2>3 1.01039301, 2>7 0.67900539, 4>0 -0.832234681,
        4>1 -1.28490081, 4>3 0.914908322, 4>7 1.0365365, 5>0 -0.650596904, 5>3 -0.850603558, 5>4 -0.794736819,
        6>1 -0.177537062, 6>3 -0.254645892, 6>4 -0.444550822, 6>5 1.01538836, 6>7 -0.759795392, 8>0 -0.430589592,
        8>1 1.0028962, 8>2 -0.424415473, 8>3 -0.255018456, 8>5 0.164435092, 8>6 0.122787214, 8>7 -1.2959079
    """,
    "laplace, wide": """
        0>2 -0.199688927, 0>6 -0.637144882, 0>8 -0.54113276, 0>10 -1.07931452, 0>12 0.827500383,
        0>14 -1.18662829, 1>0 -0.796417793, 1>2 1.11023709, 1>6 -0.387796872, 1>10 0.239292906, 1>11 1.10979134,
        1>13 -0.805791388, 1>14 -0.712446005, 2>6 -0.901176698, 2>15 -0.227219581, 3>1 0.127714346,
        3>4 0.327581549, 3>5 0.841210155, 3>6 -0.736345402, 3>7 -0.906989417, 3>8 1.13450699, 3>10 -0.320537923,
        3>12 0.182953224, 4>2 0.902266644, 4>5 0.390030458, 4>6 0.316417585, 4>7 0.180170525, 4>8 -0.223092581,
        4>11 -0.893361225, 4>12 0.684868061, 4>14 -0.603457652, 4>15 -1.16077143, 5>2 -1.0529745,
        5>6 0.262206201, 5>7 -0.763134703, 5>8 -0.175658315, 5>11 0.949637485, 5>13 0.306624811,
        5>14 0.223050649, 5>15 -0.237368944, 6>14 1.05144685, 7>2 -0.304089858, 7>6 -0.653604041,
        7>8 -1.07714874, 7>12 -0.106467635, 7>13 -0.861415787, 7>14 0.3512869, 7>15 0.941219708,
        8>15 -0.439326747, 9>6 -0.549813438, 9>7 0.775916833, 9>8 -0.249204162, 9>11 1.04854098,
        9>12 -0.224617817, 9>14 -1.00100382, 10>6 -0.904710248, 10>14 -0.497934027, 11>2 0.783690477,
        11>7 0.548503324, 11>8 0.945189793, 11>10 -0.766144732, 11>12 0.106392251, 11>13 0.995944576,
        12>6 1.19177216, 12>10 -0.838678018, 12>14 0.563869612, 13>2 0.434292223, 13>6 0.949605547,
        13>10 -0.841044745, 13>15 -0.211187337, 15>6 1.19012036
    """,
    "gaussian": """
        0>1 -0.546364091, 1>4 0.292643573, 3>2 0.632161584, 3>4 0.0574676783, 3>5 -0.0458228918,
        4>2 -0.275579796, 4>6 1.61294859
    """,
    "few rows": """
        0>5 -0.628432747, 1>6 1.17434741, 2>6 0.237642426, 3>0 0.206907952, 3>6 0.613994702, 5>1 0.326986687,
        5>2 -2.18246333, 5>8 -0.246068666, 6>8 0.307389451, 7>0 0.165124479, 7>1 -0.213790151, 7>3 0.715761187,
        7>5 -0.250146342
    """,
    "sachs": """
        1>0 0.793231156, 1>3 0.0842923065, 2>3 0.0921881018, 2>4 0.110204563, 3>4 0.263445335, 5>6 0.968909754,
        5>7 0.388972044, 7>6 0.0585037853, 8>9 0.765191351, 10>8 -0.206929695, 10>9 0.134904586
    """,
    "uniform, tiers": """
        0>3 0.48749743, 0>5 -0.871325657, 2>4 -1.20208448, 2>5 1.07001909, 3>1 0.909028997, 5>1 1.02275214
    """,
}


def _read(text):
    pairs = (entry.split() for entry in text.split(","))
    return {tuple(map(int, edge.split(">"))): float(weight) for edge, weight in pairs}


WEIGHTS = {name: _read(text) for name, text in _WEIGHTS.items()}
"""By table: the weight of each edge."""
