"""What happens to the models of a hierarchy that is deleted: they leave service and are deleted with it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from questionbank.errors import Conflict
from questionbank.models import ModelArtifact, Run, User
from questionbank.services import runs
from questionbank.services.artifacts import artifact_archive, artifact_delete


def hierarchy_models_retire(
    *, hierarchy_name: str, reason: str, user: User | None
) -> tuple[list[ModelArtifact], int]:
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
        with suppress(Conflict):  # it has finished meanwhile
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
