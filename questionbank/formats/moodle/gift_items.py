r"""One question in GIFT: ``::title::[html]text {answers} rest``, as a row of our fields.

https://docs.moodle.org/en/GIFT_format, and Moodle's `qformat_gift`. A backslash escapes ``~ = # { } :`` and itself, and
``\n`` is a line break.
"""

from __future__ import annotations

import re
from itertools import islice

from analytics.question_content import AcceptedAnswer, MatchingPair
from questionbank.formats.fields import FieldProblems
from questionbank.formats.html_reading import with_dollars, with_named_pictures
from questionbank.formats.items import ItemReading
from questionbank.formats.kinds import lettered
from questionbank.formats.pictures import Put
from questionbank.formats.written_numbers import exact_share, finite_number, plain

_ESCAPED = re.compile(r"\\([~=#{}:\\n])")
_TITLE = re.compile(r"\s*::((?:[^:\\]|\\.|:(?!:))*)::", re.DOTALL)
_FORMAT = re.compile(r"\s*\[(html|moodle|plain|markdown)\]", re.IGNORECASE)
_ANSWER = re.compile(r"(?<!\\)(?:\\\\)*([=~])")
_HASHES = re.compile(r"(?<!\\)((?:\\\\)*)#")
_GENERAL = re.compile(r"(?<!\\)((?:\\\\)*)####")
_WEIGHT = re.compile(r"\s*%(-?\d+(?:\.\d+)?)%")
_TRUE_FALSE = re.compile(r"\s*(T|TRUE|F|FALSE)\s*(?=#|$)", re.IGNORECASE)
_MOST_ANSWERS = 1_000
GAP = "____"


class GiftItem(ItemReading):
    """A GIFT question being read."""

    def __init__(self, put: Put) -> None:
        super().__init__(put)
        self.format = "moodle"

    def read(self, source: str) -> None:
        """Fill the row from a question that is free of comments.

        Raises:
            FieldProblems: its braces or answers are malformed.
        """
        title = _TITLE.match(source)
        rest = source[title.end() :] if title else source
        stated = _FORMAT.match(rest)
        if stated:
            self.format = stated[1].lower()
            rest = rest[stated.end() :]
        begin, end = _braces(rest)
        self.content["title"] = _plain(title[1]).strip() if title else ""
        if begin < 0:
            self.row |= {"kind": "description", "text": self.text(rest, "text")}
            return
        before, inner, after = rest[:begin], rest[begin + 1 : end], rest[end + 1 :]
        general = _GENERAL.search(inner)
        if general:
            self.row["solution"] = self.text(inner[general.end() :], "solution")
            inner = inner[: general.start() + len(general[1])]
        self.row["text"] = self.text(f"{before}{GAP}{after}" if after.strip() else before, "text")
        self.answers(inner.strip())

    def text(self, source: str, field: str) -> str:
        """Convert a text, which may state its own format, to ours."""
        stated = _FORMAT.match(source)
        form = stated[1].lower() if stated else self.format
        plain = _plain(source[stated.end() :] if stated else source).strip()
        if form == "plain":
            return plain
        if form == "markdown":
            return with_named_pictures(with_dollars(plain), lambda address: self.picture(address, field))
        return self.html(plain, field, breaks_lines=form == "moodle")

    # -- answers ---------------------------------------------------------------------------------------------------

    def answers(self, inner: str) -> None:
        if not inner:
            self.row["kind"] = "open"
        elif match := _TRUE_FALSE.match(inner):
            self._true_false(match, inner[match.end() :])
        elif inner.startswith("#"):
            self._numbers(inner[1:].strip())
        else:
            pieces = _pieces(inner, "~" if "~" in inner else "=")
            if not _ANSWER.search(inner):
                raise _bad("the answers in the braces begin neither with = nor with ~")
            is_matching = all(sign == "=" and "->" in piece for sign, piece in pieces)
            if is_matching:
                self.row["kind"] = "matching"
                self.content["pairs"] = tuple(self._pair(piece) for _sign, piece in pieces)
            elif any(sign == "~" for sign, _piece in pieces):
                self.weigh(lettered(map(self._option, pieces)), is_single=any(sign == "=" for sign, _piece in pieces))
            else:
                self.row["kind"] = "short"
                self.accept([self._accepted(piece) for _sign, piece in pieces])

    def _true_false(self, match: re.Match[str], rest: str) -> None:
        answer = "True" if match[1][0].upper() == "T" else "False"
        other = "False" if answer == "True" else "True"
        self.row |= {"kind": "true_false", "answer": answer}
        wrong, right = [*_split(rest.lstrip().removeprefix("#")), "", ""][:2]
        if wrong.strip() or right.strip():
            accepted = (
                AcceptedAnswer(answer, 1.0, self.text(right, "feedback")),
                AcceptedAnswer(other, 0.0, self.text(wrong, "feedback")),
            )
            self.content["accepted"] = tuple(sorted(accepted, key=lambda one: one.text, reverse=True))

    def _numbers(self, inner: str) -> None:
        self.row["kind"] = "number"
        self.accept([_number(self._accepted(piece, sign)) for sign, piece in _pieces(inner, "=")])

    def _accepted(self, piece: str, sign: str = "=") -> AcceptedAnswer:
        """Return the accepted answer of a piece; ``~#Try again`` accepts nothing and comments on any other answer."""
        text, share, said = self._graded(sign, piece)
        answer = _plain(text).strip() or ("*" if sign == "~" else "")
        return AcceptedAnswer(answer, max(0.0, share), said)

    def _graded(self, sign: str, piece: str) -> tuple[str, float, str]:
        """Return source, share of points and feedback of an answer."""
        weight = _WEIGHT.match(piece)
        text, feedback = _feedback(piece[weight.end() :] if weight else piece)
        share = _share(weight[1]) if weight else float(sign == "=")
        return text, share, self.text(feedback, "feedback") if feedback else ""

    def _pair(self, piece: str) -> MatchingPair:
        left, _arrow, right = piece.partition("->")
        return MatchingPair(self.text(left, "pairs"), " ".join(_plain(right).split()))

    def _option(self, found: tuple[str, str]) -> tuple[str, float, str]:
        text, share, said = self._graded(*found)
        return self.text(text, "options"), share, said


def _bad(reason: str) -> FieldProblems:
    return FieldProblems([("", reason)])


def _braces(text: str) -> tuple[int, int]:
    """Return the start and end of the answers; (-1, -1) if there are none."""
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
            end = place  # the last one, as LaTeX in an answer may contain braces
        place += 1
    if begin >= 0 > end:
        raise _bad("a brace { opens the answers and is never closed")
    return begin, end


def _pieces(inner: str, first: str) -> list[tuple[str, str]]:
    """Return (sign, source) of each answer.

    Args:
        first: the sign to assume for text before the first sign, which Moodle also reads as an answer.

    Raises:
        FieldProblems: there are implausibly many answers.
    """
    marks = list(islice(_ANSWER.finditer(inner), _MOST_ANSWERS + 1))
    if len(marks) > _MOST_ANSWERS:
        raise _bad(f"the braces hold more than {_MOST_ANSWERS:,} answers")
    places = [(match[1], match.start(1), match.end()) for match in marks]
    if inner[: places[0][1] if places else len(inner)].strip():
        places.insert(0, (first, 0, 0))
    ends = [*(begin for _sign, begin, _behind in places[1:]), len(inner)]
    return [(sign, inner[behind:end].strip()) for (sign, _begin, behind), end in zip(places, ends, strict=False)]


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
    least, dots, most = text.partition("..")
    if dots:
        low, high = finite_number(least), finite_number(most)
        if low is not None and high is not None:
            text, tolerance = plain((low + high) / 2), float(f"{abs(high - low) / 2:.12g}")
    elif ":" in text:
        value, _colon, allowed = text.rpartition(":")
        if (found := finite_number(allowed)) is not None:
            text, tolerance = value.strip(), found
    return AcceptedAnswer(text, answer.weight, answer.feedback, tolerance or None)


def _share(percent: str) -> float:
    return exact_share(max(-1.0, min(1.0, float(percent) / 100)))


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda match: "\n" if match[1] == "n" else match[1], text)
