"""What a question contributes to a worksheet from its source: section, points, points of parts, answer lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from analytics.question_content import ANSWER_LINES, QuestionContent, QuestionPart, Section, total_points
from questionbank.core.wording import whole_number

MOST_POINTS = 1_000.0
MOST_LINES = 40  # per question, or per part of a question
NOTHING_TO_WRITE = frozenset({"choice", "true_false", "matching", "ordering", "blanks", "description", "opaque"})
"""Kinds with answers that are ticked, or written in their text."""


def takes_lines(kind: str) -> bool:
    """Return whether the answer to this kind of question is written below it."""
    return kind not in NOTHING_TO_WRITE


def lines_brought(content: QuestionContent) -> int:
    """Return the number of answer lines in the question's source; for a question in parts, of the largest part."""
    stated = [_lines(content), *(lines_brought(part.content) for part in content.parts)]
    return min(max(stated), MOST_LINES)


def _lines(content: QuestionContent) -> int:
    return whole_number(content.settings.get(ANSWER_LINES, ""), digits=3) or 0


def can_give(points: float | None) -> bool:
    """Return whether a worksheet supports this number of points."""
    return points is None or 0 <= points <= MOST_POINTS


def part_scale(content: QuestionContent, points: float | None) -> float | None:
    """Return the factor for the points of the parts on a worksheet that gives the question `points`.

    Return None if they are not printed: the worksheet gives no points, or the scaled ones are not half points.

    >>> parts = tuple(QuestionPart("", content=QuestionContent(points=given)) for given in (2.0, 1.0))
    >>> [part_scale(QuestionContent(parts=parts), points) for points in (3.0, 6.0, 4.0, None)]
    [1.0, 2.0, None, None]
    """
    own = total_points(content)
    if points is None or own is None:
        return None
    if points == own:
        return 1.0
    stated = [*part_points(content.parts)]
    if own <= 0 or None in stated or not math.isclose(sum(filter(None, stated)), own):
        return None
    scale = points / own
    halves = [2 * scale * given for given in stated if given is not None]
    return scale if all(math.isclose(half, round(half), abs_tol=1e-9) for half in halves) else None


def part_points(parts: Sequence[QuestionPart]) -> Iterator[float | None]:
    """Yield the printed points of each part, replacing a part by its own parts if those have points."""
    for part in parts:
        inner = [*part_points(part.content.parts)]
        yield from inner if any(points is not None for points in inner) else [part.content.points]


def sections_brought(sections: Sequence[Section], sources: Sequence[str]) -> list[Section]:
    """Return the section of each question on a worksheet, given the questions' sections and sources.

    A question that stands alone among questions from other sources brings no section, because it would have no context.

    >>> a = Section("Part A")
    >>> [one.heading for one in sections_brought([a, a, a, Section()], ["x", "x", "y", "z"])]
    ['Part A', 'Part A', '', '']
    """
    kept = []
    for place, (section, source) in enumerate(zip(sections, sources, strict=True)):
        beside = (other for other in (place - 1, place + 1) if 0 <= other < len(sources))
        is_known = len(sources) == 1 or any(sources[other] == source for other in beside)
        kept.append(section if is_known else Section())
    return kept
