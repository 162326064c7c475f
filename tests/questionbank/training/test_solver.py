"""What solvers are compared on, besides the parts that `tests/worker/solver/test_training.py` looks at."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from analytics.splits import is_held_out
from questionbank.models import Question
from questionbank.training.solver import solver_material, solver_report
from tests.questionbank.small_bank import add_concept
from tests.questionbank.story_bank import add_story, story

pytestmark = pytest.mark.django_db


def stories(*, held_out: bool) -> Iterator[str]:
    """Yield stories of one side of the split; no two differ in their numbers only."""
    texts = (story(number)[0] for number in range(0, 180, 3))
    return (text for text in texts if is_held_out(text) is held_out)


@pytest.fixture
def text() -> str:
    return next(stories(held_out=True))


def answered(language: str = "en") -> dict[str, str]:
    """Return the texts of the answer-only problems with their answers."""
    return {problem.text: problem.answer for problem in solver_material(language).answered}


def test_a_held_out_question_with_only_a_numeric_answer_joins_the_suite_and_is_counted_apart():
    first, second = islice(stories(held_out=True), 2)
    with_equation, question = add_story(first, "2+11"), add_story(second, answer="24 pens")
    material = solver_material("en")
    assert {(problem.id, problem.equation) for problem in material.suite} == {
        (str(with_equation.pk), "2+11"),
        (str(question.pk), ""),
    }
    assert material.problems.learned == material.problems.validation == ()
    english, chinese = solver_report().tables[0].rows
    assert (english.label, english.cells[2:4]) == ("English", (1, 1))
    assert (chinese.label, chinese.cells[2:4]) == ("Chinese", (0, 0))


@pytest.mark.parametrize("answer", ["", "many", "3 or 4", "$x$"])
def test_a_question_whose_answer_is_not_one_number_is_left_out(text, answer):
    add_story(text, answer=answer)
    assert answered() == {}


@pytest.mark.parametrize(("right", "expected"), [("$13$ pens", True), ("none of these", False)])
def test_a_multiple_choice_question_is_answered_by_the_text_of_its_right_option(text, right, expected):
    options = [{"label": "A", "text": "$22$ pens"}, {"label": "B", "text": right}]
    add_story(text, kind=Question.Kind.CHOICE, options=options, answer="B")
    assert answered() == ({text: right} if expected else {})


@pytest.mark.parametrize(
    "fields", [{"source": "Sums test"}, {"status": Question.Status.DRAFT}, {"language": "de"}, {"language": "zh"}]
)
def test_test_splits_drafts_and_other_languages_are_left_out(text, fields):
    add_story(text, answer="24", **fields)
    assert answered() == answered("zh") == {}


def test_only_word_problems_that_ask_for_something_are_measured_on(monkeypatch):
    monkeypatch.setattr("questionbank.training.solver.is_held_out", lambda _text: True)
    monkeypatch.setattr("questionbank.training.solver.split_place", lambda _text: 0.0)
    for text in (
        "Solve $2x + 3 = 11$ for the number $x$ with 3 steps.",
        "Ann has 5 pens and Ben gives 3 more pens to her.",
        "At -5 degrees the water freezes and warms by 8 degrees. How warm is the water?",
        "How many pens does Ann have in all of her boxes?",
    ):
        add_story(text, answer="4")
    asked = "Ann has 5 pens and Ben gives 3 more pens to her. How many has she?"
    add_story(asked, answer="8")
    add_story(asked, answer="9", source="A copy")
    assert answered() == {asked: "8"}


def test_only_questions_of_the_chosen_hierarchies_are_held_out():
    first, second = islice(stories(held_out=True), 2)
    add_story(first, answer="24", concepts=[add_concept("Number", "Sums", hierarchy="School")])
    add_story(second, answer="24")
    chosen = solver_material("en", hierarchies=["School"]).answered
    assert [problem.text for problem in chosen] == [first]
    assert answered() == {first: "24", second: "24"}


def test_a_text_that_also_has_an_equation_is_measured_once(text):
    add_story(text, answer="1", source="A copy")
    add_story(text, "2+11")
    material = solver_material("en")
    assert [problem.equation for problem in material.suite] == ["2+11"]


def test_no_text_that_is_learned_from_is_in_the_suite(text):
    for learned in stories(held_out=False):
        add_story(learned, "2+11")
        add_story(learned, answer="13", source="A copy without the equation")
    assert solver_material("en").suite == ()
    learned = len(solver_material("en").problems.learned)
    twin = next(changed for changed in variants(text) if not is_held_out(changed))
    add_story(twin, "2+11")
    assert len(solver_material("en").problems.learned) == learned + 1
    add_story(text, answer="13")
    material = solver_material("en")
    assert [problem.text for problem in material.suite] == [text]
    assert len(material.problems.learned) == learned
    assert material.problems.left_out == 1


def variants(text: str) -> Iterator[str]:
    """Yield the text with other punctuation, which the division knows as the same text."""
    return (text.replace(".", "!" * count) for count in range(1, 100))
