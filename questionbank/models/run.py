"""Jobs: one table of all background work, past, present and future, and the blocks shared by workers."""

from __future__ import annotations

import uuid
from enum import IntEnum

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from questionbank.models.integrations import run_hooks


class Run(models.Model):
    """One job. Celery only carries its id; only `questionbank.jobs.run_services` changes its state.

    queued -> running -> succeeded | failed | cancelled, and back to queued by a retry or when a dead
    worker's lease expires.
    """

    class Kind(models.TextChoices):
        """Jobs of the whole bank or of all capabilities. Others: `questionbank.core.capability_catalog.job_kinds`."""

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
        FIGURES = "figures", "Figures of responses"
        EXAM = "exam", "Examine the language model"
        SUGGEST = "suggest", "Suggest concepts"

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Running"
        SUCCEEDED = "succeeded", "Finished"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    class Priority(IntEnum):
        """Order of execution, lowest number first. A bulk job gives way to lower numbers between its blocks."""

        WAITED_FOR = 0  # somebody waits on the page of an import, an undo or an answer
        VECTORS = 1  # imports wait for them, and predictions read them
        REQUESTED = 2  # a promotion, a comparison
        BACKGROUND = 3  # not requested by anybody

    PERSONAL = ("import", "undo", "read", "change", "suggest", "opinion", "propose", "ask", "retell")
    """Kinds of jobs that work on what their person sees; all others are for everybody."""

    FINISHED = (State.SUCCEEDED, State.FAILED, State.CANCELLED)
    REFUSAL = "refusal"  # key in the result of a job that failed because the user's file was refused

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
    total = models.BigIntegerField("of", default=0)  # 0 = unknown
    message = models.CharField("what it is doing", max_length=300, blank=True)

    message_id = models.UUIDField(default=uuid.uuid4, editable=False)  # id of the Celery message last sent
    sent_at = models.DateTimeField(null=True, blank=True)
    lease = models.UUIDField(null=True, blank=True, editable=False)  # only its holder may write
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    worker = models.CharField("worker", max_length=120, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    deaths = models.PositiveSmallIntegerField(default=0)  # worker deaths since work was last saved
    pauses = models.PositiveSmallIntegerField(default=0)  # lost connections since then
    cancel_requested = models.BooleanField(default=False)
    is_dismissed = models.BooleanField(default=False)  # a failure that an admin has handled

    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs"
    )
    through = models.CharField("key", max_length=120, blank=True, default="")  # name of the API key that requested it
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "job"
        verbose_name_plural = "jobs"
        ordering = ("-created_at", "-pk")
        indexes = (models.Index(fields=("state", "created_at"), name="run_state"),)
        triggers = run_hooks()

    def __str__(self) -> str:
        return self.title or f"{self.kind} {self.pk}"

    @classmethod
    def failures(cls) -> models.QuerySet[Run]:
        """Return the failed jobs, except those that refused a user's file."""
        return cls.objects.filter(state=cls.State.FAILED).exclude(result__has_key=cls.REFUSAL)

    @property
    def is_finished(self) -> bool:
        return self.state in self.FINISHED

    @property
    def is_refused(self) -> bool:
        """Whether it failed because of the user's file, so that the same file would fail again."""
        return self.state == self.State.FAILED and self.REFUSAL in self.result

    @property
    def state_shown(self) -> str:
        """The state as shown to people."""
        if self.is_refused:
            return "Refused"
        return "Paused" if self.is_paused else self.get_state_display()

    @property
    def is_paused(self) -> bool:
        """Whether it has started and waits for a worker to continue it."""
        return self.state == self.State.QUEUED and self.started_at is not None and bool(self.message)

    @property
    def requester(self) -> str:
        """Who requested it, with “through KEY” if a program did; empty if nobody did."""
        return " through ".join(filter(None, (str(self.requested_by or ""), self.through)))

    @property
    def percent(self) -> int | None:
        """Progress in per cent, or None if the amount of work is unknown."""
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
    """A metric of a run at a step, e.g. a term of the loss; overwritten if the step is repeated."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="metrics")
    step = models.PositiveIntegerField()
    name = models.CharField(max_length=80)
    value = models.FloatField()

    class Meta:
        ordering = ("name", "step")
        constraints = (models.UniqueConstraint(fields=("run", "name", "step"), name="one_metric_a_run_name_and_step"),)

    def __str__(self) -> str:
        return f"{self.name}: {self.value:g}"


class WorkerHeartbeat(models.Model):
    """When a worker process was last alive; written by a thread, so that busy workers report too."""

    name = models.CharField(max_length=120, unique=True)
    queues = models.CharField(max_length=120, blank=True)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class WorkBlock(models.Model):
    """A range of ids of one job, such as the questions 1 to 700 with missing vectors.

    A worker claims a block with a lease that it renews; once the lease has expired, another worker may claim the block.
    Only the holder's result is stored, in the transaction that finishes the block. Only
    `questionbank.jobs.resume_services` writes this table. A turn, which only one process has at a time, is a job
    with a single block that never finishes.
    """

    job = models.CharField(max_length=120)
    first = models.BigIntegerField(default=0)
    last = models.BigIntegerField(default=0)
    size = models.PositiveIntegerField(default=0)  # rows to process, when the block was planned
    done = models.PositiveIntegerField(null=True)  # rows with a stored result; None: not finished
    holder = models.UUIDField(null=True)
    until = models.DateTimeField(null=True)  # by the database's clock

    class Meta:
        constraints = (models.UniqueConstraint(fields=("job", "first"), name="one_block_a_job_and_start"),)

    def __str__(self) -> str:
        return f"{self.job}: {self.first} to {self.last}"
