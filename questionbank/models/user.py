"""People: their accounts and schools, the audit of what they did, and how long each kind of data is kept.

Roles are Django groups: teacher, reviewer, admin (see `questionbank.people.permissions`).
"""

from __future__ import annotations

import pghistory
import pgtrigger
from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower, Now

from questionbank.models.visibility import Visibility

FORMER_COLLEAGUE = "a former colleague"
LAST_ADMIN_LOCK = 7_201_010  # advisory lock: two admins who demote each other must not both succeed

_REFUSE = f"""
    PERFORM pg_advisory_xact_lock({LAST_ADMIN_LOCK});
    IF NOT EXISTS (
        SELECT FROM questionbank_user u
        WHERE u.is_active AND (u.is_superuser OR EXISTS (
            SELECT FROM questionbank_user_groups m JOIN auth_group g ON g.id = m.group_id
            WHERE m.user_id = u.id AND g.name = 'admin'
        ))
    ) THEN
        RAISE EXCEPTION 'The last active admin cannot lose the role.' USING ERRCODE = 'check_violation';
    END IF;
"""  # noqa: S608 - only a number from this module


@pghistory.track(
    pghistory.InsertEvent(),
    pghistory.UpdateEvent(row=pghistory.Old),
    pghistory.DeleteEvent(),
    pghistory.ManualEvent("password_link"),  # an admin created a link; the event does not hold its key
    pghistory.ManualEvent("second_factor_removed"),
    pghistory.ManualEvent("session_ended"),  # by an admin
    pghistory.ManualEvent("erased"),
    fields=["username", "is_active", "is_superuser"],
    model_name="UserEvent",
)
class User(AbstractUser):
    """A person who can log in; there is no sign-up, admins add people.

    The database refuses to lose the last active admin; `questionbank.people.services` reports this
    in advance.

    Attributes:
        hierarchy: where the person predicts concepts; None for the bank's default.
        school_ids: ids of the person's schools, computed by the database, so that they are read with the person,
            without another query.
        erased_at: when the person was deleted. The row stays without anything that identifies them, so that what they
            did for others keeps one author (`questionbank.protection.erasure_services`).
    """

    hierarchy = models.ForeignKey(
        "questionbank.KnowledgeHierarchy",
        verbose_name="hierarchy for predictions",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    school_ids = ArrayField(models.BigIntegerField(), default=list, db_default=[], editable=False)
    erased_at = models.DateTimeField("deleted", null=True, blank=True, editable=False)

    class Meta(AbstractUser.Meta):
        triggers = (
            # Overrides what a statement sets, as it may save a person who was read before their schools changed.
            pgtrigger.Trigger(
                name="school_ids",
                when=pgtrigger.Before,
                operation=pgtrigger.UpdateOf("school_ids"),
                func="""
                    NEW.school_ids := ARRAY(
                        SELECT m.school_id FROM questionbank_schoolmembership m
                        WHERE m.person_id = NEW.id ORDER BY m.school_id
                    );
                    RETURN NEW;
                """,
            ),
            pgtrigger.Trigger(
                name="last_admin",
                when=pgtrigger.After,
                operation=pgtrigger.Update | pgtrigger.Delete,
                func=f"""
                    IF TG_OP = 'UPDATE' AND OLD.is_active = NEW.is_active
                        AND OLD.is_superuser = NEW.is_superuser THEN RETURN NULL;
                    END IF;
                    IF OLD.is_active AND (OLD.is_superuser OR EXISTS (
                        SELECT FROM questionbank_user_groups m JOIN auth_group g ON g.id = m.group_id
                        WHERE m.user_id = OLD.id AND g.name = 'admin'
                    )) THEN {_REFUSE}
                    END IF;
                    RETURN NULL;
                """,
            ),
        )

    def __str__(self) -> str:
        return FORMER_COLLEAGUE if self.erased_at else self.get_full_name() or self.get_username()


@pghistory.track(pghistory.InsertEvent(), pghistory.DeleteEvent(), obj_field=None, model_name="UserRoleEvent")
class UserRole(User.groups.through):  # type: ignore[name-defined]
    """A person's membership of a group; a named model, so that changes can be tracked."""

    class Meta:
        proxy = True
        triggers = (
            pgtrigger.Trigger(
                name="last_admin",
                when=pgtrigger.After,
                operation=pgtrigger.Update | pgtrigger.Delete,
                func=f"""
                    IF EXISTS (SELECT FROM auth_group g WHERE g.id = OLD.group_id AND g.name = 'admin')
                        AND EXISTS (SELECT FROM questionbank_user u WHERE u.id = OLD.user_id AND u.is_active)
                    THEN {_REFUSE}
                    END IF;
                    RETURN NULL;
                """,  # noqa: S608 - names of this module
            ),
        )


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


@pghistory.track(pghistory.InsertEvent(), pghistory.UpdateEvent(row=pghistory.Old), pghistory.DeleteEvent())
class Retention(models.Model):
    """A time that an admin set for one kind of data; a kind without a row is kept for its default time.

    Attributes:
        kind: word of a `questionbank.protection.retention_services.KeptKind`.
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
