"""Who may open what: every address of the site times every role."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from questionbank.models import (
    BulkChange,
    DocumentDraft,
    ModelArtifact,
    ParaphrasePair,
    ProblemVariant,
    QuestionList,
    ResponseSet,
    Run,
    SavedSearch,
    School,
    SynonymGroup,
    Worksheet,
)
from questionbank.people.sign_on import SignOn

ROLES = ("anonymous", "nobody", "teacher", "reviewer", "admin")  # nobody: logged in, without a role
LOGIN = 302  # to the log-in page; checked below

# status by role, in the order of ROLES
PUBLIC = (200, 200, 200, 200, 200)
EVERYBODY = (LOGIN, 403, 200, 200, 200)
WRITERS = (LOGIN, 403, 200, 403, 200)
REVIEWERS = (LOGIN, 403, 403, 200, 200)
REVIEWERS_ACT = (LOGIN, 403, 403, 302, 302)
ADMINS = (LOGIN, 403, 403, 403, 200)
ADMINS_ACT = (LOGIN, 403, 403, 403, 302)
OTHERS_PAPER = (LOGIN, 403, 404, 403, 404)
NOT_SET_UP = (LOGIN, 404, 404, 404, 404)  # nobody here has a second step


@dataclass(frozen=True)
class Address:
    """How to open an address and what each role gets; `arguments` and `data` name things of the fixture."""

    expected: tuple[int, int, int, int, int]
    arguments: dict[str, Any] = field(default_factory=dict)
    method: str = "get"
    data: dict[str, Any] = field(default_factory=dict)
    query: str = ""


QUESTION = {"question_id": "question"}  # written by somebody else than the teacher
CONCEPT = {"concept_id": "concept"}
HIERARCHY = {"hierarchy_id": "hierarchy"}
RUN = {"run_id": "run"}
PAIR = {"pair_id": "pair"}  # on which reviewers disagree
MODEL = {"artifact_id": "model"}
LIST = {"list_id": "list"}  # shared by somebody who is none of these
WORKSHEET = {"worksheet_id": "worksheet"}  # likewise
RESPONSES = {"set_id": "responses"}  # likewise
NOT_THE_OWNERS = (LOGIN, 403, 404, 404, 404)
MOVED_BY_ADMINS = (LOGIN, 403, 403, 403, 302)
SAVED = {"search_id": "saved"}  # shared by somebody who is none of these
PERSON = {"person_id": "person"}
SYNONYMS = {"group_id": "synonyms"}
PAPER = {"draft_id": "draft"}
ENCODERS = {"capability": "encoder"}

TABLE: dict[str, Address] = {
    "home": Address(EVERYBODY),
    "question_list": Address(EVERYBODY),
    "combine_concepts": Address(EVERYBODY, query="?find=a"),
    "question_create": Address(WRITERS),
    "selection": Address(EVERYBODY, query="?id=1"),
    "selection_export": Address(EVERYBODY, {"format": "jsonl"}, query="?id=1"),
    "saved_search_list": Address(EVERYBODY, query="?counts=1"),
    "saved_search_create": Address(EVERYBODY, query="?grade=7"),
    "saved_search_results": Address((LOGIN, 403, 302, 302, 302), SAVED),
    "saved_search_edit": Address(NOT_THE_OWNERS, SAVED),
    "saved_search_delete": Address(NOT_THE_OWNERS, SAVED),
    "bulk_change_list": Address(WRITERS),
    "bulk_change_detail": Address((LOGIN, 403, 404, 403, 200), {"change_id": "bulk_change"}),
    "bulk_change_undo": Address((LOGIN, 403, 404, 403, 302), {"change_id": "bulk_change"}, "post"),
    "question_merge": Address((LOGIN, 403, 422, 403, 422)),  # names no questions
    "question_near_copies": Address((LOGIN, 403, 404, 403, 404)),  # names no import
    "question_preview": Address(EVERYBODY, method="post", data={"text": "$x$"}),
    "concept_choices": Address(EVERYBODY, method="post"),
    "picture": Address((LOGIN, 403, 404, 404, 404), {"sha256": "0"}),
    "question_detail": Address(EVERYBODY, QUESTION),
    "question_edit": Address(ADMINS, QUESTION),
    "question_retire": Address(ADMINS, QUESTION),
    "question_exclude": Address(ADMINS_ACT, QUESTION, "post"),
    "question_restore": Address(ADMINS_ACT, QUESTION, "post"),
    "question_revert": Address((LOGIN, 403, 403, 403, 409), QUESTION | {"event": "1"}, "post"),
    "question_suggest": Address((LOGIN, 403, 302, 302, 302), QUESTION, "post"),
    "question_accept": Address((LOGIN, 403, 302, 403, 302), QUESTION, "post", {"concept": "concept"}),
    "question_concepts": Address(WRITERS, QUESTION),
    "question_hierarchy": Address((LOGIN, 403, 302, 302, 302), QUESTION, "post"),
    "question_likeness": Address((LOGIN, 403, 302, 302, 302), QUESTION),
    "question_similar": Address(EVERYBODY, {**QUESTION, "kinship": "wording"}),
    "question_paraphrases": Address(EVERYBODY, QUESTION),
    "question_equation": Address(WRITERS, QUESTION),
    "question_computed_alike": Address(EVERYBODY, QUESTION),
    "question_exemplars": Address(EVERYBODY, QUESTION),
    "question_variants": Address(EVERYBODY, QUESTION),
    "review_variants": Address(EVERYBODY),
    "variant_decision": Address(REVIEWERS_ACT, {"variant_id": "variant"}, "post"),
    "variant_draft": Address((LOGIN, 403, 302, 403, 302), {"variant_id": "variant"}, "post"),
    "variant_reword": Address(REVIEWERS, {"variant_id": "variant"}),
    "paste": Address(EVERYBODY),
    "model_ask": Address((LOGIN, 403, 422, 422, 422), method="post", data={"text": "How much is 2 + 3?"}),
    "model_answer": Address((LOGIN, 403, 404, 404, 404), RUN),  # that job is an import
    "second_opinion_ask": Address((LOGIN, 403, 422, 422, 422), method="post", data={"text": " "}),
    "second_opinion": Address((LOGIN, 403, 404, 404, 404), RUN),  # that job is an import
    "pasted_exemplars": Address(EVERYBODY, method="post", data={"text": "How much is 2 + 3?"}),
    "synonym_list": Address(EVERYBODY),
    "synonym_create": Address(ADMINS),
    "synonym_edit": Address(ADMINS, SYNONYMS),
    "synonym_delete": Address(ADMINS_ACT, SYNONYMS, "post"),
    "concept_tree": Address(EVERYBODY),
    "concept_detail": Address(EVERYBODY, CONCEPT),
    "concept_create": Address(ADMINS, HIERARCHY),
    "concept_rename": Address(ADMINS, CONCEPT),
    "concept_change": Address(ADMINS, {**CONCEPT, "change": "move"}),
    "hierarchy_create": Address(ADMINS),
    "hierarchy_rename": Address(ADMINS, HIERARCHY),
    "hierarchy_delete": Address(ADMINS, HIERARCHY),
    "hierarchy_default": Address(ADMINS, HIERARCHY),
    "map": Address(EVERYBODY),
    "map_points_data": Address((LOGIN, 403, 404, 404, 404)),  # no map is drawn in this bank
    "map_questions": Address(EVERYBODY, query="?id=1"),
    "map_draw": Address(ADMINS_ACT, method="post"),
    "import_create": Address(WRITERS),
    "import_confirm": Address(ADMINS_ACT, RUN, "post"),  # not the teacher's own import
    "import_columns": Address((LOGIN, 403, 302, 403, 302)),  # without a file it leads to where one is uploaded
    "document_create": Address(WRITERS),
    "document_review": Address(OTHERS_PAPER, PAPER),
    "document_outlook": Address(OTHERS_PAPER, {**PAPER, "key": "0"}),
    "document_import": Address(OTHERS_PAPER, PAPER, "post"),
    "document_list": Address(OTHERS_PAPER, PAPER, "post"),
    "document_delete": Address(OTHERS_PAPER, PAPER, "post"),
    "document_visibility": Address(OTHERS_PAPER, PAPER, "post", {"visible_to": "all"}),
    "change_list": Address(ADMINS),
    "change_export": Address(ADMINS),
    "import_undo": Address(ADMINS, RUN),
    "import_conflicts": Address(ADMINS, RUN),
    "model_list": Address(EVERYBODY),
    "language_model": Address(EVERYBODY),
    "language_model_exam": Address(ADMINS_ACT, method="post"),
    "language_model_use_switch": Address(ADMINS_ACT, {"use": "solving"}, "post", {"switch": "on"}),
    "model_retraining": Address(ADMINS),
    "model_retraining_read": Address((LOGIN, 403, 403, 403, 404), {"retraining_id": 1}, "post"),
    "model_retraining_schedule": Address(ADMINS, ENCODERS),
    "old_models": Address(ADMINS),
    "old_models_delete": Address(ADMINS_ACT, method="post"),
    "model_detail": Address(EVERYBODY, MODEL),
    "model_compare": Address(EVERYBODY, MODEL),
    "model_history": Address(EVERYBODY, ENCODERS),
    "model_train": Address(ADMINS, ENCODERS),
    "model_training_report": Address(ADMINS, ENCODERS),
    "model_graph_pairs": Address(ADMINS),
    "model_promote": Address(ADMINS, MODEL),
    "model_delete": Address(ADMINS, MODEL),
    "model_roll_back": Address(ADMINS, ENCODERS),
    "review": Address(REVIEWERS),
    "review_decide": Address(REVIEWERS_ACT, PAIR, "post", {"decision": "accept"}),
    "review_heartbeat": Address((LOGIN, 403, 403, 409, 409), PAIR, "post"),
    "review_pair": Address(EVERYBODY, PAIR),
    "review_pairs": Address(EVERYBODY),
    "review_batch_delete": Address((LOGIN, 403, 403, 404, 404), query="?batch=none"),
    "review_batch_hide": Address((LOGIN, 403, 403, 404, 404), method="post", data={"batch": "none"}),
    "review_guidelines_read": Address(REVIEWERS_ACT, method="post"),
    "review_propose": Address(REVIEWERS),
    "review_add_accepted": Address((LOGIN, 403, 302, 403, 302), method="post"),
    "review_settle": Address(REVIEWERS, PAIR),
    "review_settle_heartbeat": Address((LOGIN, 403, 403, 409, 409), PAIR, "post"),
    "review_undo": Address(REVIEWERS_ACT, method="post"),
    "review_keys": Address(REVIEWERS),
    "review_upload": Address(REVIEWERS),
    "review_upload_confirm": Address(REVIEWERS_ACT, method="post"),
    "review_score": Address(REVIEWERS_ACT, method="post"),
    "review_progress": Address(EVERYBODY),
    "review_guidelines": Address(EVERYBODY),
    "review_export": Address(REVIEWERS, {"format": "csv"}),
    "run_list": Address(EVERYBODY),
    "run_detail": Address(EVERYBODY, RUN),
    "run_progress": Address(EVERYBODY, RUN),
    "run_cancel": Address(ADMINS_ACT, RUN, "post"),
    "run_retry": Address(ADMINS_ACT, RUN, "post"),
    "run_dismiss": Address(ADMINS_ACT, RUN, "post"),
    "list_index": Address(EVERYBODY),
    "list_add": Address((LOGIN, 403, 302, 302, 302), {}, "post", {"question": "question", "name": "Friday"}),
    "list_detail": Address(EVERYBODY, LIST),
    "list_export": Address(EVERYBODY, {**LIST, "format": "csv"}),
    "list_edit": Address((LOGIN, 403, 404, 404, 404), LIST),
    "list_visibility": Address(MOVED_BY_ADMINS, LIST, "post", {"visible_to": "all"}),
    "list_delete": Address((LOGIN, 403, 404, 404, 404), LIST),
    "list_item": Address((LOGIN, 403, 404, 404, 404), {**LIST, **QUESTION}, "post"),
    "worksheet_index": Address(EVERYBODY),
    "worksheet_from_list": Address((LOGIN, 403, 302, 302, 302), LIST, "post"),
    "worksheet_detail": Address(EVERYBODY, WORKSHEET),
    "worksheet_mark": Address(EVERYBODY, WORKSHEET),
    "worksheet_visibility": Address(MOVED_BY_ADMINS, WORKSHEET, "post", {"visible_to": "all"}),
    "worksheet_download": Address((LOGIN, 403, 302, 302, 302), WORKSHEET, "post", {"format": "pdf"}),
    "worksheet_edit": Address(NOT_THE_OWNERS, WORKSHEET),
    "worksheet_layout": Address(NOT_THE_OWNERS, WORKSHEET),
    "worksheet_delete": Address(NOT_THE_OWNERS, WORKSHEET),
    "worksheet_draw": Address(NOT_THE_OWNERS, WORKSHEET, "post"),
    "worksheet_fill_up": Address(NOT_THE_OWNERS, WORKSHEET),
    "worksheet_add": Address(NOT_THE_OWNERS, WORKSHEET, "post"),
    "worksheet_section": Address(NOT_THE_OWNERS, WORKSHEET, "post"),
    "worksheet_by_difficulty": Address(NOT_THE_OWNERS, WORKSHEET, "post"),
    "worksheet_items": Address(NOT_THE_OWNERS, WORKSHEET, "post"),
    "worksheet_item": Address(NOT_THE_OWNERS, {**WORKSHEET, "item_id": "worksheet"}, "post"),
    "worksheet_uses": Address(NOT_THE_OWNERS, WORKSHEET, "post"),
    "response_set_list": Address(WRITERS),
    "worksheet_after_use": Address(WRITERS, WORKSHEET),
    "worksheet_marks": Address(OTHERS_PAPER, WORKSHEET),  # it has no questions
    "response_upload": Address(WRITERS),
    "response_questions": Address(WRITERS),
    "response_figures_csv": Address(WRITERS),
    "response_deletion": Address(WRITERS),
    "response_check": Address((LOGIN, 403, 302, 403, 302)),  # without a file it leads to where one is uploaded
    "response_set_detail": Address(WRITERS, RESPONSES),
    "response_set_csv": Address(WRITERS, RESPONSES),
    "response_set_visibility": Address(MOVED_BY_ADMINS, RESPONSES, "post", {"visible_to": "all"}),
    "response_set_delete": Address((LOGIN, 403, 403, 403, 200), RESPONSES),  # not the teacher's own
    "person_list": Address(ADMINS),
    "person_invite": Address(ADMINS),
    "person_detail": Address(ADMINS, PERSON),
    "person_active": Address(ADMINS_ACT, PERSON, "post"),
    "person_password_link": Address(ADMINS, PERSON, "post"),
    "person_second_factor": Address(ADMINS_ACT, PERSON, "post"),
    "school_list": Address(ADMINS),
    "school_detail": Address(ADMINS, {"school_id": "school"}),
    "school_delete": Address(ADMINS, {"school_id": "school"}),
    "person_export": Address(ADMINS, PERSON),
    "person_delete": Address(ADMINS, PERSON),
    "data_protection": Address(ADMINS),
    "help": Address(EVERYBODY),
    "mcp": Address((401,) * 5, method="post"),  # only a key opens it: tests/questionbank/assistants
    "api_docs": Address(EVERYBODY),
    "api_key_list": Address(EVERYBODY),
    "api_key_revoke": Address((LOGIN, 403, 404, 404, 404), {"key_id": "1"}),  # nobody's
    "hook_list": Address(EVERYBODY),
    "hook_detail": Address((LOGIN, 403, 404, 404, 404), {"hook_id": "1"}),  # nobody's
    "hook_test": Address((LOGIN, 403, 404, 404, 404), {"hook_id": "1"}, "post"),
    "hook_active": Address((LOGIN, 403, 404, 404, 404), {"hook_id": "1"}, "post"),
    "hook_delete": Address((LOGIN, 403, 404, 404, 404), {"hook_id": "1"}),
    "hook_replay": Address((LOGIN, 403, 404, 404, 404), {"hook_id": "1", "delivery_id": "1"}, "post"),
    "theme": Address((LOGIN, 403, 302, 302, 302), method="post", data={"theme": "dark"}),
    "health": Address(ADMINS),
    "health_vectors": Address(ADMINS_ACT, method="post"),
    "health_status": Address(PUBLIC),
    "site_status": Address(PUBLIC),
    # django-allauth: the way in is open, the rest is everybody's own
    "account_login": Address((200, 302, 302, 302, 302)),
    "account_logout": Address((302, 200, 200, 200, 200)),
    "account_signup": Address((302, 302, 302, 302, 302)),
    "account_inactive": Address(PUBLIC),
    "account_reauthenticate": Address((LOGIN, 200, 200, 200, 200)),
    "account_data": Address((LOGIN, 200, 200, 200, 200)),
    "account_change_password": Address((LOGIN, 200, 200, 200, 200)),
    "account_set_password": Address((LOGIN, 302, 302, 302, 302)),
    "account_reset_password": Address(PUBLIC),
    "account_reset_password_done": Address(PUBLIC),
    "account_reset_password_from_key": Address(PUBLIC, {"uidb36": "1", "key": "set-password"}),
    "account_reset_password_from_key_done": Address(PUBLIC),
    "session_list": Address((LOGIN, 200, 200, 200, 200)),
    "session_end": Address((LOGIN, 302, 302, 302, 302), {"session_id": "1"}, "post"),  # nobody's
    "openid_connect_login": Address((404,) * 5, {"provider_id": "district"}),  # there are no providers
    "openid_connect_callback": Address((404,) * 5, {"provider_id": "district"}),
    "saml_login": Address((404,) * 5, {"organization_slug": "district"}),
    "saml_acs": Address((404,) * 5, {"organization_slug": "district"}, "post"),
    "saml_finish_acs": Address((404,) * 5, {"organization_slug": "district"}),
    "saml_sls": Address((404,) * 5, {"organization_slug": "district"}),
    "saml_metadata": Address((404,) * 5, {"organization_slug": "district"}),
    "mfa_index": Address((LOGIN, 200, 200, 200, 200)),
    "mfa_authenticate": Address((302, 302, 302, 302, 302)),
    "mfa_reauthenticate": Address((LOGIN, 302, 302, 302, 302)),
    "mfa_activate_totp": Address((LOGIN, 302, 302, 302, 302)),  # asks for the password again first
    "mfa_deactivate_totp": Address(NOT_SET_UP),
    "mfa_view_recovery_codes": Address(NOT_SET_UP),
    "mfa_generate_recovery_codes": Address((LOGIN, 302, 302, 302, 302)),
    "mfa_download_recovery_codes": Address(NOT_SET_UP),
}

ADMIN_SITE = {  # Django's admin: pages that need no object
    "admin:index": ADMINS,
    "admin:questionbank_user_changelist": ADMINS,
    "admin:questionbank_user_add": ADMINS,
    "admin:questionbank_run_changelist": ADMINS,
    "admin:questionbank_run_add": (LOGIN, 403, 403, 403, 403),
    "admin:questionbank_modelartifact_changelist": ADMINS,
    "admin:questionbank_embeddingset_changelist": ADMINS,
    "admin:questionbank_workerheartbeat_changelist": ADMINS,
}


def _named_patterns(patterns: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield pattern
        elif pattern.namespace not in ("admin", "api"):  # the API's own sweep: tests/questionbank/api/test_access.py
            yield from _named_patterns(pattern.url_patterns)


PATTERNS = {pattern.name: pattern for pattern in _named_patterns(get_resolver().url_patterns)}


@pytest.fixture
def things(bank, settings):
    """What the addresses name."""
    settings.DEMO = False
    run = Run.objects.create(kind=Run.Kind.IMPORT, title="Import of a file", state=Run.State.FAILED)
    colleague = get_user_model().objects.create_user(username="colleague")
    return {
        "draft": DocumentDraft.objects.create(owner=colleague, name="Test", state="ready").pk,
        "list": QuestionList.objects.create(owner=colleague, name="Homework", visibility="all").pk,
        "worksheet": Worksheet.objects.create(owner=colleague, name="Test", visibility="all").pk,
        "saved": SavedSearch.objects.create(owner=colleague, name="Grade 7", visibility="all").pk,
        "responses": ResponseSet.objects.create(owner=colleague, title="Test", layout="Table").pk,
        "person": colleague.pk,
        "school": School.objects.create(name="Hill School", slug="hill").pk,
        "synonyms": SynonymGroup.objects.create(terms=["rooks", "castles"]).pk,
        "question": bank.questions[1].pk,
        "bulk_change": BulkChange.objects.create(
            kind="grade", values={"grade": "7"}, person=colleague, applied_at=timezone.now()
        ).pk,
        "concept": bank.linear.pk,
        "hierarchy": bank.hierarchy.pk,
        "run": run.pk,
        "pair": ParaphrasePair.objects.create(
            original="a", paraphrase="b", source="typed", state=ParaphrasePair.State.ADJUDICATION
        ).pk,
        "variant": ProblemVariant.objects.create(text="2 x 3?", equation="2*3", answer="6").pk,
        "model": ModelArtifact.objects.create(capability="encoder", name="A candidate").pk,
    }


@pytest.fixture
def people(teacher, reviewer, admin_person):
    nobody = get_user_model().objects.create_user(username="nobody", password="correct horse battery")
    return {"anonymous": None, "nobody": nobody, "teacher": teacher, "reviewer": reviewer, "admin": admin_person}


@pytest.fixture
def cookies(people) -> dict[str, SimpleCookie]:
    """The cookies of a session of each role, made once: to log in is most of what opening a page takes."""
    made = {}
    for role, person in people.items():
        client = Client()
        if person is not None:
            client.force_login(person)
        made[role] = client.cookies
    return made


def _responses(address: Address, path: str, data: dict, cookies: dict[str, SimpleCookie]) -> list[HttpResponse]:
    """What each role gets, whatever the roles before it did."""
    responses = []
    for role in ROLES:
        client = Client()
        client.cookies = copy.deepcopy(cookies[role])
        with transaction.atomic():
            responses.append(getattr(client, address.method)(path, data))
            transaction.set_rollback(True)
    return responses


def test_the_table_names_every_address() -> None:
    assert set(PATTERNS) == set(TABLE)


def test_each_role_gets_what_the_table_says(things, cookies) -> None:
    differing = {}
    for name, address in TABLE.items():
        arguments = {key: things.get(value, value) for key, value in address.arguments.items()}
        data = {key: things.get(value, value) for key, value in address.data.items()}
        path = reverse(name, kwargs=arguments) + address.query
        responses = _responses(address, path, data, cookies)
        statuses = tuple(response.status_code for response in responses)
        leads_to = responses[0].headers.get("Location", "")
        if statuses != address.expected or (
            address.expected[0] == LOGIN and not leads_to.startswith(reverse("account_login"))
        ):
            differing[name] = (*statuses, leads_to)
    assert not differing


def test_django_s_admin_opens_for_admins_only(cookies) -> None:
    statuses = {
        name: tuple(r.status_code for r in _responses(Address(expected), reverse(name), {}, cookies))
        for name, expected in ADMIN_SITE.items()
    }
    assert statuses == ADMIN_SITE


def test_an_admin_without_a_needed_second_factor_only_gets_pages_of_their_account(things, cookies, settings) -> None:
    settings.SIGN_ON = SignOn(second_factor=("admin",))
    is_open = set()
    for name, address in (TABLE | {name: Address(expected) for name, expected in ADMIN_SITE.items()}).items():
        path = reverse(name, kwargs={key: things.get(value, value) for key, value in address.arguments.items()})
        *_others, response = _responses(address, path, {}, cookies)
        if response.headers.get("Location") != reverse("mfa_activate_totp"):
            is_open.add(name)
    public = {name for name in TABLE if not getattr(PATTERNS[name].callback, "login_required", True)}
    own = {name for name in TABLE if name.startswith(("account_", "mfa_", "session_"))} - {"account_data"}
    assert is_open - public - own == set()


def test_every_view_of_ours_states_its_permission() -> None:
    others = ("account_", "mfa_", "openid_connect_", "saml_", "socialaccount_", "health_status", "site_status", "mcp")
    ours = [name for name in TABLE if not name.startswith(others)]
    assert not [name for name in ours if not getattr(PATTERNS[name].callback, "permission", "")]


def test_a_teacher_may_edit_a_question_of_their_own(bank, as_teacher) -> None:
    own = bank.questions[0]
    assert as_teacher.get(reverse("question_edit", args=[own.pk])).status_code == 200
    assert as_teacher.get(reverse("question_retire", args=[own.pk])).status_code == 200


@pytest.mark.parametrize(("name", "method"), [("import_confirm", "post"), ("import_conflicts", "get")])
def test_a_teacher_goes_on_with_an_import_of_their_own_alone(db, as_teacher, teacher, reviewer, name, method):
    parameters = {"upload": "", "status": "draft"}
    runs = [
        Run.objects.create(kind=Run.Kind.IMPORT, requested_by=person, parameters=parameters)
        for person in (teacher, reviewer)
    ]
    statuses = [getattr(as_teacher, method)(reverse(name, args=[run.pk])).status_code for run in runs]
    assert statuses == [302 if method == "post" else 200, 403]


def test_a_teacher_starts_a_failed_job_of_their_own_again(db, as_teacher, teacher):
    run = Run.objects.create(kind=Run.Kind.READ, requested_by=teacher, state=Run.State.FAILED, error="Full.")
    page = as_teacher.get(reverse("run_detail", args=[run.pk])).content.decode()
    assert ("retry-run" in page, "dismiss-run" in page) == (True, False)
    as_teacher.post(reverse("run_retry", args=[run.pk]))
    run.refresh_from_db()
    assert run.state == Run.State.QUEUED


def test_an_admin_cannot_touch_a_superuser(as_admin, django_user_model) -> None:
    root = django_user_model.objects.create_superuser("root", password="correct horse battery")
    address = reverse("admin:questionbank_user_change", args=[root.pk])
    assert as_admin.post(address, {"username": "mine"}).status_code == 403
    assert as_admin.post(reverse("admin:questionbank_user_delete", args=[root.pk])).status_code == 403
