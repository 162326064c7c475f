"""A document under review, divided into passages: a question's lines, the question, and its place on the pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from analytics.records import QuestionRecord
from questionbank.formats.fields import FieldProblems
from questionbank.papers.bank_records import bank_record
from questionbank.papers.corrections import Corrected, ReviewedLine
from questionbank.papers.paper import Area, FoundQuestion, Line, Paper, Role
from questionbank.papers.records import REFUSALS


def page_name(number: int) -> str:
    """Return the key of a page's picture among a paper's pictures, the page counted from 0; no text can refer to it."""
    return f"(page {number + 1})"


def areas_of(lines: Iterable[Line]) -> tuple[Area, ...]:
    """Return the areas that lines cover, one per column of a page, in the order of the lines.

    >>> areas_of([Line("a", area=(0, 10, 20, 90, 30)), Line("b", area=(0, 12, 35, 90, 50))])
    ((0, 10, 20, 90, 50),)
    """
    found: list[list[int]] = []
    for line in lines:
        if not line.area:
            continue
        page, left, top, right, bottom = line.area
        same = next((area for area in found if area[0] == page and area[1] < right and left < area[3]), None)
        if same is None:
            found.append([page, left, top, right, bottom])
        else:
            same[1:] = [min(same[1], left), min(same[2], top), max(same[3], right), max(same[4], bottom)]
    return tuple(map(tuple, found))


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
    def doubts(self) -> list[str]:
        """The doubts, without the one that repeats the refusal."""
        return [doubt for doubt in self.found.doubts if doubt != self.refusal]

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
        said = (doubt for doubt in question.doubts if doubt.code in REFUSALS)
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
