"""Numbers that were lost, added or changed, or that changed places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise, permutations

from analytics.paraphrase.findings.exchanges import is_told_from_the_other_side
from analytics.paraphrase.findings.finding import Finding, Span, Words
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.findings.quantities import Match, is_repeated, says_both, similarity
from analytics.paraphrase.words.reading import Quantity, Reading
from analytics.paraphrase.words.wording import STOP_WORDS
from analytics.text.unit_names import MONEY_SIGNS

_QUANTIFIERS = re.compile(
    r"\b(?:some|a few|few|several|many|a lot of|lots of|a number of|various|numerous)\b", re.IGNORECASE
)
_HOW_OR_AS = re.compile(r"\b(?:how|as)\s$", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|altogether|together|combined|in all|sum|overall)\b", re.IGNORECASE)
_REST = re.compile(r"\b(?:remain(?:ing|s|ed)?|left|rest|remainder|others?)\b", re.IGNORECASE)
_NEAR = 30  # characters
_SMALL = (2, 3)
_LISTED = (2, 3, 4)
_LIST = re.compile(r"\s*(?:,|,?\s*and)\s*")
_OWN = re.compile(r"\b(?:the|these|those|all|both|his|her|their|its|my|our)\s$", re.IGNORECASE)
_SWAPPED = 0.15  # by so much both crossed surroundings must agree better than both straight ones; of 1
_MOST_SWAPPED = 12  # numbers
_RUN = 3  # words on each side
_SAME_RUN = 3  # words that must agree
_CLAUSE = re.compile(r"[,;.?!]|\b(?:and|if|but|while|when|in|there)\b")
_APART = 2  # words from number to number


def number_findings(pair: Pair) -> list[Finding]:
    """Return what happened to the numbers, without those that a comparison told from the other side inverts."""
    original, paraphrase, quantities = pair.original, pair.paraphrase, pair.quantities
    findings = _swapped(original, paraphrase, quantities.matches)
    findings += [
        _number_changed(match)
        for match in quantities.changed
        if not _is_told_from_the_other_side(pair, match)
    ]
    vague = _vague(original, paraphrase)
    shared_quantities = [match.original for match in quantities.same_values]
    for quantity in quantities.lost:
        findings += _lost(original, paraphrase, quantity, shared_quantities, vague)
    shared_quantities = [match.paraphrase for match in quantities.same_values]
    findings += [
        _added(paraphrase, quantity, shared_quantities)
        for quantity in quantities.added
        if not quantity.is_weak
        and not says_both(quantity, original, paraphrase)
        and not is_repeated(paraphrase, quantity, shared_quantities)
    ]
    return findings


def _added(paraphrase: Reading, quantity: Quantity, shared_quantities: list[Quantity]) -> Finding:
    terms = _terms(paraphrase, quantity, shared_quantities)
    is_serious = not terms and not _is_said_in_passing(paraphrase, quantity)
    return Finding.added("number", quantity, more=terms and f": {terms}", is_serious=is_serious)


def _is_said_in_passing(reading: Reading, quantity: Quantity) -> bool:
    """Return whether a number may count what the text has already: "the two friends", "his three main meals"."""
    before = reading.text[max(quantity.start - 8, 0) : quantity.start]
    return (
        quantity.value in _SMALL
        and quantity.text.isalpha()
        and not quantity.unit
        and _OWN.search(before) is not None
    )


def _terms(reading: Reading, quantity: Quantity, shared_quantities: list[Quantity]) -> str:
    """Return the two known numbers of which a number that is called a total or a rest is the sum or the difference."""
    around = reading.text[max(quantity.start - _NEAR, 0) : quantity.end + _NEAR]
    signs = ["+"] * (_TOTAL.search(around) is not None) + ["−"] * (_REST.search(around) is not None)
    return next(
        (
            f"{first.text} {sign} {second.text}"
            for first, second in permutations(shared_quantities, 2)
            for sign in signs
            if first.unit == second.unit and quantity.unit in {first.unit, ""}
            if quantity.value == first.value + (second.value if sign == "+" else -second.value)
        ),
        "",
    )


def _swapped(original: Reading, paraphrase: Reading, matches: Sequence[Match]) -> list[Finding]:
    """Find two numbers that each stand where the other stood, or count what the other counted."""
    times = Counter(match.original.value for match in matches)
    once = [match for match in matches if times[match.original.value] == 1 and not match.original.is_weak]
    if len(once) > _MOST_SWAPPED:
        return []
    before = {match.original.start: _Place(original, match.original) for match in once}
    after = {match.paraphrase.start: _Place(paraphrase, match.paraphrase) for match in once}
    findings = []
    for first, second in combinations(once, 2):
        places = (
            before[first.original.start],
            before[second.original.start],
            after[first.paraphrase.start],
            after[second.paraphrase.start],
        )
        if _count_crossed(first, second) or (
            (_stand_crossed(*places) or (_are_of_a_kind(first, second) and _surroundings_crossed(*places)))
            and not _keep_their_company(original, paraphrase, first, second)
        ):
            findings.append(
                Finding(
                    "number",
                    "changed",
                    f"{first.original.text} and {second.original.text} changed places.",
                    original=first.original.number,
                    paraphrase=second.paraphrase.number,
                    before=original.text[slice(*first.original.number)],
                    after=paraphrase.text[slice(*second.paraphrase.number)],
                )
            )
    return findings


def _are_of_a_kind(first: Match, second: Match) -> bool:
    """Return whether the units do not tell two numbers apart."""
    return (
        first.original.dimension == second.original.dimension and first.original.unit == first.paraphrase.unit
    )


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

    def run(self, place: _Place) -> int:
        """Return the number of equal words around both, counted from the number on."""
        return sum(
            next(
                (at for at, (key, new_key) in enumerate(zip(keys, new_keys, strict=False)) if key != new_key),
                min(len(keys), len(new_keys)),
            )
            for keys, new_keys in ((self.before, place.before), (self.behind, place.behind))
        )


def _stand_crossed(first: _Place, second: _Place, new_first: _Place, new_second: _Place) -> bool:
    """Return whether both stand among the words that stood around the other; "3 and 5" are alike in either order."""
    if min(abs(first.index - second.index), abs(new_first.index - new_second.index)) < _APART:
        return False
    crossed = first.run(new_second), second.run(new_first)
    straight = first.run(new_first), second.run(new_second)
    return min(crossed) >= _SAME_RUN and min(crossed) > max(straight)


def _surroundings_crossed(first: _Place, second: _Place, new_first: _Place, new_second: _Place) -> bool:
    """Return whether the surroundings of both agree clearly better crossed than straight."""
    crossed = similarity(first.context, new_second.context), similarity(second.context, new_first.context)
    straight = similarity(first.context, new_first.context), similarity(second.context, new_second.context)
    return min(crossed) > max(straight) + _SWAPPED


def _keep_their_company(original: Reading, paraphrase: Reading, first: Match, second: Match) -> bool:
    """Return whether each still stands behind the words that tell it from the other, and not behind the other's.

    "Tom has 12 and Ann has 20", "Ann has 20 and Tom has 12".
    """
    return _go_together(
        (_words_since(original, first.original), _words_since(original, second.original)),
        (_words_since(paraphrase, first.paraphrase), _words_since(paraphrase, second.paraphrase)),
    )


def _words_since(reading: Reading, quantity: Quantity) -> set[str]:
    """Return keys of words before a quantity, since the one before it or the sentence's start; not what it counts."""
    start = reading.sentences[reading.sentence_of(quantity.start)].start
    start = max([earlier.end for earlier in reading.quantities if earlier.end <= quantity.start] + [start])
    words = reading.words[reading.word_at(start) : reading.word_at(quantity.start)]
    counted = {noun for number in reading.quantities for noun in number.nouns}
    return {word.key for word in words if word.text.lower() not in STOP_WORDS} - counted


def _count_crossed(first: Match, second: Match) -> bool:
    """Return whether each counts in the paraphrase what the other alone counted in the original."""
    return _go_together(
        (set(first.original.nouns), set(second.original.nouns)),
        (set(second.paraphrase.nouns), set(first.paraphrase.nouns)),
    )


def _go_together(words: tuple[set[str], set[str]], new_words: tuple[set[str], set[str]]) -> bool:
    """Return whether words that tell two apart are with the same two in the paraphrase, and none is with the other."""
    first, second = words[0] - words[1], words[1] - words[0]
    new_first, new_second = new_words[0] - new_words[1], new_words[1] - new_words[0]
    return bool(first & new_first and second & new_second) and not (first & new_second or second & new_first)


def _is_told_from_the_other_side(pair: Pair, match: Match) -> bool:
    """Return whether "half as many ducks as hens" stands for "twice as many hens as ducks"."""
    number, inverse = match.original, match.paraphrase
    if number.unit or inverse.unit or number.value == 1 or number.value * inverse.value != 1:
        return False
    if is_told_from_the_other_side(pair):
        return True
    before, behind = _sides(pair.original, number)
    new_before, new_behind = _sides(pair.paraphrase, inverse)
    return bool(before & new_behind and behind & new_before and not behind & new_behind)


def _sides(reading: Reading, quantity: Quantity) -> tuple[set[str], set[str]]:
    """Return keys of content words before a number in its sentence and behind it in its clause, none in both."""
    sentence = reading.sentences[reading.sentence_of(quantity.start)]
    clause = _CLAUSE.search(reading.text, quantity.end, sentence.end)
    end = clause.start() if clause else sentence.end
    before, behind = (
        {
            word.key
            for word in reading.words[reading.word_at(start) : reading.word_at(stop)]
            if word.text.lower() not in STOP_WORDS and word.start >= start
        }
        for start, stop in ((sentence.start, quantity.start), (quantity.end, end))
    )
    return before - behind, behind - before


def _number_changed(match: Match) -> Finding:
    old, new = match.original, match.paraphrase
    return Finding.between("number", "changed", f"{old.text} became {new.text}.", old, new)


def _vague(original: Reading, paraphrase: Reading) -> list[tuple[Span, str, tuple[str, ...]]]:
    """Return the paraphrase's "some", "many" ... that the original has not: place, text, keys of the words behind."""
    original_quantifiers = {match[0].lower() for match in _QUANTIFIERS.finditer(original.text)}
    vague = {
        original.words[at].key
        for match in _QUANTIFIERS.finditer(original.text)
        if (at := original.word_at(match.end())) < len(original.words)
    }
    places = []
    for match in _QUANTIFIERS.finditer(paraphrase.text):
        before = paraphrase.text[max(match.start() - 5, 0) : match.start()]
        if match[0].lower() in original_quantifiers or _HOW_OR_AS.search(before):
            continue
        at = paraphrase.word_at(match.end())
        if at < len(paraphrase.words) and paraphrase.words[at].key in vague:
            continue  # some students, a few students
        places.append((match.span(), match[0], tuple(word.key for word in paraphrase.words[at : at + 3])))
    return places


def _lost(
    original: Reading,
    paraphrase: Reading,
    quantity: Quantity,
    shared_quantities: list[Quantity],
    vague: list[tuple[Span, str, tuple[str, ...]]],
) -> list[Finding]:
    if (
        quantity.is_weak
        or says_both(quantity, paraphrase, original)
        or _counts_a_list(original, quantity)
        or (quantity.value == 1 and any(unit.unit == quantity.unit for unit in paraphrase.bare_units))
        or is_repeated(original, quantity, shared_quantities)
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
    terms = _terms(original, quantity, shared_quantities)
    return [Finding.lost("number", quantity, more=terms and f": {terms}", is_serious=not terms)]


def _counts_a_list(reading: Reading, quantity: Quantity) -> bool:
    """Return whether a number only says how many follow it: "Two angles are 40° and 75°"."""
    if quantity.unit or quantity.value not in _LISTED:
        return False
    sentence = reading.sentence_of(quantity.start)
    behind = [
        number
        for number in reading.quantities
        if number.start > quantity.start and reading.sentence_of(number.start) == sentence
    ]
    return (
        len(behind) == quantity.value
        and len({number.unit for number in behind}) == 1
        and all(
            _LIST.fullmatch(reading.text, earlier.end, later.start) is not None
            for earlier, later in pairwise(behind)
        )
    )
