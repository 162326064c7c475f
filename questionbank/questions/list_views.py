"""Lists of questions: collect from anywhere, reorder, share, print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.text import slugify

from questionbank.bank.list_selectors import (
    items_of_list,
    own_and_shared,
    question_list_get,
    question_lists,
    questions_of_list,
    sections_begun,
)
from questionbank.bank.list_services import (
    LONGEST_LIST,
    question_list_add,
    question_list_create,
    question_list_delete,
    question_list_move,
    question_list_remove,
    question_list_rename,
)
from questionbank.bank.owned_views import OwnOrNewForm, row_shown, visibility_context
from questionbank.bank.question_selectors import numbered_question_records, visible_to
from questionbank.core.errors import NotFound
from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, form_for, page_for, posted, render_deletion
from questionbank.core.wording import counted, whole_number
from questionbank.imports.views import Exported, export_links, questions_file
from questionbank.models import Question, QuestionList, User
from questionbank.people.owned import NAME_LIMIT
from questionbank.search.page_parts import Selection
from questionbank.search.views import given_query


class QuestionListForm(ServiceForm):
    """A list's name."""

    main_field = "name"

    name = forms.CharField(label="Name", max_length=NAME_LIMIT)


class AddToListForm(OwnOrNewForm):
    """The list to add questions to, or a new one."""

    noun, label = "list", "List"

    with_templates = forms.BooleanField(
        required=False, help_text="The list shows names in place of the numbers. A worksheet leaves such questions out."
    )

    def __init__(self, *args: Any, user: User, questions: Sequence[Question], **kwargs: Any) -> None:
        own = QuestionList.objects.filter(owner=user)
        super().__init__(*args, own=own, **kwargs)
        self.templates = sum(question.draws_numbers for question in questions)
        self._only_templates = self.templates == len(questions)
        several = f"{self.templates} questions that draw their numbers"
        templates = "question that draws its numbers" if self.templates == 1 else several
        self.fields["with_templates"].label = f"Add the {templates}, too"
        self.fields["existing"].initial = own.first()
        if own:
            self.fields["name"].help_text = "A name starts a new list, whichever list is chosen above."

    def clean(self) -> dict[str, Any]:
        """Require consent if every question draws its numbers."""
        cleaned = super().clean()
        if self._only_templates and not cleaned.get("with_templates"):
            self.add_error("with_templates", "Tick the box to add a question that draws its numbers.")
        return cleaned


@form_for("read")
def list_index(request: HttpRequest) -> HttpResponse:
    """Show the person's own lists, those shared by others, and a form for a new list."""
    form = QuestionListForm(request.POST or None)
    if form.is_valid():
        with form.takes_problems():
            question_list = question_list_create(user=request.user, name=form.cleaned_data["name"])
            return redirect("list_detail", list_id=question_list.pk)
    context = {"form": form, "noun": "list", "detail": "list_detail", **own_and_shared(question_lists(), request.user)}
    return render(request, "bank/lists/index.html", context, status=form.status)


@page_for("read")
def list_detail(request: HttpRequest, list_id: int) -> HttpResponse:
    """Show a list's questions in order; `?answers=1` also shows the answers, on screen and in print."""
    question_list = question_list_get(list_id=list_id, user=request.user)
    questions = questions_of_list(question_list=question_list, user=request.user)
    places = [(question, place) for place, question in enumerate(questions, start=1)]
    listed = items_of_list(question_list=question_list)
    context = {
        "question_list": question_list,
        "questions": questions,
        "rows": list(zip(questions, sections_begun(questions, listed), strict=True)),
        "hidden": len(listed) - len(questions),
        "without_figure": [place for question, place in places if question.needs_figure],
        "templates": [place for question, place in places if question.draws_numbers],
        "is_owner": question_list.owner_id == request.user.pk,
        **visibility_context(request, question_list, "list_visibility"),
        "with_answers": request.GET.get("answers") == "1",
        "removed": whole_number(request.GET.get("removed", "")),
        "place": whole_number(request.GET.get("place", ""), digits=4),
        **export_links(len(questions), lambda name: reverse("list_export", args=[question_list.pk, name])),
    }
    return render(request, "bank/lists/detail.html", context)


@page_for("read")
def list_export(request: HttpRequest, list_id: int, format: str) -> HttpResponseBase:
    """Export a list's questions as a file, in the list's order."""
    question_list = question_list_get(list_id=list_id, user=request.user)
    questions = questions_of_list(question_list=question_list, user=request.user)
    stem = slugify(question_list.name) or f"list-{question_list.pk}"
    exported = Exported(
        lambda: numbered_question_records(questions, originals_of=format),
        len(questions),
        stem,
        ("Back to the list", reverse("list_detail", args=[list_id])),
    )
    return questions_file(request, exported, format=format)


@form_for("read")
def list_edit(request: HttpRequest, list_id: int) -> HttpResponse:
    """Rename a list."""
    question_list = question_list_get(list_id=list_id, user=request.user, is_own=True)
    form = QuestionListForm(request.POST or None, initial={"name": question_list.name})
    if form.is_valid():
        with form.takes_problems():
            question_list_rename(user=request.user, question_list=question_list, **form.cleaned_data)
            messages.success(request, "The list is saved.")
            return redirect("list_detail", list_id=list_id)
    context = {"question_list": question_list, "form": form}
    return render(request, "bank/lists/edit.html", context, status=form.status)


@button_for("read", back="list_index")
def list_visibility(request: HttpRequest, list_id: int) -> HttpResponse:
    """Let a school, everybody or only its owner see a list (`visible_to`)."""
    question_list = question_list_get(list_id=list_id, user=request.user)
    return row_shown(request, question_list, page="list_detail", index="list_index")


@form_for("read")
def list_delete(request: HttpRequest, list_id: int) -> HttpResponse:
    """Delete a list, after confirmation."""
    question_list = question_list_get(list_id=list_id, user=request.user, is_own=True)
    if request.method == "POST":
        question_list_delete(user=request.user, question_list=question_list)
        messages.success(request, "The list is deleted. Its questions are still in the bank.")
        return redirect("list_index")
    return render_deletion(
        request,
        f"Delete “{question_list.name}”?",
        consequence="The list cannot be brought back. Its questions stay in the bank.",
        button="Delete the list",
        back=reverse("list_detail", args=[question_list.pk]),
    )


@button_for("read", back="list_index")
def list_item(request: HttpRequest, list_id: int, question_id: int) -> HttpResponse:
    """Move a question within a list (`position`, from 1), remove it or put it back (`action`); then show its place.

    `answers=1` returns to the page with answers; after a removal the query string holds what an undo needs.
    """
    question_list = question_list_get(list_id=list_id, user=request.user, is_own=True)
    position = whole_number(request.POST.get("position", ""), digits=4)
    user, action = request.user, request.POST.get("action")
    query = {"answers": "1"} if request.POST.get("answers") == "1" else {}
    anchor = f"#question-{question_id}"
    if action == "remove":
        place = question_list_remove(user=user, question_list=question_list, question_id=question_id)
        query |= {"removed": str(question_id), "place": str(place)} if place else {}
        anchor = ""
    elif position is not None:
        if action == "put_back":
            questions = _questions([str(question_id)], user)
            question_list_add(user=user, question_list=question_list, questions=questions, with_templates=True)
        question_list_move(user=user, question_list=question_list, question_id=question_id, position=position)
    return redirect(f"{reverse('list_detail', args=[list_id], query=query)}{anchor}")


@form_for("read")
def list_add(request: HttpRequest) -> HttpResponse:
    """Choose a list, or name a new one, for some questions; then go back to `next`.

    `question` gives each id; `all=1` with the parameters of a search means all its matches.
    """
    parameters = request.POST if request.method == "POST" else request.GET
    if parameters.get("all") == "1":
        questions = _matching_questions(parameters, request.user)
        if len(questions) > LONGEST_LIST:
            sentence = f"A list holds up to {LONGEST_LIST} questions. Select fewer to add them to a list."
            messages.warning(request, sentence)
            return redirect(f"{reverse('selection')}?{parameters.urlencode()}")
    else:
        questions = _questions(parameters.getlist("question"), request.user)
    back = parameters.get("next", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        back = ""
    form = AddToListForm(posted(request), user=request.user, questions=questions)
    if form.is_valid():
        with form.takes_problems():
            question_list = form.cleaned_data["existing"] or question_list_create(
                user=request.user, name=form.cleaned_data["name"]
            )
            with_templates = form.cleaned_data["with_templates"]
            added = question_list_add(
                user=request.user, question_list=question_list, questions=questions, with_templates=with_templates
            )
            left_out = 0 if with_templates else form.templates
            messages.success(request, _added_sentence(added, len(questions) - left_out, question_list))
            if left_out:
                messages.warning(request, _left_out_sentence(left_out))
            return redirect(back) if back else redirect("list_detail", list_id=question_list.pk)
    context = {"form": form, "questions": questions, "next": back}
    return render(request, "bank/lists/add.html", context, status=form.status)


def _questions(texts: list[str], user: User) -> list[Question]:
    ids = [number for number in map(whole_number, texts[:LONGEST_LIST]) if number is not None]
    questions = Question.objects.filter(visible_to(user)).defer("search_vector", "content_hash").in_bulk(ids)
    return _checked_questions([questions[pk] for pk in dict.fromkeys(ids) if pk in questions])


def _matching_questions(parameters: QueryDict, user: User) -> list[Question]:
    selection = Selection.from_querydict(parameters, query=given_query(parameters), user=user)
    questions = selection.questions().defer("search_vector", "content_hash").order_by("pk")
    return _checked_questions(list(questions[: LONGEST_LIST + 1]))


def _checked_questions(questions: list[Question]) -> list[Question]:
    if not questions:
        raise NotFound("There is no such question in the bank.")
    return questions


def _left_out_sentence(number: int) -> str:
    one, several = "question that draws its numbers was", "questions that draw their numbers were"
    return f"{counted(number, one, several)} left out."


def _added_sentence(added: int, asked: int, question_list: QuestionList) -> str:
    if added:
        return f"{counted(added, 'question was', 'questions were')} added to “{question_list.name}”."
    return f"The {'question is' if asked == 1 else 'questions are'} already on “{question_list.name}”."
