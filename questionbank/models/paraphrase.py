"""Paraphrases of questions, with what the scorer and the reviewers say of them."""

from __future__ import annotations

import random

import pghistory
from django.conf import settings
from django.db import models
from django.db.models import Q

from analytics.paraphrase.scoring.verdict import said


def opinions_wanted() -> int:
    """Return how many reviewers a new pair needs."""
    return int(settings.REVIEW_OPINIONS)


def shuffle_number() -> float:
    """Return a place in the random order; nothing secret."""
    return random.random()  # noqa: S311


@pghistory.track(
    pghistory.UpdateEvent(row=pghistory.Old),
    pghistory.DeleteEvent(),
    exclude=["score", "verdict", "findings", "solved", "scored_by", "scored_at", "priority", "shuffle"],
)
class ParaphrasePair(models.Model):
    """An original and a paraphrase of it, from its arrival to its outcome.

    Attributes:
        original: the text at that time; `question`, where it is one of the bank, may change or go.
        generator: name of the rules or model that wrote the paraphrase; empty for people.
        batch: what arrived together has the same name.
        source_id: the identifier in the uploaded file.
        score: cosine of the paraphrase scorer, in [-1, 1]; null until scored.
        verdict: calibrated probability that the paraphrase is valid; null until scored.
        findings: list as `questionbank.review.pair_services.findings_to_json` gives it; null until read.
        solved: what the solver makes of both texts, as `questionbank.review.evidence_services` gives it; null until it
            was asked, or where a text is no word problem.
        priority: place in the queue, small first; kept by `questionbank.review.pair_services`.
        shuffle: a random number, by which a share of the queue is ordered instead.
        opinions_wanted: so many reviewers are asked, none of whom sees the others' decisions.
        hides_machine: score, probability and findings are shown only once the pair is decided.
        outcome_text: the text that was accepted, where the outcome is `edit`.
        added: the question of the bank that has the accepted text.
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
        "questionbank.Question",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="accepted_pairs",
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

    class Meta:
        indexes = (
            models.Index(fields=("state", "priority", "id"), name="paraphrase_uncertain"),
            models.Index(fields=("state", "shuffle", "id"), name="paraphrase_shuffled"),
            models.Index(fields=("batch",), name="paraphrase_batch"),
        )
        constraints = (
            models.CheckConstraint(
                condition=~Q(original="") & ~Q(paraphrase=""), name="paraphrase_has_both_texts"
            ),
            models.CheckConstraint(
                condition=Q(verdict__isnull=True) | Q(verdict__gte=0, verdict__lte=1),
                name="paraphrase_verdict_is_a_probability",
            ),
            models.CheckConstraint(
                condition=Q(state="decided") & ~Q(outcome="") | ~Q(state="decided") & Q(outcome=""),
                name="paraphrase_outcome_when_decided",
            ),
        )

    def __str__(self) -> str:
        return self.paraphrase[:80]

    @property
    def said(self) -> str:
        """What may be said of it: ``"valid"``, ``"invalid"``, ``"unsure"``, or empty where there is no probability."""
        return "" if self.verdict is None else said(self.verdict)

    @property
    def is_machine_hidden(self) -> bool:
        """Whether nobody may see yet what the machine says of it."""
        return self.hides_machine and self.state != self.State.DECIDED

    @property
    def needs_second_opinion(self) -> bool:
        """Whether the only reviewer who was asked is unsure: there is nobody to disagree with."""
        return self.state == self.State.ADJUDICATION and self.opinions_wanted == 1

    @property
    def state_label(self) -> str:
        """The state in words."""
        return "Needs a second opinion" if self.needs_second_opinion else self.get_state_display()

    @property
    def wording(self) -> str:
        """The paraphrase as it was accepted, or as it was proposed."""
        return self.outcome_text or self.paraphrase


class BatchDeletion(models.Model):
    """One deletion of a batch of pairs; decided pairs stay, so a batch may be deleted twice.

    Attributes:
        deleted: number of pairs that are gone.
        kept: number of pairs that stayed, because somebody had decided on them or had them on the screen.
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
