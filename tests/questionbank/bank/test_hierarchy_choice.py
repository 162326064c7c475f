"""Choosing the hierarchy of predictions: for the bank, for oneself, and for one question on request."""

from __future__ import annotations

import pytest
from django.urls import reverse

from questionbank.bank.concept_selectors import default_hierarchy
from questionbank.models import KnowledgeHierarchy
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory
from tests.questionbank.small_bank import store_vectors

PASTED = r"Solve the equation $7x + 2 = 30$ for $x$."


@pytest.fixture
def contest(bank):
    """A second, newer hierarchy whose only question is the nearest of all to the pasted one."""
    hierarchy = HierarchyFactory(name="Contest")
    bank.quick = ConceptFactory(hierarchy=hierarchy, names=("Quick algebra",))
    question = QuestionFactory(text=PASTED + " Be quick.", concepts=[bank.quick])
    from questionbank.models import EmbeddingSet

    for embedding_set in EmbeddingSet.objects.all():
        store_vectors(embedding_set, [question])
    bank.contest = hierarchy
    bank.contest_question = question
    return bank


def predicted(response) -> str:
    return response.context["prediction"].hierarchy


def test_a_pasted_question_is_predicted_in_the_default_until_another_is_chosen_and_remembered(
    contest, as_teacher, teacher
) -> None:
    address = reverse("paste")
    first = as_teacher.post(address, {"text": PASTED})
    assert predicted(first) == "School"
    assert "Quick algebra" not in first.content.decode().split("Similar questions")[0]
    chosen = as_teacher.post(address, {"text": PASTED, "hierarchy": "Contest"})
    assert [concept.path for concept in chosen.context["prediction"].concepts] == [("Quick algebra",)]
    teacher.refresh_from_db()
    assert teacher.hierarchy == contest.contest
    assert predicted(as_teacher.post(address, {"text": PASTED})) == "Contest"
    assert predicted(as_teacher.post(address, {"text": PASTED, "hierarchy": "Nowhere"})) == "Contest"


def test_a_tagged_question_keeps_its_hierarchy_whatever_its_reader_chose(contest, as_teacher, teacher) -> None:
    teacher.hierarchy = contest.contest
    teacher.save()
    tagged, untagged = contest.questions[0], contest.questions[5]
    assert predicted(as_teacher.get(reverse("question_detail", args=[tagged.pk]))) == "School"
    assert predicted(as_teacher.get(reverse("question_detail", args=[untagged.pk]))) == "Contest"
    assert predicted(as_teacher.get(reverse("question_detail", args=[contest.contest_question.pk]))) == "Contest"


def test_a_tagged_question_is_predicted_in_another_hierarchy_only_on_request(contest, as_teacher, teacher) -> None:
    question = contest.questions[0]
    address = reverse("question_hierarchy", args=[question.pk])
    page = as_teacher.post(address, {"hierarchy": "Contest"}, follow=True)
    assert predicted(page) == "Contest"
    text = " ".join(page.content.decode().split())
    assert "The question is tagged in School. You asked for predictions in Contest." in text
    teacher.refresh_from_db()
    assert teacher.hierarchy == contest.contest
    assert predicted(as_teacher.get(reverse("question_detail", args=[question.pk]))) == "School"
    assert as_teacher.post(address, {"hierarchy": "Nowhere"}).status_code == 404


def test_an_accepted_concept_keeps_the_probability_of_its_own_hierarchy(contest, as_teacher) -> None:
    question = contest.questions[0]
    as_teacher.post(reverse("question_accept", args=[question.pk]), {"concept": contest.quick.pk})
    assert question.tags.get(concept=contest.quick).probability == pytest.approx(1)


def test_an_admin_chooses_the_banks_default_which_no_import_changes(contest, as_admin) -> None:
    assert default_hierarchy() == contest.hierarchy  # the oldest
    address = reverse("hierarchy_default", args=[contest.contest.pk])
    assert "The current default is “School”." in as_admin.get(address).content.decode()
    page = as_admin.post(address, follow=True).content.decode()
    assert "“Contest” is now the bank&#x27;s default hierarchy." in page
    HierarchyFactory(name="A newer one")
    assert default_hierarchy() == contest.contest
    assert predicted(as_admin.post(reverse("paste"), {"text": PASTED})) == "Contest"
    as_admin.post(reverse("hierarchy_default", args=[contest.hierarchy.pk]))
    assert list(KnowledgeHierarchy.objects.filter(is_default=True)) == [contest.hierarchy]


def test_one_hierarchy_needs_no_choice(bank, as_teacher) -> None:
    page = as_teacher.get(reverse("question_detail", args=[bank.questions[0].pk])).content.decode()
    assert 'name="hierarchy"' not in page
    assert 'name="hierarchy"' not in as_teacher.get(reverse("paste")).content.decode()
