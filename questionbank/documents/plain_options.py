"""Options without letters: short lines below a question, of which one stands out, or as many below each question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from questionbank.documents import phrases
from questionbank.documents.key_rows import full_text, row_cells
from questionbank.documents.marks import Mark
from questionbank.documents.numbering import Numbering
from questionbank.documents.paper import Line
from questionbank.documents.points import without_points

_FEWEST, _MOST = 3, 6  # options of a question
_LONGEST = 60


def plain_options(
    lines: Sequence[Line], marks: Sequence[Mark | None], numbering: Numbering
) -> dict[int, bool]:
    """Return the lines that are options though nothing marks them, each with whether it is the right one."""
    blocks = [
        block
        for question in sorted(numbering.questions)
        if (block := _below(question, lines, marks, numbering))
    ]
    sizes = Counter(map(len, blocks))
    found: dict[int, bool] = {}
    for block in blocks:
        right = [place for place in block if _stands_out(lines[place])]
        is_usual = 2 * sizes[len(block)] >= len(numbering.questions) > 2
        if len(right) == 1 or (is_usual and len(right) < len(block)):
            found |= {place: place in right for place in block}
    return found


def _below(
    question: int, lines: Sequence[Line], marks: Sequence[Mark | None], numbering: Numbering
) -> tuple[int, ...]:
    """Return the short lines below a question that nothing marks, if nothing else stands there."""
    places = list(_block(question, lines, numbering))
    asked = question
    while places and (_asks(lines[places[0]]) or lines[places[0]].text.startswith("![")):
        asked = places.pop(0)
    text = without_points(lines[asked].text)[0].rstrip("* ")
    is_asked = text.endswith((".", "?", ":", "=", "_", "？", "：", ")")) or phrases.OFFERS_CHOICE.search(text)
    is_plain = all(_is_plain(lines[place], marks[place]) for place in places)
    return tuple(places) if is_asked and is_plain and _FEWEST <= len(places) <= _MOST else ()


def _block(question: int, lines: Sequence[Line], numbering: Numbering) -> Iterator[int]:
    for place in range(question + 1, len(lines)):
        line = lines[place]
        text = full_text(line)
        if numbering.is_question(place) or line.heading or phrases.SECTION.fullmatch(text):
            return
        if phrases.KEY_TITLE.fullmatch(text) or phrases.ENDS_QUESTION.fullmatch(text):
            return
        if not (phrases.NOISE.fullmatch(text) or phrases.is_answer_space(text)):
            yield place


def _asks(line: Line) -> bool:
    return line.text.endswith(("?", "？", ":")) or phrases.TASK.match(line.text) is not None


def _is_plain(line: Line, mark: Mark | None) -> bool:
    is_unmarked = mark is None or mark.kind == "bullet" or (mark.series == "digits-" and not line.text)
    text = line.text
    return (
        is_unmarked
        and not line.is_joined
        and len(text) <= _LONGEST
        and row_cells(text) is None
        and "\t" not in text
        and not text.endswith(("?", ":", "=", "？", "："))
        and not any(
            pattern.match(text)
            for pattern in (phrases.ANSWER, phrases.SOLUTION, phrases.TITLED_POINTS, phrases.TASK)
        )
        and not any(map(text.count, ("____", "...")))
        and not phrases.tells_points(text)
        and not phrases.POINTS.fullmatch(text)
        and not (mark is None and phrases.POINTS_ALONE.fullmatch(text) and not text.isdigit())
    )


def _stands_out(line: Line) -> bool:
    return line.is_marked or bool(
        phrases.RIGHT_BEHIND.search(line.text) or phrases.RIGHT_BEFORE.match(line.text)
    )
