"""Who is right where: methods against simulated truth.

::

    conditions (kinds of data), methods (ours, rivals)
        --> study (tasks, hopeless ones) --> run (one fit, judged) --> processes (many, each ended in time)
        --> study_runs (what is left; records, a line each) --> summary (means) --> tables, figure
"""
