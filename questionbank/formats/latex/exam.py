r"""The exam class: ``\question[2]`` with parts, choices, check boxes, gaps and solutions.

Philip Hirschhorn, Using the exam document class, 2023.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

from analytics.question_content import AcceptedAnswer, Blank, QuestionContent, QuestionPart, Section
from analytics.records import QuestionRecord
from questionbank.formats.directions import administers, directs
from questionbank.formats.items import Item
from questionbank.formats.kinds import (
    blank_answer,
    derived_answer,
    option_label,
    part_label,
    right_labels,
    right_or_wrong,
)
from questionbank.formats.latex.structure import braced, cut, option, rewritten, split_items, top_environments
from questionbank.formats.limits import HEADING_LIMIT
from questionbank.formats.moodle.words import category_path
from questionbank.formats.seam import CannotHold
from questionbank.formats.written_numbers import finite_number

FORMAT = "exam"
_QUESTIONS = ("question", "titledquestion", "bonusquestion", "bonustitledquestion")
_BETWEEN = ("uplevel", "fullwidth", "section", "subsection")
_CHOICES = ("choices", "oneparchoices", "checkboxes", "oneparcheckboxes")
_SOLUTIONS = "solution solutionorbox solutionorlines solutionordottedlines solutionorgrid solutionbox".split()
_PARTS = {f"{name}s": (name, f"bonus{name}") for name in ("part", "subpart", "subsubpart")}
_RIGHT = ("CorrectChoice", "correctchoice")
_ASKS = re.compile(r"\\documentclass\s*(?:\[[^\]]*\])?\s*\{exam\}|\\begin\s*\{questions\}")
_FILLIN = re.compile(r"\\fillin(?![A-Za-z])\*?")
_ANSWER = re.compile(r"\\answerline\*?(?![A-Za-z])")
_POINTS = re.compile(r"\s*(\d+(?:\.\d+)?)?\s*(\\half)?")
_HEADING = re.compile(  # a large or bold line that is not a sentence
    r"\s*\{?\s*\\(?:textbf|textsc|large|Large|LARGE|huge|Huge|bfseries|bf)(?![A-Za-z])[^\n$]{3,80}[^\n.:?!]\s*"
)
_TYPED = frozenset({"number", "short", "open", "true_false"})
_DEEPEST = 3  # nesting levels of parts
KEPT = (*_QUESTIONS, *_BETWEEN, *_RIGHT, "choice", "fillin", "answerline", *chain(*_PARTS.values()))
"""Commands with a meaning of their own, whatever a document defines."""
HEAD = r"""% Compile with LuaLaTeX or XeLaTeX. Write \printanswers after \documentclass to see the answers.
\documentclass[11pt,a4paper]{exam}
\usepackage{iftex,fontspec,amsmath,amssymb,graphicx,hyperref}
CHINESE\begin{document}
\begin{questions}
"""
FOOT = "\n\\end{questions}\n\\end{document}\n"


@dataclass(frozen=True, slots=True)
class Slice:
    """A question's place in a document.

    Attributes:
        start, end: character offsets of the question.
        body: the part to read, without comments.
        before: offset where the text before it begins.
        stated: points, section, title and instructions from its command and surroundings.
    """

    start: int
    end: int
    body: str
    before: int
    stated: dict[str, str]


def is_exam(beginning: str, _name: str) -> bool:
    """Return whether a file is a document of the exam class, or part of one."""
    return _ASKS.search(beginning) is not None


# -- reading ---------------------------------------------------------------------------------------------------------


def slices(clean: str) -> list[Slice]:
    """Return the questions of a document that is free of comments."""
    found: list[Slice] = []
    before, section, above, instructions = 0, "", "", ""
    for place, body in _lists(clean):
        marks = split_items(body, (*_QUESTIONS, *_BETWEEN))
        for (match, points, _after), following in zip_longest(marks, marks[1:]):
            behind = match.end()
            stop = following[0].start() if following else len(body)
            title, is_titled = "", "titled" in match["item"]
            if match["item"] in _BETWEEN or is_titled:
                title, behind = braced(body, behind + body.startswith("*", behind))
            if match["item"] in _BETWEEN:
                if "section" in match["item"] or _HEADING.fullmatch(title):
                    section, instructions = " ".join(title.split()), ""
                elif directs(title) or administers(title):
                    instructions = f"{instructions}\n\n{title}".strip()
                else:  # text for the questions below it, added to the first of them
                    above = f"{above}\n\n{title}".strip()
                continue
            points, behind = option(body, behind)
            written = body[match.start() : stop].rstrip(" \t\n\0")
            start, end = place + match.start(), place + match.start() + len(written)
            stated = {"points": points or "", "section": section, "title": title}
            stated["instructions"] = instructions
            asked = f"{above}\n\n{body[behind:stop]}" if above else body[behind:stop]
            found.append(Slice(start, end, asked, before, stated))
            before, above = end, ""
    return found


def _lists(clean: str) -> Iterator[tuple[int, str]]:
    lists = top_environments(clean, ("questions",))
    if lists:
        yield from ((one.body_start, one.body) for one in lists)
    else:  # a fragment included by a document
        yield 0, clean


def fill_item(item: Item, found: Slice, text: Callable[[str, str], str]) -> None:
    """Fill an item from a question; `text` converts LaTeX to our text, given the field that it is for."""
    stated = found.stated
    block = _Block(text)
    fields = block.read(found.body, 1)
    content: QuestionContent = fields.pop("content")
    item.row |= fields
    item.content |= {name: getattr(content, name) for name in ("accepted", "blanks", "parts")}
    item.content["title"] = text(stated["title"], "title")
    item.content["points"] = _points(stated["points"])
    section = text(stated["section"], "concepts").strip("*")
    path = category_path(section.replace("/", "//")) if section.strip() else ()
    item.row["concepts"] = [list(path)] if path else []
    item.content["section"] = Section(section[:HEADING_LIMIT], text(stated["instructions"], "text"))


class _Block:
    """Reads a question or a part of a question."""

    def __init__(self, text: Callable[[str, str], str]) -> None:
        self._text = text

    def read(self, body: str, level: int) -> dict[str, Any]:
        names = (*_CHOICES, *_SOLUTIONS, *(_PARTS if level <= _DEEPEST else ()))
        environments = top_environments(body, names)
        answers: list[str] = []
        asked, gaps = self._gaps(cut(body, environments))
        asked = self._answers(asked, answers)
        solutions = [self._solution(one.body) for one in environments if one.name in _SOLUTIONS]
        choices = [choice for one in environments if one.name in _CHOICES for choice in self._choices(one.body)]
        parts, of_parts = self._parts([one for one in environments if one.name in _PARTS], level)
        row: dict[str, Any] = {"kind": "open", "text": self._text(asked, "text"), "options": [], "answer": ""}
        content: dict[str, Any] = {}
        if parts:
            row["kind"], content["parts"], content["blanks"] = "parts", parts, tuple(gaps)
        elif choices:
            row["kind"], row["options"] = "choice", [*right_or_wrong(choices)]
            right = [option_label(at) for at, (_text, is_right, _said) in enumerate(choices) if is_right]
            row["answer"] = right[0] if len(right) == 1 else ""
        elif gaps:
            row["kind"], content["blanks"] = "blanks", tuple(gaps)
        elif answers:
            row["kind"] = "short" if finite_number(answers[0]) is None else "number"
            row["answer"] = answers[0]
        row["solution"] = "\n\n".join(filter(None, [*solutions, *of_parts]))
        row["content"] = QuestionContent(**content)
        return row

    def _gaps(self, body: str) -> tuple[str, list[Blank]]:
        gaps: list[Blank] = []
        is_plain = False  # a gap without an answer: lines to write on

        def gap(match: re.Match[str]) -> tuple[str, int]:
            nonlocal is_plain
            stated, end = option(body, match.end())
            _width, end = option(body, end)
            answer = self._text(stated or "", "blanks")
            is_plain = is_plain or not answer
            kind = "short" if finite_number(answer) is None else "number"
            gaps.append(Blank(kind, (AcceptedAnswer(answer),)))
            return f"[[{len(gaps)}]]", end

        text = rewritten(body, _FILLIN, gap)
        return (body, []) if is_plain else (text, gaps)

    def _answers(self, body: str, answers: list[str]) -> str:
        def gone(match: re.Match[str]) -> tuple[str, int]:
            stated, end = option(body, match.end())
            answer = self._text(stated, "answer") if stated else ""
            answers.extend([answer] if answer else [])
            return "", end

        return rewritten(body, _ANSWER, gone)

    def _solution(self, body: str) -> str:
        _space, start = option(body, 0)
        return self._text(body[start:], "solution")

    def _choices(self, body: str) -> Iterator[tuple[str, bool, str]]:
        for match, _stated, text in split_items(body, ("choice", *_RIGHT)):
            if shown := self._text(text, "options"):
                yield shown, match["item"] in _RIGHT, ""

    def _parts(self, environments: list[Any], level: int) -> tuple[tuple[QuestionPart, ...], list[str]]:
        parts: list[QuestionPart] = []
        solutions: list[str] = []
        for environment in environments:
            for _match, stated, body in split_items(environment.body, _PARTS[environment.name]):
                row = self.read(body, level + 1)
                content: QuestionContent = row["content"]
                if level > 1:  # at most two levels
                    inner = [f"({part_label(at)}) {part.text}" for at, part in enumerate(content.parts)]
                    row["text"] = "\n".join([row["text"], *inner]).strip()
                    content = QuestionContent(blanks=content.blanks)
                    row["kind"] = "open" if row["kind"] == "parts" else row["kind"]
                points = _points(stated or "")
                content = QuestionContent(points=points, blanks=content.blanks, parts=content.parts)
                answer = derived_answer(kind=row["kind"], options=row["options"], answer=row["answer"], content=content)
                if row["solution"]:
                    solutions.append(f"({part_label(len(parts))}) {row['solution']}")
                text = row["text"] or "[Untitled part]"
                parts.append(QuestionPart(text, row["kind"], tuple(row["options"]), answer, content))
        return tuple(parts), solutions


def _points(stated: str) -> float | None:
    match = _POINTS.match(stated)
    if match is None or not (match[1] or match[2]):
        return None
    return float(match[1] or 0) + (0.5 if match[2] else 0)


# -- writing ---------------------------------------------------------------------------------------------------------

_LatexOf = Callable[[str], str]


def write_question(record: QuestionRecord, latex: _LatexOf) -> str:
    """Return a question as LaTeX commands. Raises `CannotHold`."""
    content = record.content
    command = rf"\titledquestion{{{latex(content.title)}}}" if content.title else r"\question"
    lines = [f"{command}{_stated(content.points)} {_body(record, latex)}"]
    if record.solution:
        lines.append(f"\\begin{{solution}}\n{latex(record.solution)}\n\\end{{solution}}")
    return "\n".join(lines)


def _body(question: QuestionRecord | QuestionPart, latex: _LatexOf, level: int = 0) -> str:
    content, kind = question.content, question.kind
    if content.pairs or kind in ("matching", "ordering"):
        raise CannotHold("matching and ordering questions")
    written = latex(question.text)
    shown = [_with_gaps(written, content.blanks, latex) if content.blanks else written]
    if question.options:
        labels = [option.label for option in question.options]
        answer = derived_answer(kind=kind, options=question.options, answer=question.answer, content=content)
        right = right_labels(answer, labels) or []
        name = "checkboxes" if len(right) > 1 else "choices"
        lines = [
            rf"  \{'CorrectChoice' if one.label in right else 'choice'} {latex(one.text)}" for one in question.options
        ]
        shown.append("\n".join([rf"\begin{{{name}}}", *lines, rf"\end{{{name}}}"]))
    elif content.parts:
        name = [*_PARTS.values()][level][0]
        parts = (rf"\{name}{_stated(part.content.points)} {_body(part, latex, level + 1)}" for part in content.parts)
        shown.append("\n".join([rf"\begin{{{name}s}}", *parts, rf"\end{{{name}s}}"]))
    elif question.answer and not content.blanks and kind in _TYPED:
        shown.append(rf"\answerline[{{{latex(question.answer)}}}]")
    return "\n".join(shown)


def _stated(points: float | None) -> str:
    return "" if points is None else f"[{points:.10g}]"


def _with_gaps(written: str, blanks: tuple[Blank, ...], latex: _LatexOf) -> str:
    def gap(match: re.Match[str]) -> str:
        place = int(match[1]) - 1
        blank = blanks[place] if place < len(blanks) else None
        answer = blank_answer(blank) if blank else ""
        return rf"\fillin[{{{latex(answer)}}}]" if answer else r"\fillin{}"

    return re.sub(r"\[\[(\d{1,3})\]\]", gap, written)
