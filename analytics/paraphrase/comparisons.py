"""Comparisons and negations of a pair: "more" and "fewer", "at least" and "at most", who has more than whom, "not"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from analytics.paraphrase.entities import mentions_of
from analytics.paraphrase.finding import Finding, Words
from analytics.paraphrase.reading import Reading
from analytics.paraphrase.wording import STOP_WORDS

__all__ = ["comparison_findings", "negation_findings"]

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
_MEASURES = frozenset({"amount", "age", "length", "weight", "speed", "level"})
# What says in other words that two things differ, or by how much.
_DIFFERS = re.compile(
    r"\b(?:\w+er\sthan|differences?|differs?|beyond|over|under|another|further|gap|apart|ahead|behind|compar(?:ed|ison|ing)"
    r"|remain(?:s|ed|ing)?|left|still|needs?|needed|ris(?:e|en|es|ing)|rose|rais(?:e|ed)|increas(?:e|ed|es|ing)"
    r"|decreas(?:e|ed|es|ing)|reduc(?:e|ed|es|tion)|drop(?:s|ped)?|f[ae]lls?|times|twice|thrice|double[sd]?"
    r"|triple[sd]?|within|limit(?:ed)?|up to|capacity|can hold)\b",
    re.IGNORECASE,
)
_TIMES_BEFORE = re.compile(r"\btimes\s$", re.IGNORECASE)
# "after" and "before", "above" and "below" are opposite where they stand before the same word.
_ANCHORED = frozenset({"order", "level"})
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
    r"(?<!\w)(?:not|never|neither|nor|without|cannot|none|nobody|\w*n['’]t|no(?! (?:more|less|fewer|longer)\b)(?!\.)"
    r"|except|excluding|apart from|aside from|other than|fail(?:s|ed|ing)? to|forg[eo]t(?:s|ten)? to|unable|incapable"
    r"|lack(?:s|ed|ing)?|miss(?:es|ed|ing)|avoid(?:s|ed|ing)?|refus(?:e|es|ed|ing))(?!\w)",
    re.IGNORECASE,
)
# "cannot hold more than 64" bounds as "holds no more than 64" does.
_NEGATED_BOUND = re.compile(
    r"(?<!\w)(?:not|cannot|\w*n['’]t)(?: \w+){0,2} (more|less|fewer) than\b", re.IGNORECASE
)
_UPPER_BOUND = re.compile(r"\b(?:no more than|at most|(?<!add )(?<!adds )up to (?=\d))", re.IGNORECASE)
_LOWER_BOUND = re.compile(r"\b(?:no (?:less|fewer) than|at least)\b", re.IGNORECASE)
_FEW_WORDS = 8
_NEAR = 3  # words behind a comparison or a negation, one of which it is about


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
    anchor: str  # key of what it is about
    by: Fraction | None  # the number in front: 3 miles farther


def comparison_findings(original: Reading, paraphrase: Reading, renamed: dict[str, str]) -> list[Finding]:
    """Return comparisons that were lost, added or turned round.

    "Ann has 5 more than Tom" and "Tom has 5 fewer than Ann" say the same.
    """
    left, right = _comparisons(original), _comparisons(paraphrase)

    def is_crossed(one: _Comparison, other: _Comparison) -> bool:
        return one.is_than and other.is_than and _sides(one, other, renamed) == "crossed"

    def is_kept(one: _Comparison, other: _Comparison) -> bool:
        return _is_same(one, other) and not is_crossed(one, other)

    findings = []
    for one, other in (
        *_take(left, right, lambda one, other: is_kept(one, other) and one.anchor == other.anchor != ""),
        *_take(left, right, _is_opposite_in_time_or_place),
        *_take(left, right, is_kept),
        *_take(left, right, _is_same),
        *_take(left, right, _is_opposite),
        *_take(left, right, _is_as_much),
        *_take(left, right, _is_as_much_the_other_way),
    ):
        if one.direction == other.direction:
            if is_crossed(one, other):
                findings.append(
                    _turned(one, other, f"{one.left} and {one.right} changed places around {one.text}.")
                )
            elif one.is_than and not other.is_than and one.family == other.family:
                sentence = f"It is no longer said than what {other.text} is meant."
                findings.append(_turned(one, other, sentence, is_serious=False))
        elif not is_crossed(one, other):
            findings.append(_turned(one, other, f"{one.text} became {other.text}."))
    findings += [Finding.lost("comparison", one, is_serious=_matters(one, right, paraphrase)) for one in left]
    findings += [Finding.added("comparison", one, is_serious=_matters(one, left, original)) for one in right]
    return findings


def _take(
    left: list[_Comparison], right: list[_Comparison], rule: Callable[[_Comparison, _Comparison], bool]
) -> list[tuple[_Comparison, _Comparison]]:
    """Take pairs that fit a rule out of both lists, those with "than" on both sides or on neither first."""
    pairs = []
    for one in list(left):
        fitting = [other for other in right if rule(one, other)]
        if fitting:
            best = max(fitting, key=lambda other: other.is_than == one.is_than)
            left.remove(one)
            right.remove(best)
            pairs.append((one, best))
    return pairs


def _is_same(one: _Comparison, other: _Comparison) -> bool:
    return (one.family, one.direction) == (other.family, other.direction)


def _is_opposite_in_time_or_place(one: _Comparison, other: _Comparison) -> bool:
    return _is_turned(one, other) and one.family in _ANCHORED and one.anchor == other.anchor != ""


def _is_opposite(one: _Comparison, other: _Comparison) -> bool:
    return _is_turned(one, other) and one.family not in _ANCHORED


def _is_turned(one: _Comparison, other: _Comparison) -> bool:
    return one.family == other.family and one.direction != other.direction


def _is_as_much(one: _Comparison, other: _Comparison) -> bool:
    return {one.family, other.family} <= _MEASURES and one.direction == other.direction


def _is_as_much_the_other_way(one: _Comparison, other: _Comparison) -> bool:
    return (
        {one.family, other.family} <= _MEASURES
        and one.direction != other.direction
        and one.by is not None
        and one.by == other.by
    )


def _matters(one: _Comparison, others: list[_Comparison], other: Reading) -> bool:
    """Whether a comparison that only one text has changes the answer: nothing in the other text may say the same."""
    return (
        (one.is_than or one.is_asked or (one.family == "bound" and "imum" not in one.text.lower()))
        and one.family not in _MINOR
        and not others
        and _DIFFERS.search(other.text) is None
    )


def negation_findings(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return whether "not", "neither", "without", "fails to" ... were all lost, or came in where there was none.

    It is serious where the other text has what is denied: "who does not eat", "who does eat"; empty seats may be those
    that are not used.
    """
    before, after = _negations(original, paraphrase), _negations(paraphrase, original)
    if bool(before) == bool(after):
        return []
    is_told_alike = _tell_alike(original, paraphrase)
    if before:
        is_serious = is_told_alike and _is_affirmed(original, before, paraphrase)
        return [Finding.lost("negation", before[0], is_serious=is_serious)]
    is_serious = is_told_alike and _is_affirmed(paraphrase, after, original)
    return [Finding.added("negation", after[0], is_serious=is_serious)]


def _negations(reading: Reading, other: Reading) -> list[Words]:
    """Negations of a text, without "not more than" where the other text bounds in other words."""
    found = [Words(*match.span(), match[0]) for match in _NEGATION.finditer(reading.text)]
    bounds = {
        match.start()
        for match in _NEGATED_BOUND.finditer(reading.text)
        if (_UPPER_BOUND if match[1].lower() == "more" else _LOWER_BOUND).search(other.text)
    }
    return [one for one in found if one.start not in bounds]


def _tell_alike(original: Reading, paraphrase: Reading) -> bool:
    """Whether a negation of one text is missed in the other; in other words "nothing but" may be "all"."""
    return original.is_close_to(paraphrase) or min(len(original.keys), len(paraphrase.keys)) <= _FEW_WORDS


def _is_affirmed(reading: Reading, negations: list[Words], other: Reading) -> bool:
    """Whether another text has the first content word behind one of the negations."""
    denied = {_anchor(reading, negation.end) for negation in negations}
    return bool(denied & other.keys)


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
        if family == "amount" and _TIMES_BEFORE.search(
            reading.text, max(match.start() - 6, 0), match.start()
        ):
            family = "equality"  # three times more is three times as many
        found.append(
            _Comparison(
                match.start(),
                match.end(),
                match[0],
                _KINDRED.get(family, family),
                direction,
                than is not None,
                _ASKED.search(reading.text[max(match.start() - 10, 0) : match.start()]) is not None,
                _nearest(names, reading.text, sentence.start, match.start(), last=True)
                or (_nearest(names, reading.text, match.end(), than.end(), last=True) if than else ""),
                _nearest(names, reading.text, behind, sentence.end, last=False) if than else "",
                _anchor(reading, match.end()),
                _number_before(reading, match.start()),
            )
        )
    return found


def _number_before(reading: Reading, place: int) -> Fraction | None:
    """The number that ends at most one word before a place."""
    before = [one for one in reading.quantities if one.end <= place]
    if not before or reading.word_at(place) - reading.word_at(before[-1].end) > 1:
        return None
    return before[-1].value


def _anchor(reading: Reading, place: int) -> str:
    """Key of the next word that says something: what stands after "after", who is "more"."""
    at = reading.word_at(place)
    return next(
        (word.key for word in reading.words[at : at + _NEAR] if word.text.lower() not in STOP_WORDS), ""
    )


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
