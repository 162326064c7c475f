"""Questions that are never sent to the school's language model, and what it said of them before."""

from __future__ import annotations

from django.db import transaction

from questionbank.models import LanguageModelExclusion, Question, User
from questionbank.people.permissions import require
from questionbank.review.judgement_services import judgements_of_question_withdraw
from questionbank.similar.suggestion_services import concepts_suggested_withdraw
from questionbank.solving.worked_out_services import worked_out_withdraw


@transaction.atomic
def language_model_exclude(*, question: Question, is_excluded: bool, user: User) -> None:
    """Never send a question to the language model for one of its uses, or allow it again.

    What the model said of an excluded question is withdrawn. If the question is allowed again, the model is asked anew.

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
