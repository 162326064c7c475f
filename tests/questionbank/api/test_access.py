"""Who may do what over the API: every operation times every role, scope and thing (own, somebody else's, missing)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import rules
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from analytics.question_content import as_json
from questionbank.api.key_services import LARGEST_RATE
from questionbank.api.v1 import api, openapi_schema
from questionbank.models import (
    ApiKey,
    BulkChange,
    DocumentDraft,
    Hook,
    HookDelivery,
    ModelArtifact,
    ParaphrasePair,
    Question,
    QuestionList,
    QuestionListItem,
    QuestionUse,
    ResponseSet,
    Run,
    SavedSearch,
    User,
    Worksheet,
    WorksheetItem,
)
from questionbank.papers.paper_lines import Line
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory
from tests.questionbank.api_client import ROOT, Program
from tests.questionbank.test_permissions import PATTERNS

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
READ_TWO = {"own": EVERYBODY, "others": EVERYBODY, "draft": (422, 422, 200), "missing": (422, 422, 422)}
EDIT_QUESTION = {"own": (200, 403, 200), "others": (403, 403, 200), "draft": (404, 404, 200)}
EDIT_LIST = {"own": EVERYBODY, "others": NOBODY}
WRITERS, REVIEWERS = (200, 403, 200), (403, 200, 200)
NOT_MY_PAPER = {"others": (404, 403, 404), "missing": (404, 403, 404)}  # papers are their owner's alone
ADMINS, CREATED = (403, 403, 200), (403, 403, 201)
ADMINS_MISSING = (403, 403, 404)
TEXTS = {"texts": [{"text": "How much is $2 + 3$?"}]}
GRADE_8 = {"kind": "grade", "questions": ["{question}"], "values": {"grade": "8"}}
UNAVAILABLE = (503, 503, 503)  # this bank has no such model

TABLE: dict[str, Call] = {
    "get_schema": Call("GET", "/openapi.json", EVERYBODY),
    "get_me": Call("GET", "/me", EVERYBODY),
    "list_keys": Call("GET", "/keys", EVERYBODY),
    "create_key": Call("POST", "/keys", (201, 201, 201), body={"name": "New", "scopes": ["read"]}),
    "revoke_key": Call("DELETE", "/keys/{key}", (204, 204, 204), NOBODY),
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
    "create_attachment": Call(
        "POST", "/questions/{question}/attachments", (415, 403, 415), (403, 403, 415), draft=(404, 404, 415)
    ),  # without a file
    "list_attachments": Call("GET", "/questions/{question}/attachments", **READ_QUESTION),
    "get_attachment": Call("GET", "/questions/{question}/attachments/a.png", NOBODY, NOBODY),
    "delete_attachment": Call(
        "DELETE", "/questions/{question}/attachments/a.png", (404, 403, 404), (403, 403, 404), draft=NOBODY
    ),
    "search": Call("GET", "/search?query=equation", EVERYBODY),
    "list_saved_searches": Call("GET", "/saved-searches", EVERYBODY),
    "create_saved_search": Call("POST", "/saved-searches", (201, 201, 201), body={"name": "New"}),
    "get_saved_search": Call("GET", "/saved-searches/{saved}", EVERYBODY, NOBODY),
    "change_saved_search": Call("PATCH", "/saved-searches/{saved}", **EDIT_LIST, body={"visible_to": "all"}),
    "delete_saved_search": Call("DELETE", "/saved-searches/{saved}", (204, 204, 204), NOBODY),
    "list_saved_search_questions": Call("GET", "/saved-searches/{saved}/questions", EVERYBODY, NOBODY),
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
    "list_reviews": Call("GET", "/reviews", REVIEWERS),
    "take_next_review": Call("POST", "/reviews/next", REVIEWERS),
    "undo_review": Call("POST", "/reviews/undo", (403, 404, 404), body={}),  # there is no decision
    "take_next_dispute": Call("POST", "/reviews/disputes/next", REVIEWERS),
    "decide_review": Call(
        "POST", "/reviews/{pair}/decide", (403, 409, 409), missing=(403, 404, 404), body={"verdict": "accept"}
    ),
    "settle_dispute": Call(
        "POST", "/reviews/{pair}/settle", (403, 409, 409), missing=(403, 404, 404), body={"verdict": "accept"}
    ),
    "get_paraphrase": Call("GET", "/paraphrases/{pair}", EVERYBODY),
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
    "list_worksheets": Call("GET", "/worksheets", EVERYBODY),
    "create_worksheet": Call("POST", "/worksheets", (201, 201, 201), body={"name": "New"}),
    "get_worksheet": Call("GET", "/worksheets/{worksheet}", EVERYBODY, NOBODY),
    "change_worksheet": Call("PATCH", "/worksheets/{worksheet}", **EDIT_LIST, body={"is_shared": True}),
    "delete_worksheet": Call("DELETE", "/worksheets/{worksheet}", (204, 204, 204), NOBODY),
    "replace_worksheet_entries": Call("PUT", "/worksheets/{worksheet}/entries", **EDIT_LIST, body={"entries": []}),
    "add_to_worksheet": Call(
        "POST", "/worksheets/{worksheet}/questions", **EDIT_LIST, body={"questions": ["{listed}"]}
    ),
    "fill_worksheet": Call("POST", "/worksheets/{worksheet}/fill", **EDIT_LIST, body={"number": 1}),
    "sort_worksheet": Call("POST", "/worksheets/{worksheet}/sort", **EDIT_LIST),
    "draw_worksheet": Call("POST", "/worksheets/{worksheet}/draw", **EDIT_LIST),
    "list_worksheet_versions": Call("GET", "/worksheets/{worksheet}/versions", EVERYBODY, NOBODY),
    "get_worksheet_file": Call("GET", "/worksheets/{worksheet}/file?as=html", EVERYBODY, NOBODY),
    "get_worksheet_mark": Call("GET", "/worksheets/{worksheet}/mark", EVERYBODY, NOBODY),
    "use_worksheet": Call("POST", "/worksheets/{worksheet}/uses", **EDIT_LIST),
    "forget_worksheet_use": Call("DELETE", "/worksheets/{worksheet}/uses/2026-02-03", (204, 204, 204), NOBODY),
    "list_hooks": Call("GET", "/hooks", EVERYBODY),
    "create_hook": Call(
        "POST", "/hooks", (201, 201, 201), body={"address": "https://example.org/new", "events": ["import.finished"]}
    ),
    "get_hook": Call("GET", "/hooks/{hook}", EVERYBODY, NOBODY),
    "change_hook": Call("PATCH", "/hooks/{hook}", EVERYBODY, NOBODY, body={"is_active": False}),
    "delete_hook": Call("DELETE", "/hooks/{hook}", (204, 204, 204), NOBODY),
    "test_hook": Call("POST", "/hooks/{hook}/test", (202, 202, 202), NOBODY),
    "list_hook_deliveries": Call("GET", "/hooks/{hook}/deliveries", EVERYBODY, NOBODY),
    "replay_hook_delivery": Call("POST", "/hooks/{hook}/deliveries/{delivery}/replay", (202, 202, 202), NOBODY),
    "preview_bulk_change": Call("POST", "/changes/preview", WRITERS, body=GRADE_8),
    "create_bulk_change": Call("POST", "/changes", (201, 403, 201), body=GRADE_8),
    "list_bulk_changes": Call("GET", "/changes", WRITERS),
    "get_bulk_change": Call("GET", "/changes/{change}", WRITERS, (404, 403, 200), missing=(404, 403, 404)),
    "undo_bulk_change": Call(
        "POST", "/changes/{change}/undo", (409, 403, 409), (404, 403, 409), missing=(404, 403, 404)
    ),
    "compare_questions": Call("GET", "/questions/compare?question={question}&question={twin}", **READ_TWO),
    "list_near_copies": Call("GET", "/questions/near-copies?import_run={import}", WRITERS, missing=(404, 403, 404)),
    "merge_questions": Call(
        "POST",
        "/questions/merge",
        (201, 403, 201),
        (403, 403, 201),
        missing=(422, 403, 422),
        body={"pairs": [{"merged": "{twin}", "kept": "{question}"}]},
        draft=(422, 403, 201),
    ),
    "list_paraphrases": Call("GET", "/paraphrases", EVERYBODY),
    "list_question_paraphrases": Call("GET", "/questions/{question}/paraphrases", **READ_QUESTION),
    "create_question_paraphrase": Call(
        "POST",
        "/questions/{question}/paraphrases",
        (201, 201, 201),
        (201, 201, 201),
        body={"paraphrase": "What do $2$ and $3$ make?"},
        draft=(404, 404, 201),
    ),
    "propose_paraphrases": Call("POST", "/paraphrases/propose", (202, 202, 202), body={"questions": ["{question}"]}),
    "check_paraphrase_file": Call("POST", "/paraphrases/files", (403, 415, 415)),  # without a file
    "add_paraphrase_file": Call("POST", "/paraphrases/files/confirm", (403, 409, 409), body={"token": "x"}),
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
    "create_import": Call("POST", "/imports", (415, 403, 415)),  # without a file
    "confirm_import": Call(
        "POST", "/imports/{import}/confirm", (409, 403, 409), (403, 403, 409), missing=(404, 403, 404), body={}
    ),
    "undo_import": Call("POST", "/imports/{import}/undo", (409, 403, 409), (403, 403, 409), missing=(404, 403, 404)),
    "list_papers": Call("GET", "/papers", WRITERS),
    "create_paper": Call("POST", "/papers", (415, 403, 415)),  # without a file
    "create_paper_from_text": Call("POST", "/papers/text", (201, 403, 201), body={"text": "1. How much is 2 + 3?"}),
    "get_paper": Call("GET", "/papers/{paper}", WRITERS, **NOT_MY_PAPER),
    "get_paper_outlook": Call("GET", "/papers/{paper}/questions/0/known", WRITERS, **NOT_MY_PAPER),
    "correct_paper": Call(
        "POST",
        "/papers/{paper}/corrections",
        WRITERS,
        **NOT_MY_PAPER,
        body={"corrections": [{"line": "0", "role": "nothing"}]},
    ),
    "undo_paper_correction": Call("POST", "/papers/{paper}/undo", (409, 403, 409), **NOT_MY_PAPER),
    "redo_paper_correction": Call("POST", "/papers/{paper}/redo", (409, 403, 409), **NOT_MY_PAPER),
    "import_paper": Call("POST", "/papers/{paper}/import", (202, 403, 202), **NOT_MY_PAPER, body={}),
    "create_list_of_paper": Call("POST", "/papers/{paper}/list", (409, 403, 409), **NOT_MY_PAPER, body={"name": "New"}),
    "change_paper": Call("PATCH", "/papers/{paper}", WRITERS, **NOT_MY_PAPER, body={"visible_to": "all"}),
    "delete_paper": Call("DELETE", "/papers/{paper}", (204, 403, 204), **NOT_MY_PAPER),
    "create_response_set": Call("POST", "/responses", (415, 403, 415)),  # without a file
    "list_response_sets": Call("GET", "/responses", WRITERS),
    "get_response_set": Call("GET", "/responses/{responses}", WRITERS, WRITERS, missing=(404, 403, 404)),
    "list_set_statistics": Call("GET", "/responses/{responses}/statistics", WRITERS, WRITERS, missing=(404, 403, 404)),
    "change_response_set": Call(
        "PATCH",
        "/responses/{responses}",
        WRITERS,
        (403, 403, 200),
        missing=(404, 403, 404),
        body={"visible_to": "private"},
    ),
    "delete_response_set": Call(
        "DELETE", "/responses/{responses}", (204, 403, 204), (403, 403, 204), missing=(404, 403, 404)
    ),
    "get_question_statistics": Call(
        "GET", "/questions/{question}/statistics", WRITERS, WRITERS, missing=(404, 403, 404), draft=(404, 403, 200)
    ),
    "export_questions": Call("GET", "/exports?as=gift", EVERYBODY),
    "list_export_losses": Call("GET", "/exports/losses?as=gift", EVERYBODY),
    "roll_back_model": Call(
        "POST", "/models/roll-back", (403, 403, 409), body={"capability": "solver", "reason": "Better."}
    ),
}
PAGES = {  # operation -> the page that does the same; a literal table
    "create_question": "question_create",
    "replace_question": "question_edit",
    "change_question": "question_edit",
    "retire_question": "question_retire",
    "restore_question": "question_restore",
    "revert_question": "question_revert",
    "replace_question_tags": "question_concepts",
    "get_question": "question_detail",
    "search": "question_list",
    "find_similar_to_texts": "paste",
    "list_saved_searches": "saved_search_list",
    "create_saved_search": "saved_search_create",
    "change_saved_search": "saved_search_edit",
    "delete_saved_search": "saved_search_delete",
    "create_hierarchy": "hierarchy_create",
    "rename_hierarchy": "hierarchy_rename",
    "delete_hierarchy": "hierarchy_delete",
    "create_concept": "concept_create",
    "change_concept": "concept_rename",
    "merge_concept": "concept_change",
    "delete_concept": "concept_change",
    "get_list": "list_detail",
    "create_list": "list_index",
    "change_list": "list_edit",
    "delete_list": "list_delete",
    "add_to_list": "list_add",
    "move_in_list": "list_item",
    "remove_from_list": "list_item",
    "create_hook": "hook_list",
    "get_hook": "hook_detail",
    "change_hook": "hook_active",
    "delete_hook": "hook_delete",
    "test_hook": "hook_test",
    "replay_hook_delivery": "hook_replay",
    "get_paraphrase": "review_pair",
    "list_paraphrases": "review_pairs",
    "list_bulk_changes": "bulk_change_list",
    "list_near_copies": "question_near_copies",
    "merge_questions": "question_merge",
    "get_bulk_change": "bulk_change_detail",
    "undo_bulk_change": "bulk_change_undo",
    "list_question_paraphrases": "question_paraphrases",
    "check_paraphrase_file": "review_upload",
    "add_paraphrase_file": "review_upload_confirm",
    "list_runs": "run_list",
    "get_run": "run_detail",
    "cancel_run": "run_cancel",
    "list_models": "model_list",
    "promote_model": "model_promote",
    "roll_back_model": "model_roll_back",
    "create_import": "import_create",
    "confirm_import": "import_confirm",
    "list_keys": "api_key_list",
    "create_key": "api_key_list",
    "revoke_key": "api_key_revoke",
    "create_attachment": "question_edit",
    "create_worksheet": "worksheet_index",
    "get_worksheet": "worksheet_detail",
    "change_worksheet": "worksheet_layout",
    "delete_worksheet": "worksheet_delete",
    "replace_worksheet_entries": "worksheet_items",
    "add_to_worksheet": "worksheet_add",
    "fill_worksheet": "worksheet_fill_up",
    "sort_worksheet": "worksheet_by_difficulty",
    "draw_worksheet": "worksheet_draw",
    "get_worksheet_file": "worksheet_download",
    "get_worksheet_mark": "worksheet_mark",
    "forget_worksheet_use": "worksheet_uses",
    "create_paper": "document_create",
    "get_paper": "document_review",
    "get_paper_outlook": "document_outlook",
    "correct_paper": "document_review",
    "change_paper": "document_visibility",
    "import_paper": "document_import",
    "create_list_of_paper": "document_list",
    "delete_paper": "document_delete",
    "take_next_review": "review",
    "decide_review": "review_decide",
    "undo_review": "review_undo",
    "settle_dispute": "review_settle",
    "create_response_set": "response_upload",
    "list_response_sets": "response_set_list",
    "get_response_set": "response_set_detail",
    "change_response_set": "response_set_visibility",
    "list_set_statistics": "response_set_detail",
    "delete_response_set": "response_set_delete",
}
OPERATIONS = {operation.view_func.__name__: (method, operation) for method, _path, operation in api.operations()}


@pytest.fixture
def programs(bank, teacher, reviewer, admin_person) -> dict[str, Program]:
    return {person.username: Program(person) for person in (teacher, reviewer, admin_person)}


def things_of(owner: User, *, is_draft: bool = False) -> dict[str, int]:
    question, twin = (
        QuestionFactory(created_by=owner, status="draft" if is_draft else "ready", text=text)
        for text in ("How much is $2 + 3$?", "What is $2 + 3$?")
    )
    question_list = QuestionList.objects.create(owner=owner, name="Homework")
    QuestionListItem.objects.create(question_list=question_list, question=question, position=1)
    worksheet = Worksheet.objects.create(owner=owner, name="Homework")
    WorksheetItem.objects.create(worksheet=worksheet, question=question, position=1)
    QuestionUse.objects.create(question=question, worksheet=worksheet, day="2026-02-03")
    run = Run.objects.create(kind="report", capability="solver", state=Run.State.FAILED, requested_by=owner)
    hierarchy = HierarchyFactory()
    hook = Hook.objects.create(owner=owner, address="https://example.org/", events=["import.finished"])
    delivery = HookDelivery.objects.create(hook=hook, kind="import.finished", body="{}", due_at=None)
    return {
        "key": ApiKey.objects.create(owner=owner, name="Export", digest=f"of {owner}").pk,
        "hook": hook.pk,
        "delivery": delivery.pk,
        "question": question.pk,
        "twin": twin.pk,
        "listed": question.pk,
        "list": question_list.pk,
        "saved": SavedSearch.objects.create(owner=owner, name="Grade 7", parameters={"grade": "7"}).pk,
        "worksheet": worksheet.pk,
        "responses": ResponseSet.objects.create(title="Test", owner=owner, layout="table", people=5).pk,
        "change": BulkChange.objects.create(person=owner, kind="grade", values={"grade": "8"}).pk,
        "pair": ParaphrasePair.objects.create(original="Why?", paraphrase="How?", source="typed").pk,
        "paper": _paper(owner).pk,
        "run": run.pk,
        "import": Run.objects.create(kind="import", state=Run.State.FAILED, requested_by=owner).pk,
        "hierarchy": hierarchy.pk,
        "concept": ConceptFactory(hierarchy=hierarchy).pk,
        "other_concept": ConceptFactory(hierarchy=hierarchy).pk,
        "model": ModelArtifact.objects.create(capability="encoder", name="A candidate").pk,
    }


def _paper(owner: User) -> DocumentDraft:
    lines = [as_json(Line("How much is 2 + 3?", "1."))]
    return DocumentDraft.objects.create(owner=owner, name="Test", state="ready", lines=lines, roles=["question:number"])


def respond(program: Program, call: Call, things: dict[str, int], **headers: str) -> HttpResponse:
    """Call an operation and undo what it did."""
    with transaction.atomic():
        response = program(call.method, call.path.format(**things), filled(call.body, things), **headers)
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


def keys_of(person: User) -> tuple[dict[str, Program], dict[str, Program]]:
    """Return programs with reading and one more scope, and programs with all scopes but one, by this scope."""
    scopes = ApiKey.Scope.values
    return (
        {one: Program(person, *{"read", one}, name=f"only {one}", rate_limit=LARGEST_RATE) for one in scopes},
        {one: Program(person, *set(scopes) - {one}, name=f"no {one}", rate_limit=LARGEST_RATE) for one in scopes},
    )


def test_each_role_and_scope_gets_what_the_table_says_of_each_thing(programs, django_user_model) -> None:
    """A key with the operation's scope and reading is enough; one with all other scopes is always refused."""
    colleague = django_user_model.objects.create_user("colleague")
    others, drafts = things_of(colleague), things_of(django_user_model.objects.create_user("other"), is_draft=True)
    missing = dict.fromkeys(others, MISSING)
    differing = {}
    for role, program in enumerate(programs.values()):
        person = program.key.owner
        enough, without = keys_of(person)
        owns = things_of(person)
        for name, call in TABLE.items():
            access = OPERATIONS[name][1].auth_callbacks[0]
            kinds = {"own": owns}
            if call.others is not None:
                kinds["others"] = others
            if call.draft is not None:
                kinds["draft"] = drafts
            if "{" in call.path:
                kinds["missing"] = missing
            for kind, things in kinds.items():
                status = respond(enough[access.scope], call, things).status_code
                refused = respond(without[access.scope], call, things)
                code = refused.json()["error"]["code"] if refused.status_code == 403 else refused.status_code
                may = rules.has_perm(f"questionbank.{access.permission}", person)
                if (status, code) != (getattr(call, kind)[role], "scope_missing") or (status != 403 and not may):
                    differing[f"{name} of {kind} by {person}"] = (status, code)
    assert differing == {}


def test_the_schema_names_if_match_where_it_counts(admin_person, bank) -> None:
    things, program = things_of(admin_person), Program(admin_person, rate_limit=LARGEST_RATE)
    writes = {name: call for name, call in TABLE.items() if call.method != "GET"}
    refused = {
        name for name, call in writes.items() if respond(program, call, things, If_Match='"another"').status_code == 412
    }
    described = [one for operations in openapi_schema()["paths"].values() for one in operations.values()]
    named = {one["operationId"] for one in described if any(given["name"] == "If-Match" for given in one["parameters"])}
    assert named == refused != set()


@pytest.mark.parametrize(("operation", "page"), PAGES.items())
def test_an_operation_asks_for_the_permission_that_its_page_asks_for(operation, page) -> None:
    assert OPERATIONS[operation][1].auth_callbacks[0].permission == PATTERNS[page].callback.permission


def test_without_a_key_or_a_role_nothing_opens(bank, teacher, django_user_model) -> None:
    nobody = django_user_model.objects.create_user("nobody", password="correct horse battery")
    browser, stranger = Client(), Client()
    browser.force_login(nobody)
    things = things_of(teacher)
    for name, call in TABLE.items():
        path = ROOT + call.path.format(**things)
        assert stranger.generic(call.method, path, "{}", "application/json").status_code == 401, name
        assert browser.generic(call.method, path, "{}", "application/json").status_code == 403, name


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
