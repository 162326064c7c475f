"""The concepts of one question with who set them."""

from __future__ import annotations

from dataclasses import dataclass

from questionbank.models import Question
from questionbank.selectors.questions.concept_choices import choices_of


@dataclass(frozen=True, slots=True)
class TagView:
    """A tag as a page shows it."""

    concept_id: int
    path: tuple[str, ...]
    hierarchy: str
    set_by: str
    who: str
    probability: float | None


def question_tags(*, question: Question) -> list[TagView]:
    """Return the question's tags in the order of their trees."""
    tags = {tag.concept_id: tag for tag in question.tags.select_related("user")}
    return [
        TagView(
            concept_id=choice.id,
            path=choice.path,
            hierarchy=choice.hierarchy,
            set_by=tags[choice.id].set_by,
            who=str(tags[choice.id].user or ""),
            probability=tags[choice.id].probability,
        )
        for choice in choices_of(tags)
    ]
