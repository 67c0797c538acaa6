"""The paper's tables and figures: described, carried out, recorded, and set beside the published numbers.

::

    paper (what)  --->  campaign (tuning, then runs)  --->  store (one record per run)  --->  output (tables, figures)
       study, task          engines, run, local_scores                                          published (the paper's)
"""
