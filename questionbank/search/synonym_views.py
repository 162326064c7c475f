"""Synonyms and abbreviations known to search, and their history: everybody sees them, admins change them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.apps import apps
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.bank.history_selectors import names_of, states_after, user_of
from questionbank.core.database import get_or_not_found
from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, form_for, page_for
from questionbank.models import SynonymGroup
from questionbank.search.services import synonym_group_delete, synonym_group_save

_LATEST = 20  # changes shown


@dataclass(frozen=True, slots=True)
class SynonymChange:
    """A group that was added, changed or deleted; `who` is empty for the bank's initial groups."""

    when: datetime
    who: str
    before: str
    after: str


def synonym_groups(text: str = "") -> list[SynonymGroup]:
    """Return all groups by their first term, or those with a term that contains the text."""
    needle = text.casefold().strip()
    groups = SynonymGroup.objects.all()
    matching = [group for group in groups if not needle or any(needle in term.casefold() for term in group.terms)]
    return sorted(matching, key=lambda group: group.terms[0].casefold())


def synonym_group_get(*, group_id: int) -> SynonymGroup:
    """Return a group by its id."""
    return get_or_not_found(SynonymGroup.objects.filter(pk=group_id), "There is no such group of synonyms.")


def synonym_history() -> list[SynonymChange]:
    """Return the latest changes that people made, newest first."""
    changed = apps.get_model("questionbank", "SynonymGroupEvent")._default_manager
    by_people = changed.filter(pgh_context__metadata__user__isnull=False).select_related("pgh_context")
    events = list(by_people.order_by("-pk")[:_LATEST])
    people, (_current, after) = names_of(map(user_of, events)), states_after(events, SynonymGroup)
    changes = []
    for event in events:
        terms, following = ", ".join(event.terms), after[event.pk]
        is_added, is_deleted = event.pgh_label == "insert", event.pgh_label == "delete"
        later = "" if is_deleted or following is None else ", ".join(following.terms)
        changes.append(
            SynonymChange(
                when=event.pgh_created_at,
                who=people.get(user_of(event), ""),
                before="" if is_added else terms,
                after=terms if is_added else later,
            )
        )
    return changes


class SynonymForm(ServiceForm):
    """Terms, one per line."""

    terms = forms.CharField(
        label="Terms",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="One term per line: names, abbreviations, other spellings. Pages show the first.",
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
