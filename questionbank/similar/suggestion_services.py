"""Concepts that the school's language model suggests for a question, and questions that are never sent to it.

A job asks the model; a person accepts the suggestions one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from analytics.language_model.concepts import pick_concepts
from questionbank.bank.concept_selectors import ConceptChoice, choices_of, named_paths
from questionbank.core.errors import Conflict
from questionbank.jobs.progress import JobReporter
from questionbank.jobs.run_services import run_create, run_under_way
from questionbank.models import (
    KnowledgeConcept,
    LanguageModelAnswer,
    LanguageModelExclusion,
    LanguageModelUse,
    Question,
    Run,
    User,
)
from questionbank.people.permissions import require
from questionbank.registry.language_model_selectors import language_model_use, may_be_sent
from questionbank.registry.language_model_services import language_model_for
from questionbank.review.evidence_services import judgements_of_question_withdraw
from questionbank.solving.services import worked_out_withdraw

USE = LanguageModelUse.Use.CONCEPTS


@dataclass(frozen=True, slots=True)
class ConceptSuggestions:
    """What a page says about the model's suggestions in one hierarchy.

    Attributes:
        model: the model, and the host that the question is sent to.
        concepts: those that it picked; empty if it has not been asked, or picked none.
        reason: why it picked none; empty if it did, or has not been asked.
        run: the job in which it is asked, if it has not ended or failed.
        may_ask: whether the question may be sent.
    """

    model: str
    concepts: tuple[ConceptChoice, ...] = ()
    reason: str = ""
    run: Run | None = None
    may_ask: bool = True


def concept_suggestions(*, question: Question, hierarchy: str) -> ConceptSuggestions | None:
    """Return the suggestions for a question as it is now; None if that use is not switched on."""
    use = language_model_use(USE)
    if use is None or not use.is_on or not hierarchy:
        return None
    model = f"{use.name} at {use.host}"
    answer = LanguageModelAnswer.objects.filter(use=USE, question=question, name=use.name, host=use.host).first()
    if answer is not None and is_current(answer, question, hierarchy):
        ids = concept_ids(hierarchy, map(tuple, answer.answer.get("paths", ())))
        return ConceptSuggestions(model, tuple(choices_of(ids)), answer.reason)
    if LanguageModelExclusion.objects.filter(question=question).exists():
        return ConceptSuggestions(model, may_ask=False)
    asked = Run.objects.filter(
        kind=Run.Kind.SUGGEST, parameters__question=question.pk, parameters__hierarchy=hierarchy
    ).order_by("-pk")
    run = asked.first()
    return ConceptSuggestions(model, run=run if run is not None and run.state != Run.State.SUCCEEDED else None)


def is_current(answer: LanguageModelAnswer, question: Question, hierarchy: str) -> bool:
    """Return whether an answer is about the question's present text and this hierarchy."""
    same_text = bytes(answer.content_hash) == bytes(question.content_hash)
    return same_text and answer.answer.get("hierarchy") == hierarchy


def concept_ids(hierarchy: str, paths: Iterable[tuple[str, ...]]) -> list[int]:
    """Return the ids of the concepts with these paths, as far as the hierarchy still has them."""
    wanted = set(paths)
    candidates = KnowledgeConcept.objects.filter(
        hierarchy__name=hierarchy, name__in={path[-1] for path in wanted}
    ).values_list("pk", "path")
    names = named_paths(path for _pk, path in candidates)
    return [pk for pk, path in candidates if names[path] in wanted]


@transaction.atomic
def language_model_exclude(*, question: Question, is_excluded: bool, user: User) -> None:
    """Never send a question to the language model for one of its uses, or allow it again.

    What the model said of an excluded question is withdrawn. Once the question is allowed, the model is asked again.

    Raises:
        NotAllowed: the person may not edit the question.
    """
    require(user, "question_edit", "Only its author or an admin can exclude this question.", question)
    if not is_excluded:
        LanguageModelExclusion.objects.filter(question=question).delete()
        return
    LanguageModelExclusion.objects.get_or_create(question=question, defaults={"excluded_by": user})
    worked_out_withdraw(question_id=question.pk)
    judgements_of_question_withdraw(question_id=question.pk)
    concepts_suggested_withdraw(question_id=question.pk)


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
