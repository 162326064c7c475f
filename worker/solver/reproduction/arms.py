"""The arms of Pattern-CL's and Textual-CL's tables: see arms.toml."""

from __future__ import annotations

from pathlib import Path

from worker.reproduction.arms import Arm, read_arms

RECALLING = "none-recalling"
"""The arm that also asks a retriever for the solutions of similar problems (ours)."""


RECURRENT = "gts"
"""The arm whose encoder is a GRU that is learned from scratch, with its paper's passes, batches, rate and dropout."""


TRIPLES_ALONE = "alpha-0"
"""Pattern-CL's first stage without the contrast: as many steps on the same triples, whose equations alone are learned.

What the contrast gains is the difference from this arm; the paper's is from one that makes fewer steps.
"""


MULTILINGUAL = {"multilingual-none", "multilingual-pattern"}
"""The arms that learn from a set in each of two languages together, with an encoder that reads both."""


ARMS = read_arms(Path(__file__).parent, Arm)
"""What `reproduce solver --arms` takes."""
