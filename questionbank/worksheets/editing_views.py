"""Editing worksheets: rows, sections, points, layout, versions and filling up; only the owner may do so."""

from __future__ import annotations

from contextlib import suppress
from datetime import date

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.bank.concept_selectors import choices_of, concepts_to_choose
from questionbank.bank.list_selectors import items_of_list, questions_of_list
from questionbank.bank.owned_views import visibility_context
from questionbank.bank.question_forms import chosen_concepts
from questionbank.bank.question_selectors import visible_to
from questionbank.core.errors import ValidationFailed
from questionbank.core.views import button_for, form_for, page_for, render_deletion
from questionbank.core.wording import counted, whole_number
from questionbank.models import Question, Worksheet
from questionbank.worksheets.forms import (
    AddQuestionsForm,
    FillUpForm,
    ItemForm,
    LayoutForm,
    NewSectionForm,
    SectionForm,
)
from questionbank.worksheets.mark_selectors import worksheet_places
from questionbank.worksheets.selectors import fill_up, worksheet_get, worksheet_languages, worksheet_rows
from questionbank.worksheets.services import (
    LONGEST_WORKSHEET,
    worksheet_add,
    worksheet_add_section,
    worksheet_delete,
    worksheet_draw_anew,
    worksheet_item_move,
    worksheet_item_remove,
    worksheet_item_update,
    worksheet_items_update,
    worksheet_order,
    worksheet_update,
    worksheet_use_forget,
)
from questionbank.worksheets.views import say_added, worksheet_facts


@page_for("read")
def worksheet_edit(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Show a worksheet's rows with their editing actions."""
    return _edit_page(request, worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True))


def _edit_page(
    request: HttpRequest,
    worksheet: Worksheet,
    *,
    add_form: AddQuestionsForm | None = None,
    section_form: NewSectionForm | None = None,
    all_form: ItemForm | None = None,
) -> HttpResponse:
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    forms = {
        "add_form": add_form or AddQuestionsForm(user=request.user, auto_id="add-%s"),
        "section_form": section_form or NewSectionForm(auto_id="section-%s", rows=rows),
        "all_form": all_form or ItemForm(auto_id="all-%s"),
    }
    context = {
        "worksheet": worksheet,
        "is_owner": True,
        "tab": "edit",
        "rows": rows,
        "longest": LONGEST_WORKSHEET,
        **worksheet_facts(rows),
        **forms,
    }
    is_wrong = any(form.is_bound and form.errors for form in (add_form, section_form, all_form) if form)
    return render(request, "worksheets/edit.html", context, status=422 if is_wrong else 200)


@form_for("read")
def worksheet_layout(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Change the appearance of a worksheet, how its versions are generated, and who sees it."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    initial = {name: getattr(worksheet, name) for name in LayoutForm.base_fields}
    form = LayoutForm(request.POST or None, initial=initial)
    if form.is_valid():
        with form.takes_problems():
            worksheet_update(user=request.user, worksheet=worksheet, **form.cleaned_data)
            messages.success(request, "The worksheet is saved.")
            return redirect("worksheet_detail", worksheet_id=worksheet.pk)
        worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    context = {"worksheet": worksheet, "form": form, "tab": "layout", "is_owner": True}
    context |= visibility_context(request, worksheet, "worksheet_visibility")
    return render(request, "worksheets/layout.html", context, status=form.status)


@button_for("read", back="worksheet_index")
def worksheet_draw(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Regenerate the versions after version A."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    worksheet_draw_anew(user=request.user, worksheet=worksheet)
    messages.success(request, "The versions are drawn again. Download their keys again, too.")
    return redirect("worksheet_detail", worksheet_id=worksheet.pk)


@form_for("read")
def worksheet_delete_page(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Delete a worksheet after confirmation."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    if request.method == "POST":
        worksheet_delete(user=request.user, worksheet=worksheet)
        messages.success(request, "The worksheet is deleted. Its questions are still in the bank.")
        return redirect("worksheet_index")
    return render_deletion(
        request,
        f"Delete “{worksheet.name}”?",
        consequence="The worksheet cannot be brought back."
        " Its questions stay in the bank, and so does the record of when they were used.",
        button="Delete the worksheet",
        back=reverse("worksheet_detail", args=[worksheet.pk]),
    )


@form_for("read")
def worksheet_fill_up(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Add questions with given concepts and difficulties, all unlike each other."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    languages, usual = worksheet_languages(worksheet=worksheet)
    is_finding = request.POST.get("action") == "find_concept"
    form = FillUpForm(request.POST or None, languages=languages, initial={"language": usual})
    concepts = chosen_concepts(request.POST)
    if request.method == "POST" and not is_finding and form.is_valid():
        rows = worksheet_rows(worksheet=worksheet, user=request.user)
        taken = [row.question for row in rows if row.question is not None]
        wish = form.wish([choice.id for choice in choices_of(concepts)])
        filled = fill_up(wish=wish, taken=taken, user=request.user)
        with form.takes_problems():
            added = worksheet_add(user=request.user, worksheet=worksheet, questions=filled.questions)
            _say_filled(request, added.number, wish.number, filled.near_duplicates)
            return redirect("worksheet_edit", worksheet_id=worksheet.pk)
    query = request.POST.get("concept_query", "").replace("\x00", "").strip()
    context = {"worksheet": worksheet, "form": form, **concepts_to_choose(query=query, chosen=concepts)}
    is_wrong = form.is_bound and not is_finding and bool(form.errors)
    return render(request, "worksheets/fill_up.html", context, status=422 if is_wrong else 200)


def _say_filled(request: HttpRequest, added: int, wanted: int, near_duplicates: int) -> None:
    if added:
        messages.success(request, f"{counted(added, 'question was', 'questions were')} added at the end.")
    if added < wanted:
        sentence = (
            f"The bank has only {added} more such questions." if added else "The bank has no more such questions."
        )
        if near_duplicates:
            sentence += f" {near_duplicates} were passed over because they read almost like another one."
        messages.warning(request, f"{sentence} Choose more concepts or a wider range of difficulty.")


@button_for("read", back="worksheet_index")
def worksheet_add_view(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Add questions from a list, or by number."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    form = AddQuestionsForm(request.POST, user=request.user, auto_id="add-%s")
    if form.is_valid():
        numbers = form.cleaned_data["numbers"]
        by_number = Question.objects.filter(visible_to(request.user)).defer("search_vector").in_bulk(numbers)
        if missing := [number for number in numbers if number not in by_number]:
            form.add_error("numbers", f"There is no question {missing[0]}.")
        else:
            questions = [by_number[number] for number in numbers]
            listed = None
            if question_list := form.cleaned_data["question_list"]:
                questions += questions_of_list(question_list=question_list, user=request.user)
                listed = items_of_list(question_list=question_list)
            with form.takes_problems():
                added = worksheet_add(user=request.user, worksheet=worksheet, questions=questions, listed=listed)
                say_added(request, added)
                return redirect("worksheet_edit", worksheet_id=worksheet.pk)
    return _edit_page(request, worksheet, add_form=form)


@button_for("read", back="worksheet_index")
def worksheet_section(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Start a section after the row given by `after`, or at the end."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    form = NewSectionForm(request.POST, auto_id="section-%s", rows=rows)
    if form.is_valid():
        with form.takes_problems():
            item = worksheet_add_section(user=request.user, worksheet=worksheet, **form.cleaned_data)
            return redirect(f"{reverse('worksheet_edit', args=[worksheet.pk])}#item-{item.pk}")
    return _edit_page(request, worksheet, section_form=form)


@button_for("read", back="worksheet_index")
def worksheet_by_difficulty(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Sort the questions of each section by difficulty."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    places = worksheet_places(rows)
    worksheet_order(user=request.user, worksheet=worksheet, places=places)
    asked = [row.question for row in rows if row.number]
    unknown = sum(question is not None and question.pk not in places for question in asked)
    messages.success(request, "The questions are in the order of their difficulty, the easiest first.")
    if unknown:
        which = counted(unknown, "question comes", "questions come")
        messages.warning(request, f"{which} last, because the difficulty is not known.")
    return redirect("worksheet_edit", worksheet_id=worksheet.pk)


@button_for("read", back="worksheet_index")
def worksheet_items(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Set the entered points and lines for every question; empty fields change nothing."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    form = ItemForm(request.POST, auto_id="all-%s")
    if form.is_valid():
        given = {name: value for name, value in form.cleaned_data.items() if value is not None}
        number = worksheet_items_update(user=request.user, worksheet=worksheet, **given)
        if given:
            messages.success(request, f"Saved for {counted(number, 'question', 'questions')}.")
        return redirect("worksheet_edit", worksheet_id=worksheet.pk)
    return _edit_page(request, worksheet, all_form=form)


@button_for("read", back="worksheet_index")
def worksheet_item(request: HttpRequest, worksheet_id: int, item_id: int) -> HttpResponse:
    """Save a row's form, then move it to `position` or remove it (`action` remove); redirect back to the row."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    edit_page = reverse("worksheet_edit", args=[worksheet.pk])
    if request.POST.get("action") == "remove":
        worksheet_item_remove(user=request.user, worksheet=worksheet, item_id=item_id)
        return redirect(edit_page)
    form_class = SectionForm if "heading" in request.POST else ItemForm
    form = form_class(request.POST)
    if form_class is SectionForm or form.data.keys() & {"points", "answer_lines"}:
        try:
            if not form.is_valid():
                raise ValidationFailed(next(iter(form.errors.values()))[0])
            worksheet_item_update(user=request.user, worksheet=worksheet, item_id=item_id, **form.cleaned_data)
        except ValidationFailed as error:
            if request.htmx:
                return HttpResponse(str(error), status=422, content_type="text/plain; charset=utf-8")
            messages.error(request, f"This was not saved: {error}")
            return redirect(f"{edit_page}#item-{item_id}")
    if (position := whole_number(request.POST.get("position", ""), digits=4)) is not None:
        worksheet_item_move(user=request.user, worksheet=worksheet, item_id=item_id, position=position)
    return redirect(f"{edit_page}#item-{item_id}")


@button_for("read", back="worksheet_index")
def worksheet_uses(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Delete the record that the worksheet was used on a `day`."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    with suppress(ValueError):
        day = date.fromisoformat(request.POST.get("day", ""))
        if worksheet_use_forget(user=request.user, worksheet=worksheet, day=day):
            messages.success(request, f"It no longer counts as used on {day:%-d %B %Y}.")
    return redirect("worksheet_detail", worksheet_id=worksheet.pk)
