"""Problems written from a question of the bank, which wait for reviewers."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from questionbank.models.visibility import OfQuestionManager


class ProblemVariant(models.Model):
    """A problem written from a question, from its creation to its outcome. Nothing is trained on it.

    Attributes:
        kind: a similar problem has the graph of the question's equation; a reversed one asks for one of the question's
            numbers; a reordered one is the same problem with its question first.
        question: the question it was written from; empty once that is deleted.
        original: the question's text at that time.
        equation: infix arithmetic that gives `answer`.
        is_predicted: whether the question's equation was found by the solver.
        generator: name of the rules or model that wrote it.
        added: the question of the bank that was created from it.
    """

    class Kind(models.TextChoices):
        SIMILAR = "similar", "Similar problem"
        REVERSED = "reversed", "Reversed: asks for a known number"
        REORDERED = "reordered", "Question first"

    class State(models.TextChoices):
        OPEN = "open", "Waiting for reviewers"
        ACCEPTED = "accepted", "Accepted"
        REJECTED = "rejected", "Rejected"

    question = models.ForeignKey(
        "questionbank.Question", null=True, blank=True, on_delete=models.SET_NULL, related_name="variants"
    )
    kind = models.CharField("kind", max_length=9, choices=Kind.choices, default=Kind.SIMILAR)
    original = models.TextField("original")
    text = models.TextField("text")
    language = models.CharField("language", max_length=12, default="en")
    equation = models.TextField("equation")
    answer = models.TextField("answer")
    is_predicted = models.BooleanField("similar by the solver's equation", default=False)
    generator = models.CharField("written by", max_length=200)
    state = models.CharField("state", max_length=8, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    added = models.ForeignKey(
        "questionbank.Question", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OfQuestionManager["ProblemVariant"]()

    class Meta:
        indexes = (models.Index(fields=("state", "id"), name="variant_state"),)
        constraints = (
            models.CheckConstraint(
                condition=~Q(text="") & ~Q(equation="") & ~Q(answer=""), name="variant_is_a_worked_problem"
            ),
            models.CheckConstraint(
                condition=Q(added__isnull=True) | Q(state="accepted"), name="variant_added_when_accepted"
            ),
        )

    def __str__(self) -> str:
        return self.text[:80]
