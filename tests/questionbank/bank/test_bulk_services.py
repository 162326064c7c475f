"""Changing many questions at once: what changes, what is left out and why, and the undo of all of it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import Q
from django.urls import reverse

from analytics.errors import Cancelled
from questionbank.bank import bulk_services as bulk_changes
from questionbank.bank.bulk_selectors import bulk_plan
from questionbank.bank.bulk_services import bulk_change_request, bulk_change_undo_request, run_bulk_change
from questionbank.bank.change_selectors import change_page
from questionbank.bank.history_selectors import question_history
from questionbank.bank.question_selectors import content_hash
from questionbank.bank.question_services import question_retire, question_set_tags
from questionbank.core.errors import Conflict, NotAllowed
from questionbank.jobs import run_services as runs
from questionbank.models import BulkChange, KnowledgeConcept, ProblemVariant, Question, QuestionEquation, Run
from tests.questionbank.small_bank import add_concept, add_question
from tests.worker.jobs import Reporter

pytestmark = pytest.mark.django_db

FIELDS = ("status", "grade", "source", "difficulty", "difficulty_scale", "difficulty_percent")


def plan(user, kind, values=None, questions=None):
    chosen = Question.objects.all() if questions is None else questions
    return bulk_plan(questions=chosen, kind=kind, values=values or {}, user=user)


def change(user, kind, values=None, questions=None):
    ids = plan(user, kind, values, questions).ids
    return bulk_change_request(user=user, kind=kind, values=values or {}, question_ids=ids, selection={})


def state():
    """Everything that a change may touch, by question."""
    return {
        row.pk: (
            *(getattr(row, name) for name in FIELDS),
            sorted(row.tags.values_list("concept_id", "set_by", "user_id", "probability")),
        )
        for row in Question.objects.all()
    }


@pytest.fixture
def bank(admin_person):
    algebra, geometry = add_concept("Algebra"), add_concept("Geometry")
    add_question("one", grade="6", source="Book", concepts=[algebra])
    add_question("two", grade="7", source="Book", concepts=[algebra, geometry])
    add_question("three", status="retired", difficulty=2, difficulty_scale="0-4")
    return {"Algebra": algebra.pk, "Geometry": geometry.pk}


@pytest.mark.parametrize(
    ("kind", "values", "condition"),
    [
        ("retire", {}, Q(status="retired")),
        ("restore", {}, Q(status="ready")),
        ("grade", {"grade": "7"}, Q(grade="7")),
        ("source", {"source": "New book"}, Q(source="New book")),
        (
            "difficulty",
            {"difficulty": 3.0, "difficulty_scale": "1-5"},
            Q(difficulty=3, difficulty_scale="1-5", difficulty_percent=50),
        ),
        ("concepts", {"add": "Geometry", "remove": "Algebra"}, Q(tags__concept__name="Geometry")),
        ("concepts", {"add": "Geometry", "remove": None}, Q(tags__concept__name="Geometry")),
        ("concepts", {"add": None, "remove": "Algebra"}, ~Q(tags__concept__name="Algebra")),
    ],
)
def test_a_change_reaches_every_question_and_its_undo_gives_all_of_it_back(bank, admin_person, kind, values, condition):
    values = {name: bank.get(value, value) for name, value in values.items()}
    before = state()
    expected = plan(admin_person, kind, values)
    done = change(admin_person, kind, values)
    assert Question.objects.filter(condition).distinct().count() == 3
    assert done.changed == expected.changing == 3 - expected.unchanged > 0
    assert plan(admin_person, kind, values).changing == 0
    undone = bulk_change_undo_request(user=admin_person, change=done)
    assert (state(), undone.kept, undone.undone_by) == (before, [], admin_person)


def test_teachers_change_their_own_questions_and_the_plan_says_so(bank, teacher):
    own = add_question("mine", created_by=teacher)
    expected = plan(teacher, "grade", {"grade": "9"})
    assert (expected.selected, expected.ids) == (4, [own.pk])
    assert expected.refused == {"Teachers can change only questions that they wrote themselves.": 3}
    # ids that never went through a plan are refused all the same
    done = bulk_change_request(
        user=teacher, kind="grade", values={"grade": "9"}, question_ids=list(state()), selection={}
    )
    assert list(Question.objects.filter(grade="9")) == [own]
    assert (done.changed, list(done.refused.values())) == (1, [3])


@pytest.mark.parametrize(("may_publish", "published"), [(True, ["imported", "written"]), (False, ["written"])])
def test_a_teacher_publishes_own_drafts_and_imported_ones_as_the_setting_says(
    bank, teacher, settings, may_publish, published
):
    settings.TEACHERS_PUBLISH_IMPORTS = may_publish
    run = Run.objects.create(kind="import", requested_by=teacher)
    add_question("written", status="draft", created_by=teacher)
    add_question("imported", status="draft", created_by=teacher, import_run=run)
    add_question("retired", status="retired", created_by=teacher)
    change(teacher, "publish")
    ready = Question.objects.filter(status="ready", created_by=teacher)
    assert sorted(ready.values_list("text", flat=True)) == published


def test_a_change_confirmed_twice_is_one_job(bank, admin_person, monkeypatch):
    monkeypatch.setattr(bulk_changes, "AT_ONCE", 1)
    first, again = (change(admin_person, "grade", {"grade": "9"}) for _click in range(2))
    assert (first, Run.objects.filter(kind="change").count()) == (again, 1)


def test_reviewers_change_nothing_and_others_cannot_undo(bank, teacher, reviewer, admin_person):
    with pytest.raises(NotAllowed):
        change(reviewer, "grade", {"grade": "9"})
    done = change(admin_person, "grade", {"grade": "9"})
    with pytest.raises(NotAllowed):
        bulk_change_undo_request(user=teacher, change=done)
    with pytest.raises(Conflict, match="nothing to change"):
        change(admin_person, "grade", {"grade": "9"})


def test_the_undo_leaves_what_was_edited_since_and_lists_it(bank, admin_person):
    tagged, two, three = Question.objects.order_by("pk")
    done = change(admin_person, "grade", {"grade": "9"})
    question_retire(user=None, question=two)
    undone = bulk_change_undo_request(user=admin_person, change=done)
    assert undone.kept == [two.pk]
    assert list(Question.objects.order_by("pk").values_list("grade", flat=True)) == ["6", "9", ""]
    with pytest.raises(Conflict, match="undone already"):
        bulk_change_undo_request(user=admin_person, change=done)

    retagged = change(admin_person, "concepts", {"add": bank["Geometry"], "remove": bank["Algebra"]})
    question_set_tags(user=None, question=tagged, concepts=list(KnowledgeConcept.objects.all()))
    undone = bulk_change_undo_request(user=admin_person, change=retagged)
    assert undone.kept == [tagged.pk]
    assert set(two.tags.values_list("concept", flat=True)) == {bank["Algebra"], bank["Geometry"]}
    assert not three.tags.exists()


def test_drafts_are_deleted_and_come_back_with_their_number_tags_and_equation(bank, teacher, admin_person):
    draft = add_question(
        "a draft of $2+3$", status="draft", created_by=teacher, concepts=[KnowledgeConcept.objects.first()]
    )
    QuestionEquation.objects.create(question=draft, expression="2+3", numbers=["2", "3"])
    add_question("rewords it", paraphrase_of=add_question("a draft with paraphrases", status="draft"))
    told = add_question("a draft with a similar problem", status="draft")  # which would be of no school without it
    ProblemVariant.objects.create(question=told, original=told.text, text="1+1?", equation="1+1", answer="2")
    before = state()
    done = change(admin_person, "delete_drafts")
    assert done.changed == 1
    assert not Question.objects.filter(pk=draft.pk).exists()
    assert Question.objects.count() == len(before) - 1
    bulk_change_undo_request(user=admin_person, change=done)
    assert state() == before
    back = Question.objects.get(pk=draft.pk)
    assert (back.equation.expression, back.equation.numbers) == ("2+3", ["2", "3"])
    assert bytes(back.content_hash) == content_hash(text=back.text)
    assert "'draft'" in back.search_vector
    assert back.created_by == teacher
    assert abs(back.created_at - draft.created_at) < timedelta(milliseconds=1)


def test_many_questions_are_a_worker_s_and_a_cancel_changes_nothing(bank, admin_person, monkeypatch):
    monkeypatch.setattr(bulk_changes, "AT_ONCE", 1)
    before = state()
    done = change(admin_person, "grade", {"grade": "9"})
    assert (done.applied_at, done.run.kind, state()) == (None, "change", before)
    with pytest.raises(Conflict, match="not finished"):
        bulk_change_undo_request(user=admin_person, change=done)

    reporter = Reporter()
    reporter.stop = True
    with pytest.raises(Cancelled):
        run_bulk_change(done.run, reporter)
    assert state() == before
    for _again in range(2):  # a job may run twice
        assert run_bulk_change(done.run, Reporter()) == {"changed": 3, "kept": 0}
    assert Question.objects.filter(grade="9", version=2).count() == 3
    question = Question.objects.order_by("pk")[0]
    assert question_history(question=question)[0].who == str(admin_person)
    runs.run_succeed(run=runs.run_start(run_id=done.run.pk, worker="here"), result={})
    undone = bulk_change_undo_request(user=admin_person, change=BulkChange.objects.get(pk=done.pk))
    assert undone.run.parameters == {"change": done.pk, "undo": True}
    run_bulk_change(Run.objects.get(pk=undone.run.pk), Reporter())
    assert state() == before


@pytest.mark.parametrize("at_once", [1, 100])
def test_a_bulk_change_is_one_entry_of_the_history(bank, admin_person, monkeypatch, at_once):
    monkeypatch.setattr(bulk_changes, "AT_ONCE", at_once)

    before = len(change_page(kind="tags").entries)
    done = change(admin_person, "concepts", {"add": bank["Geometry"], "remove": None})
    if done.run is not None:
        run_bulk_change(done.run, Reporter())
    done.refresh_from_db()
    entry, *others = change_page(kind="tags").entries
    assert len(others) == before
    assert (entry.who, entry.what) == (
        str(admin_person), f"changed {done.changed} questions: Change concepts: add “Geometry”",
    )  # fmt: skip
    assert entry.address == reverse("bulk_change_detail", args=[done.pk])
