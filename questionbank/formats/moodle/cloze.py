r"""Moodle's gaps. Cloze questions embed them in the text as ``{1:SHORTANSWER:=4~%50%four#In figures, please}``.

Gaps filled from a list (gapselect) or by dragging (ddwtos) refer to a choice: ``[[3]]`` is the third.
https://docs.moodle.org/en/Embedded_Answers_(Cloze)_question_type
https://docs.moodle.org/en/Select_missing_words_question_type
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape, unescape
from xml.etree.ElementTree import Element

from analytics.question_content import AcceptedAnswer, Blank, Option
from questionbank.formats.items import numbered_gaps
from questionbank.formats.kinds import lettered
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
