"""Comparisons and negations of a pair: "more" and "fewer", "at least" and "at most", who has more than whom, "not"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from analytics.paraphrase.entities import mentions_of
from analytics.paraphrase.finding import Finding
from analytics.paraphrase.reading import Reading

__all__ = ["comparison_findings", "negation_findings"]

Direction = Literal["up", "down"]

_FAMILIES: dict[str, tuple[str, str]] = {
    "bound": (
        r"at least|no fewer than|no less than|a minimum of|minimum",
        r"at most|no more than|a maximum of|maximum",
    ),
    "amount": (r"more|greater|exceeds?|additional|extra", r"fewer|less|smaller|cheaper"),
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
_ASKED = re.compile(r"\bhow (?:many|much)\s$", re.IGNORECASE)
_MINOR = frozenset({"equality", "order", "change", "extreme"})
_NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|without|except|cannot|none|nobody|\w+n['’]t|no(?! (?:more|less|fewer)\b)(?!\.))(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Comparison:
    start: int
    end: int
    text: str
    family: str
    direction: str
    is_than: bool  # "than" follows
    is_asked: bool  # "how many more"
    left: str  # the name before it in its sentence
    right: str  # the name behind "than"


def comparison_findings(original: Reading, paraphrase: Reading, renamed: dict[str, str]) -> list[Finding]:
    """Return comparisons that were lost, added or turned round.

    "Ann has 5 more than Tom" and "Tom has 5 fewer than Ann" say the same.
    """
    left, right = _comparisons(original), _comparisons(paraphrase)
    findings = []
    for one in list(left):
        same = [other for other in right if (other.family, other.direction) == (one.family, one.direction)]
        best = max(
            same,
            key=lambda other: (_sides(one, other, renamed) != "crossed", other.is_than == one.is_than),
            default=None,
        )
        if best is None:
            continue
        left.remove(one)
        right.remove(best)
        if one.is_than and best.is_than and _sides(one, best, renamed) == "crossed":
            findings.append(
                _turned(one, best, f"{one.left} and {one.right} changed places around {one.text}.")
            )
        elif one.is_than and not best.is_than:
            findings.append(
                _turned(one, best, f"It is no longer said than what {best.text} is meant.", is_serious=False)
            )
    for one in list(left):
        opposite = next(
            (other for other in right if other.family == one.family and other.direction != one.direction),
            None,
        )
        if opposite is None:
            continue
        left.remove(one)
        right.remove(opposite)
        if not (one.is_than and opposite.is_than and _sides(one, opposite, renamed) == "crossed"):
            findings.append(_turned(one, opposite, f"{one.text} became {opposite.text}."))
    findings += [
        Finding(
            "comparison",
            "lost",
            f"{one.text} is missing.",
            original=(one.start, one.end),
            before=one.text,
            is_serious=(one.is_than or one.is_asked or one.family == "bound") and one.family not in _MINOR,
        )
        for one in left
    ]
    findings += [
        Finding(
            "comparison",
            "added",
            f"{one.text} was added.",
            paraphrase=(one.start, one.end),
            after=one.text,
            is_serious=(one.is_than or one.is_asked or one.family == "bound") and one.family not in _MINOR,
        )
        for one in right
    ]
    return findings


def negation_findings(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return whether "not", "neither", "without" ... were all lost, or came in where there was none."""
    before = list(_NEGATION.finditer(original.text))
    after = list(_NEGATION.finditer(paraphrase.text))
    if bool(before) == bool(after):
        return []
    if before:
        word = before[0]
        return [
            Finding(
                "negation",
                "lost",
                f"{word[0]} is missing.",
                original=word.span(),
                before=word[0],
                is_serious=True,
            )
        ]
    word = after[0]
    return [Finding("negation", "added", f"{word[0]} was added.", paraphrase=word.span(), after=word[0])]


def _turned(one: _Comparison, other: _Comparison, sentence: str, *, is_serious: bool = True) -> Finding:
    return Finding.between("comparison", "changed", sentence, one, other, is_serious=is_serious)


def _comparisons(reading: Reading) -> list[_Comparison]:
    names = list(dict.fromkeys(one.text for one in reading.entities))
    found = []
    for match in _PATTERN.finditer(reading.text):
        family, _, direction = (match.lastgroup or "").partition("_")
        sentence = reading.sentences[reading.sentence_of(match.start())]
        pattern = _AS if family == "equality" else _THAN
        than = pattern.match(reading.text, match.end(), sentence.end)
        behind = than.end() if than else match.end()
        found.append(
            _Comparison(
                match.start(),
                match.end(),
                match[0],
                _KINDRED.get(family, family),
                direction,
                than is not None,
                _ASKED.search(reading.text[max(match.start() - 10, 0) : match.start()]) is not None,
                _nearest(names, reading.text, sentence.start, match.start(), last=True),
                _nearest(names, reading.text, behind, sentence.end, last=False) if than else "",
            )
        )
    return found


def _nearest(names: list[str], text: str, start: int, end: int, *, last: bool) -> str:
    places = [(place[0], name) for name in names for place in mentions_of(name, text[start:end])]
    if not places:
        return ""
    return (max(places) if last else min(places))[1]


def _sides(
    one: _Comparison, other: _Comparison, renamed: dict[str, str]
) -> Literal["straight", "crossed", "unknown"]:
    """Whether the same names stand on the same sides of two comparisons."""
    if not (one.left and one.right and other.left and other.right) or one.left == one.right:
        return "unknown"
    here = (renamed.get(one.left, one.left).lower(), renamed.get(one.right, one.right).lower())
    there = (other.left.lower(), other.right.lower())
    if here == there:
        return "straight"
    return "crossed" if here == there[::-1] else "unknown"
