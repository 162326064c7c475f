"""The pages of paraphrases, by plain forms as without JavaScript."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains

from questionbank.models import ParaphrasePair, Question, Run
from questionbank.review.pair_services import PairInput, pairs_create
from questionbank.review.paraphrase_services import accepted_pairs_add
from questionbank.review.services import review_decide, review_next, review_undo
from tests.factories import QuestionFactory

pytestmark = pytest.mark.django_db
TEXT = "Zoe bought 12 pens and 3 cards in a shop. How many pens did Zoe buy if she had 4 at first?"


@pytest.fixture
def question(bank) -> Question:
    return QuestionFactory(text=TEXT, concepts=[bank.linear], source="Test set")


@pytest.fixture
def pair(question) -> ParaphrasePair:
    (made,) = pairs_create(
        pairs=[PairInput(TEXT, "Zoe bought a dozen pens.", question=question)],
        source="rules",
        user=None,
        generator="rule paraphraser",
        request_scores=False,
    )
    return made


def accept(pair: ParaphrasePair) -> ParaphrasePair:
    ParaphrasePair.objects.filter(pk=pair.pk).update(state="decided", outcome="accept")
    pair.refresh_from_db()
    return pair


def page_of(client: Client, question: Question) -> str:
    return client.get(reverse("question_paraphrases", args=[question.pk])).content.decode()


def propose(client: Client, question: Question, follow: bool = True, **fields):
    data = {"action": "propose", "each": 2, "paraphraser": "rules", **fields}
    return client.post(reverse("question_paraphrases", args=[question.pk]), data, follow=follow)


def test_a_teacher_has_paraphrases_proposed_from_the_question_s_page(as_teacher, question):
    page = as_teacher.get(reverse("question_detail", args=[question.pk])).content.decode()
    assert "No paraphrases yet." in page
    sent = dict(re.findall(r'<input type="hidden" name="(each|paraphraser)" value="(\w+)">', page))
    text = propose(as_teacher, question, **sent).content.decode()
    assert "3 paraphrases are in the review queue." in text
    assert text.count("Waiting for reviewers") == 3
    page = as_teacher.get(reverse("question_detail", args=[question.pk])).content.decode()
    for pair in ParaphrasePair.objects.all():
        assert reverse("review_pair", args=[pair.pk]) in page


def test_asking_again_says_what_was_there_and_a_formula_has_no_other_wording(as_teacher, question, bank):
    propose(as_teacher, question)
    assert "2 were there already." in propose(as_teacher, question).content.decode()
    dull = QuestionFactory(text="$2 + 3 = $")
    assert "The rules find no new wording" in propose(as_teacher, dull).content.decode()


@pytest.mark.parametrize("fields", [{"each": 0}, {"each": 6}, {"paraphraser": "language"}, {"each": ""}])
def test_what_cannot_be_asked_for_is_said_at_its_field(as_teacher, question, fields):
    response = propose(as_teacher, question, **fields)
    assert response.status_code == 422
    assert b"errorlist" in response.content
    assert not ParaphrasePair.objects.exists()


def test_a_model_works_in_a_job_and_the_form_says_where_the_text_goes(as_teacher, question, settings):
    settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = "https://models.example/v1", "tiny"
    assert "sent to models.example" in page_of(as_teacher, question)
    response = propose(as_teacher, question, follow=False, paraphraser="language")
    run = Run.objects.get(kind="propose")
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    again = propose(as_teacher, question, paraphraser="language")
    assert "being written already" in again.content.decode()
    Run.objects.filter(pk=run.pk).update(state="succeeded", result={"proposed": 1})
    page = as_teacher.get(reverse("run_detail", args=[run.pk])).content.decode()
    assert reverse("question_paraphrases", args=[question.pk]) in page


def test_a_paraphrase_is_written_by_hand(as_teacher, question):
    address = reverse("question_paraphrases", args=[question.pk])
    text = as_teacher.post(address, {"paraphrase": "My own words."}, follow=True).content.decode()
    assert "Your paraphrase is in the review queue." in text
    assert "My own words." in text
    again = as_teacher.post(address, {"paraphrase": "My own words. "})
    assertContains(again, "has this paraphrase already", status_code=422)


def test_a_pair_shows_findings_and_opinions_only_once_it_is_decided(as_teacher, pair, reviewer):
    address = reverse("review_pair", args=[pair.pk])
    page = as_teacher.get(address).content.decode()
    assert "Waiting for reviewers" in page
    assert "name or thing" in page or "number" in page
    ParaphrasePair.objects.update(opinions_wanted=2)
    review_next(reviewer=reviewer)
    review_decide(reviewer=reviewer, pair_id=pair.pk, verdict="reject", reason="number", comment="Twelve is missing.")
    assert "Twelve is missing." not in as_teacher.get(address).content.decode()
    ParaphrasePair.objects.update(state="decided", outcome="reject")
    page = as_teacher.get(address).content.decode()
    assert "Twelve is missing." in page
    assert "Rejected" in page


def test_a_decided_pair_shows_who_took_what_back(as_teacher, pair, reviewer):
    for verdict in ("unsure", "accept"):
        review_next(reviewer=reviewer)
        review_decide(reviewer=reviewer, pair_id=pair.pk, verdict=verdict)
        if verdict == "unsure":
            review_undo(reviewer=reviewer)
    page = as_teacher.get(reverse("review_pair", args=[pair.pk])).content.decode()
    history = page[page.index("History of the decisions") :]
    assert re.search(r"reviewer</td>\s*<td>\s*Unsure\s*</td>\s*<td>\s*undone\s+<time", history)
    assert re.search(r"<td>reviewer</td>\s*<td>\s*Accept\s*</td>\s*<td>\s*in effect\s*</td>", history)


def test_accepted_paraphrases_are_added_by_one_click_and_linked_both_ways(as_teacher, question, pair):
    accept(pair)
    page = page_of(as_teacher, question)
    assert "Add 1 accepted paraphrase to the bank" in page
    response = as_teacher.post(reverse("review_add_accepted"), {"question": question.pk}, follow=True)
    assert "1 question was added." in response.content.decode()
    made = Question.objects.get(paraphrase_of=question)
    assert f"in the bank as question {made.pk}" in page_of(as_teacher, question)
    page = as_teacher.get(reverse("question_detail", args=[made.pk])).content.decode()
    assert f"Paraphrase of question {question.pk}" in page
    assert "From the original" not in page  # the original has no difficulty
    assert "ask for others of its original" in page_of(as_teacher, made)
    response = as_teacher.post(reverse("review_add_accepted"), follow=True)
    assert "There are no accepted paraphrases to add." in response.content.decode()


def test_all_are_added_from_the_page_of_progress_as_drafts_if_wished(as_teacher, question, pair):
    accept(pair)
    address = reverse("review_progress")
    assert "Add 1 accepted paraphrase to the bank" in as_teacher.get(address).content.decode()
    response = as_teacher.post(reverse("review_add_accepted"), {"as_drafts": "1"}, follow=True)
    assert response.redirect_chain == [(address, 302)]
    assert Question.objects.get(paraphrase_of=question).status == "draft"
    assert "Add 1 accepted" not in as_teacher.get(address).content.decode()


def test_a_reviewer_sees_no_button_to_add(as_reviewer, question, pair):
    accept(pair)
    assert not re.search(r"to the bank\s*</button>", page_of(as_reviewer, question))
    assert not re.search(r"to the bank\s*</button>", as_reviewer.get(reverse("review_progress")).content.decode())


def test_undo_says_that_the_question_is_retired_and_so_does_its_page(as_reviewer, pair, teacher):
    as_reviewer.get(reverse("review"))
    as_reviewer.post(reverse("review_decide", args=[pair.pk]), {"decision": "accept"})
    accepted_pairs_add(user=teacher)
    made = Question.objects.get(paraphrase_of=pair.question_id)
    page = as_reviewer.post(reverse("review_undo"), follow=True).content.decode()
    assert f"Question {made.pk}, which was created from it, is retired." in page
    page = as_reviewer.get(reverse("question_detail", args=[made.pk])).content.decode()
    assert "that decision has been undone" in page
    assert "reviewer changed it" in page  # the history names who took the decision back


def test_a_changed_original_is_named(as_teacher, question, pair, teacher):
    accept(pair)
    accepted_pairs_add(user=teacher)
    made = Question.objects.get(paraphrase_of=question)
    Question.objects.filter(pk=question.pk).update(text="Zoe bought 13 pens.")
    page = as_teacher.get(reverse("question_detail", args=[made.pk])).content.decode()
    assert f"question {question.pk}, has changed since" in page


def test_a_reviewer_has_a_part_of_the_bank_reworded(as_reviewer, bank, question):
    address = reverse("review_propose")
    page = as_reviewer.get(f"{address}?concept={bank.linear.pk}").content.decode()
    assert re.search(rf'<option value="{bank.linear.pk}" selected>\s*Linear equations\s*</option>', page)
    data = {"concept": bank.linear.pk, "source": "Test set", "number": 3, "each": 2, "paraphraser": "rules"}
    response = as_reviewer.post(address, data)
    run = Run.objects.get(kind="propose")
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    assert len(run.parameters["questions"]) == 3
    assert set(run.parameters["questions"]) <= {original.pk for original in (*bank.questions[:3], question)}


@pytest.mark.parametrize(
    "fields", [{"number": 0}, {"number": 101}, {"source": "Nowhere"}, {"concept": 10**12}, {"concept": "x"}]
)
def test_a_part_that_is_none_is_refused(as_reviewer, bank, fields):
    data = {"concept": "", "source": "", "number": 3, "each": 2, "paraphraser": "rules", **fields}
    assert as_reviewer.post(reverse("review_propose"), data).status_code == 422
    assert not Run.objects.filter(kind="propose").exists()


def test_nothing_to_reword_is_said(as_reviewer, db):
    data = {"concept": "", "source": "", "number": 3, "each": 2, "paraphraser": "rules"}
    response = as_reviewer.post(reverse("review_propose"), data)
    assert "We found no matching question without a paraphrase." in response.content.decode()


def test_texts_are_escaped(as_teacher, question):
    pairs_create(
        pairs=[PairInput(TEXT, "<script>alert(1)</script>", question=question)],
        source="model",
        user=None,
        generator="<img src=x>",
        request_scores=False,
    )
    for page in (
        page_of(as_teacher, question),
        as_teacher.get(reverse("review_pair", args=[ParaphrasePair.objects.get().pk])).content.decode(),
        as_teacher.get(reverse("question_detail", args=[question.pk])).content.decode(),
    ):
        assert "<script>alert" not in page
        assert "<img src=x" not in page
