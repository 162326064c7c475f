"""Deleting responses of a pupil, a class or old tests, after showing what would go."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import Any

from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.core.errors import Conflict
from questionbank.core.views import form_for, posted
from questionbank.core.wording import counted
from questionbank.responses.deletion_services import Deletion, responses_delete, responses_found
from questionbank.responses.forms import DeletionForm

_SALT = "kindred.responses.deletion.1"
_ASKED_FOR = 3600  # seconds


@form_for("responses_import")
def response_deletion(request: HttpRequest) -> HttpResponse:
    """Ask whose responses to delete, show what would go, and delete it once that is confirmed.

    What was typed is replaced by keyed hashes at once: the page that asks for the confirmation holds nothing else.
    """
    token = request.POST.get("confirmed", "")
    if token:
        deleted = responses_delete(wanted=_confirmed(request, token), user=request.user)
        said = counted(deleted.responses, "response is", "responses are")
        messages.success(request, f"{said} deleted.")
        return redirect("response_set_list")
    form = DeletionForm(posted(request), user=request.user)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        with form.takes_problems():
            wanted = form.deletion()
            context["found"] = responses_found(wanted=wanted, user=request.user)
            context["wanted"] = wanted
            asked = asdict(wanted) | {"before": wanted.before.isoformat() if wanted.before else ""}
            context["token"] = signing.dumps([request.user.pk, asked], salt=_SALT)
            # Not the bound form: it would show what was typed again.
            context["form"] = DeletionForm(user=request.user)
    return render(request, "responses/deletion.html", context, status=form.status)


def _confirmed(request: HttpRequest, token: str) -> Deletion:
    try:
        owner, asked = signing.loads(token, salt=_SALT, max_age=_ASKED_FOR)
    except signing.BadSignature as error:
        raise Conflict("This page is too old; choose again what to delete.") from error
    if owner != request.user.pk:
        raise Conflict("Somebody else has chosen what to delete; choose again.")
    before = date.fromisoformat(asked["before"]) if asked["before"] else None
    return Deletion(tuple(asked["people"]), asked["class_label"], before)
