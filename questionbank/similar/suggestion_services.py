"""Have the school's language model suggest concepts of a question, in a job. A person accepts them one by one."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from analytics.language_model.concepts import pick_concepts
from questionbank.bank.concept_selectors import named_paths
from questionbank.core.errors import Conflict
from questionbank.jobs.progress import JobReporter
from questionbank.jobs.run_services import run_create, run_under_way
from questionbank.models import KnowledgeConcept, LanguageModelAnswer, Question, Run, User
from questionbank.people.permissions import require
from questionbank.registry.language_model_selectors import may_be_sent
from questionbank.registry.language_model_services import language_model_for
from questionbank.similar.suggestion_selectors import USE, concept_suggestions


@transaction.atomic
def concepts_suggest_request(*, question: Question, hierarchy: str, user: User) -> Run:
    """Request suggestions for a question, or return the job that does so already.

    Raises:
        NotAllowed: the person may not ask the language model.
        Conflict: the use is not switched on, or the question is never to be sent.
    """
    require(user, "language_model_ask", "You may not ask the language model.")
    found = concept_suggestions(question=question, hierarchy=hierarchy)
    if found is None:
        raise Conflict("The language model is not switched on for suggesting concepts.")
    if not found.may_ask:
        raise Conflict("This question is never sent to the language model.")
    job: dict[str, Any] = {
        "kind": Run.Kind.SUGGEST,
        "capability": "",
        "parameters": {"question": question.pk, "hierarchy": hierarchy},
    }
    title = f"Suggest concepts for question {question.pk}"
    return run_under_way(**job) or run_create(**job, title=title, queue="light", requested_by=user)


def run_concepts_suggest(run: Run, reporter: JobReporter) -> dict[str, Any]:
    """Run the job of `concepts_suggest_request`; store what the model picked, replacing an earlier answer.

    Raises:
        LanguageModelError: the model cannot be reached, refuses, or has used up its tokens of today.
    """
    question = Question.objects.filter(pk=run.parameters["question"]).first()
    if question is None or not may_be_sent(question_id=question.pk):
        return {}
    model = language_model_for(USE)
    if model is None:  # switched off meanwhile
        return {}
    reporter.progress(0, 0, f"{model.name} picks concepts")
    hierarchy = run.parameters["hierarchy"]
    paths = KnowledgeConcept.objects.filter(hierarchy__name=hierarchy).order_by("path").values_list("path", flat=True)
    picked = pick_concepts(model, question.analysed_text, list(named_paths(paths).values()))
    answer = {
        "content_hash": question.content_hash,
        "answer": {"hierarchy": hierarchy, "paths": [list(path) for path in picked.paths or ()]},
        "reason": picked.reason,
        "name": model.name,
        "host": model.host,
    }
    with transaction.atomic():
        _lock(question.pk)
        if not may_be_sent(question_id=question.pk):  # excluded while the model was asked
            return {}
        LanguageModelAnswer.objects.update_or_create(use=USE, question=question, defaults=answer)
    return {"picked": len(picked.paths or ()), "reason": picked.reason}


@transaction.atomic
def concepts_suggested_withdraw(*, question_id: int) -> None:
    """Delete what the model suggested for a question."""
    _lock(question_id)
    LanguageModelAnswer.objects.filter(use=USE, question=question_id).delete()


def _lock(question_id: int) -> None:
    """Lock a question, so that no suggestion is stored while the question is excluded."""
    Question.objects.select_for_update(no_key=True).filter(pk=question_id).first()
