"""What a question computes: its equation, and the questions that are computed alike."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.formats.limits import EQUATION_LIMIT
from questionbank.forms.word_problems import EquationForm
from questionbank.selectors.questions.computations import question_computation
from questionbank.selectors.questions.questions import question_get
from questionbank.selectors.solving.solutions import (
    computed_alike,
)
from questionbank.services.equations import equation_accept
from questionbank.views.access import form_for, page_for, posted

SHOWN = 50


@page_for("read")
def question_computed_alike(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the questions whose answer is computed as this one's is."""
    question = question_get(question_id=question_id, user=request.user)
    context = {
        "question": question,
        "alike": computed_alike(question=question, user=request.user, limit=SHOWN),
        "computation": question_computation(question),
    }
    return render(request, "questions/computed_alike.html", context)


@form_for("equation_edit")
def question_equation(request: HttpRequest, question_id: int) -> HttpResponse:
    """Accept the solver's equation of a question, or write another one."""
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
    return render(request, "questions/equation.html", context, status=form.status)
