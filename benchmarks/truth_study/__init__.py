"""Who is right where: methods against simulated truth.

::

    conditions (kinds of data), methods (ours, rivals)
        --> task --> run (one fit, judged) --> processes (many, each ended in time) --> study (what is left)
        --> records, a line each --> summary (means) --> tables, figure
"""
