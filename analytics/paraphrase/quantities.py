"""Numbers and units of a pair, aligned: which were lost, added, changed, or changed places.

Equal are a number in digits and in words, "twice" and "two times", 50% and one half, and a quantity converted into
another unit (2 hours, 120 minutes).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

from analytics.errors import DataError
from analytics.paraphrase.finding import Finding, Span
from analytics.paraphrase.reading import TIMES, Quantity, Reading
from analytics.paraphrase.wording import STOP_WORDS
from analytics.text.units import UnitMention, convert_quantity

__all__ = ["Match", "match_quantities", "quantity_findings", "unit_findings"]


@dataclass(frozen=True, slots=True)
class Match:
    """A quantity of the original and the one of the paraphrase that says the same."""

    original: Quantity
    paraphrase: Quantity


_QUANTIFIERS = re.compile(
    r"\b(?:some|a few|few|several|many|a lot of|lots of|a number of|various|numerous)\b", re.IGNORECASE
)
_HOW_OR_AS = re.compile(r"\b(?:how|as)\s$", re.IGNORECASE)
_WINDOW = 6
_SWAPPED = 0.25  # by so much the crossed contexts must agree better than the straight ones, of 2 at most
_SAME_PLACE = 0.4
_ASKED_UNIT = re.compile(r"\b(?:how many|how much|in terms of|number of|in)\s$", re.IGNORECASE)
_ASKS_FOR = {
    "time": re.compile(r"\bhow (?:long|much time|soon|old)\b|\bwhat time\b|\btime\b|\bage\b", re.IGNORECASE),
    "length": re.compile(
        r"\bhow (?:far|long|tall|high|wide|deep)\b|\bdistance\b|\blength\b|\bheight\b", re.IGNORECASE
    ),
    "money": re.compile(
        r"\bhow much\b|\bcost\b|\bprice\b|\bmoney\b|\bamount\b|\bprofit\b|\bpay\b", re.IGNORECASE
    ),
    "mass": re.compile(r"\bhow (?:much|heavy)\b|\bweigh", re.IGNORECASE),
    "speed": re.compile(r"\bhow fast\b|\bspeed\b|\brate\b", re.IGNORECASE),
    "volume": re.compile(r"\bhow much\b|\bvolume\b|\bcapacity\b", re.IGNORECASE),
    "area": re.compile(r"\bhow (?:much|big|large)\b|\barea\b", re.IGNORECASE),
}


def match_quantities(original: Reading, paraphrase: Reading) -> list[Match]:
    """Pair the quantities that say the same, each with the one in the most similar surroundings."""
    matches: list[Match] = []
    left, right = list(original.quantities), list(paraphrase.quantities)
    for rule in (_equal, _equal_number, _equal_converted):
        matches += _paired(original, paraphrase, left, right, rule)
    return matches


def quantity_findings(original: Reading, paraphrase: Reading) -> tuple[list[Finding], list[Match]]:
    """Return what happened to the numbers and to the units that belong to them, and the matches."""
    left, right = list(original.quantities), list(paraphrase.quantities)
    matches: list[Match] = []
    for rule in (_equal, _equal_number, _equal_converted):
        matches += _paired(original, paraphrase, left, right, rule)
    findings = [finding for match in matches if (finding := _unit_of_match(match, paraphrase))]
    renamed = _paired(original, paraphrase, left, right, _same_value)
    findings += [_unit_changed(match) for match in renamed]
    findings += _swapped(original, paraphrase, matches)
    matches += renamed
    findings += [_number_changed(match) for match in _changed(original, paraphrase, left, right)]
    vague = _vague(original, paraphrase)
    for quantity in left:
        findings += _lost(original, paraphrase, quantity, matches, vague)
    findings += [
        Finding(
            "number",
            "added",
            f"{one.text} was added.",
            paraphrase=(one.start, one.end),
            after=one.text,
        )
        for one in right
        if not one.is_weak and not _is_repeated(paraphrase, one, [match.paraphrase for match in matches])
    ]
    return findings, matches


def _equal(one: Quantity, other: Quantity) -> bool:
    return one.value == other.value and one.unit == other.unit


def _equal_number(one: Quantity, other: Quantity) -> bool:
    return one.value == other.value and (not one.unit or not other.unit)


def _equal_converted(one: Quantity, other: Quantity) -> bool:
    if one.unit == other.unit or not one.dimension or one.dimension != other.dimension:
        return False
    try:
        return convert_quantity(one.value, one.unit, other.unit) == other.value
    except DataError:
        return False


def _same_value(one: Quantity, other: Quantity) -> bool:
    return one.value == other.value


def _paired(
    original: Reading,
    paraphrase: Reading,
    left: list[Quantity],
    right: list[Quantity],
    rule: Callable[[Quantity, Quantity], bool],
) -> list[Match]:
    """Take pairs that fit a rule out of both lists, those in the most similar surroundings first."""
    pairs = [(one, other) for one in left for other in right if rule(one, other)]
    if not pairs:
        return []
    alone = len({one.start for one, _ in pairs}) == len({other.start for _, other in pairs}) == len(pairs)
    if not alone:
        before = {one.start: _context(original, one) for one, _ in pairs}
        after = {other.start: _context(paraphrase, other) for _, other in pairs}
        pairs.sort(key=lambda pair: -_similarity(before[pair[0].start], after[pair[1].start]))
    matches = []
    for one, other in pairs:
        if one in left and other in right:
            left.remove(one)
            right.remove(other)
            matches.append(Match(one, other))
    return matches


def _context(reading: Reading, quantity: Quantity) -> dict[str, float]:
    """Weights of the words around a quantity in its sentence, the nearer the heavier, what it counts the most.

    The weights are the coordinates of a vector of length 1, unless there are no words.
    """
    at = reading.word_at(quantity.start)
    sentence = reading.sentences[reading.sentence_of(quantity.start)]
    weights: dict[str, float] = {}
    for index in range(max(at - _WINDOW, 0), min(at + _WINDOW + 2, len(reading.words))):
        word = reading.words[index]
        if not sentence.start <= word.start < sentence.end or quantity.start <= word.start < quantity.end:
            continue
        weight = 1 / (1 + abs(index - at)) * (0.2 if word.text.lower() in STOP_WORDS else 1)
        weights[word.key] = max(weights.get(word.key, 0), weight)
    for noun in quantity.nouns:
        weights[noun] = weights.get(noun, 0) + 1
    length = math.sqrt(sum(weight**2 for weight in weights.values()))
    return {key: weight / length for key, weight in weights.items()}


def _similarity(one: dict[str, float], other: dict[str, float]) -> float:
    """Cosine of two surroundings; 0 where one is empty."""
    return sum(weight * other[key] for key, weight in one.items() if key in other)


def _unit_of_match(match: Match, paraphrase: Reading) -> Finding | None:
    one, other = match.original, match.paraphrase
    if bool(one.unit) == bool(other.unit):
        return None
    if one.unit:
        elsewhere = any(unit.unit == one.unit for unit in paraphrase.bare_units) or any(
            quantity.unit == one.unit for quantity in paraphrase.quantities
        )
        return Finding.between(
            "unit",
            "lost",
            f"{one.text} became {other.text}: {one.unit_text} is missing.",
            one,
            other,
            is_serious=not elsewhere and one.dimension != "money",
        )
    return Finding.between(
        "unit",
        "added",
        f"{one.text} became {other.text}: {other.unit_text} was added.",
        one,
        other,
        is_serious=False,
    )


def _unit_changed(match: Match) -> Finding:
    one, other = match.original, match.paraphrase
    return Finding(
        "unit",
        "changed",
        f"{one.unit_text or 'no unit'} became {other.unit_text or 'no unit'} ({one.text}, {other.text}).",
        original=one.unit_span or (one.start, one.end),
        paraphrase=other.unit_span or (other.start, other.end),
        before=one.unit_text,
        after=other.unit_text,
    )


def _swapped(original: Reading, paraphrase: Reading, matches: list[Match]) -> list[Finding]:
    """Find two numbers that each stand where the other stood."""
    once = [
        match
        for match in matches
        if sum(other.original.value == match.original.value for other in matches) == 1
        and not match.original.is_weak
    ]
    if len(once) < 2 or len(once) > 12:
        return []
    before = {match.original.start: _context(original, match.original) for match in once}
    after = {match.paraphrase.start: _context(paraphrase, match.paraphrase) for match in once}
    findings = []
    for one, other in combinations(once, 2):
        if one.original.dimension != other.original.dimension or one.original.unit != one.paraphrase.unit:
            continue
        straight = _similarity(before[one.original.start], after[one.paraphrase.start]) + _similarity(
            before[other.original.start], after[other.paraphrase.start]
        )
        crossed = _similarity(before[one.original.start], after[other.paraphrase.start]) + _similarity(
            before[other.original.start], after[one.paraphrase.start]
        )
        if crossed > straight + _SWAPPED:
            findings.append(
                Finding(
                    "number",
                    "changed",
                    f"{one.original.text} and {other.original.text} changed places.",
                    original=one.original.number,
                    paraphrase=other.paraphrase.number,
                    before=one.original.text,
                    after=other.paraphrase.text,
                )
            )
    return findings


def _changed(
    original: Reading, paraphrase: Reading, left: list[Quantity], right: list[Quantity]
) -> list[Match]:
    """Pair what is left over by its surroundings: numbers that became others."""
    pairs = [
        (
            _similarity(_context(original, one), _context(paraphrase, other)) + (one.unit == other.unit) / 4,
            one,
            other,
        )
        for one in left
        for other in right
        if not (one.is_weak and other.is_weak)
    ]
    matches = []
    for similarity, one, other in sorted(pairs, key=lambda pair: -pair[0]):
        lonely = len(left) == len(right) == 1
        if one in left and other in right and (similarity > 0.5 or lonely):
            left.remove(one)
            right.remove(other)
            matches.append(Match(one, other))
    return matches


def _number_changed(match: Match) -> Finding:
    one, other = match.original, match.paraphrase
    return Finding.between("number", "changed", f"{one.text} became {other.text}.", one, other)


def _vague(original: Reading, paraphrase: Reading) -> list[tuple[Span, str, tuple[str, ...]]]:
    """The paraphrase's "some", "many" ... that the original has not: place, text, keys of the words behind."""
    known = {match[0].lower() for match in _QUANTIFIERS.finditer(original.text)}
    found = []
    for match in _QUANTIFIERS.finditer(paraphrase.text):
        before = paraphrase.text[max(match.start() - 5, 0) : match.start()]
        if match[0].lower() in known or _HOW_OR_AS.search(before):
            continue
        at = paraphrase.word_at(match.end())
        found.append((match.span(), match[0], tuple(word.key for word in paraphrase.words[at : at + 3])))
    return found


def _lost(
    original: Reading,
    paraphrase: Reading,
    quantity: Quantity,
    matches: list[Match],
    vague: list[tuple[Span, str, tuple[str, ...]]],
) -> list[Finding]:
    if quantity.is_weak or _is_repeated(original, quantity, [match.original for match in matches]):
        return []
    at = original.word_at(quantity.number[1])
    behind = {word.key for word in original.words[at : at + 3]}
    for place in vague:
        span, text, keys = place
        if behind & set(keys):
            vague.remove(place)
            return [
                Finding(
                    "number",
                    "changed",
                    f"{original.text[slice(*quantity.number)]} became {text}.",
                    original=quantity.number,
                    paraphrase=span,
                    before=original.text[slice(*quantity.number)],
                    after=text,
                )
            ]
    return [
        Finding(
            "number",
            "lost",
            f"{quantity.text} is missing.",
            original=(quantity.start, quantity.end),
            before=quantity.text,
        )
    ]


def _is_repeated(reading: Reading, quantity: Quantity, matched: Iterable[Quantity]) -> bool:
    """Whether the same quantity of the same things is said elsewhere in the text, where it is matched."""
    return any(
        other.value == quantity.value
        and other.text.lower() not in TIMES
        and (other.unit == quantity.unit or not other.unit or not quantity.unit)
        and (
            bool(set(quantity.nouns) & set(other.nouns))
            or _similarity(_context(reading, quantity), _context(reading, other)) > _SAME_PLACE
        )
        for other in matched
    )


def unit_findings(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return what happened to the units that belong to no number ("How many hours", "in metres")."""
    left, right = list(original.bare_units), list(paraphrase.bare_units)

    def same(one: UnitMention, other: UnitMention) -> bool:
        return one.unit == other.unit and _is_asked(original, one) == _is_asked(paraphrase, other)

    def alike(one: UnitMention, other: UnitMention) -> bool:
        return one.dimension == other.dimension and _is_asked(original, one) == _is_asked(paraphrase, other)

    _take(left, right, same)
    findings = [
        Finding.between("unit", "changed", f"{one.text} became {other.text}.", one, other)
        for one, other in _take(left, right, alike)
        if one.unit != other.unit
    ]
    _take(left, right, lambda one, other: one.unit == other.unit)
    findings += [
        Finding(
            "unit",
            "lost",
            f"{one.text} is missing.",
            original=(one.start, one.end),
            before=one.text,
            is_serious=_is_asked(original, one) and not _still_asked(one, paraphrase),
        )
        for one in left
        if not _has_unit(paraphrase, one.unit)
    ]
    findings += [
        Finding(
            "unit",
            "added",
            f"{one.text} was added.",
            paraphrase=(one.start, one.end),
            after=one.text,
            is_serious=False,
        )
        for one in right
        if not _has_unit(original, one.unit)
    ]
    return findings


def _take(
    left: list[UnitMention], right: list[UnitMention], rule: Callable[[UnitMention, UnitMention], bool]
) -> list[tuple[UnitMention, UnitMention]]:
    """Take pairs that fit a rule out of both lists, in order."""
    pairs = []
    for one in list(left):
        other = next((unit for unit in right if rule(one, unit)), None)
        if other is not None:
            left.remove(one)
            right.remove(other)
            pairs.append((one, other))
    return pairs


def _is_asked(reading: Reading, unit: UnitMention) -> bool:
    return _ASKED_UNIT.search(reading.text[max(unit.start - 14, 0) : unit.start]) is not None


def _still_asked(unit: UnitMention, paraphrase: Reading) -> bool:
    pattern = _ASKS_FOR.get(unit.dimension)
    asked = [one.text for one in paraphrase.sentences if one.is_question]
    return pattern is not None and any(pattern.search(text) for text in asked)


def _has_unit(reading: Reading, unit: str) -> bool:
    return any(one.unit == unit for one in reading.bare_units) or any(
        unit in {one.unit, *one.unit.split(" / ")} for one in reading.quantities
    )
