"""How methods do on tables as they are in practice: one part per difficulty.

::

    part (its tables, its methods) --> study (tasks) --> run (one fit, judged) --> processes (each ended in time)
        --> study_runs (what is left; records, a line each) --> summary (means, Markdown)

A part is a module with a `Part`; `parts.PARTS` lists them.
"""
