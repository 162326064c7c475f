"""The knowledge hierarchy of the demo bank."""

from __future__ import annotations

import importlib
import re
from collections import Counter

import pytest

from questionbank.demo.hierarchy import TREE, concept_path, concept_paths
from questionbank.demo.strands import ALL_PATTERNS


def test_there_are_at_least_8_strands_30_topics_and_90_concepts():
    paths = concept_paths()
    assert len({path[:1] for path in paths}) >= 8
    assert len({path[:2] for path in paths}) >= 30
    assert len(paths) >= 90


def test_a_concept_is_named_by_its_leaf_alone():
    leaves = Counter(path[-1] for path in concept_paths())
    assert [leaf for leaf, count in leaves.items() if count > 1] == []
    assert concept_path("Surds") == ("Integers and powers", "Powers and roots", "Surds")
    with pytest.raises(KeyError):
        concept_path("Alchemy")


def test_every_concept_has_a_pattern_and_most_have_two_or_more():
    patterns = Counter(pattern.concept for pattern in ALL_PATTERNS)
    leaves = {path[-1] for path in concept_paths()}
    assert set(patterns) == leaves
    assert sum(count >= 2 for count in patterns.values()) > 0.9 * len(leaves)


def module_name(name: str) -> str:
    """Return the file name of a strand or a topic."""
    return re.sub(r"[^a-z]+", "_", name.lower()).strip("_")


@pytest.mark.parametrize(
    ("strand", "topic"), [(strand, topic) for strand, topics in TREE.items() for topic in topics]
)
def test_a_topic_has_its_own_module(strand: str, topic: str):
    module = importlib.import_module(f"questionbank.demo.strands.{module_name(strand)}.{module_name(topic)}")
    assert {concept_path(pattern.concept)[:2] for pattern in module.PATTERNS} == {(strand, topic)}
