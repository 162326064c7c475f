"""Django's admin: people, and a read-only view of the tables behind the pages.

It uses the same log-in as everything else (second step and rate limits included) and is open to the
role admin. Questions, concepts and runs are read-only here: their services keep search index,
vectors and history in sync, and the admin would bypass them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Model
from django.http import HttpRequest

from questionbank.core.errors import ValidationFailed
from questionbank.core.wording import whole_number
from questionbank.models import EmbeddingSet, ModelArtifact, Run, User, WorkerHeartbeat
from questionbank.people.permissions import is_admin
from questionbank.people.services import api_keys_close, check_an_admin_is_left


class BankAdminSite(admin.AdminSite):
    """Open to the role admin, whether or not Django's flag `is_staff` is set."""

    site_header = "Kindred: people and settings"
    site_title = "Kindred"
    index_title = "People and settings"

    def has_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and is_admin(request.user))

    def get_urls(self) -> list[Any]:
        """Return Django's URLs without "view on site": no row has a page, and history has no such URL."""
        return [address for address in super().get_urls() if getattr(address, "name", "") != "view_on_site"]

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Callable[..., Any]:
        """Wrap a view as Django does, but refuse logged-in users without the role: logging in again would not help."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if request.user.is_authenticated and not self.has_permission(request):
                raise PermissionDenied
            return inner(request, *args, **kwargs)

        return guarded


class AdminOnly(admin.ModelAdmin):
    """Take permissions from the role instead of Django's permission table."""

    view_on_site = False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """Show the list as Django does, but accept only whole numbers as the rows chosen for an action."""
        if "_selected_action" in request.POST:
            sent = request.POST.copy()
            chosen = [pk for pk in sent.getlist("_selected_action") if whole_number(pk) is not None]
            sent.setlist("_selected_action", chosen)
            request.POST = sent  # type: ignore[assignment]
        return super().changelist_view(request, extra_context)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(is_admin(request.user))

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(is_admin(request.user))


class ReadOnlyAdmin(AdminOnly):
    """Rows that only services write."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class PersonForm(UserChangeForm):  # type: ignore[type-arg]
    """Django's form, refusing to take the role from the last active admin."""

    def clean(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().clean() or self.cleaned_data
        groups = fields.get("groups")
        if self.errors or groups is None:
            return fields
        is_role_kept = self.instance.is_superuser or any(group.name == "admin" for group in groups)
        if not (is_role_kept and fields.get("is_active", True)):
            try:
                check_an_admin_is_left(without=self.instance)
            except ValidationFailed as error:
                raise ValidationError(str(error)) from error
        return fields


class PeopleAdmin(AdminOnly, UserAdmin):
    """People and their roles; only a superuser may add or change a superuser."""

    form = PersonForm
    list_display = ("username", "email", "first_name", "last_name", "roles", "is_active", "last_login")
    list_filter = ("groups", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Role", {"fields": ("groups", "is_active")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("username", "email", "groups", "usable_password", "password1", "password2"),
            },
        ),
    )
    readonly_fields = ("last_login", "date_joined")

    @admin.display(description="roles")
    def roles(self, person: User) -> str:
        """Return the names of the person's roles."""
        if person.is_superuser:
            return "superuser"
        return ", ".join(group.name for group in person.groups.all())

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(erased_at=None).prefetch_related("groups")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not obj.is_active:
            api_keys_close(owner=obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(is_admin(request.user))

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self._may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return False: people are deleted on their page, which removes what identifies them everywhere."""
        return False

    def _may_touch(self, request: HttpRequest, obj: Model | None) -> bool:
        if isinstance(obj, User) and obj.is_superuser and not request.user.is_superuser:
            return False
        return bool(is_admin(request.user))


class RunAdmin(ReadOnlyAdmin):
    """Jobs."""

    list_display = ("id", "kind", "title", "state", "requested_by", "created_at", "finished_at")
    list_filter = ("kind", "state")


class ModelArtifactAdmin(ReadOnlyAdmin):
    """Models."""

    list_display = ("capability", "scope", "name", "state", "created_at")
    list_filter = ("capability", "state")


class EmbeddingSetAdmin(ReadOnlyAdmin):
    """Sets of vectors."""

    list_display = ("lens", "scope", "encoder_name", "dimension", "state", "is_current", "created_at")


class WorkerHeartbeatAdmin(ReadOnlyAdmin):
    """Workers."""

    list_display = ("name", "queues", "seen_at")


site = BankAdminSite()
site.login = secure_admin_login(site.login)  # type: ignore[method-assign]
site.register(User, PeopleAdmin)
site.register(Run, RunAdmin)
site.register(ModelArtifact, ModelArtifactAdmin)
site.register(EmbeddingSet, EmbeddingSetAdmin)
site.register(WorkerHeartbeat, WorkerHeartbeatAdmin)
