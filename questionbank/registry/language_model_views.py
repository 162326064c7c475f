"""The page of the school's language model: its exam, its verdicts in figures, and the uses that are switched on."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.core.errors import NotFound, ValidationFailed
from questionbank.core.views import button_for, page_for, warning_of
from questionbank.jobs.run_selectors import model_jobs
from questionbank.models import LanguageModelUse, Run
from questionbank.registry.language_model_selectors import configured_language_model, language_model_uses, lapsed_reason
from questionbank.registry.language_model_services import language_model_exam_request, language_model_switch

SENT = {  # what the server receives
    LanguageModelUse.Use.SOLVING: "the text of each word problem that no rule answers",
    LanguageModelUse.Use.PAIRS: "both texts of each pair of paraphrases that is to be reviewed",
    LanguageModelUse.Use.PAPERS: "the numbered lines of test papers, without pictures and fields for names",
    LanguageModelUse.Use.CONCEPTS: "the text of a question, and the names of the hierarchy’s concepts",
}


@page_for("read")
def language_model_page(request: HttpRequest) -> HttpResponse:
    """Show the verdicts of the exam, what each use sends where, and the buttons."""
    examined = {row.use: row for row in language_model_uses()}
    configured = configured_language_model()
    uses = [
        {"word": use.value, "title": use.label, "sent": SENT[use], "row": examined.get(use.value)}
        for use in LanguageModelUse.Use
    ]
    context = {
        "configured": configured if configured is not None and configured.host else None,
        "uses": uses,
        "lapsed": lapsed_reason(),
        "jobs": model_jobs(kind=Run.Kind.EXAM),
    }
    return render(request, "registry/models/language_model.html", context)


@button_for("models_manage", back="language_model")
def language_model_exam(request: HttpRequest) -> HttpResponse:
    """Start the exam."""
    with warning_of(request, ValidationFailed):
        run = language_model_exam_request(user=request.user)
        return redirect("run_detail", run_id=run.pk)
    return redirect("language_model")


@button_for("models_manage", back="language_model")
def language_model_use_switch(request: HttpRequest, use: str) -> HttpResponse:
    """Switch a use on or off."""
    if use not in LanguageModelUse.Use.values:
        raise NotFound("There is no such use of the language model.")
    with warning_of(request):
        row = language_model_switch(use=use, is_on=request.POST.get("switch") == "on", user=request.user)
        state: Any = "on" if row.is_on else "off"
        messages.success(request, f"“{row}” is switched {state}.")
    return redirect("language_model")
