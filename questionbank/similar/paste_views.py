"""Pasting a question shows everything the bank knows about it before it is saved."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from analytics.analysed_text import analysed_text
from analytics.text.wholeness import wholeness_marks
from questionbank.bank.concept_selectors import HierarchyChoice, hierarchy_choice
from questionbank.bank.concept_services import hierarchy_choose
from questionbank.bank.question_fields import read_typed
from questionbank.bank.question_forms import chosen_concepts
from questionbank.bank.question_services import question_create
from questionbank.core.views import check_permission, form_for, render_page
from questionbank.models import Question
from questionbank.papers.services import document_question_count
from questionbank.similar.insight import AskedText, text_insight
from questionbank.similar.paste_forms import PasteForm, SavePastedForm, pasted_of
from questionbank.solving.checks import may_have_second_opinion


@form_for("read")
def paste(request: HttpRequest) -> HttpResponse:
    """Analyse a pasted question (`action` look), convert its maths to LaTeX (read_maths) or save it (save)."""
    choice = _hierarchy(request)
    context: dict[str, Any] = {"form": PasteForm(initial={"text": request.GET.get("text", "")}), "choice": choice}
    status = 200
    if request.method == "POST":
        form = PasteForm(_with_maths_written(request.POST))
        context["form"] = form
        if form.is_valid():
            saving = request.POST.get("action") == "save"
            saved = _save(request, context) if saving else None
            if saved is not None:
                return redirect("question_detail", question_id=saved.pk)
            status = 422 if saving else 200
            context |= _insight(request, form.data, choice.name, context.get("save_form"))
        elif not request.htmx:
            status = 422
        elif request.POST.get("text", "").strip():  # an empty box is not an error yet
            context["problem"] = " ".join(form.errors["text"])
    return render_page(request, "similar/paste/paste.html", "similar/paste/_result.html", context, status=status)


def _with_maths_written(sent: QueryDict) -> QueryDict:
    """Return the submitted data, with plain maths converted to LaTeX if that button was pressed."""
    if sent.get("action") != "read_maths":
        return sent
    data = sent.copy()
    data["text"] = read_typed(data.get("text", "")).text
    return data


def _hierarchy(request: HttpRequest) -> HierarchyChoice:
    """Return the hierarchy to predict in, and remember it if it was chosen here."""
    choice = hierarchy_choice(user=request.user, requested=request.POST.get("hierarchy", ""))
    if "hierarchy" in request.POST and choice.name != hierarchy_choice(user=request.user).name:
        hierarchy_choose(user=request.user, name=choice.name)
    return choice


def _save(request: HttpRequest, context: dict[str, Any]) -> Question | None:
    check_permission(request, "question_create")
    form = SavePastedForm(request.POST)
    context["save_form"] = form
    if not form.is_valid():
        return None
    with form.takes_problems():
        question = question_create(user=request.user, **form.service_fields())
        messages.success(request, "The question is in the bank.")
        return question
    return None


def _insight(request: HttpRequest, data: QueryDict, hierarchy: str, save_form: SavePastedForm | None) -> dict[str, Any]:
    user, pasted = request.user, pasted_of(data)
    layout = pasted.layout
    analysed = analysed_text(pasted.question, layout.options)
    asked = AskedText(analysed, layout.text, pasted.language, layout.options)
    insight = text_insight(asked, hierarchy=hierarchy, user=user)
    return {
        "text": layout.text,
        "pasted": {"text": layout.text, "options": layout.options, "language": pasted.language},
        "question_text": pasted.question,
        "may_have_second_opinion": may_have_second_opinion(insight.solved, pasted.language),
        "warnings": pasted.typed.warnings,
        "paper_questions": document_question_count(data.get("text", "")),
        "read_as": pasted.typed.text if pasted.typed.was_read else "",
        "incomplete": wholeness_marks(layout.text),
        "language": pasted.language,
        "language_notice": pasted.notice,
        **vars(insight),
        "save_form": save_form or SavePastedForm.suggested(data, pasted, chosen_concepts(data), user),
        "options": layout.options,
        "chosen": chosen_concepts(data),
    }
