"""The paper's systems and what dagsearch does by itself, on the paper's data.

::

    blocks (data and the paper's score) --> systems (what a user would run), task, run (one fit, judged)
    published (records of the paper's systems, judged alike) --> summary, tables
"""
