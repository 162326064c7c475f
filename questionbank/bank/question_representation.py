"""Questions as the API shows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import prefetch_related_objects
from pydantic import BaseModel, Field

from questionbank.bank.concept_selectors import choices_of
from questionbank.models import Question, QuestionTag


class OptionItem(BaseModel):
    """An option of a question."""

    label: str
    text: str
    misconception: str = ""
    weight: float | None = None
    feedback: str = ""


class ConceptItem(BaseModel):
    """A concept that a question requires."""

    id: int
    hierarchy: str
    path: list[str] = Field(description="Names from the root of the hierarchy to the concept.")
    set_by: str = Field(description="Who set it: `import`, `person` or `model`.")


class QuestionItem(BaseModel):
    """A question; formulas are LaTeX."""

    id: int
    text: str
    language: str
    kind: str
    options: list[OptionItem]
    answer: str
    solution: str
    equation: str
    content: dict[str, Any] = Field(description="Data for grading, as the export format `jsonl` has it.")
    grade: str
    stage: str
    status: str
    source: str
    source_id: str
    difficulty: float | None = Field(description="The published difficulty, on `difficulty_scale`.")
    difficulty_scale: str
    difficulty_percent: float | None
    facility: float | None = Field(description="Share of correct responses.")
    responses: int
    concepts: list[ConceptItem]
    paraphrase_of: int | None
    merged_into: int | None = Field(description="The question that replaced it as a duplicate.")
    needs_figure: bool
    draws_numbers: bool
    author: str | None
    visibility: str = Field(description="Who sees it: `all`, `school` (that of `school`) or `private` (its author).")
    school: str | None = Field(description="Short name of the school that sees it.")
    version: int
    created_at: datetime
    updated_at: datetime


def question_items(questions: Sequence[Question]) -> list[QuestionItem]:
    """Return questions for the API, with a fixed number of queries."""
    prefetch_related_objects(questions, "equation", "created_by", "school")
    tags = list(
        QuestionTag.objects.filter(question__in=[question.pk for question in questions])
        .order_by("concept__path")
        .values_list("question_id", "concept_id", "set_by")
    )
    choices = {choice.id: choice for choice in choices_of(concept for _question, concept, _set_by in tags)}
    concepts: dict[int, list[ConceptItem]] = {}
    for question_id, concept_id, set_by in tags:
        choice = choices[concept_id]
        item = ConceptItem(id=choice.id, hierarchy=choice.hierarchy, path=list(choice.path), set_by=set_by)
        concepts.setdefault(question_id, []).append(item)
    return [_item(question, concepts.get(question.pk, [])) for question in questions]


def question_item(question: Question) -> QuestionItem:
    """Return a question for the API."""
    return question_items([question])[0]


def _item(question: Question, concepts: list[ConceptItem]) -> QuestionItem:
    equation = getattr(question, "equation", None)
    same = (
        "text language kind answer solution content grade stage status source source_id difficulty difficulty_scale"
        " difficulty_percent facility responses needs_figure draws_numbers version created_at updated_at"
        " visibility"
    ).split()
    return QuestionItem(
        **{name: getattr(question, name) for name in same},
        id=question.pk,
        options=[OptionItem(**option) for option in question.options],
        equation=equation.expression if equation else "",
        concepts=concepts,
        paraphrase_of=question.paraphrase_of_id,
        merged_into=question.merged_into_id,
        author=question.created_by.username if question.created_by else None,
        school=question.school.slug if question.school else None,
    )
