"""Keys by which programs use the bank, and responses kept for requests that are sent again."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from questionbank.models.user import User


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
