"""A question for a number of things has a whole number as its answer, rounded as the question says."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analytics.solver.plausibility import (
    answer_to_count,
    asks_for_count,
    plausible_first,
    rounded_solution,
    rounding_of,
)
from analytics.solver.solution import Solution, solution_of, solution_steps
from analytics.text.number_slots import number_slots
from tests.cases import each_case


@each_case("plausible_answers", "counted")
def test_things_are_counted_and_amounts_measured(text, counts):
    assert asks_for_count(text) is counts


def solutions(*rows: tuple[str, float]) -> list[Solution]:
    return [solution_of(tokens.split(), [Fraction(28), Fraction(5)], share) for tokens, share in rows]


def test_a_fraction_of_a_thing_gives_way_to_a_whole_number():
    given = solutions(("/ N1 N0", 0.6), ("* N0 N1", 0.2), ("- N1 N0", 0.1))
    weighed = plausible_first("How many cars do 28 pupils need, 5 in a car?", given)
    assert [solution.equation for solution in weighed] == ["28*5", "5/28", "5-28"]
    assert weighed[0].probability == pytest.approx(0.2 / (0.2 + 0.007 + 0.1))
    assert sum(solution.probability for solution in weighed) < 1
    assert plausible_first("How many litres are 28 of 5?", given[:2]) == given[:2]


@each_case("plausible_answers", "below_zero")
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


@each_case("plausible_answers", "converted")
def test_quantities_in_two_units_are_converted(text, without, with_conversion):
    values = [slot.value for slot in number_slots(text)]
    wrong, right = (
        solution_of(tuple(tokens.split()), values, probability)
        for tokens, probability in ((without, 0.6), (with_conversion, 0.3))
    )
    first, second = plausible_first(text, [wrong, right])
    assert first.equation == right.equation
    assert second.probability < 0.2


@each_case("plausible_answers", "not_converted")
def test_units_that_belong_together_need_no_conversion(text, tokens):
    values = [slot.value for slot in number_slots(text)]
    solution = solution_of(tuple(tokens.split()), values, 0.6)
    assert plausible_first(text, [solution]) == [solution]


@each_case("plausible_answers", "kinds")
def test_numbers_of_kinds_that_do_not_go_together_are_doubted(text, tokens, doubted):
    given = solutions((tokens, 0.9))
    weighed = plausible_first(text, given)
    assert weighed[0].probability < 0.5 if doubted else weighed == given


VALUES = [Fraction(28), Fraction(5), Fraction(3)]


@each_case("plausible_answers", "rounding")
def test_the_words_behind_how_many_tell_how_to_round(question, rounding):
    assert rounding_of(f"There are 28 children. {question}") == rounding


@each_case("plausible_answers", "rounded")
def test_a_quotient_is_rounded_where_things_are_counted(tokens, question, answer):
    solution = solution_of(tokens.split(), VALUES, 0.5)
    rounded = rounded_solution(question, solution)
    if answer is None:
        assert rounded is None
        return
    assert rounded is not None
    assert rounded.answer == rounded.exact == answer
    assert (rounded.equation, rounded.quotient) == (solution.equation, solution.value)


def test_rounding_is_the_last_step():
    def steps(tokens: str, question: str) -> list[str]:
        rounded = rounded_solution(question, solution_of(tokens.split(), VALUES, 0.5))
        assert isinstance(rounded, Solution)
        return [str(step) for step in solution_steps(rounded)]

    assert steps("/ N0 N1", "How many cars are needed?") == ["28 / 5 = 5.6", "5.6 rounded up = 6"]
    assert steps("/ N0 N2", "About how many are they?")[-1] == "9.33333 rounded = 9"
