"""Jobs: the one table that tells what is, was or will be done in the background, and the blocks that workers share."""

from __future__ import annotations

import uuid
from enum import IntEnum

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class Run(models.Model):
    """One job. Celery only carries its id; `questionbank.registry.run_services` alone changes its state.

    queued -> running -> succeeded | failed | cancelled, and back to queued by retry or when a dead
    worker's lease runs out.
    """

    class Kind(models.TextChoices):
        """Jobs of the whole bank, or of every capability. Others are `questionbank.capabilities.catalog.job_kinds`."""

        IMPORT = "import", "Import"
        EMBED = "embed", "Compute vectors"
        TRAIN = "train", "Train"
        EVALUATE = "evaluate", "Evaluate"
        PROMOTE = "promote", "Promote"
        READ = "read", "Read a test paper"
        UNDO = "undo", "Undo an import"
        CHANGE = "change", "Change questions"
        REPORT = "report", "Count the training data"
        PREPARE = "prepare", "Prepare the language model"

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Running"
        SUCCEEDED = "succeeded", "Finished"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    class Priority(IntEnum):
        """What a worker does first: the lowest number. Between its blocks a bulk job gives way to any lower number."""

        WAITED_FOR = 0  # a person looks at the page of an import, an undo or an answer
        VECTORS = 1  # an import waits for them, and predictions read them
        REQUESTED = 2  # a promotion, a comparison
        BACKGROUND = 3  # nobody asked for it

    FINISHED = (State.SUCCEEDED, State.FAILED, State.CANCELLED)
    REFUSAL = "refusal"  # in the result of a job that failed because its user's file was refused

    kind = models.CharField("kind", max_length=10)
    capability = models.CharField("capability", max_length=12, blank=True)
    title = models.CharField("title", max_length=200, blank=True)
    queue = models.CharField("queue", max_length=10, default="default")
    priority = models.PositiveSmallIntegerField(default=Priority.WAITED_FOR.value)
    state = models.CharField("state", max_length=10, choices=State.choices, default=State.QUEUED)
    parameters = models.JSONField(default=dict, blank=True)
    result = models.JSONField(default=dict, blank=True)
    error = models.TextField("error", blank=True)

    done = models.BigIntegerField("done", default=0)
    total = models.BigIntegerField("of", default=0)  # 0 = not known
    message = models.CharField("what it is doing", max_length=300, blank=True)

    message_id = models.UUIDField(default=uuid.uuid4, editable=False)  # id of the Celery message last sent
    sent_at = models.DateTimeField(null=True, blank=True)
    lease = models.UUIDField(null=True, blank=True, editable=False)  # its holder may write
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    worker = models.CharField("worker", max_length=120, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    deaths = models.PositiveSmallIntegerField(default=0)  # of its workers, since it last saved work
    pauses = models.PositiveSmallIntegerField(default=0)  # lost connections, likewise
    cancel_requested = models.BooleanField(default=False)
    is_dismissed = models.BooleanField(default=False)  # a failure that an admin has dealt with

    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "job"
        verbose_name_plural = "jobs"
        ordering = ("-created_at", "-pk")
        indexes = (models.Index(fields=("state", "created_at"), name="run_state"),)

    def __str__(self) -> str:
        return self.title or f"{self.kind} {self.pk}"

    @classmethod
    def failures(cls) -> models.QuerySet[Run]:
        """Return the jobs that failed, without those that refused a user's file."""
        return cls.objects.filter(state=cls.State.FAILED).exclude(result__has_key=cls.REFUSAL)

    @property
    def is_finished(self) -> bool:
        return self.state in self.FINISHED

    @property
    def is_refused(self) -> bool:
        """Whether it failed because of its user's file: the same file fails again."""
        return self.state == self.State.FAILED and self.REFUSAL in self.result

    @property
    def state_shown(self) -> str:
        """The state for people."""
        if self.is_refused:
            return "Refused"
        return "Paused" if self.is_paused else self.get_state_display()

    @property
    def is_paused(self) -> bool:
        """Whether it has begun and waits for a worker to continue it."""
        return self.state == self.State.QUEUED and self.started_at is not None and bool(self.message)

    @property
    def percent(self) -> int | None:
        """Progress in per cent, or None where the amount of work is not known."""
        return min(100, int(100 * self.done / self.total)) if self.total else None


class RunLog(models.Model):
    """One line of a run's log."""

    class Level(models.TextChoices):
        INFO = "info", "Information"
        WARNING = "warning", "Warning"
        ERROR = "error", "Error"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="logs")
    level = models.CharField(max_length=8, choices=Level.choices, default=Level.INFO)
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.text[:80]


class RunMetric(models.Model):
    """One figure of a run at a step, e.g. a term of the loss; written again when a step is done again."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="metrics")
    step = models.PositiveIntegerField()
    name = models.CharField(max_length=80)
    value = models.FloatField()

    class Meta:
        ordering = ("name", "step")
        constraints = (
            models.UniqueConstraint(fields=("run", "name", "step"), name="one_metric_a_run_name_and_step"),
        )

    def __str__(self) -> str:
        return f"{self.name}: {self.value:g}"


class WorkerHeartbeat(models.Model):
    """When a worker process last said that it lives; written by a thread, so a busy one says it too."""

    name = models.CharField(max_length=120, unique=True)
    queues = models.CharField(max_length=120, blank=True)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class WorkBlock(models.Model):
    """A range of ids of one job, such as the questions 1 to 700 whose vectors are missing.

    A worker claims a block with a lease that it renews; when the lease has run out, another worker may claim it. Only
    the holder's result is stored, in the transaction that finishes the block. Only
    `questionbank.registry.block_services` writes this table. A turn, which one process has at a time, is a job of a
    single block that never finishes.
    """

    job = models.CharField(max_length=120)
    first = models.BigIntegerField(default=0)
    last = models.BigIntegerField(default=0)
    size = models.PositiveIntegerField(default=0)  # rows to work on when the block was planned
    done = models.PositiveIntegerField(null=True)  # rows that a result was stored for; None: not finished
    holder = models.UUIDField(null=True)
    until = models.DateTimeField(null=True)  # by the database's clock

    class Meta:
        constraints = (models.UniqueConstraint(fields=("job", "first"), name="one_block_a_job_and_start"),)

    def __str__(self) -> str:
        return f"{self.job}: {self.first} to {self.last}"
