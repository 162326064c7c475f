r"""Moodle's plain texts: Aiken files, texts with embedded answers (cloze), and the gaps of cloze questions anywhere.

Cloze questions embed gaps in the text as ``{1:SHORTANSWER:=4~%50%four#In figures, please}``. Gaps filled from a list
(gapselect) or by dragging (ddwtos) refer to a choice: ``[[3]]`` is the third.
https://docs.moodle.org/en/Aiken_format
https://docs.moodle.org/en/Embedded_Answers_(Cloze)_question_type
https://docs.moodle.org/en/Select_missing_words_question_type
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from html import escape, unescape
from pathlib import Path
from xml.etree.ElementTree import Element

from analytics.question_content import AcceptedAnswer, Blank, Option
from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.archives import opened_folder
from questionbank.formats.html_reading import html_to_our_text, with_dollars
from questionbank.formats.items import Item, numbered_gaps
from questionbank.formats.kinds import lettered, right_or_wrong
from questionbank.formats.seam import Entry, ReadContext
from questionbank.formats.written_numbers import decimal_text

_GAP = re.compile(
    r"\{(?P<points>\d*):(?P<style>SHORTANSWER(?:_C)?|SAC?|MWC?|NUMERICAL|NM"
    r"|MULTICHOICE(?:_[VH]?S?)?|MC[VH]?S?|MULTIRESPONSE(?:_H?S?)?|MRH?S?):"
    r"(?P<answers>(?:[^{}\\]|\\.|\{[^{}]*\})*)\}",
    re.DOTALL,
)
_BROKEN = re.compile(r"\{\d*:[A-Z][A-Z_]+(?=[\s:}])[^{}\n]{0,80}\}?")
_STYLE = re.compile(r"[A-Z]{2,}(?:_[A-Z]+)?")
_SPLIT = re.compile(r"(?<!\\)((?:\\\\)*)~")
_FEEDBACK = re.compile(r"(?<!\\)(?:\\\\)*#")
_WEIGHT = re.compile(r"\s*(?:(=)|%(-?\d+(?:\.\d+)?)%)?")
_ESCAPED = re.compile(r"\\([}#~/\"\\{])")
_TO_ESCAPE = re.compile(r"[}#~\\{]")
_NUMBERS, _TYPED = ("NUMERICAL", "NM"), ("SHORTANSWER", "SHORTANSWER_C", "SA", "SAC", "MW", "MWC")
_MARK = re.compile(r"\[\[(\d{1,3})\]\]")
GAP_LISTS = frozenset({"ddwtos", "gapselect"})
"""Moodle's question types with gaps that refer to a choice."""


def read_cloze(html: str, text_of: Callable[[str], str]) -> tuple[str, list[Blank]]:
    """Return a cloze question's HTML with its gaps replaced by ``[[1]]``, ``[[2]]`` ..., and the gaps.

    Args:
        text_of: converts the HTML of an answer to our text.
    """
    blanks: list[Blank] = []

    def replaced(match: re.Match[str]) -> str:
        blanks.append(_blank(match, text_of))
        return f"[[{len(blanks)}]]"

    return _GAP.sub(replaced, html), blanks


def cloze_faults(rest: str, blanks: Sequence[Blank]) -> Iterator[str]:
    """Yield what is wrong with the gaps of a question.

    Args:
        rest: its HTML or text without the gaps that were read.
    """
    for broken in dict.fromkeys(match[0] for match in _BROKEN.finditer(rest)):
        yield f"{broken[:60]!r} is not a gap that can be read: answers come after the type, as in {{1:NUMERICAL:=4}}"
    if not blanks:
        yield "the question has no gap"
    for place, blank in enumerate(blanks, start=1):
        weights = [answer.weight for answer in blank.accepted] + [option.weight or 0.0 for option in blank.options]
        if max(weights, default=0.0) <= 0:
            yield f"gap {place} has no right answer"


def _blank(match: re.Match[str], text_of: Callable[[str], str]) -> Blank:
    style, source = match["style"], match["answers"]
    points = float(match["points"] or 1)
    pieces, end = [], 0
    for split in _SPLIT.finditer(source):
        pieces.append(source[end : split.end() - 1])
        end = split.end()
    answers = [_answer(piece) for piece in (*pieces, source[end:]) if piece.strip() not in ("", "=")]
    if style in _NUMBERS:
        numbers = tuple(_number(unescape(text), weight, text_of(said)) for text, weight, said in answers)
        return Blank("number", numbers, (), points, style)
    if style in _TYPED:
        accepted = tuple(AcceptedAnswer(unescape(text), weight, text_of(said)) for text, weight, said in answers)
        return Blank("short", accepted, (), points, style)
    options = ((text_of(text), weight, text_of(said)) for text, weight, said in answers)
    return Blank("choice", (), lettered(options), points, style)


def _answer(piece: str) -> tuple[str, float, str]:
    """Return text, weight and feedback of an answer."""
    weight = _WEIGHT.match(piece)
    assert weight is not None  # noqa: S101 - it matches nothing, too
    rest = piece[weight.end() :]
    share = 1.0 if weight[1] else float(weight[2]) / 100 if weight[2] else 0.0
    split = _FEEDBACK.search(rest)
    text, said = (rest[: split.end() - 1], rest[split.end() :]) if split else (rest, "")
    return _plain(text).strip(), max(-1.0, min(1.0, share)), _plain(said).strip()


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _number(text: str, weight: float, said: str) -> AcceptedAnswer:
    value, colon, tolerance = text.partition(":")
    try:
        allowed = float(tolerance) if colon else None
    except ValueError:
        value, allowed = text, None
    return AcceptedAnswer(value.strip(), weight, said, allowed or None)


def write_cloze(html: str, blanks: tuple[Blank, ...], html_of: Callable[[str], str]) -> str:
    """Return the HTML of a question with the numbers of its gaps replaced by the gaps."""

    def gap(match: re.Match[str]) -> str:
        number = int(match[1])
        return _gap(blanks[number - 1], html_of) if 0 < number <= len(blanks) else match[0]

    return _MARK.sub(gap, html)


def _gap(blank: Blank, html_of: Callable[[str], str]) -> str:
    style = blank.style if _STYLE.fullmatch(blank.style) else ""
    style = style or {"number": "NUMERICAL", "choice": "MULTICHOICE"}.get(blank.kind, "SHORTANSWER")
    answers = []
    for answer in blank.accepted:
        margin = "" if answer.tolerance is None else f":{decimal_text(answer.tolerance)}"
        answers.append((escape(answer.text + margin, quote=False), answer.weight, answer.feedback))
    answers += [(html_of(option.text), option.weight or 0.0, option.feedback) for option in blank.options]
    written = (_written(text, weight, html_of(said) if said else "") for text, weight, said in answers)
    points = f"{blank.points:g}"
    return f"{{{points}:{style}:{'~'.join(written)}}}"


def _written(text: str, weight: float, said: str) -> str:
    mark = "=" if weight == 1 else "" if weight == 0 else f"%{weight * 100:.10g}%"
    feedback = f"#{_escape(said)}" if said else ""
    return f"{mark}{_escape(text)}{feedback}"


def _escape(text: str) -> str:
    return _TO_ESCAPE.sub(lambda match: f"\\{match[0]}", text)


def read_gap_list(element: Element, text: str, text_of: Callable[[str], str]) -> tuple[str, tuple[Blank, ...]] | None:
    """Return a question's text and gaps; None if it has no gaps or a gap refers to no choice.

    Args:
        text: our text, with Moodle's marks.
        text_of: converts a choice to our text.
    """
    choices = [
        (text_of(choice.findtext("text") or ""), choice.findtext("group") or "1")
        for choice in element
        if choice.tag in ("dragbox", "selectoption")
    ]
    wanted = [int(match[1]) - 1 for match in _MARK.finditer(text)]
    if not wanted or not all(0 <= place < len(choices) for place in wanted):
        return None
    blanks = tuple(Blank("choice", (), _offered(choices, place)) for place in wanted)
    return numbered_gaps(_MARK, text), blanks


def _offered(choices: list[tuple[str, str]], right: int) -> tuple[Option, ...]:
    offered = [place for place, (_text, group) in enumerate(choices) if group == choices[right][1]]
    return lettered((choices[place][0], place == right, "") for place in offered)


AIKEN, CLOZE = "aiken", "cloze"
_OPTION = re.compile(r"[ \t]*([A-Za-z])[.)][ \t]*(\S.*?)[ \t]*")
_ANSWER = re.compile(r"[ \t]*ANSWERS?[ \t]*:[ \t]*([A-Za-z](?:[ \t,;]*[A-Za-z])*)[ \t]*\.?[ \t]*", re.IGNORECASE)
_SAID = re.compile(r"[ \t]*@?(?:FEEDBACK|EXPLANATION|REFERENCE)[ \t]*:?[ \t]*(.*)", re.IGNORECASE)
_LONGEST_TEXT = 20  # lines of a question's text when a file's format is detected
_CAPITALS = re.compile(r"^[ \t]*ANSWER[ \t]*:", re.MULTILINE)
_CLOZE_GAP = re.compile(
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
    return _CLOZE_GAP.search(beginning) is not None


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
