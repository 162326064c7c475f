"""Jobs that ask the language model of this installation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from questionbank.errors import ValidationFailed
from questionbank.models import Run, User
from questionbank.selectors.registry.language_models import configured_language_model
from questionbank.services.runs import run_create, run_under_way


def language_model_run(*, kind: str, parameters: Mapping[str, Any], title: str, user: User) -> Run:
    """Create a job that asks the language model, or return the job that asks the very same already.

    Call it in a transaction, after the permission was checked.

    Args:
        title: may name the model as ``%(model)s``.

    Raises:
        ValidationFailed: no language model is configured.
    """
    configured = configured_language_model()
    if configured is None:
        raise ValidationFailed("No language model is configured.")
    alike: dict[str, Any] = {"kind": kind, "capability": "analogy", "parameters": parameters}
    title = (title % {"model": configured.name})[:200]
    return run_under_way(**alike) or run_create(
        **alike, title=title, queue=configured.queue, requested_by=user
    )
