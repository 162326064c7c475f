"""Deleting models that nobody uses, by a rule that admins set."""

from __future__ import annotations

from collections.abc import Mapping

import structlog
from django.db import transaction

from questionbank import dispatch
from questionbank.errors import Conflict
from questionbank.models import ModelRetention, User
from questionbank.selectors.registry.old_models import model_retentions, old_models
from questionbank.services.artifacts import artifact_delete
from questionbank.services.permissions import require

logger = structlog.get_logger(__name__)


@transaction.atomic
def retention_set(*, user: User, keep: Mapping[str, int | None]) -> None:
    """Set how many unused models of each capability are kept; None keeps all.

    Raises:
        NotAllowed: the person is no admin.
    """
    require(user, "models_manage", "Only admins manage models.")
    ModelRetention.objects.filter(capability__in=[word for word, n in keep.items() if n is None]).delete()
    for word, number in keep.items():
        if number is not None:
            ModelRetention.objects.update_or_create(
                capability=word, defaults={"keep": number, "set_by": user}
            )


def old_models_request(*, user: User) -> None:
    """Have the old models deleted now instead of at the clock's next turn.

    Raises:
        NotAllowed: the person is no admin.
    """
    require(user, "models_manage", "Only admins manage models.")
    dispatch.wake("delete_old_models", queue="default")


def old_models_delete() -> int:
    """Delete what the rules of today call old; each has its line in the history. Returns how many."""
    keep = model_retentions()
    deleted = 0
    for artifact in old_models(keep=keep):
        number = keep[artifact.capability]
        limits = {0: "no unused model", 1: "the newest unused model"}
        reason = f"The rule keeps {limits.get(number, f'the newest {number} unused models')}."
        try:
            artifact_delete(artifact=artifact, reason=reason)
        except Conflict as error:  # a job or a roll back was faster
            logger.info("old_model_kept", model=artifact.pk, reason=str(error))
        else:
            deleted += 1
    return deleted
