"""Asking the language model for the answer to a question: by a job, with the few-shot prompt of its exemplars."""

from __future__ import annotations

from django.db import transaction

from questionbank.models import Question, Run, User
from questionbank.selectors.similar.exemplars import ExemplarPrompt
from questionbank.services.language_model_runs import language_model_run
from questionbank.services.permissions import require


@transaction.atomic
def model_answer_request(
    *,
    text: str,
    language: str,
    prompt: ExemplarPrompt,
    user: User,
    question: Question | None = None,
) -> Run:
    """Ask for the model's answer in a job, or return the job that asks for the very same already.

    The run's parameters are ``{"text", "language", "prompt", "answers", "question": id or None, "asked_by"}``; the last
    is the person's id for a pasted text, whose answer nobody else may see, and else None.

    Args:
        text: the question.
        prompt: what is sent.
        question: None for a text that is not in the bank.

    Raises:
        NotAllowed: the person may not ask.
        ValidationFailed: no language model is configured.
    """
    require(user, "language_model_ask", "You may not ask the language model.")
    parameters = {
        "text": text,
        "language": language,
        "prompt": prompt.text,
        "answers": prompt.answers,
        "question": question.pk if question else None,
        "asked_by": None if question else user.pk,
    }
    return language_model_run(kind="ask", parameters=parameters, title="Ask %(model)s", user=user)
