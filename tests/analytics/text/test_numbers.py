"""Numbers in digits and words: found where they stand, with their exact value."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.language.en.numbers import english_value, english_words
from analytics.language.zh.numbers import chinese_value
from analytics.text.numbers import find_numbers, mask_numbers


def mentions_of(text: str) -> list[tuple[str, str]]:
    return [(mention.text, str(mention.value)) for mention in find_numbers(text)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3 pens and 2.50 m", [("3", "3"), ("2.50", "5/2")]),
        ("1,250 and 1{,}000 and 12,5", [("1,250", "1250"), ("1{,}000", "1000"), ("12", "12"), ("5", "5")]),
        ("1/2 and 2 1/2 and 5(1/2)", [("1/2", "1/2"), ("2 1/2", "5/2"), ("5(1/2)", "11/2")]),
        ("((1)/(2)) of it", [("((1)/(2))", "1/2")]),
        ("5 12/7 and 5 (3/2)", [("5", "5"), ("12/7", "12/7"), ("5 (3/2)", "13/2")]),
        ("Exercise 5\n1/2 of it", [("5", "5"), ("1/2", "1/2")]),
        ("9" * 200 + " " + "1" * 2_200 + "/" + "2" * 2_200, [("9" * 200, "9" * 200)]),
        (r"$\frac{3}{4}$ or $2\dfrac12$", [(r"\frac{3}{4}", "3/4"), (r"2\dfrac12", "5/2")]),
        (
            r"20%, 5\%, 3 percent, 8 per cent",
            [("20%", "1/5"), (r"5\%", "1/20"), ("3 percent", "3/100"), ("8 per cent", "2/25")],
        ),
        (r"3.2\times 10^{6}", [(r"3.2\times 10^{6}", "3200000")]),
        (".5 of it", [(".5", "1/2")]),
        (
            "3 million, 2.5 thousand and 4 dozen",
            [("3 million", "3000000"), ("2.5 thousand", "2500"), ("4 dozen", "48")],
        ),
        ("three percent of twenty", [("three percent", "3/100"), ("twenty", "20")]),
        ("Rs.360 and Rs. 20", [("360", "360"), ("20", "20")]),
        ("2½ cups, 2 ¼, ½ cup and 3⁄4", [("2½", "5/2"), ("2 ¼", "9/4"), ("½", "1/2"), ("3⁄4", "3/4")]),
        ("three point zero five, at this point two left", [("three point zero five", "61/20"), ("two", "2")]),
        ("1/2/3", [("1", "1"), ("2", "2"), ("3", "3")]),
        ("on 3/4/2024", [("3", "3"), ("4", "4"), ("2024", "2024")]),
        ("on 2024-03-04", [("2024", "2024"), ("03", "3"), ("04", "4")]),
        ("at 7:45 pm", [("7", "7"), ("45", "45")]),
        ("1/0", []),
        ("the 1st of 22", [("1", "1"), ("22", "22")]),
        ("9" * 5_000, []),
        ("none", []),
    ],
)
def test_digits_are_found_with_their_value(text: str, numbers: list[tuple[str, str]]) -> None:
    assert mentions_of(text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("twenty-five pens", [("twenty-five", "25")]),
        ("two hundred and five", [("two hundred and five", "205")]),
        ("half a dozen eggs, a dozen, two dozen", [("half a dozen", "6"), ("a dozen", "12"), ("two dozen", "24")]),
        ("one and a half hours", [("one and a half", "3/2")]),
        ("three and three quarters", [("three and three quarters", "15/4")]),
        ("two-thirds of a third", [("two-thirds", "2/3"), ("a third", "1/3")]),
        ("two, three or four", [("two", "2"), ("three", "3"), ("four", "4")]),
        ("a half, half of it", [("a half", "1/2"), ("half", "1/2")]),
        ("half a million", [("half a million", "500000")]),
        ("one thousand, two hundred", [("one thousand, two hundred", "1200")]),
        ("which one, no one, each one, one of them", []),
        ("the third runner, a second, often, tone", []),
        ("Four score", [("Four score", "80")]),
    ],
)
def test_english_words_are_found_with_their_value(text: str, numbers: list[tuple[str, str]]) -> None:
    assert mentions_of(text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("二十五个", [("二十五", "25")]),
        ("三分之一和百分之八", [("三分之一", "1/3"), ("百分之八", "2/25")]),
        ("百分之20", [("百分之20", "1/5")]),
        ("3万人，2千米，5千克", [("3万", "30000"), ("2", "2"), ("5", "5")]),
        ("三个苹果，两人", [("三", "3"), ("两", "2")]),
        ("一起走，一样多，第三天，一共，十分高，万一，三角形", []),
        ("一半", [("一半", "1/2")]),
        ("一万二千三百四十五元", [("一万二千三百四十五", "12345")]),
    ],
)
def test_chinese_numerals_are_found_with_their_value(text: str, numbers: list[tuple[str, str]]) -> None:
    assert mentions_of(text) == numbers


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


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        # a score is twenty only where it counts
        ("The final score was 21 to 17.", "21, 17"),
        ("What is the average score of 80 and 90? She got a score of 85.", "80, 90, 85"),
        ("A score of people came, and three score years and ten.", "20, 60, 10"),
        # mixed numbers
        ("Mix 3-1/2 cups of flour with 1-1/4 cups.", "7/2, 5/4"),
        ('A 2-3/4" nail, 3½ litres and 2 ¾ pints', "11/4, 7/2, 11/4"),
        ("Calculate 3-1/2. Work out 5-1/4 and 2.", "3, 1/2, 5, 1/4, 2"),
        ("What is 12 1/2% of 80?", "1/8, 80"),
        # thousands
        ("1 250 000 people, 12 450 cars, 3\u202f000 m", "1250000, 12450, 3000"),
        ("1'250'000 francs or 2’500", "1250000, 2500"),
        ("Rs 12,00,000 and 1,50,000", "1200000, 150000"),
        ("3 250 g bags, 100 200 300", "3, 250, 100, 200, 300"),
        ("In 2020 125 people came; the points (0,75) and ( 4,7 )", "2020, 125, 0, 75, 4, 7"),
        # decimal commas, where the text shows them
        ("It costs 3,50 € per ticket and €12,5 for two.", "7/2, 25/2, 2"),
        ("1.250,50 € for 0,75 l and 2,5 kg", "2501/2, 3/4, 5/2"),
        ("1,250 m, 12,5 and 2,3", "1250, 12, 5, 2, 3"),
        # multiples in words
        ("3 dozens of rolls, two and a half dozen, dozens of people", "36, 30"),
        ("a couple of apples; a couple has 3 children", "2, 3"),
        ("a pair of socks and 3 socks; a pair of scissors", "2, 3"),
        ("3 pairs of shoes, six pairs", "3, 6"),
        # fraction words
        ("five sixteenths, seven twentieths, three twenty-fifths", "5/16, 7/20, 3/25"),
        ("a twelfth of it, the twelfth of May, the twenty-fifth", "1/12"),
        ("three and five sixteenths, nine hundredths", "53/16, 9/100"),
        # powers and letters
        ("$3k, 2e3, 10^6", "3000, 2000, 1000000"),
        ("£2.5M and €4k, a 5k run, $3k + 2$", "2500000, 4000, 5, 3, 2"),
        ("3×10^5 and 3.2·10⁻² and 10⁶", "300000, 4/125, 1000000"),
        # full width and Chinese
        ("２．５千克，１２３个", "5/2, 123"),
        ("一个数的十分之三", "3/10"),
        ("一又二分之一千米，二又三分之二，1又1/2", "3/2, 8/3, 3/2"),
        ("1万2千人，3万5，5千万元，２０％", "12000, 35000, 50000000, 1/5"),
        ("百分之二十五，千分之三，25分之7", "1/4, 3/1000, 7/25"),
        ("打八折，8折出售，七五折，8.5折，三成五", "4/5, 4/5, 3/4, 17/20, 7/20"),
        ("对折3次；十分高；完成任务", "3"),
        # signs
        ("from 4 °C to −7 °C, pages 12-18, 10–7, 8 - 5", "4, -7, 12, 18, 10, 7, 8, 5"),
        ("零下8度，负3", "-8, -3"),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, numbers: str) -> None:
    assert signed(text) == numbers


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("3 pens, 2.5 m, 3/4, 2 1/2, 20%, 3 million", "integer, decimal, fraction, mixed, percent, scaled"),
        ("at 7:45 pm", "clock time, clock time"),
        ("in the ratio 3 : 4, or 3：5", "ratio part, ratio part, ratio part, ratio part"),
        ("pages 12-18", "range end, range end"),
        ("打八折，二分之一，一又二分之一", "percent, fraction, mixed"),
    ],
)
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


@pytest.mark.parametrize(
    ("value", "english", "chinese"),
    [
        (Fraction(25), "twenty-five", "二十五"),
        (Fraction(1, 2), "half", "二分之一"),
        (Fraction(3, 4), "three quarters", "四分之三"),
        (Fraction(2, 3), "two thirds", "三分之二"),
        (Fraction(1005), "one thousand and five", "一千零五"),
        (Fraction(-3), "minus three", "负三"),
        (Fraction(12, 5), "two point four", "五分之十二"),
    ],
)
def test_numbers_are_written_in_words(value: Fraction, english: str, chinese: str) -> None:
    assert english_words(value) == english
    assert chinese_words(value) == chinese


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
