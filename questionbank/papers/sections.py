"""Find the questions' sections, the instructions above them, and the space for their answers.

This information is in lines that do not belong to a question, so it is read from the lines around the questions, for
every kind of document and after any corrections.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from analytics.question_content import ANSWER_LINES, Picture, QuestionPart, Section
from questionbank.formats.limits import HEADING_LIMIT
from questionbank.papers import phrases, point_phrases
from questionbank.papers.directions import administers, directs
from questionbank.papers.keys import full_text
from questionbank.papers.paper import FoundQuestion, Line, Paper, Role

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
    patterns = (phrases.NOISE, phrases.GRADES, point_phrases.SUM, point_phrases.POINTS_ALONE)
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
