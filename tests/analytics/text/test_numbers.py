"""Numbers in digits and words: found where they stand, with their exact value."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.language.en.numbers import english_value, english_words, written_clock_time
from analytics.language.zh.numbers import chinese_value
from analytics.languages import language_of
from analytics.text.numbers import find_numbers, mask_numbers
from tests.cases import each_case


def mentions_of(text: str) -> list[tuple[str, str]]:
    return [(mention.text, str(mention.value)) for mention in find_numbers(text)]


@each_case("numbers", "mentions")
def test_numbers_are_found_with_their_value(text: str, numbers: list[list[str]]) -> None:
    assert mentions_of(text) == [tuple(number) for number in numbers]


def test_numbers_of_thousands_of_digits_are_skipped() -> None:
    longest = "9" * 200
    assert mentions_of(f"{longest} {'1' * 2_200}/{'2' * 2_200}") == [(longest, longest)]
    assert mentions_of("9" * 5_000) == []


@given(st.text(alphabet="0123456789,./()% {}\\fracone two and half三分之一万百 ", max_size=80))
@settings(max_examples=300, deadline=None)
def test_mentions_stand_in_order_where_they_say(text: str) -> None:
    end = 0
    for mention in find_numbers(text):
        assert mention.start >= end
        assert text[mention.start : mention.end] == mention.text
        end = mention.end


def signed(text: str) -> str:
    return ", ".join(str(mention.signed) for mention in find_numbers(text))


@each_case("numbers", "values")
def test_numbers_are_read_as_people_write_them(text: str, numbers: str) -> None:
    assert signed(text) == numbers


@each_case("numbers", "kinds")
def test_a_number_says_of_what_kind_it_is(text: str, kinds: str) -> None:
    assert ", ".join(mention.kind for mention in find_numbers(text)) == kinds


@given(st.integers(min_value=1_000, max_value=10**12))
@settings(max_examples=200, deadline=None)
def test_grouped_digits_are_one_number_whatever_groups_them(number: int) -> None:
    for mark in (",", "{,}", "'", "\u00a0", "\u2009", "\\,"):
        written = f"{number:,}".replace(",", mark)
        assert signed(f"about {written} people") == str(number)


def test_questions_that_differ_in_numbers_alone_have_one_mask() -> None:
    assert mask_numbers("Tom has 3 pens and 1,200 books") == "Tom has # pens and # books"
    assert mask_numbers("twelve pens cost $2.50") == mask_numbers("4 pens cost $1/2") == "# pens cost $#"
    assert mask_numbers("小明有十二个苹果") == mask_numbers("小明有3个苹果")
    assert mask_numbers("no numbers") == "no numbers"


def chinese_words(value: Fraction) -> str:
    """Write a number in Chinese numerals."""
    if value < 0:
        return "负" + chinese_words(-value)
    if value.denominator != 1:
        return f"{chinese_words(Fraction(value.denominator))}分之{chinese_words(Fraction(value.numerator))}"
    number = value.numerator
    if number >= 10_000:
        name, scale = ("亿", 100_000_000) if number >= 100_000_000 else ("万", 10_000)
        high, low = divmod(number, scale)
        gap = "零" if 0 < low < scale // 10 else ""
        return chinese_words(Fraction(high)) + name + (gap + chinese_words(Fraction(low)) if low else "")
    digits = "零一二三四五六七八九"
    written = ""
    for unit, power in (("千", 1000), ("百", 100), ("十", 10), ("", 1)):
        digit, number = divmod(number, power)
        if digit:
            written += digits[digit] + unit
        elif written and number and not written.endswith("零"):
            written += "零"
    if written.startswith("一十"):
        written = written[1:]
    return written or "零"


@given(st.integers(min_value=0, max_value=10**9))
@settings(max_examples=300, deadline=None)
def test_words_read_back_to_the_number(number: int) -> None:
    assert english_value(english_words(Fraction(number))) == number
    assert chinese_value(chinese_words(Fraction(number))) == number


@each_case("numbers", "words")
def test_numbers_are_written_in_words(value: str, english: str, chinese: str) -> None:
    assert (english_words(Fraction(value)), chinese_words(Fraction(value))) == (english, chinese)


@pytest.mark.parametrize(
    "words", ["", "third", "two three", "twenty twelve", "and", "hundred", "million", "banana", "zero one"]
)
def test_words_that_name_no_number_have_no_value(words: str) -> None:
    assert english_value(words) is None


@pytest.mark.parametrize(
    "unit", ["1", "1,", "1/", "一", "one ", "1 ", r"\frac{", "((", "1 1/", "1 (1", "一个", "a hundred and "]
)
def test_finding_in_a_long_text_ends(unit: str, no_hang: None) -> None:
    find_numbers(unit * (25_000 // len(unit)))


def test_the_name_of_a_picture_is_no_number():
    assert [mention.text for mention in find_numbers("A side is h. ![5 cm](image2.png) Then 3 more.")] == ["5", "3"]


@each_case("texts", "clock_times")
def test_clock_times_are_found(text: str, times: list[list[int | str]]) -> None:
    found = language_of(text).numbers.find_clock_times(text)
    assert [[time.minutes, time.half] for time in found] == times


def test_a_time_is_written_by_either_clock() -> None:
    assert written_clock_time(0, with_half=True) == "12:00 am"
    assert written_clock_time(725, with_half=True) == "12:05 pm"
    assert written_clock_time(1505, with_half=False) == "1:05"
