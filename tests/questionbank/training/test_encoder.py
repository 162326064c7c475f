"""What an admin is told of the bank before a training."""

from __future__ import annotations

import math

import pytest
from django.core.cache import cache

from analytics.splits import is_held_out
from questionbank.models import KnowledgeHierarchy, Question
from questionbank.training import encoder
from questionbank.training.encoder import encoder_report
from questionbank.training.questions import training_questions
from tests.questionbank.small_bank import add_concept, add_question, add_set

pytestmark = pytest.mark.django_db

WORDS = "ant bee cat dog elk fox gnu hen ibis jay kite lynx mole newt owl pig quail ram seal tern".split()


@pytest.fixture(autouse=True)
def forget():
    cache.clear()


def tagged(text: str, *path: str, **fields) -> Question:
    return add_question(text, concepts=[add_concept("Maths", *path, hierarchy="School")], **fields)


def test_an_empty_bank_has_a_report_too():
    report = encoder_report()
    assert report.count("questions") == 0
    assert [table.rows for table in report.tables] == [(), ()]
    assert len(report.advice) == 1
    assert "learns very little" in report.advice[0]


def test_levels_count_after_shared_leading_nodes_with_skew_and_entropy():
    for number in range(3):
        tagged(f"Which {WORDS[number]}?", "Number", "Primes")
    tagged("Which circle?", "Geometry")
    first, second = encoder_report().tables[0].rows
    evenness = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)) / math.log(2)
    assert (first.label, first.cells) == ("1", (4, 2, 0.75, 1, pytest.approx(evenness)))
    assert (second.label, second.cells) == ("2", (3, 1, 1.0, 3, 0.0))
    assert any("At level 1 one concept has 75 %" in line for line in encoder_report().advice)


def test_shares_are_of_questions_also_where_one_has_several_concepts():
    circles, primes = add_concept("Maths", "Circles"), add_concept("Maths", "Primes")
    add_question("Which circle?", concepts=[circles])
    add_question("Which prime circle?", concepts=[circles, primes])
    (level,) = encoder_report().tables[0].rows
    questions, _concepts, largest_share, rarest, _evenness = level.cells
    assert (questions, largest_share, rarest) == (2, 1.0, 1)


def test_duplicates_near_equal_questions_and_held_out_ones_are_counted():
    for word in WORDS:
        add_question(f"How many legs has {word} number 5?")
    add_question("How many legs has ant number 5?")
    add_question("How many legs has ant number 7?")
    add_question("how many legs has BEE number 31?")
    add_question("A draft", status="draft")
    report = encoder_report()
    ready = Question.objects.filter(status="ready")
    assert (report.count("questions"), report.count("examined")) == (23, 23)
    assert report.count("exact_duplicates") == 1
    assert report.count("near_equal") == 4
    assert report.count("held_out") == sum(is_held_out(question.text) for question in ready)
    assert report.count("without_concept") == 23
    assert report.count("test_items_in_train") == 0  # by the rule that parts them, and counted
    assert any("No question has a concept" in line for line in report.advice)


def test_questions_that_stand_in_both_parts_would_be_found(monkeypatch):
    add_question("Take 3 apples", source="ours")
    add_question("Take 4 apples", source="TAL test split")
    add_question("Take 5 pears", source="contest")  # not a test
    monkeypatch.setattr(encoder, "is_held_out", lambda text: "3" in text)
    report = encoder_report()
    assert (report.count("test_items_in_train"), report.count("test_sources")) == (1, 1)
    assert sum("test split" in line or "training part" in line for line in report.advice) == 2


def test_a_language_that_the_encoder_in_use_does_not_know_is_named():
    add_set("purpose", 8, unknown_shares={"zh": 0.5})
    add_question("What is 2 + 2?")
    add_question("二加二是多少", language="zh")
    report = encoder_report()
    rows = {row.label: row for row in report.tables[1].rows}
    assert (rows["English"].cells, rows["English"].is_left_out) == ((1, None), False)
    assert (rows["Chinese"].cells, rows["Chinese"].is_left_out) == ((1, 0.5), True)
    assert any("(Chinese)" in line for line in report.advice)


def test_only_the_hierarchies_that_were_chosen_count():
    tagged("Which prime?", "Number")
    add_question("Which one?", concepts=[add_concept("Other", hierarchy="College")])
    add_question("No concept")
    assert encoder_report().count("questions") == 3
    report = encoder_report(hierarchies=["College"])
    assert (report.count("questions"), report.count("without_concept")) == (1, 0)


def test_the_report_is_kept_until_the_bank_changes(django_assert_max_num_queries):
    question = tagged("Which prime?", "Number")
    assert encoder_report().count("without_concept") == 0
    with django_assert_max_num_queries(2):
        encoder_report()
    question.tags.all().delete()
    assert encoder_report().count("without_concept") == 1
    add_question("One more")
    assert encoder_report().count("questions") == 2


def test_a_question_of_two_hierarchies_stands_in_both():
    question = tagged("Which prime?", "Number", difficulty=2.0, difficulty_scale="0-4")
    college_concept = add_concept("Arithmetic", hierarchy="College")
    question.tags.create(concept=college_concept)
    rows = training_questions()
    assert [(row.hierarchy, row.paths) for row in rows] == [("College", (("Arithmetic",),)), ("School", (("Number",),))]
    assert {row.difficulty for row in rows} == {0.5}
    assert KnowledgeHierarchy.objects.count() == 2
    assert encoder_report().count("questions") == 1


def test_paraphrases_are_left_out():
    question = tagged("Which prime?", "Number")
    add_question("Which number is prime?", paraphrase_of=question)
    assert [row.id for row in training_questions()] == [question.pk]
    assert encoder_report().count("questions") == 1
