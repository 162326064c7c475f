"""Undoing an import: everything it created goes, what was used since stays and is listed."""

from __future__ import annotations

import json

import pytest
from django.apps import apps
from django.urls import reverse
from pytest_django.asserts import assertContains

from analytics.errors import Cancelled
from questionbank.bank.concept_services import concept_create, concept_rename
from questionbank.bank.question_services import question_retire, question_set_tags
from questionbank.core.errors import Conflict, NotAllowed
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.imports.undo_selectors import import_can_be_undone, import_undo_plan
from questionbank.imports.undo_services import import_undo_request, run_import_undo
from questionbank.jobs.run_services import run_start, run_succeed
from questionbank.models import (
    ImportDuplicate,
    KnowledgeConcept,
    KnowledgeHierarchy,
    ModelArtifact,
    ParaphrasePair,
    Question,
    QuestionEquation,
    QuestionTag,
    Run,
    School,
    User,
)
from questionbank.people.permissions import viewing_as
from questionbank.training.services import probes_request
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory
from tests.questionbank.imports.test_jobs import Reporter
from tests.questionbank.small_bank import add_set, store_vectors

pytestmark = pytest.mark.django_db


@pytest.fixture
def load(tmp_path):
    """Imports lines and gives the import's job."""

    def load(*lines: dict, name: str = "maths", user=None, **options) -> Run:
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        import_file(path=path, user=user, embed=False, options=ImportOptions(**options))
        return Run.objects.filter(kind="import").latest("pk")

    return load


def line(number: int, *concepts: list[str], **fields) -> dict:
    return {"id": str(number), "text": f"What is {number} + {number}?", "concepts": list(concepts), **fields}


def undo(imported: Run, user=None) -> dict:
    run = run_start(run_id=import_undo_request(run=imported, user=user).pk, worker="test")
    result = run_import_undo(run, Reporter())
    run_succeed(run=run, result=result)
    return result


def test_an_undo_leaves_the_bank_as_it_was_before_the_import(load, admin_person):
    before = QuestionFactory(text="What is 1 + 1?")
    school = ConceptFactory(hierarchy=HierarchyFactory(name="maths"), names=("Number",))
    imported = load(
        line(1, ["Number", "Addition"]),  # in the bank already: it gets a tag
        line(2, ["Number", "Addition"], equation="2+2"),
        line(3, ["Algebra", "Equations"]),
        user=admin_person,
    )
    store_vectors(add_set("wording"), list(Question.objects.all()))
    assert import_can_be_undone(run=imported)

    result = undo(imported, admin_person)

    assert (result["removed"], result["kept"], result["tags"], result["concepts"]) == (2, 0, 1, 3)
    assert result["hierarchy"] == ""  # it was there before
    assert list(Question.objects.all()) == [before]
    assert [concept.name for concept in KnowledgeConcept.objects.all()] == ["Number"]
    school.refresh_from_db()
    assert school.numchild == 0
    assert not QuestionTag.objects.exists()
    assert not QuestionEquation.objects.exists()
    assert not ImportDuplicate.objects.exists()
    assert not import_can_be_undone(run=imported)
    with pytest.raises(Conflict, match="Nothing"):
        import_undo_request(run=imported, user=admin_person)


def test_a_hierarchy_that_goes_takes_its_probes_and_their_training_along(load, own_artifacts):
    imported = load(line(1, ["Number"]), hierarchy="New")
    hierarchy = KnowledgeHierarchy.objects.get(name="New")
    training = probes_request(hierarchy=hierarchy)
    ModelArtifact.objects.create(capability="probes", scope="New", name="p", location="p", state="champion")
    kept_probes = ModelArtifact.objects.create(capability="probes", scope="Old", name="q", state="champion")

    result = undo(imported)

    assert (result["hierarchy"], result["probes"], result["jobs_cancelled"]) == ("New", 1, 1)
    assert not KnowledgeHierarchy.objects.exists()
    assert list(ModelArtifact.objects.all()) == [kept_probes]
    training.refresh_from_db()
    assert training.state == "cancelled"


def test_what_was_used_since_stays_and_is_listed_with_the_reason(load, teacher, admin_person):
    imported = load(*(line(number, ["Number"]) for number in range(1, 8)))
    first, second, third, fourth, fifth, sixth, _seventh = Question.objects.order_by("pk")
    question_retire(user=None, question=first)
    question_set_tags(user=teacher, question=second, concepts=[])
    ParaphrasePair.objects.create(question=third, original="a", paraphrase="b", source="typed")
    ParaphrasePair.objects.create(added=fourth, original="a", paraphrase="c", source="typed")
    QuestionFactory(text="Reworded", paraphrase_of=fifth)
    load(line(6), name="second")

    result = undo(imported, admin_person)

    assert {row["question"]: row["reasons"] for row in result["kept_questions"]} == {
        first.pk: ["edited"],
        second.pk: ["tagged"],
        third.pk: ["paraphrased"],
        fourth.pk: ["paraphrased"],
        fifth.pk: ["paraphrased"],
        sixth.pk: ["imported"],
    }
    assert (result["removed"], result["kept"]) == (1, 6)
    assert result["concepts_kept"] == ["Number"]  # some that stay are tagged with it
    assert QuestionTag.objects.filter(question=first).exists()
    # what kept a question is gone: now it can be undone too
    ParaphrasePair.objects.filter(question=third).delete()
    assert undo(imported)["removed"] == 1


def test_concepts_that_others_built_on_stay(load, admin_person):
    imported = load(line(1, ["A", "B"]), line(2, ["C"]), line(3, ["D"]), hierarchy="New")
    hierarchy = KnowledgeHierarchy.objects.get(name="New")
    a = KnowledgeConcept.objects.get(name="A")
    concept_create(user=None, hierarchy=hierarchy, name="Mine", parent=a)
    concept_rename(user=None, concept=KnowledgeConcept.objects.get(name="C"), name="C, renamed")
    result = undo(imported)
    assert sorted(result["concepts_kept"]) == ["A", "C, renamed"]
    assert sorted(KnowledgeConcept.objects.values_list("name", flat=True)) == ["A", "C, renamed", "Mine"]
    assert KnowledgeHierarchy.objects.filter(name="New").exists()
    a.refresh_from_db()
    assert a.numchild == 1


def test_a_cancelled_undo_removes_nothing(load):
    imported = load(line(1, ["A"]), line(2))
    reporter = Reporter()
    reporter.stop = True
    with pytest.raises(Cancelled):
        run_import_undo(import_undo_request(run=imported, user=None), reporter)
    assert Question.objects.count() == 2
    assert QuestionTag.objects.count() == 1


def test_only_an_admin_may_undo_a_command_s_import_and_only_one_job_at_a_time_does(load, teacher, admin_person):
    imported = load(line(1))
    with pytest.raises(NotAllowed):
        import_undo_request(run=imported, user=teacher)
    import_undo_request(run=imported, user=admin_person)
    with pytest.raises(Conflict, match="being undone already"):
        import_undo_request(run=imported, user=admin_person)


@pytest.fixture
def hill(teacher) -> School:
    """The teacher's school."""
    school = School.objects.create(name="Hill School", slug="hill-school")
    school.people.add(teacher)
    return school


def test_who_has_left_the_school_of_the_questions_cannot_undo_their_import(load, client, teacher, admin_person, hill):
    HierarchyFactory(name="maths")
    concept_create(user=None, hierarchy=KnowledgeHierarchy.objects.get(), name="Number")
    imported = load(line(1, ["Number"]), user=User.objects.get(pk=teacher.pk), status="ready")
    KnowledgeConcept.objects.update(import_run=imported)
    queued = import_undo_request(run=imported, user=teacher)
    hill.people.remove(teacher)
    leaver = User.objects.get(pk=teacher.pk)
    with viewing_as(leaver), pytest.raises(Conflict, match="a school that you have left"):
        run_import_undo(queued, Reporter())
    queued.delete()
    client.force_login(leaver)
    page = reverse("import_undo", args=[imported.pk])
    assertContains(client.get(page), "a school that you have left", status_code=409)
    assertContains(client.post(page, follow=True), "a school that you have left")
    assert Question.unrestricted.count() == QuestionTag._base_manager.count() == 1
    with viewing_as(admin_person):
        assert undo(imported, admin_person)["removed"] == 1


def test_a_concept_that_somebody_else_s_private_question_has_stays(load, teacher, reviewer):
    imported = load(line(1), user=teacher)
    concept = ConceptFactory(hierarchy=HierarchyFactory(name="maths", import_run=imported), names=("Number",))
    KnowledgeConcept.objects.update(import_run=imported)
    private = QuestionFactory(created_by=reviewer, visibility="private")
    QuestionTag.objects.create(question=private, concept=concept, set_by="person")
    with viewing_as(teacher):
        result = undo(imported, teacher)
    assert (result["removed"], result["concepts_kept"]) == (1, ["Number"])


def test_history_says_who_removed_the_questions(load, admin_person):
    imported = load(line(1, ["A"]))
    question = Question.objects.get()
    undo(imported, admin_person)
    event = apps.get_model("questionbank", "QuestionEvent").objects.get(pgh_obj_id=question.pk)
    assert event.pgh_label == "delete"
    assert event.pgh_context.metadata["user"] == admin_person.pk
    assert event.text == question.text


def test_the_plan_is_what_the_job_does(load):
    imported = load(line(1, ["A"]), line(2, ["A"]), hierarchy="New")
    question_retire(user=None, question=Question.objects.first())
    plan = import_undo_plan(run=imported)
    result = undo(imported)
    assert (plan.removed, len(plan.kept)) == (result["removed"], result["kept"]) == (1, 1)
