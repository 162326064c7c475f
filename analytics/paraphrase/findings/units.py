"""Units that were lost, added or changed: those of numbers, and those that stand alone ("How many hours")."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.findings.quantities import Match
from analytics.paraphrase.words.reading import Reading
from analytics.paraphrase.words.wording import STOP_WORDS
from analytics.text.unit_names import ABBREVIATIONS
from analytics.text.units import UnitMention

_TIMES = re.compile(r"\s+(?:separate |different )?times\b", re.IGNORECASE)
_AGE = re.compile(r"\bage[ds]?\b|\bold(?:er)?\b", re.IGNORECASE)
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


def unit_findings(pair: Pair) -> list[Finding]:
    """Return what happened to the units."""
    original, paraphrase = pair.original, pair.paraphrase
    findings = [
        finding for match in pair.quantities.matches if (finding := _unit_of_match(match, paraphrase))
    ]
    findings += [
        finding
        for match in pair.quantities.other_units
        if (finding := _unit_changed(original, paraphrase, match))
    ]
    return findings + _bare_units(original, paraphrase)


def _unit_of_match(match: Match, paraphrase: Reading) -> Finding | None:
    """Return whether a number lost its unit and nothing else says it."""
    old, new = match.original, match.paraphrase
    if not old.unit or new.unit:
        return None
    said_elsewhere = any(unit.unit == old.unit for unit in paraphrase.bare_units) or any(
        quantity.unit == old.unit for quantity in paraphrase.quantities
    )
    if (
        said_elsewhere
        or old.dimension == "money"
        or (old.dimension == "time" and _AGE.search(paraphrase.text))
        or _TIMES.match(paraphrase.text, new.end)
    ):
        return None
    sentence = f"{old.text} became {new.text}: {old.unit_text} is missing."
    return Finding.between("unit", "lost", sentence, old, new)


def _unit_changed(original: Reading, paraphrase: Reading, match: Match) -> Finding | None:
    old, new = match.original, match.paraphrase
    base, _, per = old.unit.partition(" / ")
    new_base, _, new_per = new.unit.partition(" / ")
    if base == new_base and _has_unit(paraphrase if per else original, per or new_per):
        return None  # "5 km every day", "each day 5 km"
    return Finding(
        "unit",
        "changed",
        f"{old.unit_text or 'no unit'} became {new.unit_text or 'no unit'} ({old.text}, {new.text}).",
        original=old.unit_span or (old.start, old.end),
        paraphrase=new.unit_span or (new.start, new.end),
        before=old.unit_text,
        after=new.unit_text,
    )


def _bare_units(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return what happened to the units that belong to no number ("How many hours", "in metres")."""
    left = [_BareUnit.of(original, unit) for unit in original.bare_units]
    right = [_BareUnit.of(paraphrase, unit) for unit in paraphrase.bare_units]
    said = _units(paraphrase)
    _take(left, right, lambda bare: (bare.unit.unit, bare.is_asked, bare.words_before))
    _take(left, right, lambda bare: (bare.unit.unit, bare.is_asked))
    findings = [
        Finding.between(
            "unit",
            "changed",
            f"{old.unit.text} became {new.unit.text}.",
            old.unit,
            new.unit,
        )
        for old, new in _take(left, right, lambda bare: (bare.unit.dimension, bare.is_asked))
        if old.unit.unit != new.unit.unit
    ]
    _take(left, right, lambda bare: bare.unit.unit)
    return findings + [
        Finding.lost("unit", bare.unit)
        for bare in left
        if bare.unit.unit not in said and bare.is_asked and not _still_asked(bare.unit, paraphrase)
    ]


@dataclass(frozen=True, slots=True)
class _BareUnit:
    """A unit that belongs to no number, whether it is asked for, and the words before it."""

    unit: UnitMention
    is_asked: bool
    words_before: tuple[str, ...]

    @classmethod
    def of(cls, reading: Reading, unit: UnitMention) -> _BareUnit:
        return cls(unit, _is_asked(reading, unit), _words_before(reading, unit))


def _take(
    left: list[_BareUnit], right: list[_BareUnit], key: Callable[[_BareUnit], Hashable]
) -> list[tuple[_BareUnit, _BareUnit]]:
    """Take pairs of one key out of both lists, in order."""
    free: dict[Hashable, deque[_BareUnit]] = {}
    for unit in right:
        free.setdefault(key(unit), deque()).append(unit)
    pairs, rest = [], []
    for unit in left:
        fitting = free.get(key(unit))
        if fitting:
            pairs.append((unit, fitting.popleft()))
        else:
            rest.append(unit)
    taken = {id(unit) for _, unit in pairs}
    left[:], right[:] = rest, [unit for unit in right if id(unit) not in taken]
    return pairs


def _is_asked(reading: Reading, unit: UnitMention) -> bool:
    return _ASKED_UNIT.search(reading.text[max(unit.start - 14, 0) : unit.start]) is not None


def _still_asked(unit: UnitMention, paraphrase: Reading) -> bool:
    pattern = _ASKS_FOR.get(unit.dimension)
    asked = [sentence.text for sentence in paraphrase.sentences if sentence.is_question]
    return pattern is not None and any(pattern.search(text) for text in asked)


def _words_before(reading: Reading, unit: UnitMention) -> tuple[str, ...]:
    at = reading.word_at(unit.start)
    return tuple(word.key for word in reading.words[max(at - 2, 0) : at])


def _has_unit(reading: Reading, unit: str) -> bool:
    """Return whether a text says a unit as a whole."""
    return unit in reading.unit_words or unit in _whole_units(reading)


def _units(reading: Reading) -> set[str]:
    """Return the units that a text says, also as a part of another: the hour of 60 km per hour."""
    whole = _whole_units(reading) | _abbreviations(reading)
    return whole | reading.unit_words | {part for unit in whole for part in unit.split(" / ")}


def _whole_units(reading: Reading) -> set[str]:
    return {unit.unit for unit in reading.bare_units} | {quantity.unit for quantity in reading.quantities}


def _abbreviations(reading: Reading) -> set[str]:
    """Return units that are asked for by their abbreviation: "how many kg"."""
    return {
        ABBREVIATIONS[word.text]
        for word in reading.words
        if word.text in ABBREVIATIONS
        and word.text not in STOP_WORDS
        and _ASKED_UNIT.search(reading.text, max(word.start - 14, 0), word.start)
    }
