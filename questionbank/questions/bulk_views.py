"""Questions selected on the search page: changing them together, undoing that, and exporting them.

Duplicates are compared side by side or listed as near copies of an import's questions, and merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.bank.bulk_selectors import (
    bulk_change_description,
    bulk_change_get,
    bulk_changes_of,
    bulk_plan,
    merge_outcome,
    tagged_concepts,
)
from questionbank.bank.bulk_services import MergePair, bulk_change_request, bulk_change_undo_request, questions_merge
from questionbank.bank.concept_selectors import choices_of, concept_matches
from questionbank.bank.list_services import LONGEST_LIST
from questionbank.bank.question_forms import GradeField
from questionbank.bank.question_selectors import numbered_question_records, questions_numbered
from questionbank.core.errors import ValidationFailed
from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, check_permission, form_for, page_for, paginated
from questionbank.core.wording import counted, whole_number, whole_numbers
from questionbank.formats.limits import SET_LIMIT
from questionbank.formats.scales import SCALES
from questionbank.imports.views import Exported, export_links, questions_file
from questionbank.models import BulkChange, KnowledgeConcept, Question
from questionbank.people.school_selectors import visible_to_choices
from questionbank.search.page_parts import Selection
from questionbank.search.views import given_query, query_parameters
from questionbank.similar.duplicate_selectors import compared_questions, near_copy_pairs, questions_of_import

Kind = BulkChange.Kind


class BulkForm(ServiceForm):
    """A change without input; subclasses add fields. Its values are stored with the change as JSON.

    The names of its inputs begin with ``set-`` because the query string also holds filters with the same names.
    """

    prefix = "set"

    def values(self) -> dict[str, Any]:
        """Return the values entered; call only after `is_valid`."""
        return dict(self.cleaned_data)


class _LineField(forms.CharField):
    """A one-line text with whitespace normalised."""

    def to_python(self, value: Any) -> str:
        return " ".join(super().to_python(value).split())


class _GradeForm(BulkForm):
    grade = GradeField(help_text="Leave empty to remove the grade.")


class _SourceForm(BulkForm):
    source = _LineField(
        label="Source", max_length=SET_LIMIT, required=False, help_text="Leave empty to remove the source."
    )


class _DifficultyForm(BulkForm):
    difficulty = forms.FloatField(label="Difficulty")
    difficulty_scale = forms.ChoiceField(label="Scale", choices=[(name, name) for name in SCALES], initial="1-5")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        scale, value = SCALES.get(cleaned.get("difficulty_scale", "")), cleaned.get("difficulty")
        if scale is not None and value is not None and not scale.low <= value <= scale.high:
            self.add_error("difficulty", f"Between {scale.low:g} and {scale.high:g} on this scale.")
        return cleaned


class _ConceptsForm(BulkForm):
    add = forms.IntegerField(required=False, widget=forms.HiddenInput)
    remove = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        chosen = {cleaned.get("add"), cleaned.get("remove")} - {None}
        if KnowledgeConcept.objects.filter(pk__in=chosen).count() < len(chosen):
            raise ValidationError("The chosen concept no longer exists.")
        if not chosen:
            raise ValidationError("Choose a concept to add, to remove, or both.")
        if cleaned.get("add") == cleaned.get("remove"):
            raise ValidationError("Choose two different concepts.")
        return cleaned


class _VisibilityForm(BulkForm):
    visible_to = forms.ChoiceField(label="Visible to", choices=visible_to_choices)


BULK_FORMS: Mapping[str, type[BulkForm]] = {  # of each kind but merges, which are chosen on a page of their own
    Kind.PUBLISH: BulkForm,
    Kind.RETIRE: BulkForm,
    Kind.RESTORE: BulkForm,
    Kind.DELETE_DRAFTS: BulkForm,
    Kind.CONCEPTS: _ConceptsForm,
    Kind.GRADE: _GradeForm,
    Kind.SOURCE: _SourceForm,
    Kind.DIFFICULTY: _DifficultyForm,
    Kind.VISIBILITY: _VisibilityForm,
}


SHOWN = 10  # questions in a list on these pages
KEPT_SHOWN = 100


@form_for("read")
def selection_page(request: HttpRequest) -> HttpResponse:
    """Show what can be done with the selected questions, or the preview of a kind of change; POST makes the change."""
    may_change = request.user.has_perm("questionbank.question_create")
    selection = Selection.from_querydict(request.GET, query=given_query(request.GET), user=request.user)
    questions = selection.questions()
    kind = request.GET.get("kind", "")
    kind = kind if may_change and kind in BULK_FORMS else ""
    form = _form(request, kind) if kind else None
    plan = None
    if form is not None and form.is_bound and form.is_valid():
        plan = bulk_plan(questions=questions, kind=kind, values=form.values(), user=request.user)
    if request.method == "POST":
        check_permission(request, "question_create")
        if plan is not None and form is not None and plan.fingerprint == request.POST.get("fingerprint"):
            change = bulk_change_request(
                user=request.user,
                kind=kind,
                values=form.values(),
                question_ids=plan.ids,
                selection=query_parameters(selection.query) | selection.filters.to_query(),
            )
            _say_done(request, change)
            return redirect("bulk_change_detail", change_id=change.pk)
        messages.warning(request, "The questions have changed since the preview. Check it again.")
    pairs = [*query_parameters(selection.query).items(), *selection.to_query()]
    count = questions.count()
    listed = pairs if selection.is_all else [("question", pk) for name, pk in pairs if name == "id"]
    context = {
        "selection": selection,
        "count": count,
        "first": questions.order_by("pk")[:SHOWN],
        "pairs": pairs,
        "back": _address("question_list", [pair for pair in pairs if pair[0] not in ("id", "all")]),
        **export_links(count, lambda name: f"{reverse('selection_export', args=[name])}?{urlencode(pairs)}"),
        "to_list": _address("list_add", listed) if count <= LONGEST_LIST else "",
        "longest_list": LONGEST_LIST,
        "may_change": may_change,
        "kinds": [
            (value, Kind(value).label, _address("selection", [*pairs, ("kind", value)]))
            for value in BULK_FORMS
            if value != Kind.VISIBILITY or visible_to_choices()
        ],
        "to_merge": _address("question_merge", listed) if may_change and _may_be_merged(selection, count) else "",
        "kind": kind,
        "form": form,
        "plan": plan,
        "description": bulk_change_description(kind, form.values()) if plan and form else "",
        **(_concept_context(request, questions) if kind == BulkChange.Kind.CONCEPTS else {}),
    }
    return render(request, "bank/bulk_changes/selection.html", context)


def _may_be_merged(selection: Selection, count: int) -> bool:
    return not selection.is_all and 2 <= count <= MOST_COMPARED


def _form(request: HttpRequest, kind: str) -> BulkForm:
    """Return the change's form, bound once its fields are in the query string, or if it has none."""
    form = BULK_FORMS[kind]()
    if not form.fields or "preview" in request.GET:
        return BULK_FORMS[kind](request.GET)
    return form


def _concept_context(request: HttpRequest, questions: Any) -> dict[str, Any]:
    query = request.GET.get("concept_query", "").strip()[:200]
    add = request.GET.get("set-add", "")
    number = whole_number(add)
    chosen = choices_of([] if number is None else [number])
    counts = dict(tagged_concepts(questions=questions))
    return {
        "concept_query": query,
        "add_choices": [*chosen, *(choice for choice in concept_matches(query=query) if choice not in chosen)],
        "chosen_add": add,
        "chosen_remove": request.GET.get("set-remove", ""),
        "remove_choices": [(choice, counts[choice.id]) for choice in choices_of(counts)],
    }


def _address(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    query = urlencode(list(pairs))
    return reverse(name) + (f"?{query}" if query else "")


def _say_done(request: HttpRequest, change: BulkChange) -> None:
    if change.applied_at is None:
        messages.info(request, "A worker changes the questions in the background.")
        return
    messages.success(request, f"Changed {counted(change.changed, 'question', 'questions')}.")


@page_for("read")
def selection_export(request: HttpRequest, format: str) -> HttpResponseBase:
    """Export the selected questions as a file, after showing what its format cannot hold."""
    selection = Selection.from_querydict(request.GET, query=given_query(request.GET), user=request.user)
    pairs = [*query_parameters(selection.query).items(), *selection.to_query()]
    exported = Exported(
        lambda: numbered_question_records(selection.questions(), originals_of=format),
        selection.questions().count(),
        "questions",
        ("Back to the selection", _address("selection", pairs)),
    )
    return questions_file(request, exported, format=format)


@page_for("question_create")
def bulk_change_list(request: HttpRequest) -> HttpResponse:
    """Show the bulk changes that the person may undo, newest first."""
    page = paginated(request, bulk_changes_of(user=request.user), 25)
    rows = [(change, bulk_change_description(change.kind, change.values)) for change in page]
    return render(request, "bank/bulk_changes/list.html", {"page": page, "rows": rows})


@page_for("question_create")
def bulk_change_detail(request: HttpRequest, change_id: int) -> HttpResponse:
    """Show what a change did and what it left out, with a button to undo it."""
    change = bulk_change_get(change_id=change_id, user=request.user)
    changed = change.items.exclude(before=None).order_by("question_id")
    ids = list(changed.values_list("question_id", flat=True)[:SHOWN])
    context = {
        "change": change,
        "description": bulk_change_description(change.kind, change.values),
        "first": Question.objects.filter(pk__in=ids).order_by("pk"),
        "kept": change.kept[:KEPT_SHOWN],
        "search": _address("question_list", change.selection.items()),
        "merged": merge_outcome(change=change) if change.kind == Kind.MERGE else None,
    }
    return render(request, "bank/bulk_changes/detail.html", context)


@button_for("question_create")
def bulk_change_undo(request: HttpRequest, change_id: int) -> HttpResponse:
    """Undo a whole change."""
    change = bulk_change_get(change_id=change_id, user=request.user)
    undone = bulk_change_undo_request(user=request.user, change=change)
    if undone.undone_at is None:
        messages.info(request, "A worker undoes the change in the background.")
    else:
        number = undone.changed - len(undone.kept)
        messages.success(request, f"Undid the change of {counted(number, 'question', 'questions')}.")
    return redirect("bulk_change_detail", change_id=change.pk)


MOST_COMPARED = 6
_QUESTIONS = 25  # per page, whose near copies are looked for


@form_for("question_create")
def question_merge(request: HttpRequest) -> HttpResponse:
    """Compare questions side by side; POST merges the others into the one to keep."""
    sent = request.POST if request.method == "POST" else request.GET
    numbers = dict.fromkeys(number for value in sent.getlist("question") if (number := whole_number(value)))
    if not 2 <= len(numbers) <= MOST_COMPARED:
        raise ValidationFailed(f"Choose 2 to {MOST_COMPARED} questions to compare.")
    if request.method == "POST":
        keep = whole_number(sent.get("keep", ""))
        if keep not in numbers:
            raise ValidationFailed("Choose the question to keep.")
        versions = {number: whole_number(sent.get(f"version-{number}", "")) or 0 for number in numbers}
        pairs = [MergePair(number, keep, versions[number], versions[keep]) for number in numbers if number != keep]
        return _merged(request, questions_merge(user=request.user, pairs=pairs))
    questions = questions_numbered(numbers=numbers, user=request.user)
    compared = compared_questions(questions)
    numbered = ([(each.question, field) for field in each.fields] for each in compared)
    rows = [(cells[0][1].name, cells) for cells in zip(*numbered, strict=True)]
    return render(request, "bank/merging/compare.html", {"compared": compared, "rows": rows})


@form_for("question_create")
def question_near_copies(request: HttpRequest) -> HttpResponse:
    """Show near copies of the questions of an import; POST merges the chosen pairs."""
    if request.method == "POST":
        pairs = [_pair(value) for value in request.POST.getlist("pair")]
        if not pairs:
            raise ValidationFailed("Choose the pairs to merge.")
        return _merged(request, questions_merge(user=request.user, pairs=pairs))
    number = whole_number(request.GET.get("import", "")) or 0
    rows = questions_of_import(run_id=number, user=request.user)
    page = paginated(request, rows.order_by("pk"), _QUESTIONS)
    found, awaited = near_copy_pairs(questions=list(page), user=request.user)
    context = {"run": number, "page": page, "pairs": found, "awaited": awaited}
    return render(request, "bank/merging/near_copies.html", context)


def _pair(sent: str) -> MergePair:
    """Return a pair as the page names it: the two questions and their versions, separated by commas."""
    numbers = whole_numbers(sent)
    if len(numbers) != len(fields(MergePair)):
        raise ValidationFailed("Choose the pairs to merge.")
    return MergePair(*numbers)


def _merged(request: HttpRequest, change: BulkChange) -> HttpResponse:
    if change.applied_at is None:
        messages.info(request, "A worker merges the questions in the background.")
    else:
        messages.success(request, f"Merged {counted(change.changed, 'question', 'questions')}. You can undo it here.")
    return redirect(reverse("bulk_change_detail", args=[change.pk]))
