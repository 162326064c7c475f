"""Events: recorded with the change itself, and told only to those who may read what changed."""

from __future__ import annotations

import json

import pytest
from django.db import transaction

from questionbank.api.v1 import openapi_schema
from questionbank.bank.question_services import (
    equation_write,
    question_create,
    question_restore,
    question_retire,
    question_set_tags,
    question_update,
)
from questionbank.hooks import services as deliveries
from questionbank.hooks.services import hook_create, hook_set_active
from questionbank.jobs import run_services as runs
from questionbank.models import (
    Hook,
    HookDelivery,
    HookEvent,
    ItemStatistics,
    ModelArtifact,
    ModelEvent,
    ParaphrasePair,
    Question,
    School,
)
from questionbank.people.services import person_set_active, person_update
from tests.factories import ConceptFactory, QuestionFactory
from tests.questionbank.api_client import Program

INPUT = {
    "text": "How much is $2 + 3$?", "language": "en", "kind": "open", "options": [], "answer": "5", "solution": "",
    "grade": "", "status": "ready", "concepts": [],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _nothing_is_sent(monkeypatch) -> None:
    monkeypatch.setattr("questionbank.core.task_queue._send", lambda run: None)
    monkeypatch.setattr("questionbank.core.task_queue._wake", lambda job, queue: None)


def questions_of(bodies) -> list[tuple[str, list[int]]]:
    return [(name, body["data"][name]) for body in bodies for name in ("ids", "deleted") if name in body["data"]]


# --- what counts as an event -------------------------------------------------------------------------


def test_a_question_is_announced_by_everything_that_changes_what_the_api_returns(hook, teacher, told) -> None:
    question = question_create(user=teacher, **INPUT)
    assert [body["type"] for body in told()] == ["question.changed"]
    question = question_update(user=teacher, question=question, version=1, **INPUT | {"answer": "six"})
    assert questions_of(told()) == [("ids", [question.pk])]
    question_set_tags(user=teacher, question=question, concepts=[ConceptFactory()])
    assert questions_of(told()) == [("ids", [question.pk])]
    equation_write(question=question, expression="2+3", user=teacher, set_by="person")
    assert questions_of(told()) == [("ids", [question.pk])]
    question_retire(user=teacher, question=question)
    assert questions_of(told()) == [("ids", [question.pk])]
    question_restore(user=teacher, question=question)
    assert questions_of(told()) == [("ids", [question.pk])]


def test_what_is_computed_about_a_question_is_no_change_of_it(hook, told) -> None:
    question = QuestionFactory()
    told()
    Question.objects.filter(pk=question.pk).update(search_vector=None, responses=7)
    assert told() == []


def test_a_deleted_question_is_named_and_a_deleted_draft_is_not(hook, told) -> None:
    question, draft = QuestionFactory(), QuestionFactory(status="draft")
    told()
    Question.objects.all().delete()
    assert questions_of(told()) == [("deleted", [question.pk])]
    assert draft.pk is not None


@pytest.mark.parametrize(("dry_run", "expected"), [(True, []), (False, ["import.finished"])])
def test_an_import_is_announced_when_it_ends_and_its_check_is_not(hook, teacher, told, dry_run, expected) -> None:
    run = runs.run_create(kind="import", parameters={"upload": "a", "dry_run": dry_run}, requested_by=teacher)
    held = runs.run_start(run_id=run.pk, worker="one")
    runs.run_progress(run=held, done=1, total=2)
    assert told() == []
    runs.run_fail(run=held, error="Refused.")
    assert [body["type"] for body in told()] == expected


def test_other_jobs_are_not_announced(hook, told) -> None:
    run = runs.run_create(kind="embed")
    runs.run_succeed(run=runs.run_start(run_id=run.pk, worker="one"))
    assert told() == []


def test_a_pair_is_announced_when_it_is_decided(hook, told) -> None:
    pair = ParaphrasePair.objects.create(original="Why?", paraphrase="How so?", source="typed")
    pair.state = "adjudication"
    pair.save()
    assert told() == []
    pair.state, pair.outcome = "decided", "accept"
    pair.save()
    pair.batch = "b"
    pair.save()
    (body,) = told()
    assert (body["type"], body["data"]["ids"]) == ("review.settled", [pair.pk])


def test_a_model_is_announced_when_it_is_put_into_use(hook, told) -> None:
    model = ModelArtifact.objects.create(capability="encoder", name="A candidate")
    ModelEvent.objects.create(kind="registered", capability="encoder", artifact=model)
    assert told() == []
    ModelEvent.objects.create(kind="promoted", capability="encoder", artifact=model)
    (body,) = told()
    assert (body["type"], body["data"]["ids"]) == ("model.promoted", [model.pk])


def test_statistics_are_announced_to_those_who_may_read_them(hook, reviewer, told) -> None:
    blind = hook_create(user=reviewer, address="https://example.org/b", events=Hook.Event.values, site="")[0]
    question = QuestionFactory()
    told()
    ItemStatistics.objects.bulk_create([ItemStatistics(question=question, people=7)])
    hook_events = told(hook)
    assert [(body["type"], body["data"]["ids"]) for body in hook_events] == [("statistics.updated", [question.pk])]
    assert told(blind) == []


def test_every_address_in_a_message_is_one_of_the_api(hook, told, client, teacher) -> None:
    paths = openapi_schema()["paths"]
    kinds = [*Hook.Event.values, HookDelivery.TEST]
    for kind in kinds:
        body = json.loads(deliveries.message_body(hook, kind, {"ids": [hook.pk]}, at=hook.created_at))
        assert body["data"]["url"].startswith("https://kindred.test/api/v1/")
        address = body["data"]["url"].removeprefix("https://kindred.test")
        assert any(_same(path, address) and "get" in paths[path] for path in paths), kind
        assert body["timestamp"].endswith("Z")


def _same(path: str, address: str) -> bool:
    """Compare addresses up to the names of what stands for ids."""
    return [part if "{" not in part else "{}" for part in path.split("/")] == [
        part if "{" not in part else "{}" for part in address.split("/")
    ]


# --- the outbox --------------------------------------------------------------------------------------


def test_an_event_is_recorded_with_the_change_or_not_at_all(hook, teacher) -> None:
    with transaction.atomic():
        question_create(user=teacher, **INPUT)
        assert HookEvent.objects.exists()
        transaction.set_rollback(True)
    assert not HookEvent.objects.exists()


def test_nothing_is_recorded_that_nobody_wants_to_know(hook, teacher) -> None:
    Hook.objects.update(events=["model.promoted"])
    question_create(user=teacher, **INPUT)
    Hook.objects.update(events=Hook.Event.values, is_active=False)
    question_create(user=teacher, **INPUT)
    assert not HookEvent.objects.exists()


def test_many_changes_become_one_message(hook, told, monkeypatch) -> None:
    first, second = QuestionFactory(concepts=[ConceptFactory()]), QuestionFactory()
    assert questions_of(told()) == [("ids", [first.pk, second.pk])]
    monkeypatch.setattr(deliveries, "LARGEST_MESSAGE", 2)
    ids = [QuestionFactory().pk for _number in range(3)]
    assert questions_of(told()) == [("ids", ids[:2]), ("ids", ids[2:])]


def test_an_announcement_that_breaks_off_loses_nothing_and_doubles_nothing(hook, told, monkeypatch) -> None:
    QuestionFactory()
    monkeypatch.setattr(deliveries, "message_body", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        deliveries.hook_events_announce()
    monkeypatch.undo()
    assert HookEvent.objects.count() == 1
    assert not HookDelivery.objects.exists()
    assert len(told()) == 1


# --- who is told -------------------------------------------------------------------------------------


def test_a_draft_is_announced_to_its_author_and_to_admins_only(hook, teacher, admin_person, reviewer, told) -> None:
    others = {
        person: hook_create(user=person, address="https://example.org/b", events=["question.changed"], site="")[0]
        for person in (admin_person, reviewer)
    }
    draft = QuestionFactory(status="draft", created_by=teacher)
    deliveries.hook_events_announce()
    hearers = set(HookDelivery.objects.values_list("hook", flat=True))
    assert hearers == {hook.pk, others[admin_person].pk}
    HookDelivery.objects.all().delete()
    Question.objects.filter(pk=draft.pk).update(status="ready", version=2)
    deliveries.hook_events_announce()
    assert HookDelivery.objects.count() == 3


def test_an_import_is_announced_to_whoever_may_read_it(hook, admin_person, reviewer, told) -> None:
    for person in (admin_person, reviewer):
        hook_create(user=person, address="https://example.org/b", events=["import.finished"], site="")
    run = runs.run_create(kind="import", parameters={"upload": "a", "dry_run": False}, requested_by=hook.owner)
    runs.run_succeed(run=runs.run_start(run_id=run.pk, worker="one"))
    deliveries.hook_events_announce()
    hearers = HookDelivery.objects.values_list("hook__owner__username", flat=True)
    assert sorted(hearers) == ["admin", "teacher"]


def test_what_a_message_names_the_owners_program_can_read(hook, teacher, admin_person) -> None:
    """Ids and an address: a read by the owner returns each of them."""
    QuestionFactory(status="draft", created_by=admin_person)
    QuestionFactory(created_by=admin_person)
    pair = ParaphrasePair.objects.create(original="Why?", paraphrase="How so?", source="typed")
    ParaphrasePair.objects.filter(pk=pair.pk).update(state="decided", outcome="accept")
    deliveries.hook_events_announce()
    program = Program(teacher)
    named = [json.loads(delivery.body)["data"] for delivery in HookDelivery.objects.all()]
    assert len(named) == 2
    for data in named:
        assert set(data) == {"ids", "url"}
        for number in data["ids"]:
            path = data["url"].removeprefix("https://kindred.test/api/v1").format(id=number)
            assert program("GET", path).status_code == 200, path


@pytest.mark.parametrize("end", ["closed", "without_role", "disabled"])
def test_nobody_is_told_after_the_end(hook, teacher, admin_person, told, end) -> None:
    QuestionFactory()
    if end == "closed":
        person_set_active(user=admin_person, person=teacher, is_active=False)
    elif end == "without_role":
        names = {"email": "", "first_name": "", "last_name": ""}
        person_update(user=admin_person, person=teacher, roles=[], **names)
    else:
        hook_set_active(user=teacher, hook_id=hook.pk, is_active=False)
    assert told() == []
    assert not HookEvent.objects.exists()


def test_a_hook_is_told_of_no_question_of_another_school(hook, teacher, told) -> None:
    ours, theirs = (School.objects.create(name=name, slug=name.lower()) for name in ("Hillside", "Lakeside"))
    ours.people.add(teacher)
    seen, hidden = (QuestionFactory(visibility="school", school=school) for school in (ours, theirs))
    assert questions_of(told()) == [("ids", [seen.pk])]
    pairs = [
        ParaphrasePair.objects.create(question=one, original="Why?", paraphrase="How?", source="typed")
        for one in (seen, hidden)
    ]
    for pair in pairs:
        pair.state, pair.outcome = ParaphrasePair.State.DECIDED, ParaphrasePair.Outcome.ACCEPT
        pair.save()
    assert questions_of(told()) == [("ids", [pairs[0].pk])]
    numbers = [one.pk for one in (seen, hidden)]
    Question.objects.filter(pk__in=numbers).delete()
    assert [numbers for name, numbers in questions_of(told()) if name == "deleted"] == [[numbers[0]]]
