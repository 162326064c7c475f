"""What a question computes: its equation, and the questions with the same computation."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from analytics.text.tokens import detect_language
from questionbank.bank.question_forms import PASTE_LIMIT
from questionbank.bank.question_selectors import question_get
from questionbank.core.errors import NotFound, ValidationFailed
from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, form_for, page_for, posted, render_page
from questionbank.formats.limits import EQUATION_LIMIT
from questionbank.jobs.run_selectors import run_get, run_wait
from questionbank.models import Run
from questionbank.solving.checks import second_opinion_kept
from questionbank.solving.computations import question_computation
from questionbank.solving.services import equation_accept, second_opinion_request
from questionbank.solving.solutions import computed_alike, kept_solved, solved_or_none

SHOWN = 50


class EquationForm(ServiceForm):
    """An equation, and the version of the question that its author read."""

    main_field = "equation"

    equation = forms.CharField(
        label="Equation",
        max_length=EQUATION_LIMIT,
        required=False,
        help_text=(
            "Numbers, brackets, + - × ÷ (or * /), ^ and %, without the result. Clear the field to remove the equation."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "code"}),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**31 - 1)


@page_for("read")
def question_computed_alike(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the questions with the same computation as this one."""
    question = question_get(question_id=question_id, user=request.user)
    context = {
        "question": question,
        "alike": computed_alike(question=question, user=request.user, limit=SHOWN),
        "computation": question_computation(question),
    }
    return render(request, "bank/questions/computed_alike.html", context)


@button_for("language_model_ask", back="paste")
def second_opinion_ask(request: HttpRequest) -> HttpResponse:
    """Have a typed text (`text`) solved in a job, which also queries the language model."""
    text = request.POST.get("text", "").strip()[:PASTE_LIMIT]
    if not text:
        raise ValidationFailed("There is no question to solve.")
    run = second_opinion_request(text=text, language=detect_language(text), user=request.user)
    return redirect("second_opinion", run_id=run.pk)


@page_for("read")
def second_opinion(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show how a typed text is solved: by the page's solver, and by the job once it has finished."""
    run = run_get(run_id=run_id)
    is_own = run.requested_by_id == request.user.pk or request.user.has_perm("questionbank.runs_manage")
    if run.kind != "opinion" or "text" not in run.parameters or not is_own:
        raise NotFound("There is no such solution.")
    text, language = run.parameters["text"], run.parameters["language"]
    found = run.result if run.state == Run.State.SUCCEEDED else None
    opinion = None if found is None else second_opinion_kept(found)
    by_both = " and the language model" if opinion and opinion.written else ""
    context = {
        "run": run,
        "opinion": opinion,
        "text": text,
        "language": language,
        "solved": solved_or_none(text, language)
        if found is None
        else kept_solved(text, found["alternatives"], found["reason"], found["solver"] + by_both),
        "wait": run_wait(run=run),
    }
    return render_page(request, "bank/questions/second_opinion.html", "bank/questions/_second_opinion.html", context)


@form_for("equation_edit")
def question_equation(request: HttpRequest, question_id: int) -> HttpResponse:
    """Accept the solver's equation for a question, or write another one."""
    question = question_get(question_id=question_id, user=request.user)
    equation = getattr(question, "equation", None)
    proposed = request.GET.get("equation", "")[:EQUATION_LIMIT] or (equation.expression if equation else "")
    form = EquationForm(posted(request), initial={"equation": proposed, "version": question.version})
    if form.is_valid():
        version, expression = form.cleaned_data["version"], form.cleaned_data["equation"]
        with form.takes_problems():
            equation_accept(user=request.user, question=question, version=version, expression=expression)
            messages.success(request, "Equation saved." if expression.strip() else "Equation removed.")
            return redirect("question_detail", question_id=question.pk)
    context = {"question": question, "form": form}
    return render(request, "bank/questions/equation.html", context, status=form.status)
