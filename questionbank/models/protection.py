"""How long each kind of data is kept, and who logged in, exported something or looked at data about people."""

from __future__ import annotations

import pghistory
from django.conf import settings
from django.db import models
from django.db.models.functions import Now


@pghistory.track(pghistory.InsertEvent(), pghistory.UpdateEvent(row=pghistory.Old), pghistory.DeleteEvent())
class Retention(models.Model):
    """A time that an admin set for one kind of data; a kind without a row is kept for its default time.

    Attributes:
        kind: word of a `questionbank.protection.kept_kinds.KeptKind`.
        days: None to keep it for ever.
    """

    kind = models.CharField("kind of data", max_length=20, unique=True)
    days = models.PositiveIntegerField("days", null=True, blank=True)

    class Meta:
        verbose_name = "time for which data is kept"
        verbose_name_plural = "times for which data is kept"
        ordering = ("kind",)

    def __str__(self) -> str:
        return f"{self.kind}: {self.days or 'for ever'}"


class AuditEvent(models.Model):
    """Something that leaves no row elsewhere: a log-in, an export, a look at somebody's data, a deletion of old data.

    Attributes:
        person: None for a log-in name that nobody has, and for Kindred itself.
        what: the sentence after the person's name, such as "downloaded the figures of set 3".
        path: the page or the resource of the API, without its query.
        address: IP address; None for Kindred itself.
        through: name of the API key.
    """

    class Kind(models.TextChoices):
        SIGN_IN = "sign_in", "Log-ins"
        EXPORT = "export", "Exports"
        VIEW = "view", "Views"
        RETENTION = "retention", "Deleted by age"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, db_index=False, related_name="+"
    )
    what = models.CharField(max_length=300)
    path = models.CharField(max_length=300, blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)
    through = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name = "entry of the audit"
        verbose_name_plural = "entries of the audit"
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(fields=("created_at", "id"), name="audit_time"),
            models.Index(fields=("kind", "created_at", "id"), name="audit_kind"),
            models.Index(fields=("person", "created_at", "id"), name="audit_person"),
        )

    def __str__(self) -> str:
        return self.what
