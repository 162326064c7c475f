"""What the solver makes of questions, and questions that are computed alike."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analytics.solver.plausibility import answer_to_count
from analytics.solver.solution import SEVERAL_REASON
from questionbank.bank.question_selectors import published_number, question_get
from questionbank.bank.question_services import question_update
from questionbank.models import ModelArtifact, Question, QuestionSolution
from questionbank.solving.computations import computed_alike, question_computation
from questionbank.solving.services import (
    solution_store,
    solve_after_promotion,
    solve_request_missing,
    unsolved_questions,
)
from questionbank.solving.solutions import question_solved, text_solved
from tests.questionbank.scripted_solver import served
from tests.questionbank.small_bank import write_question

pytestmark = pytest.mark.django_db

BOXES = "A box holds 6 eggs. How many eggs are there in 4 boxes?"
PENS = "Ben buys 7 pens, and each of them costs 3 dollars. What does he pay?"
MARBLES = "Ann has 5 marbles and her brother gives her 8 more. How many has she now?"
FIELDS = {
    "language": "en", "kind": "open", "options": [], "answer": "", "solution": "", "grade": "", "status": "ready",
    "concepts": [],
}  # fmt: skip


SHARED = "8 sweets are shared by 0 children. How many does each get?"


@pytest.fixture
def solver(db):
    return served(
        {
            BOXES: [("6*4", 0.9), ("6+4", 0.1)],
            PENS: [("7*3", 0.8)],
            MARBLES: [("5+8", 0.3)],
            SHARED: [("8/0", 0.9), ("8*0", 0.05)],
        }
    )


def kept(question: Question, solver) -> Question:
    problem_solutions = solver.solver._solutions(question.text)
    solution_store(question=question, artifact=solver.artifact, solutions=problem_solutions)
    return question_get(question_id=question.pk)


def test_a_text_is_solved_with_steps_a_tree_and_its_numbers_marked(solver):
    solved = text_solved(BOXES, "en", solver)
    assert (solved.best.equation, solved.best.answer, solved.best.probability) == ("6*4", "24", 0.9)
    assert [(step.left, step.operator, step.right, step.result) for step in solved.best.steps] == [
        ("6", "*", "4", "24")
    ]
    assert "".join(part.text for part in solved.parts) == BOXES
    assert [part.text for part in solved.parts if part.slots] == ["6", "4"]
    assert solved.is_certain
    assert len(solved.alternatives) == 2


def test_no_solver_and_no_word_problem_say_nothing(solver):
    assert text_solved(BOXES, "en", None) is None
    assert text_solved("Solve $2x+3=11$ for the number x please, with care.", "en", solver) is None


def test_a_problem_without_an_equation_says_so(solver):
    solved = text_solved("Two of the 9 birds fly away, and then 3 more come back. How many are there?", "en", solver)
    assert solved.best is None
    assert solved.reason


def test_a_question_in_parts_is_declined_with_the_reason(solver):
    question = write_question(BOXES)
    question.content = {"parts": [{"text": "How many eggs are in 4 boxes?"}, {"text": "How many are in 5?"}]}
    declined = question_solved(question, solver)
    assert (declined.shown, declined.reason) == (None, SEVERAL_REASON)
    question.text, question.content = "Work out.", {"parts": [{"text": "$3(x+2)$"}, {"text": "$x^2-x$"}]}
    assert question_solved(question, solver) is None  # no word problem


def test_a_division_by_zero_is_no_answer_and_cannot_be_accepted(solver):
    solved = text_solved(SHARED, "en", solver)
    assert solved.shown is None
    assert solved.reason == "Its most likely equation, 8/0, divides by zero."
    assert not solved.may_be_accepted


def test_what_was_kept_is_shown_until_the_question_or_the_solver_changes(solver):
    question = kept(write_question(BOXES), solver)
    QuestionSolution.objects.update(probability=0.9)
    solver.solver.equations = {}
    assert question_solved(question, solver).best.equation == "6*4"
    changed = question_update(user=None, question=question, version=1, **{**FIELDS, "text": PENS})
    assert question_solved(question_get(question_id=changed.pk), solver).best is None


@pytest.mark.parametrize(
    ("answer", "agrees"),
    [("24", True), ("24 eggs", True), ("25", False), ("many", None), ("", None), ("3 or 4", None), ("9" * 400, False)],
)
def test_the_published_answer_is_compared_where_it_is_one_number(solver, answer, agrees):
    assert question_solved(kept(write_question(BOXES, answer=answer), solver), solver).agrees is agrees


def test_the_questions_own_equation_is_shown_and_the_solvers_answer_compared_with_it(solver):
    question = kept(write_question(BOXES, equation="4*6", answer="24"), solver)
    solved = question_solved(question, solver)
    assert (solved.shown.equation, solved.shown.answer, solved.known_by_person) == ("4*6", "24", False)
    assert solved.best.equation == "6*4"
    assert solved.agrees is True
    without_solver = question_solved(question, None)
    assert (without_solver.shown.equation, without_solver.best, without_solver.agrees) == ("4*6", None, None)
    solver.solver.equations = {PENS: [("7+3", 0.9)]}
    assert question_solved(question_get(question_id=write_question(PENS, equation="3*7").pk), solver).agrees is False


def test_an_equation_whose_value_is_not_the_published_answer_says_so(db):
    question = question_get(question_id=write_question(BOXES, equation="6+4", answer="24").pk)
    solved = question_solved(question, None)
    assert (solved.known_is_published, solved.published) == (False, "24")
    question.answer = "10"
    assert question_solved(question, None).known_is_published is True
    question.answer = "as many as before"
    assert question_solved(question, None).known_is_published is None


CARS = "A class of 28 pupils goes by car, 5 pupils in a car. How many cars are needed?"


@pytest.mark.parametrize(
    ("answer", "shown", "is_published"),
    [("", "6", None), ("6 cars", "6", True), ("5.6", "5.6", True), ("140", "6", False)],
)
def test_the_own_equation_of_a_division_with_a_remainder_is_rounded_unless_its_quotient_is_published(
    solver, answer, shown, is_published
):
    question = write_question(CARS, equation="28/5", answer=answer)
    solved = question_solved(question_get(question_id=question.pk), solver)
    assert solved is not None
    assert solved.known is not None
    assert solved.known.answer == shown
    assert solved.known_is_published is is_published
    assert len(solved.known.steps) == (2 if shown == "6" else 1)


@pytest.mark.parametrize(("answer", "agrees"), [("6", True), ("5.6", True), ("140", False)])
def test_a_rounded_answer_is_kept_and_agrees_with_either_way_to_publish_it(db, answer, agrees):
    solver = served({CARS: [("28/5", 0.9)]})
    question = write_question(CARS, answer=answer)
    rounded = [answer_to_count(CARS, each) for each in solver.solver._solutions(CARS)]
    solution_store(question=question, artifact=solver.artifact, solutions=rounded)
    solved = question_solved(question_get(question_id=question.pk), solver)
    assert solved is not None
    assert solved.best is not None
    assert (solved.best.answer, solved.best.quotient) == ("6", 5.6)
    assert solved.agrees is agrees
    assert bool(question_get(question_id=question.pk).machine_solution.graph_key) is agrees


def test_a_formula_with_a_used_number_is_not_cut(solver):
    text = r"A jug holds $\frac{3}{4}$ l, and 2 jugs are full. How much water is that?"
    solver.solver.equations = {text: [("2*(3/4)", 0.9)]}
    parts = text_solved(text, "en", solver).parts
    assert [part.text for part in parts if part.slots] == [r"$\frac{3}{4}$", "2"]
    assert "".join(part.text for part in parts) == text


def test_the_answer_of_a_choice_is_that_of_its_option(db):
    options = [{"label": "A", "text": "24"}, {"label": "B", "text": "10"}]
    published = published_number(write_question(BOXES, kind="choice", options=options, answer="B"))
    assert published is not None
    assert published.value == 10


@pytest.mark.parametrize(
    ("answer", "value", "agrees"),
    [
        ("-3", -3, True), ("−3 °C", -3, True), ("$-3$", -3, True), ("-$3", -3, True), ("-3", 3, False),
        ("x-3", 3, True), ("0.67", 2 / 3, True), ("33.3 km", 100 / 3, True), ("33.4", 100 / 3, False),
        ("25", 77 / 3, False), ("26", 77 / 3, False), ("24 eggs", 24, True), ("24", None, False),
        ("5/56", 5 / 56, True), ("5/56", 5, False), (r"$3\frac12$ m", 3.5, True), ("10%", 0.1, True),
        ("10 per cent", 10, True), ("10%", 90, False),
        (r"$\frac{2}{4}$", 0.5, True), (r"$2\sqrt{9}$ cm", 6, True), (r"$x = 2^{10}$", 1024, True),
        (r"$\sqrt{2}$", 2, False), (r"$2\pi$", 2, False), ("$24^{\\circ}$", 24, True),
    ],
)  # fmt: skip
def test_an_answer_has_a_sign_and_may_be_rounded_to_the_decimals_that_are_written(db, answer, value, agrees):
    published = published_number(write_question(BOXES, answer=answer))
    assert published is not None
    assert published.agrees_with(value) is agrees


@pytest.mark.parametrize("answer", ["$3x$", "$x^2$", r"$\frac{1}{x}$", r"$\log_2 x$", r"$\sqrt{x}$", "2x + 1"])
def test_an_answer_with_a_letter_is_no_number(db, answer):
    assert published_number(write_question(BOXES, answer=answer)) is None


def test_questions_are_computed_alike_by_equation_or_by_a_solution_that_is_certain_enough(solver, teacher):
    boxes = write_question(BOXES, equation="6*4")
    pens, marbles = kept(write_question(PENS), solver), kept(write_question(MARBLES), solver)
    rows = write_question("There are 9 rows of 5 chairs. How many chairs are there?", equation="9*5")
    alike = computed_alike(question=question_get(question_id=boxes.pk), user=teacher, limit=10)
    assert (alike.published, alike.predicted) == ([rows], [pens])
    assert (alike.published_count, alike.predicted_count, alike.count) == (1, 1, 2)
    assert question_computation(pens).is_predicted
    assert computed_alike(question=marbles, user=teacher, limit=10) is None  # 0.3 is not certain enough
    Question.objects.filter(pk=pens.pk).update(content_hash=b"a later text")
    alike = computed_alike(question=question_get(question_id=boxes.pk), user=teacher, limit=10)
    assert (alike.predicted, alike.predicted_count) == ([], 0)


def test_nothing_follows_from_a_solution_that_contradicts_the_published_answer(solver, teacher):
    pens = kept(write_question(PENS, answer="22 dollars"), solver)
    solved = question_solved(pens, solver)
    assert solved.is_contradicted
    assert not solved.may_be_accepted
    assert question_computation(pens) is None
    boxes = question_get(question_id=write_question(BOXES, equation="6*4").pk)
    assert computed_alike(question=boxes, user=teacher, limit=10).predicted == []
    question_update(user=None, question=pens, version=1, **{**FIELDS, "text": PENS, "answer": "21 dollars"})
    pens = question_get(question_id=pens.pk)
    assert question_computation(pens)  # compared with the new answer
    assert pens not in unsolved_questions(solver.artifact)
    assert not question_solved(pens, solver).is_contradicted
    assert computed_alike(question=boxes, user=teacher, limit=10).predicted == [pens]


def test_drafts_of_others_and_retired_questions_are_not_listed(solver, teacher):
    boxes = write_question(BOXES, equation="6*4")
    write_question("There are 9 rows of 5 chairs. How many chairs are there?", equation="9*5", status="draft")
    write_question("There are 8 rows of 5 chairs. How many chairs are there?", equation="8*5", status="retired")
    assert computed_alike(question=question_get(question_id=boxes.pk), user=teacher, limit=10).count == 0


def test_counting_and_listing_take_four_statements(solver, teacher):
    boxes = question_get(question_id=write_question(BOXES, equation="6*4").pk)
    with CaptureQueriesContext(connection) as queries:
        computed_alike(question=boxes, user=None, limit=10)
    assert len(queries) == 4


def test_what_the_solver_has_not_looked_at(solver):
    boxes = write_question(BOXES)
    write_question(PENS, status="retired")
    assert list(unsolved_questions(solver.artifact)) == [boxes]
    kept(boxes, solver)
    assert not unsolved_questions(solver.artifact).exists()
    question_update(user=None, question=boxes, version=1, **{**FIELDS, "text": PENS})
    assert list(unsolved_questions(solver.artifact)) == [boxes]


def test_what_was_solved_with_another_retriever_is_solved_again(solver):
    boxes = write_question(BOXES)
    kept(boxes, solver)
    assert solve_request_missing() is None
    retriever = ModelArtifact.objects.create(
        capability="analogy", name="r", state=ModelArtifact.State.CHAMPION, checksum="2" * 64, manifest={}
    )
    assert list(unsolved_questions(solver.artifact)) == [boxes]
    assert solve_after_promotion().startswith("Word problems are solved again by job")
    solution_store(question=boxes, artifact=solver.artifact, solutions=[], retriever=retriever)
    assert not unsolved_questions(solver.artifact).exists()
