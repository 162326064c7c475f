"""Stories that state relations between unknown numbers: read in full and solved, or left alone."""

from __future__ import annotations

import time

from analytics.solver.rules.reading import Reading
from analytics.solver.rules.relations import related_numbers
from analytics.solver.rules.solver import contradicts_itself, rule_solution
from tests.cases import each_case


@each_case("word_problems", "equations")
def test_a_part_of_a_metre_is_no_part_of_the_rope(text: str, equation: str) -> None:
    assert rule_solution(text).equation == equation


@each_case("word_problems", "kinds")
def test_how_many_kinds_there_are_is_not_added(text: str) -> None:
    solution = rule_solution(text)
    assert solution is None or "2" not in solution.equation.split("+")


@each_case("word_problems", "relations_left_alone")
def test_what_was_not_read_in_full_is_left_alone(text: str) -> None:
    assert related_numbers(Reading(text)) is None


def test_a_sentence_of_many_clauses_is_left_at_once() -> None:
    started = time.monotonic()
    assert related_numbers(Reading("Tom and " * 25 + "Ann have 5 apples?")) is None
    assert time.monotonic() - started < 5


def test_less_is_less_in_every_word() -> None:
    puzzles = ("Three times a number minus 7 is 20.", "Seven less than three times a number is 20.")
    assert [rule_solution(f"{each} What is the number?").exact for each in puzzles] == ["9", "9"]


def test_an_answer_that_cannot_be_is_none() -> None:
    text = "Ana and Bo have {} marbles together. Ana has 3 more than Bo. How many marbles does Bo have?"
    assert rule_solution(text.format(15)).exact == "6"
    for together in (16, 2):
        assert rule_solution(text.format(together)) is None
        assert contradicts_itself(text.format(together))
