"""What the review of a test paper shows: its passages and questions, a second reading, and what the bank knows.

A page has some questions, in the paper's order or worst first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

from django.core.paginator import Paginator
from django.urls import reverse

from analytics.analysed_text import record_text
from analytics.question_content import as_json
from questionbank.bank.concept_selectors import hierarchy_choice
from questionbank.core.errors import NotFound, ServiceUnavailable
from questionbank.models import Attachment, DocumentDraft, LanguageModelUse, Question, User
from questionbank.papers.paper_lines import POINTED, ReviewedLine, Role, page_name
from questionbank.papers.question_assembly import assemble
from questionbank.papers.selectors import (
    DocumentReview,
    FoundItem,
    Passage,
    PassageLine,
    document_corrected,
    document_review,
    passages_of,
    with_picture_widths,
    with_sections,
)
from questionbank.registry.language_model_selectors import language_model_use
from questionbank.similar.insight import AskedText, TextOutlook, text_outlook


@dataclass(frozen=True, slots=True)
class OtherPlace:
    """Lines that the model reads differently.

    Attributes:
        roles: keys of these lines with the model's role; those that a person has set keep theirs.
        items: the questions that the model reads in them.
    """

    roles: tuple[tuple[str, str], ...]
    items: tuple[FoundItem, ...]


@dataclass(frozen=True, slots=True)
class SecondReading:
    """A language model's reading of a test paper beside that of the review.

    Attributes:
        reason: why it cannot be used; empty if it can.
        pieces: the number of pieces that the paper was read in.
        is_likelier: whether its questions are so much more coherent that, by its exam, it is probably right.
        places: what it reads differently, by the key of the first line of the passage to show it beside.
    """

    model: str
    host: str
    reason: str = ""
    pieces: int = 1
    is_likelier: bool = False
    places: Mapping[str, OtherPlace] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model, and where texts are sent."""
        return _named(self.model, self.host)


def _named(model: str, host: str) -> str:
    return f"{model} at {host}" if host else f"{model} on this installation"


def second_reader() -> str:
    """Return the model that reads test papers, and its host; empty if that use is not switched on."""
    use = language_model_use(LanguageModelUse.Use.PAPERS)
    return _named(use.name, use.host) if use is not None and use.is_on else ""


def second_reading(draft: DocumentDraft) -> SecondReading | None:
    """Return the language model's reading of a paper; None if there is none, or not yet."""
    found = draft.model_reading
    if not found:
        return None
    reading = SecondReading(found["model"], found["host"], found.get("reason", ""), found.get("pieces", 1))
    if reading.reason:
        return reading
    places = _places(draft, document_review(draft), [Role(role) for role in found["roles"]])
    return replace(reading, is_likelier=found.get("is_likelier", False), places=places)


def _places(draft: DocumentDraft, review: DocumentReview, said: Sequence[Role]) -> dict[str, OtherPlace]:
    corrected = document_corrected(draft)
    rows = corrected.lines
    others = tuple(row if row.is_corrected else replace(row, role=said[int(row.key)]) for row in rows)
    if all(row.role is other.role for row, other in zip(rows, others, strict=True)):
        return {}
    lines, roles = [row.line for row in others], [row.role for row in others]
    settled = {place for place, row in enumerate(others) if row.is_corrected}
    paper, _instructions = with_sections(assemble(lines, roles, settled), lines, roles)
    paper = with_picture_widths(paper, draft.picture_widths)
    passages = passages_of(replace(corrected, lines=others), paper, draft.pictures)
    ours, theirs = _starts(review.passages), _starts(passages)
    places: dict[str, OtherPlace] = {}
    for begin, end in pairwise(sorted({*ours, len(rows)} & {*theirs, len(rows)})):
        changed = _changed(rows[begin:end], others[begin:end])
        if changed:
            holder = _holder(
                passage for start, passages in ours.items() if begin <= start < end for passage in passages
            )
            items = (one.item for start, those in theirs.items() if begin <= start < end for one in those)
            places[holder] = OtherPlace(changed, tuple(item for item in items if item is not None))
    return places


def _starts(passages: Sequence[Passage]) -> dict[int, list[Passage]]:
    """Return passages by the number of the line where each begins; those without lines begin with the next one."""
    starts: dict[int, list[Passage]] = {}
    counts = accumulate((len(passage.lines) for passage in passages), initial=0)
    for start, passage in zip(counts, passages, strict=False):
        starts.setdefault(start, []).append(passage)
    return starts


def _changed(rows: Sequence[ReviewedLine], others: Sequence[ReviewedLine]) -> tuple[tuple[str, str], ...]:
    pairs = zip(rows, others, strict=True)
    return tuple((other.key, str(other.role)) for row, other in pairs if row.role is not other.role)


def _holder(passages: Iterable[Passage]) -> str:
    """Return the key of the first line of the passage to show a place beside: the first one that has a question."""
    having_lines = [passage for passage in passages if passage.lines]
    chosen = next((passage for passage in having_lines if passage.item), having_lines[0])
    return chosen.lines[0].reviewed.key


def paper_item_get(*, draft: DocumentDraft, key: str) -> FoundItem:
    """Return a question of a paper that is ready to review.

    Raises:
        NotFound: the paper has no such question, or is not ready.
    """
    item = document_review(draft).item(key) if draft.state == DocumentDraft.State.READY else None
    if item is None:
        raise NotFound("This question is no longer there: the paper was changed in another window.")
    return item


def paper_item_outlook(*, item: FoundItem, user: User) -> TextOutlook | None:
    """Return predictions and near copies of a paper's question; None if there are no vectors yet."""
    record = item.record
    asked = AskedText(
        question=record_text(record),
        text=record.text,
        language=record.language,
        options=as_json(record.options),
        content=record.content,
        answer=record.answer,
    )
    try:
        return text_outlook(asked, hierarchy=hierarchy_choice(user=user).name, user=user)
    except ServiceUnavailable:
        return None


QUESTIONS_A_PAGE = 40
LINES_A_PAGE = 400
WORST_FIRST = "worst"
PAGE_ORDERS = (("", "As in the paper"), (WORST_FIRST, "Worst first"))


@dataclass(slots=True)
class PageRow:
    """A passage as displayed on the page.

    Attributes:
        outlook_id: changes with the question, so that loaded content stays until the question changes.
        printed: the areas of pages that show it as printed.
        other: the key of its place if the language model reads it differently, with the questions in `others`.
        is_pointed: whether the model's reading was taken for one of its lines.
    """

    lines: tuple[PassageLine, ...]
    item: FoundItem | None = None
    question: dict[str, Any] = field(default_factory=dict)
    kind: str = ""
    outlook_id: str = ""
    outlook: Any = None
    printed: list[PrintedArea] = field(default_factory=list)
    other: str = ""
    others: list[PageRow] = field(default_factory=list)
    is_pointed: bool = False


@dataclass(frozen=True, slots=True)
class PrintedArea:
    """An area of a page's picture.

    Attributes:
        address: address of the whole page's picture, which is `page_width` by `page_height` pixels.
    """

    address: str
    page_width: int
    page_height: int
    left: int
    top: int
    width: int
    height: int


def document_page(
    draft: DocumentDraft, *, order: str, page: str, otherwise: str, line: str, editing: str
) -> dict[str, Any]:
    """Return the context of a page of the review.

    Args:
        order: a key of `PAGE_ORDERS`; defaults to the paper's order if unknown.
        page: page number; if invalid, the first page; if empty, the page of the chosen line.
        otherwise: the page if no line is chosen either.
        line: key of the chosen line; defaults to the first line of the page.
        editing: key of the line whose text is being edited.
    """
    review, second = document_review(draft), second_reading(draft)
    blocks = _worst_first(review) if order == WORST_FIRST else _in_order(review)
    pages = Paginator(blocks, 1, allow_empty_first_page=True)
    chosen = line or editing
    holding = next(
        (
            number
            for number, block in enumerate(blocks, start=1)
            if chosen and any(row.reviewed.key == chosen for passage in block for row in passage.lines)
        ),
        None,
    )
    shown = pages.get_page(page or holding or otherwise)
    rows = [_row(passage) for block in shown for passage in block]
    _set_printed(rows, draft)
    if second is not None:
        _set_others(rows, second)
    keys = [row.reviewed.key for passage in rows for row in passage.lines]
    pictures = [{"name": name, "sha256": sha256} for name, sha256 in draft.pictures.items()]
    return {
        "page": shown,
        "rows": rows,
        "second": second,
        "order": order,
        "selected": line if line in keys else (keys[0] if keys else ""),
        "editing": editing if editing in keys else "",
        "paper": {"content": {"pictures": pictures}},
        "can_redo": draft.applied < len(draft.corrections),
    }


def _in_order(review: DocumentReview) -> list[list[Passage]]:
    """Return the passages in pages; a very long passage without a question is split."""
    pages: list[list[Passage]] = [[]]
    questions = lines = 0
    for passage in (piece for whole in review.passages for piece in _pieces(whole)):
        is_full = passage.item is not None and questions == QUESTIONS_A_PAGE
        if pages[-1] and (is_full or lines + len(passage.lines) > LINES_A_PAGE):
            pages.append([])
            questions = lines = 0
        pages[-1].append(passage)
        questions += passage.item is not None
        lines += len(passage.lines)
    return pages


def _pieces(passage: Passage) -> Iterator[Passage]:
    if passage.item is not None or len(passage.lines) <= LINES_A_PAGE:
        yield passage
        return
    for first in range(0, len(passage.lines), LINES_A_PAGE):
        yield Passage(passage.lines[first : first + LINES_A_PAGE])


def _worst_first(review: DocumentReview) -> list[list[Passage]]:
    """Return only the passages of questions, in pages: the least certain first, the others in the paper's order."""
    of_questions = [(passage.item, passage) for passage in review.passages if passage.item]
    of_questions.sort(key=lambda pair: (pair[0].is_left_out, -pair[0].unsureness, pair[0].place))
    ordered = [passage for _item, passage in of_questions]
    return [ordered[first : first + QUESTIONS_A_PAGE] for first in range(0, len(ordered), QUESTIONS_A_PAGE)]


def _row(passage: Passage) -> PageRow:
    item = passage.item
    if item is None:
        return PageRow(passage.lines)
    record = item.record
    question = {
        "text": record.text,
        "options": as_json(record.options),
        "kind": record.kind,
        "content": as_json(record.content),
        "language": record.language,
        "answer": record.answer,
        "solution": record.solution,
        "concepts": record.concepts,
    }
    digest = hashlib.sha256(repr((item.key, question)).encode()).hexdigest()[:16]
    return PageRow(passage.lines, item, question, Question.Kind(record.kind).label, f"known-{digest}")


def _set_others(rows: Sequence[PageRow], second: SecondReading) -> None:
    """Set the questions that the language model reads otherwise, and which rows its reading was taken for."""
    for row in rows:
        keys = [shown.reviewed.key for shown in row.lines[:1]]
        place = next((second.places[key] for key in keys if key in second.places), None)
        if place is not None:
            row.other, row.others = keys[0], [_row(Passage((), item)) for item in place.items]
        row.is_pointed = any(shown.reviewed.rule == POINTED for shown in row.lines)


def _set_printed(rows: Sequence[PageRow], draft: DocumentDraft) -> None:
    """Set the areas of the document's pages where each question is printed."""
    numbers = {area[0] for row in rows if row.item for area in row.item.areas}
    digests = {number: draft.pictures.get(page_name(number), "") for number in numbers}
    found = Attachment.objects.in_bulk([digest for digest in digests.values() if digest])
    for row in rows:
        for number, left, top, right, bottom in row.item.areas if row.item else ():
            page = found.get(digests[number])
            if page is not None:
                address = reverse("picture", args=[page.sha256])
                size = (page.width, page.height)
                row.printed.append(PrintedArea(address, *size, left, top, right - left, bottom - top))
