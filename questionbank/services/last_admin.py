"""The last admin cannot lose the role: without one, nobody could give it to anybody.

The database has the last word (a trigger, see `questionbank.models.user`); this says so before it is tried.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q
from django.utils.translation import gettext as _

from questionbank.errors import Conflict
from questionbank.models import User

__all__ = ["refuse_losing_last_admin"]


def refuse_losing_last_admin(*, people: Collection[User]) -> None:
    """Check that these people may lose the role admin, be deactivated or be deleted, all of them together.

    Raises:
        Conflict: no active admin would be left.
    """
    ids = {person.pk for person in people}
    admins = User.objects.filter(Q(is_superuser=True) | Q(groups__name="admin"), is_active=True)
    losing = sorted({str(admin) for admin in admins.filter(pk__in=ids)})
    if losing and not admins.exclude(pk__in=ids).exists():
        raise Conflict(
            _("%(name)s is the only active admin. Make somebody else an admin first.")
            % {"name": ", ".join(losing)}
            if len(losing) == 1
            else _("%(names)s are the only active admins. Make somebody else an admin first.")
            % {"names": ", ".join(losing)}
        )
