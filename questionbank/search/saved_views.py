"""The pages of saved searches: one's own and those that others share, with what is new in each."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.bank.owned_views import OwnOrNewForm
from questionbank.core.forms import ServiceForm
from questionbank.core.views import form_for, page_for, paginated, posted, render_deletion, render_page
from questionbank.models import SavedSearch
from questionbank.people.owned import NAME_LIMIT
from questionbank.people.school_selectors import visible_to_of
from questionbank.search.page_parts import SearchState
from questionbank.search.saved_services import (
    saved_figures,
    saved_search_choices,
    saved_search_create,
    saved_search_delete,
    saved_search_get,
    saved_search_open,
    saved_search_replace,
    saved_search_update,
    saved_searches,
)
from questionbank.search.views import described, given_query, moment_text, search_address

SHOWN = 20  # saved searches on a page, whose questions are counted after the page is shown


class SavedSearchForm(ServiceForm):
    """A saved search's name, and who can open it."""

    main_field = "name"

    name = forms.CharField(label="Name", max_length=NAME_LIMIT)
    visible_to = forms.ChoiceField(
        label="Who can open it", help_text="Others find only the questions that they may see. Only you can change it."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["visible_to"].choices = saved_search_choices()  # type: ignore[attr-defined]


class SaveSearchForm(OwnOrNewForm, SavedSearchForm):
    """A saved search to replace, or a new one."""

    noun, label = "saved search", "Save it as"
    field_order = ("existing", "name", "visible_to")


@page_for("read")
def saved_search_list(request: HttpRequest) -> HttpResponse:
    """Show saved searches, one's own first; with `counts=1`, how many questions each finds and how many are new."""
    user = request.user
    page = paginated(request, saved_searches(user=user).order_by("-is_own", "name", "pk"), SHOWN)
    is_counted = request.GET.get("counts") == "1"
    words = described([SearchState.from_saved(row.parameters) for row in page])
    figures = [saved_figures(saved_search=row, user=user) if is_counted else None for row in page]
    rows = list(zip(page, words, figures, strict=True))
    context = {"rows": rows, "page": page, "is_counted": is_counted}
    return render_page(request, "search/saved/list.html", "search/saved/_rows.html", context)


@form_for("read")
def saved_search_create_page(request: HttpRequest) -> HttpResponse:
    """Save the search whose parameters the address has, under a new name or in place of another one."""
    state = SearchState.from_querydict(request.GET, query=given_query(request.GET))
    form = SaveSearchForm(posted(request), own=SavedSearch.unrestricted.filter(owner=request.user))
    if form.is_valid():
        with form.takes_problems():
            if existing := form.cleaned_data.pop("existing"):
                saved = saved_search_replace(user=request.user, saved_search=existing, state=state)
            else:
                saved = saved_search_create(user=request.user, state=state, **form.cleaned_data)
            messages.success(request, f"The search “{saved}” is saved.")
            return redirect("saved_search_list")
    context = {"form": form, "described": described([state])[0], "back": search_address(state)}
    return render(request, "search/saved/create.html", context, status=form.status)


@page_for("read")
def saved_search_results(request: HttpRequest, search_id: int) -> HttpResponse:
    """Go to the results; those that came since the person last opened it are marked there."""
    saved = saved_search_get(search_id=search_id, user=request.user)
    since = None if request.method == "HEAD" else saved_search_open(user=request.user, saved_search=saved)
    return redirect(search_address(SearchState.from_saved(saved.parameters), since=moment_text(since)))


@form_for("read")
def saved_search_edit(request: HttpRequest, search_id: int) -> HttpResponse:
    """Rename a saved search or change who can open it."""
    saved = saved_search_get(search_id=search_id, user=request.user, is_own=True)
    form = SavedSearchForm(posted(request), initial={"name": saved.name, "visible_to": visible_to_of(saved)})
    if form.is_valid():
        with form.takes_problems():
            saved_search_update(user=request.user, saved_search=saved, **form.cleaned_data)
            messages.success(request, "The saved search is changed.")
            return redirect("saved_search_list")
    return render(request, "search/saved/edit.html", {"saved": saved, "form": form}, status=form.status)


@form_for("read")
def saved_search_delete_page(request: HttpRequest, search_id: int) -> HttpResponse:
    """Delete a saved search, after confirmation."""
    saved = saved_search_get(search_id=search_id, user=request.user, is_own=True)
    if request.method == "POST":
        saved_search_delete(user=request.user, saved_search=saved)
        messages.success(request, "The saved search is deleted.")
        return redirect("saved_search_list")
    return render_deletion(
        request,
        f"Delete “{saved.name}”?",
        consequence="The saved search cannot be brought back. The questions stay in the bank.",
        button="Delete the saved search",
        back=reverse("saved_search_list"),
    )
