"""Who may do what over the API: every operation times every role, scope and thing (own, somebody else's, missing)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from questionbank.api.v1 import api
from questionbank.models import ApiKey, ModelArtifact, Question, QuestionList, QuestionListItem, Run, User
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory
from tests.questionbank.api_client import ROOT, Program

MISSING = 10**12

# statuses of teacher, reviewer and admin; without a session it is always 401, without a role always 403
EVERYBODY = (200, 200, 200)
NOBODY = (404, 404, 404)


@dataclass(frozen=True)
class Call:
    """How to call an operation, and what each role gets for each of the things that its path names.

    Attributes:
        path: names things, such as ``{question}``.
        own: statuses for a thing of the caller's; of operations on things without an owner, for any.
        others: statuses for a thing of somebody else's; None if there are no owners.
        draft: statuses for somebody else's draft.
    """

    method: str
    path: str
    own: tuple[int, int, int]
    others: tuple[int, int, int] | None = None
    missing: tuple[int, int, int] = NOBODY
    body: Any = None
    draft: tuple[int, int, int] | None = None


READ_QUESTION = {"own": EVERYBODY, "others": EVERYBODY, "draft": (404, 404, 200)}
EDIT_QUESTION = {"own": (200, 403, 200), "others": (403, 403, 200), "draft": (404, 404, 200)}
EDIT_LIST = {"own": EVERYBODY, "others": NOBODY}
ADMINS, CREATED = (403, 403, 200), (403, 403, 201)
ADMINS_MISSING = (403, 403, 404)
TEXTS = {"texts": [{"text": "How much is $2 + 3$?"}]}
UNAVAILABLE = (503, 503, 503)  # this bank has no such model

TABLE: dict[str, Call] = {
    "get_schema": Call("GET", "/openapi.json", EVERYBODY),
    "get_me": Call("GET", "/me", EVERYBODY),
    "list_questions": Call("GET", "/questions", EVERYBODY),
    "create_question": Call("POST", "/questions", (201, 403, 201), body={"text": "How much is $2 + 4$?"}),
    "get_question": Call("GET", "/questions/{question}", **READ_QUESTION),
    "replace_question": Call("PUT", "/questions/{question}", **EDIT_QUESTION, body={"text": "Why?"}),
    "change_question": Call("PATCH", "/questions/{question}", **EDIT_QUESTION, body={"text": "Why?"}),
    "retire_question": Call("POST", "/questions/{question}/retire", **EDIT_QUESTION),
    "restore_question": Call("POST", "/questions/{question}/restore", (409,) * 3, (409,) * 3, draft=(404, 404, 409)),
    "list_question_versions": Call("GET", "/questions/{question}/versions", **READ_QUESTION),
    "revert_question": Call(
        "POST", "/questions/{question}/revert", (404, 403, 404), (403, 403, 404), body={"event": 1}, draft=NOBODY
    ),
    "list_question_tags": Call("GET", "/questions/{question}/tags", **READ_QUESTION),
    "replace_question_tags": Call(
        "PUT",
        "/questions/{question}/tags",
        (200, 403, 200),
        (200, 403, 200),
        missing=(404, 403, 404),
        body={"concepts": []},
        draft=(404, 403, 200),
    ),
    "search": Call("GET", "/search?query=equation", EVERYBODY),
    "predict_texts": Call("POST", "/predict", EVERYBODY, body=TEXTS),
    "find_similar_to_texts": Call("POST", "/similar", EVERYBODY, body=TEXTS | {"lens": "wording"}),
    "find_similar_to_question": Call("GET", "/questions/{question}/similar?lens=wording", **READ_QUESTION),
    "find_exemplars_for_texts": Call("POST", "/exemplars", EVERYBODY, body=TEXTS),
    "find_exemplars_for_question": Call("GET", "/questions/{question}/exemplars", **READ_QUESTION),
    "solve_texts": Call("POST", "/solve", UNAVAILABLE, body=TEXTS),
    "get_question_solution": Call("GET", "/questions/{question}/solution", **READ_QUESTION),
    "score_paraphrases": Call(
        "POST", "/paraphrases/score", UNAVAILABLE, body={"pairs": [{"original": "Why?", "paraphrase": "How?"}]}
    ),
    "list_hierarchies": Call("GET", "/hierarchies", EVERYBODY),
    "create_hierarchy": Call("POST", "/hierarchies", CREATED, body={"name": "New"}),
    "get_hierarchy": Call("GET", "/hierarchies/{hierarchy}", EVERYBODY),
    "rename_hierarchy": Call("PATCH", "/hierarchies/{hierarchy}", ADMINS, missing=ADMINS_MISSING, body={"name": "New"}),
    "delete_hierarchy": Call("DELETE", "/hierarchies/{hierarchy}", (403, 403, 204), missing=ADMINS_MISSING),
    "list_concepts": Call("GET", "/concepts", EVERYBODY),
    "create_concept": Call("POST", "/concepts", CREATED, body={"name": "New", "hierarchy": "{hierarchy}"}),
    "get_concept": Call("GET", "/concepts/{concept}", EVERYBODY),
    "change_concept": Call("PATCH", "/concepts/{concept}", ADMINS, missing=ADMINS_MISSING, body={"name": "New"}),
    "merge_concept": Call(
        "POST", "/concepts/{concept}/merge", ADMINS, missing=ADMINS_MISSING, body={"into": "{other_concept}"}
    ),
    "delete_concept": Call("DELETE", "/concepts/{concept}", (403, 403, 204), missing=ADMINS_MISSING),
    "list_lists": Call("GET", "/lists", EVERYBODY),
    "create_list": Call("POST", "/lists", (201, 201, 201), body={"name": "New"}),
    "get_list": Call("GET", "/lists/{list}", EVERYBODY, NOBODY),
    "change_list": Call("PATCH", "/lists/{list}", **EDIT_LIST, body={"is_shared": True}),
    "delete_list": Call("DELETE", "/lists/{list}", (204, 204, 204), NOBODY),
    "add_to_list": Call("POST", "/lists/{list}/questions", **EDIT_LIST, body={"questions": ["{listed}"]}),
    "move_in_list": Call("PUT", "/lists/{list}/questions/{listed}", **EDIT_LIST, body={"position": 1}),
    "remove_from_list": Call("DELETE", "/lists/{list}/questions/{listed}", **EDIT_LIST),
    "list_runs": Call("GET", "/runs", EVERYBODY),
    "get_run": Call("GET", "/runs/{run}", EVERYBODY, EVERYBODY),
    "cancel_run": Call("POST", "/runs/{run}/cancel", (403, 403, 409), missing=ADMINS_MISSING),
    "retry_run": Call("POST", "/runs/{run}/retry", (202, 202, 202), (403, 403, 202)),
    "list_models": Call("GET", "/models", EVERYBODY),
    "get_model": Call("GET", "/models/{model}", EVERYBODY),
    "compare_model": Call("POST", "/models/{model}/compare", (403, 403, 409), missing=ADMINS_MISSING),
    "promote_model": Call(
        "POST", "/models/{model}/promote", (403, 403, 202), missing=ADMINS_MISSING, body={"reason": "Better."}
    ),
    "create_import": Call("POST", "/imports", (422, 403, 422)),  # without a file
    "confirm_import": Call(
        "POST", "/imports/{import}/confirm", (409, 403, 409), (403, 403, 409), missing=(404, 403, 404), body={}
    ),
    "undo_import": Call("POST", "/imports/{import}/undo", (409, 403, 409), (403, 403, 409), missing=(404, 403, 404)),
    "export_questions": Call("GET", "/exports?as=gift", EVERYBODY),
    "list_export_losses": Call("GET", "/exports/losses?as=gift", EVERYBODY),
    "roll_back_model": Call(
        "POST", "/models/roll-back", (403, 403, 409), body={"capability": "solver", "reason": "Better."}
    ),
}
OPERATIONS = {operation.view_func.__name__: (method, operation) for method, _path, operation in api.operations()}


@pytest.fixture
def programs(bank, teacher, reviewer, admin_person) -> dict[str, Program]:
    return {person.username: Program(person) for person in (teacher, reviewer, admin_person)}


def things_of(owner: User, *, is_draft: bool = False) -> dict[str, int]:
    question = QuestionFactory(created_by=owner, status="draft" if is_draft else "ready", text="How much is $2 + 3$?")
    question_list = QuestionList.objects.create(owner=owner, name="Homework")
    QuestionListItem.objects.create(question_list=question_list, question=question, position=1)
    run = Run.objects.create(kind="report", capability="solver", state=Run.State.FAILED, requested_by=owner)
    hierarchy = HierarchyFactory()
    return {
        "question": question.pk,
        "listed": question.pk,
        "list": question_list.pk,
        "run": run.pk,
        "import": Run.objects.create(kind="import", state=Run.State.FAILED, requested_by=owner).pk,
        "hierarchy": hierarchy.pk,
        "concept": ConceptFactory(hierarchy=hierarchy).pk,
        "other_concept": ConceptFactory(hierarchy=hierarchy).pk,
        "model": ModelArtifact.objects.create(capability="encoder", name="A candidate").pk,
    }


def respond(program: Program, call: Call, things: dict[str, int]) -> HttpResponse:
    """Call an operation and undo what it did."""
    with transaction.atomic():
        response = program(call.method, call.path.format(**things), filled(call.body, things))
        transaction.set_rollback(True)
    return response


def filled(body: Any, things: dict[str, int]) -> Any:
    if isinstance(body, dict):
        return {name: filled(value, things) for name, value in body.items()}
    if isinstance(body, list):
        return [filled(value, things) for value in body]
    return things[body.strip("{}")] if isinstance(body, str) and body.startswith("{") else body


def test_the_table_names_every_operation() -> None:
    assert {name: method for name, (method, _operation) in OPERATIONS.items()} == {
        name: call.method for name, call in TABLE.items()
    }


def test_each_role_gets_what_the_table_says(programs, django_user_model) -> None:
    colleague = django_user_model.objects.create_user("colleague")
    others, drafts = things_of(colleague), things_of(django_user_model.objects.create_user("other"), is_draft=True)
    missing = dict.fromkeys(others, MISSING)
    owns = [things_of(program.key.owner) for program in programs.values()]
    differing = {}
    for name, call in TABLE.items():
        kinds = {"own": owns}
        if call.others is not None:
            kinds["others"] = [others] * 3
        if call.draft is not None:
            kinds["draft"] = [drafts] * 3
        if "{" in call.path:
            kinds["missing"] = [missing] * 3
        for kind, things in kinds.items():
            responses = map(respond, programs.values(), [call] * 3, things)
            statuses = tuple(response.status_code for response in responses)
            if statuses != getattr(call, kind):
                differing[f"{name} of {kind}"] = statuses
    assert differing == {}


def test_without_a_key_or_a_role_nothing_opens(bank, teacher, django_user_model) -> None:
    nobody = django_user_model.objects.create_user("nobody", password="correct horse battery")
    browser, stranger = Client(), Client()
    browser.force_login(nobody)
    things = things_of(teacher)
    for name, call in TABLE.items():
        path = ROOT + call.path.format(**things)
        assert stranger.generic(call.method, path, "{}", "application/json").status_code == 401, name
        assert browser.generic(call.method, path, "{}", "application/json").status_code == 403, name


def test_a_key_needs_the_scope_of_an_operation_and_no_other(bank, admin_person) -> None:
    """With all scopes but one it is refused; with reading and that one it gets what a key with all scopes gets."""
    full = Program(admin_person)
    without = {
        scope: Program(admin_person, *(set(ApiKey.Scope.values) - {scope}), name=f"without {scope}")
        for scope in ApiKey.Scope.values
    }
    alone = {scope: Program(admin_person, *{"read", scope}, name=f"only {scope}") for scope in ApiKey.Scope.values}
    things = things_of(admin_person)
    for name, call in TABLE.items():
        scope = OPERATIONS[name][1].auth_callbacks[0].scope
        refused = respond(without[scope], call, things)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "scope_missing"), name
        assert respond(alone[scope], call, things).status_code == respond(full, call, things).status_code, name


def test_only_operations_that_change_nothing_are_open_to_keys_that_read() -> None:
    computing = {"predict_texts", "find_similar_to_texts", "find_exemplars_for_texts", "solve_texts"}
    reading = {name for name, (_method, one) in OPERATIONS.items() if one.auth_callbacks[0].scope == "read"}
    assert {name for name in reading if OPERATIONS[name][0] != "GET"} == computing | {"score_paraphrases"}


def test_what_an_operation_refuses_changes_nothing(programs, django_user_model) -> None:
    others = things_of(django_user_model.objects.create_user("colleague"))
    before = Question.objects.get(pk=others["question"])
    for name, call in TABLE.items():
        if "{question}" in call.path and call.method != "GET" and call.others[1] == 403:
            program = programs["reviewer"]
            assert program(call.method, call.path.format(**others), call.body).status_code == 403, name
    after = Question.objects.get(pk=others["question"])
    assert (after.version, after.status, after.updated_at) == (before.version, before.status, before.updated_at)
