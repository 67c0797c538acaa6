"""How good and how fast searches are: ours and rivals on known optima, known truths and wide tables.

::

    parts (problems with their goals; networks from files), methods (ours; rivals, each in a process of `rival`)
        --> study (tasks, hopeless ones) --> run (one fit, measured) --> processes (each ended in time)
        --> study_runs (what is left; records, a line each) --> summary (goals reached) --> tables, figure
"""
