"""Guidelines for reviewers, the leases on pairs, and the decisions."""

from __future__ import annotations

import pghistory
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class ReviewGuideline(models.Model):
    """One version of the guidelines; never changed, so that a decision can name its version."""

    version = models.PositiveIntegerField("version", unique=True)
    text = models.TextField("guidelines")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-version",)

    def __str__(self) -> str:
        return f"{self.version}"


class Evidence(models.Model):
    """The model's judgement of a pair that is on somebody's screen or decided."""

    scorer = models.ForeignKey(
        "questionbank.ModelArtifact", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    scorer_name = models.CharField(max_length=200, blank=True)
    score = models.FloatField(null=True, blank=True)
    probability = models.FloatField(null=True, blank=True)

    class Meta:
        abstract = True


class Lease(Evidence):
    """What somebody has on the screen, until `expires_at`, which heartbeats extend.

    Attributes:
        guideline, scorer, score, probability: shown on the page with the pair; the decision copies them.
    """

    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    guideline = models.ForeignKey(ReviewGuideline, on_delete=models.PROTECT, related_name="+")

    class Meta:
        abstract = True


class ReviewLease(Lease):
    """The pair that a reviewer has on the screen.

    Attributes:
        is_random: whether the pair was drawn at random rather than as the most uncertain.
    """

    pair = models.ForeignKey("questionbank.ParaphrasePair", on_delete=models.CASCADE, related_name="leases")
    reviewer = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="review_lease")
    is_random = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.pair_id}: {self.reviewer_id}"


class SettlementLease(Lease):
    """The pair that one person is settling; others can see this."""

    pair = models.OneToOneField(
        "questionbank.ParaphrasePair", on_delete=models.CASCADE, related_name="settlement_lease"
    )
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"{self.pair_id}: {self.reviewer_id}"


@pghistory.track(pghistory.UpdateEvent(row=pghistory.Old), pghistory.DeleteEvent())
class ReviewDecision(Evidence):
    """One reviewer's decision on one pair; an undone one is kept and marked. A pair may be skipped several times.

    Attributes:
        text: the reviewer's wording, if the verdict is `edit`.
        guideline, scorer, score, probability: the guidelines and the model's judgement when the pair was shown.
        seconds: time between first showing the pair and the decision.
        is_adjudication: whether it settles a disagreement; made in sight of the others' decisions.
        is_random: whether the pair was drawn at random, so that such decisions are a fair sample.
        is_label: whether it is a label from an uploaded file, which does not count as anybody's opinion.
    """

    class Verdict(models.TextChoices):
        ACCEPT = "accept", "Accept"
        REJECT = "reject", "Reject"
        EDIT = "edit", "Accept with changes"
        UNSURE = "unsure", "Unsure"
        SKIP = "skip", "Skip"

    class Reason(models.TextChoices):
        NUMBER = "number", "A number is wrong or missing"
        UNIT = "unit", "A unit is wrong or missing"
        ENTITY = "entity", "A name or thing is mixed up"
        INFORMATION = "information", "Something needed is missing or added"
        TARGET = "target", "It asks for something else"
        MEANING = "meaning", "The quantities are related in another way"
        LANGUAGE = "language", "It is unclear or ungrammatical"
        SAME = "same", "It is the same text"
        LABELLED = "labelled", "Labelled in an uploaded file"

    pair = models.ForeignKey("questionbank.ParaphrasePair", on_delete=models.CASCADE, related_name="decisions")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="review_decisions"
    )
    verdict = models.CharField("decision", max_length=8, choices=Verdict.choices)
    reason = models.CharField("reason", max_length=12, choices=Reason.choices, blank=True)
    text = models.TextField("changed text", blank=True)
    comment = models.TextField("comment", blank=True)
    guideline = models.ForeignKey(ReviewGuideline, on_delete=models.PROTECT, related_name="decisions")
    seconds = models.FloatField("seconds taken", default=0)
    is_adjudication = models.BooleanField("settles a disagreement", default=False)
    is_random = models.BooleanField(default=False)
    is_label = models.BooleanField("a label of an uploaded file", default=False, db_default=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = (models.Index(fields=("reviewer", "-id"), name="review_decision_reviewer"),)
        constraints = (
            models.UniqueConstraint(
                fields=("pair", "reviewer", "is_adjudication"),
                condition=Q(undone_at__isnull=True) & ~Q(verdict="skip"),
                name="one_decision_a_pair_and_reviewer",
            ),
            models.UniqueConstraint(
                fields=("pair",),
                condition=Q(undone_at__isnull=True, is_adjudication=True),
                name="one_adjudication_a_pair",
            ),
            models.CheckConstraint(
                condition=Q(verdict="reject") & ~Q(reason="") | ~Q(verdict="reject") & Q(reason=""),
                name="review_reason_when_rejected",
            ),
            models.CheckConstraint(
                condition=Q(verdict="edit") & ~Q(text="") | ~Q(verdict="edit") & Q(text=""),
                name="review_text_when_edited",
            ),
        )

    def __str__(self) -> str:
        return f"{self.pair_id}: {self.verdict}"


class ReviewPreference(models.Model):
    """A reviewer's keyboard shortcuts, and the guidelines they have read.

    Attributes:
        keys: custom shortcuts; an action without an entry has its default key.
        guideline_seen: latest version of the guidelines that they confirmed reading; 0 for none.
    """

    reviewer = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="review_preference"
    )
    keys = models.JSONField(default=dict)
    guideline_seen = models.PositiveIntegerField(default=0, db_default=0)

    def __str__(self) -> str:
        return f"{self.reviewer_id}"
