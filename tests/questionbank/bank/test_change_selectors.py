"""Who changed tags, concepts, roles and settings, and when."""

from __future__ import annotations

import json

import pghistory
import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.urls import reverse

from questionbank.bank import change_selectors as changes
from questionbank.bank.change_selectors import Wanted, change_page, concept_history
from questionbank.bank.concept_services import concept_create, concept_merge, concept_rename
from questionbank.bank.history_selectors import question_history
from questionbank.bank.question_services import question_set_tags
from questionbank.imports.services import import_file
from questionbank.imports.undo_services import import_undo_request, run_import_undo
from questionbank.jobs.run_services import run_start, run_succeed
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory, UserFactory
from tests.questionbank.imports.test_jobs import Reporter

pytestmark = pytest.mark.django_db


def told(kind: str) -> list[tuple[str, str, int]]:
    return [(entry.who, entry.what, entry.rows) for entry in change_page(kind=kind).entries]


def test_tags_that_people_set_and_remove_are_told(teacher):
    question = QuestionFactory()
    concept = ConceptFactory(names=("Algebra",))
    with pghistory.context(user=teacher.pk):
        question_set_tags(user=teacher, question=question, concepts=[concept])
    with pghistory.context(user=teacher.pk):
        question_set_tags(user=teacher, question=question, concepts=[])
    assert told("tags") == [
        ("teacher", f"removed the tag “Algebra” from question {question.pk}", 1),
        ("teacher", f"tagged question {question.pk} with “Algebra”", 1),
    ]
    changes = [
        (entry.who, entry.changes[0].before, entry.changes[0].after) for entry in question_history(question=question)
    ]
    assert changes == [("teacher", "Algebra", ""), ("teacher", "", "Algebra")]


def test_a_change_through_a_key_names_it(teacher):
    question, concept = QuestionFactory(), ConceptFactory(names=("Algebra",))
    with pghistory.context(user=teacher.pk, api_key="Assistant"):
        question_set_tags(user=teacher, question=question, concepts=[concept])
    assert [who for who, _what, _rows in told("tags")] == ["teacher through Assistant"]


def test_older_changes_are_reached_behind_one_of_very_many_rows(teacher, admin_person, monkeypatch):
    monkeypatch.setattr(changes, "_WINDOW", 5)
    concept, area = (ConceptFactory(names=(name,)) for name in ("Algebra", "Area"))
    with pghistory.context(user=teacher.pk):
        question_set_tags(user=teacher, question=QuestionFactory(), concepts=[area])
    with pghistory.context(user=admin_person.pk):
        for _question in range(7):
            question_set_tags(user=admin_person, question=QuestionFactory(), concepts=[concept])
    first = change_page(kind="tags")
    assert [(entry.who, entry.rows) for entry in first.entries] == [("admin", 5)]
    assert first.older is not None
    with connection.cursor() as cursor:  # one transaction of this test is one moment
        cursor.execute(
            "UPDATE questionbank_questiontagevent SET pgh_created_at = now() - interval '1 day' * (1000 - pgh_id)"
        )
    first = change_page(kind="tags")
    older = change_page(kind="tags", wanted=Wanted(before=first.older))
    assert [entry.rows for entry in first.entries] == [4]
    assert [(entry.who, entry.rows) for entry in older.entries] == [("admin", 3), ("teacher", 1)]
    assert older.older is None


def test_no_change_of_the_moment_at_which_a_page_ends_is_lost(teacher, monkeypatch):
    monkeypatch.setattr(changes, "PAGE_SIZE", 2)
    for name in ("Algebra", "Area", "Angles"):  # in one transaction
        with pghistory.context(user=teacher.pk):
            question_set_tags(user=teacher, question=QuestionFactory(), concepts=[ConceptFactory(names=(name,))])
    assert len(told("tags")) == 3


def test_a_change_of_many_rows_is_one_entry(admin_person):
    hierarchy = HierarchyFactory()
    merged, two = (ConceptFactory(hierarchy=hierarchy, names=(name,)) for name in ("One", "Two"))
    for _ in range(3):
        QuestionFactory(concepts=[merged])
    with pghistory.context(user=admin_person.pk):
        concept_merge(user=admin_person, concept=merged, target=two)
    who, what, rows = told("tags")[0]
    assert (who, rows) == ("admin", 3)
    assert "changed the tag" in what


def test_a_concept_s_renames_are_told_with_before_and_after(admin_person):
    hierarchy = HierarchyFactory()
    with pghistory.context(user=admin_person.pk):
        concept = concept_create(user=admin_person, hierarchy=hierarchy, name="A")
    for name in ("B", "C"):
        with pghistory.context(user=admin_person.pk):
            concept_rename(user=admin_person, concept=concept, name=name)
    expected = [
        ("admin", "renamed the concept “B” to “C”"),
        ("admin", "renamed the concept “A” to “B”"),
        ("admin", "added the concept “A”"),
    ]
    assert [(entry.who, entry.what) for entry in concept_history(concept=concept)] == expected
    with connection.cursor() as cursor:  # within one transaction all has the same time
        cursor.execute("UPDATE questionbank_knowledgeconceptevent SET pgh_created_at = now() + pgh_id * interval '1s'")
    newest = change_page(kind="concepts").entries[0]
    assert newest.what == expected[0][1]
    assert change_page(kind="concepts", wanted=Wanted(before=newest.when)).entries[0].what == expected[1][1]


def test_roles_and_accounts_are_told(admin_person, teacher):
    with pghistory.context(user=admin_person.pk):
        person = UserFactory(username="new")
        person.groups.add(Group.objects.get(name="teacher"))
        person.groups.clear()
        person.is_active = False
        person.save()
    whats = [what for who, what, _rows in told("people") if who == "admin"]
    assert sorted(whats) == [
        "added new",
        "closed the account of new",
        "gave new the role teacher",
        "took the role teacher from new",
    ]


def test_an_import_and_its_undo_are_one_entry_each(tmp_path, admin_person):
    path = tmp_path / "maths.jsonl"
    path.write_text("".join(json.dumps({"text": f"{n} + 1", "concepts": [["Sums"]]}) + "\n" for n in range(4)))
    import_file(path=path, user=admin_person, embed=False)
    assert told("tags") == told("concepts") == []
    assert told("imports") == [("admin", "imported 4 questions from maths.jsonl", 1)]
    imported = KnowledgeHierarchy.objects.get().import_run
    assert KnowledgeConcept.objects.get().import_run == imported
    run = run_start(run_id=import_undo_request(run=imported, user=admin_person).pk, worker="test")
    run_succeed(run=run, result=run_import_undo(run, Reporter()))
    assert told("tags") == told("concepts") == []
    assert told("imports")[0] == ("admin", "undid an import and removed 4 questions", 1)


def test_the_page_shows_kinds_and_ignores_nonsense(client, admin_person):
    client.force_login(admin_person)
    ConceptFactory(names=("Algebra",))
    here = reverse("change_list")
    assert "added the concept “Algebra”" in client.get(here).content.decode()
    assert "Algebra" not in client.get(here + "?kind=people").content.decode()
    for nonsense in ("?kind=x", "?before=2024-13-45T00:00", "?before=x", "?before=2024-01-01"):
        assert client.get(here + nonsense).status_code == 200
