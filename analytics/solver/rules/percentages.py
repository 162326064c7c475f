"""Percentages of a number, percentage changes, and parts of a whole in a given ratio."""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from analytics.expression.tree import ExpressionTree
from analytics.language.en.words import singular
from analytics.language.mentions import NumberKind
from analytics.languages import language_of
from analytics.solver.rules.lists import sum_of
from analytics.solver.rules.reading import (
    Quantity,
    Reading,
    RuleAnswer,
    asked_unit,
    constant,
    conversion_factor,
    scaled,
    when,
)
from analytics.text.numbers import RATIO

_ASKS_SHARE = re.compile(
    r"\bwhat (?:percent|per cent|percentage|%)|\bin per ?cent\b|\bas a percentage\b", re.IGNORECASE
)
_PART_OF = re.compile(
    r"<(?P<part>\d)> (?:(?:out )?of|in) (?:(?:the|his|her|their|its|a total of|these|those) )?<(?P<whole>\d)>"
    r"|(?:\bof (?:the|his|her|their|its|these)|\bout of|\bin an? [a-z ]{3,30}? (?:of|with)|\bthere are|\bhas|\bhad) <(?P<first>\d)>[^<?]{2,70}?"
    r"<(?P<then>\d)>(?! more| less| fewer)",
    re.IGNORECASE,
)
_OF_PER_CENT = frozenset("percent percentage cent score mark result did get whole".split())
_NO_PART = re.compile(
    r"\b(?:increas\w+|decreas\w+|reduc\w+|change[sd]?|profit|loss|discount|off|more|less|fewer|wrong|not|miss\w+|left|remain\w*"
    r"|rest|others?|absent|didn['’]t|don['’]t|empty|without|cheaper|grew|rose|fell|each|every|per|twice|half|another|again)\b|%",
    re.IGNORECASE,
)


@when(2, only="en", asks=_ASKS_SHARE, unless=_NO_PART)
def percent_of_whole(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "18 of the 24 pupils have a pet. What percentage is that?", "In a class of 32, 12 come by bus. ..."."""
    found = list(_PART_OF.finditer(reading.marked))
    if len(found) != 1 or len({each.unit_name for each in quantities}) > 1:
        return None
    match = found[0]
    part, whole = (quantities[int(match[name])] for name in (("part", "whole") if match["part"] else ("then", "first")))
    content = reading.language.relations.content
    asked = content(reading.asked) - content(reading.clause_around(whole)) - _OF_PER_CENT
    is_named = not asked or asked & content(reading.clause_around(part))
    is_part = 0 < part.value < whole.value and whole is not part
    return RuleAnswer(part.tree / whole.tree * constant(100)) if is_part and is_named else None


_BY_SHARE = re.compile(
    r"\b(?P<up>increase[ds]?|grows?|grew|rises?|rose|raised|went up|goes up)\b"
    r"|\b(?P<down>decrease[ds]?|reduced?|reduces|falls?|fell|drops?|dropped"
    r"|lowered|lost|loses|went down|discount(?:ed)?|off|marked down|cheaper)\b",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"\b(?:new|now|after(?:wards)?|sale price|final|does [^?]*\b(?:pay|cost)"
    r"|did [^?]*\bpay|will [^?]*\b(?:pay|cost))\b",
    re.IGNORECASE,
)
_NOT_NEW = re.compile(
    r"\b(?:extra|double[ds]?|original\w*|before|save[ds]?|by how|how much (?:more"
    r"|less|cheaper)|discount|increase|decrease|each|every|per|year(?:s|ly)?"
    r"|tax|tip|again|then"
    r"|percent(?:age)? of|interest|profit|both|another|two|half|old price|was \w+ before)\b",
    re.IGNORECASE,
)

_TO_SHARE = re.compile(r"\bto(?: (?:only|just|about))? $", re.IGNORECASE)


@when(2, only="en", asks=_NEW)
def changed_by_share(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the result of a number that grows or shrinks by a percentage, once."""
    shares = [each for each in quantities if each.mention.kind is NumberKind.PERCENT]
    if len(shares) != 1 or not 0 < shares[0].value < 1:
        return None
    whole = next(each for each in quantities if each is not shares[0])
    found = [match.lastgroup for match in _BY_SHARE.finditer(reading.text)]
    if len(found) != 1 or _NOT_NEW.search(reading.text.replace("discount of", "off")):
        return None
    if whole.mention.start > reading.text.rfind(reading.question) or re.search(
        r"\bof (?:them|these|those)\b", reading.text
    ):
        return None
    if _TO_SHARE.search(reading.text[: shares[0].start]):
        return None
    share = shares[0].tree
    return RuleAnswer(whole.tree * (constant(1) + share if found[0] == "up" else constant(1) - share))


_LESS = re.compile(r"便宜|优惠(?!后|价|卡)|节[约省]|省|少[花付用]|降")
_ORIGINAL = re.compile(r"原价|原来|定价|标价")
_NO_PRICE = re.compile(r"利息|按原价|可以买|[买卖]多少[^元]|%|再|每(?!件|本|套|台|个|只|双|支)")


def discounted_price(reading: Reading) -> RuleAnswer | None:
    """Answer for the price after 八折, the price before, or the saving, given another one of these."""
    quantities = reading.counted()
    discounts = [each for each in quantities if "折" in each.mention.text]
    prices = [each for each in quantities if each not in discounts]
    if len(discounts) != 1 or len(prices) != 1 or _NO_PRICE.search(reading.text):
        return None
    discount, price = discounts[0], prices[0]
    asked = re.split(r"[,，。；;：:]|．(?!\d)", reading.question)[-1]
    before = re.split("[,，。；;：:]", reading.text[: price.start])[-1]
    if not re.search("多少|几", asked) or (price.unit is not None and price.unit.dimension != "money"):
        return None
    rate, saved = discount.tree, constant(1) - discount.tree
    if _LESS.search(before):
        original = price.tree / saved
    elif _ORIGINAL.search(before) or price.start < discount.mention.start:
        original = price.tree
    else:
        original = price.tree / rate
    if _LESS.search(asked):
        return RuleAnswer(original * saved)
    if _ORIGINAL.search(asked):
        return None if original is price.tree else RuleAnswer(original)
    return RuleAnswer(original * rate)


_UP = re.compile(
    r"\b(?:increas\w+|rises?|risen|rose|rais(?:e[ds]?|ing)|gr[eo]w[ns]?|(?:go|goes|gone|went|price\w*|pay) up|up by"
    r"|higher|profit|gain(?:s|ed)?|mark-?up|marked up|includ\w+|inclusive|plus|tax|vat|tip|service charge|more)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:decreas\w+|reduc\w+|discount(?:ed|s)?|off|falls?|fell|fallen|drop(?:s|ped)?|lower(?:ed)?|lost|loss|cheaper|less"
    r"|fewer|marked down|cut|(?:went|goes|gone) down|down by|depreciat\w+)\b",
    re.IGNORECASE,
)
_ASKS_BEFORE = re.compile(
    r"\b(?:(?<!day )before|original\w*|normal\w*|usual\w*|regular\w*|full price|old|initial\w*|at first"
    r"|start(?:ed|ing)?|pre-\w+|last (?:year|month|week|season)|without|excluding|cost price|list price)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"{_ASKS_BEFORE.pattern}|\b(?:was|were|used to|bought|marked (?:price|at)|retail|each|per|every)\b", re.IGNORECASE
)
_AFTER = re.compile(
    r"\b(?:now|paid|pays?|paying|includ\w+|inclusive|sold|selling|sells|sale|new|after|reduced|discounted|becam?es?"
    r"|this (?:year|month|week)|today)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:save[ds]?|saving|how much (?:more|less|cheaper)|by how|difference|(?:percent(?:age)?|per cent) of the"
    r"|of (?:them|the (?:remain\w+|rest))|both|twice|double[ds]?|half|compound\w*|interest|approximately"
    r"|(?:is|are) at|extra|commission"
    r"|what percent\w*|each|every|or|evaporat\w+|mixture|alcohol|solution|during|speed|older)\b|(?:percent|%) of (?!the"
    r" (?:price|cost))",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\b(?:how (?:much|many)|what(?:'s)?|find|calculate|work out)\b", re.IGNORECASE)


def _split(quantities: list[Quantity]) -> tuple[list[Quantity], list[Quantity]]:
    shares = [each for each in quantities if each.mention.kind is NumberKind.PERCENT]
    return shares, [each for each in quantities if each not in shares]


def _factor(share: Quantity, words: str) -> ExpressionTree | None:
    """Return the factor by which a share changes a number, according to the words around the share."""
    is_up, is_down = _UP.search(words), _DOWN.search(words)
    if (is_up is None) == (is_down is None) or not 0 < share.value < 1:
        return None
    return constant(1) + share.tree if is_up else constant(1) - share.tree


def _asked_from(reading: Reading) -> int:
    """Return the offset of the words that ask."""
    begin = reading.text.rfind(reading.question)
    asked = list(_ASKED.finditer(reading.text, begin))
    return asked[-1].start() if asked else begin


@when(2, only="en", asks=_ASKS_BEFORE, unless=_OTHERWISE)
def before_change(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "After a 20% increase the rent is $960. What was it before?": one share, and the result."""
    shares, wholes = _split(quantities)
    if len(shares) != 1 or (factor := _factor(shares[0], reading.text)) is None:
        return None
    whole, asked = wholes[0], _asked_from(reading)
    clause = reading.clause_around(whole).partition(reading.text[asked : asked + 8])[0]
    is_after = shares[0].start < whole.start or _AFTER.search(clause) is not None
    is_after &= "percent" not in reading.text[asked:]
    if not is_after or whole.start > asked or not _ASKS_BEFORE.search(reading.text, asked):
        return None
    return None if _BEFORE.search(clause) else RuleAnswer(whole.tree / factor)


_PERCENT_CHANGE = re.compile(
    r"(?=.*(?:\bpercent|\bper cent\b|%))(?=.*\b(?:increase|decrease|change|discount|reduction|rise|rose|raise|drop|fall"
    r"|fell|grow|gr[eo]wn?|reduce|cheaper|(?:go|went|gone) (?:up|down))d?\b)",
    re.IGNORECASE,
)
_FROM_TO = re.compile(r"\bfrom <(?P<a>\d)>[^<.?]{0,25}\bto <(?P<b>\d)>", re.IGNORECASE)
_OVER = re.compile(r"\b(?:over|in|within|during|after) (?:the )?(?:past |last )?<(?P<time>\d)>", re.IGNORECASE)
_NO_CHANGE = re.compile(r"%|\b(?:each|every|ratio|half|twice|round\w*|nearest)\b", re.IGNORECASE)


@when(2, 3, only="en", asks=_PERCENT_CHANGE, unless=_NO_CHANGE)
def change_in_percent(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer by what percentage something changed from one number to another; a third number is the period."""
    first, last = quantities[0], quantities[-1]
    if match := _FROM_TO.search(reading.marked):
        first, last = quantities[int(match["a"])], quantities[int(match["b"])]
    else:
        clauses = [reading.clause_around(each) for each in (first, last)]
        is_change = any(pattern.search(clauses[0]) for pattern in (_AFTER, _UP, _DOWN))
        is_change |= re.search(r"\bby <", reading.marked) is not None
        if is_change or clauses[0] == clauses[1] or not _AFTER.search(clauses[1]):
            return None
    periods = [quantities[int(match["time"])] for match in _OVER.finditer(reading.marked)]
    others = [each for each in quantities if each is not first and each is not last]
    if any(each not in periods for each in others) or first.unit_name != last.unit_name or _split(quantities)[0]:
        return None
    change = last.tree - first.tree if last.value > first.value else first.tree - last.tree
    return RuleAnswer(change / first.tree * constant(100))


_AMOUNTS = (NumberKind.INTEGER, NumberKind.DECIMAL, NumberKind.SCALED)
_RATIO_WORDS = re.compile(r"\bratio\b|比|按", re.IGNORECASE)
_RATIO = re.compile(
    rf"{RATIO.pattern}|(?<=ratio )(?:of |is |was )?\d+ to \d+(?: to \d+)?"
    r"|(?:(?<=ratio of )|(?<= is ))\d+ to \d+(?: to \d+)?"
)
_WHOLE_ASKED = re.compile(r"\b(?:sum|total|combined|altogether|in all)\b|共|总|差|倍|之几", re.IGNORECASE)
_OTHER_RATIO = re.compile(
    r"速|相遇|效率|提高|体积|时间|天数|高的|半径|[AB][两、地站车]|比[^，。:：]{1,6}[多少]\D?\s?\d"
    r"|总长|减法|差数|万元|增加|减少|又|再|后来|\b(?:times|speeds?)\b"
)
_SUM = re.compile(
    r"\b(?:sum|total|totals|altogether|in all|together|share[ds]?|divided?|split"
    r"|mixed|made from|are there|there (?:are|were)|class|sold)\b"
    r"|和是|共|总|分[给成]?",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:more|fewer|less|difference|larger|greater|bigger|smaller|largest|smallest"
    r"|longer|shorter)\b|多多少|少多少|相差",
    re.IGNORECASE,
)


_MORE_GIVEN = re.compile(
    r"\b(?:more|fewer|less|longer|shorter|older|younger|taller)\b[^.]*\bthan\b|比[^，,：:∶\d是]{1,8}[多少]|相差",
    re.IGNORECASE,
)
_NOT_WHOLE = re.compile(
    r"\b(?:each|ratio|cost|percent\w*|fraction|left|remain\w*|per|worth|money|pay)\b|每|百分|几分|剩|倍|比",
    re.IGNORECASE,
)
_OTHER_ASKED = re.compile(r"速|面积|体积|时间|天数|周长|\b(?:area|volume|speed|perimeter)\b|百分|几分之|倍|差数")


@dataclass(frozen=True, slots=True)
class _Ratio:
    """A ratio and the one amount that a text gives.

    Attributes:
        parts: the numbers of the ratio.
        given: the amount.
        known: index of the part that the amount is; None for the whole or the difference of two parts.
        is_difference: whether the amount is a difference of two parts.
        asked: indices of the parts that the question names, except the known one.
    """

    reading: Reading
    parts: list[Quantity]
    given: Quantity
    known: int | None
    is_difference: bool
    asked: list[int]

    @property
    def trees(self) -> list[ExpressionTree]:
        return [part.tree for part in self.parts]

    @property
    def difference(self) -> ExpressionTree | None:
        """The larger of two parts minus the smaller; None if they are equal or there are three."""
        if len(self.parts) != 2 or self.parts[0].value == self.parts[1].value:
            return None
        smaller, larger = sorted(self.parts, key=lambda part: part.value)
        return larger.tree - smaller.tree

    @property
    def asks_more(self) -> bool:
        reading = self.reading
        return _MORE.search(reading.question if reading.language.space else reading.asked) is not None

    @property
    def asks_whole(self) -> bool:
        reading = self.reading
        if self.asked or _NOT_WHOLE.search(reading.asked):
            return False
        is_whole = re.search("[共全总]", reading.asked) is not None and "给" not in reading.text
        return bool(reading.language.space) or is_whole

    @property
    def asks_part(self) -> bool:
        return len(self.asked) == 1 and not _WHOLE_ASKED.search(self.reading.asked)

    @property
    def names_both(self) -> bool:
        """Whether there are two parts and both are named, by the question or with the amount."""
        return len(self.parts) == len(self.asked) + (self.known is not None) == 2

    @property
    def is_partly_given(self) -> bool:
        return self.known is not None or self.is_difference


_Case = tuple[str, Callable[[_Ratio], bool], Callable[[_Ratio], ExpressionTree | None]]
_GIVEN: tuple[_Case, ...] = (
    ("a difference", lambda ratio: ratio.is_difference, lambda ratio: ratio.difference),
    ("a part", lambda ratio: ratio.known is not None, lambda ratio: ratio.trees[ratio.known or 0]),
    ("the whole", lambda ratio: _SUM.search(ratio.reading.text) is not None, lambda ratio: sum_of(ratio.trees)),
)
_WANTED: tuple[_Case, ...] = (
    ("a difference", lambda ratio: ratio.asks_more, lambda ratio: ratio.difference if ratio.names_both else None),
    ("the whole", lambda ratio: ratio.asks_whole, lambda ratio: sum_of(ratio.trees) if ratio.is_partly_given else None),
    ("a part", lambda ratio: ratio.asks_part, lambda ratio: ratio.trees[ratio.asked[0]]),
)
"""What the amount is (`_GIVEN`) and what is asked for, in shares of the ratio. The first that applies counts."""


def _shares(cases: tuple[_Case, ...], ratio: _Ratio) -> ExpressionTree | None:
    return next((shares(ratio) for _name, applies, shares in cases if applies(ratio)), None)


def share_of_ratio(reading: Reading) -> RuleAnswer | None:
    """Answer for one part given the whole or another part, in a ratio of two or three."""
    ratio, wanted = _read_ratio(reading), asked_unit(reading)
    if ratio is None or _OTHER_ASKED.search(reading.asked):
        return None
    unit = ratio.given.unit_name
    factor = conversion_factor(unit, wanted) if unit and wanted else Fraction(1)
    given_shares, wanted_shares = _shares(_GIVEN, ratio), _shares(_WANTED, ratio)
    if factor is None or given_shares is None or wanted_shares is None:
        return None
    return RuleAnswer(scaled(ratio.given.tree / given_shares * wanted_shares, factor))


def _read_ratio(reading: Reading) -> _Ratio | None:
    """Return the only ratio of a text, with names for its parts, and the only other amount."""
    found = list(_RATIO.finditer(reading.text))
    if len(found) != 1 or not _RATIO_WORDS.search(reading.text):
        return None
    if _OTHER_RATIO.search(reading.text.replace(reading.asked, "")):
        return None
    parts = [each for each in reading.quantities if found[0].start() <= each.mention.start < found[0].end()]
    others = [each for each in reading.counted() if each not in parts and each.mention.text not in ("两", "二", "三")]
    names = _names_of_parts(reading, len(parts))
    if len(others) != 1 or names is None or others[0].mention.kind not in _AMOUNTS:
        return None
    given, clause = others[0], reading.clause_around(others[0])
    is_difference = _MORE_GIVEN.search(clause) is not None and clause != reading.question
    known = None if is_difference else _part_given(reading, given, names)
    asked = [place for place, name in enumerate(names) if place != known and _names(name, reading.asked)]
    return _Ratio(reading, parts, given, known, is_difference, asked)


def _names_of_parts(reading: Reading, count: int) -> list[str] | None:
    for match in reading.language.words.NAMES_IN_RATIO.finditer(reading.text):
        names = [name.lower() for name in match.groups() if name]
        names = names[-count:] if match.re.groupindex.get("last") and match["last"] else names
        names = [name[-1] if name[-1] in "甲乙丙" else name for name in names]
        if len(names) == count and len(set(map(singular, names))) == count:
            return names
    return None


def _names(name: str, text: str) -> bool:
    if not language_of(name).space:
        return name in text
    return any(singular(word) == singular(name) for word in re.findall(r"[\w']+", text.lower()))


_OF_ALL = re.compile(
    r" of (?:the |this )?(?:drink|mixture|mix|squash mix|solution|whole|concrete|mortar|total|blend|alloy)\b",
    re.IGNORECASE,
)


def _part_given(reading: Reading, given: Quantity, names: list[str]) -> int | None:
    """Return the index of the part that a number counts: by the noun after it, or by the names in its clause."""
    by_noun = [place for place, name in enumerate(names) if singular(given.noun) == singular(name)]
    if len(by_noun) == 1:
        others = "|".join(re.escape(name) for place, name in enumerate(names) if place != by_noun[0])
        is_of_all = re.search(rf"{given.noun} and (?:the )?(?:{others})\b", reading.text[given.start :], re.IGNORECASE)
        return None if is_of_all else by_noun[0]
    if _OF_ALL.match(reading.text, given.end):
        return None
    clause = reading.clause_around(given)
    if clause == reading.question and reading.language.space:
        clause = (
            clause[: clause.find(given.mention.text)] if not re.search(r"\b(?:for|with|when|if)\b", clause) else clause
        )
    in_clause = [place for place, name in enumerate(names) if _names(name, clause)]
    return in_clause[0] if len(in_clause) == 1 and not _SUM.search(clause) else None
