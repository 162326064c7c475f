"""Questions that share a text, such as a passage or a table, with others."""

from __future__ import annotations

from django.db.models import Q
from django.db.models.fields.json import KT

from analytics.question_content import content_of, own_text
from questionbank.models import Question, User
from questionbank.selectors.questions.questions import visible_to

SHARING_SHOWN = 20


def questions_sharing_text(*, question: Question, user: User) -> list[Question]:
    """Return other questions whose texts begin with the same text, `SHARING_SHOWN` at most."""
    content = content_of(question.content)
    if own_text(question.text, content) == question.text:
        return []
    shared = Question.objects.alias(shared=KT("content__stimulus__text")).filter(
        Q(content__has_key="stimulus"), visible_to(user), shared=content.stimulus.text
    )
    others = shared.exclude(pk=question.pk).exclude(status=Question.Status.RETIRED).order_by("pk")
    return list(others.defer("search_vector", "content_hash")[:SHARING_SHOWN])
