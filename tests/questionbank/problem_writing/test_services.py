"""Similar problems: written, decided on, added to the bank, and never read by a training of the scorer."""

from __future__ import annotations

import pytest

from analytics.solver.targets import problem_graph_key
from questionbank.bank.question_selectors import question_get
from questionbank.bank.question_services import question_retire
from questionbank.core.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.models import ParaphrasePair, ProblemVariant, Question
from questionbank.problem_writing.selectors import accepted_variants, last_decided_variant, open_variants
from questionbank.problem_writing.services import (
    variant_decide,
    variant_keep_as_draft,
    variant_reopen,
    variant_reword,
    variants_add_accepted,
    variants_reverse,
    variants_write,
)
from questionbank.solving.services import solution_store
from questionbank.training.scorer import scorer_material
from tests.factories import ConceptFactory
from tests.questionbank.scripted_solver import served
from tests.questionbank.small_bank import write_question

pytestmark = pytest.mark.django_db

PENCILS = "Sara had 24 pencils and gave 6 of them to Tom. How many pencils has Sara left?"
EGGS = "The box holds 6 eggs."


def add(text: str, equation: str = "", **fields: object) -> Question:
    return question_get(question_id=write_question(text, equation=equation, **{"grade": "4", **fields}).pk)


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
    assert all(variant.is_predicted and variant.generator == "another story" for variant in made)


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


def test_a_decision_is_taken_back_until_the_problem_is_in_the_bank(question, teacher, reviewer):
    first, second = variants_write(question=question, each=2, user=teacher)
    variant_decide(variant=first, accept=True, user=reviewer)
    variant_decide(variant=second, accept=False, user=reviewer)
    assert last_decided_variant(reviewer=reviewer) == second
    assert last_decided_variant(reviewer=teacher) is None
    with pytest.raises(NotAllowed):
        variant_reopen(variant=second, user=teacher)
    assert variant_reopen(variant=second, user=reviewer).decided_by is None
    assert list(open_variants()) == [second]
    assert last_decided_variant(reviewer=reviewer) == first
    variants_add_accepted(user=teacher)
    assert last_decided_variant(reviewer=reviewer) is None
    with pytest.raises(Conflict, match="in the bank already"):
        variant_reopen(variant=first, user=reviewer)


def test_a_problem_is_reworded_as_long_as_the_equation_fits(question, teacher, reviewer):
    variant = variants_write(question=question, each=1, user=teacher)[0]
    left, right = variant.equation.split("-")
    text = f"Zoe counted {left} snails. {right} of them crept away. How many were left?"
    with pytest.raises(NotAllowed):
        variant_reword(variant=variant, text=text, user=teacher)
    for refused in (f"Zoe counted {left} snails. Some crept away. How many were left?", "Snails", PENCILS):
        with pytest.raises(ValidationFailed):
            variant_reword(variant=variant, text=refused, user=reviewer)
    assert variant_reword(variant=variant, text=f" {text} ", user=reviewer).text == text
    variant_decide(variant=variant, accept=True, user=reviewer)
    variants_add_accepted(user=teacher)
    assert Question.objects.filter(text=text, answer=variant.answer).exists()
    with pytest.raises(Conflict, match="in the bank already"):
        variant_reword(variant=variant, text=text, user=reviewer)


def test_a_new_wording_of_a_decided_problem_is_open_for_a_new_decision(question, teacher, reviewer):
    (variant,) = variants_write(question=question, each=1, user=teacher)
    accepted = variant_decide(variant=variant, accept=True, user=reviewer)
    unchanged = variant_reword(variant=accepted, text=f" {accepted.text}\r\n", user=reviewer)
    assert (unchanged.state, unchanged.decided_by) == ("accepted", reviewer)
    reworded = variant_reword(variant=accepted, text=f"Listen! {accepted.text}", user=reviewer)
    assert (reworded.state, reworded.decided_by, reworded.decided_at) == ("open", None, None)
    assert list(open_variants()) == [reworded]
    assert variants_add_accepted(user=teacher) == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Zoe counted {left} snails. {right} crept away and {answer} stayed. How many stayed?", "states the answer"),
        ("Zoe counted {left} snails on the wall. {right} of them crept away.", "asks nothing"),
        ("{left}-{right}=?", "no longer a word problem"),
        ("Zoe counted {left} snails. {right} of them crept away. How many were left?" + " " * 5000 + "?", "4000"),
    ],
)  # fmt: skip
def test_a_wording_that_is_no_problem_any_more_is_refused(text, problem, question, teacher, reviewer):
    (variant,) = variants_write(question=question, each=1, user=teacher)
    left, right = variant.equation.split("-")
    text = text.format(left=left, right=right, answer=variant.answer)
    with pytest.raises(ValidationFailed, match=problem):
        variant_reword(variant=variant, text=text, user=reviewer)
    variant.refresh_from_db()
    assert variant.text != text


def test_a_training_of_the_scorer_reads_no_similar_problem(question, teacher, reviewer):
    (variant,) = variants_write(question=question, each=1, user=teacher)
    variant_decide(variant=variant, accept=True, user=reviewer)
    decided = scorer_material().decided
    assert (decided.learned, decided.validation, decided.held_out) == ((), (), ())


def test_what_cannot_be_varied_is_said(question, teacher):
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
    text = "Ann has 7 pens. She buys 2 pens. How many pens does she have now?"
    return add(text, "7+2", answer="9", concepts=[addition])


BLANK_PENS = (
    "Ann has ____ pens. She buys 2 pens. How many pens does she have now? The answer is 9. Which number is missing?"
)


def test_reversed_versions_ask_for_the_numbers_and_queue_with_the_answers(pens, teacher):
    made = variants_reverse(question=pens, user=teacher)
    assert [(variant.kind, variant.text, variant.equation, variant.answer) for variant in made] == [
        ("reversed", "Ann has 7 pens. She has 9 pens now. How many pens does she buy?", "9-7", "2"),
        ("reversed", BLANK_PENS, "9-2", "7"),
    ]  # "How many pens does she have now?" cannot come first: nobody knows who she is
    assert not variants_reverse(question=pens, user=teacher)
    assert list(open_variants()) == made


def test_a_reworded_problem_keeps_its_blank_and_its_result(pens, teacher, reviewer):
    blank = next(each for each in variants_reverse(question=pens, user=teacher) if "____" in each.text)
    for refused, problem in (
        (blank.text.replace("____", "some"), "Keep the blank"),
        (blank.text.replace("____", "7"), "Keep the blank"),
        (blank.text.replace("She", "She has 7 now. She", 1), "states the answer"),
        (blank.text.replace(" The answer is 9.", ""), "must keep the numbers"),
    ):
        with pytest.raises(ValidationFailed, match=problem):
            variant_reword(variant=blank, text=refused, user=reviewer)
    text = blank.text.replace("Ann", "Zoe")
    assert variant_reword(variant=blank, text=text, user=reviewer).text == text


def test_a_number_that_no_sentence_asks_for_is_left_blank(teacher):
    text = "At a wedding, 15 tables of 14 guests are full and 8 guests stand. How many guests are there?"
    made = variants_reverse(question=add(text, "15*14+8", answer="218"), user=teacher)
    end = " The answer is 218. Which number is missing?"
    assert [(variant.text, variant.equation, variant.answer) for variant in made[:2]] == [
        (text.replace("15", "____") + end, "(218-8)/14", "15"),
        (text.replace("14", "____") + end, "(218-8)/15", "14"),
    ]
    assert [variant.kind for variant in made] == ["reversed"] * 3 + ["reordered"]


@pytest.mark.parametrize(
    ("text", "equation", "answer"),
    [
        ("Tom has 4 bags of 4 sweets. How many sweets?", "4*4", "16"),  # which 4?
        ("What is $7 + 2$?", "7+2", "9"),  # in a formula
        ("A book costs $7 and a pen costs $2. How much are both?", "7+2", "9"),  # a blank would begin a formula
        ("How much is 12 \\div 4?", "12/4", "3"),
        ("How much is 7 + 2?", "7+2", "9"),
        ("Fill in: 7 and 2 make ____.", "7+2", "9"),
        ("Five pens cost 5*2^1100.", "5*2^1100", "9"),
    ],
)
def test_a_number_is_not_left_blank_where_the_text_would_be_unclear(text, equation, answer, teacher):
    question = add(text, equation, answer=answer)
    try:
        made = variants_reverse(question=question, user=teacher)
    except Conflict:
        made = []
    assert not [variant for variant in made if variant.kind == "reversed"]


@pytest.mark.parametrize(
    ("text", "equation", "answer"),
    [
        ("A bus takes 40 of 128 pupils. How many buses are needed?", "128/40", "4"),
        ("Of 20 pens 5 are red. What percent of the pens are red?", "5/20", "25"),
        ("Tom has 24 sweets in 4 bags. How many in a bag?", "24/4", ""),
    ],
)
def test_an_equation_that_does_not_give_the_published_answer_is_not_reversed(text, equation, answer, teacher):
    with pytest.raises(Conflict, match="published answer"):
        variants_reverse(question=add(text, equation, answer=answer), user=teacher)


def test_only_the_same_computation_keeps_the_concepts(teacher, reviewer):
    concept = ConceptFactory(names=("Number", "Addition"))
    text = "Ann has 7 pens. Ben has 2 pens. How many pens do Ann and Ben have?"
    pens = add(text, "7+2", answer="9", concepts=[concept])
    made = variants_reverse(question=pens, user=teacher)
    for variant in made:
        variant_decide(variant=variant, accept=True, user=reviewer)
    assert variants_add_accepted(user=teacher) == 3
    assert made[-1].text == "How many pens do Ann and Ben have? Ann has 7 pens. Ben has 2 pens."
    for variant in made:
        variant.refresh_from_db()
        added = question_get(question_id=variant.added_id)
        assert (added.answer, added.equation.expression) == (variant.answer, variant.equation)
        is_reworded = variant.kind == "reordered"
        assert added.tags.exists() == is_reworded
        assert added.paraphrase_of_id == (pens.pk if is_reworded else None)


def test_only_a_known_equation_is_reversed(teacher):
    question = add(PENCILS)
    solver = served({PENCILS: [("24-6", 0.9)]})
    solution_store(question=question, artifact=solver.artifact, solutions=solver.solver._solutions(PENCILS))
    with pytest.raises(Conflict, match="needs a confirmed equation"):
        variants_reverse(question=question_get(question_id=question.pk), user=teacher)
    french = add("Léa a 5 pommes et en mange 2. Combien reste-t-il ?", "5-2", answer="3", language="fr")
    with pytest.raises(Conflict, match="English and Chinese"):
        variants_reverse(question=french, user=teacher)


def test_chinese_stories_are_reversed_too(teacher):
    apples = add("小明有15个苹果，吃了4个，还剩多少个苹果？", "15-4", answer="11", language="zh")
    made = variants_reverse(question=apples, user=teacher)
    assert [(variant.text, variant.answer) for variant in made] == [
        ("小明有15个苹果，还剩11个苹果，吃了多少个？", "4"),
        ("小明有____个苹果，吃了4个，还剩多少个苹果？答案是11。空格里的数是多少？", "15"),
        ("还剩多少个苹果？小明有15个苹果，吃了4个。", "11"),
    ]
    eaten = add("小明有15个苹果，吃了4个后还剩多少个", "15-4", answer="11", language="zh")
    texts = [variant.text for variant in variants_reverse(question=eaten, user=teacher)]
    assert "小明有15个苹果，吃了____个后还剩多少个。答案是11。空格里的数是多少？" in texts
    assert texts[-1] == "吃了4个后还剩多少个？小明有15个苹果。"


def test_the_author_keeps_a_problem_as_a_draft_without_a_reviewer(question, teacher, reviewer):
    variant, *_others = variants_write(question=question, each=3, user=teacher)
    draft = variant_keep_as_draft(variant=variant, user=teacher)
    assert (draft.status, draft.created_by_id, draft.text) == ("draft", teacher.pk, variant.text)
    assert (draft.answer, draft.equation.expression) == (variant.answer, variant.equation)
    assert variant_keep_as_draft(variant=variant, user=teacher) == draft
    with pytest.raises(NotAllowed):
        variant_keep_as_draft(variant=variant, user=reviewer)
    # Whether it enters the bank is still for a reviewer, and her draft is not taken for a question of the bank.
    assert variant in open_variants()
    variant_decide(variant=variant, accept=True, user=reviewer)
    assert variants_add_accepted(user=teacher) == 1
    variant.refresh_from_db()
    assert (variant.added.status, variant.added_id == draft.pk) == ("ready", False)


def test_an_equation_that_contradicts_the_answer_retells_no_story(teacher):
    wrong = add(PENCILS, "24-6", answer="30")
    assert {variant.generator for variant in variants_write(question=wrong, each=5, user=teacher)} <= {"another story"}


def test_stories_have_numbers_of_the_same_kinds(teacher):
    chairs = add("There are 27 rows with 16 chairs in each row. How many chairs are there?", "27*16", answer="432")
    made = variants_write(question=chairs, each=5, user=teacher)
    assert made
    assert not any("%" in variant.text or "frac" in variant.text for variant in made)
