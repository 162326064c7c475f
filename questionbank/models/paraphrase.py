"""Paraphrases of questions, with the judgements of the scorer and the reviewers."""

from __future__ import annotations

import random

import pghistory
from django.conf import settings
from django.db import models
from django.db.models import Q

from analytics.paraphrase.scoring.verdict import said
from questionbank.models.hook import pair_hooks
from questionbank.models.visibility import OfQuestionManager


def opinions_wanted() -> int:
    """Return the number of reviewers that a new pair needs."""
    return int(settings.REVIEW_OPINIONS)


def shuffle_number() -> float:
    """Return a random sort key; not for security."""
    return random.random()  # noqa: S311


@pghistory.track(
    pghistory.UpdateEvent(row=pghistory.Old),
    pghistory.DeleteEvent(),
    exclude=["score", "verdict", "findings", "solved", "scored_by", "scored_at", "priority", "shuffle"],
)
class ParaphrasePair(models.Model):
    """An original and a paraphrase of it, from its arrival to its outcome.

    Attributes:
        original: the text at that time; `question`, if it comes from the bank, may change or be deleted.
        generator: name of the rules or model that wrote the paraphrase; empty for people.
        batch: shared by all pairs that arrived together.
        source_id: the identifier in the uploaded file.
        score: cosine of the paraphrase scorer, in [-1, 1]; null until scored.
        verdict: calibrated probability that the paraphrase is valid; null until scored.
        findings: list in the format of `questionbank.review.pair_services.findings_to_json`; null until read.
        solved: the solver's results for both texts, in the format of `questionbank.review.evidence_services`; null
            until
            it has run, or if a text is not a word problem.
        priority: position in the queue, lowest first; maintained by `questionbank.review.pair_services`.
        shuffle: a random number that orders the random share of the queue.
        opinions_wanted: number of reviewers; none of them sees the others' decisions.
        hides_machine: whether score, probability and findings are hidden until the pair is decided.
        outcome_text: the accepted text, if the outcome is `edit`.
        added: the question of the bank with the accepted text.
    """

    class Source(models.TextChoices):
        UPLOAD = "upload", "Uploaded"
        TYPED = "typed", "Typed by hand"
        RULES = "rules", "Written by rules"
        MODEL = "model", "Written by a model"

    class State(models.TextChoices):
        OPEN = "open", "Waiting for reviewers"
        ADJUDICATION = "adjudication", "Reviewers disagree"
        DECIDED = "decided", "Decided"

    class Outcome(models.TextChoices):
        ACCEPT = "accept", "Accepted"
        REJECT = "reject", "Rejected"
        EDIT = "edit", "Accepted with changes"

    question = models.ForeignKey(
        "questionbank.Question", null=True, blank=True, on_delete=models.SET_NULL, related_name="paraphrases"
    )
    original = models.TextField("original")
    paraphrase = models.TextField("paraphrase")
    language = models.CharField("language", max_length=12, default="en")
    source = models.CharField("source", max_length=8, choices=Source.choices)
    generator = models.CharField("written by", max_length=200, blank=True)
    batch = models.CharField("batch", max_length=120, blank=True)
    source_id = models.CharField("identifier in its file", max_length=200, blank=True)

    score = models.FloatField("score", null=True, blank=True)
    verdict = models.FloatField("probability that it is valid", null=True, blank=True)
    findings = models.JSONField("findings", null=True, blank=True)
    solved = models.JSONField("solutions", null=True, blank=True)
    scored_by = models.ForeignKey(
        "questionbank.ModelArtifact", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    scored_at = models.DateTimeField(null=True, blank=True)

    state = models.CharField("state", max_length=12, choices=State.choices, default=State.OPEN)
    outcome = models.CharField("outcome", max_length=8, choices=Outcome.choices, blank=True)
    outcome_text = models.TextField("accepted text", blank=True)
    added = models.ForeignKey(
        "questionbank.Question", null=True, blank=True, on_delete=models.SET_NULL, related_name="accepted_pairs"
    )
    opinions_wanted = models.PositiveSmallIntegerField("opinions wanted", default=opinions_wanted)
    hides_machine = models.BooleanField(
        "the machine's opinion is hidden until it is decided", default=False, db_default=False
    )
    priority = models.FloatField(default=2.5, editable=False)
    shuffle = models.FloatField(default=shuffle_number, editable=False)

    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OfQuestionManager["ParaphrasePair"]()

    class Meta:
        indexes = (
            models.Index(fields=("state", "priority", "id"), name="paraphrase_uncertain"),
            models.Index(fields=("state", "shuffle", "id"), name="paraphrase_shuffled"),
            models.Index(fields=("batch",), name="paraphrase_batch"),
        )
        constraints = (
            models.CheckConstraint(condition=~Q(original="") & ~Q(paraphrase=""), name="paraphrase_has_both_texts"),
            models.CheckConstraint(
                condition=Q(verdict__isnull=True) | Q(verdict__gte=0, verdict__lte=1),
                name="paraphrase_verdict_is_a_probability",
            ),
            models.CheckConstraint(
                condition=Q(state="decided") & ~Q(outcome="") | ~Q(state="decided") & Q(outcome=""),
                name="paraphrase_outcome_when_decided",
            ),
        )
        triggers = pair_hooks()

    def __str__(self) -> str:
        return self.paraphrase[:80]

    @property
    def said(self) -> str:
        """The scorer's statement: ``"valid"``, ``"invalid"``, ``"unsure"``, or empty if there is no probability."""
        return "" if self.verdict is None else said(self.verdict)

    @property
    def is_machine_hidden(self) -> bool:
        """Whether the scorer's judgement must still be hidden."""
        return self.hides_machine and self.state != self.State.DECIDED

    @property
    def needs_second_opinion(self) -> bool:
        """Whether the only reviewer was unsure, so that there is nobody to disagree with."""
        return self.state == self.State.ADJUDICATION and self.opinions_wanted == 1

    @property
    def state_label(self) -> str:
        """The state as text."""
        return "Needs a second opinion" if self.needs_second_opinion else self.get_state_display()

    @property
    def wording(self) -> str:
        """The paraphrase as accepted, or else as proposed."""
        return self.outcome_text or self.paraphrase


class BatchDeletion(models.Model):
    """One deletion of a batch of pairs; decided pairs remain, so a batch may be deleted twice.

    Attributes:
        deleted: number of deleted pairs.
        kept: number of pairs that remained because they were decided or on somebody's screen.
    """

    batch = models.CharField("batch", max_length=120)
    deleted = models.PositiveIntegerField("deleted")
    kept = models.PositiveIntegerField("kept")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.batch
