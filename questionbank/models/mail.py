"""Mail that waits to be sent, or was: who gets it and what for, never the link in it."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class OutgoingMail(models.Model):
    """One mail, and how sending it went.

    Attributes:
        address: whom a reset was asked for, as typed, or who tests; empty as soon as nothing more is sent there.
        person: whom an invitation is for; an invitation goes to the address they have when it is sent.
        site: where the links in it lead, such as ``https://kindred.school.example``.
        due_at: when it is tried next; None as soon as it is sent or given up.
        failed_at: when the last try failed, with the reason in `error`.
    """

    class Kind(models.TextChoices):
        RESET = "reset", "Password reset"
        INVITATION = "invitation", "Invitation"
        TEST = "test", "Test"

    kind = models.CharField("kind", max_length=10, choices=Kind.choices)
    address = models.EmailField("address", blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    inviter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    site = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = "mail"
        verbose_name_plural = "mail"
        ordering = ("due_at", "pk")
        indexes = (models.Index(fields=("due_at",), name="mail_due"),)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.pk}"
