"""Scores that stop a search on the way, and the two ways in which Ctrl-C reaches it."""

from __future__ import annotations

import signal
import threading

import naive


class Acting(naive.TableScore):
    """Does something before the given answer, and goes on to answer."""

    def __init__(self, seed, n_nodes, at_call, act):
        super().__init__(seed, n_nodes)
        self.n_calls, self.at_call, self.act = 0, at_call, act

    def local(self, node, parents):
        self.n_calls += 1
        if self.n_calls == self.at_call:
            self.act()
        return super().local(node, parents)


def interrupt():
    raise KeyboardInterrupt


def press_ctrl_c():
    """What the terminal does: the main thread hears of it, whichever asks."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
