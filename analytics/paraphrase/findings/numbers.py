"""Numbers and units that were lost, added, changed or swapped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from analytics.language.mentions import ABBREVIATIONS
from analytics.paraphrase.findings.pair import Finding, Match, Pair, Words, is_repeated
from analytics.paraphrase.words.reading import Quantity, Reading
from analytics.paraphrase.words.wording import STOP_WORDS
from analytics.text.units import UnitMention

_QUANTIFIERS = re.compile(
    r"(?<!\bhow )(?<!\bas )\b(?:some|a few|few|several|many|a lot of|lots of|a number of|various|numerous)\b",
    re.IGNORECASE,
)
_APART = 2  # words between numbers
_BEHIND = 3  # words after a number
_MOST_SWAPPED = 12  # numbers


def number_findings(pair: Pair) -> list[Finding]:
    """Return the changes to numbers, except those that result from inverting a comparison."""
    original, paraphrase, quantities = pair.original, pair.paraphrase, pair.quantities
    findings = _swapped(pair)
    findings += [
        Finding.of("number", f"{old.text} became {new.text}.", old, new)
        for old, new in ((match.original, match.paraphrase) for match in quantities.changed)
        if not is_turned_round(pair, old, new)
    ]
    shared = [match.original for match in quantities.same_values]
    for quantity in quantities.lost:
        counts_one = quantity.value == 1 and any(unit.unit == quantity.unit for unit in paraphrase.bare_units)
        if not counts_one and _matters(quantity, original, shared):
            findings.append(_vague(pair, quantity) or Finding.lost("number", quantity))
    shared = [match.paraphrase for match in quantities.same_values]
    findings += [
        Finding.added("number", quantity) for quantity in quantities.added if _matters(quantity, paraphrase, shared)
    ]
    return findings


def is_turned_round(pair: Pair, number: Quantity, inverse: Quantity) -> bool:
    """Return whether "half as many ducks as hens" replaces "twice as many hens as ducks"."""
    if number.unit or inverse.unit or number.value == 1 or number.value * inverse.value != 1:
        return False
    behind, new_behind = _topic_behind(pair.original, number), _topic_behind(pair.paraphrase, inverse)
    return behind != new_behind and behind in pair.new_words and new_behind in pair.old_words


def _topic_behind(reading: Reading, quantity: Quantity) -> str:
    """Return the key of the first word after a number that is not a function word."""
    words = reading.words[reading.word_at(quantity.end) :]
    return next((word.key for word in words if word.text.lower() not in STOP_WORDS), "")


def _matters(quantity: Quantity, reading: Reading, shared: Sequence[Quantity]) -> bool:
    """Return whether a quantity in only one text is significant and not expressed in another way."""
    return not (quantity.is_weak or is_repeated(reading, quantity, shared) or _counts_a_list(reading, quantity))


def _counts_a_list(reading: Reading, quantity: Quantity) -> bool:
    """Return whether a number word counts the names that follow it: two stations A and B."""
    if not quantity.text.isalpha() or quantity.unit or quantity.value <= 1:
        return False
    end = reading.sentences[reading.sentence_of(quantity.start)].end
    listed = [
        len([mention for mention in mentions if quantity.start < mention.start < end])
        for mentions in (reading.quantities, reading.entities)
    ]
    return quantity.value in listed


def _vague(pair: Pair, quantity: Quantity) -> Finding | None:
    """Return a finding if the paraphrase says "some" or "many" instead of a number."""
    original, paraphrase = pair.original, pair.paraphrase
    at = original.word_at(quantity.number[1])
    behind = {word.key for word in original.words[at : at + _BEHIND]}
    for match in _QUANTIFIERS.finditer(paraphrase.text):
        at = paraphrase.word_at(match.end())
        new_behind = {word.key for word in paraphrase.words[at : at + _BEHIND]}
        if behind & new_behind and match[0].lower() not in original.text.lower():
            number = Words.at(quantity.number, original.text)
            sentence = f"{number.text} became {match[0]}."
            return Finding.of("number", sentence, number, Words(*match.span(), match[0]))
    return None


def _swapped(pair: Pair) -> list[Finding]:
    """Return numbers that swapped places within the same words, or swapped what they count."""
    times = Counter(match.original.value for match in pair.quantities.matches)
    once = [
        match for match in pair.quantities.matches if times[match.original.value] == 1 and not match.original.is_weak
    ]
    if len(once) > _MOST_SWAPPED:
        return []
    return [
        Finding.of(
            "number",
            f"{first.original.text} and {second.original.text} changed places.",
            Words.at(first.original.number, pair.original.text),
            Words.at(second.paraphrase.number, pair.paraphrase.text),
        )
        for first, second in combinations(once, 2)
        if _count_crossed(first, second) or (pair.has_same_words and _stand_crossed(pair, first, second))
    ]


def _count_crossed(first: Match, second: Match) -> bool:
    """Return whether each number counts in the paraphrase what only the other counted in the original."""
    nouns, other_nouns = set(first.original.nouns), set(second.original.nouns)
    new_nouns, new_other_nouns = set(first.paraphrase.nouns), set(second.paraphrase.nouns)
    alone, other_alone = nouns - other_nouns, other_nouns - nouns
    return bool(alone & new_other_nouns and other_alone & new_nouns) and not (
        alone & new_nouns or other_alone & new_other_nouns
    )


def _stand_crossed(pair: Pair, first: Match, second: Match) -> bool:
    """Return whether two numbers appear in reversed order; "3 and 5" may be in either."""
    at, other_at = (pair.original.word_at(match.original.start) for match in (first, second))
    is_turned = (first.original.start < second.original.start) != (first.paraphrase.start < second.paraphrase.start)
    return is_turned and abs(at - other_at) >= _APART


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
    """Return the changes to units."""
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
    """Return whether a number lost its unit and nothing else expresses it."""
    old = match.original
    return (
        bool(old.unit)
        and not match.paraphrase.unit
        and old.unit not in _whole_units(paraphrase)
        and old.dimension != "money"
        and not (old.dimension == "time" and _AGE.search(paraphrase.text))
    )


def _is_said_apart(pair: Pair, match: Match) -> bool:
    """Return whether the other part of a rate appears elsewhere: "5 km every day", "each day 5 km"."""
    base, _, per = match.original.unit.partition(" / ")
    new_base, _, new_per = match.paraphrase.unit.partition(" / ")
    reading = pair.paraphrase if per else pair.original
    part = per or new_per
    return base == new_base and (part in reading.unit_words or part in _whole_units(reading))


def _bare_units(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return the changes to units without a number ("How many hours", "in metres")."""
    gone, new = _alone(original, paraphrase), _alone(paraphrase, original)
    said = _units(paraphrase)
    findings = []
    for unit, is_asked in gone:
        rival = next((entry for entry in new if entry[0].dimension == unit.dimension and entry[1] == is_asked), None)
        if rival is not None and rival[0].unit != unit.unit:
            new.remove(rival)
            sentence = f"{unit.text} became {rival[0].text}."
            findings.append(Finding.of("unit", sentence, unit, rival[0]))
        elif is_asked and unit.unit not in said and not _still_asked(unit, paraphrase):
            findings.append(Finding.lost("unit", unit))
    return findings


def _alone(reading: Reading, other: Reading) -> list[tuple[UnitMention, bool]]:
    """Return the units without a number that the other text lacks as such, and whether they are asked for."""
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
    """Return the units in a text, including parts of others: the hour in 60 km per hour; "how many kg"."""
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
