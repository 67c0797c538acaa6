"""Compiled loops: arrays in, arrays out, nothing of the rest of the package.

``bits``     sets of nodes as rows of 64-bit words
``random``   a one-word random generator
``process``  the decision process: partial DAGs, legal edges, Algorithm 1 (and its naive twin)
``memo``     a hash table of local scores
``gram``     residual sums of squares from one Gram matrix
``counts``   discrete local scores by counting
``local``    one local score of any compiled family
``tree``     the search tree and UCB1
``simulate`` Algorithm 2: the loop of select, expand, roll out, score, back up
``rbf``      Gaussian-process kernel matrices
"""
