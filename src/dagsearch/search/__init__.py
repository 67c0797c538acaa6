"""How to look: searches over DAGs that share one decision process, one score cache and one compiled loop.

A search gets its score handed in and never imports one; `protocol` says what a score must offer.
"""
