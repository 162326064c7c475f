"""Hierarchies whose roots an admin has mapped are one; without a mapping they are not compared."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample, join_hierarchies, parse_root_mapping
from analytics.encoder.khar import UNDEFINED, encode_paths
from analytics.encoder.rank_table import RankTable
from analytics.errors import ConfigurationError

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


def test_mapped_roots_make_one_hierarchy_and_other_roots_stay_apart():
    mapping = parse_root_mapping("School > Algebra = Olympiad > Algebra and more")
    assert ranks(join_hierarchies(EXAMPLES, mapping)) == [
        [1, 1, 3, 3],
        [1, 1, 3, 3],
        [3, 3, 1, 3],  # Geometry of School is not mapped: far from Olympiad's
        [3, 3, 3, 1],
    ]


def test_without_a_mapping_hierarchies_are_not_compared():
    matrix = np.array(ranks(join_hierarchies(EXAMPLES, {})))
    assert (matrix[:2, :2] == [[1, UNDEFINED], [UNDEFINED, 1]]).all()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("School > Algebra", "must read"),
        ("School > Algebra = Olympiad", "must read"),
        ("A > x = B > y; A > z = C > y", "must send A to one hierarchy"),
        ("A > x = B > y; B > y = C > z", "must send A to one hierarchy"),
    ],
)
def test_a_mapping_that_cannot_be_read_is_refused(text, reason):
    with pytest.raises(ConfigurationError, match=reason):
        EncoderConfig(root_mapping=text)
