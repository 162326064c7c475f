"""A page of a paper's review: its passages, with the questions as they are shown and where they are printed.

A page has some questions, in the paper's order or worst first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Paginator
from django.urls import reverse

from analytics.question_content import as_json
from questionbank.models import Attachment, DocumentDraft, Question
from questionbank.papers.paper_lines import POINTED, page_name
from questionbank.papers.second_reading_selectors import SecondReading, second_reading
from questionbank.papers.selectors import DocumentReview, FoundItem, Passage, PassageLine, document_review

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
