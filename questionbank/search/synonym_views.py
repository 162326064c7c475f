"""Synonyms and abbreviations known to search: everybody sees them, admins change them."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, form_for, page_for
from questionbank.models import SynonymGroup
from questionbank.search.services import synonym_group_delete, synonym_group_save
from questionbank.search.synonyms import synonym_group_get, synonym_groups, synonym_history


class SynonymForm(ServiceForm):
    """Terms, one per line."""

    terms = forms.CharField(
        label="Terms",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="One term a line: names, abbreviations, other spellings. Pages show the first.",
    )


@page_for("read")
def synonym_list(request: HttpRequest) -> HttpResponse:
    """Show all groups, or those with a term that contains `q`, and the history of changes."""
    query = request.GET.get("q", "").replace("\x00", "")[:80]
    context = {"groups": synonym_groups(query), "query": query, "changes": synonym_history()}
    return render(request, "search/synonyms/list.html", context)


@form_for("concepts_edit")
def synonym_create_page(request: HttpRequest) -> HttpResponse:
    """Add a group."""
    return _edit(request, None)


@form_for("concepts_edit")
def synonym_edit_page(request: HttpRequest, group_id: int) -> HttpResponse:
    """Change a group's terms."""
    return _edit(request, synonym_group_get(group_id=group_id))


@button_for("concepts_edit", back="synonym_list")
def synonym_delete_view(request: HttpRequest, group_id: int) -> HttpResponse:
    """Delete a group."""
    group = synonym_group_get(group_id=group_id)
    synonym_group_delete(user=request.user, group=group)
    messages.success(request, f"The synonyms of “{group.terms[0]}” are deleted.")
    return redirect("synonym_list")


def _edit(request: HttpRequest, group: SynonymGroup | None) -> HttpResponse:
    form = SynonymForm(request.POST or None, initial={"terms": "\n".join(group.terms) if group else ""})
    if form.is_valid():
        terms = form.cleaned_data["terms"].splitlines()
        with form.takes_problems():
            synonym_group_save(user=request.user, terms=terms, group=group)
            messages.success(request, "Searches use it within half a minute.")
            return redirect("synonym_list")
    context = {"form": form, "group": group}
    return render(request, "search/synonyms/edit.html", context, status=form.status)
