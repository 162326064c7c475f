"""Who may do what, as predicates of django-rules.

Teachers read everything, create, edit and retire their own questions; reviewers decide paraphrase
pairs; admins do all. Roles are groups, because Django's admin, log-in and audit know them already.
"""

from __future__ import annotations

from typing import Any

import rules
from django.core.exceptions import PermissionDenied
from rules.permissions import ObjectPermissionBackend

from questionbank.models import Question, Run, User

ROLES = ("teacher", "reviewer", "admin")

_IN_GROUP: dict[str, Any] = {role: rules.is_group_member(role) for role in ROLES}
is_teacher: Any = _IN_GROUP["teacher"]
is_reviewer: Any = _IN_GROUP["reviewer"]
is_admin: Any = rules.is_superuser | _IN_GROUP["admin"]
has_role: Any = is_teacher | is_reviewer | is_admin


class RulesBackend(ObjectPermissionBackend):
    """Has the last word on every permission that has a rule: nobody is given one by a row of a table.

    So no page asks the tables of Django's own permissions, which cost each request two queries.
    """

    def has_perm(self, user: User, perm: str, *args: Any, **kwargs: Any) -> bool:
        """Return whether the rule holds, False for a permission without one.

        Raises:
            PermissionDenied: it does not; Django then asks no backend after this one.
        """
        if not rules.perm_exists(perm):
            return False
        if not rules.has_perm(perm, user, *args, **kwargs):
            raise PermissionDenied
        return True


def roles_of(user: User) -> list[str]:
    """Return the roles that a person was given, in the order of `ROLES`; read once a request."""
    return [role for role in ROLES if _IN_GROUP[role](user)]


@rules.predicate
def is_owner(user: User, question: Question | None) -> bool:
    """Return whether the person wrote the question."""
    return question is not None and question.created_by_id == user.pk


@rules.predicate
def is_own_paper(user: User, run: Run | None) -> bool:
    """Return whether a job has imported a test paper of the person's."""
    return run is not None and run.requested_by_id == user.pk and "draft" in run.parameters


rules.add_perm("questionbank.read", has_role)
rules.add_perm("questionbank.question_create", is_teacher | is_admin)
rules.add_perm("questionbank.question_edit", is_admin | (is_teacher & is_owner))
rules.add_perm("questionbank.concepts_edit", is_admin)
rules.add_perm("questionbank.tags_edit", is_teacher | is_admin)
rules.add_perm("questionbank.equation_edit", is_teacher | is_admin)
rules.add_perm("questionbank.import", is_admin)
rules.add_perm("questionbank.paper_import", is_teacher | is_admin)
rules.add_perm("questionbank.import_undo", is_admin | (is_teacher & is_own_paper))
rules.add_perm("questionbank.runs_manage", is_admin)
rules.add_perm("questionbank.health", is_admin)
rules.add_perm("questionbank.changes_read", is_admin)
rules.add_perm("questionbank.people_manage", is_admin)
rules.add_perm("questionbank.models_manage", is_admin)
rules.add_perm("questionbank.review", is_reviewer | is_admin)
rules.add_perm("questionbank.paraphrase_propose", has_role)  # for one question of the bank
rules.add_perm("questionbank.language_model_ask", has_role)
rules.add_perm("questionbank.guidelines_edit", is_admin)
rules.add_perm("questionbank.settle_own", is_admin)  # a pair on which they are one of those who disagree
