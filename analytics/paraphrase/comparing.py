"""Comparisons of a text: "more" and "fewer", "at least" and "at most", "twice as many as", and what they compare."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from analytics.paraphrase.reading import Quantity, Reading
from analytics.paraphrase.wording import STOP_WORDS
from analytics.text.unit_names import WORDS

__all__ = [
    "ANCHORED",
    "MEASURES",
    "Comparison",
    "anchor_behind",
    "crossing_things",
    "end_of_clause",
    "find_comparisons",
    "is_as_much_the_other_way",
    "is_inverse",
    "is_turned",
    "things_between",
]

Direction = Literal["up", "down"]

_FAMILIES: dict[str, tuple[str, str]] = {
    "bound": (
        r"at least|no fewer than|no less than|a minimum of|minimum",
        r"at most|no more than|a maximum of|maximum",
    ),
    "amount": (
        r"more|greater|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|outnumber(?:s|ed)?|additional|extra|in excess of",
        r"fewer|less|smaller|cheaper|short of",
    ),
    "equality": (r"as (?:many|much|old|long|tall|heavy|fast|large|big|far)", r"(?!)"),
    "size": (r"larger|bigger", r"tinier"),
    "age": (r"older|elder", r"younger"),
    "length": (r"longer|taller|farther|further", r"shorter"),
    "weight": (r"heavier", r"lighter"),
    "speed": (r"faster|quicker", r"slower"),
    "level": (r"higher|above", r"lower|below"),
    "change": (
        r"increas(?:e|ed|es|ing)|raised|rises?|rose|gr[eo]ws?|gained",
        r"decreas(?:e|ed|es|ing)|reduc(?:e|ed|es|tion)|drops?|dropped|fell|falls",
    ),
    "trade": (r"profit|a gain", r"loss"),
    "extreme": (r"largest|greatest|biggest|highest|most|longest", r"smallest|least|lowest|fewest|shortest"),
    "order": (r"after|later", r"before|earlier"),
}
# "smaller" is the opposite of "larger" and of "greater"; "shorter" of "taller" and of "longer".
_KINDRED = {"size": "amount"}
# "5 feet more", "taller by 5 feet" and "higher by 5 feet" may stand for one another.
MEASURES = frozenset({"amount", "age", "length", "weight", "speed", "level"})
_TIMES_BEFORE = re.compile(r"\btimes\s$", re.IGNORECASE)
# "after" and "before", "above" and "below" are opposite where they stand before the same word.
ANCHORED = frozenset({"order", "level"})
_PATTERN = re.compile(
    r"\b(?:"
    + "|".join(
        f"(?P<{family}_{way}>{words})"
        for family, pair in _FAMILIES.items()
        for way, words in zip(("up", "down"), pair, strict=True)
    )
    + r")\b",
    re.IGNORECASE,
)
_THAN = re.compile(r"(?:\s+[\w$%'’./-]+){0,6}?\s+than\b", re.IGNORECASE)
_AS = re.compile(r"(?:\s+[\w$%'’./-]+){0,5}?\s+as\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;.?!]|\b(?:and|if|but|while|when|in|there)\b")
_ASKED = re.compile(r"\bhow (?:many|much)\s$", re.IGNORECASE)


_MOST = 150  # comparisons of a text; what compares them is quadratic
_NEAR = 3  # words behind a comparison or a negation, one of which it is about


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison as it stands in a text.

    Attributes:
        start, end, text: of the word that compares.
        family: what is compared: amounts, ages, bounds, "as many as" ("equality") ...
        direction: ``"up"`` or ``"down"``.
        is_than: "than" follows; in "as many as" the second "as".
        is_asked: "how many more".
        left: the name before it in its sentence; empty where none is.
        right: the name behind "than"; empty where none is.
        anchor: key of what it is about.
        by: the number in front: "3 miles farther".
        things: words up to "than" in its sentence that do not stand behind it: key, text.
        others: words behind "than" in its clause that do not stand before it: key, text.
    """

    start: int
    end: int
    text: str
    family: str
    direction: str
    is_than: bool
    is_asked: bool
    left: str
    right: str
    anchor: str
    by: Quantity | None
    things: Mapping[str, str]
    others: Mapping[str, str]


def find_comparisons(reading: Reading) -> list[Comparison]:
    """Return the comparisons of a text in order, the first 150 of it."""
    named = _Named.of(reading)
    found = []
    for match in islice(_PATTERN.finditer(reading.text), _MOST):
        family, _, direction = (match.lastgroup or "").partition("_")
        sentence = reading.sentences[reading.sentence_of(match.start())]
        pattern = _AS if family == "equality" else _THAN
        than = pattern.match(reading.text, match.end(), sentence.end)
        behind = than.end() if than else match.end()
        things = things_between(reading, sentence.start, behind) if than else {}
        others = (
            things_between(reading, behind, end_of_clause(reading.text, behind, sentence.end)) if than else {}
        )
        if family == "amount" and _TIMES_BEFORE.search(
            reading.text, max(match.start() - 6, 0), match.start()
        ):
            family = "equality"  # three times more is three times as many
        found.append(
            Comparison(
                match.start(),
                match.end(),
                match[0],
                _KINDRED.get(family, family),
                direction,
                than is not None,
                _ASKED.search(reading.text[max(match.start() - 10, 0) : match.start()]) is not None,
                named.last(sentence.start, match.start())
                or (named.last(match.end(), than.end()) if than else ""),
                named.first(behind, sentence.end) if than else "",
                anchor_behind(reading, match.end()),
                _number_before(reading, match.start()),
                {key: text for key, text in things.items() if key not in others},
                {key: text for key, text in others.items() if key not in things},
            )
        )
    return found


def things_between(reading: Reading, start: int, end: int) -> dict[str, str]:
    """The words between two places that say something of their own: key, text."""
    words = reading.words[reading.word_at(start) : reading.word_at(end)]
    return {
        word.key: word.text
        for word in words
        if word.text.lower() not in STOP_WORDS and word.text.lower() not in WORDS and word.start >= start
    }


def end_of_clause(text: str, start: int, end: int) -> int:
    """Where the clause that begins at a place ends, at the latest at `end`."""
    match = _CLAUSE.search(text, start, end)
    return match.start() if match else end


def _number_before(reading: Reading, place: int) -> Quantity | None:
    """The number that ends at most one word before a place."""
    before = [one for one in reading.quantities if one.end <= place]
    if not before or reading.word_at(place) - reading.word_at(before[-1].end) > 1:
        return None
    return before[-1]


def anchor_behind(reading: Reading, place: int) -> str:
    """Key of the next word that says something: what stands after "after", who is "more"."""
    at = reading.word_at(place)
    return next(
        (word.key for word in reading.words[at : at + _NEAR] if word.text.lower() not in STOP_WORDS), ""
    )


@dataclass(frozen=True, slots=True)
class _Named:
    """The names of a text in the order in which they stand, for a search between two places."""

    mentions: list[tuple[int, int, str]]

    @classmethod
    def of(cls, reading: Reading) -> _Named:
        names = dict.fromkeys(one.text for one in reading.entities)
        return cls(sorted((*place, name) for name in names for place in reading.names.of(name)))

    def first(self, start: int, end: int) -> str:
        """The first name that stands between two places; empty where none does."""
        for first, last, name in islice(self.mentions, bisect_left(self.mentions, (start,)), None):
            if first >= end:
                break
            if last <= end:
                return name
        return ""

    def last(self, start: int, end: int) -> str:
        """The last one, likewise."""
        for at in range(bisect_left(self.mentions, (end,)) - 1, -1, -1):
            first, last, name = self.mentions[at]
            if first < start:
                break
            if last <= end:
                return name
        return ""


def crossing_things(
    one: Comparison, other: Comparison, swapped: Sequence[frozenset[str]] = ()
) -> dict[str, str] | None:
    """The two things, key and text, that stand on the other side of "than" each in the paraphrase.

    None where there are none, where what stands behind "than" still does, or where they are exchanged throughout.
    """
    if one.others.keys() & other.others.keys():
        return None
    left = next((key for key in one.things if key in other.others), None)
    right = next((key for key in one.others if key in other.things), None)
    if left is None or right is None or {left, right} in swapped:
        return None
    return {left: one.things[left], right: one.others[right]}


def is_inverse(one: Comparison, other: Comparison) -> bool:
    """Whether one says from the other side what the other says: twice as many, half as many."""
    return (
        one.family == other.family == "equality"
        and one.by is not None
        and other.by is not None
        and one.by.value != 1 == one.by.value * other.by.value
        and crossing_things(one, other) is not None
    )


def is_turned(one: Comparison, other: Comparison) -> bool:
    """Whether they compare the same in contrary directions: more, fewer."""
    return one.family == other.family and one.direction != other.direction


def is_as_much_the_other_way(one: Comparison, other: Comparison) -> bool:
    """Whether they compare in contrary directions by the same number: 3 cm longer, 3 cm less."""
    return (
        {one.family, other.family} <= MEASURES
        and one.direction != other.direction
        and one.by is not None
        and other.by is not None
        and one.by.value == other.by.value
    )
