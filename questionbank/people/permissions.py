"""Permissions as django-rules predicates, the check before an action, and the viewer for whom rows are read.

The viewer (`questionbank.models.visibility`) is the person of a request or a job, or the system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import rules
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from rules.permissions import ObjectPermissionBackend

from questionbank.core.errors import NotAllowed
from questionbank.models import (
    ApiKey,
    DocumentDraft,
    ImportUpdate,
    Question,
    QuestionList,
    ResponseSet,
    Run,
    SavedSearch,
    User,
    Worksheet,
)
from questionbank.models.visibility import EVERYBODY, Audiences, viewing
from questionbank.people.roles import ROLES

PRIVATE_KINDS = frozenset({Run.Kind.IMPORT, Run.Kind.READ, Run.Kind.UNDO, Run.Kind.CHANGE})

_IN_GROUP: dict[str, Any] = {role: rules.is_group_member(role) for role in ROLES}
is_teacher: Any = _IN_GROUP["teacher"]
is_reviewer: Any = _IN_GROUP["reviewer"]
is_admin: Any = rules.is_superuser | _IN_GROUP["admin"]
has_role: Any = is_teacher | is_reviewer | is_admin


class RulesBackend(ObjectPermissionBackend):
    """Decide every permission that has a rule; no row of a table can grant one.

    So pages never query Django's own permission tables, which would cost two queries per request.
    """

    def has_perm(self, user: User, perm: str, *args: Any, **kwargs: Any) -> bool:
        """Return whether the rule holds, unless a second factor or a key's scope is missing.

        Without the second factor that their role needs, people may only use their account.

        Returns:
            False for a permission without a rule.

        Raises:
            PermissionDenied: the person may not; Django then asks no further backend.
        """
        if not rules.perm_exists(perm):
            return False
        if getattr(user, "needs_second_factor", False) and perm != "questionbank.account_use":
            raise PermissionDenied
        key: ApiKey | None = getattr(user, "api_key", None)
        if key is not None and scope_of(perm) not in key.scopes:
            raise PermissionDenied
        if not rules.has_perm(perm, user, *args, **kwargs):
            raise PermissionDenied
        return True


_SCOPES = {  # of keys of the API -> the permissions that need them; a literal table
    ApiKey.Scope.READ: "account_use read run_read language_model_ask responses_read",
    ApiKey.Scope.WRITE: "question_create question_edit tags_edit equation_edit import import_publish import_continue"
    " run_restart paraphrase_propose responses_import responses_delete",
    ApiKey.Scope.REVIEW: "review settle_own guidelines_edit",
    ApiKey.Scope.TRAIN: "models_manage runs_manage",
    ApiKey.Scope.ADMIN: "concepts_edit health changes_read people_manage",
}
_SCOPE_OF = {f"questionbank.{name}": scope for scope, names in _SCOPES.items() for name in names.split()}


def scope_of(permission: str) -> ApiKey.Scope:
    """Return the scope that a key needs for ``questionbank.<permission>``."""
    return _SCOPE_OF[permission]


def roles_of(user: User) -> list[str]:
    """Return a person's roles in the order of `ROLES`; read once per request."""
    return [role for role in ROLES if _IN_GROUP[role](user)]


@rules.predicate
def is_owner(user: User, question: Question | None) -> bool:
    """Return whether the person wrote the question."""
    return question is not None and question.created_by_id == user.pk


@rules.predicate
def is_own_import(user: User, run: Run | None) -> bool:
    """Return whether the person requested an import that changed nobody else's questions."""
    if run is None or run.kind != Run.Kind.IMPORT or run.requested_by_id != user.pk:
        return False
    return not ImportUpdate.objects.filter(run=run).exclude(question__created_by=user).exists()


@rules.predicate
def has_requested(user: User, run: Run | None) -> bool:
    """Return whether the person requested the job."""
    return run is not None and run.requested_by_id == user.pk


@rules.predicate
def is_about_somebody_elses_work(user: User, run: Run | None) -> bool:
    """Return whether a job shows somebody else's input: the file of a test paper, or what they changed."""
    if run is None or run.kind not in PRIVATE_KINDS:
        return False
    is_command = run.kind == Run.Kind.IMPORT and not run.parameters.keys() & {"upload", "draft"}
    return not is_command and run.requested_by_id != user.pk


@rules.predicate
def owns_set(user: User, response_set: ResponseSet | None) -> bool:
    """Return whether the person imported the set of responses."""
    return response_set is not None and response_set.owner_id == user.pk


@rules.predicate
def teachers_publish(_user: User) -> bool:
    """Return whether teachers may import questions for everyone here, not only as their own drafts."""
    return bool(settings.TEACHERS_PUBLISH_IMPORTS)


rules.add_perm("questionbank.account_use", rules.is_authenticated)  # one's own sessions
rules.add_perm("questionbank.read", has_role)
rules.add_perm("questionbank.question_create", is_teacher | is_admin)
rules.add_perm("questionbank.question_edit", is_admin | (is_teacher & is_owner))
rules.add_perm("questionbank.concepts_edit", is_admin)
rules.add_perm("questionbank.tags_edit", is_teacher | is_admin)
rules.add_perm("questionbank.equation_edit", is_teacher | is_admin)
rules.add_perm("questionbank.import", is_teacher | is_admin)  # files of questions, and test papers
rules.add_perm("questionbank.import_publish", is_admin | (is_teacher & teachers_publish))
rules.add_perm("questionbank.import_continue", is_admin | (is_teacher & is_own_import))  # or undo it
rules.add_perm("questionbank.responses_read", is_teacher | is_admin)
rules.add_perm("questionbank.responses_import", is_teacher | is_admin)
rules.add_perm("questionbank.responses_delete", is_admin | (is_teacher & owns_set))
rules.add_perm("questionbank.run_read", is_admin | (has_role & ~is_about_somebody_elses_work))
rules.add_perm("questionbank.run_restart", is_admin | (has_role & has_requested))
rules.add_perm("questionbank.runs_manage", is_admin)
rules.add_perm("questionbank.health", is_admin)
rules.add_perm("questionbank.changes_read", is_admin)
rules.add_perm("questionbank.people_manage", is_admin)
rules.add_perm("questionbank.models_manage", is_admin)
rules.add_perm("questionbank.review", is_reviewer | is_admin)
rules.add_perm("questionbank.paraphrase_propose", has_role)  # for a single question
rules.add_perm("questionbank.language_model_ask", has_role)
rules.add_perm("questionbank.guidelines_edit", is_admin)
rules.add_perm("questionbank.settle_own", is_admin)  # a pair on which their own opinion differs


def require(user: User | None, permission: str, refusal: str, target: Model | None = None) -> None:
    """Check that a person has ``questionbank.<permission>``, for `target` if given.

    Args:
        user: None is the system itself: commands, imports and the demo.

    Raises:
        NotAllowed: the person lacks the permission; the message is `refusal`.
    """
    if user is not None and not user.has_perm(f"questionbank.{permission}", target):
        raise NotAllowed(refusal)


def may_move(user: User, row: QuestionList | Worksheet | DocumentDraft | ResponseSet) -> bool:
    """Return whether a person may choose who sees a row: its owner, and an admin unless it is somebody's alone."""
    return row.owner_id == user.pk or ((row.is_shared or row.owner_id is None) and is_admin(user))


def require_mover(user: User, row: QuestionList | Worksheet | DocumentDraft | ResponseSet) -> None:
    """Check that a person may choose who sees a row.

    Raises:
        NotAllowed: they may not.
    """
    if not may_move(user, row):
        raise NotAllowed("Only its owner or an admin can choose who sees this.")


def require_owner(user: User, row: QuestionList | Worksheet | SavedSearch) -> None:
    """Check that a list, a worksheet or a saved search belongs to the person.

    Raises:
        NotAllowed: it belongs to somebody else.
    """
    if row.owner_id != user.pk:
        noun = "list" if isinstance(row, QuestionList) else row._meta.verbose_name
        raise NotAllowed(f"This {noun} belongs to somebody else.")


def audiences_of(user: User | AnonymousUser) -> Audiences:
    """Return the audiences that a person belongs to; None for an admin, who sees everything."""
    if isinstance(user, AnonymousUser):
        return ()
    if is_admin(user):
        return None
    return (-user.pk, EVERYBODY, *user.school_ids)


def viewing_as(user: User | None) -> AbstractContextManager[None]:
    """Read rows for a person; None is the system."""
    return viewing(None if user is None else partial(audiences_of, user))


def viewing_for(run: Run) -> AbstractContextManager[None]:
    """Read rows as a job does: for the person who requested it if it works on what they see, else as the system."""
    return viewing_as(run.requested_by if run.kind in Run.PERSONAL else None)


class ViewerMiddleware:
    """Reads rows for the person of a request, asked at each query because a key replaces the person of a session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        def audiences() -> Audiences:
            return audiences_of(request.user)

        with viewing(audiences):
            response = self.get_response(request)
        if isinstance(response, StreamingHttpResponse) and not response.is_async:
            response.streaming_content = _read_for(audiences, response.streaming_content)
        return response


def _read_for(audiences: Callable[[], Audiences], pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a response, which are read after the middleware has returned."""
    remaining = iter(pieces)
    while True:
        with viewing(audiences):
            piece = next(remaining, None)
        if piece is None:
            return
        yield piece
