"""Writing and editing a question, with a preview that needs no JavaScript.

The form's buttons send ``action``: save, preview, add a row of options, find a concept, convert plain maths to
LaTeX. All but save show the form again as submitted. Near duplicates are shown before a new text is saved.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from analytics.analysed_text import analysed_text
from analytics.question_content import as_json
from analytics.text.wholeness import wholeness_marks
from questionbank.bank.answer_content_forms import RowProblem
from questionbank.bank.concept_selectors import concepts_to_choose
from questionbank.bank.question_fields import latex_warnings, read_typed
from questionbank.bank.question_forms import QuestionForm
from questionbank.bank.question_selectors import question_get
from questionbank.bank.question_services import question_create, question_update
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.core.forms import was_too_large
from questionbank.core.views import button_for, check_permission, form_for
from questionbank.core.wording import whole_numbers
from questionbank.models import Question
from questionbank.people.school_selectors import usual_visible_to
from questionbank.similar.insight import near_copies
from questionbank.similar.similarity import SimilarHit


@form_for("question_create")
def question_create_page(request: HttpRequest) -> HttpResponse:
    """Write a new question."""
    if request.method != "POST":
        initial = {"text": request.GET.get("text", ""), "visible_to": usual_visible_to(request.user)}
        return _render(request, QuestionForm(initial=initial))
    if request.POST.get("action") != "save":
        return _unfinished(request)
    form = QuestionForm(request.POST, files=_files(request))
    if form.is_valid():
        doubles = _doubles(request, form)
        if doubles:
            return _render(request, form, doubles=doubles)
        with form.takes_problems():
            question = question_create(
                user=request.user, submission=form.cleaned_data["submission"], **form.service_fields()
            )
            messages.success(request, "The question is in the bank.")
            return redirect("question_detail", question_id=question.pk)
    return _render(request, form, status=422)


@form_for("read")
def question_edit(request: HttpRequest, question_id: int) -> HttpResponse:
    """Edit a question; on a conflicting edit, show both versions."""
    question = question_get(question_id=question_id, user=request.user)
    check_permission(request, "question_edit", question)
    if request.method != "POST":
        concepts = list(question.tags.values_list("concept_id", flat=True))
        equation = getattr(question, "equation", None)
        form = QuestionForm.of_question(question, concepts, equation.expression if equation else "")
        return _render(request, form, question=question)
    if request.POST.get("action") != "save":
        return _unfinished(request, question)
    form = QuestionForm(request.POST, question=question, files=_files(request))
    if form.is_valid():
        doubles = _doubles(request, form, question)
        if doubles:
            return _render(request, form, question=question, doubles=doubles)
        try:
            question_update(
                user=request.user,
                question=question,
                version=form.cleaned_data["version"] or 0,
                seen=whole_numbers(form.data["seen_concepts"]) if "seen_concepts" in form.data else None,
                series=form.series_choice,
                **form.service_fields(),
            )
        except ValidationFailed as error:
            form.add_problems(error)
        except Conflict as error:
            return _render_conflict(request, question, form, error)
        else:
            messages.success(request, "Saved.")
            return redirect("question_detail", question_id=question.pk)
    return _render(request, form, question=question, status=422)


@button_for("read")
def question_preview(request: HttpRequest) -> HttpResponse:
    """Show a preview of the question; requested by htmx while somebody writes."""
    return render(request, "bank/questions/_preview.html", _preview(QuestionForm.unfinished(request.POST)))


@button_for("read")
def concept_choices(request: HttpRequest) -> HttpResponse:
    """Show matching concepts to choose from; requested by htmx."""
    return render(request, "bank/concepts/_choices.html", _concepts(request, QuestionForm.unfinished(request.POST)))


def _unfinished(request: HttpRequest, question: Question | None = None) -> HttpResponse:
    data = request.POST
    if data.get("action") == "read_maths":
        data = data.copy()
        data["text"] = read_typed(data.get("text", "")).text
    form = QuestionForm.unfinished(data, question, files=_files(request))
    if data.get("action", "").startswith("add_"):
        form.add_row(data["action"].removeprefix("add_"))
    return _render(request, form, question=question)


def _files(request: HttpRequest) -> list[UploadedFile]:
    was_too_large(request)  # raises if the disk is full
    return list(request.FILES.getlist("pictures"))


def _render(
    request: HttpRequest,
    form: QuestionForm,
    *,
    question: Question | None = None,
    doubles: list[SimilarHit] | None = None,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "question": question, "doubles": doubles or []}
    if doubles:
        context["seen_doubles"] = fingerprint(_analysed(form))
    context |= _concepts(request, form) | _preview(form)
    return render(request, "bank/questions/form.html", context, status=status)


def _preview(form: QuestionForm) -> dict[str, Any]:
    names = ("text", "kind", "language", "answer", "solution")
    preview = {name: form[name].value() or "" for name in names}
    preview["options"] = [{"label": row["label"], "text": row["text"]} for row in form.rows if row["text"]]
    try:
        preview["content"] = as_json(form.content(preview))
    except RowProblem:
        preview["content"] = {}
    parts = [preview["text"], preview["solution"], *(option["text"] for option in preview["options"])]
    warnings = dict.fromkeys(warning for part in parts for warning in latex_warnings(part))
    typed = read_typed(preview["text"])
    return {
        "preview": preview | wholeness_marks(preview["text"], [row["sha256"] for row in form.picture_rows]),
        "warnings": list(warnings),
        "read_as": typed.text if typed.was_read else "",
    }


def _concepts(request: HttpRequest, form: QuestionForm) -> dict[str, Any]:
    return concepts_to_choose(query=request.POST.get("concept_query", "").strip(), chosen=form.chosen)


def _doubles(request: HttpRequest, form: QuestionForm, question: Question | None = None) -> list[SimilarHit]:
    """Return near duplicates of the text that have not been shown yet on this form."""
    text = _analysed(form)
    if request.POST.get("seen_doubles") == fingerprint(text) or (question and text == question.analysed_text):
        return []
    return near_copies(text=text, user=request.user, exclude=question)


def _analysed(form: QuestionForm) -> str:
    written = form.cleaned_data
    return analysed_text(written["text"], written["options"], written["content"])


def fingerprint(text: str) -> str:
    """Return a hash of a text, ignoring whitespace, so that a form can state for which text duplicates were shown."""
    return sha256(" ".join(text.split()).encode()).hexdigest()


def _render_conflict(request: HttpRequest, question: Question, form: QuestionForm, error: Conflict) -> HttpResponse:
    theirs = question_get(question_id=question.pk, user=request.user)
    context = {
        "message": str(error),
        "question": theirs,
        "mine": _preview(form)["preview"],
        "sent": [
            (name, value)
            for name, values in request.POST.lists()
            if name not in ("csrfmiddlewaretoken", "version")
            for value in values
        ],
    }
    return render(request, "bank/questions/conflict.html", context, status=409)
