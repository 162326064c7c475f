r"""Write equal quantities in equal words, so that comparisons of two texts see no false differences.

`canonical_quantities` unifies different spellings: clock times ("3:00 pm", "15:00"), durations in hours and
minutes ("an hour and a half", "1 h 30 min", "90 minutes"), bounds ("5 or more", "at least 5"), per cent, and
formula symbols (``\ge``, ">="). `in_words_of` then writes each quantity of a paraphrase as in its original:
1500 m as 1.5 km.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from analytics.language.en.numbers import english_value
from analytics.languages import language_of
from analytics.paraphrase.findings.quantities import align_quantities
from analytics.paraphrase.words.reading import read

Span = tuple[int, int]


@dataclass(frozen=True)
class Rewritten:
    """A text in which some spans were rewritten.

    Attributes:
        text: the rewritten text.
        pieces: (start and end before, start and end now) of each changed span, in order.
    """

    text: str
    pieces: tuple[tuple[int, int, int, int], ...] = ()

    def span_before(self, start: int, end: int) -> Span:
        """Return the original span of a span in the new text; a changed span counts as a whole."""
        return self._before(start, is_end=False), self._before(end, is_end=True)

    def _before(self, place: int, *, is_end: bool) -> int:
        at = bisect_right([piece[2] for piece in self.pieces], place) - 1
        if at < 0:
            return place
        start, end, new_start, new_end = self.pieces[at]
        if place == new_start and is_end:
            return start
        if place < new_end:
            return end if is_end else start
        return end + place - new_end


def rewritten(text: str, edits: list[tuple[int, int, str]]) -> Rewritten:
    """Return a text with spans replaced.

    Args:
        text: any text.
        edits: start, end and replacement of non-empty spans; edits that overlap an earlier one are ignored.
    """
    parts: list[str] = []
    pieces: list[tuple[int, int, int, int]] = []
    done = length = 0
    for start, end, new in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start < done or text[start:end] == new:
            continue
        length += start - done
        parts += [text[done:start], new]
        pieces.append((start, end, length, length + len(new)))
        length += len(new)
        done = end
    return Rewritten("".join((*parts, text[done:])), tuple(pieces))


_N = r"(?P<n>\d[\d,]*(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a dozen|twenty)"
_HOUR, _MINUTE = r"(?:hours?|hrs?|h)\b", r"(?:minutes?|mins?|min)\b"
_NO_UNIT = r"(?![\w$%]|\.\d)"


_ENDS_SENTENCE = re.compile(r"\.\s*(?:$|[A-Z])")


def _minutes(value: Fraction) -> str:
    return f"{value} minutes" if value.denominator == 1 else f"{float(value):g} minutes"


def _number(text: str) -> Fraction:
    plain = text.replace(",", "")
    if plain[0].isdigit():
        return Fraction(plain)
    return english_value(text) or Fraction(1)


Make = Callable[[re.Match[str]], str]
_RULES: tuple[tuple[str, re.Pattern[str], Make], ...] = tuple(
    (trigger, re.compile(pattern, re.IGNORECASE), make)
    for trigger, pattern, make in (
        ("quarter", r"\b(?:a|one) quarter of an hour\b|\ba quarter[- ]hour\b", lambda _: "15 minutes"),
        ("quarter", r"\bthree[- ]quarters of an hour\b", lambda _: "45 minutes"),
        ("quarter", r"\bquarter of an hour\b", lambda _: "15 minutes"),
        ("half", r"\b(?:half an hour|a half[- ]hour|one half hour|half hour)\b", lambda _: "30 minutes"),
        ("and a half", r"\b(?:an|one) hour and a half\b|\b(?:one|1) and a half hours\b", lambda _: "90 minutes"),
        ("and a half", rf"\b{_N} and a half hours\b", lambda m: _minutes(_number(m["n"]) * 60 + 30)),
        (
            "h",
            rf"\b(?:{_N}|an) {_HOUR},? (?:and )?(?P<m>\d+) {_MINUTE}|\b(?P<h>\d+) ?{_HOUR} ?(?P<m2>\d+) ?{_MINUTE}",
            lambda m: _minutes(_number(m["n"] or m["h"] or "1") * 60 + _number(m["m"] or m["m2"])),
        ),
        ("or more", rf"\b{_N} or more\b", lambda m: f"at least {m['n']}"),
        ("or ", rf"\b{_N} or (?:less|fewer)\b", lambda m: f"at most {m['n']}"),
        ("m", r"\b(?:no more than|not more than|a maximum of|up to and including)\b", lambda _: "at most"),
        ("n", r"\b(?:no less than|no fewer than|not less than|not fewer than|a minimum of)\b", lambda _: "at least"),
        ("", r"\s?(?:\bper cent\b|\bpercent\b|\\%)", lambda _: "%"),
        ("", r"\\(?:leq?|leqslant)(?![a-z])|<=", lambda _: "≤"),
        ("", r"\\(?:geq?|geqslant)(?![a-z])|>=", lambda _: "≥"),
        ("\\lt", r"\\lt(?![a-z])", lambda _: "<"),
        ("\\gt", r"\\gt(?![a-z])", lambda _: ">"),
        ("\\", r"\\(?:times|cdot)(?![a-z]) ?", lambda _: "× "),
        ("\\div", r"\\div(?![a-z]) ?", lambda _: "÷ "),
        ("", r"\^\{?\\circ\}?|\s?\bdegrees\b", lambda _: "°"),
        ("frac", r"\\[dt]?frac ?\{(?P<a>[^{}]*)\}\{(?P<b>[^{}]*)\}", lambda m: _fraction(m["a"], m["b"])),
        ("sqrt", r"\\sqrt\{(?P<r>[^{}]*)\}", lambda m: f"√({m['r']})"),
        ("{", r"(?<=[\^_])\{(?P<s>\w)\}", lambda m: m["s"]),
        ("\\", r"\\(?:left|right)(?![a-z])|\\[,;!]", lambda _: ""),
    )
)  # fmt: skip


def _fraction(top: str, bottom: str) -> str:
    return "/".join(part if re.fullmatch(r"\w+", part) else f"({part})" for part in (top, bottom))


def canonical_quantities(text: str) -> Rewritten:
    """Return the text with clock times, durations, bounds and signs in canonical spelling.

    >>> canonical_quantities("From 3:00 pm, an hour and a half for 5 or more.").text
    'From 15:00, 90 minutes for at least 5.'
    """
    edits = [
        (time.start, time.end, f"{time.minutes // 60 % 24}:{time.minutes % 60:02d}")
        for time in language_of(text).numbers.find_clock_times(text)
        if time.end > time.start
    ]
    edits = [(start, end - (_ENDS_SENTENCE.match(text, end - 1) is not None), new) for start, end, new in edits]
    lowered = text.lower()
    for trigger, pattern, make in _RULES:
        if trigger not in lowered:
            continue
        edits += [(match.start(), match.end(), make(match)) for match in pattern.finditer(text)]
    return rewritten(text, edits)


def in_words_of(original: str, paraphrase: str) -> Rewritten:
    """Return the paraphrase with each quantity that equals one in the original written as it is there.

    >>> in_words_of("It is 1.5 km long.", "Its length is 1500 m.").text
    'Its length is 1.5 km.'
    """
    before, after = read(original), read(paraphrase)
    if [quantity.text for quantity in before.quantities] == [quantity.text for quantity in after.quantities]:
        return Rewritten(paraphrase)
    return rewritten(
        paraphrase,
        [
            (match.paraphrase.start, match.paraphrase.end, match.original.text)
            for match in align_quantities(before, after).matches
            if match.original.text.lower() != match.paraphrase.text.lower()
        ],
    )
