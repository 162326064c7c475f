"""Families of patterns: same idea in other words, other idea in the same words."""

from __future__ import annotations

import re

import pytest
from rapidfuzz import fuzz

from questionbank.demo.families import LOOKS_ALIKE, SAME_IDEA
from questionbank.demo.strands import ALL_PATTERNS


def shape(equation: str) -> str:
    """Return an equation with its numbers masked."""
    return re.sub(r"\d+(?:\.\d+)?%?", "N", equation)


def masked(text: str) -> str:
    """Return a text with its numbers masked."""
    return re.sub(r"\d+", "N", text)


def test_families_name_patterns_that_exist():
    slugs = {pattern.slug for pattern in ALL_PATTERNS}
    for members in (*SAME_IDEA.values(), *LOOKS_ALIKE.values()):
        assert set(members) <= slugs
        assert len(members) >= 2


@pytest.mark.parametrize("family", SAME_IDEA)
def test_one_idea_is_one_computation_in_different_words(family, of_pattern):
    members = SAME_IDEA[family]
    assert len({shape(q.record.equation) for slug in members for q in of_pattern(slug)}) == 1
    for i, slug in enumerate(members):
        for other_slug in members[i + 1 :]:
            likeness = [
                fuzz.ratio(masked(a.record.text), masked(b.record.text))
                for a in of_pattern(slug)
                for b in of_pattern(other_slug)
            ]
            assert sorted(likeness)[len(likeness) // 2] < 65


@pytest.mark.parametrize("family", LOOKS_ALIKE)
def test_patterns_that_look_alike_are_solved_differently(family, of_pattern):
    members = LOOKS_ALIKE[family]
    for i, slug in enumerate(members):
        for other_slug in members[i + 1 :]:
            nearest = max(
                fuzz.ratio(masked(a.record.text), masked(b.record.text))
                for a in of_pattern(slug)
                for b in of_pattern(other_slug)
            )
            assert nearest >= 65, (slug, other_slug)
            shapes = {shape(q.record.equation) for q in of_pattern(slug)} - {""}
            others = {shape(q.record.equation) for q in of_pattern(other_slug)} - {""}
            assert shapes.isdisjoint(others), (slug, other_slug)
