"""Things of two kinds with a fixed value each: legs of hens and cows, coins, tickets, points.

A story gives two of these: the number of things, their total value, the number of one kind. Every number of the text
has one of these roles, or is the value of one thing of a kind.
"""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from analytics.language.en.words import COMMON, singular
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, when
from analytics.solver.rules.story import Amount, Contradiction, Linear, Name, solve

# fmt: off
_OTHERWISE = re.compile(r"\b(?:twice|half|double|triple|times|percent|discount|tax|tip|profit|loss|equal|average|ratio"
    r"|dozen|pairs?|packs? of|free|off|saved?|died|left|ran away|taken)\b|[%倍折扣赔坏]|比例|之比", re.IGNORECASE)
_MORE = re.compile(r"\b(?:more|fewer|less)\b|[多少](?=几|多少|\d)", re.IGNORECASE)
_ASKS = re.compile(r"\bhow many\b|\bnumber of\b|多少|几", re.IGNORECASE)
_AFTER = re.compile(r"(?: each)? (?:for|per) (?:each |an? )?(?P<kind>[a-z]+)", re.IGNORECASE)
_EACH_HAS = re.compile(r"(?P<kind>[a-z]+|[\u4e00-\u9fff]{1,3}) ?(?:\b(?:each |all |only |usually )?(?:has|have|with|had)\b|有) ?<(?P<place>\d)>", re.IGNORECASE)
_COMPARED = re.compile(r"<(?P<place>\d)> more (?P<kind>[a-z]+) than|(?P<zh_kind>[\u4e00-\u9fff]{1,3})比[\u4e00-\u9fff]{1,3}多<(?P<zh_place>\d)>", re.IGNORECASE)
_LEGGED = re.compile(r"<(?P<place>\d)>[- ](?:legged|wheeled|wheel|seater) (?P<kind>[a-z]+)", re.IGNORECASE)
_PIECE = re.compile(r"\b(?:coin|note|bill|piece|stamp|banknote)s?\b|硬币|纸币|邮票", re.IGNORECASE)
_PENCE = re.compile(r" ?p\b")
_MARKS = re.compile(r"[.,;:?!，。；：？]")
_COUNTED = re.compile(r"(?:(?:[ -]?| and (?!some\b|the\b|an?\b))(?!(?:and|or|of|in|on|to|at|for|with|is|are|was|were|has|have|had|who|that|which|then)\b)[a-z]+){0,4}", re.IGNORECASE)
_LOSES = re.compile(r"\b(?:los[et]s?|lost|minus|deduct\w*|penalt\w+|taken (?:off|away)|subtract\w*)\b|[扣倒]", re.IGNORECASE)
_TAKEN = re.compile(r" (?:points |marks )?(?:are |is |will be )(?:negativ\w+|deducted|lost|taken|subtracted)\b", re.IGNORECASE)
_SAME = {"right": "correct", "correctly": "correct", "rightly": "correct", "wrongly": "wrong", "incorrect": "wrong", "incorrectly": "wrong", "won": "win", "drawn": "draw", "drew": "draw"}
_SOME = frozenset("some other rest".split())
_MINOR = {"dollar_cent": 100, "penny_sterling": 100, "jiao": 10, "fen": 100}  # how many make one of the larger unit
_PIECES = frozenset("coin coins note notes bill bills banknotes stamps pieces".split())
_MOST_LIMBS = 20  # per thing
_POINTS = ("point", "points", "mark", "marks")
# fmt: on


@dataclass
class _Kinds:
    """What a text states about two kinds of things.

    Attributes:
        worth: the value of one thing of each kind; a kind is identified by the words that name it.
        counts: the number of things of a kind.
        things: the number of things of both kinds.
        more: how many more there are of the first kind than of the second.
        total: the value of all things.
    """

    worth: dict[frozenset[str], Amount] = field(default_factory=dict)
    counts: dict[frozenset[str], Amount] = field(default_factory=dict)
    things: Amount | None = None
    more: tuple[frozenset[str], Amount] | None = None
    total: Amount | None = None

    @property
    def is_nameless(self) -> bool:
        """Whether the kinds are distinguished only by what they have: "some have four legs"."""
        return any(kind & _SOME for kind in self.worth)

    def asked(self, reading: Reading) -> RuleAnswer | None:
        """Return how many there are of the kind asked for, or how many more than of the other.

        Raises:
            Contradiction: such numbers are impossible.
        """
        kinds = list(self.worth)
        told = len(self.counts) + sum(each is not None for each in (self.things, self.total, self.more))
        if len(kinds) != 2 or told != 2 or self.total is None or len({each.value for each in self.worth.values()}) < 2:
            return None
        own = [kinds[0] - kinds[1], kinds[1] - kinds[0]]
        named = [place for place in (0, 1) if _is_named(own[place], reading)]
        unknown = [Linear.unknown((str(place), "")) for place in (0, 1)]
        equations = [unknown[kinds.index(kind)] - Linear.known(count) for kind, count in self.counts.items()]
        if self.more is not None:
            first = kinds.index(self.more[0])
            equations.append(unknown[first] - unknown[1 - first] - Linear.known(self.more[1]))
        if self.things is not None:
            equations.append(unknown[0] + unknown[1] - Linear.known(self.things))
        worths = [unknown[place].times(self.worth[kind]) for place, kind in enumerate(kinds)]
        equations.append(worths[0] + worths[1] - Linear.known(self.total))
        found = solve(equations, unknown[named[0]] if len(named) == 1 else Linear())
        if found is None or len(found) < 2:
            return None
        if any(each.value < 0 or each.value.denominator != 1 for each in found.values()):
            raise Contradiction
        if len(named) == 1 and not _MORE.search(reading.asked):
            return RuleAnswer(found[_name(named[0])].tree)
        return self._difference(reading, found) if len(named) == 2 else None

    def _difference(self, reading: Reading, found: dict[Name, Amount]) -> RuleAnswer | None:
        larger, smaller = sorted((found[_name(place)] for place in (0, 1)), key=lambda each: -each.value)
        is_asked = _MORE.search(reading.asked) is not None and larger.value > smaller.value
        return RuleAnswer((larger - smaller).tree) if is_asked else None


def _name(place: int) -> Name:
    return str(place), ""


def _after_how_many(reading: Reading) -> str:
    match = _ASKS.search(reading.asked)
    return reading.asked[match.end() :] if match and reading.language.space else reading.asked


def _is_named(kind: frozenset[str], reading: Reading) -> bool:
    """Return whether the clause with the question names a kind, by a word or by a number: "How many 20-cent coins"."""
    asked, begin = _after_how_many(reading), reading.text.rfind(reading.asked)
    numbers = {str(each.value) for each in reading.quantities if each.start >= begin}
    is_word = any(each in asked for each in kind) if not reading.language.space else kind & _words(reading, asked)
    return bool(is_word or kind & numbers)


def _amount(quantity: Quantity) -> Amount:
    return Amount(quantity.value, quantity.tree)


@when(2, 7, asks=_ASKS, unless=_OTHERWISE)
def number_of_one_kind(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "A farmer has 17 cows and some hens. They have 108 legs. How many hens?", and the like for coins and tickets.

    Raises:
        Contradiction: 11 heads cannot have 27 legs.
    """
    begin = reading.text.rfind(reading.asked)
    told = [each for each in quantities if each.start < begin]
    repeated = {(each.value, each.unit_name) for each in told}
    if any((each.value, each.unit_name) not in repeated for each in quantities[len(told) :]):
        return None
    for read in (_limbs, _coins):
        if (kinds := read(reading, told)) is not None and (answer := kinds.asked(reading)) is not None:
            return answer
    try:
        kinds = _prices(reading, told)
        return None if kinds is None else kinds.asked(reading)
    except Contradiction:  # prices may be stated in another way
        return None


def _limbs(reading: Reading, quantities: list[Quantity]) -> _Kinds | None:
    """Read legs, feet or wheels, by the number that the text or the language's table gives for each kind."""
    words = reading.language.relations
    limb = next((each for each in words.LIMBS if _says(reading, each)), None)
    if limb is None:
        return None
    table = words.LIMBS[limb]
    limbs = frozenset(each for each in words.LIMBS if words.LIMBS[each] is table)
    called = [_called(reading, quantities, place) for place in range(len(quantities))]
    kinds, used = _Kinds(), set[int]()
    for match in (*_EACH_HAS.finditer(reading.marked), *_LEGGED.finditer(reading.marked)):
        place, kind = int(match["place"]), words.thing_of(match["kind"])
        is_told = place < len(quantities) and (match.re is _LEGGED or bool(limbs & called[place]))
        if is_told and quantities[place].value <= _MOST_LIMBS:
            name = {kind, str(quantities[place].value)} if kind in _SOME else {kind}
            kinds.worth[frozenset(name)] = _amount(quantities[place])
            used.add(place)
    if not kinds.worth:
        named = {each for each in table if _says(reading, each)}
        names = named if reading.language.space else _found(reading.text, named)
        kinds.worth = {frozenset([each]): Amount.of(table[each]) for each in sorted(names)}
    used |= _read_more(kinds, reading, quantities)
    rest = [place for place in range(len(quantities)) if place not in used]
    is_read = all(_read_count(kinds, reading, quantities[each], limbs, called[each]) for each in rest)
    return kinds if is_read else None


def _read_more(kinds: _Kinds, reading: Reading, quantities: list[Quantity]) -> set[int]:
    """Read how many more there are of one kind than of the other; return the index of that number."""
    used = set[int]()
    for match in _COMPARED.finditer(reading.marked):
        place = int(match["place"] or match["zh_place"])
        kind = reading.language.relations.thing_of(match["kind"] or match["zh_kind"])
        if place < len(quantities) and frozenset([kind]) in kinds.worth:
            kinds.more = frozenset([kind]), _amount(quantities[place])
            used.add(place)
    return used


def _read_count(
    kinds: _Kinds, reading: Reading, quantity: Quantity, limbs: frozenset[str], called: frozenset[str]
) -> bool:
    """Read a number of legs, of things of one kind or of all things; return whether the number is one of these."""
    words, owned = reading.language.relations, [kind for kind in kinds.worth if kind & called]
    if limbs & called:
        is_read, kinds.total = kinds.total is None, _amount(quantity)
    elif len(owned) == 1:
        is_read = owned[0] not in kinds.counts
        kinds.counts[owned[0]] = _amount(quantity)
    else:
        asked = words.content(reading.asked) if kinds.is_nameless else frozenset[str]()
        is_whole = len(owned) == 2 or bool(called & (words.HEADS | words.WHOLES | asked))
        is_read, kinds.things = kinds.things is None and is_whole, _amount(quantity)
    return is_read and (quantity.unit is None or quantity.unit_name in limbs)


def _says(reading: Reading, name: str) -> bool:
    """Return whether a text contains a thing's name, in English as a separate word."""
    if not reading.language.space:
        return name in reading.text
    return name in reading.language.relations.content(reading.text)


def _found(clause: str, known: set[str]) -> Iterator[str]:
    """Yield the names in a clause, the longest first; part of another name does not count."""
    for name in sorted(known, key=lambda each: (-len(each), each)):
        if name in clause:
            clause = clause.replace(name, " ")
            yield name


def _called(reading: Reading, quantities: list[Quantity], place: int) -> frozenset[str]:
    """Return what a number counts: the nouns after it, or otherwise those before it in its clause."""
    words, quantity = reading.language.relations, quantities[place]
    begin = max((each.end for each in quantities[:place]), default=0)
    if not reading.language.space:
        clause = _MARKS.split(reading.text[begin : quantity.start])[-1] + _MARKS.split(reading.text[quantity.end :])[0]
        known = {each for table in words.LIMBS.values() for each in table} | words.LIMBS.keys() | words.HEADS
        return frozenset(_found(clause, known))
    begin_noun = quantity.unit.start if quantity.unit is not None else quantity.end
    after = words.content(_COUNTED.match(reading.text, begin_noun)[0])  # type: ignore[index]  # it may be empty
    return after or words.content(_MARKS.split(reading.text[begin : quantity.start])[-1])


def _coins(reading: Reading, quantities: list[Quantity]) -> _Kinds | None:
    """Read coins, notes or stamps, by their face value or as dimes and quarters."""
    words, kinds = reading.language.relations, _Kinds()
    if not _PIECE.search(reading.text):
        return None
    names = [each for each in words.COINS if _says(reading, each)]
    money = [each for each in quantities if _is_money(reading, each)]
    minor = [_MINOR.get(each.unit_name, 100) for each in money if _is_minor(reading, each)] + [100] * bool(names)
    for each in money:
        is_scaled = bool(minor) and not _is_minor(reading, each)
        worth = _amount(each) * Amount.of(minor[0]) if is_scaled else _amount(each)
        kinds.worth[frozenset([str(each.value)])] = worth
    if not money or len(kinds.worth) != len(money) or len(set(minor)) > 1:
        return None
    kinds.total = kinds.worth.pop(max(kinds.worth, key=lambda each: kinds.worth[each].value))
    kinds.worth |= {frozenset([name]): Amount.of(words.COINS[name]) for name in names}
    compared = _read_more(kinds, reading, quantities)
    for place, quantity in enumerate(quantities):
        if quantity not in money and place not in compared and not _read_pieces(kinds, reading, quantity):
            return None
    return kinds


def _is_minor(reading: Reading, quantity: Quantity) -> bool:
    """Return whether a number counts cents or pence rather than dollars or pounds."""
    return quantity.unit_name in _MINOR or (
        quantity.unit is None and _PENCE.match(reading.text, quantity.end) is not None
    )


def _is_money(reading: Reading, quantity: Quantity) -> bool:
    is_money = quantity.unit is not None and quantity.unit.dimension == "money"
    return (is_money and not _is_coin(reading, quantity)) or _is_minor(reading, quantity)


def _is_coin(reading: Reading, quantity: Quantity) -> bool:
    """Return whether a number counts coins whose name is also a unit: 6 dimes."""
    called = reading.language.relations.content(reading.text[quantity.start : quantity.end])
    return bool(called & reading.language.relations.COINS.keys()) if reading.language.space else False


def _read_pieces(kinds: _Kinds, reading: Reading, quantity: Quantity) -> bool:
    """Read the number of coins of one kind or of both; return whether the number is one of these."""
    words = reading.language.relations
    called = words.content(f"{reading.text[quantity.start : quantity.end]} {quantity.noun}")
    own = [kind for kind in kinds.worth if kind & called]
    if len(own) == 1 and own[0] not in kinds.counts:
        kinds.counts[own[0]] = _amount(quantity)
        return True
    is_all = quantity.unit is None and (not reading.language.space or quantity.noun in _PIECES)
    is_read = is_all and kinds.things is None
    kinds.things = _amount(quantity)
    return is_read


def _prices(reading: Reading, quantities: list[Quantity]) -> _Kinds | None:
    """Read tickets and other things with two prices, and games with two scores."""
    kinds = _Kinds()
    worth = [each for each in quantities if each.noun in _POINTS or (each.unit and each.unit.dimension == "money")]
    counts = [each for each in quantities if each not in worth and each.unit is None]
    if len(worth) != 3 or len(counts) != 1 or len({each.unit_name for each in worth}) > 1:
        return None
    total = max(worth, key=lambda each: each.value)
    for each in worth:
        if each is not total:
            after = re.split(r"[,.;]", reading.text[each.end :])[0]
            is_lost = _LOSES.search(_before(reading, each)) or _TAKEN.match(after)
            kinds.worth[_kind(reading, each)] = -_amount(each) if is_lost else _amount(each)
    kinds.total, own = _amount(total), _words(reading, counts[0].noun)
    of_one = [kind for kind in kinds.worth if kind & own]
    if len(of_one) == 1:
        kinds.counts[of_one[0]] = _amount(counts[0])
    else:
        kinds.things = _amount(counts[0])
    return kinds


def _kind(reading: Reading, price: Quantity) -> frozenset[str]:
    """Return the words that name what has a price: those before it in its clause, or "for adults" after it."""
    after = _AFTER.match(reading.text, price.end)
    return _words(reading, after["kind"] if after else _before(reading, price))


def _before(reading: Reading, price: Quantity) -> str:
    return re.split(r"[,.;，。；]|\band\b|\d", reading.text[: price.start])[-1]


def _words(reading: Reading, text: str) -> frozenset[str]:
    """Return the words that distinguish one kind from another."""
    if not reading.language.space:
        return frozenset(reading.language.relations.content(text))
    words = frozenset(map(singular, re.findall("[a-z]+", text.lower()))) - COMMON
    return frozenset(_SAME.get(word, word) for word in words)
