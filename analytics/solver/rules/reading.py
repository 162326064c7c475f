"""A word problem as rules read it: numbers with their units, conversions, its question, equations over its slots."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, wraps

from analytics.errors import DataError
from analytics.expression.evaluate import constant_label
from analytics.expression.tree import ExpressionTree
from analytics.language.contract import Language
from analytics.language.mentions import NumberKind, NumberMention, unit_dimension
from analytics.languages import language_of
from analytics.text.number_slots import number_slots
from analytics.text.numbers import find_numbers
from analytics.text.units import UnitMention, convert_quantity, find_units

_SENTENCE_END = re.compile(r"(?<![ap]\.m)(?<!\b[A-Z])[.?!](?=\s|$)|[。？！]|[\n]")
_CLAUSE_END = re.compile(r"[.?!,;](?=\s|$)|[。？，；]")
_ASKS = re.compile(r"\b(?:how|what|find|calculate|which|when|convert)\b|[?？]|多少|几|什么", re.IGNORECASE)
_LAST_CLAUSE = re.compile(r"[,，；](?! in [a-z/ ]+(?:,|$))(?! (?:altogether|in all|in total)$)(?=\D|$)")
_ANYTHING, _NOTHING = re.compile(""), re.compile("(?!)")
_ASCII_MARK = re.compile(r"(?<=[\u4e00-\u9fff])(?:[,?!;:]|\.(?!\d))|[,?!;:](?=[\u4e00-\u9fff])")
_OF_NAME = re.compile(r"[A-Z]\b")
_CHINESE_MARKS = str.maketrans(",?!;:.", "，？！；：。")
_NOUN = re.compile(r"[\s-]*(?:more |of |the |each |full |such |these |of the )*(?P<noun>[A-Za-z]+)")


@dataclass(frozen=True, slots=True)
class RuleAnswer:
    """The answer of a rule.

    Attributes:
        tree: the equation over the problem's slots.
        rounding: how the last step rounds the quotient, as in `Solution.rounding`.
        written: the answer as people write it, if that is not just the value: a time of day.
        said: operations that the equation does not express, in words.
        value: what the last step makes of the equation's value; None if the equation's value is the answer.
    """

    tree: ExpressionTree
    rounding: str = ""
    written: str = ""
    said: str = ""
    value: Fraction | None = None


Answer = RuleAnswer | None


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of the problem with its unit.

    Attributes:
        mention: the number in the text.
        tree: its slot, or an expression that gives the slot its sign.
        unit: the unit after it, or the currency sign before it; None if there is none.
        noun: the next word after number and unit, in lower case; empty if there is none.
    """

    mention: NumberMention
    tree: ExpressionTree
    unit: UnitMention | None
    noun: str

    @property
    def value(self) -> Fraction:
        """The number with its sign."""
        return self.mention.signed

    @property
    def unit_name(self) -> str:
        """Pint's name for the unit; empty if there is none."""
        return self.unit.unit if self.unit is not None else ""

    @property
    def start(self) -> int:
        """Its offset, including a currency sign."""
        is_before = self.unit is not None and self.unit.start < self.mention.start
        return self.unit.start if self.unit is not None and is_before else self.mention.start

    @property
    def end(self) -> int:
        """Its end offset, including the unit."""
        return max(self.mention.end, self.unit.end if self.unit is not None else 0)


class Reading:
    """A problem's text, parsed once for all rules.

    Attributes:
        text: the problem, with Chinese punctuation between Chinese words; offsets are unchanged.
    """

    def __init__(self, text: str) -> None:
        self.text = _ASCII_MARK.sub(lambda mark: mark[0].translate(_CHINESE_MARKS), text)

    @cached_property
    def sentences(self) -> list[str]:
        """The sentences, without their final punctuation."""
        return [part.strip() for part in _SENTENCE_END.split(self.text) if part.strip()]

    @cached_property
    def question(self) -> str:
        """The last sentence that asks something; otherwise the last sentence."""
        asking = [sentence for sentence in self.sentences if _ASKS.search(sentence)]
        return (asking or self.sentences or [""])[-1]

    @cached_property
    def asked(self) -> str:
        """The clause that asks: what follows the question's last comma, except for a unit: "How far is it, in km"."""
        return _LAST_CLAUSE.split(self.question)[-1].strip()

    @cached_property
    def story(self) -> str:
        """The text before the clause that asks; the whole text if there is nothing before it."""
        return self.text[: self.text.rfind(self.asked)] or self.text

    @cached_property
    def language(self) -> Language:
        """The language identified by the marks in the text."""
        return language_of(self.text)

    @cached_property
    def units(self) -> list[UnitMention]:
        """The units of the text."""
        return find_units(self.text)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The numbers of the text in order, each with the slot of its value."""
        places = [place for place, slot in enumerate(number_slots(self.text)) if slot.reading == "value"]
        return [
            self._quantity(mention, place)
            for mention, place in zip(find_numbers(self.text, with_indefinite=True), places, strict=True)
        ]

    @cached_property
    def marked(self) -> str:
        """The text with counted numbers and their units replaced by ``<0>``, ``<1>`` ...."""
        parts, end = [], 0
        for place, each in enumerate(self.counted()):
            parts += [self.text[end : each.start], f"<{place}>"]
            end = each.end
        return "".join((*parts, self.text[end:]))

    def _quantity(self, mention: NumberMention, place: int) -> Quantity:
        tree = ExpressionTree(f"N{place}")
        if mention.is_negative:
            tree = constant(0) - tree
        unit = next((each for each in self.units if self._belongs(each, mention)), None)
        after = max(mention.end, unit.end if unit is not None else 0)
        noun = _NOUN.match(self.text, after)
        return Quantity(mention, tree, unit, noun["noun"].lower() if noun else "")

    def _belongs(self, unit: UnitMention, mention: NumberMention) -> bool:
        if unit.end <= mention.start:
            return unit.dimension == "money" and not self.text[unit.end : mention.start].strip()
        return unit.start >= mention.end and self.text[mention.end : unit.start] in ("", " ", "-", "\u00a0", "个")

    def clause_around(self, quantity: Quantity) -> str:
        """Return the clause that contains a number: between commas and sentence ends."""
        marks = [0, *(match.end() for match in _CLAUSE_END.finditer(self.text)), len(self.text)]
        begin = max(mark for mark in marks if mark <= quantity.start)
        end = min(mark for mark in marks if mark >= quantity.end)
        return self.text[begin:end]

    def counted(self) -> list[Quantity]:
        """Return the numbers without words that only look like one ("one of", 一个) and without names (class 6A)."""
        return [
            quantity
            for quantity in self.quantities
            if not (quantity.mention.text.lower() in ("one", "一") and quantity.value == 1)
            and not (quantity.unit is None and _OF_NAME.match(self.text, quantity.end))
        ]

    def plain(self) -> list[Quantity]:
        """Return the numbers that are not part of a clock time, ratio or range."""
        inner = (NumberKind.CLOCK_TIME, NumberKind.RATIO_PART, NumberKind.RANGE_END)
        return [quantity for quantity in self.counted() if quantity.mention.kind not in inner]


def when(
    fewest: int,
    most: int = 0,
    *,
    only: str = "",
    asks: re.Pattern[str] = _ANYTHING,
    says: re.Pattern[str] = _ANYTHING,
    unless: re.Pattern[str] = _NOTHING,
) -> Callable[[Callable[[Reading, list[Quantity]], Answer]], Callable[[Reading], Answer]]:
    """Restrict a rule to texts that may fit it, and pass it their numbers.

    Args:
        fewest, most: how many numbers a text may have; exactly `fewest` if `most` is not given.
        only: code of the only language that the rule supports.
        asks, says, unless: patterns that the question must match, the text must match, and the text must not match.
    """

    def opened(rule: Callable[[Reading, list[Quantity]], Answer]) -> Callable[[Reading], Answer]:
        @wraps(rule)
        def answer(reading: Reading) -> Answer:
            quantities, text = reading.counted(), reading.text
            is_such = fewest <= len(quantities) <= (most or fewest) and only in ("", reading.language.code)
            may_fit = is_such and asks.search(reading.question) and says.search(text) and not unless.search(text)
            return rule(reading, quantities) if may_fit else None

        return answer

    return opened


def constant(value: int | Fraction) -> ExpressionTree:
    """Return the tree of a number that the problem does not contain."""
    return ExpressionTree(constant_label(Fraction(value)))


_EXACT = ({"second", "minute", "hour", "day", "week"}, {"month", "year", "decade_of_years", "century"})


def asked_unit(reading: Reading) -> str:
    """Return pint's name for the unit in which the question asks for a quantity; empty if it names none.

    >>> asked_unit(Reading("A pencil costs 35 cents. How many dollars do 20 pencils cost?"))
    'dollar'
    """
    return reading.language.units.asked_unit(reading.question)


def conversion_factor(unit: str, target: str) -> Fraction | None:
    """Return the exact factor from one unit to another; None if it is inexact or the dimensions differ."""
    if unit == target:
        return Fraction(1)
    try:
        if unit_dimension(unit) != unit_dimension(target):
            return None
        if unit_dimension(unit) == "time" and not any(unit in group and target in group for group in _EXACT):
            return None
        return convert_quantity(Fraction(1), unit, target).limit_denominator(10**6)
    except DataError:
        return None


def in_unit(quantity: Quantity, target: str) -> ExpressionTree | None:
    """Return a quantity in another unit as a tree; None if its unit does not convert into it."""
    factor = conversion_factor(quantity.unit_name, target) if quantity.unit is not None else None
    return None if factor is None else scaled(quantity.tree, factor)


def scaled(tree: ExpressionTree, factor: Fraction) -> ExpressionTree:
    """Return a tree multiplied by a factor, written as a division if that is by a whole number."""
    if factor == 1:
        return tree
    if factor > 1 or factor.numerator != 1:
        return tree * constant(factor)
    return tree / constant(1 / factor)


_OTHERWISE = re.compile(
    r"\b(?:each|every|per|cuts?|times|twice|half|more|less|left|remain\w*|both"
    r"|and a|another|total|together|a (?:day|week|month|year|minute|hour))\b"
    r"|每|剩|共|多长|倍|用|周长|体积|面积|边长|格|相差|older|younger|age",
    re.IGNORECASE,
)


@when(1, 2, unless=_OTHERWISE)
def converted_quantity(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "Tim is 5 feet 4 inches tall. How many inches tall is he?", "How many seconds are there in 3 hours?"."""
    target = asked_unit(reading)
    if not target:
        return None
    parts = [in_unit(quantity, target) for quantity in quantities]
    units = [quantity.unit.unit for quantity in quantities if quantity.unit is not None]
    if len(units) != len(quantities) or units == [target] or len(set(units)) != len(units):
        return None
    if len(parts) == 2 and not _stand_together(reading, quantities):
        return None
    tree = parts[0]
    for part in parts[1:]:
        tree = tree + part if tree is not None and part is not None else None
    return None if tree is None else RuleAnswer(tree)


def _stand_together(reading: Reading, quantities: list[Quantity]) -> bool:
    first, second = quantities
    return reading.text[first.end : second.start].strip() in ("", "and", ",", "零")
