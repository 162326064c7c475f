"""The page that shows what training makes of a question, and that of a question's distances."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from analytics.encoder.augment.pipeline import STRATEGIES
from analytics.encoder.augment.preview import preview
from analytics.errors import DataError
from questionbank.models import EmbeddingSet
from questionbank.selectors.questions import augmentation
from questionbank.views.augmentation import STRATEGY_WORDS


def test_every_strategy_is_explained() -> None:
    assert list(STRATEGY_WORDS) == [strategy.name for strategy in STRATEGIES]


def test_a_question_of_the_bank_is_shown_under_every_strategy(bank, as_admin) -> None:
    question = bank.questions[0]
    page = as_admin.get(f"{reverse('augmentation')}?question={question.pk}").content.decode()
    for strategy in STRATEGIES:
        assert f"<h3>{strategy.name.capitalize()}</h3>" in page
    assert page.count("Draw ") == 3 + 1  # and the button
    made = preview(question.text, seed=0, draws=3)
    applied = sum(result.text is not None for result in made.strategies)
    assert page.count("Does not apply") == len(STRATEGIES) - applied
    assert applied >= 4


def test_changes_are_marked_by_more_than_colour(bank, as_admin) -> None:
    page = as_admin.get(f"{reverse('augmentation')}?question={bank.questions[0].pk}").content.decode()
    card = page[page.index("<h3>Number replacement</h3>") :]
    removed = re.search(
        r'<del class="change-removed"><span class="visually-hidden">left out: </span>(\d+)', card
    )
    added = re.search(r'<ins class="change-added"><span class="visually-hidden">put in: </span>(\d+)', card)
    assert removed[1] in ("2", "3", "11")
    assert added[1] != removed[1]


def test_a_text_can_be_pasted_and_drawn_again(bank, as_admin) -> None:
    address, text = reverse("augmentation"), r"Ann has $5x$ pens, and Tom has $3$. How many are there?"
    first = as_admin.post(address, {"text": text})
    assert first.status_code == 200
    seed = re.search(r'name="seed" value="(\d+)"', first.content.decode())[1]
    second = as_admin.post(address, {"text": text, "seed": seed})
    assert [row[0] for row in first.context["strategies"]] == list(preview(text, seed=0, draws=3).strategies)
    assert [row[0] for row in second.context["strategies"]] == list(preview(text, seed=1, draws=3).strategies)
    assert first.context["whole"] != second.context["whole"]


def test_what_is_pasted_cannot_write_the_page(bank, as_admin) -> None:
    page = as_admin.post(reverse("augmentation"), {"text": "<script>alert(1)</script> and <b>bold</b>?"})
    assert "<script>alert" not in page.content.decode()


def test_questions_are_found_by_words_and_by_number(bank, as_admin) -> None:
    page = as_admin.get(f"{reverse('augmentation')}?q=marbles").content.decode()
    assert f"?question={bank.questions[5].pk}" in page
    by_number = as_admin.get(f"{reverse('augmentation')}?q={bank.questions[5].pk}")
    assert by_number.context["question"] == bank.questions[5]
    EmbeddingSet.objects.all().delete()  # else something is always nearest
    assert "No question was found" in as_admin.get(f"{reverse('augmentation')}?q=zzzzzz").content.decode()


@pytest.mark.parametrize("query", ["?question=999999", "?question=" + "9" * 30, "?q=999999"])
def test_a_question_that_is_not_there_is_a_404(bank, as_admin, query) -> None:
    assert as_admin.get(reverse("augmentation") + query).status_code == 404


@pytest.mark.parametrize("text", ["", "x" * 6001])
def test_nothing_and_too_much_are_refused_with_a_sentence(bank, as_admin, text) -> None:
    response = as_admin.post(reverse("augmentation"), {"text": text})
    assertContains(response, 'class="errorlist"', status_code=422)


def test_strategies_that_take_too_long_are_a_sentence(bank, as_admin, monkeypatch) -> None:
    def too_long(*_arguments, **_options):
        raise DataError("The strategies could not finish with this text.")

    monkeypatch.setattr(augmentation, "augmentation_preview", too_long)
    assertContains(as_admin.post(reverse("augmentation"), {"text": "x"}), "could not finish", status_code=503)


def test_the_page_of_distances_shows_a_row_for_each(bank, as_teacher) -> None:
    question = bank.questions[0]
    response = as_teacher.get(reverse("question_distances", args=[question.pk]))
    page = response.content.decode()
    rows = response.context["case"].rows
    assert [row.distance for row in rows] == [0, 1, 2, 3, 4]
    assert rows[1].question in bank.questions[1:3]
    for words in ("changed at random as in training", "the same most specific concept",
                  "shares concepts down to level 2",
                  "shares concepts down to level 1", "shares no concepts"):  # fmt: skip
        assert words in page
    assert f"{rows[1].cosine:.2f}" in page
    assert page.count("No ready question with a vector is at this distance") == 2
    assert "Make another copy" in page


def test_the_question_s_page_leads_to_its_distances(bank, as_teacher) -> None:
    page = as_teacher.get(reverse("question_detail", args=[bank.questions[0].pk])).content.decode()
    assert reverse("question_distances", args=[bank.questions[0].pk]) in page


def test_distances_without_a_concept_or_without_vectors_say_what_is_missing(bank, as_teacher) -> None:
    untagged = reverse("question_distances", args=[bank.questions[5].pk])
    assert "has no concepts yet" in as_teacher.get(untagged).content.decode()
    EmbeddingSet.objects.all().delete()
    assertContains(as_teacher.get(untagged), "cannot be compared yet")
