"""Pages of data protection: how long data is kept, a person's data as a file, and the deletion of a person."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from questionbank.core.forms import ServiceForm
from questionbank.core.views import form_for, page_for, posted
from questionbank.models import User
from questionbank.people.selectors import person_get
from questionbank.protection.erasure_services import person_erase
from questionbank.protection.person_selectors import backups_with, erasure_plan, person_archive
from questionbank.protection.retention_services import KINDS, LONGEST, retention_days, retention_old, retention_set

PIECE = 2**16  # bytes
KEEP, DELETE = "keep", "delete"


class ErasureForm(ServiceForm):
    """What happens to the person's work, and the log-in name as a confirmation."""

    work = forms.ChoiceField(
        label="Their questions, lists and worksheets",
        choices=[
            (KEEP, "Keep what others can use; it is by “a former colleague”"),
            (DELETE, "Delete them too, except questions that others use"),
        ],
        widget=forms.RadioSelect,
        initial=KEEP,
    )
    username = forms.CharField(label="Log-in name of the person, to confirm", max_length=150)

    def __init__(self, *args: Any, person: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._person = person

    def clean_username(self) -> str:
        """Check that the log-in name is this person's."""
        username: str = self.cleaned_data["username"]
        if username != self._person.username:
            raise forms.ValidationError("This is not the log-in name of this person.")
        return username


@form_for("people_manage")
def person_delete_page(request: HttpRequest, person_id: int) -> HttpResponse:
    """Show what deleting a person does, delete them, and show what is left to look at."""
    person = person_get(person_id=person_id)
    form = ErasureForm(posted(request), person=person)
    if form.is_valid():
        with form.takes_problems():
            backups = backups_with(person=person)
            left = person_erase(user=request.user, person=person, with_work=form.cleaned_data["work"] == DELETE)
            return render(request, "protection/deleted.html", {"left": left, "backups": backups})
    plans = [
        (label, erasure_plan(person=person, with_work=work == DELETE)) for work, label in form.fields["work"].choices
    ]
    context = {"person": person, "form": form, "plans": plans, "is_oneself": person == request.user}
    return render(request, "protection/delete.html", context, status=form.status)


@page_for("people_manage")
def person_export(_request: HttpRequest, person_id: int) -> StreamingHttpResponse:
    """Return everything that is tied to a person as a ZIP file."""
    return _archive_of(person_get(person_id=person_id))


@require_safe
def own_data(request: HttpRequest) -> StreamingHttpResponse:
    """Return everything that is tied to the person who asks as a ZIP file."""
    return _archive_of(person_get(person_id=request.user.pk))


def _archive_of(person: User) -> StreamingHttpResponse:
    pieces = _pieces(person)
    next(pieces)  # errors then occur before the response begins
    response = StreamingHttpResponse(pieces, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="kindred-{person.pk}-{timezone.localdate()}.zip"'
    return response


def _pieces(person: User) -> Iterator[bytes]:
    with TemporaryFile() as file:
        person_archive(person=person, file=file)
        file.seek(0)
        yield b""
        while piece := file.read(PIECE):
            yield piece


class RetentionForm(ServiceForm):
    """For each kind of data the number of days; an empty field keeps it for ever."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind in KINDS:
            if not kind.rule:
                self.fields[kind.word] = forms.IntegerField(
                    label=f"Days kept: {kind.name}",
                    min_value=1,
                    max_value=kind.most or LONGEST,
                    required=bool(kind.most),
                )


@form_for("people_manage")
def retention_page(request: HttpRequest) -> HttpResponse:
    """Show what is kept and what is too old, and set the limits; `show` tries limits without saving them."""
    days = retention_days()
    form = RetentionForm(posted(request), initial=days)
    is_trial = "show" in request.POST and form.is_valid()
    if form.is_valid() and not is_trial:
        retention_set(user=request.user, days=form.cleaned_data)
        messages.success(request, "Saved. What is too old is deleted once a day.")
        return redirect("data_protection")
    old = retention_old(form.cleaned_data if is_trial else days)
    rows = [
        {
            "kind": kind,
            "amount": kind.amount(),
            "field": form[kind.word] if kind.word in form.fields else None,
            "old": old.get(kind.word, 0),
        }
        for kind in KINDS
    ]
    return render(
        request, "protection/retention.html", {"rows": rows, "form": form, "is_trial": is_trial}, status=form.status
    )
