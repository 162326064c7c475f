"""Read access to test papers under review: the corrected lines, divided into passages with their questions.

Sections, instructions and answer spaces are in lines that do not belong to a question, so they are read from the lines
around the questions, after the corrections.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db.models import QuerySet

from analytics.question_content import ANSWER_LINES, Picture, QuestionPart, Section
from analytics.records import QuestionRecord
from questionbank.bank.list_selectors import own_or_shared
from questionbank.bank.question_selectors import visible_to
from questionbank.core.database import get_or_not_found
from questionbank.formats.directions import administers, directs
from questionbank.formats.fields import FieldProblems
from questionbank.formats.limits import HEADING_LIMIT
from questionbank.models import DocumentDraft, Question, User
from questionbank.papers import phrases
from questionbank.papers.paper_lines import (
    Area,
    Corrected,
    Doubt,
    FoundQuestion,
    Line,
    Paper,
    ReviewedLine,
    Role,
    areas_of,
    correct,
    correction_from_json,
    full_text,
    lines_from_json,
    roles_from_json,
)
from questionbank.papers.points import POINTS_ALONE, SUM
from questionbank.papers.question_assembly import assemble
from questionbank.papers.question_records import REFUSALS, bank_record

_SIGNS_A_LINE = 90  # underscores or dots that fill a line on a page
_MOST_LINES = 40
_SENTENCE = re.compile(r"[.!?;:。！？；：)）]\W*$")
_RULES = re.compile(
    r"\b(?:time|minutes?|mins?|hours?|calculators?|instructions?|zeit|minuten|taschenrechner|hilfsmittel|durée"
    r"|calculatrices?|consignes?|tiempo|minutos|calculadora|tempo|minuti|calcolatrice)\b|时间|分钟|計算機|计算器",
    re.IGNORECASE,
)
"""Time limit of a paper, or permitted aids."""
_SENTENCES = re.compile(r"(?<=[.!?。！？])\s+")


@dataclass(slots=True)
class _Places:
    """Results of a pass over the lines.

    Attributes:
        instructions: by the first line of a question.
        front: text before the first section.
        spaces: number of answer lines, by the first line of a question or part.
    """

    instructions: dict[int, str] = field(default_factory=dict)
    front: list[str] = field(default_factory=list)
    spaces: dict[int, int] = field(default_factory=dict)


def with_sections(paper: Paper, lines: Sequence[Line], roles: Sequence[Role]) -> tuple[Paper, str]:
    """Add sections and answer spaces to a paper's questions; also return the paper's own instructions."""
    title = _title(paper, lines, roles)
    found = _read_places(lines, roles, title)
    questions = tuple(_placed(question, found, roles, title) for question in paper.questions)
    return replace(paper, questions=questions), "\n\n".join(found.front)


def with_picture_widths(paper: Paper, widths: Mapping[str, float]) -> Paper:
    """Add the widths of pictures, in points, to a paper's questions."""

    def placed(question: FoundQuestion) -> FoundQuestion:
        content = question.record.content
        pictures = tuple(Picture(one.name, one.sha256, widths.get(one.name, one.width)) for one in content.pictures)
        return replace(question, record=replace(question.record, content=replace(content, pictures=pictures)))

    return replace(paper, questions=tuple(map(placed, paper.questions))) if widths else paper


def _title(paper: Paper, lines: Sequence[Line], roles: Sequence[Role]) -> str:
    """Return the heading that is the paper's title: styled as a heading, and above all questions."""
    outermost = {question.heading[:1] for question in paper.questions}
    first = next((line for line, role in zip(lines, roles, strict=True) if role is Role.HEADING), None)
    if len(outermost) != 1 or outermost == {()} or first is None or not first.heading:
        return ""
    (title,) = outermost.pop()
    is_above_all = all(len(question.heading) > 1 for question in paper.questions)
    return title if is_above_all or not phrases.SECTION.fullmatch(title) else ""


def _read_places(lines: Sequence[Line], roles: Sequence[Role], title: str) -> _Places:
    found = _Places()
    pending: list[str] = []  # text since the last heading or question
    current, owner = "", -1
    is_headed = has_question = False  # since the last heading; ever
    for place, (line, role) in enumerate(zip(lines, roles, strict=True)):
        if role is Role.NOTHING:
            _note(line, pending, found, owner, is_headed=is_headed)
        elif role is Role.HEADING:
            if not has_question:
                found.front += filter(_is_rule, pending)
            pending = pending if has_question and is_headed else []
            current, owner, is_headed = "", -1, full_text(line).strip("*_ ") != title
        elif role is Role.QUESTION:
            if not has_question and not is_headed:
                found.front += filter(_is_rule, pending)
            elif pending:
                current = "\n\n".join(pending)
            pending, owner, is_headed, has_question = [], place, False, True
            found.instructions[place] = current
        elif role is Role.PART:
            owner = place
    return found


def _note(line: Line, pending: list[str], found: _Places, owner: int, *, is_headed: bool) -> None:
    """Record a line outside questions: answer space, or instructions."""
    text = full_text(line)
    if phrases.is_answer_space(line.text):
        drawn = math.ceil(sum(sign in "_.…" for sign in text) / _SIGNS_A_LINE)
        if owner >= 0 and drawn:
            found.spaces[owner] = min(found.spaces.get(owner, 0) + drawn, _MOST_LINES)
    elif not _is_noise(line.text) and (owner < 0 or is_headed or _instructs(text)):
        pending.append(text)


def _is_noise(text: str) -> bool:
    """Return whether a line outside questions only serves the printed paper: a page number, field, total or grid."""
    patterns = (phrases.NOISE, phrases.GRADES, SUM, POINTS_ALONE)
    return (
        not any(sign.isalnum() for sign in text)
        or "____" in text
        or text.startswith(("|", "!["))
        or any(pattern.fullmatch(text.replace("**", "").strip("*")) for pattern in patterns)
    )


def _instructs(text: str) -> bool:
    return phrases.tells_points(text) or directs(text) or administers(text) or _RULES.search(text) is not None


def _is_rule(text: str) -> bool:
    """Return whether a line above all questions is more than the name of the paper, school or class."""
    return _SENTENCE.search(text) is not None or _RULES.search(text) is not None


def _placed(question: FoundQuestion, found: _Places, roles: Sequence[Role], title: str) -> FoundQuestion:
    place = next((line for line in question.lines if roles[line] is Role.QUESTION), -1)
    headings = question.heading[1:] if question.heading[:1] == (title,) else question.heading
    section = _section(" – ".join(headings), found.instructions.get(place, ""))
    places = [line for line in question.lines if roles[line] is Role.PART]
    content = question.record.content
    parts = content.parts
    if len(parts) == len(places):
        parts = tuple(_spaced(part, found.spaces.get(line, 0)) for part, line in zip(parts, places, strict=True))
    settings = _with_space(content.settings, found.spaces.get(place, 0))
    content = replace(content, section=section, parts=parts, settings=settings)
    return replace(question, record=replace(question.record, content=content))


def _section(heading: str, instructions: str) -> Section:
    """Return a section; if the heading is too long, the rest is added to the instructions."""
    if len(heading) <= HEADING_LIMIT:
        return Section(heading, instructions)
    first, *others = _SENTENCES.split(heading)
    if len(first) > HEADING_LIMIT:
        first, others = "", [heading]
    return Section(first, "\n\n".join(filter(None, [" ".join(others), instructions])))


def _spaced(part: QuestionPart, lines: int) -> QuestionPart:
    settings = _with_space(part.content.settings, lines)
    return replace(part, content=replace(part.content, settings=settings)) if lines else part


def _with_space(settings: Mapping[str, str], lines: int) -> Mapping[str, str]:
    return {**settings, ANSWER_LINES: str(lines)} if lines else settings


# -- passages ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FoundItem:
    """A question of the paper.

    Attributes:
        place: its place in the paper, counted from 1.
        key: identifies it in corrections and URLs; the key of its first line.
        record: the question as the bank would store it; if the bank refuses it, as it was found.
        refusal: why the bank refuses it; empty if it does not.
        elsewhere: keys of its lines in other passages: a shared text, the list of answers.
        areas: its areas on the document's pages; empty for a document without page pictures.
        is_uncertain: whether some characters of its text could not be read.
    """

    place: int
    key: str
    found: FoundQuestion
    record: QuestionRecord
    is_left_out: bool
    refusal: str = ""
    elsewhere: tuple[str, ...] = ()
    areas: tuple[Area, ...] = ()
    is_uncertain: bool = False

    @property
    def points(self) -> tuple[float | None, ...]:
        """The points of the question, then those of each part."""
        content = self.record.content
        return (content.points, *(part.content.points for part in content.parts))

    @property
    def doubts(self) -> list[Doubt]:
        """The doubts, without the one that repeats the refusal."""
        return [doubt for doubt in self.found.doubts if doubt.sentence != self.refusal]

    @property
    def unsureness(self) -> int:
        """How doubtful the question is, for sorting worst first."""
        return len(self.found.doubts) + 1_000 * bool(self.refusal)


@dataclass(frozen=True, slots=True)
class PassageLine:
    """A line, and the places of the questions elsewhere that it belongs to."""

    reviewed: ReviewedLine
    belongs_to: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the document: the lines of one question, or lines outside any question (`item` is None)."""

    lines: tuple[PassageLine, ...]
    item: FoundItem | None = None


def passages_of(corrected: Corrected, paper: Paper, pictures: Mapping[str, str]) -> list[Passage]:
    """Return all lines in order, divided where a question begins or ends.

    A question without lines of its own gets no lines.

    Args:
        pictures: SHA-256 by name.
    """
    lines = corrected.lines
    starts = [_start(question, lines) for question in paper.questions]
    keys = _keys(starts, lines)
    owners: dict[int, list[int]] = {}
    for place, question in enumerate(paper.questions, start=1):
        for number in question.lines:
            owners.setdefault(number, []).append(place)
    passages: list[Passage] = []
    done = 0  # lines already in a passage

    def take(end: int, item: FoundItem | None) -> None:
        nonlocal done
        place = item.place if item else 0
        if end > done or item:
            passages.append(
                Passage(
                    tuple(
                        PassageLine(lines[number], tuple(other for other in owners.get(number, ()) if other != place))
                        for number in range(done, end)
                    ),
                    item,
                )
            )
        done = max(done, end)

    for place, (question, key) in enumerate(zip(paper.questions, keys, strict=True), start=1):
        begin = starts[place - 1]
        limit = next((start for start in starts[place:] if start > begin), len(lines))
        own = [number for number in question.lines if max(begin, done) <= number < limit]
        end = _end(own, begin, lines) if own else done
        take(begin, None)
        stays = range(done, end)
        record, refusal = _taken(question, pictures)
        printed = [row.line for number in question.lines if (row := lines[number]).role is not Role.KEY]
        item = FoundItem(
            place=place,
            key=key,
            found=question,
            record=record,
            is_left_out=key in corrected.left_out,
            refusal=refusal,
            elsewhere=tuple(lines[number].key for number in question.lines if number not in stays),
            areas=areas_of(printed),
            is_uncertain=any(line.is_uncertain for line in printed),
        )
        take(end, item)
    take(len(lines), None)
    return passages


def _taken(question: FoundQuestion, pictures: Mapping[str, str]) -> tuple[QuestionRecord, str]:
    try:
        return bank_record(question.record, pictures), ""
    except FieldProblems as error:
        said = (doubt.sentence for doubt in question.doubts if doubt.code in REFUSALS)
        return question.record, next(said, str(error))


def _start(question: FoundQuestion, lines: Sequence[ReviewedLine]) -> int:
    """Return the line where a question begins; a text shared with other questions comes before it."""
    own = (number for number in question.lines if lines[number].role in (Role.QUESTION, Role.BELOW))
    return next(own, question.lines[0] if question.lines else 0)


def _end(own: Sequence[int], begin: int, lines: Sequence[ReviewedLine]) -> int:
    """Return the end of a question's passage; the list of answers does not belong to the last question."""
    stays = [number for number in own if lines[number].role is not Role.KEY]
    return max(stays, default=begin) + 1


def _keys(starts: Sequence[int], lines: Sequence[ReviewedLine]) -> list[str]:
    """Return a key for each question; questions on the same line (rows of a table) are numbered."""
    seen: Counter[int] = Counter()
    keys = []
    for start in starts:
        key = lines[start].key
        keys.append(f"{key}~{seen[start]}" if seen[start] else key)
        seen[start] += 1
    return keys


# -- drafts and reviews ------------------------------------------------------------------------------------------------


_REVIEWS_KEPT = 4  # most recent, per process; a review with 2,000 questions takes seconds
_reviews: dict[tuple[int, datetime], DocumentReview] = {}


def document_drafts() -> QuerySet[DocumentDraft]:
    """Return the test papers that the viewer may see, most recently changed first, without their lines."""
    drafts = DocumentDraft.objects.select_related("read_run", "import_run")
    return drafts.defer("lines", "roles", "corrections", "pictures", "notices")


def document_draft_get(*, draft_id: int, user: User, is_own: bool = False) -> DocumentDraft:
    """Return a test paper that the person owns or, unless `is_own`, that is shared with them."""
    drafts = own_or_shared(DocumentDraft.objects.filter(pk=draft_id), user)
    return get_or_not_found(
        (drafts.filter(owner_id=user.pk) if is_own else drafts).select_related("read_run", "import_run", "hierarchy"),
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

    @property
    def items(self) -> list[FoundItem]:
        return [passage.item for passage in self.passages if passage.item]

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


def document_corrected(draft: DocumentDraft) -> Corrected:
    """Return a test paper's lines after the corrections that are not undone."""
    corrections = [correction_from_json(row) for row in draft.corrections[: draft.applied]]
    roles, rules = roles_from_json(draft.roles)
    return correct(lines_from_json(draft.lines), roles, corrections, rules)


def document_review(draft: DocumentDraft) -> DocumentReview:
    """Return a test paper with its questions, cached because a page requests its parts one by one."""
    version = (draft.pk, draft.updated_at)
    review = _reviews.get(version)
    if review is None:
        corrected = document_corrected(draft)
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
