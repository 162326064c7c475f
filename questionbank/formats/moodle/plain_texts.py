"""Moodle's two plain text formats: Aiken, and text with embedded answers (cloze).

https://docs.moodle.org/en/Aiken_format, https://docs.moodle.org/en/Embedded_Answers_(Cloze)_question_type
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from pathlib import Path

from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.folders import opened_folder
from questionbank.formats.html_reading import html_to_our_text, with_dollars
from questionbank.formats.items import Item
from questionbank.formats.kinds import right_or_wrong
from questionbank.formats.moodle.cloze import cloze_faults, read_cloze
from questionbank.formats.seam import Entry, ReadContext

AIKEN, CLOZE = "aiken", "cloze"
_OPTION = re.compile(r"[ \t]*([A-Za-z])[.)][ \t]*(\S.*?)[ \t]*")
_ANSWER = re.compile(r"[ \t]*ANSWERS?[ \t]*:[ \t]*([A-Za-z](?:[ \t,;]*[A-Za-z])*)[ \t]*\.?[ \t]*", re.IGNORECASE)
_SAID = re.compile(r"[ \t]*@?(?:FEEDBACK|EXPLANATION|REFERENCE)[ \t]*:?[ \t]*(.*)", re.IGNORECASE)
_LONGEST_TEXT = 20  # lines of a question's text when a file's format is detected
_CAPITALS = re.compile(r"^[ \t]*ANSWER[ \t]*:", re.MULTILINE)
_GAP = re.compile(
    r"\{\d*:(?:SHORTANSWER|SAC?|MWC?|NUMERICAL|NM|MULTICHOICE|MC|MULTIRESPONSE|MR)[A-Z_]{0,4}:[^{}]*[=%~]"
)


def is_aiken(beginning: str, _name: str) -> bool:
    """Return whether a file is in Aiken format: its first questions with options have answers.

    If some lack answers, only an upper-case ``ANSWER:`` distinguishes it from a test paper.
    """
    answered = [bool(question.answer) for question in _aiken_questions(beginning) if question.has_shape]
    return any(answered) and (all(answered) or _CAPITALS.search(beginning) is not None)


def aiken_fault(beginning: str) -> str:
    """Return why a file that resembles Aiken is not read as Aiken; empty for other files."""
    question = next((one for one in _aiken_questions(beginning) if one.has_shape), None)
    if question is None:
        return ""
    return f"after line {question.lines[-1]:,} there is no line ANSWER: with the letter of the right option"


def read_aiken(path: Path, context: ReadContext) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of each question, by its first line. Raises `ImportRefused`."""
    for question in _aiken_questions(_text(path)):
        yield from question.entries(context)


def _aiken_questions(text: str) -> Iterator[_Aiken]:
    question = _Aiken()
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        if question.takes(number, line):
            continue
        yield question
        question = _Aiken()
        question.takes(number, line)
    if question.lines:
        yield question


class _Aiken:
    """A question whose lines are being read."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.source: list[str] = []
        self.text: list[str] = []
        self.options: list[list[str]] = []  # lines of each option
        self.answer = ""
        self.said: list[str] = []
        self.is_apart = False  # whether an empty line followed the options

    def takes(self, number: int, line: str) -> bool:
        """Take a line; return whether it belongs to the question."""
        said = _SAID.fullmatch(line) if self.answer else None
        if self.answer and not said:
            return not line.strip()
        if not line.strip():
            self.is_apart = bool(self.options)
            return True
        option = _OPTION.fullmatch(line) if self.text else None
        if said:
            self.said.append(said[1])
        elif answer := _ANSWER.fullmatch(line):
            self.answer = answer[1].upper()
        elif option and option[1].upper() == chr(65 + len(self.options)):
            self.options.append([option[2]])
        elif self.options and self.is_apart:
            return False
        elif self.options:
            self.options[-1].append(line.strip())
        else:
            self.text.append(line)
        self.lines.append(number)
        self.source.append(line)
        return True

    @property
    def has_shape(self) -> bool:
        """Whether there is a text of a few lines with at least two options."""
        return 0 < len(self.text) <= _LONGEST_TEXT and len(self.options) > 1

    def entries(self, context: ReadContext) -> Iterator[tuple[int, Entry]]:
        line, letters = self.lines[0], {*re.findall("[A-Z]", self.answer)}
        if reason := self._fault(letters):
            yield line, LineProblem(line, reason, "answer")
            return
        item = Item(AIKEN, context)
        item.row["text"] = with_dollars("\n".join(map(str.strip, self.text)))
        item.row["solution"] = with_dollars("\n".join(self.said).strip())
        options = enumerate((with_dollars(" ".join(lines)) for lines in self.options), start=65)
        choices = [(text, chr(place) in letters, "") for place, text in options]
        item.row |= {"kind": "choice", "options": [*right_or_wrong(choices)]}
        item.row["answer"] = "".join(letters) if len(letters) == 1 else ""
        yield from item.entries(line, "\n".join(self.source).strip())

    def _fault(self, letters: Set[str]) -> str:
        """Return why the lines are not a question; empty if they are."""
        missing = sorted(letters - {chr(65 + place) for place in range(len(self.options))})
        if not letters:
            return "the question has no line ANSWER: with the letter of an option"
        if missing:
            return f"the answer {missing[0]} is not the letter of an option"
        return ""


def is_cloze_text(beginning: str, _name: str) -> bool:
    """Return whether a file is a text with embedded answers."""
    return _GAP.search(beginning) is not None


def read_cloze_text(path: Path, context: ReadContext) -> Iterator[tuple[int, Entry]]:
    """Yield the single question of the file. Raises `ImportRefused`."""
    source = _text(path).strip()
    item = Item(CLOZE, context)
    text, blanks = read_cloze(source, lambda html: html_to_our_text(html)[0])
    item.row |= {"kind": "blanks", "text": item.html(text, "text", breaks_lines=True)}
    item.content["blanks"] = tuple(blanks)
    for fault in cloze_faults(text, blanks):
        item.say("blanks", fault)
    yield from item.entries(1, source)


def _text(path: Path) -> str:
    with opened_folder(path) as folder:
        try:
            return folder.text(folder.names[0])
        except ValueError as error:
            raise ImportRefused(f"{path.name} cannot be read: it {error}.") from error
