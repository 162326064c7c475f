"""The page of worked exemplars."""

from __future__ import annotations

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from questionbank.models import EmbeddingSet, ProblemVariant, Question
from questionbank.solving import solutions
from tests.questionbank.scripted_solver import served
from tests.questionbank.small_bank import add_set, store_vectors, write_question

pytestmark = pytest.mark.django_db

ASKED = "A box holds 6 eggs. A shop buys 4 boxes and sells 3 eggs. How many eggs has it left?"
CHAIRS = "There are 5 rows of 9 chairs, and 7 chairs are broken. How many chairs are whole?"


@pytest.fixture
def problems(db, monkeypatch) -> list[Question]:
    solver = served({ASKED: [("6*4-3", 0.9)]})
    monkeypatch.setattr(solutions, "served_solver", lambda _language: solver)
    questions = [
        write_question(text, answer=answer, equation=equation)
        for text, answer, equation in ((ASKED, "21", ""), (CHAIRS, "38", "9*5-7"))
    ]  # fmt: skip
    for lens in ("purpose", "wording"):
        store_vectors(add_set(lens), questions)
    return questions


def test_a_question_shows_its_exemplars_their_graphs_and_the_prompt(as_teacher, problems, settings):
    asked = problems[0]
    assert (
        reverse("question_exemplars", args=[asked.pk])
        in as_teacher.get(reverse("question_detail", args=[asked.pk])).content.decode()
    )
    page = as_teacher.get(reverse("question_exemplars", args=[asked.pk])).content.decode()
    page = page.replace("\N{NO-BREAK SPACE}", " ")  # in formulas
    assert "The solver reads this question as a × b − c (" in page
    assert "It has the same computation as the question: a × b − c." in page
    assert page.count('class="expression-tree"') == 3  # the question's own, the exemplar's, the question's beside it
    assert 'id="exemplar-1-number-0"></span>5</mark>' in page
    assert f"Question: {CHAIRS}\nAnswer: x=9*5-7\n\nQuestion: {ASKED}\nAnswer:</pre>" in page
    assert "The solver agrees (90% likely to be right)." in page
    assert "The published answer is the same." in page
    assert "to tiny at" not in page
    settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = "http://127.0.0.1:1/v1", "tiny"
    page = as_teacher.get(reverse("question_exemplars", args=[asked.pk])).content.decode()
    assert "Ask tiny" in page
    assert "to tiny at 127.0.0.1" in " ".join(page.split())


def test_problems_with_the_same_story_are_left_out_with_a_word(as_teacher, problems):
    address = reverse("question_exemplars", args=[problems[0].pk])
    assert "One problem per story" not in as_teacher.get(address).content.decode()
    again = [
        write_question(text, answer="1")
        for text in (CHAIRS.replace("5 rows", "6 rows"), ASKED.replace("3 eggs", "2 eggs"))
    ]  # fmt: skip
    for lens in ("purpose", "wording"):
        store_vectors(EmbeddingSet.objects.get(lens=lens), again)
    page = " ".join(as_teacher.get(address).content.decode().split())
    assert "One problem per story is shown. 2 that differ from this question or from an exemplar" in page


def test_the_prompt_is_written_as_asked_and_wrong_settings_are_said(as_teacher, problems):
    address = reverse("question_exemplars", args=[problems[0].pk])
    assert "Answer: 38" in as_teacher.get(address, {"answers": "answer"}).content.decode()
    assert "0 exemplars, about" in as_teacher.get(address, {"budget": "50"}).content.decode()
    assertContains(as_teacher.get(address, {"budget": "-1", "order": "x"}), "Enter a number from 50 to 100,000.")
    assert (
        "None of the exemplars has an answer in this format."
        in as_teacher.get(address, {"answers": "solution"}).content.decode()
    )


def test_a_pasted_text_has_exemplars_too(as_teacher, problems):
    response = as_teacher.post(reverse("pasted_exemplars"), {"text": ASKED, "action": "look"})
    page = response.content.decode()
    assert "It has the same computation as the question" in page
    assert f"Question: {ASKED}\nAnswer:</pre>" in page
    assert as_teacher.post(reverse("pasted_exemplars"), {"text": "  "}).status_code == 302
    assert as_teacher.get(reverse("pasted_exemplars")).url == reverse("paste")


def test_a_bank_without_worked_problems_says_so(as_teacher, problems):
    Question.objects.exclude(pk=problems[0].pk).delete()
    page = as_teacher.get(reverse("question_exemplars", args=[problems[0].pk])).content.decode()
    assert "The bank has no similar problem with an equation or an answer." in page
    assert "There is no prompt, because no exemplars were found" in page


def test_similar_problems_are_written_reviewed_and_added_by_presses(
    client, as_teacher, problems, reviewer, teacher, monkeypatch
):
    pencils = write_question(
        "Sara had 24 pencils and gave 6 of them to Tom. How many has she left?", answer="18", equation="24-6"
    )
    address = reverse("question_variants", args=[pencils.pk])
    assert "It computes a − b." in as_teacher.get(address).content.decode()
    page = as_teacher.post(address, follow=True).content.decode()
    assert "3 new problems. Save them to your drafts" in page
    assert "No problems have been written from this question yet." not in page
    assert 'value="accept"' not in page  # a teacher decides on nothing
    client.force_login(reviewer)
    variant = ProblemVariant.objects.first()
    page = client.get(reverse("review_variants")).content.decode()
    assert page.index(pencils.text) < page.index(variant.text[:30])
    assert "computed from the equation below it" in page
    assert "Waiting for reviewers" not in page  # the list holds no others
    assert "Waiting for reviewers" in client.get(address).content.decode()
    decide = reverse("variant_decision", args=[variant.pk])
    page = client.post(decide, {"decision": "reject"}, follow=True).content.decode()
    assert "Your last decision: Rejected" in page
    page = client.post(decide, {"decision": "undo"}, follow=True).content.decode()
    assert "open for review again" in page
    assert "Your last decision" not in page
    reword = reverse("variant_reword", args=[variant.pk])
    assert f"<code>{variant.equation}</code>" in client.get(f"{reword}?back=question").content.decode()
    refused = client.post(reword, {"text": "How many snails?", "back": "question"})
    assertContains(refused, "The text must keep the numbers of the equation", status_code=422)
    page = client.post(reword, {"text": f"Listen! {variant.text}", "back": "question"}, follow=True)
    assert "The new wording is saved." in page.content.decode()
    variant.refresh_from_db()
    client.post(decide, {"decision": "accept", "back": "question"})
    page = client.post(reword, {"text": variant.text, "back": "question"}, follow=True)
    assert "Nothing was changed." in page.content.decode()
    wording = variant.text.replace("Listen!", "Hear!")
    wrong = served({wording: [(f"{variant.equation}*2", 0.9)]}, language="zh")
    monkeypatch.setattr(solutions, "served_solver", lambda _language: wrong)
    page = client.post(reword, {"text": wording, "back": "question"}, follow=True).content.decode()
    assert "It is open for a new decision." in page
    assert f"the stored answer is {variant.answer}. Check the equation." in page
    variant.refresh_from_db()
    client.post(decide, {"decision": "accept", "back": "question"})
    client.force_login(teacher)
    assert "Add 1 similar problem to the bank" in client.get(address).content.decode()
    added = client.post(
        reverse("review_add_accepted"), {"question": pencils.pk, "back": "variants"}, follow=True
    ).content.decode()
    assert "1 similar problem was added." in added
    assert Question.objects.filter(text=variant.text, answer=variant.answer).exists()


def test_a_press_writes_reversed_versions(as_teacher, problems):
    pens = write_question(
        "Ann has 7 pens. She buys 2 pens. How many pens does she have now?", answer="9", equation="7+2"
    )
    address = reverse("question_variants", args=[pens.pk])
    page = as_teacher.post(address, {"by": "story"}, follow=True).content.decode()
    assert "2 new problems. Save them to your drafts" in page
    assert "How many pens does she buy?" in page
    assert "Asks for a known number" in page
    assert "no further number to ask for" not in page
    page = as_teacher.post(address, {"by": "story"}, follow=True).content.decode()
    assert "no further number to ask for" in page


def test_a_story_that_cannot_be_reversed_says_so_beside_what_was_made(as_teacher, problems):
    envelopes = write_question(
        "There are 8 envelopes in each of 8 packs. How many envelopes are there?", answer="64", equation="8*8"
    )
    address = reverse("question_variants", args=[envelopes.pk])
    page = as_teacher.post(address, {"by": "story"}, follow=True).content.decode()
    assert "1 new problem. Save it to your drafts" in page
    assert "no further number to ask for" in page


def test_a_question_whose_computation_is_unknown_has_no_similar_problems(as_teacher, problems):
    bare = write_question("Find $x$ if $2x=3$.", answer="1.5")
    address = reverse("question_variants", args=[bare.pk])
    assert "What this question computes is not known" in as_teacher.post(address, follow=True).content.decode()


def test_a_bank_without_vectors_says_so(as_teacher, problems):
    EmbeddingSet.objects.all().delete()
    page = as_teacher.get(reverse("question_exemplars", args=[problems[0].pk]))
    assertContains(page, "Questions cannot be compared yet")
    asked = as_teacher.post(reverse("model_ask"), {"question": problems[0].pk})
    assertContains(asked, "None of the exemplars", status_code=422)


def test_an_exemplar_with_options_is_answered_by_the_option_and_not_by_its_letter(as_teacher, problems):
    options = [{"label": "A", "text": "24 eggs"}, {"label": "B", "text": "10 eggs"}]
    trays = write_question(
        "A tray holds 6 eggs. How many eggs are on 4 trays?",
        kind="choice",
        options=options,
        answer="A",
        solution="Each of 4 trays holds 6, so the answer is A.",
    )
    for embedding_set in EmbeddingSet.objects.all():
        store_vectors(embedding_set, [trays])
    page = as_teacher.get(reverse("question_exemplars", args=[problems[0].pk])).content.decode()
    card = page[page.index(reverse("question_detail", args=[trays.pk])) :]
    assert "</strong> 24 eggs" in card
    assert "so the answer is 24 eggs." in card
