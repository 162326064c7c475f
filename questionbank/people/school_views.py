"""Pages of schools: add, rename, set quotas, delete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.core.forms import ServiceForm
from questionbank.core.views import form_for, posted
from questionbank.core.wording import counted
from questionbank.models import School, Visibility
from questionbank.people.owned import NAME_LIMIT
from questionbank.people.school_selectors import school_get, school_use, schools
from questionbank.people.school_services import school_create, school_delete, school_update

MOST = 2**31 - 1  # of a column


class NewSchoolForm(ServiceForm):
    """The name of a new school."""

    main_field = "name"

    name = forms.CharField(label="Name", max_length=NAME_LIMIT)


class SchoolForm(NewSchoolForm):
    """A school's name and quotas."""

    most_questions = forms.IntegerField(
        label="Most questions",
        required=False,
        min_value=0,
        max_value=MOST,
        help_text="Only questions that belong to the school count. Leave it empty for no limit.",
    )
    most_megabytes = forms.IntegerField(
        label="Most uploads (MB)",
        required=False,
        min_value=0,
        max_value=MOST,
        help_text="The pictures of its questions, and files that wait for the people of the school.",
    )


class SchoolDeletionForm(ServiceForm):
    """Who sees what belongs to a school that is deleted.

    Args:
        others: the schools that can inherit it.
    """

    to = forms.ChoiceField(label="Where do its things go?", widget=forms.RadioSelect)

    def __init__(self, *args: Any, others: Iterable[School], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["to"].choices = [  # type: ignore[attr-defined]
            (Visibility.PRIVATE.value, "To their authors: only they see them"),
            *((school.slug, f"To {school}") for school in others),
            (Visibility.ALL.value, "To everybody"),
        ]


@form_for("people_manage")
def school_list(request: HttpRequest) -> HttpResponse:
    """List the schools, and add one."""
    form = NewSchoolForm(posted(request))
    if form.is_valid():
        with form.takes_problems():
            school = school_create(user=request.user, name=form.cleaned_data["name"])
            messages.success(request, f"{school} is added. Add its people on their pages.")
            return redirect("school_list")
    return render(request, "people/schools.html", {"schools": schools(), "form": form}, status=form.status)


@form_for("people_manage")
def school_detail(request: HttpRequest, school_id: int) -> HttpResponse:
    """Show a school with its people and what belongs to it; rename it, or set its quotas."""
    school = school_get(school_id=school_id)
    initial = {name: getattr(school, name) for name in SchoolForm.base_fields}
    form = SchoolForm(posted(request), initial=initial)
    if form.is_valid():
        with form.takes_problems():
            school_update(user=request.user, school=school, **form.cleaned_data)
            messages.success(request, "The changes are saved.")
            return redirect("school_detail", school_id=school.pk)
        school = school_get(school_id=school_id)
    people = school.people.order_by("username")
    context = {"school": school, "form": form, "use": school_use(school=school), "people": people}
    return render(request, "people/school.html", context, status=form.status)


@form_for("people_manage")
def school_delete_page(request: HttpRequest, school_id: int) -> HttpResponse:
    """Delete a school, after asking where its things go."""
    school = school_get(school_id=school_id)
    form = SchoolDeletionForm(posted(request), others=School.objects.exclude(pk=school.pk))
    if form.is_valid():
        with form.takes_problems():
            moved = school_delete(user=request.user, school=school, to=form.cleaned_data["to"])
            what = f" {counted(moved, 'thing was', 'things were')} moved." if moved else ""
            messages.success(request, f"{school} is deleted.{what}")
            return redirect("school_list")
    context = {"school": school, "form": form, "use": school_use(school=school)}
    return render(request, "people/delete_school.html", context, status=form.status)
