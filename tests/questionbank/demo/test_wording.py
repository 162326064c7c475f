"""Good English for every draw."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from questionbank.demo.wording import Draw, Noun, Unsuitable, article, cap, listing, ordinal, word


def test_a_noun_agrees_with_its_number():
    box = Noun("box", "boxes")
    assert [box(1), box(2), box(0), box(12_000)] == ["1 box", "2 boxes", "0 boxes", "12,000 boxes"]
    assert f"{Noun('shell')}" == "shells"


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("octagon", "an octagon"),
        ("unit", "a unit"),
        ("hexagon", "a hexagon"),
        ("8-sided die", "an 8-sided die"),
        ("hour", "an hour"),
        ("urn", "an urn"),
    ],
)
def test_the_article_follows_the_sound(noun, expected):
    assert article(noun) == expected


def test_lists_ordinals_and_words():
    assert [listing(["a"]), listing(["a", "b"]), listing(["a", "b", "c"], "or")] == [
        "a",
        "a and b",
        "a, b or c",
    ]
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"]
    )
    assert [word(0), word(12), cap("élan")] == ["zero", "twelve", "Élan"]


def test_nobody_appears_twice_in_one_question():
    names = [person.name for person in Draw(Random(3)).people(40)]
    assert len(set(names)) == 40


def test_a_person_has_matching_pronouns():
    people = Draw(Random(3)).people(60)
    assert {(person.he, person.him, person.his) for person in people} == {
        ("he", "him", "his"),
        ("she", "her", "her"),
    }


def test_draws_respect_their_bounds():
    d = Draw(Random(5))
    values = [d.whole(-2, 2, but=(0,)) for _ in range(200)]
    assert set(values) == {-2, -1, 1, 2}
    assert sorted(d.several(3, 1, 4, but=(2,))) == [1, 3, 4]
    assert sorted(d.shuffled([3, 1, 2])) == [1, 2, 3]
    assert all(0 < d.fraction(9) < 1 and d.fraction(9) <= Fraction(8, 9) for _ in range(100))


def test_an_unsuitable_draw_is_refused():
    with pytest.raises(Unsuitable):
        Draw.require(False)
    Draw.require(True)
