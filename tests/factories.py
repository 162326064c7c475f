"""Rows for tests, saved as the services would save them, without asking for vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import factory
from factory.django import DjangoModelFactory

from questionbank.bank.concept_services import concept_paths_ensure
from questionbank.bank.difficulty_selectors import counted_percent
from questionbank.bank.question_selectors import question_hash
from questionbank.bank.search_index import search_vector
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question, QuestionTag, Run, User


class UserFactory(DjangoModelFactory):
    """A person without a role."""

    class Meta:
        model = User

    username = factory.Sequence(lambda n: f"person{n}")


class HierarchyFactory(DjangoModelFactory):
    """An empty hierarchy."""

    class Meta:
        model = KnowledgeHierarchy

    name = factory.Sequence(lambda n: f"Hierarchy {n}")


class ConceptFactory(DjangoModelFactory):
    """A concept by its path: ``ConceptFactory(names=("Algebra", "Equations"))``."""

    class Meta:
        model = KnowledgeConcept

    hierarchy = factory.SubFactory(HierarchyFactory)
    names = factory.Sequence(lambda n: (f"Concept {n}",))

    @classmethod
    def _create(cls, model_class, *args, hierarchy, names, **kwargs):
        ids, _ = concept_paths_ensure(hierarchy=hierarchy, paths=[names])
        return KnowledgeConcept.objects.get(pk=ids[tuple(names)])


def with_derived(question: Question) -> Question:
    """Return a question with what follows from its other fields."""
    question.content_hash = question_hash(question)
    question.difficulty_percent = counted_percent(question, question.combined)
    question.search_vector = search_vector(question)
    return question


class QuestionFactory(DjangoModelFactory):
    """A ready English question; ``concepts=[...]`` tags it."""

    class Meta:
        model = Question
        skip_postgeneration_save = True

    text = factory.Sequence(lambda n: f"How much is ${n} + 1$?")
    language = "en"

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        question = with_derived(model_class(*args, **kwargs))
        question.save()
        question.refresh_from_db(fields=["search_vector"])
        return question

    @factory.post_generation
    def concepts(self, create: bool, extracted: Iterable[KnowledgeConcept] | None, **kwargs) -> None:
        QuestionTag.objects.bulk_create(QuestionTag(question=self, concept=concept) for concept in extracted or ())


def asked_of(training: Run) -> dict[str, Any]:
    """Return what a training was asked for, without the state of the bank at that time."""
    return {name: value for name, value in training.parameters.items() if name != "data"}
