"""Paraphrases of questions with the scorer's judgement; their review: guidelines, leases on pairs, and decisions."""

from __future__ import annotations

import random

import pghistory
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from analytics.paraphrase.verdict import said
from questionbank.models.integrations import pair_hooks
from questionbank.models.visibility import OwnUnlessOfQuestionManager, Shown, audience_field, shown_constraint


def opinions_wanted() -> int:
    """Return the number of reviewers that a new pair needs."""
    return int(settings.REVIEW_OPINIONS)


def shuffle_number() -> float:
    """Return a random sort key; not for security."""
    return random.random()  # noqa: S311


@pghistory.track(
    pghistory.UpdateEvent(row=pghistory.Old),
    pghistory.DeleteEvent(),
    exclude=[
        "score",
        "verdict",
        "findings",
        "solved",
        "scored_by",
        "scored_at",
        "priority",
        "shuffle",
        "visibility",
        "school",
        "audience",
    ],
)
class ParaphrasePair(Shown):
    """An original and a paraphrase of it, from its arrival to its outcome.

    Whoever sees its question sees it. Its own visibility counts while it has no question: for texts that are not in
    the bank, and after its question was deleted.

    Attributes:
        original: the text at that time; `question`, if it comes from the bank, may change or be deleted.
        generator: name of the rules or model that wrote the paraphrase; empty for people.
        batch: shared by all pairs that arrived together.
        source_id: the identifier in the uploaded file.
        score: cosine of the paraphrase scorer, in [-1, 1]; null until scored.
        verdict: calibrated probability that the paraphrase is valid; null until scored.
        findings: list in the format of `questionbank.review.pair_services.findings_to_json`; null until read.
        solved: the solver's results for both texts, in the format of `questionbank.review.evidence_services`; null
            until it has run, or if a text is not a word problem.
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
    audience = audience_field("created_by")

    objects = OwnUnlessOfQuestionManager["ParaphrasePair"]()

    class Meta:
        verbose_name = "paraphrase"
        verbose_name_plural = "paraphrases"
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
            shown_constraint("paraphrase_has_its_school"),
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
