"""Saved searches on their pages: saved, opened with what is new, shared, replaced, deleted."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml import html

from questionbank.bank.concept_services import concept_delete
from questionbank.bank.question_services import question_retire
from questionbank.models import Question, SavedSearch, SavedSearchOpening, School
from questionbank.people.owned import NAME_LIMIT
from questionbank.search.page_parts import SearchState
from questionbank.search.saved_services import (
    MOST_SAVED,
    saved_figures,
    saved_problems,
    saved_search_create,
    saved_search_open,
)
from tests.factories import QuestionFactory, UserFactory
from tests.questionbank.page_bank import text_of

INDEX = reverse("saved_search_list")
CREATE = reverse("saved_search_create")


def results_of(saved: SavedSearch) -> str:
    return reverse("saved_search_results", args=[saved.pk])


def save(user, name: str = "Mine", **parameters: str) -> SavedSearch:
    return saved_search_create(user=user, name=name, state=SearchState.from_saved(parameters))


def age(saved: SavedSearch) -> None:
    """Let the questions and the openings of a saved search be of yesterday."""
    before = timezone.now() - timedelta(days=1)
    Question.objects.update(visible_since=before - timedelta(hours=1))
    SavedSearchOpening.objects.filter(saved_search=saved).update(seen_until=before)


def figures(saved: SavedSearch, user) -> tuple[int, int | None]:
    found = saved_figures(saved_search=saved, user=user)
    return found.total, found.new


def test_a_search_is_saved_from_its_page_and_opens_as_it_was(bank, as_teacher, teacher) -> None:
    address = reverse("question_list", query={"concept": bank.linear.pk, "q": "solve", "order": "hardest"})
    page = html.fromstring(as_teacher.get(address).content)
    [link] = [link for link in page.iter("a") if "Save this search" in link.text_content()]
    assert "Linear equations" in text_of(as_teacher.get(link.get("href")))
    response = as_teacher.post(link.get("href"), {"name": " Hard  equations ", "visible_to": "private"})
    assert response["Location"] == INDEX
    saved = SavedSearch.objects.get(owner=teacher)
    assert saved.name == "Hard equations"
    assert saved.parameters == {"q": "solve", "concept": str(bank.linear.pk), "order": "hardest"}
    opened = urlsplit(as_teacher.get(results_of(saved))["Location"])
    assert opened.path == reverse("question_list")
    asked = {name: value for name, [value] in parse_qs(opened.query).items()}
    assert asked.pop("since")
    assert asked == saved.parameters


def test_a_long_query_is_saved_whole(bank, as_teacher, teacher) -> None:
    question = "Solve for $x$. " * 130
    long = as_teacher.post(reverse("question_list"), {"q": question})["Location"]
    as_teacher.post(f"{CREATE}?{urlsplit(long).query}", {"name": "Long", "visible_to": "private"})
    assert SavedSearch.objects.get().parameters == {"q": question.strip()}


def test_the_list_counts_after_it_is_shown_and_without_javascript_by_a_link(bank, as_teacher, teacher) -> None:
    saved = save(teacher, grade="7")
    age(saved)
    page = html.fromstring(as_teacher.get(INDEX).content)
    rows = page.get_element_by_id("saved-searches")
    assert (rows.get("hx-get"), rows.get("hx-trigger")) == ("?counts=1", "load")
    [link] = [link for link in rows.iter("a") if "Count" in link.text_content()]
    assert "1 question" not in text_of(as_teacher.get(INDEX))
    assert "Mine 1 question · only for you Grade 7" in text_of(as_teacher.get(f"{INDEX}{link.get('href')}"))
    part = as_teacher.get(INDEX, {"counts": "1"}, headers={"HX-Request": "true"}).content.decode()
    assert "1 question" in part
    assert "<html" not in part
    assert "hx-trigger" not in part
    assert saved.openings.count() == 1


def test_new_are_questions_written_or_made_ready_since_the_person_last_opened_it(bank, as_teacher, teacher) -> None:
    draft = QuestionFactory(text="A draft of grade 7", grade="7", status="draft", created_by=teacher)
    old = QuestionFactory(text="An old one of grade 7", grade="7")
    saved = save(teacher, grade="7")
    age(saved)
    assert figures(saved, teacher) == (2, 0)
    new = QuestionFactory(text="A new one of grade 7", grade="7")
    QuestionFactory(text="A new one of grade 8", grade="8")
    for question, changes in ((draft, {"status": "ready"}), (old, {"answer": "42"})):
        Question.objects.filter(pk=question.pk).update(**changes)
    assert figures(saved, teacher) == (4, 2)
    assert "4 questions · 2 new" in text_of(as_teacher.get(INDEX, {"counts": "1"}))
    response = as_teacher.get(results_of(saved), follow=True)
    page = html.fromstring(response.content)
    marked = {
        int(card.find(".//input[@name='id']").get("value"))
        for card in page.iter("li")
        if card.find_class("question-link") and any(one.text_content() == "New" for one in card.find_class("badge"))
    }
    assert marked == {draft.pk, new.pk}
    age(saved)
    as_teacher.get(results_of(saved))
    assert figures(saved, teacher) == (4, 0)
    question_retire(user=None, question=new)
    assert figures(saved, teacher)[0] == 3


def test_looking_with_head_does_not_count_as_opening(bank, as_teacher, teacher) -> None:
    saved = save(teacher)
    age(saved)
    before = saved.openings.get().seen_until
    assert as_teacher.head(results_of(saved)).status_code == 302
    assert saved.openings.get().seen_until == before


def test_the_marks_stay_while_one_pages_and_filters_and_can_be_removed(bank, as_teacher, teacher) -> None:
    saved = save(teacher)
    response = as_teacher.get(results_of(saved), follow=True)
    since = response.context["since_text"]
    assert f'name="since" value="{since}" form="search-form"' in response.content.decode()
    narrowed = as_teacher.post(reverse("question_list"), {"q": "", "grade": "7", "since": since})["Location"]
    assert narrowed == reverse("question_list", query={"grade": "7", "since": since})
    for nonsense in ("yesterday", "2026-13-01T00:00:00Z", "2026-11-29T10:00:00", "0001-01-01T00:00:00+14:00"):
        assert as_teacher.get(reverse("question_list"), {"since": nonsense}, follow=True).context["since"] is None


def test_colleagues_open_what_is_shared_and_each_has_an_own_new_since(bank, as_teacher, teacher, reviewer) -> None:
    shared, private = save(teacher, "Shared", grade="7"), save(teacher, "Private")
    client = Client()
    client.force_login(reviewer)
    assert client.get(results_of(shared)).status_code == 404
    as_teacher.post(reverse("saved_search_edit", args=[shared.pk]), {"name": "Shared", "visible_to": "all"})
    page = text_of(client.get(INDEX, {"counts": "1"}))
    assert f"Shared 1 question · not opened yet · {teacher}" in page
    assert "Private" not in page
    assert client.get(results_of(private)).status_code == 404
    assert client.get(results_of(shared)).status_code == 302
    assert figures(shared, reviewer) == (1, 1)  # in this test's transaction everything happens at one time
    for name in ("saved_search_edit", "saved_search_delete"):
        assert client.post(reverse(name, args=[shared.pk]), {"name": "Theirs"}).status_code == 404


def test_a_school_shares_a_search_and_nobody_else_finds_it(bank, teacher, reviewer, admin_person) -> None:
    ours, theirs = (School.objects.create(name=name, slug=name.lower()) for name in ("Hillside", "Lakeside"))
    ours.people.add(teacher, reviewer)
    outsider = UserFactory()
    outsider.groups.add(Group.objects.get(name="teacher"))
    as_owner, as_colleague, as_outsider, as_admin = clients = [Client() for _ in range(4)]
    for client, person in zip(clients, (teacher, reviewer, outsider, admin_person), strict=True):
        client.force_login(person)
    given = {"name": "Grade 7", "visible_to": "hillside"}
    assert as_owner.post(f"{CREATE}?grade=7", given | {"visible_to": theirs.slug}).status_code == 422
    assert as_owner.post(f"{CREATE}?grade=7", given).status_code == 302
    saved = SavedSearch.objects.get()
    assert (saved.school, saved.audience) == (ours, ours.pk)
    assert "for Hillside" in text_of(as_owner.get(INDEX))
    assert [row.pk for row, *_others in as_colleague.get(INDEX).context["rows"]] == [saved.pk]
    assert as_colleague.get(results_of(saved)).status_code == 302
    assert as_outsider.get(INDEX).context["rows"] == []
    assert as_outsider.get(results_of(saved)).status_code == 404
    Question.objects.filter(grade="7").update(visibility="school", school=theirs)
    assert "0 questions" in text_of(as_colleague.get(INDEX, {"counts": "1"}))
    save(teacher, "Mine alone")
    page = text_of(as_admin.get(INDEX, {"counts": "1"}))
    assert "1 question ·" in page
    assert "Mine alone" not in page


def test_a_question_is_new_to_a_school_when_it_is_shown_to_it(bank, teacher) -> None:
    school = School.objects.create(name="Hillside", slug="hillside")
    hidden = QuestionFactory(text="Of another school", visibility="private", grade="7")
    saved = save(teacher, grade="7")
    age(saved)
    assert figures(saved, teacher)[1] == 0
    Question.objects.filter(pk=hidden.pk).update(visibility="school", school=school)
    assert figures(saved, teacher)[1] == 1


def test_others_drafts_are_not_counted_in_what_they_share(bank, teacher, reviewer) -> None:
    QuestionFactory(text="Unfinished", status="draft", created_by=teacher)
    saved = save(teacher, status="draft")
    SavedSearch.objects.update(visibility="all")
    assert figures(saved, teacher)[0] == 1
    assert figures(saved, reviewer)[0] == 0


def test_a_saved_search_is_replaced_renamed_and_deleted(bank, as_teacher, teacher) -> None:
    saved = save(teacher, "Old", grade="7")
    as_teacher.post(f"{CREATE}?grade=8", {"existing": saved.pk, "name": "", "visible_to": "private"})
    saved.refresh_from_db()
    assert (saved.name, saved.parameters) == ("Old", {"grade": "8"})
    as_teacher.post(f"{CREATE}?grade=9", {"existing": saved.pk, "name": "Another", "visible_to": "private"})
    assert {row.name: row.parameters for row in SavedSearch.objects.all()} == {
        "Old": {"grade": "8"},
        "Another": {"grade": "9"},
    }
    edit = reverse("saved_search_edit", args=[saved.pk])
    assert as_teacher.post(edit, {"name": "Another", "visible_to": "private"}).status_code == 422
    assert as_teacher.post(edit, {"name": "New name", "visible_to": "private"}).status_code == 302
    delete = reverse("saved_search_delete", args=[saved.pk])
    assert "Delete “New name”?" in text_of(as_teacher.get(delete))
    as_teacher.post(delete)
    assert [row.name for row in SavedSearch.objects.all()] == ["Another"]


@pytest.mark.parametrize("name", ["", "  ", "x" * (NAME_LIMIT + 1), "Mine"])
def test_a_name_is_needed_short_and_used_once(bank, as_teacher, teacher, name) -> None:
    save(teacher)
    response = as_teacher.post(CREATE, {"name": name, "visible_to": "private"})
    assert response.status_code == 422
    assert response.context["form"].errors["name"]
    assert SavedSearch.objects.count() == 1


def test_a_person_has_so_many_saved_searches_at_most(bank, as_teacher, teacher) -> None:
    SavedSearch.objects.bulk_create(SavedSearch(owner=teacher, name=f"{n}") for n in range(MOST_SAVED))
    page = text_of(as_teacher.post(CREATE, {"name": "One more", "visible_to": "private"}))
    assert f"You have {MOST_SAVED} saved searches. Delete one, or replace one." in page
    assert as_teacher.get(INDEX).context["page"].paginator.num_pages == MOST_SAVED / 20


def test_what_is_gone_is_named_and_stays_in_the_search(bank, as_teacher, teacher, django_user_model) -> None:
    colleague = django_user_model.objects.create_user("former")
    asked = {"concept": str(bank.circle.pk), "source": "Test set", "owner": str(colleague.pk), "kind": "essay"}
    saved = save(teacher)
    SavedSearch.objects.update(parameters=asked)
    saved.refresh_from_db()
    assert saved_problems(saved) == ["“kind: essay” no longer means anything in a search."]
    concept_delete(user=None, concept=bank.circle, target=bank.fraction)
    colleague.delete()
    Question.objects.update(source="Other")
    sentences = [
        "The concept “Circles” no longer exists, so no question has it.",
        "No question has the source “Test set” any more.",
        "The person whose questions it asks for no longer has an account.",
        "“kind: essay” no longer means anything in a search.",
    ]
    assert saved_problems(saved) == sentences
    page = text_of(as_teacher.get(INDEX, {"counts": "1"}))
    assert all(sentence in page for sentence in sentences)
    assert "Test set, Circles, written by somebody without an account" in page
    results = as_teacher.get(results_of(saved), follow=True)
    assert results.context["filters"].concept == bank.circle.pk
    assert sentences[0] in text_of(results)


def test_an_opening_during_an_import_does_not_hide_what_the_import_brings(bank, teacher, monkeypatch) -> None:
    saved = save(teacher)
    began = timezone.now() - timedelta(minutes=1)
    monkeypatch.setattr("questionbank.search.saved_services.settled_until", lambda: began)
    saved_search_open(user=teacher, saved_search=saved)
    assert saved.openings.get().seen_until == began


@pytest.mark.django_db(transaction=True)
def test_the_settled_time_is_that_of_the_oldest_transaction_that_writes(teacher) -> None:
    """A row bears the time at which its transaction began."""
    from django.db import connection

    from questionbank.core.database import settled_until

    writing = connection.copy()
    try:
        writing.set_autocommit(False)
        with writing.cursor() as cursor:
            cursor.execute("SELECT now()")
            began = cursor.fetchone()[0]
            assert settled_until() > began
            cursor.execute("UPDATE questionbank_user SET first_name = 'A' WHERE id = %s", [teacher.pk])
        assert settled_until() == began
        writing.rollback()
        assert settled_until() > began
    finally:
        writing.close()


def test_the_list_of_searches_asks_the_database_as_often_for_many_as_for_few(
    bank, as_teacher, teacher, django_assert_max_num_queries
) -> None:
    for grade in range(20):
        save(teacher, f"Grade {grade}", grade=str(grade), concept=str(bank.linear.pk))
    as_teacher.get(INDEX)
    with django_assert_max_num_queries(12):
        as_teacher.get(INDEX)
