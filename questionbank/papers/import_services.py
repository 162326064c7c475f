"""Import a reviewed test paper into the bank: a job like any other import, with a report and an undo."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import transaction

from analytics.question_content import PRINTED, Picture, content_of, total_points
from analytics.records import ConceptPath, QuestionRecord
from questionbank.bank.attachment_services import AttachmentStore
from questionbank.bank.concept_services import concept_paths_known
from questionbank.bank.list_services import ListedPlace, question_list_add, question_list_create
from questionbank.bank.question_selectors import picture_bytes
from questionbank.core.errors import Conflict, LineProblem, LineWarning, NotAllowed, ValidationFailed
from questionbank.formats import Entry
from questionbank.formats.fields import FieldProblems
from questionbank.formats.limits import CONCEPT_DEPTH_LIMIT, SET_LIMIT
from questionbank.formats.pictures import PictureRefused
from questionbank.formats.rows import record_warnings
from questionbank.imports.options import ImportOptions, allowed_status
from questionbank.imports.services import import_reported
from questionbank.jobs import run_services as runs
from questionbank.jobs.progress import JobReporter
from questionbank.models import DocumentDraft, KnowledgeHierarchy, Question, QuestionList, Run, User
from questionbank.papers.paper_lines import page_name
from questionbank.papers.pdf.pages import PagePicture, cut_out
from questionbank.papers.question_records import bank_record
from questionbank.papers.selectors import DocumentReview, FoundItem, document_questions_by_place, document_review
from questionbank.people.school_selectors import shows_to


def keep_printed(items: Iterable[FoundItem], pictures: Mapping[str, str]) -> dict[int, str]:
    """Store a picture of each question that may have been read wrongly, as printed.

    Args:
        pictures: SHA-256 by name, as stored in a draft; includes the pictures of pages.

    Returns:
        SHA-256 of the picture by the question's place; questions of documents without pages are absent.
    """
    store = AttachmentStore()
    kept: dict[int, str] = {}
    opened: dict[int, PagePicture | None] = {}
    for item in items:
        if not item.areas or not (item.found.doubts or item.is_uncertain):
            continue
        for number in {area[0] for area in item.areas} - opened.keys():
            data = picture_bytes(pictures.get(page_name(number)) or "none")
            opened[number] = PagePicture(data) if data else None
        cut = cut_out([(page, area) for area in item.areas if (page := opened[area[0]]) is not None])
        with suppress(PictureRefused):
            if cut:
                kept[item.place] = store.put(cut)
        opened = {number: page for number, page in opened.items() if number >= item.areas[-1][0]}
    store.save()
    return kept


@transaction.atomic
def document_import_request(  # noqa: PLR0913 - what the form says
    *,
    draft: DocumentDraft,
    user: User,
    source: str,
    hierarchy: str = "",
    with_headings: bool = False,
    status: str = Question.Status.READY.value,
    visible_to: str = "",
) -> Run:
    """Queue the job that imports a test paper, without the excluded questions.

    Args:
        source: name of the set; defaults to the paper's name.
        hierarchy: name of the hierarchy in which headings are looked up.
        with_headings: whether to tag questions with the concepts that the headings above them name.
        status: status of the new questions; draft if the person may not publish.
        visible_to: who sees them; empty for the usual.

    Returns:
        The job; if the paper is already being imported, or was imported, the existing job.

    Raises:
        NotAllowed: If the person may not import or does not own the paper.
        Conflict: If the paper was deleted or contains no question that can be imported.
        ValidationFailed: If the name is too long or the hierarchy does not exist.
    """
    if not user.has_perm("questionbank.import") or draft.owner_id != user.pk:
        raise NotAllowed("You may not import this test paper.")
    fresh = DocumentDraft.objects.select_for_update(of=("self",)).filter(pk=draft.pk).first()
    if fresh is None:
        raise Conflict("This test paper was deleted.")
    if fresh.import_run is not None and (fresh.is_importing or fresh.state == DocumentDraft.State.IMPORTED):
        return fresh.import_run
    if fresh.state != DocumentDraft.State.READY:
        raise Conflict("This test paper cannot be imported: it was not read.")
    named = " ".join(source.split()) or fresh.name
    if len(named) > SET_LIMIT:
        raise ValidationFailed(f"Use at most {SET_LIMIT} characters for the name of the set.")
    chosen = KnowledgeHierarchy.objects.filter(name=hierarchy).first() if hierarchy else None
    if hierarchy and chosen is None:
        raise ValidationFailed("This hierarchy no longer exists. Choose another one.")
    if not document_review(fresh).to_import:
        raise Conflict("No question is left to import.")
    shows_to(user, visible_to)  # raises if the person does not belong to that school
    fresh.hierarchy, fresh.with_headings = chosen, with_headings and chosen is not None
    fresh.import_run = runs.run_create(
        kind=Run.Kind.IMPORT,
        title=f"Import of {fresh.name}"[:200],
        parameters={
            "draft": fresh.pk,
            "name": fresh.name,
            "source": named,
            "status": allowed_status(user, status),
            "visible_to": visible_to,
        },
        queue="light",  # short work that a user waits for
        requested_by=user,
    )
    fresh.save()
    return fresh.import_run


def run_document_import(run: Run, reporter: JobReporter) -> dict[str, Any]:
    """Run the job of `document_import_request`; return the report for the run's result.

    Safe to run twice: whatever a crashed worker had committed is not imported again.

    Raises:
        Conflict: If the paper was deleted or is already imported.
        ImportRefused, Cancelled: As for every import.
    """
    draft = DocumentDraft.objects.select_related("hierarchy").filter(pk=run.parameters["draft"]).first()
    if draft is None or draft.state != DocumentDraft.State.READY or run.requested_by is None:
        raise Conflict("This test paper was deleted, or it is imported already.")
    review = document_review(draft)
    source = run.parameters["source"]
    hierarchy = draft.hierarchy.name if draft.hierarchy else source
    options = replace(ImportOptions.of_json(run.parameters), hierarchy=hierarchy, skip_invalid=True)
    entries = _PaperEntries(draft, review)

    def on_written() -> None:
        DocumentDraft.objects.filter(pk=draft.pk).update(state=DocumentDraft.State.IMPORTED)

    report = import_reported(run, Path(draft.name), options, reporter, entries=entries, on_written=on_written)
    return report.as_dict() | {"places": [item.place for item in review.to_import]}


def document_list_create(*, draft: DocumentDraft, user: User, name: str) -> QuestionList:
    """Create a list of the questions imported from a test paper, in the paper's order and with its instructions.

    If the bank already contained a question, the question keeps its points and section; the list uses the paper's.

    Raises:
        ValidationFailed: If the name is invalid or there are more questions than a list can hold.
    """
    review = document_review(draft)
    asked = document_questions_by_place(draft=draft, user=user)
    places: dict[int, ListedPlace] = {}
    for item in review.items:
        question = asked.get(item.place)
        if question is not None and question.import_run_id != draft.import_run_id:
            said, known = item.record.content, content_of(question.content)
            if (total_points(said), said.section) != (total_points(known), known.section):
                places.setdefault(question.pk, ListedPlace(total_points(said), said.section))
    with transaction.atomic():
        made = question_list_create(user=user, name=name, instructions=review.instructions)
        question_list_add(user=user, question_list=made, questions=asked.values(), with_templates=True, places=places)
    return made


class _PaperEntries:
    """A paper's questions in the form in which an import reads a file; a question's line is its place in the paper."""

    label = "Test paper"
    format = layout = None

    def __init__(self, draft: DocumentDraft, review: DocumentReview) -> None:
        self._review = review
        self._pictures: Mapping[str, str] = draft.pictures
        self._headings = _Headings(draft.hierarchy) if draft.hierarchy and draft.with_headings else None
        self._printed = keep_printed(review.to_import, draft.pictures)
        self.unread: list[str] = []
        self.notes = ["Its lines are the questions of the test paper, counted from 1."]

    def __iter__(self) -> Iterator[tuple[int, Entry]]:
        for item in self._review.items:
            if item.is_left_out:
                continue
            try:
                taken = bank_record(item.found.record, self._pictures, self._concepts(item))
                taken = self._with_printed(item, taken)
            except FieldProblems as error:
                reason, (first, *_others) = str(error), error.problems
                yield item.place, LineProblem(item.place, reason, first[0], tuple(error.problems))
                continue
            for name, reason in record_warnings(taken):
                yield item.place, LineWarning(item.place, reason, name)
            yield item.place, taken

    def _with_printed(self, item: FoundItem, record: QuestionRecord) -> QuestionRecord:
        """Return a question with a picture of it as printed, if it may have been read wrongly."""
        sha256 = self._printed.get(item.place)
        if not sha256:
            return record
        content, name = record.content, f"printed-{sha256[:12]}.png"
        content = replace(
            content, pictures=(*content.pictures, Picture(name, sha256)), settings={**content.settings, PRINTED: name}
        )
        return replace(record, content=content)

    def _concepts(self, item: FoundItem) -> tuple[ConceptPath, ...]:
        """Return the concepts of a question; for a table, those in its rows."""
        named = item.found.record.concepts
        if named or self._headings is None or not item.found.heading:
            return named
        return (self._headings.path(item.found.heading),)


class _Headings:
    """Finds the concepts that headings name."""

    def __init__(self, hierarchy: KnowledgeHierarchy) -> None:
        self._known: defaultdict[str, list[ConceptPath]] = defaultdict(list)
        for path in concept_paths_known(hierarchy=hierarchy):
            self._known[_folded(path[-1])].append(path)

    def path(self, headings: tuple[str, ...]) -> ConceptPath:
        """Return the path of the concept named by the innermost matching heading; otherwise the path for a new one."""
        for heading in reversed(headings):
            paths = self._known.get(_folded(heading), [])
            if len(paths) == 1:
                return paths[0]
        return tuple(" ".join(heading.split()) for heading in headings[-CONCEPT_DEPTH_LIMIT:])


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()
