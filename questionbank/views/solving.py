"""What a question computes: its equation, and the questions that are computed alike."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from questionbank.errors import ValidationFailed
from questionbank.formats.limits import EQUATION_LIMIT
from questionbank.forms.equations import EquationForm
from questionbank.selectors.questions.computations import question_computation
from questionbank.selectors.questions.questions import question_get
from questionbank.selectors.solving.solutions import (
    computed_alike,
)
from questionbank.services.equations import equation_accept
from questionbank.views.access import requires

SHOWN = 50


@requires("read")
@require_safe
def question_computed_alike(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the questions whose answer is computed as this one's is."""
    question = question_get(question_id=question_id, user=request.user)
    context = {
        "question": question,
        "alike": computed_alike(question=question, user=request.user, limit=SHOWN),
        "computation": question_computation(question),
    }
    return render(request, "questions/computed_alike.html", context)


@requires("equation_edit")
@require_http_methods(["GET", "HEAD", "POST"])
def question_equation(request: HttpRequest, question_id: int) -> HttpResponse:
    """Accept the solver's equation of a question, or write another one."""
    question = question_get(question_id=question_id, user=request.user)
    if request.method == "POST":
        form = EquationForm(request.POST)
        if form.is_valid():
            try:
                equation_accept(
                    user=request.user,
                    question=question,
                    version=form.cleaned_data["version"],
                    expression=form.cleaned_data["equation"],
                )
            except ValidationFailed as error:
                form.add_error("equation", str(error))
            else:
                is_kept = bool(form.cleaned_data["equation"].strip())
                messages.success(request, "Equation saved." if is_kept else "Equation removed.")
                return redirect("question_detail", question_id=question.pk)
        return render(request, "questions/equation.html", {"question": question, "form": form}, status=422)
    kept = getattr(question, "equation", None)
    proposed = request.GET.get("equation", "")[:EQUATION_LIMIT] or (kept.expression if kept else "")
    form = EquationForm(initial={"equation": proposed, "version": question.version})
    return render(request, "questions/equation.html", {"question": question, "form": form})
