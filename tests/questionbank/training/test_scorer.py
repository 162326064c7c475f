"""What a scorer learns from: fixed parts of questions and decisions, and a report on them."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from analytics.splits import HELD_OUT_SHARE, is_held_out
from questionbank.models import ParaphrasePair
from questionbank.review.selectors import decided_pairs
from questionbank.training.questions import VALIDATION_SHARE
from questionbank.training.scorer import decision_counts, scorer_material, scorer_report
from tests.questionbank.small_bank import add_concept, add_question
from tests.worker.scorer_bank import add_decided, add_word_problems, reworded

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def forget():
    cache.clear()


def decide(original: str, paraphrase: str, outcome: str = "accept", **fields) -> ParaphrasePair:
    return ParaphrasePair.objects.create(
        original=original, paraphrase=paraphrase, source="typed", state="decided", outcome=outcome, **fields
    )


def test_every_question_and_pair_has_its_fixed_part():
    bank = add_word_problems(200)
    add_decided(bank)
    material = scorer_material()
    texts = {question.text for question in bank}
    held = {text for text in texts if is_held_out(text)}
    measured = {text for text in texts - held if is_held_out(text, HELD_OUT_SHARE + VALIDATION_SHARE)}
    questions, decided = material.questions, material.decided
    assert held
    assert measured
    assert set(questions.held_out) == held
    assert set(questions.validation) == measured
    assert set(questions.learned) == texts - held - measured
    assert {pair.original for pair in decided.held_out} == held
    assert {pair.original for pair in decided.validation} == measured
    assert {pair.original for pair in decided.learned} == texts - held - measured
    assert [pair.label for pair in decided.learned[:2]] == [1, 0]
    assert (material.ready, material.english, questions.left_out, decided.left_out) == (200, 200, 0, 0)
    without = scorer_material(decisions=False)
    assert without.decided.learned == without.decided.held_out == ()
    assert without.questions == questions


def test_what_a_kept_back_part_has_too_but_for_marks_is_not_learned():
    held = next(question.text for question in add_word_problems(80) if is_held_out(question.text))
    variant = next(
        changed
        for changed in (held.replace(".", mark) for mark in (" .", "!", ";", " ;", ":"))
        if not is_held_out(changed, HELD_OUT_SHARE + VALIDATION_SHARE)
    )
    add_question(variant)
    decide(variant, "Something else?")
    decide("A question that is asked nowhere?", held)
    material = scorer_material()
    assert variant not in material.questions.learned
    assert material.questions.left_out == 1
    assert material.decided.left_out == 2
    assert material.decided.learned == ()


def test_other_languages_drafts_repetitions_and_test_items_are_left_out_and_counted():
    learned = next(question.text for question in add_word_problems(20) if not is_held_out(question.text))
    add_question(learned)
    add_question("求圆的面积", language="zh")
    add_question("A British question of 3 metres?", language="en-GB")
    add_question("A draft?", status="draft")
    add_question("Of 5 cakes 2 are eaten. How many are left?", source="AQuA-RAT test")
    decide("Of 8 cakes 3 are eaten. How many are left?", "How many cakes are left?")
    decide("求圆的面积", "圆的面积是多少", language="zh")
    material = scorer_material()
    assert (material.ready, material.english) == (24, 23)
    assert (material.repeated, material.test_items) == (1, 1)
    assert sum(map(len, (material.questions.learned, material.questions.validation, material.questions.held_out))) == 21
    assert material.decided.left_out == 1  # an item of a test split with other numbers
    assert material.decided.learned == ()
    assert len(list(decided_pairs())) == 2
    assert [pair.original for pair in decided_pairs(language="en")] == ["Of 8 cakes 3 are eaten. How many are left?"]


def test_only_questions_of_chosen_hierarchies_are_learned_from():
    tagged = add_question(
        "Ann has 4 pens and loses 1. How many has she?", concepts=[add_concept("Number", hierarchy="School")]
    )
    add_word_problems(10)
    material = scorer_material(hierarchies=["School"])
    parts = (*material.questions.learned, *material.questions.validation, *material.questions.held_out)
    assert parts == (tagged.text,)
    assert material.ready == 1


def test_the_report_counts_decisions_by_label_and_part():
    bank = add_word_problems(200)
    add_decided(bank)
    changed = next(question for question in bank if not is_held_out(question.text, 0.2))
    decide(changed.text, "Nearly right.", "edit", outcome_text=reworded(changed.text) + " Say.")
    decide("求圆的面积", "圆的面积是多少", language="zh")
    counts = decision_counts()
    assert counts == {"accepted": 200, "rejected": 200, "changed": 1}
    report = scorer_report()
    held = sum(is_held_out(question.text) for question in bank)
    assert report.count("held_out") == held
    learned, validation, held_out = (row.cells for row in report.tables[0].rows)
    assert held_out == (held, held)
    assert validation == (report.count("validation"), report.count("validation"))
    assert learned[0] == report.count("learned") + 1
    assert report.count("learned") + report.count("validation") + report.count("held_out") == 200
    assert any("hardly learns" in line for line in report.advice)
    decide(changed.text, "One more.", "reject")
    assert scorer_report().tables[0].rows[0].cells == (learned[0], learned[1] + 1)


def test_an_empty_bank_has_a_report_too():
    report = scorer_report()
    assert report.count("learned") == 0
    assert report.introduction == "0 of 0 are in English."
    assert report.tables[0].rows[0].cells == (0, 0)
    assert any("No question is held out" in line for line in report.advice)
