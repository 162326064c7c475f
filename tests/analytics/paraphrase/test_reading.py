"""What a text says, read once."""

from __future__ import annotations

from analytics.paraphrase.reading import read


def quantities(text: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    reading = read(text)
    assert all(text[one.start : one.end] == one.text for one in reading.quantities)
    return [(one.text, str(one.value), one.unit, one.nouns) for one in reading.quantities]


def test_numbers_are_read_with_their_units_and_what_they_count() -> None:
    assert quantities("Zoe pays $4 for 12 small red pens and 5 km of rope.") == [
        ("$4", "4", "dollar", ()),
        ("12", "12", "", ("small", "red", "pen")),
        ("5 km", "5", "kilometer", ("rop",)),
    ]
    assert quantities("Twice as many, 3 more pens, 50% of it.") == [
        ("Twice", "2", "", ()),
        ("3", "3", "", ("pen",)),
        ("50%", "1/2", "", ()),
    ]


def test_one_and_ordinals_are_weak() -> None:
    assert [one.is_weak for one in read("One side, the 3rd of 4.").quantities] == [True, True, False]


def test_units_without_a_number_are_kept_apart() -> None:
    reading = read("It takes 2 hours. How many minutes?")
    assert [one.text for one in reading.bare_units] == ["minutes"]


def test_words_find_their_sentence() -> None:
    reading = read("Zoe ran. Tim sat.")
    assert [reading.sentence_of(word.start) for word in reading.words] == [0, 0, 1, 1]
    assert reading.words[reading.word_at(9)].text == "Tim"
