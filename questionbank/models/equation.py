"""The arithmetic of a word problem: its equation, the solver's result, and problems written from it."""

from __future__ import annotations

import pghistory
import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q, Value

from questionbank.models.integrations import question_part_hooks
from questionbank.models.visibility import OfQuestionManager

GRAPH_KEY_LIMIT = 200
"""Maximum length of a key; a longer equation cannot be looked up by its computation."""


@pghistory.track(
    pghistory.InsertEvent(condition=pgtrigger.Q(new__set_by="person")),
    pghistory.UpdateEvent(row=pghistory.Old),
    pghistory.DeleteEvent(),
    exclude=["numbers", "graph_key"],
)
class QuestionEquation(models.Model):
    """Infix arithmetic without the unknown, e.g. ``(11-1)*2``, as published or set by a person.

    Attributes:
        set_by: the source from which the question was imported, or a person.
        user: that person.
        graph_key: shared by questions with the same computation, see `analytics.expression.keys.graph_key`; empty if
            the equation cannot be parsed, computes nothing, or is too long.
    """

    class SetBy(models.TextChoices):
        SOURCE = "source", "Source"
        PERSON = "person", "Person"

    question = models.OneToOneField(
        "questionbank.Question", on_delete=models.CASCADE, related_name="equation", primary_key=True
    )
    expression = models.TextField("equation")
    numbers = models.JSONField("numbers in order of appearance", default=list, blank=True)
    set_by = models.CharField("set by", max_length=8, choices=SetBy.choices, default=SetBy.SOURCE)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    graph_key = models.CharField(max_length=GRAPH_KEY_LIMIT, blank=True, default="", editable=False)

    class Meta:
        indexes = (
            models.Index(fields=("graph_key", "question"), name="equation_graph_key", condition=~Q(graph_key="")),
        )
        triggers = question_part_hooks()

    def __str__(self) -> str:
        return self.expression


class QuestionSolution(models.Model):
    """The solver's result for a question.

    Attributes:
        artifact: the solver; empty once that model is deleted.
        retriever: the retriever in use at that time, whose similar problems were considered; empty if there was none.
        content_hash: hash of the question when it was solved; if it differs now, the solution is out of date.
        alternatives: the equations found, most likely first, in the format of
            `questionbank.solving.services.solution_to_json`; empty if none was found.
        reason: a sentence on why none was found.
        own_alternatives: the solver's own equations, where an answer of the language model is pooled with them.
        read_with: the language model whose answer is pooled, as "MODEL at HOST"; empty if there is none.
        probability: calibrated probability that the first alternative gives the answer.
        graph_key: key of the first alternative, as in `QuestionEquation`; empty if its answer differs from the
            published
            one, so that nothing is derived from it.
    """

    question = models.OneToOneField(
        "questionbank.Question", on_delete=models.CASCADE, related_name="machine_solution", primary_key=True
    )
    artifact = models.ForeignKey(
        "questionbank.ModelArtifact", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    retriever = models.ForeignKey(
        "questionbank.ModelArtifact", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    content_hash = models.BinaryField(max_length=32)
    alternatives = models.JSONField("equations", default=list, blank=True)
    own_alternatives = models.JSONField(default=list, blank=True, db_default=Value([], models.JSONField()))
    read_with = models.CharField(max_length=510, blank=True, default="", db_default="")
    reason = models.TextField("why there is none", blank=True)
    probability = models.FloatField("probability", null=True, blank=True)
    graph_key = models.CharField(max_length=GRAPH_KEY_LIMIT, blank=True, default="", editable=False)
    solved_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = (
            models.Index(fields=("graph_key", "-probability"), name="solution_graph_key", condition=~Q(graph_key="")),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(probability__isnull=True) | Q(probability__gte=0, probability__lte=1),
                name="solution_probability_is_a_probability",
            ),
        )

    def __str__(self) -> str:
        return f"{self.question_id}: {self.alternatives[0]['equation'] if self.alternatives else self.reason}"


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
