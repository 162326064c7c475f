"""Schools, and who belongs to them."""

from __future__ import annotations

import pghistory
import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models.functions import Lower

from questionbank.models.visibility import Visibility


@pghistory.track(
    pghistory.InsertEvent(),
    pghistory.UpdateEvent(row=pghistory.Old),
    pghistory.DeleteEvent(),
    fields=["name", "slug"],
    model_name="SchoolEvent",
)
class School(models.Model):
    """A school; as long as there is none, pages do not mention schools.

    Attributes:
        slug: its name in files, for programs and in claims of sign-on; it never changes.
        most_questions, most_megabytes: quotas of its questions and of its people's uploads; None for no limit.
    """

    name = models.CharField("name", max_length=120)
    slug = models.SlugField("short name", max_length=60, unique=True)
    most_questions = models.PositiveIntegerField("most questions", null=True, blank=True)
    most_megabytes = models.PositiveIntegerField("most megabytes of uploads", null=True, blank=True)
    people = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="questionbank.SchoolMembership", related_name="schools", blank=True
    )

    class Meta:
        ordering = (Lower("name"), "pk")
        constraints = (
            models.UniqueConstraint(Lower("name"), name="one_school_a_name"),
            models.CheckConstraint(  # these texts stand for a visibility in forms and requests
                condition=~models.Q(slug__in=("", *Visibility.values)), name="school_is_not_called_like_a_visibility"
            ),
        )

    def __str__(self) -> str:
        return self.name


@pghistory.track(pghistory.InsertEvent(), pghistory.DeleteEvent(), obj_field=None)
class SchoolMembership(models.Model):
    """A person's membership of a school."""

    school = models.ForeignKey(School, on_delete=models.CASCADE, related_name="memberships")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="school_memberships", db_index=False
    )

    class Meta:
        constraints = (models.UniqueConstraint(fields=("person", "school"), name="one_membership_a_school"),)
        triggers = (
            pgtrigger.Trigger(
                name="school_ids",
                when=pgtrigger.After,
                operation=pgtrigger.Insert | pgtrigger.Delete,
                func="""
                    UPDATE questionbank_user SET school_ids = '{}' WHERE id = coalesce(NEW.person_id, OLD.person_id);
                    RETURN NULL;
                """,
            ),
        )

    def __str__(self) -> str:
        return f"{self.person_id}: {self.school_id}"
