"""Hierarchies whose roots an admin has mapped are one; without a mapping they are not compared."""

from __future__ import annotations

import numpy as np
import torch

from analytics.concept_paths import UNDEFINED, encode_paths
from analytics.encoder.examples import EncoderExample
from analytics.encoder.objectives import RankTable

EXAMPLES = [
    EncoderExample("one", (("Algebra", "Equations"),), "School"),
    EncoderExample("two", (("Algebra and more", "Equations"),), "Olympiad"),
    EncoderExample("three", (("Geometry", "Circles"),), "School"),
    EncoderExample("four", (("Geometry", "Circles"),), "Olympiad"),
]


def ranks(examples: list[EncoderExample]) -> list[list[int]]:
    numbers, owners = encode_paths(
        [example.paths for example in examples], 2, [example.hierarchy for example in examples]
    )
    count = len(examples)  # asked of a second copy, since a question has no rank to itself
    table = RankTable(np.concatenate([numbers, numbers]), np.concatenate([owners, owners]))
    return table.ranks(torch.arange(count), torch.arange(count, 2 * count)).tolist()


def test_hierarchies_are_not_compared():
    matrix = np.array(ranks(EXAMPLES))
    assert (matrix[:2, :2] == [[1, UNDEFINED], [UNDEFINED, 1]]).all()
