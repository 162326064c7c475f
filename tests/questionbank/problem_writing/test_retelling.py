"""Problems that are computed like another one: the same story with other names and numbers, without faults."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import islice
from random import Random

import pytest

from analytics.expression.evaluate import evaluate_float
from analytics.expression.tree import parse_expression
from analytics.solver.targets import problem_graph_key
from analytics.text.number_slots import number_slots
from questionbank.problem_writing.names_and_numbers import OtherNumbers, retold
from questionbank.problem_writing.problem import SAME_STORY, RetoldProblem, answer_text, refers_back, refusal, replaced
from questionbank.problem_writing.problem import fault as fault_of
from questionbank.problem_writing.reversal import reversed_problems
from tests.cases import each_case

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


@each_case("written_problems", "kept_words")
def test_what_belongs_together_or_means_no_quantity_stays(text: str, equation: str, stays: str) -> None:
    assert all(stays in problem.text for problem in first(retold(text, equation, "5")))


def test_what_was_more_is_still_more_and_nobody_gives_away_more_than_there_is() -> None:
    text = "Ben had 30 cards and 9 were torn. Ana bought 18 of them. How many cards has Ben now?"
    for problem in first(retold(text, "30-18", "2"), 20):
        whole, torn, sold = (slot.value for slot in number_slots(problem.text))
        assert whole > sold > torn
        assert whole > sold + torn


def test_an_equation_that_may_mean_two_numbers_is_not_varied() -> None:
    thrice = "Ana makes 2-point shots 7 times and 3-point shots thrice. How many points is that?"
    assert first(retold(thrice, "2*7+3*3", "1")) == []
    six = "It took 4 hours to go there and 2 more to come back with six friends. How many hours is that for the six?"
    assert first(retold(six, "(4+2)*6", "1")) == []


def test_prices_stay_prices() -> None:
    text = "A pen costs $2.50 and a book costs $12.00. How much money are 3 pens and 1 book?"
    for problem in first(retold(text, "3*2.50+12", "1"), 10):
        prices = re.findall(r"\$(\d+\.\d+)", problem.text)
        assert all(price[-1] in "05" for price in prices)
        assert prices[1].endswith(".00")
    assert answer_text(text, Fraction(39, 2)) == "19.50"


def test_an_equation_that_cannot_be_read_has_no_retelling() -> None:
    assert first(retold(PENCILS, "24-", "1")) == []


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (RetoldProblem("Ann has 9 hats and finds 5.", "9+5", "14", ""), "it is computed in another way"),
        (RetoldProblem("Ann has 9 hats and loses 5.", "9-5", "5", ""), "its answer is not its equation's value"),
        (RetoldProblem("Ann has 24 hats and loses 6.", "24-6", "18", ""), "its numbers are the same"),
        (RetoldProblem(PENCILS.replace("24", "30"), "30-6", "24", ""), "its story is the same"),
        (RetoldProblem(PENCILS.replace("24", "30"), "30-6", "24", SAME_STORY), ""),
        (RetoldProblem("Ann has 9 hats and loses 5. He cries.", "9-5", "4", ""), "a pronoun does not fit its name"),
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


def test_an_equation_that_may_mean_parts_of_two_mixed_numbers_retells_nothing() -> None:
    text = "A rope is 7 1/2 m long. Three pieces of 1 3/4 m each are cut off. How many metres are left?"
    assert first(retold(text, "15/2-3*7/4", "1")) == []


def test_numbers_with_many_decimals_are_drawn_without_listing_their_neighbours() -> None:
    text = "She mixed 0.16666666666666666 ton of sand and 0.5 ton of stone. How many tons is that?"
    numbers = OtherNumbers(text, number_slots(text), [0])
    numbered = numbers.text(numbers.draw(Random(1)))
    assert numbered != text
    assert re.search(r"mixed 0\.\d{17} ton", numbered)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("Ben works 7.5 hours a day.", r"works \d+(?:\.[1-9])? hours"),
        ("A pen costs $7.50 a piece.", r"costs \$\d+\.\d0 a"),
        ("A pen costs $7.5 a piece.", r"costs \$\d+\.\d a"),
    ],
)
def test_other_numbers_are_written_as_people_write_them(text, pattern) -> None:
    numbers = OtherNumbers(text, number_slots(text), [0])
    made = [numbers.text(numbers.draw(Random(seed))) for seed in range(40)]
    assert [other for other in made if not re.search(pattern, other)] == []


@each_case("written_problems", "faults")
def test_a_fault_is_named_and_a_sound_problem_has_none(text: str, answer: str, fault: str) -> None:
    found = fault_of(text, answer)
    assert fault in found
    assert bool(found) == bool(fault)


def test_a_question_that_leans_on_the_story_cannot_come_first() -> None:
    assert refers_back("If she bought 3 more, how many pens has Ann?")
    assert refers_back("How many apples are left?")
    assert not refers_back("How many pens do Ann and Ben have?")


@each_case("written_problems", "articles")
def test_articles_follow_what_is_replaced(text: str, old: str, new: str, expected: str) -> None:
    start = text.index(old)
    assert replaced(text, [(start, start + len(old), new)]) == expected
