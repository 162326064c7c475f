r"""One question in GIFT: ``::title::[html]text {answers} rest``, as a row of our fields.

https://docs.moodle.org/en/GIFT_format, and Moodle's `qformat_gift`. A backslash escapes ``~ = # { } :`` and itself, and
``\n`` is a line break.
"""

from __future__ import annotations

import re
from typing import Any

from analytics.question_content import AcceptedAnswer, MatchingPair, Option, QuestionContent
from questionbank.formats.html_reading import html_to_our_text, with_dollars
from questionbank.formats.kinds import option_label
from questionbank.formats.written_numbers import exact_share, finite_number

_ESCAPED = re.compile(r"\\([~=#{}:\\n])")
_TITLE = re.compile(r"\s*::((?:[^:\\]|\\.|:(?!:))*)::", re.DOTALL)
_FORMAT = re.compile(r"\s*\[(html|moodle|plain|markdown)\]", re.IGNORECASE)
_ANSWER = re.compile(r"(?<!\\)(?:\\\\)*([=~])")
_HASHES = re.compile(r"(?<!\\)((?:\\\\)*)#")
_GENERAL = re.compile(r"(?<!\\)((?:\\\\)*)####")
_WEIGHT = re.compile(r"\s*%(-?\d+(?:\.\d+)?)%")
_TRUE_FALSE = re.compile(r"\s*(T|TRUE|F|FALSE)\s*(?=#|$)", re.IGNORECASE)
_RANGE = re.compile(r"(-?[\d.,eE+-]+)\s*\.\.\s*(-?[\d.,eE+-]+)")
GAP = "____"


class BadItem(ValueError):
    """A question that is no GIFT; the message says why."""


def read_item(source: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return the row of one question, without its comments, and (field, reason) of what went.

    Raises:
        BadItem: braces are not in order.
    """
    return _Item().read(source)


class _Item:
    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self.format = "moodle"

    def read(self, source: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        title = _TITLE.match(source)
        rest = source[title.end() :] if title else source
        stated = _FORMAT.match(rest)
        if stated:
            self.format = stated[1].lower()
            rest = rest[stated.end() :]
        begin, end = _braces(rest)
        row: dict[str, Any] = {"options": [], "answer": "", "solution": ""}
        content: dict[str, Any] = {"title": _plain(title[1]).strip() if title else ""}
        if begin < 0:
            row |= {"kind": "description", "text": self.text(rest, "text")}
        else:
            before, inner, after = rest[:begin], rest[begin + 1 : end], rest[end + 1 :]
            general = _GENERAL.search(inner)
            if general:
                row["solution"] = self.text(inner[general.end() :], "solution")
                inner = inner[: general.start() + len(general[1])]
            text = f"{before}{GAP}{after}" if after.strip() else before
            row["text"] = self.text(text, "text")
            self.answers(inner.strip(), row, content)
        row["grading"] = QuestionContent(**content)
        return row, self.said

    def text(self, source: str, field: str) -> str:
        """Return our text of one that may state its own format."""
        stated = _FORMAT.match(source)
        form = stated[1].lower() if stated else self.format
        plain = _plain(source[stated.end() :] if stated else source).strip()
        if form == "plain":
            return plain
        if form == "markdown":
            return with_dollars(plain)
        text, went = html_to_our_text(plain, breaks_lines=form == "moodle")
        self.said += [(field, f"{field}: {what}") for what in went]
        return text

    # -- answers ---------------------------------------------------------------------------------------------------

    def answers(self, inner: str, row: dict[str, Any], content: dict[str, Any]) -> None:
        if not inner:
            row["kind"] = "open"
        elif match := _TRUE_FALSE.match(inner):
            self._true_false(match, inner[match.end() :], row, content)
        elif inner.startswith("#"):
            self._numbers(inner[1:].strip(), row, content)
        else:
            pieces = list(_pieces(inner))
            if not pieces:
                raise BadItem("the answers in the braces begin neither with = nor with ~")
            is_matching = all(sign == "=" and "->" in piece for sign, piece in pieces)
            if is_matching:
                row["kind"] = "matching"
                content["pairs"] = tuple(self._pair(piece) for _sign, piece in pieces)
            elif any(sign == "~" for sign, _piece in pieces):
                self._choice(pieces, row, content)
            else:
                row["kind"] = "short"
                self._typed([self._accepted(piece) for _sign, piece in pieces], row, content)

    def _true_false(
        self, match: re.Match[str], rest: str, row: dict[str, Any], content: dict[str, Any]
    ) -> None:
        answer = "True" if match[1][0].upper() == "T" else "False"
        other = "False" if answer == "True" else "True"
        row |= {"kind": "true_false", "answer": answer}
        wrong, right = [*_split(rest.lstrip().removeprefix("#")), "", ""][:2]
        if wrong.strip() or right.strip():
            accepted = (
                AcceptedAnswer(answer, 1.0, self.text(right, "feedback")),
                AcceptedAnswer(other, 0.0, self.text(wrong, "feedback")),
            )
            content["accepted"] = tuple(sorted(accepted, key=lambda one: one.text, reverse=True))

    def _numbers(self, inner: str, row: dict[str, Any], content: dict[str, Any]) -> None:
        pieces = _pieces(inner) if _ANSWER.search(inner) else [("=", inner)]
        row["kind"] = "number"
        self._typed([_number(self._accepted(piece, sign)) for sign, piece in pieces], row, content)

    def _accepted(self, piece: str, sign: str = "=") -> AcceptedAnswer:
        """Return what a piece accepts; ``~#Try again`` accepts nothing and comments on any other answer."""
        weight = _WEIGHT.match(piece)
        text, feedback = _feedback(piece[weight.end() :] if weight else piece)
        share = max(0.0, _share(weight[1])) if weight else float(sign == "=")
        answer = _plain(text).strip() or ("*" if sign == "~" else "")
        return AcceptedAnswer(answer, share, self.text(feedback, "feedback") if feedback else "")

    @staticmethod
    def _typed(accepted: list[AcceptedAnswer], row: dict[str, Any], content: dict[str, Any]) -> None:
        if len(accepted) == 1 and accepted[0] == AcceptedAnswer(accepted[0].text):
            row["answer"] = accepted[0].text
        else:
            content["accepted"] = tuple(accepted)

    def _pair(self, piece: str) -> MatchingPair:
        left, _arrow, right = piece.partition("->")
        return MatchingPair(self.text(left, "pairs"), " ".join(_plain(right).split()))

    def _choice(self, pieces: list[tuple[str, str]], row: dict[str, Any], content: dict[str, Any]) -> None:
        is_single = any(sign == "=" for sign, _piece in pieces)
        options = []
        for place, (sign, piece) in enumerate(pieces):
            weight = _WEIGHT.match(piece)
            text, feedback = _feedback(piece[weight.end() :] if weight else piece)
            share = _share(weight[1]) if weight else float(sign == "=")
            label = option_label(place)
            said = self.text(feedback, "feedback") if feedback else ""
            options.append(Option(label, self.text(text, "options"), "", share, said))
        right = [option for option in options if (option.weight or 0) > 0]
        others = [option for option in options if option.weight and option not in right]
        row["kind"] = "choice"
        if is_single and len(right) == 1 and right[0].weight == 1 and not others:
            row["answer"] = right[0].label
            options = [Option(option.label, option.text, "", None, option.feedback) for option in options]
        elif is_single or len(right) <= 1:
            content["settings"] = {"single": "true" if is_single else "false"}
        row["options"] = [
            {"label": option.label, "text": option.text, "weight": option.weight, "feedback": option.feedback}
            for option in options
        ]


def _braces(text: str) -> tuple[int, int]:
    """Return where the answers begin and end; (-1, -1) where there are none."""
    begin = end = -1
    place = 0
    while place < len(text):
        sign = text[place]
        if sign == "\\":
            place += 2
            continue
        if sign == "{" and begin < 0:
            begin = place
        elif sign == "}" and begin >= 0:
            end = place  # the last one: LaTeX in an answer may have braces of its own
        place += 1
    if begin >= 0 > end:
        raise BadItem("a brace { opens the answers and is never closed")
    return begin, end


def _pieces(inner: str) -> list[tuple[str, str]]:
    marks = list(_ANSWER.finditer(inner))
    ends = [*(match.start(1) for match in marks[1:]), len(inner)] if marks else []
    return [(match[1], inner[match.end() : end].strip()) for match, end in zip(marks, ends, strict=True)]


def _split(text: str) -> list[str]:
    pieces, end = [], 0
    for match in _HASHES.finditer(text):
        pieces.append(text[end : match.end() - 1])
        end = match.end()
    return [*pieces, text[end:]]


def _feedback(piece: str) -> tuple[str, str]:
    text, *feedback = _split(piece)
    return text, "#".join(feedback).strip()


def _number(answer: AcceptedAnswer) -> AcceptedAnswer:
    text, tolerance = answer.text, None
    if match := _RANGE.fullmatch(text):
        low, high = finite_number(match[1]), finite_number(match[2])
        if low is not None and high is not None:
            text, tolerance = f"{(low + high) / 2:.15g}", float(f"{abs(high - low) / 2:.12g}")
    elif ":" in text:
        value, _colon, allowed = text.rpartition(":")
        if (found := finite_number(allowed)) is not None:
            text, tolerance = value.strip(), found
    return AcceptedAnswer(text, answer.weight, answer.feedback, tolerance or None)


def _share(percent: str) -> float:
    return exact_share(max(-1.0, min(1.0, float(percent) / 100)))


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda match: "\n" if match[1] == "n" else match[1], text)
