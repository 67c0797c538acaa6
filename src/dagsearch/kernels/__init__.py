"""Compiled loops: arrays in, arrays out, nothing of the rest of the package but its errors.

The search:

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
``cycles``   how cyclic a graph is, for RL-BIC

``classes``  equivalence classes as bit sets, and the steps of GES between them

DirectLiNGAM:

``likelihood_ratios`` which of two variables is the cause, for all pairs

Exact learning:

``families`` parent sets that are not dominated
``subsets``  dynamic programming over all subsets of nodes
``orders``   local search over orders of the nodes
``clusters`` violated cluster inequalities

Additive models:

``radial``        sums of cubed distances, for the splines
``additive``      the fit for given smoothing parameters
``gcv``           derivatives of generalised cross-validation
``update``        the fit after one smoothing parameter changed
``smoothing``     choice of smoothing parameters
``chisquared``    tails of ratios of chi-squared sums
``significance``  the whole fit, and p-values

``starting`` numba, and what its variables say
``lapack``   SciPy's BLAS and LAPACK for both; ``compile`` decorators, ``keeping`` files of what is compiled
"""

from dagsearch.kernels.starting import start_numba

start_numba()
