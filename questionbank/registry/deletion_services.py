"""Deleting models: unused ones by the retention rule, and those of a deleted hierarchy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

import structlog
from django.db import transaction

from questionbank.core import task_queue
from questionbank.core.errors import Conflict
from questionbank.jobs import run_services as runs
from questionbank.models import ModelArtifact, ModelRetention, Run, User
from questionbank.people.permissions import require
from questionbank.registry.artifact_services import artifact_archive, artifact_delete
from questionbank.registry.model_selectors import model_retentions, old_models

logger = structlog.get_logger(__name__)


@transaction.atomic
def retention_set(*, user: User, keep: Mapping[str, int | None]) -> None:
    """Set how many unused models of each capability to keep; None keeps all.

    Raises:
        NotAllowed: the person is not an admin.
    """
    require(user, "models_manage", "Only admins manage models.")
    ModelRetention.objects.filter(capability__in=[word for word, n in keep.items() if n is None]).delete()
    for word, number in keep.items():
        if number is not None:
            ModelRetention.objects.update_or_create(capability=word, defaults={"keep": number, "set_by": user})


def old_models_request(*, user: User) -> None:
    """Request the deletion of old models now instead of at the next scheduled time.

    Raises:
        NotAllowed: the person is not an admin.
    """
    require(user, "models_manage", "Only admins manage models.")
    task_queue.wake("delete_old_models", queue="default")


def old_models_delete() -> int:
    """Delete the models that are old by the current rules, record each in the history, and return their number."""
    keep = model_retentions()
    deleted = 0
    for artifact in old_models(keep=keep):
        number = keep[artifact.capability]
        limits = {0: "no unused model", 1: "the newest unused model"}
        reason = f"The rule keeps {limits.get(number, f'the newest {number} unused models')}."
        try:
            artifact_delete(artifact=artifact, reason=reason)
        except Conflict as error:  # a job or a rollback was faster
            logger.info("old_model_kept", model=artifact.pk, reason=str(error))
        else:
            deleted += 1
    return deleted


def hierarchy_models_retire(*, hierarchy_name: str, reason: str, user: User | None) -> tuple[list[ModelArtifact], int]:
    """Archive the models trained on a hierarchy, and cancel the jobs that train more of them.

    Call it in the transaction that deletes the hierarchy.

    Returns:
        The models, and the number of cancelled jobs.
    """
    cancelled = 0
    trainings = Run.objects.exclude(state__in=Run.FINISHED).filter(
        kind=Run.Kind.TRAIN, parameters__hierarchy=hierarchy_name
    )
    for training in trainings:
        with suppress(Conflict):  # it finished meanwhile
            runs.run_cancel(run_id=training.pk)
            cancelled += 1
    models = list(ModelArtifact.objects.filter(scope=hierarchy_name))
    for model in models:
        if model.state != ModelArtifact.State.ARCHIVED:
            artifact_archive(artifact=model, reason=reason, user=user)
    return models, cancelled


def hierarchy_models_delete(models: Iterable[ModelArtifact], *, reason: str, user: User | None) -> None:
    """Delete retired models; one that a job still uses stays archived. Call it outside a transaction."""
    for model in models:
        with suppress(Conflict):
            artifact_delete(artifact=model, reason=reason, user=user)
