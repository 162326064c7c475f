"""User accounts. Roles are Django groups: teacher, reviewer, admin (see `questionbank.people.permissions`)."""

from __future__ import annotations

import pghistory
import pgtrigger
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models

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
