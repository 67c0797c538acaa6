"""What studies share whose runs are many and long: each run leaves a line, and the same command goes on.

::

    records (tasks with identifiers, a line per record; origin: when, and by which code) --> resume (what is left)
        --> graphs (measures and text of what was found) --> markdown, figures --> command_line (exit codes)
"""
