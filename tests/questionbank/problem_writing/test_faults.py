"""What a teacher would strike out in a written problem, and what she would not."""

from __future__ import annotations

from questionbank.problem_writing import problem
from questionbank.problem_writing.problem import replaced
from tests.cases import each_case


@each_case("written_problems", "faults")
def test_a_fault_is_named_and_a_sound_problem_has_none(text: str, answer: str, fault: str) -> None:
    found = problem.fault(text, answer)
    assert fault in found
    assert bool(found) == bool(fault)


def test_a_question_that_leans_on_the_story_cannot_come_first() -> None:
    assert problem.refers_back("If she bought 3 more, how many pens has Ann?")
    assert problem.refers_back("How many apples are left?")
    assert not problem.refers_back("How many pens do Ann and Ben have?")


@each_case("written_problems", "articles")
def test_articles_follow_what_is_replaced(text: str, old: str, new: str, expected: str) -> None:
    start = text.index(old)
    assert replaced(text, [(start, start + len(old), new)]) == expected
