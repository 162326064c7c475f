"""A question in all its wordings: the original and its paraphrases."""

from __future__ import annotations

from django.db.models import Q
from django.db.models.functions import Coalesce

from questionbank.models import Question

__all__ = ["wording_ids"]


def wording_ids(question_id: int) -> list[int]:
    """Return the ids of a question, of the one that it rewords, and of all rewordings of either; one query.

    None where there is no such question.
    """
    asked = Question.objects.filter(pk=question_id)
    original = asked.values(original=Coalesce("paraphrase_of_id", "pk"))[:1]
    return list(
        Question.objects.filter(Q(pk=original) | Q(paraphrase_of=original)).values_list("pk", flat=True)
    )
