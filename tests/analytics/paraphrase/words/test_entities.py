"""Names of people and places, by capitals and lists."""

from __future__ import annotations

import random

from analytics.paraphrase.words.entities import another_name, find_entities, first_names, mentions_of, places
from tests.cases import each_case


def names_in(text: str, known: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    mentions = find_entities(text, known)
    assert all(text[mention.start : mention.end] == mention.text for mention in mentions)
    return [(mention.text, mention.category) for mention in mentions]


@each_case("rewording", "names")
def test_names_are_told_from_other_capitalised_words(text: str, names: list[list[str]]) -> None:
    assert names_in(text) == [tuple(name) for name in names]


def test_a_name_known_from_the_other_text_counts_at_the_start_of_a_sentence() -> None:
    assert names_in("Qorvik jumps.") == []
    assert names_in("Qorvik jumps.", ("Qorvik",)) == [("Qorvik", "other")]


def test_mentions_are_found_in_any_case_but_not_inside_words() -> None:
    assert mentions_of("John", "john and Johnson and JOHN") == ((0, 4), (21, 25))
    assert mentions_of("A", "a and A") == ((6, 7),)


def test_another_name_is_of_the_same_category_and_not_taken() -> None:
    woman, place, label = find_entities("Olivia flies to Peru with A, B and C.")[:3]
    rng = random.Random(1)
    for _ in range(20):
        assert another_name(woman, ["Olivia"], rng) in set(first_names()[0]) - {"Olivia"}
        assert another_name(place, ["Peru"], rng) in set(places()) - {"Peru"}
        assert another_name(label, ["A", "B", "C"], rng) in set("DEFGHKLMNPQRSTUVWXYZ")
    title = find_entities("They met Mr. Stone.")[0]
    assert another_name(title, [], rng) is None


def test_no_name_is_both_a_womans_and_a_mans() -> None:
    women, men = first_names()
    assert not set(women) & set(men)
    assert len(women) > 300
    assert len(men) > 300
