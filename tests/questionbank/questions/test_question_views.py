"""The page of one question."""

from __future__ import annotations

import pytest
from django.urls import reverse

from questionbank.bank.question_services import question_update
from questionbank.jobs.run_services import run_create, worker_seen
from questionbank.models import EmbeddingSet, Question, QuestionTag
from questionbank.similar import insight
from questionbank.similar.predictions import PredictedConcept, QuestionPrediction
from tests.factories import QuestionFactory
from tests.questionbank.page_bank import text_of


def detail(client, question) -> str:
    response = client.get(reverse("question_detail", args=[question.pk]))
    assert response.status_code == 200
    return response.content.decode()


def test_formulas_are_rendered_and_their_source_stays_to_be_copied(bank, as_teacher) -> None:
    page = detail(as_teacher, bank.questions[4])
    assert "<mfrac>" in page
    assert r"\frac{3}{4} + \frac{1}{6}" in page


def test_answer_and_solution_are_folded_away(bank, as_teacher) -> None:
    page = detail(as_teacher, bank.questions[0])
    fold = page[page.index('<details class="fold answer-fold">') :]
    assert "Subtract, then divide." in fold[: fold.index("</details>")]
    assert "<details open" not in page


@pytest.mark.parametrize(
    ("changes", "has_fold"),
    [
        ({}, False),
        ({"content": {"pictures": [{"name": "a.png"}]}}, False),
        ({"content": {"feedback": {"general": "Now go on."}}}, True),
        ({"solution": "Shown."}, True),
    ],
)
def test_a_description_has_an_answer_to_open_only_where_something_is_in_it(as_teacher, changes, has_fold) -> None:
    question = QuestionFactory(kind="description", text="Use a ruler.", answer="", **changes)
    assert ("answer-fold" in detail(as_teacher, question)) is has_fold


def test_a_bank_without_vectors_still_shows_the_question_and_says_what_is_missing(bank, as_teacher) -> None:
    EmbeddingSet.objects.all().delete()
    page = detail(as_teacher, bank.questions[0])
    assert "cannot be compared yet" in page


def test_a_question_says_what_its_vectors_wait_for(bank, as_teacher) -> None:
    worker_seen(name="here", queues="default")
    run_create(kind="embed", title="Compute missing vectors", send=False)
    fresh = QuestionFactory(text="How many apples are there?")
    pages = [detail(as_teacher, question) for question in (fresh, bank.questions[0])]
    sentence = "Vectors of new questions are computed next."
    assert [sentence in shown for shown in pages] == [True, False]


def test_difficulty_leads_with_what_was_observed_and_ends_with_the_published_label(bank, as_teacher) -> None:
    question = bank.questions[0]
    Question.objects.filter(pk=question.pk).update(facility=0.75, responses=400)
    figures = as_teacher.get(reverse("question_detail", args=[question.pk])).context["figures"]
    observed, estimated, published = figures
    assert (observed.label, observed.percent) == ("Observed", 25)
    assert observed.low < 25 < observed.high
    assert "400 responses" in observed.basis
    assert estimated.is_estimate
    assert (published.label, published.percent) == ("Published", 0)
    assert "25% observed" in text_of(as_teacher.get(reverse("question_list"), {"status": "any"}))


def test_an_interval_that_says_nothing_stands_as_uncertain_without_a_number(bank, as_teacher) -> None:
    question = bank.questions[0]
    Question.objects.filter(pk=question.pk).update(facility=0.5, responses=2)
    page = text_of(as_teacher.get(reverse("question_detail", args=[question.pk])))
    assert "Observed uncertain somewhere between 9% and 91% of answers wrong, from 2 responses" in page


def test_what_is_next_to_impossible_cannot_be_accepted(bank, as_teacher, monkeypatch) -> None:
    guesses = [
        PredictedConcept(("Algebra", "Linear"), 0.993, bank.linear.pk),
        PredictedConcept(("Geometry", "Circles"), 0.007, bank.circle.pk),
    ]
    prediction = QuestionPrediction(guesses, None, [], "", "", "School")
    monkeypatch.setattr(insight, "predict", lambda **asked: prediction)
    page = as_teacher.get(reverse("question_detail", args=[bank.questions[5].pk])).content.decode()
    assert "&lt;1%" in page
    assert f'name="concept" value="{bank.linear.pk}"' in page
    assert f'name="concept" value="{bank.circle.pk}"' not in page
    pasted = as_teacher.post(reverse("paste"), {"text": "Solve it"}).content.decode()
    assert f'id="guess-{bank.linear.pk}"' in pasted
    assert f'id="guess-{bank.circle.pk}"' not in pasted


def test_accepting_a_predicted_concept_tags_the_question_with_its_probability(bank, as_teacher) -> None:
    question = bank.questions[5]
    page = as_teacher.get(reverse("question_detail", args=[question.pk]))
    guess = page.context["prediction"].concepts[0]
    address = reverse("question_accept", args=[question.pk])
    response = as_teacher.post(address, {"concept": guess.concept_id, "probability": "0.999"}, follow=True)
    tag = QuestionTag.objects.get(question=question)
    assert (tag.concept_id, tag.set_by, tag.user.username) == (guess.concept_id, "person", "teacher")
    assert tag.probability == pytest.approx(guess.probability)
    assert "accepted by teacher" in response.content.decode()


@pytest.mark.parametrize("concept", ["", "x", "999999999", "٣"])
def test_accepting_a_concept_that_is_not_there_is_a_404(bank, as_teacher, concept) -> None:
    response = as_teacher.post(reverse("question_accept", args=[bank.questions[5].pk]), {"concept": concept})
    assert response.status_code == 404


def test_concepts_can_be_found_and_chosen_without_javascript(bank, as_teacher) -> None:
    question = bank.questions[5]
    address = reverse("question_concepts", args=[question.pk])
    response = as_teacher.post(address, {"concept_query": "circ", "action": "find_concept"})
    assert f'value="{bank.circle.pk}"' in response.content.decode()
    as_teacher.post(address, {"concepts": [bank.circle.pk], "action": "save"})
    assert [tag.concept for tag in question.tags.all()] == [bank.circle]


def test_the_history_tells_who_changed_what(bank, as_teacher, teacher) -> None:
    question = bank.questions[0]
    as_teacher.post(
        reverse("question_edit", args=[question.pk]),
        {
            "text": "What is $1 + 1$?",
            "kind": "open",
            "language": "en",
            "status": "ready",
            "answer": "2",
            "version": "1",
            "action": "save",
        },
    )
    page = detail(as_teacher, question)
    assert "teacher changed it on" in page
    assert question.text in page[page.index("history-heading") :]


def test_a_change_by_the_system_has_no_name_in_the_history(bank, as_teacher) -> None:
    question = bank.questions[1]
    question_update(
        user=None,
        question=question,
        version=1,
        text="What is $2 + 2$?",
        language="en",
        kind="open",
        options=[],
        answer="4",
        solution="",
        grade="",
        status="ready",
        concepts=[],
    )
    assert "Changed on" in detail(as_teacher, question)


def test_retiring_asks_first_and_can_be_undone(bank, as_teacher) -> None:
    question = bank.questions[0]
    address = reverse("question_retire", args=[question.pk])
    assert "Retire question" in as_teacher.get(address).content.decode()
    question.refresh_from_db()
    assert question.status == "ready"
    as_teacher.post(address)
    question.refresh_from_db()
    assert question.status == "retired"
    as_teacher.post(reverse("question_restore", args=[question.pk]))
    question.refresh_from_db()
    assert question.status == "ready"


def test_exact_duplicates_are_linked(bank, as_teacher) -> None:
    first = bank.questions[0]
    Question.objects.filter(pk=bank.questions[1].pk).update(content_hash=first.content_hash)
    assert "more than once" in detail(as_teacher, first)
