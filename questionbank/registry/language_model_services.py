"""Which uses the language model helps with: the verdicts of its exam, switched on by an admin; and jobs that query it.

A use is asked for by `language_model_for`, which jobs call and pages do not: it may ask the server. What a page shows
of a use is in `questionbank.registry.language_model_selectors`.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from analytics.errors import LanguageModelError
from analytics.language_model.protocol import (
    DEFAULT_OPTIONS,
    AskOptions,
    LanguageModel,
    Message,
    ModelAnswer,
    OnText,
    ask_each,
    conversation,
    without_thoughts,
)
from questionbank.core.database import database_now
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.jobs.run_services import run_create, run_under_way
from questionbank.models import LanguageModelUse, Question, Run, User
from questionbank.people.permissions import require
from questionbank.registry.language_model_selectors import (
    configured_language_model,
    endpoint_model,
    language_model_use,
    refuse_private_address,
)


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


CHECK_QUESTIONS = tuple(
    f"Write one sentence of at most twelve words about {subject}."
    for subject in ("fractions", "triangles", "prime numbers", "a pencil", "rain")
)
"""By the answers to these a model is recognised as the one that took the exam: few models write the same sentences."""
LEAST_EQUAL = 3  # answers; a model's rounding depends on what its server computed before, and may change a word

CHECKED_FOR = timedelta(hours=12)
_CHECK_OPTIONS = AskOptions(temperature=0.0, seed=0, max_tokens=48)
_CHARACTERS_A_TOKEN = 4  # where a server does not report tokens
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class ExamOutcome:
    """The outcome of the exam of one use; the fields are those of `LanguageModelUse`."""

    verdict: str
    figures: Mapping[str, Any]
    weights: Mapping[str, Any]


class CountedModel:
    """A language model whose tokens count against `LANGUAGE_MODEL_TOKENS_PER_DAY`. Thread-safe.

    Attributes:
        tokens: what this object sent and received.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.name, self.host = model.name, model.host
        self.tokens = 0

    def ask(
        self, messages: Sequence[Message], options: AskOptions = DEFAULT_OPTIONS, *, on_text: OnText | None = None
    ) -> ModelAnswer:
        """Return the model's answer; see `LanguageModel.ask`.

        Raises:
            LanguageModelError: as there, or the tokens of today are used up.
            DataError: the answer has no text.
        """
        most = settings.LANGUAGE_MODEL_TOKENS_PER_DAY
        key = f"language-model-tokens/{timezone.now():%Y-%m-%d}"  # threads ask, and they have no database connection
        if most and cache.get(key, 0) >= most:
            raise LanguageModelError(
                f"The {most:,} tokens that the language model may use in a day are used up. Start this again tomorrow,"
                " or raise LANGUAGE_MODEL_TOKENS_PER_DAY."
            )
        answer = self._model.ask(messages, options, on_text=on_text)
        sent, received = sum(len(message.content) for message in messages), len(answer.text)
        used = (answer.prompt_tokens if answer.prompt_tokens is not None else sent // _CHARACTERS_A_TOKEN) + (
            answer.answer_tokens if answer.answer_tokens is not None else received // _CHARACTERS_A_TOKEN
        )
        self.tokens += used
        if most:  # Redis is asked for nothing else, and a command does not start it
            cache.add(key, 0, timeout=_DAY_SECONDS)
            cache.incr(key, used)
        return answer

    def ask_all(self, conversations: Sequence[Sequence[Message]], options: AskOptions = DEFAULT_OPTIONS) -> list[str]:
        """Return the answer to each conversation; see `LanguageModel.ask_all`."""
        return ask_each(self, conversations, options)


def language_model_for(use: str) -> LanguageModel | None:
    """Return the language model for one of `LanguageModelUse.Use`; None unless it passed and an admin switched it on.

    Only jobs may call it: twice a day it asks the model the check questions. If another model answers, the verdicts
    lapse.

    Raises:
        LanguageModelError: the server cannot be reached, refuses, or has an address that is not allowed.
    """
    row = language_model_use(use)
    if row is None or not row.is_on:
        return None
    configured = configured_language_model()
    if configured is None or (configured.name, configured.host) != (row.name, row.host):
        language_model_lapse(f"The address or the name is no longer that of {row.name} at {row.host}.")
        return None
    model = _shared_model(settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME, settings.LANGUAGE_MODEL_KEY)
    if model is None:
        return None
    refuse_private_address(model.host)  # again, since its name may lead elsewhere by now
    counted = CountedModel(model)
    if database_now() - row.checked_at > CHECKED_FOR:
        if not _answers_as_before(counted, row.check_answers):
            language_model_lapse(f"{row.name} at {row.host} answers the check questions differently than in its exam.")
            return None
        LanguageModelUse.objects.filter(name=row.name, host=row.host).update(checked_at=database_now())
    return counted


def check_answers(model: LanguageModel) -> list[str]:
    """Return the model's answers to the check questions.

    Raises:
        LanguageModelError: it cannot be reached, or refuses.
    """
    answers = model.ask_all([conversation(question) for question in CHECK_QUESTIONS], _CHECK_OPTIONS)
    return [" ".join(without_thoughts(answer).split()) for answer in answers]


def _answers_as_before(model: LanguageModel, before: Sequence[str]) -> bool:
    """Return whether the model gives the answers of its exam, at the second try at the latest."""
    return any(is_same_model(check_answers(model), before) for _try in range(2))


def is_same_model(answers: Sequence[str], before: Sequence[str]) -> bool:
    """Return whether most answers to the check questions are those of before, apart from capital letters."""
    pairs = zip(answers, before, strict=False)
    return sum(answer.casefold() == other.casefold() for answer, other in pairs) >= LEAST_EQUAL


@transaction.atomic
def language_model_exam_store(
    *, use: str, model: LanguageModel, checked: Sequence[str], outcome: ExamOutcome, run: Run | None
) -> LanguageModelUse:
    """Store the outcome of the exam of one use, replacing an earlier one.

    The use stays switched on only if the same model had passed before and passes again.

    Args:
        checked: the model's answers to the check questions.
        run: the job; None for a command without one.
    """
    before = LanguageModelUse.objects.select_for_update().filter(use=use).first()
    is_kept = (
        before is not None
        and before.is_on
        and outcome.verdict == LanguageModelUse.Verdict.PASSED
        and (before.name, before.host) == (model.name, model.host)
    )
    values = {
        "verdict": outcome.verdict,
        "name": model.name,
        "host": model.host,
        "check_answers": list(checked),
        "checked_at": database_now(),
        "lapsed": "",
        "figures": outcome.figures,
        "weights": outcome.weights,
        "run": run,
        "examined_at": database_now(),
        **({} if is_kept else {"switched_on_by": None, "switched_on_at": None}),
    }
    return LanguageModelUse.objects.update_or_create(use=use, defaults=values)[0]


@transaction.atomic
def language_model_exam_request(*, user: User) -> Run:
    """Request the exam of the language model, or return the job that takes it already.

    Raises:
        NotAllowed: the person is no admin.
        ValidationFailed: no model behind an address is configured.
    """
    require(user, "models_manage", "You may not start the exam of the language model.")
    configured = configured_language_model()
    if configured is None or not configured.host:
        raise ValidationFailed("No language model is configured: set LANGUAGE_MODEL_URL and LANGUAGE_MODEL_NAME.")
    job: dict[str, Any] = {"kind": Run.Kind.EXAM, "capability": "", "parameters": {}}
    title = f"Examine {configured.name}"[:200]
    return run_under_way(**job) or run_create(**job, title=title, queue="light", requested_by=user)


def language_model_lapse(reason: str) -> None:
    """Let all verdicts lapse: another model is behind the address."""
    LanguageModelUse.objects.filter(lapsed="").update(lapsed=reason)


@transaction.atomic
def language_model_switch(*, use: str, is_on: bool, user: User) -> LanguageModelUse:
    """Switch a use on or off.

    Raises:
        NotAllowed: the person is no admin.
        Conflict: the model has not passed the exam of this use, or is no longer the one that did.
    """
    require(user, "models_manage", "You may not switch the uses of the language model.")
    row = LanguageModelUse.objects.select_for_update().filter(use=use).first()
    if row is None or (is_on and not row.counts):
        raise Conflict("The language model has not passed the exam of this use. Start the exam first.")
    row.switched_on_by, row.switched_on_at = (user, database_now()) if is_on else (None, None)
    row.save(update_fields=["switched_on_by", "switched_on_at"])
    return row


@lru_cache(maxsize=1)
def _shared_model(_url: str, _name: str, _key: str) -> LanguageModel | None:
    """Return this process's connection to the server, which is opened anew when the settings change."""
    model = endpoint_model()
    if model is not None:
        atexit.register(model.__exit__, None, None, None)
    return model
