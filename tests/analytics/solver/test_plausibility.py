"""A question for a number of things has a whole number as its answer."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analytics.solver.plausibility import answer_to_count, asks_for_count, plausible_first
from analytics.solver.solution import Solution, solution_of
from analytics.text.number_slots import number_slots


@pytest.mark.parametrize(
    "text",
    [
        "A car holds 5 pupils. How many cars do 28 pupils need?",
        "How many of the 30 pupils are boys?",
        "It rained for 3 hours. How many umbrellas were sold?",
        "一共有多少个苹果？",
        "每千克2元，可以买几本？",
    ],
)
def test_things_are_counted(text):
    assert asks_for_count(text)


@pytest.mark.parametrize(
    "text",
    [
        "How many kilometres did Ann walk?",
        "How many square metres is the field?",
        "How many times as long is the rope?",
        "What does a car cost?",
        "一共用了多少个小时？",
        "有8个苹果，每个多少千克？",
        "",
    ],
)
def test_amounts_are_measured(text):
    assert not asks_for_count(text)


def solutions(*rows: tuple[str, float]) -> list[Solution]:
    return [solution_of(tokens.split(), [Fraction(28), Fraction(5)], share) for tokens, share in rows]


def test_a_fraction_of_a_thing_gives_way_to_a_whole_number():
    given = solutions(("/ N1 N0", 0.6), ("* N0 N1", 0.2), ("- N1 N0", 0.1))
    weighed = plausible_first("How many cars do 28 pupils need, 5 in a car?", given)
    assert [solution.equation for solution in weighed] == ["28*5", "5/28", "5-28"]
    assert weighed[0].probability == pytest.approx(0.2 / (0.2 + 0.007 + 0.1))
    assert sum(solution.probability for solution in weighed) < 1
    assert plausible_first("How many litres are 28 of 5?", given[:2]) == given[:2]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Ann pays £28 for a hat with a £5 note. How much change is that?", "28-5"),
        ("水果店有28千克苹果，卖出5千克，还剩多少千克？", "28-5"),
        ("It was 5 °C and fell by 28 °C. What is the temperature?", "5-28"),
        ("28 more than a number is 5. What is the number?", "5-28"),
        ("5-28", "5-28"),
    ],
)
def test_an_amount_is_not_below_zero_unless_its_text_tells_of_such(text, first):
    weighed = plausible_first(text, solutions(("- N1 N0", 0.6), ("- N0 N1", 0.3)))
    assert weighed[0].equation == first


@pytest.mark.parametrize(("share", "first"), [(0.85, "28/5"), (0.5, "28*5")])
def test_a_division_with_a_remainder_is_rounded_and_comes_first_where_it_is_much_likelier(share, first):
    given = solutions(("/ N0 N1", share), ("* N0 N1", 0.06))
    weighed = plausible_first("How many cars do 28 pupils need, 5 in a car?", given)
    assert weighed[0].equation == first
    division = next(solution for solution in weighed if solution.equation == "28/5")
    assert division.answer == "6"
    assert division.rounding == "up"
    rest = 1 - share - 0.06
    assert division.probability == pytest.approx(0.1 * share / (0.1 * share + 0.06 + rest))


def test_only_where_things_are_counted_an_answer_is_rounded():
    [division] = solutions(("/ N0 N1", 0.9))
    assert answer_to_count("How many cars are needed?", division).value == 6
    assert answer_to_count("How many litres are needed?", division) == division
    assert answer_to_count("How many cars are left?", division) == division


def test_without_a_plausible_answer_the_first_one_is_unlikely():
    [weighed] = plausible_first("How many cars are left?", solutions(("/ N0 N1", 0.9)))
    assert weighed.probability < 0.1


def test_what_has_no_value_is_left_as_it_is():
    divided = solution_of(["/", "N0", "N1"], [Fraction(28), Fraction(0)], 0.5)
    assert plausible_first("How many cars are needed?", [divided]) == [divided]
    assert plausible_first("How many cars are needed?", []) == []


@pytest.mark.parametrize(
    ("text", "without", "with_conversion"),
    [
        ("A runner covers 400 m in 80 seconds. What is her speed in km per hour?", "/ N0 N1", "* / N0 N1 3.6"),
        ("A cyclist rides at 18 km per hour for 40 minutes. How many km does she ride?", "* N0 N1", "/ * N0 N1 60"),
        ("A pen costs $1.20 and a pencil 75 cents. How many dollars do both cost?", "+ N0 N1", "+ N0 / N1 100"),
        ("一个长方形长1.2米，宽50厘米，面积是多少平方厘米？", "* N0 N1", "* * N0 100 N1"),
    ],
)
def test_quantities_in_two_units_are_converted(text, without, with_conversion):
    values = [slot.value for slot in number_slots(text)]
    wrong, right = (
        solution_of(tuple(tokens.split()), values, probability)
        for tokens, probability in ((without, 0.6), (with_conversion, 0.3))
    )
    first, second = plausible_first(text, [wrong, right])
    assert first.equation == right.equation
    assert second.probability < 0.2


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Ben works 3 hours a day for 5 days. How many hours does he work?", "* N0 N1"),
        ("A car drives 120 km in 2 hours. What is its speed in km per hour?", "/ N0 N1"),
        ("A room is 4 m long and 3 m wide. What is its area in square metres?", "* N0 N1"),
        ("A rope is 50 cm long and weighs 2 kg. How many kg do 3 ropes weigh?", "* N1 N2"),
        ("How many dollars are 3 pens at $2?", "* N0 N1"),
    ],
)
def test_units_that_belong_together_need_no_conversion(text, tokens):
    values = [slot.value for slot in number_slots(text)]
    solution = solution_of(tuple(tokens.split()), values, 0.6)
    assert plausible_first(text, [solution]) == [solution]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("A farmer has 28 cows and some hens. The animals have 5 legs altogether. How many hens are there?", "- N0 N1"),
        ("Bo has 28 coins in dimes and quarters. They are worth $5. How many dimes has he?", "- N0 N1"),
        ("School vans hold 28 pupils. If 5 pupils go by van, how many vans are needed?", "* N0 N1"),
        ("Ann walked 28 km at 5 km per hour. How long did she walk?", "- N0 N1"),
    ],
    ids=["legs and cows", "dollars and coins", "pupils times pupils", "a distance and a speed"],
)
def test_numbers_of_kinds_that_do_not_go_together_are_doubted(text, tokens):
    assert plausible_first(text, solutions((tokens, 0.9)))[0].probability < 0.5


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("There are 28 girls and 5 boys. How many children are there?", "+ N0 N1"),
        ("There are 28 chairs and 5 children. How many more chairs than children are there?", "- N0 N1"),
        ("28 rows have 5 chairs each. How many chairs are there?", "* N0 N1"),
        ("A garden is 28 m long and 5 m wide. What is its area?", "* N0 N1"),
        ("Sam has 28 dimes. He spends 5. How many dimes has he left?", "- N0 N1"),
    ],
)
def test_numbers_that_go_together_are_not_doubted(text, tokens):
    given = solutions((tokens, 0.9))
    assert plausible_first(text, given) == given
