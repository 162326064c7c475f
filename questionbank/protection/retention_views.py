"""The page "Data protection": what is kept, where and how long."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.core.forms import ServiceForm
from questionbank.core.views import form_for, posted
from questionbank.protection.kept_kinds import kept_kinds
from questionbank.protection.retention_services import LONGEST, retention_days, retention_old, retention_set


class RetentionForm(ServiceForm):
    """For each kind of data the number of days; an empty field keeps it for ever."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind in kept_kinds():
            if not kind.rule:
                self.fields[kind.word] = forms.IntegerField(
                    label=f"Days that this is kept: {kind.name}",
                    min_value=1,
                    max_value=kind.most or LONGEST,
                    required=bool(kind.most),
                )


@form_for("people_manage")
def retention_page(request: HttpRequest) -> HttpResponse:
    """Show what is kept and what is too old, and set how long; `show` tries other times without saving them."""
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
        for kind in kept_kinds()
    ]
    return render(
        request, "protection/retention.html", {"rows": rows, "form": form, "is_trial": is_trial}, status=form.status
    )
