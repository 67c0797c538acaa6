"""Who is around each node, as sets: quicker than matrices where graphs are large and sparse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


class Neighbourhoods:
    """Parents, children and neighbours of each node of a graph with directed and undirected edges.

    Parameters
    ----------
    mixed
        (n_nodes, n_nodes); [i, j] == 1 alone means i -> j, both ways i - j.

    Attributes
    ----------
    parents, children
        The other ends of directed edges, by node.
    neighbours
        The other ends of undirected edges, by node.
    adjacent
        All three together, by node.
    """

    def __init__(self, mixed: npt.NDArray[np.int8]) -> None:
        n_nodes = len(mixed)
        self.parents: list[set[int]] = [set() for _ in range(n_nodes)]
        self.children: list[set[int]] = [set() for _ in range(n_nodes)]
        self.neighbours: list[set[int]] = [set() for _ in range(n_nodes)]
        marks = mixed.astype(bool)
        # Booleans in one row are searched several times faster than a matrix.
        starts, ends = np.divmod(np.flatnonzero(marks.ravel()), n_nodes)
        for start, end, is_line in zip(starts.tolist(), ends.tolist(), marks[ends, starts].tolist(), strict=True):
            if is_line:
                self.neighbours[start].add(end)
            else:
                self.children[start].add(end)
                self.parents[end].add(start)
        around = zip(self.parents, self.children, self.neighbours, strict=True)
        self.adjacent: list[set[int]] = [parents | children | neighbours for parents, children, neighbours in around]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.parents)

    def adjacency(self, among: Sequence[int] | None = None) -> npt.NDArray[np.int8]:
        """The graph as a matrix, in the form that the constructor takes; the part of it among some nodes, if given."""
        nodes = range(self.n_nodes) if among is None else among
        place = {node: k for k, node in enumerate(nodes)}
        mixed = np.zeros((len(nodes), len(nodes)), dtype=np.int8)
        for node in nodes:
            mixed[place[node], [place[end] for end in self.children[node] | self.neighbours[node] if end in place]] = 1
        return mixed

    def component(self, node: int) -> set[int]:
        """The nodes that undirected edges join to a node, directly or by way of others, itself included."""
        found, waiting = {node}, [node]
        while waiting:
            new = self.neighbours[waiting.pop()] - found
            found |= new
            waiting += new
        return found

    def direct(self, cause: int, effect: int) -> None:
        """Turn the undirected edge between two nodes into cause -> effect."""
        self.neighbours[cause].remove(effect)
        self.neighbours[effect].remove(cause)
        self.children[cause].add(effect)
        self.parents[effect].add(cause)

    def free(self, cause: int, effect: int) -> None:
        """Turn cause -> effect into an undirected edge."""
        self.children[cause].remove(effect)
        self.parents[effect].remove(cause)
        self.neighbours[cause].add(effect)
        self.neighbours[effect].add(cause)

    def disconnect(self, one: int, other: int) -> None:
        """Take away the edge between two nodes, if there is one."""
        for sets in (self.parents, self.children, self.neighbours, self.adjacent):
            sets[one].discard(other)
            sets[other].discard(one)

    def isolate(self, node: int) -> set[int]:
        """Take away all edges at a node, and return the nodes at their other ends."""
        for other in self.parents[node]:
            self.children[other].remove(node)
        for other in self.children[node]:
            self.parents[other].remove(node)
        for other in self.neighbours[node]:
            self.neighbours[other].remove(node)
        others = self.adjacent[node]
        for other in others:
            self.adjacent[other].remove(node)
        for sets in (self.parents, self.children, self.neighbours, self.adjacent):
            sets[node] = set()
        return others
