"""The first page."""

from __future__ import annotations

from django.urls import reverse

from questionbank.models import Run
from tests.factories import QuestionFactory


def test_a_new_bank_says_how_to_begin(as_admin) -> None:
    page = as_admin.get(reverse("home")).content.decode()
    assert "The bank is empty" in page
    assert reverse("import_create") in page


def test_the_menu_and_the_first_page_lead_teachers_to_the_import_of_a_test_paper(as_teacher) -> None:
    page = as_teacher.get(reverse("home")).content.decode()
    assert page.count(f'href="{reverse("document_create")}"') == 2
    assert reverse("question_create") in page


def test_who_may_not_import_is_not_sent_to_a_page_that_is_closed_to_them(client, reviewer) -> None:
    client.force_login(reviewer)
    page = client.get(reverse("home")).content.decode()
    assert not [name for name in ("import_create", "document_create") if f'href="{reverse(name)}"' in page]


def test_strands_lead_into_the_search_with_their_counts(bank, as_teacher) -> None:
    response = as_teacher.get(reverse("home"))
    strands = {strand.name: strand for strand in response.context["strands"][0].strands}
    assert {name: strand.questions for name, strand in strands.items()} == {"Algebra": 3, "Geometry": 1, "Number": 1}
    assert f"{reverse('question_list')}?concept={strands['Algebra'].id}" in response.content.decode()


def test_new_questions_own_drafts_and_running_jobs_are_shown(bank, as_teacher, teacher) -> None:
    draft = QuestionFactory(text="My unfinished idea.", status="draft", created_by=teacher)
    foreign = QuestionFactory(text="Somebody else's draft.", status="draft")
    Run.objects.create(kind="embed", title="Compute missing vectors")
    page = as_teacher.get(reverse("home")).content.decode()
    assert draft.text in page
    assert foreign.text not in page
    assert bank.questions[-1].text[:30] in page
    assert "Compute missing vectors" in page


def test_a_language_that_is_not_recognised_is_called_so_and_is_none_of_the_banks(as_teacher) -> None:
    QuestionFactory(text="What is 2 + 3?", language="en")
    question = QuestionFactory(text="x = 5; y = -1", language="und")
    assert as_teacher.get(reverse("home")).context["overview"].languages == 1
    for address in (reverse("question_detail", args=[question.pk]), reverse("question_list")):
        page = as_teacher.get(address).content.decode()
        assert "language not recognised" in page
        assert ">und<" not in page
