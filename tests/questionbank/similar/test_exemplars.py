"""Worked exemplars of questions: which, in which order, and what is made of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analytics.analogy.exemplars import PromptSettings
from analytics.errors import DataError
from questionbank.bank.question_selectors import question_get
from questionbank.models import EmbeddingSet, Question
from questionbank.registry.serving import serving
from questionbank.similar.exemplars import exemplar_prompt, question_exemplars, text_exemplars
from questionbank.solving.services import solution_store
from questionbank.solving.solutions import answer_checks, question_solved, text_solved
from tests.cases import each_case
from tests.questionbank.scripted_solver import served
from tests.questionbank.small_bank import add_set, store_vectors, write_question

pytestmark = pytest.mark.django_db

ASKED = "A box holds 6 eggs. A shop buys 4 boxes and sells 3 eggs. How many eggs has it left?"
COPY = "A box holds 12 eggs. A shop buys 5 boxes and sells 7 eggs. How many eggs has it left?"
CHAIRS = "There are 5 rows of 9 chairs, and 7 chairs are broken. How many chairs are whole?"
EGGS = "A box holds 6 eggs. A shop buys 4 boxes and 3 more eggs. How many eggs has it?"
PENS = "Ben had 2 boxes with 8 pens each and lost 5 pens. How many pens are left?"
BARE = "A box of eggs costs 4 dollars in the shop and 3 on the market. Where is it cheaper?"


def add(text: str, **fields: object) -> Question:
    return question_get(question_id=write_question(text, **fields).pk)


@pytest.fixture
def bank(db) -> dict[str, Question]:
    questions = {
        "asked": add(ASKED, equation="6*4-3", answer="21"),
        "copy": add(COPY, equation="12*5-7", answer="53"),
        "chairs": add(CHAIRS, equation="9*5-7", answer="38"),
        "eggs": add(EGGS, equation="6*4+3", answer="27"),
        "pens": add(PENS, answer="11", solution="2 boxes hold 16 pens. 16 - 5 = 11."),
        "bare": add(BARE),
        "draft": add("A tray holds 3 cups of 4 litres; 2 litres are spilt.", equation="3*4-2", status="draft"),
        "foreign": add("Une boîte contient 6 oeufs, 4 boîtes, moins 3.", equation="6*4-3", language="fr"),
    }
    for lens in ("purpose", "wording"):
        store_vectors(add_set(lens), list(questions.values()))
    return questions


def exemplars_of(question: Question, k: int = 8):
    return question_exemplars(question=question, solved=question_solved(question, None), serving=serving(), k=k)


def ids(worked) -> list[int]:
    return [exemplar.question.pk for exemplar in worked.exemplars]


def test_the_same_graph_comes_first_and_neither_itself_nor_a_copy_but_for_numbers_comes(bank):
    worked = exemplars_of(bank["asked"])
    assert ids(worked)[:2] == [bank["chairs"].pk, bank["eggs"].pk]
    assert set(ids(worked)) == {bank["chairs"].pk, bank["eggs"].pk, bank["pens"].pk}
    assert worked.shape == "a × b − c"
    first = worked.exemplars[0]
    assert first.has_same_graph
    assert first.reason == "It has the same computation as the question: a × b − c."
    assert [(step.left, step.operator, step.right) for step in first.solved.shown.steps] == [
        ("9", "*", "5"), ("45", "-", "7")
    ]  # fmt: skip
    assert "a × b + c; the question's is a × b − c" in worked.exemplars[1].reason


def test_an_equation_that_only_the_solver_found_counts_and_is_called_predicted(bank):
    solver = served({PENS: [("2*8-5", 0.83)]})
    solution_store(question=bank["pens"], artifact=solver.artifact, solutions=solver.solver._solutions(PENS))
    worked = exemplars_of(bank["asked"])
    pens = next(exemplar for exemplar in worked.exemplars if exemplar.question.pk == bank["pens"].pk)
    assert pens.has_same_graph
    assert pens.is_predicted
    assert "According to the solver's equation" in pens.reason
    assert pens.problem.equation == ""  # no guess goes into a prompt


def test_a_pasted_text_finds_them_by_the_solver_or_else_by_meaning(bank):
    solved = text_solved(ASKED, "en", served({ASKED: [("6*4-3", 0.9)]}))
    worked = text_exemplars(text=ASKED, language="en", solved=solved, serving=serving())
    assert worked.exemplars[0].question.pk == bank["chairs"].pk
    assert bank["asked"].pk not in ids(worked)
    unsolved = text_exemplars(text=ASKED, language="en", solved=None, serving=serving())
    assert unsolved.shape == ""
    assert unsolved.exemplars[0].question.pk == bank["eggs"].pk
    assert "It is similar" in unsolved.exemplars[0].reason


def test_a_guess_of_the_solver_that_is_too_doubtful_to_be_told_still_orders_them(bank):
    solved = text_solved(ASKED, "en", served({ASKED: [("6*4-3", 0.4), ("6*4+3", 0.1)]}))
    worked = text_exemplars(text=ASKED, language="en", solved=solved, serving=serving())
    assert worked.shape == ""
    assert ids(worked)[:2] == [bank["chairs"].pk, bank["eggs"].pk]
    assert not worked.exemplars[0].has_same_graph


def test_the_graph_that_is_told_comes_first_however_likely_another_is(bank):
    solver = served({ASKED: [("6*4-3", 0.5), ("6*4+3", 0.49)]})  # the eggs are nearer
    worked = text_exemplars(text=ASKED, language="en", solved=text_solved(ASKED, "en", solver), serving=serving())
    assert ids(worked)[:2] == [bank["chairs"].pk, bank["eggs"].pk]


def test_a_division_of_the_neighbours_is_rounded_as_the_question_asks(bank):
    boats = add("A boat holds 4 pupils. How many boats do 20 pupils need?", equation="20/4", answer="5")
    for embedding_set in EmbeddingSet.objects.all():
        store_vectors(embedding_set, [boats])
    text = "A car holds 5 pupils. How many cars do 28 pupils need?"
    worked = text_exemplars(text=text, language="en", solved=None, serving=serving())
    assert worked.applied is not None
    assert (worked.applied.equation, worked.applied.value) == ("28/5", 6)


def test_the_neighbours_answer_by_similarity_alone_and_the_answer_is_checked(bank):
    worked = exemplars_of(bank["asked"])
    assert worked.applied.value == 27  # the eggs are nearer than the chairs
    assert 0 < worked.applied.confidence <= 1
    assert worked.voters_agree
    unsure = replace(worked, applied=replace(worked.applied, confidence=0.49))
    assert not unsure.voters_agree
    assert not replace(worked, applied=None).voters_agree
    assert not replace(worked, voters=1).voters_agree
    solved = question_solved(bank["asked"], served({ASKED: [("6*4-3", 0.9)]}))
    checks = answer_checks(27.0, solved=solved, question=bank["asked"])
    assert [(check.agrees, check.is_certain) for check in checks] == [(False, False), (False, True)]
    assert checks[0].sentence == "The solver disagrees: it finds 6*4-3 = 21 (90% likely to be right)."
    assert [check.agrees for check in answer_checks(21.0, solved=solved, question=bank["asked"])] == [True, True]
    assert [check.agrees for check in answer_checks(11.0, solved=None, question=bank["pens"])] == [True]
    assert answer_checks(1.0, solved=None) == []


@each_case("similar_questions", "letters")
def test_the_answer_stands_for_its_letter_however_a_solution_names_it(bank, solution, shown):
    options = [{"label": "A", "text": "24 eggs"}, {"label": "B", "text": "10 eggs"}]
    trays = add("A tray holds 6 eggs. How many are on 4?", kind="choice", options=options, answer="A",
                solution=solution, equation="6*4")  # fmt: skip
    store_vectors(serving().sets["purpose"], [trays])
    exemplars = exemplars_of(bank["asked"]).exemplars
    problem = next(each.problem for each in exemplars if each.question == trays)
    assert (problem.answer, problem.solution) == ("24 eggs", shown)


def test_a_question_whose_computation_is_not_known_is_no_exemplar_where_there_are_enough_others(bank):
    assert bank["pens"].pk in ids(exemplars_of(bank["asked"]))  # two others have an equation
    more = add("A tray holds 6 eggs. A cook takes 3 trays and drops 2 eggs. What is left?", equation="6*3-2")
    store_vectors(serving().sets["purpose"], [more])
    assert set(ids(exemplars_of(bank["asked"]))) == {bank["chairs"].pk, bank["eggs"].pk, more.pk}


def test_a_solution_that_contradicts_the_published_answer_is_not_what_the_question_computes(bank):
    solver = served({PENS: [("2*8+5", 0.9)]})
    solved = question_solved(bank["pens"], solver)
    assert solved.is_contradicted
    worked = question_exemplars(question=bank["pens"], solved=solved, serving=serving())
    assert worked.shape == ""


def test_a_prompt_has_the_format_that_most_exemplars_have(bank):
    exemplars = exemplars_of(bank["asked"]).exemplars
    prompt = exemplar_prompt(ASKED, exemplars, PromptSettings())
    assert (prompt.answers, prompt.used, prompt.lacking) == ("answer", 3, 0)
    assert prompt.text.endswith(f"Question: {ASKED}\nAnswer:")
    equations = exemplar_prompt(ASKED, exemplars, PromptSettings(answers="equation", order="nearest first"))
    assert equations.text.startswith(f"Question: {CHAIRS}\nAnswer: x=9*5-7")
    assert (equations.used, equations.lacking) == (2, 1)
    with pytest.raises(DataError, match="question alone"):
        exemplar_prompt(ASKED, exemplars, PromptSettings(budget=5))
    with pytest.raises(DataError, match="None of the exemplars"):
        exemplar_prompt(ASKED, [], PromptSettings())


def test_the_number_of_queries_does_not_grow_with_the_bank(bank):
    def queries() -> int:
        question, models = question_get(question_id=bank["asked"].pk), serving()
        solved = question_solved(question, None)
        with CaptureQueriesContext(connection) as captured:
            question_exemplars(question=question, solved=solved, serving=models)
        return len(captured)

    before = queries()
    more = [add(f"Shelf {n} has 4 rows of {n} books; 2 are lent. How many?", equation=f"4*{n}-2") for n in range(9, 40)]
    for embedding_set in EmbeddingSet.objects.all():
        store_vectors(embedding_set, more)
    assert queries() == before
    assert before <= 10
