"""Equivalence classes of DAGs as graphs of arrows and lines on sets of bits, and the steps between them.

``marks``      who is around each node
``cliques``    the cliques among some nodes, one after the other
``paths``      what bars the ways between two nodes
``operators``  insertions, deletions and turnings of edges: which are valid, and which local scores they change
``sweep``      a walk over all of them, for what they gain
``change``     makes one of them
``completion`` from a graph with arrows and lines to a member of its class, and to the graph of the whole class
"""
