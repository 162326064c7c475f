"""Numbers and units of a pair, aligned: which were lost, added, changed, or changed places.

Equal are a number in digits and in words, "twice" and "two times", 50% and one half, 0.333 and a third, "3 times fewer"
and "a third", and a quantity converted into another unit (2 hours, 120 minutes; 60 minutes, an hour).
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, permutations

from analytics.errors import DataError
from analytics.paraphrase.finding import Finding, Span, Words
from analytics.paraphrase.reading import TIMES, Quantity, Reading
from analytics.paraphrase.wording import STOP_WORDS
from analytics.text.unit_names import MONEY_SIGNS
from analytics.text.units import UnitMention, convert_quantity

__all__ = ["Match", "quantity_findings", "unit_findings"]


@dataclass(frozen=True, slots=True)
class Match:
    """A quantity of the original and the one of the paraphrase that says the same."""

    original: Quantity
    paraphrase: Quantity


_QUANTIFIERS = re.compile(
    r"\b(?:some|a few|few|several|many|a lot of|lots of|a number of|various|numerous)\b", re.IGNORECASE
)
_HOW_OR_AS = re.compile(r"\b(?:how|as)\s$", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:both|couple|pair|either|neither)\b", re.IGNORECASE)
_ALIKE = 0.5  # surroundings of a number that became another one
_TIMES = re.compile(r"\s+(?:separate |different )?times\b", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|altogether|together|combined|in all|sum|overall)\b", re.IGNORECASE)
_REST = re.compile(r"\b(?:remain(?:ing|s|ed)?|left|rest|remainder|others?)\b", re.IGNORECASE)
_NEAR = 30  # characters
_NAMES = r"[A-Z][\w'’]*(?:(?:,| and|, and) [A-Z][\w'’]*)"
_AGE = re.compile(r"\bage[ds]?\b|\bold(?:er)?\b", re.IGNORECASE)
_MOST_NAMED = 6
_SMALL = (2, 3)
_LISTED = (2, 3, 4)
_LIST = re.compile(r"\s*(?:,|,?\s*and)\s*")
_OWN = re.compile(r"\b(?:the|these|those|all|both|his|her|their|its|my|our)\s$", re.IGNORECASE)
_SWAPPED = 0.15  # by so much both crossed surroundings must agree better than both straight ones; of 1
_MOST_SWAPPED = 12  # numbers
_RUN = 3  # words on each side
_SAME_RUN = 3  # words that must agree
_APART = 2  # words from number to number
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


def quantity_findings(original: Reading, paraphrase: Reading) -> tuple[list[Finding], list[Match]]:
    """Return what happened to the numbers and to the units that belong to them, and the matches."""
    left, right = list(original.quantities), list(paraphrase.quantities)
    matches: list[Match] = []
    for rule in (_equal, _equal_number, _equal_converted, _equal_rounded, _equal_inverse):
        matches += _paired(original, paraphrase, left, right, rule)
    findings = [finding for match in matches if (finding := _unit_of_match(match, paraphrase))]
    renamed = _paired(original, paraphrase, left, right, _same_value)
    findings += [_unit_changed(original, paraphrase, match) for match in renamed]
    _paired(original, paraphrase, left, list(paraphrase.implied), _equal_implied)
    _paired(original, paraphrase, list(original.implied), right, _equal_implied)
    findings += _swapped(original, paraphrase, matches)
    matches += renamed
    findings += [_number_changed(match) for match in _changed(original, paraphrase, left, right, matches)]
    vague = _vague(original, paraphrase)
    for quantity in left:
        findings += _lost(original, paraphrase, quantity, matches, vague)
    findings += [
        _added(paraphrase, one, [match.paraphrase for match in matches])
        for one in right
        if not one.is_weak
        and not _says_both(one, original, paraphrase)
        and not _is_repeated(paraphrase, one, [match.paraphrase for match in matches])
    ]
    return findings, matches


def _added(paraphrase: Reading, one: Quantity, known: list[Quantity]) -> Finding:
    terms = _terms(paraphrase, one, known)
    is_serious = not terms and not _is_said_in_passing(paraphrase, one)
    return Finding.added("number", one, more=terms and f": {terms}", is_serious=is_serious)


def _is_said_in_passing(reading: Reading, one: Quantity) -> bool:
    """Whether a number may count what the text has already: "the two friends", "his three main meals"."""
    before = reading.text[max(one.start - 8, 0) : one.start]
    return one.value in _SMALL and one.text.isalpha() and not one.unit and _OWN.search(before) is not None


def _terms(reading: Reading, one: Quantity, known: list[Quantity]) -> str:
    """The two known numbers of which a number that is called a total or a rest is the sum or the difference."""
    around = reading.text[max(one.start - _NEAR, 0) : one.end + _NEAR]
    signs = ["+"] * (_TOTAL.search(around) is not None) + ["−"] * (_REST.search(around) is not None)
    return next(
        (
            f"{first.text} {sign} {second.text}"
            for first, second in permutations(known, 2)
            for sign in signs
            if first.unit == second.unit and one.unit in {first.unit, ""}
            if one.value == first.value + (second.value if sign == "+" else -second.value)
        ),
        "",
    )


def _says_both(one: Quantity, without: Reading, within: Reading) -> bool:
    """Whether the other text says a bare two as "both" or "a pair", or the names that are counted alone."""
    if one.unit or one.value.denominator != 1 or not 2 <= one.value <= _MOST_NAMED:
        return False
    if one.value == 2 and _BOTH.search(without.text) and not _BOTH.search(within.text):
        return True
    more = one.value.numerator - 1
    named = re.compile(rf"\s[a-z]+:?\s({_NAMES}{{{more}}})(?!(?:,| and|, and) [A-Z])")
    match = named.match(within.text, one.end)
    return match is not None and re.search(rf"\b{re.escape(match[1])}(?!\w)", without.text) is not None


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


def _equal_rounded(one: Quantity, other: Quantity) -> bool:
    if one.unit and other.unit and one.unit != other.unit:
        return False
    return _rounds_to(one.value, other.value) or _rounds_to(other.value, one.value)


def _rounds_to(exact: Fraction, decimal: Fraction) -> bool:
    """Whether a decimal of two places and more is a fraction that no decimal says: 2/3, 0.667."""
    places = _places(decimal)
    return (
        places is not None and places > 1 and _places(exact) is None and abs(exact - decimal) * 10**places < 1
    )


def _places(value: Fraction) -> int | None:
    """Places that the decimal of a number has; None where no decimal says it."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def _equal_inverse(one: Quantity, other: Quantity) -> bool:
    return one.is_inverse != other.is_inverse and one.value * other.value == 1


def _equal_implied(one: Quantity, other: Quantity) -> bool:
    return _equal(one, other) or _equal_converted(one, other)


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
        pairs.sort(
            key=lambda pair: -_similarity(original.surroundings(pair[0]), paraphrase.surroundings(pair[1]))
        )
    return _taken(pairs, left, right)


def _taken(
    pairs: Iterable[tuple[Quantity, Quantity]], left: list[Quantity], right: list[Quantity]
) -> list[Match]:
    """Match the pairs in their order, each quantity once, and take what is matched out of both lists."""
    here, there = {one.start for one in left}, {one.start for one in right}
    matches = []
    for one, other in pairs:
        if one.start in here and other.start in there:
            here.remove(one.start)
            there.remove(other.start)
            matches.append(Match(one, other))
    left[:] = [one for one in left if one.start in here]
    right[:] = [one for one in right if one.start in there]
    return matches


def _similarity(one: Mapping[str, float], other: Mapping[str, float]) -> float:
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
            is_serious=not elsewhere
            and one.dimension != "money"
            and not (one.dimension == "time" and _AGE.search(paraphrase.text))
            and not _TIMES.match(paraphrase.text, other.end),
        )
    return Finding.between(
        "unit",
        "added",
        f"{one.text} became {other.text}: {other.unit_text} was added.",
        one,
        other,
        is_serious=False,
    )


def _unit_changed(original: Reading, paraphrase: Reading, match: Match) -> Finding:
    one, other = match.original, match.paraphrase
    base, _, per = one.unit.partition(" / ")
    new_base, _, new_per = other.unit.partition(" / ")
    # "5 km every day", "each day 5 km"
    is_apart = base == new_base and _has_unit(paraphrase if per else original, per or new_per)
    return Finding(
        "unit",
        "changed",
        f"{one.unit_text or 'no unit'} became {other.unit_text or 'no unit'} ({one.text}, {other.text}).",
        original=one.unit_span or (one.start, one.end),
        paraphrase=other.unit_span or (other.start, other.end),
        before=one.unit_text,
        after=other.unit_text,
        is_serious=not is_apart,
    )


def _swapped(original: Reading, paraphrase: Reading, matches: list[Match]) -> list[Finding]:
    """Find two numbers that each stand where the other stood, or count what the other counted."""
    times = Counter(match.original.value for match in matches)
    once = [match for match in matches if times[match.original.value] == 1 and not match.original.is_weak]
    if len(once) > _MOST_SWAPPED:
        return []
    before = {match.original.start: _Place(original, match.original) for match in once}
    after = {match.paraphrase.start: _Place(paraphrase, match.paraphrase) for match in once}
    findings = []
    for one, other in combinations(once, 2):
        places = (
            before[one.original.start],
            before[other.original.start],
            after[one.paraphrase.start],
            after[other.paraphrase.start],
        )
        if _count_crossed(one, other) or (
            (_stand_crossed(*places) or (_are_of_a_kind(one, other) and _surroundings_crossed(*places)))
            and not _keep_their_company(original, paraphrase, one, other)
        ):
            findings.append(
                Finding(
                    "number",
                    "changed",
                    f"{one.original.text} and {other.original.text} changed places.",
                    original=one.original.number,
                    paraphrase=other.paraphrase.number,
                    before=original.text[slice(*one.original.number)],
                    after=paraphrase.text[slice(*other.paraphrase.number)],
                )
            )
    return findings


def _are_of_a_kind(one: Match, other: Match) -> bool:
    """Whether the units do not tell two numbers apart."""
    return one.original.dimension == other.original.dimension and one.original.unit == one.paraphrase.unit


class _Place:
    """What stands around a number: the words before and behind it, the nearest first, and its context."""

    def __init__(self, reading: Reading, quantity: Quantity) -> None:
        start, end = quantity.number
        first, last = reading.word_at(start), reading.word_at(end)
        self.index = first
        self.context = reading.surroundings(quantity)
        self.before = [word.key for word in reading.words[max(first - _RUN, 0) : first][::-1]]
        self.behind = [word.key for word in reading.words[last : last + _RUN]]
        sign = reading.text[max(start - 1, 0) : start]
        if sign in MONEY_SIGNS:
            self.before.insert(0, sign)

    def run(self, other: _Place) -> int:
        """Number of equal words around both, counted from the number on."""
        return sum(
            next(
                (at for at, (one, two) in enumerate(zip(here, there, strict=False)) if one != two),
                min(len(here), len(there)),
            )
            for here, there in ((self.before, other.before), (self.behind, other.behind))
        )


def _stand_crossed(one: _Place, other: _Place, new_one: _Place, new_other: _Place) -> bool:
    """Whether both stand among the words that stood around the other; "3 and 5" are alike in either order."""
    if min(abs(one.index - other.index), abs(new_one.index - new_other.index)) < _APART:
        return False
    crossed = one.run(new_other), other.run(new_one)
    straight = one.run(new_one), other.run(new_other)
    return min(crossed) >= _SAME_RUN and min(crossed) > max(straight)


def _surroundings_crossed(one: _Place, other: _Place, new_one: _Place, new_other: _Place) -> bool:
    """Whether the surroundings of both agree clearly better crossed than straight."""
    crossed = _similarity(one.context, new_other.context), _similarity(other.context, new_one.context)
    straight = _similarity(one.context, new_one.context), _similarity(other.context, new_other.context)
    return min(crossed) > max(straight) + _SWAPPED


def _keep_their_company(original: Reading, paraphrase: Reading, one: Match, other: Match) -> bool:
    """Whether each still stands behind the words that tell it from the other, and not behind the other's.

    "Tom has 12 and Ann has 20", "Ann has 20 and Tom has 12".
    """
    return _go_together(
        (_words_since(original, one.original), _words_since(original, other.original)),
        (_words_since(paraphrase, one.paraphrase), _words_since(paraphrase, other.paraphrase)),
    )


def _words_since(reading: Reading, quantity: Quantity) -> set[str]:
    """Keys of the words before a quantity, since the one before it or since its sentence begins; not what it counts."""
    start = reading.sentences[reading.sentence_of(quantity.start)].start
    start = max([one.end for one in reading.quantities if one.end <= quantity.start] + [start])
    words = reading.words[reading.word_at(start) : reading.word_at(quantity.start)]
    counted = {noun for one in reading.quantities for noun in one.nouns}
    return {word.key for word in words if word.text.lower() not in STOP_WORDS} - counted


def _count_crossed(one: Match, other: Match) -> bool:
    """Whether each counts in the paraphrase what the other alone counted in the original."""
    return _go_together(
        (set(one.original.nouns), set(other.original.nouns)),
        (set(other.paraphrase.nouns), set(one.paraphrase.nouns)),
    )


def _go_together(words: tuple[set[str], set[str]], new_words: tuple[set[str], set[str]]) -> bool:
    """Whether words that tell two apart are with the same two in the paraphrase, and none is with the other."""
    first, second = words[0] - words[1], words[1] - words[0]
    new_first, new_second = new_words[0] - new_words[1], new_words[1] - new_words[0]
    return bool(first & new_first and second & new_second) and not (first & new_second or second & new_first)


def _changed(
    original: Reading,
    paraphrase: Reading,
    left: list[Quantity],
    right: list[Quantity],
    known: list[Match],
) -> list[Match]:
    """Pair what is left over by its surroundings: numbers that became others."""
    before = [
        (one, original.surroundings(one), _is_repeated(original, one, [match.original for match in known]))
        for one in left
        if not (one.is_ordinal or _says_both(one, paraphrase, original))
    ]
    after = [
        (
            other,
            paraphrase.surroundings(other),
            _is_repeated(paraphrase, other, [m.paraphrase for m in known]),
        )
        for other in right
        if not (other.is_ordinal or _says_both(other, original, paraphrase))
    ]
    pairs = [
        (_similarity(here, there) + (one.unit == other.unit) / 4, one, other)
        for one, here, is_repeated in before
        for other, there, other_is_repeated in after
        if not (one.is_weak and (other.is_weak or other_is_repeated))
        if not (other.is_weak and is_repeated)
    ]
    pairs.sort(key=lambda pair: -pair[0])
    matches = _taken([(one, other) for alike, one, other in pairs if alike > _ALIKE], left, right)
    if len(left) == len(right) == 1:  # what alone is left over became the other, wherever it stands
        matches += _taken([(one, other) for _, one, other in pairs], left, right)
    return matches


def _number_changed(match: Match) -> Finding:
    one, other = match.original, match.paraphrase
    return Finding.between("number", "changed", f"{one.text} became {other.text}.", one, other)


def _vague(original: Reading, paraphrase: Reading) -> list[tuple[Span, str, tuple[str, ...]]]:
    """The paraphrase's "some", "many" ... that the original has not: place, text, keys of the words behind."""
    known = {match[0].lower() for match in _QUANTIFIERS.finditer(original.text)}
    vague = {
        original.words[at].key
        for match in _QUANTIFIERS.finditer(original.text)
        if (at := original.word_at(match.end())) < len(original.words)
    }
    found = []
    for match in _QUANTIFIERS.finditer(paraphrase.text):
        before = paraphrase.text[max(match.start() - 5, 0) : match.start()]
        if match[0].lower() in known or _HOW_OR_AS.search(before):
            continue
        at = paraphrase.word_at(match.end())
        if at < len(paraphrase.words) and paraphrase.words[at].key in vague:
            continue  # some students, a few students
        found.append((match.span(), match[0], tuple(word.key for word in paraphrase.words[at : at + 3])))
    return found


def _lost(
    original: Reading,
    paraphrase: Reading,
    quantity: Quantity,
    matches: list[Match],
    vague: list[tuple[Span, str, tuple[str, ...]]],
) -> list[Finding]:
    if (
        quantity.is_weak
        or _says_both(quantity, paraphrase, original)
        or _counts_a_list(original, quantity)
        or (quantity.value == 1 and any(one.unit == quantity.unit for one in paraphrase.bare_units))
        or _is_repeated(original, quantity, [match.original for match in matches])
    ):
        return []
    at = original.word_at(quantity.number[1])
    behind = {word.key for word in original.words[at : at + 3]}
    for place in vague:
        span, text, keys = place
        if behind & set(keys):
            vague.remove(place)
            was = Words(*quantity.number, original.text[slice(*quantity.number)])
            return [
                Finding.between("number", "changed", f"{was.text} became {text}.", was, Words(*span, text))
            ]
    terms = _terms(original, quantity, [match.original for match in matches])
    return [Finding.lost("number", quantity, more=terms and f": {terms}", is_serious=not terms)]


def _counts_a_list(reading: Reading, quantity: Quantity) -> bool:
    """Whether a number only says how many follow it: "Two angles are 40° and 75°"."""
    if quantity.unit or quantity.value not in _LISTED:
        return False
    sentence = reading.sentence_of(quantity.start)
    behind = [
        one
        for one in reading.quantities
        if one.start > quantity.start and reading.sentence_of(one.start) == sentence
    ]
    return (
        len(behind) == quantity.value
        and len({one.unit for one in behind}) == 1
        and all(
            _LIST.fullmatch(reading.text, one.end, other.start) is not None for one, other in pairwise(behind)
        )
    )


def _is_repeated(reading: Reading, quantity: Quantity, matched: Iterable[Quantity]) -> bool:
    """Whether the same quantity of the same things is said elsewhere in the text, where it is matched."""
    return any(
        other.value == quantity.value
        and other.text.lower() not in TIMES
        and (other.unit == quantity.unit or not other.unit or not quantity.unit)
        and (
            bool(set(quantity.nouns) & set(other.nouns))
            or _similarity(reading.surroundings(quantity), reading.surroundings(other)) > _SAME_PLACE
        )
        for other in matched
    )


def unit_findings(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return what happened to the units that belong to no number ("How many hours", "in metres")."""
    left = [_BareUnit.of(original, unit) for unit in original.bare_units]
    right = [_BareUnit.of(paraphrase, unit) for unit in paraphrase.bare_units]
    said, said_before = _units(paraphrase), _units(original)
    _take(left, right, lambda one: (one.unit.unit, one.is_asked, one.words_before))
    _take(left, right, lambda one: (one.unit.unit, one.is_asked))
    findings = [
        Finding.between(
            "unit",
            "changed",
            f"{one.unit.text} became {other.unit.text}.",
            one.unit,
            other.unit,
            is_serious=one.is_asked
            or one.words_before == other.words_before
            or not (one.unit.unit in said or other.unit.unit in said_before),
        )
        for one, other in _take(left, right, lambda one: (one.unit.dimension, one.is_asked))
        if one.unit.unit != other.unit.unit
    ]
    _take(left, right, lambda one: one.unit.unit)
    findings += [
        Finding.lost("unit", one.unit, is_serious=one.is_asked and not _still_asked(one.unit, paraphrase))
        for one in left
        if one.unit.unit not in said
    ]
    findings += [
        Finding.added("unit", one.unit, is_serious=False) for one in right if one.unit.unit not in said_before
    ]
    return findings


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
    taken = {id(unit) for _one, unit in pairs}
    left[:], right[:] = rest, [unit for unit in right if id(unit) not in taken]
    return pairs


def _is_asked(reading: Reading, unit: UnitMention) -> bool:
    return _ASKED_UNIT.search(reading.text[max(unit.start - 14, 0) : unit.start]) is not None


def _still_asked(unit: UnitMention, paraphrase: Reading) -> bool:
    pattern = _ASKS_FOR.get(unit.dimension)
    asked = [one.text for one in paraphrase.sentences if one.is_question]
    return pattern is not None and any(pattern.search(text) for text in asked)


def _words_before(reading: Reading, unit: UnitMention) -> tuple[str, ...]:
    at = reading.word_at(unit.start)
    return tuple(word.key for word in reading.words[max(at - 2, 0) : at])


def _has_unit(reading: Reading, unit: str) -> bool:
    """Whether a text says a unit as a whole."""
    return unit in reading.unit_words or unit in _whole_units(reading)


def _units(reading: Reading) -> set[str]:
    """The units that a text says, also as a part of another: the hour of 60 km per hour."""
    whole = _whole_units(reading)
    return whole | reading.unit_words | {part for unit in whole for part in unit.split(" / ")}


def _whole_units(reading: Reading) -> set[str]:
    return {one.unit for one in reading.bare_units} | {one.unit for one in reading.quantities}
