"""Accepted paraphrases become questions, once; taking a decision back takes them out again."""

from __future__ import annotations

import pytest

from questionbank.bank.difficulty_selectors import observed_difficulty, published_difficulty
from questionbank.core.errors import NotAllowed
from questionbank.models import ParaphrasePair, Question, QuestionEquation, QuestionTag, Run
from questionbank.review import paraphrase_services as accepted_paraphrases
from questionbank.review.pair_selectors import accepted_pairs, paraphrase_origin
from questionbank.review.pair_services import PairInput, pairs_create
from questionbank.review.paraphrase_services import AddedParaphrases, accepted_pairs_add
from questionbank.review.services import review_decide, review_next, review_undo
from tests.factories import ConceptFactory, QuestionFactory

pytestmark = pytest.mark.django_db
OPTIONS = [{"label": "A", "text": "2", "misconception": "Subtracts."}, {"label": "B", "text": "5"}]


@pytest.fixture
def question(teacher):
    made = QuestionFactory(
        text="How much is 2 and 3?",
        kind="choice",
        options=OPTIONS,
        answer="B",
        solution="Add.",
        grade="3",
        stage="Primary",
        difficulty=2,
        difficulty_scale="1-5",
        facility=0.4,
        responses=50,
        source="School bank",
    )
    QuestionEquation.objects.create(question=made, expression="2+3", numbers=[2, 3])
    QuestionTag.objects.create(question=made, concept=ConceptFactory(), set_by="person", user=teacher, probability=0.8)
    return made


def accepted(question: Question, *texts: str, edited: str = "") -> list[ParaphrasePair]:
    pairs = pairs_create(
        pairs=[PairInput(question.text.strip(), text, question=question) for text in texts],
        source="rules",
        user=None,
        request_scores=False,
    )
    outcome = "edit" if edited else "accept"
    ParaphrasePair.objects.filter(pk__in=[pair.pk for pair in pairs]).update(
        state="decided", outcome=outcome, outcome_text=edited
    )
    return list(ParaphrasePair.objects.filter(pk__in=[pair.pk for pair in pairs]).order_by("pk"))


def added(question: Question, teacher, text: str = "a") -> ParaphrasePair:
    """An accepted pair that is in the bank."""
    (pair,) = accepted(question, text)
    accepted_pairs_add(user=teacher)
    return ParaphrasePair.objects.get(pk=pair.pk)


def decided(question: Question, reviewer, text: str = "What are 2 and 3 together?", **decision) -> ParaphrasePair:
    """A pair that a reviewer has decided."""
    pair = pairs_create(
        pairs=[PairInput(question.text, text, question=question)], source="rules", user=None, request_scores=False
    )[0]  # fmt: skip
    decide(pair, reviewer, **decision)
    return pair


def decide(pair: ParaphrasePair, reviewer, **decision) -> None:
    assert review_next(reviewer=reviewer).pair == pair
    review_decide(reviewer=reviewer, pair_id=pair.pk, **{"verdict": "accept", **decision})


def test_a_question_takes_over_what_the_wording_does_not_change(question, teacher):
    (pair,) = accepted(question, "What are 2 and 3 together?")
    assert accepted_pairs_add(user=teacher) == AddedParaphrases(1, 0, 0, 0)
    pair.refresh_from_db()
    made = pair.added
    assert made.text == "What are 2 and 3 together?"
    for name in ("kind", "options", "answer", "solution", "language", "grade", "stage", "difficulty"):
        assert getattr(made, name) == getattr(question, name), name
    assert made.equation.expression == "2+3"
    tags = made.tags.values_list("concept", "set_by", "user", "probability")
    assert list(tags) == list(question.tags.values_list("concept", "set_by", "user", "probability"))
    assert (made.source, made.source_id) == ("School bank, paraphrased", f"paraphrase-{pair.pk}")
    assert (made.paraphrase_of, made.created_by, made.status) == (question, teacher, "ready")
    assert list(question.reworded.all()) == [made]
    assert Question.objects.filter(pk=made.pk, search_vector="together").exists()
    assert Run.objects.filter(kind="embed", state="queued").exists()


def test_its_difficulty_is_an_estimate_and_nothing_was_observed(question, teacher):
    pair = added(question, teacher)
    assert (pair.added.facility, pair.added.responses) == (None, 0)
    assert observed_difficulty(pair.added) is None
    figure = published_difficulty(pair.added)
    assert (figure.label, figure.percent, figure.is_estimate) == ("From the original", 25, True)
    assert not published_difficulty(question).is_estimate


def test_the_reviewer_s_text_enters_and_known_texts_are_counted(question, teacher):
    first, second = accepted(question, "x", "y", edited="What are  2 and 3 together?")
    twin = QuestionFactory(text="It is there.", kind="choice", options=OPTIONS)
    (third,) = accepted(question, "It is there.")
    assert accepted_pairs_add(user=teacher) == AddedParaphrases(1, 0, 2, 0)
    for pair in (first, second, third):
        pair.refresh_from_db()
    assert first.added == second.added
    assert first.added.text == "What are  2 and 3 together?"
    assert third.added == twin
    assert twin.paraphrase_of is None


def test_of_a_draft_comes_a_draft_and_on_request_of_any(question, teacher):
    draft = QuestionFactory(text="A draft.", status="draft")
    accepted(draft, "A sketch.")
    accepted_pairs_add(user=teacher)
    accepted(question, "b")
    accepted_pairs_add(user=teacher, as_drafts=True)
    assert set(Question.objects.exclude(pk=question.pk).values_list("status", flat=True)) == {"draft"}


def test_what_cannot_be_added_is_not_offered(question, teacher):
    changed = QuestionFactory(text="As it was.")
    retired = QuestionFactory(text="Out of use.", status="retired")
    (waiting, rejected, outdated, *_rest) = (
        accepted(question, "a") + accepted(question, "b") + accepted(changed, "c") + accepted(retired, "d")
    )
    ParaphrasePair.objects.filter(pk=waiting.pk).update(state="open", outcome="")
    ParaphrasePair.objects.filter(pk=rejected.pk).update(outcome="reject")
    Question.objects.filter(pk=changed.pk).update(text="As it is.")
    pairs_create(pairs=[PairInput("No question.", "None.")], source="upload", user=None, request_scores=False)
    ParaphrasePair.objects.filter(question=None).update(state="decided", outcome="accept")
    assert not accepted_pairs().exists()
    assert accepted_pairs_add(user=teacher).made == 0
    Question.objects.filter(pk=changed.pk).update(text=" As it was.\n")  # as files may have it
    assert list(accepted_pairs()) == [outdated]


def test_of_one_question_only(question, teacher):
    second_question = QuestionFactory()
    accepted(question, "a")
    accepted(second_question, "b")
    assert accepted_pairs_add(user=teacher, question=second_question).made == 1
    assert [pair.question for pair in accepted_pairs()] == [question]


def test_what_is_too_much_for_a_request_is_left_and_nothing_is_added_twice(question, teacher, monkeypatch):
    monkeypatch.setattr(accepted_paraphrases, "MOST_ADDED", 2)
    accepted(question, "a", "b", "c")
    assert accepted_pairs_add(user=teacher) == AddedParaphrases(2, 0, 0, 1)
    assert accepted_pairs_add(user=teacher) == AddedParaphrases(1, 0, 0, 0)
    assert accepted_pairs_add(user=teacher) == AddedParaphrases(0, 0, 0, 0)
    assert Question.objects.count() == 4


def test_a_reviewer_adds_none(question, reviewer):
    accepted(question, "a")
    with pytest.raises(NotAllowed):
        accepted_pairs_add(user=reviewer)


def test_a_paraphrase_s_paraphrase_leads_to_the_first_original(question, teacher):
    added(added(question, teacher).added, teacher, "b")
    paraphrases = Question.objects.exclude(pk=question.pk)
    assert set(paraphrases.values_list("paraphrase_of", flat=True)) == {question.pk}


def test_undo_retires_the_question_and_accepting_again_brings_it_back(question, teacher, reviewer):
    pair = decided(question, reviewer)
    accepted_pairs_add(user=teacher)
    pair.refresh_from_db()
    made = pair.added
    review_undo(reviewer=reviewer)
    pair.refresh_from_db()
    made.refresh_from_db()
    assert (pair.added, made.status) == (None, "retired")
    assert paraphrase_origin(question=made).pair is None
    decide(pair, reviewer)
    assert accepted_pairs_add(user=teacher) == AddedParaphrases(0, 1, 0, 0)
    made.refresh_from_db()
    assert made.status == "ready"
    assert paraphrase_origin(question=made).pair == pair


def test_undo_leaves_a_question_that_another_pair_bears_or_that_was_there(question, teacher, reviewer):
    (edited_pair,) = accepted(question, "x", edited="What are 2 and 3 together?")
    decided(question, reviewer)
    accepted_pairs_add(user=teacher)
    review_undo(reviewer=reviewer)
    edited_pair.refresh_from_db()
    assert edited_pair.added.status == "ready"
    twin = QuestionFactory(text="It is there.", kind="choice", options=OPTIONS)
    waiting = ParaphrasePair.objects.get(state="open")
    decide(waiting, reviewer, verdict="edit", text="It is there.")
    accepted_pairs_add(user=teacher)
    review_undo(reviewer=reviewer)
    twin.refresh_from_db()
    assert twin.status == "ready"


def test_a_question_that_somebody_retired_is_not_added_again(question, teacher):
    pair = added(question, teacher)
    Question.objects.filter(pk=pair.added_id).update(status="retired")
    assert not accepted_pairs().exists()


def test_it_says_where_the_original_was_changed_since(question, teacher):
    pair = added(question, teacher)
    origin = paraphrase_origin(question=pair.added)
    assert (origin.original, origin.pair, origin.is_outdated) == (question, pair, False)
    question.text = "How much is 2 and 30?"
    question.save(update_fields=["text"])
    assert paraphrase_origin(question=Question.objects.get(pk=pair.added_id)).is_outdated
    assert paraphrase_origin(question=question) is None
