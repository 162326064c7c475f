"""Problems that are computed like another one: the same story with other names and numbers."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from analytics.expression.evaluate import evaluate_float
from analytics.expression.parser import parse_expression
from analytics.solver.targets import problem_graph_key
from analytics.text.number_slots import number_slots
from questionbank.retelling.names_and_numbers import retold
from questionbank.retelling.problem import RetoldProblem, refusal
from questionbank.retelling.reversal import reversed_problems

PENCILS = "Sara had 24 pencils and gave 6 of them to Tom. How many pencils has Sara left?"
TAKE_AWAY = "+(-s0,s1)"


def first(candidates, number: int = 5) -> list[RetoldProblem]:
    return list(islice(candidates, number))


def test_a_retelling_changes_names_things_and_every_number_and_computes_the_answer() -> None:
    for problem in first(retold(PENCILS, "24-6", "1")):
        assert problem_graph_key(problem.text, problem.equation) == TAKE_AWAY
        assert not any(word in problem.text for word in ("Sara", "Tom", "pencil"))
        old, new = ([slot.value for slot in number_slots(text)] for text in (PENCILS, problem.text))
        assert all(before != after for before, after in zip(old, new, strict=True))
        assert evaluate_float(parse_expression(problem.equation)) == float(problem.answer) > 0
        assert refusal(problem, text=PENCILS, graph_key=TAKE_AWAY) == ""


def test_whole_steps_stay_whole() -> None:
    text = "Ann has 12 marbles and buys 30 more. She shares them among 6 friends. How many does each get?"
    problems = first(retold(text, "(12+30)/6", "3"), 10)
    assert len(problems) == 10
    assert all(problem.answer.isdigit() for problem in problems)


def test_decimals_thousands_and_words_are_written_as_they_were() -> None:
    text = "Ben drove 1,250 miles in three days at 2.50 dollars a mile. What did he pay?"
    for problem in first(retold(text, "1250*2.50", "1")):
        words = problem.text.split()
        assert "three" in words
        miles = words[words.index("miles") - 1]
        assert miles == f"{int(miles.replace(',', '')):,}"
        assert miles != "1,250"
        assert any(word.count(".") == 1 and len(word.partition(".")[2]) == 2 for word in words)


def test_an_equation_that_cannot_be_read_has_no_retelling() -> None:
    assert first(retold(PENCILS, "24-", "1")) == []


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (RetoldProblem("Ann has 9 hats and finds 5.", "9+5", "14", ""), "it is computed in another way"),
        (
            RetoldProblem("Ann has 9 hats and loses 5.", "9-5", "5", ""),
            "its answer is not its equation's value",
        ),
        (RetoldProblem("Ann has 24 hats and loses 6.", "24-6", "18", ""), "its numbers are the same"),
        (RetoldProblem(PENCILS.replace("24", "30"), "30-6", "24", ""), "its story is the same"),
        (RetoldProblem("Ann has 9 hats and loses 5.", "9-5", "4", ""), ""),
    ],
)
def test_what_is_no_similar_problem_is_refused(problem: RetoldProblem, reason: str) -> None:
    assert refusal(problem, text=PENCILS, graph_key=TAKE_AWAY) == reason


@pytest.mark.parametrize(
    ("text", "equation", "asked_for"),
    [
        ("Ann has 7 pens. She buys 2 pens. How many pens does she have now?", "7+2", {"2"}),
        ("A box holds 6 eggs. There are 4 boxes. How many eggs are there in total?", "6*4", {"6", "4"}),
    ],
)
def test_a_reversed_problem_does_not_state_the_answer_before_what_leads_to_it(
    text: str, equation: str, asked_for: set[str]
) -> None:
    problems = list(reversed_problems(text, equation, "en"))
    kind = "asks for a known number"
    assert {problem.answer for problem in problems if problem.generator == kind} == asked_for
    assert {problem.answer for problem in problems} == set(re.findall(r"\d+", text))
