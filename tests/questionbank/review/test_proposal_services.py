"""Having paraphrases proposed, and writing one."""

from __future__ import annotations

import pytest

from questionbank.core.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.models import KnowledgeConcept, ParaphrasePair, Question, Run
from questionbank.review.pair_selectors import questions_to_reword
from questionbank.review.paraphrase_services import (
    paraphrase_type,
    paraphraser_choice,
    paraphrasers,
    paraphrases_propose,
    proposals_request,
    propose_for,
)
from questionbank.review.paraphrase_views import ManyProposalsForm
from tests.factories import ConceptFactory, QuestionFactory

pytestmark = pytest.mark.django_db
TEXT = "Zoe bought 12 pens and 3 cards in a shop. How many pens did Zoe buy if she had 4 at first?"


@pytest.fixture
def question(db) -> Question:
    return QuestionFactory(text=f"  {TEXT}\n")


class Writer:
    """Writes fixed texts, and remembers how many it was asked for."""

    name = "writer"

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def propose(self, question: str, count: int) -> list[str]:
        self.asked = (question, count)
        return list(self.texts)


def write(question: Question, *texts: str, each: int = 3):
    writer = Writer(*texts)
    return writer, propose_for(question=question, paraphraser=writer, each=each, source="model", user=None)


def test_the_rules_propose_at_once_and_others_when_asked_again(question, teacher):
    first = paraphrases_propose(question=question, each=2, user=teacher)
    again = paraphrases_propose(question=question, each=2, user=teacher)
    assert (len(first.made), first.known) == (2, 0)
    assert (len(again.made), again.known) == (2, 2)
    pairs = list(ParaphrasePair.objects.all())
    assert len({pair.paraphrase for pair in pairs}) == 4
    for pair in pairs:
        assert (pair.question, pair.original, pair.language) == (question, TEXT, "en")
        assert (pair.source, pair.generator, pair.created_by) == ("rules", "rule paraphraser", teacher)
    assert [run.parameters for run in Run.objects.filter(kind="score").order_by("pk")] == [
        {"pairs": [pair.pk for pair in proposals.made]} for proposals in (first, again)
    ]


def test_known_candidates_are_left_out_and_counted(question):
    Question.objects.filter(pk=question.pk).update(text=TEXT)
    write(question, "One wording.", "To be changed.")
    ParaphrasePair.objects.filter(paraphrase="To be changed.").update(
        state="decided", outcome="edit", outcome_text="Changed."
    )
    writer, proposals = write(
        question, f" {TEXT} ", "One  wording.", "Changed.", "New.", "New. ", "half \ud800 of a sign", "Newer."
    )
    assert writer.asked == (TEXT, 5)  # three new ones beside the two that are there
    assert [pair.paraphrase for pair in proposals.made] == ["New.", "Newer."]
    assert proposals.known == 4


def test_no_more_are_kept_than_were_asked_for(question):
    assert len(write(question, "a", "b", "c", each=2)[1].made) == 2


def test_what_is_not_in_use_gets_no_paraphrases(question, teacher):
    paraphrase = QuestionFactory(text="Other words.", paraphrase_of=question)
    question.status = "retired"
    question.save()
    for unused, reason in ((question, "retired"), (paraphrase, "original")):
        with pytest.raises(Conflict, match=reason):
            paraphrases_propose(question=unused, each=1, user=teacher)
        with pytest.raises(Conflict, match=reason):
            paraphrase_type(question=unused, text="Mine.", user=teacher)


def test_the_rules_know_english_only(teacher):
    with pytest.raises(ValidationFailed, match="English"):
        paraphrases_propose(question=QuestionFactory(language="zh"), each=1, user=teacher)
    assert paraphraser_choice("rules").rewords("en-gb")


@pytest.mark.parametrize(("field", "value"), [("each", 0), ("each", 6), ("number", 0), ("number", 101)])
def test_numbers_have_bounds(field, value):
    fields = {"each": 3, "number": 20, "paraphraser": "rules", field: value}
    form = ManyProposalsForm(fields, paraphrasers=paraphrasers(), strands=[], sources=[])
    assert list(form.errors) == [field]


def test_a_paraphrase_is_typed_once(question, teacher):
    pair = paraphrase_type(question=question, text=" My\r\nwords. ", user=teacher)
    assert (pair.paraphrase, pair.original, pair.source) == ("My\nwords.", TEXT, "typed")
    for text, reason in (("My words.", "already"), (f" {TEXT}", "same text"), ("", "missing")):
        with pytest.raises(ValidationFailed, match=reason):
            paraphrase_type(question=question, text=text, user=teacher)
    assert ParaphrasePair.objects.count() == 1


def test_who_has_no_role_proposes_nothing(question, django_user_model):
    nobody = django_user_model.objects.create_user(username="nobody")
    with pytest.raises(NotAllowed):
        paraphrases_propose(question=question, each=1, user=nobody)
    with pytest.raises(NotAllowed):
        paraphrase_type(question=question, text="Mine.", user=nobody)
    with pytest.raises(NotAllowed):
        proposals_request(questions=[question.pk], paraphraser="rules", each=1, user=nobody)


def test_a_job_for_many_questions_is_a_reviewer_s(question, teacher, reviewer):
    second_question = QuestionFactory()
    request = {"questions": [question.pk, second_question.pk], "paraphraser": "rules", "each": 2}
    with pytest.raises(NotAllowed):
        proposals_request(**request, user=teacher)
    run = proposals_request(**request, user=reviewer)
    assert (run.kind, run.capability, run.requested_by) == ("propose", "paraphrase", reviewer)
    assert run.parameters == request
    with pytest.raises(Conflict, match="already"):
        proposals_request(**request, user=reviewer)
    Run.objects.update(state="succeeded")
    proposals_request(**request, user=reviewer)


@pytest.mark.parametrize("unknown", ["language", ""])
def test_a_paraphraser_that_is_not_configured_is_refused(reviewer, unknown):
    with pytest.raises(ValidationFailed) as refused:
        proposals_request(questions=[1, 2], paraphraser=unknown, each=1, user=reviewer)
    assert list(refused.value.fields) == ["paraphraser"]


def test_models_are_offered_where_they_are_configured_and_say_where_texts_go(settings):
    assert [choice.key for choice in paraphrasers()] == ["rules"]
    settings.PARAPHRASE_MODEL = "/models/paraphraser-t5"
    settings.LANGUAGE_MODEL_URL = "https://user:secret@models.school.example/v1"
    assert [choice.label for choice in paraphrasers()] == ["Rule-based", "paraphraser-t5"]
    settings.LANGUAGE_MODEL_NAME = "tiny"
    last = paraphrasers()[-1]
    assert (last.key, last.label, last.source) == ("language", "tiny", "model")
    assert "sent to models.school.example" in last.note
    assert "secret" not in last.note


def test_questions_are_drawn_from_a_part_of_the_bank():
    concept = ConceptFactory(names=("Algebra", "Equations"))
    wanted = QuestionFactory(concepts=[concept], source="Ours")
    QuestionFactory(concepts=[concept], source="Theirs")
    QuestionFactory(source="Ours")
    QuestionFactory(concepts=[concept], source="Ours", status="draft")
    QuestionFactory(concepts=[concept], source="Ours", paraphrase_of=wanted)
    reworded = QuestionFactory(concepts=[concept], source="Ours")
    write(reworded, "Other words.")
    chinese = QuestionFactory(concepts=[concept], source="Ours", language="zh")
    above = KnowledgeConcept.objects.get(name="Algebra")
    ids = questions_to_reword(number=9, concept=above.pk, source="Ours")
    assert sorted(ids) == [wanted.pk, chinese.pk]
    assert questions_to_reword(number=9, concept=above.pk, source="Ours", language="en") == [wanted.pk]
    assert len(questions_to_reword(number=2)) == 2
