"""Data for searches (words of the bank, synonyms, long texts, saved searches), and outgoing mail."""

from __future__ import annotations

import pghistory
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from questionbank.models.visibility import (
    Shown,
    ViewerManager,
    Visibility,
    audience_field,
    shown_constraint,
    visibility_field,
)


class VocabularyWord(models.Model):
    """A word in the bank and the number of questions that contain it.

    Rebuilt from `ts_stat` after imports; see `questionbank.bank.search_index`.
    """

    word = models.CharField(max_length=100, primary_key=True)
    questions = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.word


@pghistory.track(pghistory.InsertEvent(), pghistory.UpdateEvent(row=pghistory.Old), pghistory.DeleteEvent())
class SynonymGroup(models.Model):
    """Terms for one thing, such as "highest common factor", "HCF" and "GCF"; a search for one finds all of them.

    Attributes:
        terms: two or more; pages show the first. A term belongs to one group only.
    """

    terms = ArrayField(models.CharField(max_length=80), verbose_name="terms")

    class Meta:
        ordering = ("terms",)

    def __str__(self) -> str:
        return ", ".join(self.terms)


class LongQuery(models.Model):
    """A search text stored under a short key, so that its results have a URL that can be shared.

    Attributes:
        key: derived from the text, so that equal texts have the same URL.
        used_at: when it was last searched; long unused texts are deleted.
    """

    key = models.CharField(max_length=24, primary_key=True)
    text = models.TextField()
    used_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.text[:80]


class SavedSearch(Shown):
    """A search that a person keeps under a name.

    `objects` are those that the viewer may see, `unrestricted` are all of them.

    Attributes:
        parameters: of the search page's address, with the whole query as `q`; as they were saved, even if a concept,
            source or person among them is gone.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_searches")
    name = models.CharField("name", max_length=120)
    parameters = models.JSONField(default=dict, blank=True)
    visibility = visibility_field(Visibility.PRIVATE)
    audience = audience_field("owner")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ViewerManager["SavedSearch"]()
    unrestricted = models.Manager["SavedSearch"]()

    class Meta:
        verbose_name = "saved search"
        verbose_name_plural = "saved searches"
        ordering = ("name", "pk")
        indexes = (models.Index(fields=("audience",), name="saved_search_audience"),)
        constraints = (
            models.UniqueConstraint(fields=("owner", "name"), name="one_saved_search_a_person_and_name"),
            shown_constraint("saved_search_has_its_school"),
        )

    def __str__(self) -> str:
        return self.name


class SavedSearchOpening(models.Model):
    """When a person last opened a saved search.

    Attributes:
        seen_until: questions that people can see since then are new to the person. It is earlier than the opening if
            questions were being written at that time.
    """

    saved_search = models.ForeignKey(SavedSearch, on_delete=models.CASCADE, related_name="openings")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    seen_until = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("saved_search", "person"), name="one_opening_a_person_and_saved_search"),
        )

    def __str__(self) -> str:
        return f"{self.saved_search_id}: {self.person_id}"


class OutgoingMail(models.Model):
    """One mail and its delivery status.

    Attributes:
        address: where a reset was requested, as typed, or the address of a test; cleared once no more mail is sent
            there.
        person: recipient of an invitation or a notice, which is sent to their address at that time.
        site: base URL of the links in it, such as ``https://kindred.school.example``.
        subject, body: of a notice about a retraining; other mail is written when it is sent.
        due_at: time of the next attempt; None once it is sent or given up.
        failed_at: time of the last failed attempt, with the reason in `error`.
    """

    class Kind(models.TextChoices):
        RESET = "reset", "Password reset"
        INVITATION = "invitation", "Invitation"
        TEST = "test", "Test"
        HOOKS = "hooks", "Web hooks that were disabled"
        RETRAINED = "retrained", "Retraining"

    kind = models.CharField("kind", max_length=10, choices=Kind.choices)
    address = models.EmailField("address", blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    inviter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    site = models.CharField(max_length=300, blank=True)
    subject = models.CharField(max_length=200, blank=True, db_default="", default="")
    body = models.TextField(blank=True, db_default="", default="")
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
