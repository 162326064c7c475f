"""Similar problems: written, decided on, added to the bank, and never read by a training of the scorer."""

from __future__ import annotations

import pytest

from analytics.solver.targets import problem_graph_key
from questionbank.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.models import ParaphrasePair, ProblemVariant, Question
from questionbank.selectors.models.scorer_material import scorer_material
from questionbank.selectors.questions.questions import question_get
from questionbank.selectors.questions.variants import accepted_variants, open_variants
from questionbank.services.questions import question_create, question_retire
from questionbank.services.solutions import solution_store
from questionbank.services.variants import (
    variant_decide,
    variants_add_accepted,
    variants_turn_around,
    variants_write,
)
from tests.factories import ConceptFactory
from tests.questionbank.scripted_solver import served

pytestmark = pytest.mark.django_db

PENCILS = "Sara had 24 pencils and gave 6 of them to Tom. How many pencils has Sara left?"
EGGS = "The box holds 6 eggs."


def add(text: str, equation: str = "", **fields: object) -> Question:
    usual = {
        "language": "en", "kind": "open", "options": [], "answer": "", "solution": "", "grade": "4",
        "status": "ready", "concepts": [],
    }  # fmt: skip
    made = question_create(user=None, text=text, equation=equation, **{**usual, **fields})
    return question_get(question_id=made.pk)


@pytest.fixture
def question(db) -> Question:
    return add(PENCILS, "24-6", answer="18", concepts=[ConceptFactory(names=("Number", "Subtraction"))])


def test_what_is_written_has_the_graph_other_numbers_and_an_answer_and_waits(question, teacher):
    made = variants_write(question=question, each=5, user=teacher)
    assert len(made) == 5
    assert {problem_graph_key(variant.text, variant.equation) for variant in made} == {"+(-s0,s1)"}
    assert len({variant.generator for variant in made}) >= 2
    assert list(open_variants()) == made
    assert not ParaphrasePair.objects.exists()
    again = variants_write(question=question, each=5, user=teacher)
    assert not {variant.text for variant in made} & {variant.text for variant in again}


def test_by_the_solvers_equation_only_other_stories_are_written(teacher):
    question = add(PENCILS)
    solver = served({PENCILS: [("24-6", 0.8)]})
    with pytest.raises(Conflict, match="is not known"):
        variants_write(question=question, each=3, user=teacher)
    solution_store(question=question, artifact=solver.artifact, solutions=solver.solver._solutions(PENCILS))
    made = variants_write(question=question_get(question_id=question.pk), each=5, user=teacher)
    assert made
    assert all(variant.is_predicted and variant.generator.startswith("demo pattern") for variant in made)


def test_accepted_ones_enter_the_bank_once_with_equation_answer_and_concepts(question, teacher, reviewer):
    first, second, third = variants_write(question=question, each=3, user=teacher)
    with pytest.raises(NotAllowed):
        variant_decide(variant=first, accept=True, user=teacher)
    variant_decide(variant=first, accept=False, user=reviewer)
    variant_decide(variant=first, accept=True, user=reviewer)
    variant_decide(variant=second, accept=False, user=reviewer)
    assert list(open_variants()) == [third]
    with pytest.raises(NotAllowed):
        variants_add_accepted(user=reviewer)
    assert variants_add_accepted(user=teacher) == 1
    assert variants_add_accepted(user=teacher) == 0
    first.refresh_from_db()
    added = question_get(question_id=first.added_id)
    assert (added.text, added.answer, added.equation.expression) == (first.text, first.answer, first.equation)
    assert added.equation.graph_key == question.equation.graph_key
    assert added.paraphrase_of is None
    assert [tag.concept.name for tag in added.tags.all()] == ["Subtraction"]
    assert (added.grade, added.status) == ("4", "ready")
    with pytest.raises(Conflict, match="in the bank already"):
        variant_decide(variant=first, accept=False, user=reviewer)


def test_a_training_of_the_scorer_reads_no_similar_problem(question, teacher, reviewer):
    (variant,) = variants_write(question=question, each=1, user=teacher)
    variant_decide(variant=variant, accept=True, user=reviewer)
    decided = scorer_material().decided
    assert (decided.learned, decided.validation, decided.held_out) == ((), (), ())


def test_what_cannot_be_varied_is_said(question, teacher):
    with pytest.raises(ValidationFailed):
        variants_write(question=question, each=6, user=teacher)
    with pytest.raises(Conflict, match="English only"):
        variants_write(question=add("6 oeufs moins 4?", "6-4", language="fr"), each=1, user=teacher)
    question_retire(user=None, question=question)
    with pytest.raises(Conflict, match="retired"):
        variants_write(question=question_get(question_id=question.pk), each=1, user=teacher)
    assert list(accepted_variants()) == []
    assert not ProblemVariant.objects.exists()


@pytest.fixture
def pens(db) -> Question:
    addition = ConceptFactory(names=("Number", "Addition"))
    return add(
        "Ann has 7 pens. She buys 2 pens. How many pens does she have now?", "7+2", concepts=[addition]
    )


def test_a_story_turned_around_asks_for_its_numbers_and_queues_with_the_answers(pens, teacher):
    made = variants_turn_around(question=pens, user=teacher)
    assert [(variant.kind, variant.text, variant.equation, variant.answer) for variant in made] == [
        ("reversed", "Ann has 9 pens now. She buys 2 pens. How many pens does she have?", "9-2", "7"),
        ("reversed", "Ann has 7 pens. She has 9 pens now. How many pens does she buy?", "9-7", "2"),
        ("reordered", "How many pens does she have now? Ann has 7 pens. She buys 2 pens.", "7+2", "9"),
    ]
    assert not variants_turn_around(question=pens, user=teacher)
    assert list(open_variants()) == made


def test_a_number_that_no_sentence_asks_for_is_left_out(teacher):
    tables = add(
        "At a wedding, 15 tables of 14 guests are full and 8 guests stand. How many guests are there?",
        "15*14+8",
    )
    made = variants_turn_around(question=tables, user=teacher)
    assert [(variant.text, variant.equation, variant.answer) for variant in made[:2]] == [
        (
            "At a wedding, ____ tables of 14 guests are full and 8 guests stand. How many guests are there?"
            " The answer is 218. Which number is missing?",
            "(218-8)/14",
            "15",
        ),
        (
            "At a wedding, 15 tables of ____ guests are full and 8 guests stand. How many guests are there?"
            " The answer is 218. Which number is missing?",
            "(218-8)/15",
            "14",
        ),
    ]
    assert [variant.kind for variant in made] == ["reversed"] * 3 + ["reordered"]


@pytest.mark.parametrize(
    ("text", "equation"),
    [
        ("A pen costs $3. Ann buys it and 3 rubbers. How many things?", "1+3"),  # the number occurs twice
        ("Tom has 4 bags of 4 sweets. How many sweets?", "4*4"),
        ("What is $7 + 2$?", "7+2"),  # in a formula
        ("A book costs $7 and a pen costs $2. How much are both?", "7+2"),  # a gap would begin a formula
    ],
)
def test_a_number_that_cannot_be_left_out_is_not(text, equation, teacher):
    made = variants_turn_around(question=add(text, equation), user=teacher)
    assert not [variant for variant in made if variant.kind == "reversed"]


def test_only_the_same_computation_keeps_the_concepts(pens, teacher, reviewer):
    made = variants_turn_around(question=pens, user=teacher)
    for variant in made:
        variant_decide(variant=variant, accept=True, user=reviewer)
    assert variants_add_accepted(user=teacher) == 3
    for variant in made:
        variant.refresh_from_db()
        added = question_get(question_id=variant.added_id)
        assert (added.answer, added.equation.expression) == (variant.answer, variant.equation)
        assert added.tags.exists() == (variant.kind == "reordered")


def test_only_a_known_equation_is_turned_around(teacher):
    question = add(PENCILS)
    solver = served({PENCILS: [("24-6", 0.9)]})
    solution_store(question=question, artifact=solver.artifact, solutions=solver.solver._solutions(PENCILS))
    with pytest.raises(Conflict, match="equation from its source or a person"):
        variants_turn_around(question=question_get(question_id=question.pk), user=teacher)
    french = add("Léa a 5 pommes et en mange 2. Combien reste-t-il ?", "5-2", language="fr")
    with pytest.raises(Conflict, match="English and Chinese"):
        variants_turn_around(question=french, user=teacher)


def test_chinese_stories_are_turned_around_too(teacher):
    question = add("小明有15个苹果，吃了4个，还剩多少个苹果？", "15-4", language="zh")
    made = variants_turn_around(question=question, user=teacher)
    assert {variant.kind for variant in made} >= {"reordered"}
    assert {variant.answer for variant in made if variant.kind == "reordered"} == {"11"}
