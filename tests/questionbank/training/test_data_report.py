"""What an admin is told of the bank before a training."""

from __future__ import annotations

import math

import pytest
from django.core.cache import cache

from analytics.splits import is_held_out
from questionbank.models import KnowledgeHierarchy, Question
from questionbank.training import data_report
from questionbank.training.data_report import encoder_data_report
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
    report = encoder_data_report()
    assert (report.questions, report.levels, report.languages) == (0, (), ())
    assert len(report.advice) == 1
    assert "learns very little" in report.advice[0]


def test_levels_count_after_shared_leading_nodes_with_skew_and_entropy():
    for number in range(3):
        tagged(f"Which {WORDS[number]}?", "Number", "Primes")
    tagged("Which circle?", "Geometry")
    first, second = encoder_data_report().levels
    assert (first.level, first.concepts, first.questions) == (1, 2, 4)
    assert (first.largest_share, first.smallest_count) == (0.75, 1)
    expected = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)) / math.log(2)
    assert first.entropy == pytest.approx(expected)
    assert (second.questions, second.largest_share, second.entropy) == (3, 1.0, 0.0)
    assert any("At level 1 one concept has 75 %" in line for line in encoder_data_report().advice)


def test_shares_are_of_questions_also_where_one_has_several_concepts():
    circles, primes = add_concept("Maths", "Circles"), add_concept("Maths", "Primes")
    add_question("Which circle?", concepts=[circles])
    add_question("Which prime circle?", concepts=[circles, primes])
    (level,) = encoder_data_report().levels
    assert (level.questions, level.largest_share, level.smallest_count) == (2, 1.0, 1)


def test_duplicates_near_equal_questions_and_held_out_ones_are_counted():
    for word in WORDS:
        add_question(f"How many legs has {word} number 5?")
    add_question("How many legs has ant number 5?")
    add_question("How many legs has ant number 7?")
    add_question("how many legs has BEE number 31?")
    add_question("A draft", status="draft")
    report = encoder_data_report()
    ready = Question.objects.filter(status="ready")
    assert (report.questions, report.examined) == (23, 23)
    assert report.exact_duplicates == 1
    assert report.near_equal == 4
    assert report.held_out == sum(is_held_out(question.text) for question in ready)
    assert report.without_concept == 23
    assert report.test_items_in_train == 0  # by the rule that parts them, and counted
    assert any("No question has a concept" in line for line in report.advice)


def test_questions_that_stand_in_both_parts_would_be_found(monkeypatch):
    add_question("Take 3 apples", source="ours")
    add_question("Take 4 apples", source="TAL test split")
    add_question("Take 5 pears", source="contest")  # not a test
    monkeypatch.setattr(data_report, "is_held_out", lambda text: "3" in text)
    report = encoder_data_report()
    assert (report.test_items_in_train, report.test_sources) == (1, 1)
    assert sum("test split" in line or "training part" in line for line in report.advice) == 2


def test_a_language_that_the_encoder_in_use_does_not_know_is_named():
    add_set("purpose", 8, unknown_shares={"zh": 0.5})
    add_question("What is 2 + 2?")
    add_question("二加二是多少", language="zh")
    report = encoder_data_report()
    by_name = {entry.language: entry for entry in report.languages}
    assert (by_name["en"].unknown_share, by_name["en"].known) == (None, True)
    assert (by_name["zh"].unknown_share, by_name["zh"].known) == (0.5, False)
    assert any("(Chinese)" in line for line in report.advice)


def test_only_the_hierarchies_that_were_chosen_count():
    tagged("Which prime?", "Number")
    add_question("Which one?", concepts=[add_concept("Other", hierarchy="College")])
    add_question("No concept")
    assert encoder_data_report().questions == 3
    report = encoder_data_report(hierarchies=["College"])
    assert (report.questions, report.without_concept) == (1, 0)


def test_the_report_is_kept_until_the_bank_changes(django_assert_max_num_queries):
    question = tagged("Which prime?", "Number")
    assert encoder_data_report().without_concept == 0
    with django_assert_max_num_queries(2):
        encoder_data_report()
    question.tags.all().delete()
    assert encoder_data_report().without_concept == 1
    add_question("One more")
    assert encoder_data_report().questions == 2


def test_a_question_of_two_hierarchies_stands_in_both():
    question = tagged("Which prime?", "Number", difficulty=2.0, difficulty_scale="0-4")
    college_concept = add_concept("Arithmetic", hierarchy="College")
    question.tags.create(concept=college_concept)
    rows = training_questions()
    assert [(row.hierarchy, row.paths) for row in rows] == [("College", (("Arithmetic",),)), ("School", (("Number",),))]
    assert {row.difficulty for row in rows} == {0.5}
    assert KnowledgeHierarchy.objects.count() == 2
    assert encoder_data_report().questions == 1


def test_paraphrases_are_left_out():
    question = tagged("Which prime?", "Number")
    add_question("Which number is prime?", paraphrase_of=question)
    assert [row.id for row in training_questions()] == [question.pk]
    assert encoder_data_report().questions == 1
