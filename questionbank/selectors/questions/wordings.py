"""A question in all its wordings: the original and its paraphrases; and what else tells its story."""

from __future__ import annotations

from django.db.models import Q
from django.db.models.functions import Coalesce

from questionbank.models import ProblemVariant, Question

__all__ = ["story_ids", "wording_ids"]

_SAME_STORY = (ProblemVariant.Kind.REVERSED, ProblemVariant.Kind.REORDERED)


def wording_ids(question_id: int) -> list[int]:
    """Return the ids of a question, of the one that it rewords, and of all rewordings of either; one query.

    The list is empty if there is no such question.
    """
    asked = Question.objects.filter(pk=question_id)
    original = asked.values(original=Coalesce("paraphrase_of_id", "pk"))[:1]
    return list(
        Question.objects.filter(Q(pk=original) | Q(paraphrase_of=original)).values_list("pk", flat=True)
    )


def story_ids(question_id: int) -> list[int]:
    """Return `wording_ids`, and the ids of the questions made of the same story: a reversed one tells its answer."""
    ids = wording_ids(question_id)
    variants = ProblemVariant.objects.filter(
        Q(question__in=ids) | Q(added__in=ids), kind__in=_SAME_STORY, added__isnull=False
    )
    others = (pk for pair in variants.values_list("question", "added") for pk in pair)
    return list({*ids, *filter(None, others)})  # a variant may outlive the question that it was written from
