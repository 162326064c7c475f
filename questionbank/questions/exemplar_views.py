"""Worked exemplars of a stored or pasted question, the prompt built from them, and the answer they lead to."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from analytics.analogy.exemplars import PromptSettings
from analytics.errors import DataError
from analytics.languages import detect_language
from questionbank.bank.question_forms import PASTE_LIMIT
from questionbank.bank.question_selectors import question_get
from questionbank.core.errors import NotFound, ServiceUnavailable, ValidationFailed
from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, page_for, render_page
from questionbank.core.wording import whole_number
from questionbank.jobs.run_selectors import run_get, run_wait
from questionbank.models import Question, Run
from questionbank.questions.paste_views import pasted_of
from questionbank.registry.language_model_selectors import configured_language_model
from questionbank.registry.language_model_services import model_answer_request
from questionbank.registry.serving import serving
from questionbank.similar.exemplars import WorkedExemplars, exemplar_prompt, question_exemplars, text_exemplars
from questionbank.solving.solutions import SolvedText, answer_checks, answer_shown, solved_or_none

_DEFAULTS = PromptSettings()


class PromptForm(ServiceForm):
    """Format, order and budget; missing or invalid values fall back to the defaults."""

    answers = forms.ChoiceField(
        label="Answers",
        required=False,
        choices=[
            ("", "Same format as most exemplars"),
            ("equation", "Equation: x=6*4-3"),
            ("solution", "Worked solution, ending in #### 21"),
            ("answer", "Answer alone: 21"),
        ],
    )
    order = forms.ChoiceField(
        label="Order",
        required=False,
        choices=[("nearest last", "Most similar last"), ("nearest first", "Most similar first")],
    )
    budget = forms.IntegerField(
        label="Maximum tokens",
        required=False,
        min_value=50,
        max_value=100_000,
        help_text="The least similar exemplars are left out until the prompt fits.",
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.initial = {"order": _DEFAULTS.order, "budget": _DEFAULTS.budget, **self.initial}

    @property
    def settings(self) -> PromptSettings:
        """The requested settings."""
        self.is_valid()
        data = self.cleaned_data if self.is_bound else {}
        return PromptSettings(
            answers=data.get("answers") or "",
            order=data.get("order") or _DEFAULTS.order,
            budget=data.get("budget") or _DEFAULTS.budget,
        )


class TextPromptForm(PromptForm):
    """The same form for a pasted text, which is submitted along with it."""

    text = forms.CharField(max_length=PASTE_LIMIT, widget=forms.HiddenInput)


@page_for("read")
def question_exemplars_page(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the worked exemplars of a stored question."""
    question = question_get(question_id=question_id, user=request.user)
    solved = solved_or_none(question.analysed_text, question.language, question)
    worked = _worked(question.analysed_text, question.language, solved, question)
    form = PromptForm(request.GET if set(PromptForm.base_fields) & set(request.GET) else None)
    context = _context(question.analysed_text, worked, solved, form.settings, question) | {
        "question": question,
        "language": question.language,
        "form": form,
    }
    return render(request, "bank/questions/exemplars.html", context)


@button_for("read", back="paste")
def pasted_exemplars(request: HttpRequest) -> HttpResponse:
    """Show the worked exemplars of a text that is not in the bank."""
    form = TextPromptForm(_with_defaults(request.POST))
    if not form.is_valid() and "text" in form.errors:
        is_empty = not request.POST.get("text", "").strip()
        messages.warning(request, "Paste a question first." if is_empty else form.errors["text"][0])
        return redirect("paste")
    pasted = pasted_of(request.POST)
    text, language = pasted.question, pasted.language
    solved = solved_or_none(text, language)
    worked = _worked(text, language, solved)
    context = _context(text, worked, solved, form.settings, None) | {"text": text, "language": language, "form": form}
    return render(request, "bank/questions/exemplars.html", context)


@button_for("language_model_ask", back="paste")
def model_ask(request: HttpRequest) -> HttpResponse:
    """Have the language model answer a stored question (`question`) or a pasted one (`text`) in a job."""
    number = whole_number(request.POST.get("question", ""))
    question = None if number is None else question_get(question_id=number, user=request.user)
    text = question.analysed_text if question else request.POST.get("text", "").strip()[:PASTE_LIMIT]
    if not text:
        raise ValidationFailed("There is no question to ask about.")
    language = question.language if question else detect_language(text)
    form = PromptForm(request.POST)
    solved = solved_or_none(text, language, question)
    worked = _worked(text, language, solved, question)
    try:
        prompt = exemplar_prompt(text, worked.exemplars, form.settings)
    except DataError as error:
        raise ValidationFailed(str(error)) from error
    run = model_answer_request(
        text=text, language=language, prompt=prompt.text, answers=prompt.answers, user=request.user, question=question
    )
    return redirect("model_answer", run_id=run.pk)


@page_for("read")
def model_answer(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show the language model's answer, and whether the solver agrees.

    The page polls until the job has finished.
    """
    run = run_get(run_id=run_id)
    if run.kind != "ask" or "text" not in run.parameters or not _may_see(request, run):
        raise NotFound("There is no such answer.")
    text, language, number = (run.parameters[name] for name in ("text", "language", "question"))
    question = None if number is None else question_get(question_id=number, user=request.user)
    solved = solved_or_none(text, language, question)
    value = run.result.get("value")
    context = {
        "run": run,
        "question": question,
        "text": text,
        "language": language,
        "solved": solved,
        "answer": "" if value is None else answer_shown(value),
        "checks": [] if value is None else answer_checks(value, solved=solved, question=question),
        "wait": run_wait(run=run),
    }
    return render_page(request, "bank/questions/model_answer.html", "bank/questions/_model_answer.html", context)


def _may_see(request: HttpRequest, run: Run) -> bool:
    """Return whether the person asked about this pasted text or is an admin; stored questions are checked elsewhere."""
    is_own = run.requested_by_id == request.user.pk or request.user.has_perm("questionbank.runs_manage")
    return run.parameters["question"] is not None or is_own


def _worked(text: str, language: str, solved: SolvedText | None, question: Question | None = None) -> WorkedExemplars:
    """Return the exemplars; if the bank has no vectors or the model is missing, none and a notice with the reason."""
    try:
        if question is not None:
            return question_exemplars(question=question, solved=solved, serving=serving())
        return text_exemplars(text=text, language=language, solved=solved, serving=serving())
    except ServiceUnavailable as error:
        return WorkedExemplars((), shape="", lens="", notice=str(error), applied=None, voters=0)


def _with_defaults(sent: Any) -> Any:
    """Return the submitted data, with the default prompt settings if the form comes from the paste page."""
    data = sent.copy()
    usual = PromptSettings()
    data.setdefault("order", usual.order)
    data.setdefault("budget", str(usual.budget))
    return data


def _context(
    text: str, worked: WorkedExemplars, solved: SolvedText | None, settings: PromptSettings, question: Question | None
) -> dict[str, Any]:
    try:
        prompt, problem = exemplar_prompt(text, worked.exemplars, settings), ""
    except DataError as error:
        prompt, problem = None, str(error)
    applied = worked.applied
    checks = answer_checks(applied.value, solved=solved, question=question) if applied else []
    return {
        "worked": worked,
        "solved": solved,
        "prompt": prompt,
        "prompt_problem": problem,
        "language_model": configured_language_model(),
        "applied_answer": answer_shown(applied.value) if applied else "",
        "applied_checks": checks,
        "applied_contradicted": any(check.is_certain and not check.agrees for check in checks),
    }
