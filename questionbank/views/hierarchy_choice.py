"""Choosing the hierarchy of predictions: for oneself on a question's page, for the bank on a page of its own."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.selectors.questions.concepts import hierarchy_get
from questionbank.selectors.questions.hierarchy_choice import default_hierarchy
from questionbank.selectors.questions.questions import question_get
from questionbank.services.hierarchy_choice import hierarchy_choose, hierarchy_make_default
from questionbank.views.access import button_for, form_for


@button_for("read")
def question_hierarchy(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show a question's concepts in another hierarchy, and remember the choice for questions without tags."""
    question = question_get(question_id=question_id, user=request.user)
    name = request.POST.get("hierarchy", "").replace("\0", "")
    hierarchy_choose(user=request.user, name=name)
    query = QueryDict(mutable=True)
    query["hierarchy"] = name
    return redirect(f"{reverse('question_detail', args=[question.pk])}?{query.urlencode()}#predicted")


@form_for("concepts_edit")
def hierarchy_default_page(request: HttpRequest, hierarchy_id: int) -> HttpResponse:
    """Make a hierarchy the bank's default, after asking."""
    hierarchy = hierarchy_get(hierarchy_id=hierarchy_id)
    back = f"{reverse('concept_tree')}?hierarchy={hierarchy.pk}"
    if request.method == "POST":
        hierarchy_make_default(user=request.user, hierarchy=hierarchy)
        messages.success(request, f"“{hierarchy.name}” is now the bank's default hierarchy.")
        return redirect(back)
    context = {"hierarchy": hierarchy, "current": default_hierarchy(), "back": back}
    return render(request, "concepts/default_hierarchy.html", context)
