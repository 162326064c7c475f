"""Concepts that the school's language model suggests for a question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from questionbank.bank.concept_selectors import ConceptChoice, choices_of, named_paths
from questionbank.models import (
    KnowledgeConcept,
    LanguageModelAnswer,
    LanguageModelExclusion,
    LanguageModelUse,
    Question,
    Run,
)
from questionbank.registry.language_model_selectors import language_model_use

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
