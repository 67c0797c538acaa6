"""Can the probabilities be trusted? Posterior, chains and bootstrap against simulated truth.

::

    families (kinds of tables, each with its score; from_prior: tables that the prior itself draws)
        --> systems (exact, chains, bootstrap) --> bins (how many edges were right, by their probability)
        --> task, run (a line per table and system) --> study (what comes first)
        --> summary (sums, errors) --> tables, figure
"""
