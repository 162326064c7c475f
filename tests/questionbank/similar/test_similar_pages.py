"""Similar questions on pages: one list or two, and the kinds that a teacher asks for."""

from __future__ import annotations

import numpy as np
import pytest
from django.urls import reverse

from questionbank.models import EmbeddingSet, Question, QuestionEmbedding


def detail(client, question):
    response = client.get(reverse("question_detail", args=[question.pk]))
    assert response.status_code == 200
    return response


def listed(client, question, kinship):
    response = client.get(reverse("question_similar", args=[question.pk, kinship]))
    assert response.status_code == 200
    return response


def address(question, kinship) -> str:
    return reverse("question_similar", args=[question.pk, kinship])


def part_the_lenses(bank) -> None:
    """Give the lens of purpose vectors under which other questions are near than in wording."""
    rng = np.random.default_rng(1)
    for row in QuestionEmbedding.objects.filter(embedding_set__lens="purpose").exclude(question__in=bank.questions[4:]):
        vector = rng.normal(size=512)
        row.vector = (vector / np.linalg.norm(vector)).tolist()
        row.save()


def test_where_both_lenses_agree_there_is_one_list_with_both_scores(bank, as_teacher) -> None:
    response = detail(as_teacher, bank.questions[0])
    (column,) = response.context["columns"]
    page = response.content.decode()
    assert column.hits[0].question in bank.questions[1:3]
    assert column.hits[0].reason in page
    cosine = f"{column.hits[0].cosines['purpose']:.2f}"
    assert f"purpose {cosine}, wording {cosine}" in page


def test_where_the_lenses_differ_each_has_a_list_with_its_score(bank, as_teacher, monkeypatch) -> None:
    monkeypatch.setattr("questionbank.similar.kinship.SHOWN", 2)
    monkeypatch.setattr("questionbank.similar.similarity.LEAST_WITHOUT_REASON", 0.0)
    part_the_lenses(bank)
    response = detail(as_teacher, bank.questions[4])
    columns = {column.lens: column for column in response.context["columns"]}
    assert set(columns) == {"purpose", "wording"}
    assert columns["purpose"].hits[0].question == bank.questions[5]
    for column in columns.values():
        assert f"{column.hits[0].score:.2f}" in response.content.decode()


def test_a_language_without_purpose_has_one_list_and_a_notice(bank, as_teacher) -> None:
    EmbeddingSet.objects.filter(lens="purpose").update(unknown_shares={"en": 0.5})
    response = detail(as_teacher, bank.questions[0])
    (column,) = response.context["columns"]
    assert column.hits[0].question in bank.questions[1:3]
    assert "these are compared by wording only" in response.content.decode()


def test_a_button_stands_for_each_kind_that_holds_a_question_and_for_no_other(bank, as_teacher) -> None:
    linear, circle = bank.questions[0], bank.questions[3]
    page = detail(as_teacher, linear).content.decode()
    for kinship, is_there in {"same-idea": True, "harder": True, "easier": False, "solved-differently": False}.items():
        assert (address(linear, kinship) in page) == is_there
    assert address(circle, "same-idea") not in detail(as_teacher, circle).content.decode()


def test_same_idea_new_numbers_lists_only_such_questions(bank, as_teacher) -> None:
    response = listed(as_teacher, bank.questions[0], "same-idea")
    (hit,) = response.context["hits"]
    assert {hit.question, *(copy.question for copy in hit.copies)} == set(bank.questions[1:3])


def test_easier_and_harder_say_by_how_much(bank, as_teacher) -> None:
    middle = bank.questions[2]  # published as 3 on a scale from 1 to 5
    easier = listed(as_teacher, middle, "easier").context["hits"]
    assert easier[0].question in bank.questions[:2]
    assert "instead of 50% (published)" in easier[0].reason
    assert {hit.question.difficulty for hit in easier} == {1, 2}
    harder = listed(as_teacher, bank.questions[0], "harder").context["hits"]
    assert {hit.question.difficulty for hit in harder} == {2, 3}


def test_responses_count_before_the_source_and_only_where_they_differ_clearly(bank, as_teacher) -> None:
    first, second = bank.questions[:2]
    Question.objects.filter(pk=first.pk).update(facility=0.4, responses=400)
    Question.objects.filter(pk=second.pk).update(facility=0.8, responses=400)
    (hit,) = listed(as_teacher, first, "easier").context["hits"]
    assert hit.question == second
    assert hit.reason.startswith("Difficulty 20% instead of 60% (observed).")
    Question.objects.filter(pk=second.pk).update(facility=0.44)
    assert second not in {hit.question for hit in listed(as_teacher, first, "easier").context["hits"]}


def test_published_difficulties_of_two_scales_are_not_compared(bank, as_teacher) -> None:
    first = bank.questions[0]
    Question.objects.exclude(pk=first.pk).update(difficulty_scale="0-4")
    assert listed(as_teacher, first, "harder").context["hits"] == []


def test_a_kind_without_a_question_offers_the_closest(bank, as_teacher) -> None:
    page = listed(as_teacher, bank.questions[3], "same-idea").content.decode()
    assert "We found no question for" in page
    assert address(bank.questions[3], "purpose") in page


def test_an_unknown_kind_of_similarity_is_a_404(bank, as_teacher) -> None:
    assert as_teacher.get(address(bank.questions[0], "nonsense")).status_code == 404


@pytest.mark.parametrize("kinship", ["purpose", "wording"])
def test_a_lens_of_its_own_lists_questions_by_their_score(bank, as_teacher, kinship) -> None:
    response = listed(as_teacher, bank.questions[0], kinship)
    hits = response.context["hits"]
    assert [copy.question for copy in hits[0].copies]
    assert "and 1 copy" in " ".join(response.content.decode().split())
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_browser_with_scripts_asks_for_similar_questions_after_the_page(bank, as_teacher) -> None:
    whole = detail(as_teacher, bank.questions[0]).content.decode()
    part = reverse("question_likeness", args=[bank.questions[0].pk])
    assert as_teacher.get(part).url == reverse("question_detail", args=[bank.questions[0].pk]) + "?whole=1"

    as_teacher.cookies["scripts"] = "1"  # as static/js/site.js sets it
    later = detail(as_teacher, bank.questions[0])
    assert "columns" not in later.context
    assert f'hx-get="{part}"' in later.content.decode()
    similar = as_teacher.get(part, headers={"HX-Request": "true"}).content.decode().strip()
    assert similar.startswith("<section")
    assert similar in whole
    asked = as_teacher.get(reverse("question_detail", args=[bank.questions[0].pk]), {"whole": "1"})
    assert asked.context["columns"]
