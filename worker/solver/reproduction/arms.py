"""The arms of Pattern-CL's and Textual-CL's tables: see arms.toml."""

from __future__ import annotations

from pathlib import Path

from worker.reproduction.arms import Arm, read_arms

RECALLING = "none-recalling"
"""The arm that also queries a retriever for the solutions of similar problems (ours)."""


RECURRENT = "gts"
"""The arm whose encoder is a GRU trained from scratch, with its paper's epochs, batches, learning rate and dropout."""


TRIPLES_ALONE = "alpha-0"
"""Pattern-CL's first stage without the contrast: the same number of steps on the same triples, equations only.

The gain of the contrast is the difference from this arm; the paper compares with one that makes fewer steps.
"""


MULTILINGUAL = {"multilingual-none", "multilingual-pattern"}
"""The arms trained with a multilingual encoder on two sets together, one in each of two languages."""


ARMS = read_arms(Path(__file__).parent, Arm)
"""The choices of `reproduce solver --arms`."""
