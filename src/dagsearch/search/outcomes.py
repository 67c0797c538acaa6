"""What a stage of a search found, as a checkpoint keeps it."""

from __future__ import annotations

import numpy as np

from dagsearch.search.checkpoint import Arrays, Stage
from dagsearch.search.protocol import FINISHED, Outcome


def finished(stage: Stage, outcome: Outcome) -> Outcome:
    """The same outcome, which the stage keeps if it was gone through to its end."""
    if outcome.status == FINISHED:
        counts = [outcome.n_simulations, outcome.n_calibration_simulations, outcome.n_steps]
        stage.finish(
            {
                "adjacency": outcome.adjacency,
                "reward": np.array([outcome.reward]),
                "counts": np.array(counts, dtype=np.int64),
            }
        )
    return outcome


def outcome_of(result: Arrays) -> Outcome:
    """What a stage kept that was gone through."""
    n_simulations, n_calibration_simulations, n_steps = result["counts"].tolist()
    adjacency, reward = result["adjacency"].astype(np.int8), float(result["reward"][0])
    return Outcome(adjacency, reward, n_simulations, n_calibration_simulations, n_steps, FINISHED)
