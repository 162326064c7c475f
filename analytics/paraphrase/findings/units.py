"""Units that were lost or changed: those of numbers, and those that belong to none ("How many hours")."""

from __future__ import annotations

import re

from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.findings.quantities import Match
from analytics.paraphrase.words.reading import Reading
from analytics.paraphrase.words.wording import STOP_WORDS
from analytics.text.unit_names import ABBREVIATIONS
from analytics.text.units import UnitMention

_AGE = re.compile(r"\bage[ds]?\b|\bold(?:er)?\b", re.IGNORECASE)
_ASKED_UNIT = re.compile(r"\b(?:how many|how much|in terms of|number of|in)\s$", re.IGNORECASE)
_ASKS_FOR = {
    dimension: re.compile(rf"\b(?:{words})", re.IGNORECASE)
    for dimension, words in {
        "time": r"how (?:long|much time|soon|old)\b|(?:what )?time\b|age\b",
        "length": r"how (?:far|long|tall|high|wide|deep)\b|distance\b|length\b|height\b",
        "money": r"how much\b|cost\b|price\b|money\b|amount\b|profit\b|pay\b",
        "mass": r"how (?:much|heavy)\b|weigh",
        "speed": r"how fast\b|speed\b|rate\b",
        "volume": r"how much\b|volume\b|capacity\b",
        "area": r"how (?:much|big|large)\b|area\b",
    }.items()
}


def unit_findings(pair: Pair) -> list[Finding]:
    """Return what happened to the units."""
    original, paraphrase = pair.original, pair.paraphrase
    findings = []
    for match in pair.quantities.matches:
        if _lost_its_unit(match, paraphrase):
            old, new = match.original, match.paraphrase
            sentence = f"{old.text} became {new.text}: {old.measure and old.measure.text} is missing."
            findings.append(Finding.of("unit", sentence, old, new))
    for match in pair.quantities.other_units:
        if not _is_said_apart(pair, match):
            old, new = match.original, match.paraphrase
            was, now = (each.measure.text if each.measure else "no unit" for each in (old, new))
            sentence = f"{was} became {now} ({old.text}, {new.text})."
            findings.append(Finding.of("unit", sentence, old.measure or old, new.measure or new))
    return findings + _bare_units(original, paraphrase)


def _lost_its_unit(match: Match, paraphrase: Reading) -> bool:
    """Return whether a number lost its unit and nothing else says it."""
    old = match.original
    return (
        bool(old.unit)
        and not match.paraphrase.unit
        and old.unit not in _whole_units(paraphrase)
        and old.dimension != "money"
        and not (old.dimension == "time" and _AGE.search(paraphrase.text))
    )


def _is_said_apart(pair: Pair, match: Match) -> bool:
    """Return whether the other part of a rate is said somewhere else: "5 km every day", "each day 5 km"."""
    base, _, per = match.original.unit.partition(" / ")
    new_base, _, new_per = match.paraphrase.unit.partition(" / ")
    reading = pair.paraphrase if per else pair.original
    part = per or new_per
    return base == new_base and (part in reading.unit_words or part in _whole_units(reading))


def _bare_units(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return what happened to the units that belong to no number ("How many hours", "in metres")."""
    gone, new = _alone(original, paraphrase), _alone(paraphrase, original)
    said = _units(paraphrase)
    findings = []
    for unit, is_asked in gone:
        rival = next(
            (entry for entry in new if entry[0].dimension == unit.dimension and entry[1] == is_asked), None
        )
        if rival is not None and rival[0].unit != unit.unit:
            new.remove(rival)
            sentence = f"{unit.text} became {rival[0].text}."
            findings.append(Finding.of("unit", sentence, unit, rival[0]))
        elif is_asked and unit.unit not in said and not _still_asked(unit, paraphrase):
            findings.append(Finding.lost("unit", unit))
    return findings


def _alone(reading: Reading, other: Reading) -> list[tuple[UnitMention, bool]]:
    """Return the units without a number that the other text does not have as such, and whether they are asked for."""
    rest = [(unit.unit, _is_asked(other, unit)) for unit in other.bare_units]
    alone = []
    for unit in reading.bare_units:
        entry = (unit.unit, _is_asked(reading, unit))
        if entry in rest:
            rest.remove(entry)
        else:
            alone.append((unit, entry[1]))
    return alone


def _is_asked(reading: Reading, unit: UnitMention) -> bool:
    return _ASKED_UNIT.search(reading.text[max(unit.start - 14, 0) : unit.start]) is not None


def _still_asked(unit: UnitMention, paraphrase: Reading) -> bool:
    pattern = _ASKS_FOR.get(unit.dimension)
    return pattern is not None and any(
        pattern.search(sentence.text) for sentence in paraphrase.sentences if sentence.is_question
    )


def _units(reading: Reading) -> set[str]:
    """Return the units that a text says, also as a part of another: the hour of 60 km per hour; "how many kg"."""
    whole = _whole_units(reading) | {
        ABBREVIATIONS[word.text]
        for word in reading.words
        if word.text in ABBREVIATIONS
        and word.text not in STOP_WORDS
        and _ASKED_UNIT.search(reading.text, max(word.start - 14, 0), word.start)
    }
    return whole | reading.unit_words | {part for unit in whole for part in unit.split(" / ")}


def _whole_units(reading: Reading) -> set[str]:
    return {unit.unit for unit in reading.bare_units} | {quantity.unit for quantity in reading.quantities}
