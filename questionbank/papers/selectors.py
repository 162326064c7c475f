"""Read access to the test papers that a person has uploaded and not yet imported."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import QuerySet

from questionbank.bank.question_selectors import visible_to
from questionbank.core.database import get_or_not_found
from questionbank.models import DocumentDraft, Question, User
from questionbank.papers.corrections import Corrected, Correction, ReviewedLine, correct, correction_of, lines_of
from questionbank.papers.paper import Role
from questionbank.papers.passages import FoundItem, Passage, passages_of
from questionbank.papers.sections import with_picture_widths, with_sections
from questionbank.papers.segmenting import assemble

_REVIEWS_KEPT = 4  # most recent, per process; a review with 2,000 questions takes seconds
_reviews: dict[tuple[int, datetime], DocumentReview] = {}


def document_drafts_of(*, user: User) -> QuerySet[DocumentDraft]:
    """Return a person's test papers, most recently changed first, without their lines."""
    drafts = DocumentDraft.objects.filter(owner_id=user.pk).select_related("read_run", "import_run")
    return drafts.defer("lines", "roles", "corrections", "pictures", "notices")


def document_draft_get(*, draft_id: int, user: User) -> DocumentDraft:
    """Return a person's own test paper."""
    drafts = DocumentDraft.objects.select_related("read_run", "import_run", "hierarchy")
    return get_or_not_found(
        drafts.filter(pk=draft_id, owner_id=user.pk),
        "There is no such test paper. Test papers are deleted after a week.",
    )


@dataclass(frozen=True, slots=True)
class DocumentReview:
    """A test paper after its owner's corrections.

    Attributes:
        instructions: for the whole paper, such as the time allowed.
    """

    passages: list[Passage]
    notices: tuple[str, ...]
    instructions: str = ""
    items: list[FoundItem] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", [passage.item for passage in self.passages if passage.item])

    @property
    def doubtful(self) -> list[FoundItem]:
        return [item for item in self.items if not item.is_left_out and item.unsureness]

    @property
    def left_out(self) -> list[FoundItem]:
        return [item for item in self.items if item.is_left_out]

    @property
    def refused(self) -> list[FoundItem]:
        return [item for item in self.items if item.refusal and not item.is_left_out]

    @property
    def to_import(self) -> list[FoundItem]:
        return [item for item in self.items if not item.is_left_out and not item.refusal]

    @property
    def has_headings(self) -> bool:
        return any(item.found.heading for item in self.items)

    def item(self, key: str) -> FoundItem | None:
        """Return a question by its key."""
        return next((item for item in self.items if item.key == key), None)


def document_corrections(draft: DocumentDraft) -> list[Correction]:
    """Return the corrections that are not undone."""
    return [correction_of(row) for row in draft.corrections[: draft.applied]]


def _corrected(draft: DocumentDraft) -> Corrected:
    return correct(lines_of(draft.lines), list(map(Role, draft.roles)), document_corrections(draft))


def document_lines(draft: DocumentDraft) -> tuple[ReviewedLine, ...]:
    """Return the lines after the corrections."""
    return _corrected(draft).lines


def document_review(draft: DocumentDraft) -> DocumentReview:
    """Return a test paper with its questions, cached because a page requests its parts one by one."""
    version = (draft.pk, draft.updated_at)
    review = _reviews.get(version)
    if review is None:
        corrected = _corrected(draft)
        lines = [reviewed.line for reviewed in corrected.lines]
        settled = {place for place, reviewed in enumerate(corrected.lines) if reviewed.is_corrected}
        places = {reviewed.key: place for place, reviewed in enumerate(corrected.lines)}
        said = {places[key]: points for key, points in corrected.points.items() if key in places}
        roles = [reviewed.role for reviewed in corrected.lines]
        paper, instructions = with_sections(assemble(lines, roles, settled, said), lines, roles)
        paper = with_picture_widths(paper, draft.picture_widths)
        passages = passages_of(corrected, paper, draft.pictures)
        review = DocumentReview(passages, (*draft.notices, *paper.notices), instructions)
        for old in list(_reviews)[: 1 - _REVIEWS_KEPT]:
            _reviews.pop(old, None)  # another thread may have been faster
        _reviews[version] = review
    return review


def document_questions(*, draft: DocumentDraft, user: User) -> list[Question]:
    """Return the bank's questions that an imported test paper created or matched, in the paper's order."""
    return list(dict.fromkeys(document_questions_by_place(draft=draft, user=user).values()))


def document_questions_by_place(*, draft: DocumentDraft, user: User) -> dict[int, Question]:
    """Return the same questions by their places in the paper."""
    run = draft.import_run
    if run is None:
        return {}
    created = iter(Question.objects.filter(import_run=run).order_by("pk").values_list("pk", flat=True))
    same = {link["line"]: link["question"] for link in run.result.get("links", ())}
    places = run.result.get("places", ())
    ids = {place: pk for place in places if (pk := same[place] if place in same else next(created, None))}
    questions = Question.objects.filter(visible_to(user)).defer("search_vector", "content_hash")
    found = questions.in_bulk({*ids.values()})
    return {place: found[pk] for place, pk in ids.items() if pk in found}
