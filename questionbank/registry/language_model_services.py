"""Jobs that query the configured language model, for example for the answer to a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from questionbank.core.errors import ValidationFailed
from questionbank.jobs.run_services import run_create, run_under_way
from questionbank.models import Question, Run, User
from questionbank.people.permissions import require
from questionbank.registry.language_models import configured_language_model


def language_model_run(*, kind: str, parameters: Mapping[str, Any], title: str, user: User) -> Run:
    """Create a job that queries the language model, or return an identical job that is under way.

    Call it in a transaction, after the permission check.

    Args:
        title: may contain the model's name as ``%(model)s``.

    Raises:
        ValidationFailed: no language model is configured.
    """
    configured = configured_language_model()
    if configured is None:
        raise ValidationFailed("No language model is configured.")
    alike: dict[str, Any] = {"kind": kind, "capability": "analogy", "parameters": parameters}
    title = (title % {"model": configured.name})[:200]
    return run_under_way(**alike) or run_create(**alike, title=title, queue=configured.queue, requested_by=user)


@transaction.atomic
def model_answer_request(
    *, text: str, language: str, prompt: str, answers: str, user: User, question: Question | None = None
) -> Run:
    """Request the model's answer in a job, or return an identical job that is under way.

    The run's parameters are ``{"text", "language", "prompt", "answers", "question": id or None, "asked_by"}``; the last
    is the person's id for a pasted text, whose answer nobody else may see, and otherwise None.

    Args:
        text: the question.
        prompt: the prompt to send, whose `answers` have this format.
        question: None for a text that is not in the bank.

    Raises:
        NotAllowed: the person may not ask.
        ValidationFailed: no language model is configured.
    """
    require(user, "language_model_ask", "You may not ask the language model.")
    parameters = {
        "text": text,
        "language": language,
        "prompt": prompt,
        "answers": answers,
        "question": question.pk if question else None,
        "asked_by": None if question else user.pk,
    }
    return language_model_run(kind="ask", parameters=parameters, title="Ask %(model)s", user=user)
