# ruff: noqa: S608 - SQL of names of this module alone
"""What people's programs use: keys of the API, responses kept for requests that are sent again, and web hooks.

Triggers write a `HookEvent` in the transaction of the change itself, so no code that changes something can forget it.
If nobody wants the event, they cost one lookup of the hooks.
"""

from __future__ import annotations

import uuid
from typing import Any

import pgtrigger
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from questionbank.models.user import User
from questionbank.models.visibility import EVERYBODY


class ApiKey(models.Model):
    """A key by which a program acts for its owner.

    Attributes:
        digest: SHA-256 of the key in hexadecimal; the key itself is shown once and not stored.
        beginning: the first characters of the key, by which its owner recognises it.
        scopes: what the key may do, from `Scope`; it never allows more than its owner's roles.
        rate_limit: requests per minute.
        made_with: the key through which a program made it, and with which it is revoked; None for one made on a page.
    """

    class Scope(models.TextChoices):
        READ = "read", "Read"
        WRITE = "write", "Write"
        REVIEW = "review", "Review"
        TRAIN = "train", "Train"
        ADMIN = "admin", "Administer"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_keys")
    made_with = models.ForeignKey(
        "self", null=True, editable=False, on_delete=models.SET_NULL, related_name="made_keys"
    )
    name = models.CharField("name", max_length=120)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    beginning = models.CharField(max_length=12, editable=False)
    scopes = ArrayField(models.CharField(max_length=8, choices=Scope.choices), default=list)
    rate_limit = models.PositiveIntegerField("requests per minute", default=600)
    expires_at = models.DateTimeField("expires", null=True, blank=True)
    last_used_at = models.DateTimeField("last used", null=True, editable=False)
    revoked_at = models.DateTimeField("revoked", null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("owner", "name"), condition=Q(revoked_at__isnull=True), name="one_open_key_a_name"
            ),
        )

    def __str__(self) -> str:
        return self.name


class ApiRequest(models.Model):
    """The response to a write that carried an ``Idempotency-Key``, returned again if the same request comes again.

    Attributes:
        fingerprint: SHA-256 of the method, the address and the body.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "key"), name="one_response_an_idempotency_key"),)

    def __str__(self) -> str:
        return self.key


def api_key_name(user: User | None) -> str:
    """Return the name of the key through which a person acts; empty on a page, in a worker and for the system."""
    key: ApiKey | None = getattr(user, "api_key", None)
    return key.name if key is not None else ""


LONGEST_ADDRESS = 2_000


class Hook(models.Model):
    """An address that a person's program listens at.

    Attributes:
        events: the kinds of event that are announced there.
        site: base address of Kindred in what is sent, such as ``https://kindred.school.example``.
        salt: the secret is derived from it and from the secret key, so the database does not hold the secret.
        failing_since: time of the first failed attempt since the last delivery; None if the last attempt succeeded.
        disabled_because: why Kindred disabled it; empty if its owner did.
        made_with: the key through which a program made it; revoking that disables it. None for one made on a page.
    """

    class Event(models.TextChoices):
        IMPORT = "import.finished", "An import finished"
        QUESTION = "question.changed", "Questions changed"
        REVIEW = "review.settled", "Paraphrases were decided"
        MODEL = "model.promoted", "A model was put into use"
        STATISTICS = "statistics.updated", "The statistics of questions were updated"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="hooks")
    made_with = models.ForeignKey(
        "questionbank.ApiKey", null=True, editable=False, on_delete=models.SET_NULL, related_name="made_hooks"
    )
    address = models.CharField("address", max_length=LONGEST_ADDRESS)
    events = ArrayField(models.CharField(max_length=20, choices=Event.choices), default=list)
    site = models.CharField(max_length=300)
    salt = models.UUIDField(default=uuid.uuid4, editable=False)
    is_active = models.BooleanField(default=True)
    failing_since = models.DateTimeField(null=True, editable=False)
    disabled_because = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name = "web hook"
        verbose_name_plural = "web hooks"
        ordering = ("-pk",)
        constraints = (models.UniqueConstraint(fields=("owner", "address"), name="one_hook_an_address"),)

    def __str__(self) -> str:
        return self.address


class HookEvent(models.Model):
    """The outbox: something happened, and no deliveries have been made for it yet; written by triggers.

    Attributes:
        ids: of the questions, or of the job, the pair or the model.
        are_deleted: whether these questions were deleted; drafts that are deleted are not recorded.
        audience: who saw the deleted questions (`questionbank.models.visibility`).
    """

    kind = models.CharField(max_length=20, choices=Hook.Event.choices)
    ids = ArrayField(models.BigIntegerField())
    are_deleted = models.BooleanField(default=False)
    audience = models.BigIntegerField(null=True, db_default=EVERYBODY)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"{self.kind}: {len(self.ids)}"


class HookDelivery(models.Model):
    """One message to one hook, and every attempt to deliver it.

    Attributes:
        message_id: sent as `webhook-id`, the same with every attempt and replay.
        kind: a `Hook.Event`, or `TEST`.
        body: exactly what is sent, because the signature covers it.
        began_at: the time from which attempts are made for a day: when it was made or replayed.
        due_at: time of the next attempt; None once it was delivered or given up.
        delivered_at: time of the last delivery.
        attempts: each with `at`, `status` (None without a response), `response` (its beginning), and `error`.
    """

    TEST = "hook.test"

    hook = models.ForeignKey(Hook, on_delete=models.CASCADE, related_name="deliveries")
    message_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=20)
    body = models.TextField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    began_at = models.DateTimeField(db_default=Now(), editable=False)
    due_at = models.DateTimeField(null=True, db_default=Now())
    delivered_at = models.DateTimeField(null=True)
    attempts = models.JSONField(default=list)

    class Meta:
        verbose_name = "delivery"
        verbose_name_plural = "deliveries"
        ordering = ("-pk",)
        indexes = (models.Index(fields=("due_at",), name="hook_due", condition=Q(due_at__isnull=False)),)

    def __str__(self) -> str:
        return f"{self.kind}, message {self.message_id}"

    @property
    def state(self) -> str:
        """``waiting``, ``delivered`` or ``failed``."""
        if self.due_at is not None:
            return "waiting"
        return "delivered" if self.delivered_at is not None else "failed"

    @property
    def last_attempt(self) -> dict[str, Any] | None:
        """The last attempt; None before the first."""
        return self.attempts[-1] if self.attempts else None


_CHANGED = "n.version <> o.version"  # columns that do not raise the version are computed


def _write(kind: Hook.Event, ids: str) -> str:
    """Return a trigger's function that records an event.

    Args:
        ids: a query with the column ``id``; if it finds nothing, nothing happened.
    """
    return _record(
        kind,
        f"(kind, ids, are_deleted) SELECT '{kind}', array_agg(DISTINCT id), False FROM ({ids}) changed"
        " HAVING count(*) > 0",
    )


def _record(kind: Hook.Event, rows: str) -> str:
    """Return a trigger's function that inserts events if a hook wants their kind."""
    listeners = f"SELECT FROM questionbank_hook WHERE is_active AND '{kind}' = ANY(events)"
    return f"IF EXISTS ({listeners}) THEN INSERT INTO questionbank_hookevent {rows}; END IF; RETURN NULL;"


def _statement(name: str, operation: pgtrigger.Operation, function: str) -> pgtrigger.Trigger:
    rows = {"new": "new_rows"} if operation is not pgtrigger.Delete else {}
    rows |= {"old": "old_rows"} if operation is not pgtrigger.Insert else {}
    return pgtrigger.Trigger(
        name=name,
        level=pgtrigger.Statement,
        when=pgtrigger.After,
        operation=operation,
        referencing=pgtrigger.Referencing(**rows),
        func=function,
    )


def question_hooks() -> list[pgtrigger.Trigger]:
    """Return triggers that record new, changed and deleted questions."""
    kind, changed = Hook.Event.QUESTION, f"SELECT n.id FROM old_rows o JOIN new_rows n USING (id) WHERE {_CHANGED}"
    deleted = (  # others never saw a draft
        f"(kind, ids, are_deleted, audience) SELECT '{kind}', array_agg(id), True, audience FROM old_rows"
        " WHERE status <> 'draft' GROUP BY audience"
    )
    return [
        _statement("hook_insert", pgtrigger.Insert, _write(kind, "SELECT id FROM new_rows")),
        _statement("hook_update", pgtrigger.Update, _write(kind, changed)),
        _statement("hook_delete", pgtrigger.Delete, _record(kind, deleted)),
    ]


def question_part_hooks() -> list[pgtrigger.Trigger]:
    """Return triggers for tables whose rows belong to a question and whose changes do not raise its version."""
    rows = {
        pgtrigger.Insert: ("new_rows",),
        pgtrigger.Update: ("new_rows", "old_rows"),
        pgtrigger.Delete: ("old_rows",),
    }
    return [
        _statement(
            f"hook_{operation!s}".lower(),
            operation,
            _write(Hook.Event.QUESTION, " UNION ".join(f"SELECT question_id AS id FROM {name}" for name in names)),
        )
        for operation, names in rows.items()
    ]


def statistics_hooks() -> list[pgtrigger.Trigger]:
    """Return the trigger that records questions with new statistics; a computation inserts all of them anew."""
    ids = "SELECT question_id AS id FROM new_rows"
    return [_statement("hook_insert", pgtrigger.Insert, _write(Hook.Event.STATISTICS, ids))]


def run_hooks() -> list[pgtrigger.Trigger]:
    """Return triggers that record finished imports, but not checks of files."""
    finished = (
        "NEW.kind = 'import' AND NEW.finished_at IS NOT NULL AND NEW.parameters ->> 'dry_run' IS DISTINCT FROM 'true'"
    )
    return [
        _row("hook_insert", pgtrigger.Insert, finished, Hook.Event.IMPORT),
        _row("hook_update", pgtrigger.Update, f"OLD.finished_at IS NULL AND {finished}", Hook.Event.IMPORT),
    ]


def pair_hooks() -> list[pgtrigger.Trigger]:
    """Return the trigger that records pairs on which a decision was reached."""
    decided = "NEW.state = 'decided' AND OLD.state <> 'decided'"
    return [_row("hook_update", pgtrigger.Update, decided, Hook.Event.REVIEW)]


def model_hooks() -> list[pgtrigger.Trigger]:
    """Return the trigger that records models put into use, including former ones."""
    promoted = "NEW.kind IN ('promoted', 'rolled_back') AND NEW.artifact_id IS NOT NULL"
    return [_row("hook_insert", pgtrigger.Insert, promoted, Hook.Event.MODEL, "artifact_id")]


def _row(
    name: str, operation: pgtrigger.Operation, condition: str, kind: Hook.Event, column: str = "id"
) -> pgtrigger.Trigger:
    return pgtrigger.Trigger(
        name=name,
        when=pgtrigger.After,
        operation=operation,
        condition=pgtrigger.Condition(condition),
        func=_write(kind, f"SELECT NEW.{column} AS id"),
    )
