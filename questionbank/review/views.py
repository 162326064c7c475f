"""The review of paraphrases, one pair per screen, with settlements, guidelines and keys.

Every decision is a button of a plain form; `static/js/review.js` only presses them by key and renews the lease.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render

from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.core.views import button_for, form_for, page_for, posted
from questionbank.core.wording import whole_number
from questionbank.models import ParaphrasePair, Question, ReviewDecision
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.review.evidence_services import decided_in_sight, pair_pieces
from questionbank.review.forms import ACTION_NAMES, KeysForm
from questionbank.review.guideline_services import guideline_read, review_keys_save
from questionbank.review.selectors import (
    grace_seconds,
    guideline_unread,
    may_settle,
    next_to_settle,
    opinions,
    pair_get,
    queue_counts,
    review_keys,
    taken_back,
    was_skipped,
)
from questionbank.review.services import (
    Beat,
    adjudication_decide,
    adjudication_heartbeat,
    adjudication_take,
    review_decide,
    review_heartbeat,
    review_next,
    review_undo,
)

BEATS_A_LEASE = 3


@dataclass(frozen=True, slots=True)
class Button:
    """A decision that can be clicked or typed; `value` is submitted as the form's field `decision`."""

    action: str
    value: str
    label: str
    key: str


@dataclass(frozen=True, slots=True)
class Sent:
    """Input of a refused decision; `problem` describes what is wrong with the fields."""

    pair_id: int
    fields: Mapping[str, str]
    problem: ValidationFailed | None = None


@page_for("review")
def review(request: HttpRequest) -> HttpResponse:
    """Show the reviewer's current pair, or the next one."""
    return _review_page(request)


@button_for("review", back="review")
def review_decide_view(request: HttpRequest, pair_id: int) -> HttpResponse:
    """Store a decision and go on to the next pair."""
    fields = _decision(request)
    try:
        decide = partial(review_decide, reviewer=request.user, pair_id=pair_id, **fields)
        decided_in_sight(decide, seen=_lines(request, "seen"))
    except ValidationFailed as error:
        return _review_page(request, sent=Sent(pair_id, fields, error), status=422)
    except Conflict as error:
        messages.warning(request, str(error))
        if _written(pair_id, fields):
            return _review_page(request, sent=Sent(pair_id, fields), status=409)
    return redirect("review")


@button_for("review", back="review")
def review_undo_view(request: HttpRequest) -> HttpResponse:
    """Undo the last decision and show its pair again."""
    try:
        undone = review_undo(reviewer=request.user, decision_id=whole_number(request.POST.get("decision", "")))
    except (Conflict, NotFound) as error:
        messages.warning(request, str(error))
        return redirect("review")
    messages.success(request, f"Your decision “{undone.get_verdict_display()}” is undone.")
    question = undone.pair.added
    if question is not None:
        question.refresh_from_db(fields=["status"])
        if question.status == Question.Status.RETIRED:
            messages.warning(request, f"Question {question.pk}, which was created from it, is retired.")
    if undone.is_adjudication:
        return redirect("review_settle", pair_id=undone.pair_id)
    return redirect("review")


@form_for("review")
def review_heartbeat_view(request: HttpRequest, pair_id: int) -> HttpResponse:
    """Record that the page is still open: 204, or 409 with the `Beat` if the reviewer no longer has its pair.

    Logging in in another window invalidates the CSRF token in the page's forms; GET returns a new one.
    """
    return _beat(request, review_heartbeat, pair_id)


@form_for("review")
def review_settle_heartbeat_view(request: HttpRequest, pair_id: int) -> HttpResponse:
    """Record the same for a page on which a pair is settled."""
    return _beat(request, adjudication_heartbeat, pair_id)


def _beat(request: HttpRequest, heartbeat: Callable[..., Beat], pair_id: int) -> HttpResponse:
    if request.method != "POST":
        return HttpResponse(get_token(request), content_type="text/plain")
    beat = heartbeat(reviewer=request.user, pair_id=pair_id)
    if beat is Beat.HELD:
        return HttpResponse(status=204)
    return HttpResponse(beat, status=409, content_type="text/plain")


@form_for("review")
def review_settle(request: HttpRequest, pair_id: int) -> HttpResponse:
    """Settle a pair on which reviewers disagree, showing their opinions; one person at a time."""
    sent: Sent | None = None
    late, status = "", 200
    if request.method == "POST":
        fields = _decision(request)
        try:
            decide = partial(adjudication_decide, reviewer=request.user, pair_id=pair_id, **fields)
            decided_in_sight(decide, seen=_lines(request, "seen"))
        except ValidationFailed as error:
            sent, status = Sent(pair_id, fields, error), 422
        except Conflict as error:
            sent, status, late = Sent(pair_id, fields), 409, str(error)
        else:
            return _after_settling(request)
    pair = pair_get(pair_id=pair_id)
    written = _written(pair_id, sent.fields) if sent else {}
    is_early = grace_seconds(pair=pair, person=request.user) > 0
    if pair.state != ParaphrasePair.State.ADJUDICATION or is_early:
        if written:
            return render(request, "review/not_kept.html", {"sentence": late, "written": written}, status=409)
        early = "Your own opinion on this pair is only a few seconds old. Open it again in a moment."
        messages.warning(request, late or (early if is_early else "This pair does not need to be settled."))
        return redirect("review_progress")
    pair_opinions = list(opinions().filter(pair=pair).select_related("reviewer", "guideline").order_by("pk"))
    context: dict[str, Any] = {
        "opinions": pair_opinions,
        "may_settle": may_settle(pair=pair, person=request.user),
        "late": late,
    }
    if context["may_settle"]:
        try:
            pair = adjudication_take(reviewer=request.user, pair_id=pair_id).pair
        except Conflict as error:
            context |= {"taken": str(error), "written": written}
        else:
            context |= {
                "buttons": [button for button in _buttons(request) if button.action not in {"unsure", "skip"}],
                "beat_seconds": _beat_seconds(),
            }
    context |= _pair_context(request, pair, sent=sent, is_adjudication=True)
    return render(request, "review/settle.html", context, status=status)


def _after_settling(request: HttpRequest) -> HttpResponse:
    following = next_to_settle(person=request.user)
    if following is None:
        messages.success(request, "The disagreement is settled. There are no others for you to settle.")
        return redirect("review_progress")
    messages.success(request, "The disagreement is settled. Here is the next one.")
    return redirect("review_settle", pair_id=following.pk)


@button_for("review", back="review")
def review_guidelines_read(request: HttpRequest) -> HttpResponse:
    """Record that the reviewer has read the guidelines (`version`)."""
    version = whole_number(request.POST.get("version", ""))
    guideline_read(reviewer=request.user, version=version or 0)
    return redirect("review")


@form_for("review")
def review_keys_page(request: HttpRequest) -> HttpResponse:
    """Choose one's own keys."""
    form = KeysForm(posted(request), keys=review_keys(reviewer=request.user))
    if form.is_valid():
        with form.takes_problems():
            review_keys_save(reviewer=request.user, keys=form.cleaned_data)
            messages.success(request, "Your keys are saved.")
            return redirect("review")
    return render(request, "review/keys.html", {"form": form}, status=form.status)


def _decision(request: HttpRequest) -> dict[str, str]:
    verdict, _colon, reason = request.POST.get("decision", "").partition(":")
    return {
        "verdict": verdict,
        "reason": reason,
        "text": _lines(request, "text"),
        "comment": _lines(request, "comment"),
    }


def _lines(request: HttpRequest, name: str) -> str:
    """Return a form text with normalised line endings."""
    return request.POST.get(name, "").replace("\r\n", "\n")


def _written(pair_id: int, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields that the reviewer typed in; empty if there are none."""
    pair = ParaphrasePair.objects.filter(pk=pair_id).first()
    text = fields["text"] if pair is None or _is_changed(fields["text"], pair) else ""
    if not text.strip() and not fields["comment"].strip():
        return {}
    return {"pair_id": pair_id, "text": text, "comment": fields["comment"]}


def _is_changed(text: str, pair: ParaphrasePair) -> bool:
    return text.strip() != pair.paraphrase.replace("\r\n", "\n").strip()


def _review_page(request: HttpRequest, *, sent: Sent | None = None, status: int = 200) -> HttpResponse:
    """Show the reviewer's pair, with the input in `sent` filled in, or shown above it if it was for another pair."""
    lease = review_next(reviewer=request.user)
    context: dict[str, Any] = {"counts": queue_counts(), "unread": guideline_unread(reviewer=request.user)}
    if sent and (lease is None or lease.pair_id != sent.pair_id):
        context["written"] = _written(sent.pair_id, sent.fields)
        sent = None
    if lease is not None:
        context |= _pair_context(request, lease.pair, sent=sent)
        context |= {
            "guideline": lease.guideline,
            "was_skipped": was_skipped(pair=lease.pair, reviewer=request.user),
            "buttons": _buttons(request),
            "beat_seconds": _beat_seconds(),
        }
    return render(request, "review/review.html", context, status=status)


def _beat_seconds() -> int:
    return max(1, settings.REVIEW_LEASE_SECONDS // BEATS_A_LEASE)


def _buttons(request: HttpRequest) -> list[Button]:
    keys = review_keys(reviewer=request.user)
    reasons = set(ReviewDecision.Reason.values)
    return [
        Button(
            action=action,
            value=f"reject:{action}" if action in reasons else action,
            label=str(ACTION_NAMES[action]),
            key=key,
        )
        for action, key in keys.items()
        if action not in {"undo", "comment"}
    ]


def _pair_context(
    request: HttpRequest, pair: ParaphrasePair, *, sent: Sent | None = None, is_adjudication: bool = False
) -> dict[str, Any]:
    entered: Mapping[str, str] = sent.fields if sent else {}
    undone = taken_back(pair=pair, reviewer=request.user, is_adjudication=is_adjudication)
    if sent is None and undone is not None:
        entered = {"text": undone.text, "comment": undone.comment}
    problem = sent.problem if sent else None
    text = entered.get("text") or pair.paraphrase
    return pair_pieces(pair) | {
        "pair": pair,
        "has_scorer": artifact_champion(capability="paraphrase") is not None,
        "problem": problem,
        "text": text,
        "seen": entered["text"] if problem and "text" in problem.fields else "",
        "comment": entered.get("comment", ""),
        "comment_key": review_keys(reviewer=request.user)["comment"],
        "is_editing": _is_changed(text, pair) or bool(problem and "text" in problem.fields),
    }
