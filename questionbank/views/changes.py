"""The history of tags, concepts, roles, settings and imports, for admins."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware

from questionbank.selectors.questions.changes import CHANGE_KINDS, change_page
from questionbank.views.access import page_for


@page_for("changes_read")
def change_list(request: HttpRequest) -> HttpResponse:
    """Show who changed what, newest first; `?kind=` shows one kind, `?before=` older changes."""
    kind = request.GET.get("kind", "")
    kind = kind if kind in CHANGE_KINDS else ""
    try:
        before = parse_datetime(request.GET.get("before", ""))
    except ValueError:
        before = None
    if before is not None and not is_aware(before):
        before = None
    page = change_page(kind=kind, before=before)
    context = {"page": page, "kind": kind, "kinds": CHANGE_KINDS, "is_latest": before is None}
    return render(request, "changes/list.html", context)
