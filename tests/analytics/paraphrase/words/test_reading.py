"""What a text says, read once."""

from __future__ import annotations

from analytics.paraphrase.words.reading import read


def quantities(text: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    reading = read(text)
    assert all(text[quantity.start : quantity.end] == quantity.text for quantity in reading.quantities)
    return [(quantity.text, str(quantity.value), quantity.unit, quantity.nouns) for quantity in reading.quantities]


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


def test_one_the_two_and_ordinals_are_weak() -> None:
    assert [number.is_weak for number in read("One side, the 3rd of 4.").quantities] == [True, True, False]
    assert [number.is_weak for number in read("The two ate 1 of 2 pies.").quantities] == [True, True, False]
    assert [number.is_ordinal for number in read("A third set, a third of it, the first half.").quantities] == [
        True,
        False,
        True,
    ]


def test_words_that_multiply_and_divide_are_read() -> None:
    assert quantities("It tripled, grew tenfold and was halved.") == [
        ("tripled", "3", "", ()),
        ("tenfold", "10", "", ()),
        ("halved", "1/2", "", ()),
    ]
    text = "4 times fewer than 9 divided by 3"
    assert [number.is_inverse for number in read(text).quantities] == [True, False, True]


def test_a_score_of_a_game_is_no_number() -> None:
    assert quantities("Her score, a score of 90.") == [("90", "90", "", ())]


def test_a_fraction_has_the_unit_behind_its_article() -> None:
    assert [number.text for number in read("half an hour, a quarter of a cup, 3 of a day").quantities] == [
        "half an hour",
        "a quarter of a cup",
        "3",
    ]


def test_units_are_read_from_articles_and_from_other_words() -> None:
    reading = read("Every day for an hour; hours pass. Her monthly square footage.")
    assert [quantity.text for quantity in reading.implied] == ["day", "hour"]
    assert reading.unit_words == {"month", "foot ** 2"}


def test_units_without_a_number_are_kept_apart() -> None:
    reading = read("It takes 2 hours. How many minutes?")
    assert [unit.text for unit in reading.bare_units] == ["minutes"]


def test_words_find_their_sentence() -> None:
    reading = read("Zoe ran. Tim sat.")
    assert [reading.sentence_of(word.start) for word in reading.words] == [0, 0, 1, 1]
    assert reading.words[reading.word_at(9)].text == "Tim"
