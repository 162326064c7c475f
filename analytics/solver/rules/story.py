"""The content of a story: its quantities by name, the linear equations between them, and the quantity asked for.

The equations are solved exactly; the results are trees over the problem's slots.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce

from analytics.expression.evaluate import constant_label, is_slot
from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import NumberKind
from analytics.solver.rules.reading import Reading
from analytics.text.units import find_units

Name = tuple[str, str]
"""Name of an unknown number."""


class Contradiction(Exception):
    """The statements of a story cannot all be true."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A known number: its value, and the tree that computes it.

    Attributes:
        value: exact; may be negative.
        tree: computes the absolute value, so that no step needlessly shows a negative number.
    """

    value: Fraction
    tree: ExpressionTree

    @classmethod
    def of(cls, value: int | Fraction) -> Amount:
        """Return a number that does not come from the problem."""
        return cls(Fraction(value), ExpressionTree(constant_label(abs(Fraction(value)))))

    @property
    def is_constant(self) -> bool:
        """Whether it contains no number of the problem."""
        return not any(map(is_slot, self.tree.leaves()))

    def __neg__(self) -> Amount:
        return Amount(-self.value, self.tree)

    def __add__(self, other: Amount) -> Amount:
        value = self.value + other.value
        if (self.is_constant and other.is_constant) or (value == 0 and self.tree == other.tree):
            return Amount.of(value)
        if other.value == 0 and other.is_constant:
            return self
        if self.value == 0 and self.is_constant:
            return other
        if (self.value < 0) == (other.value < 0):
            return Amount(value, self.tree + other.tree)
        larger, smaller = (self, other) if abs(self.value) >= abs(other.value) else (other, self)
        return Amount(value, larger.tree - smaller.tree)

    def __sub__(self, other: Amount) -> Amount:
        return self + -other

    def __mul__(self, other: Amount) -> Amount:
        value = self.value * other.value
        if value == 0 or (self.is_constant and other.is_constant):
            return Amount.of(value)
        if abs(other.value) == 1 and other.is_constant:
            return Amount(value, self.tree)
        if abs(self.value) == 1 and self.is_constant:
            return Amount(value, other.tree)
        return Amount(value, self.tree * other.tree)

    def __truediv__(self, other: Amount) -> Amount:
        value = self.value / other.value
        if self.is_constant and other.is_constant:
            return Amount.of(value)
        if abs(other.value) == 1 and other.is_constant:
            return Amount(value, self.tree)
        if other.tree.label == "/" and other.tree.children[0].label == "1":
            return Amount(value, self.tree * other.tree.children[1])
        if other.is_constant and abs(other.value.numerator) == 1:
            return Amount(value, self.tree * Amount.of(1 / other.value).tree)
        return Amount(value, self.tree / other.tree)


ZERO, ONE = Amount.of(0), Amount.of(1)


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear combination of unknown numbers plus a known number.

    Attributes:
        terms: coefficient of each unknown.
        rest: the known number.
    """

    terms: Mapping[Name, Amount] = field(default_factory=dict)
    rest: Amount = ZERO

    @classmethod
    def unknown(cls, name: Name) -> Linear:
        """Return an unknown number."""
        return cls({name: ONE})

    @classmethod
    def known(cls, amount: Amount | int) -> Linear:
        """Return a known number."""
        return cls({}, amount if isinstance(amount, Amount) else Amount.of(amount))

    def __add__(self, other: Linear) -> Linear:
        terms = dict(self.terms)
        for name, amount in other.terms.items():
            terms[name] = terms[name] + amount if name in terms else amount
        return Linear({name: each for name, each in terms.items() if each.value != 0}, self.rest + other.rest)

    def __sub__(self, other: Linear) -> Linear:
        return self + other.times(Amount.of(-1))

    def times(self, factor: Amount) -> Linear:
        """Return the sum multiplied by a factor."""
        return Linear(
            {name: amount * factor for name, amount in self.terms.items() if factor.value != 0}, self.rest * factor
        )

    def with_value(self, name: Name, value: Linear) -> Linear:
        """Return the sum with a value substituted for an unknown."""
        if name not in self.terms:
            return self
        others = {each: amount for each, amount in self.terms.items() if each != name}
        return value.times(self.terms[name]) + Linear(others, self.rest)

    def solved_for(self, name: Name) -> Linear:
        """Return the value of an unknown for which the sum is zero."""
        factor = self.terms[name]
        others = Linear({each: amount for each, amount in self.terms.items() if each != name}, self.rest)
        return Linear({each: -(amount / factor) for each, amount in others.terms.items()}, -(others.rest / factor))


def solve(equations: Iterable[Linear], asked: Linear) -> dict[Name, Amount] | None:
    """Return the values of the unknowns for which all sums are zero; None if one is undetermined.

    Args:
        equations: the sums.
        asked: its unknowns are eliminated last, unless that needs more divisions.

    Raises:
        Contradiction: no numbers make all sums zero.
    """
    pending, worth = list(equations), list[tuple[Name, Linear]]()
    while pending:
        if any(not sum_.terms and sum_.rest.value != 0 for sum_ in pending):
            raise Contradiction
        pending = [sum_ for sum_ in pending if sum_.terms]
        if not pending:
            break
        sum_ = min(pending, key=lambda each: (len(each.terms), bool(each.terms.keys() & asked.terms.keys())))
        name = min(
            sum_.terms,
            key=lambda each: (
                abs(sum_.terms[each].value) != 1 or not sum_.terms[each].is_constant,
                each in asked.terms,
            ),
        )
        value = sum_.solved_for(name)
        pending.remove(sum_)
        pending = [each.with_value(name, value) for each in pending]
        worth = [(each, other.with_value(name, value)) for each, other in worth]
        worth.append((name, value))
    known = {name: value.rest for name, value in worth if not value.terms}
    return known if known.keys() == {name for name, _value in worth} else None


NUMBER = re.compile(r"#(\d+)")
ONE_OF_TWO, OTHER_OF_TWO = ("one", ""), ("other", "")
NUMBER_SOUGHT, YEARS_LATER = ("number", ""), "later"


class NotRead(Exception):
    """A clause states something that cannot be turned into an equation."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A parsed clause.

    Attributes:
        kind: its kind in the language's table.
        parts: its words by their role in it.
        text: the clause; its numbers are ``#0``, ``#1``.
        time: its time, if different: 1 and the years until then, -1 and the years since then, 0 if
            an event gives the time.
        event: the clauses that give the time.
        asks: whether it is a question.
    """

    kind: str
    parts: dict[str, str]
    text: str = ""
    time: tuple[int, str] | None = None
    event: tuple[Clause, ...] = ()
    asks: bool = False


def total_of(parts: Iterable[Linear]) -> Linear:
    """Return the total of several linear sums."""
    return reduce(lambda total, part: total + part, parts, Linear())


class Story:
    """The quantities of a story, each identified by its owner and by what is counted or measured.

    Attributes:
        names: of the quantities, as the clauses call them.
        told: those that statements mention one by one.
        used: slots that give the number of quantities, or a time.
        equations: sums that are zero.
        difference: a difference of two quantities, and its size; the equations must decide which one is larger.
        asked: what is asked for: the sum of these, or the result of `pick`.
        pick: ``"difference"``, or the one of these that is asked for: ``"largest"``, ``"middle"``, ``"smallest"``.
        may_change: whether a quantity may change later in the story, or a pronoun may refer to somebody else.
    """

    def __init__(
        self, reading: Reading, amounts: Sequence[Amount], kept: dict[Name, Name], everyone: Sequence[tuple[str, str]]
    ) -> None:
        """Begin a story.

        Args:
            reading: the text.
            amounts: its numbers, in one unit.
            kept: shared name of each quantity; empty in the first pass, which collects the names.
            everyone: the quantities that "they" and "together" refer to; empty in the first pass.
        """
        self.words = reading.language.relations
        self.measured = {place for place, each in enumerate(reading.quantities) if each.unit is not None}
        kinds = [each.mention.kind for each in reading.quantities]
        self._percents = {place for place, kind in enumerate(kinds) if kind == NumberKind.PERCENT}
        self._fractions = {place for place, kind in enumerate(kinds) if kind == NumberKind.FRACTION}
        self.amounts, self.kept, self.everyone = amounts, kept, everyone
        self.names: list[tuple[str, str]] = []
        self.told: list[tuple[str, str]] = []
        self.used: set[str] = set()
        self.equations: list[Linear] = []
        self.difference: tuple[Linear, Linear] | None = None
        self.asked: list[Linear] = []
        self.pick = ""
        self.may_change = False
        self.subject = self.object = ("", "")  # what pronouns refer to
        self.shift = Linear()  # years from now to the clause's time
        self._actions: set[str] = set()
        self._measures: set[str] = set()

    def answer(self, *, is_count: bool) -> Amount | None:
        """Return the value asked for; None if the equations do not determine it, or if it is impossible.

        Args:
            is_count: whether things are counted, so that values must be whole.

        Raises:
            Contradiction: no quantities satisfy the story.
        """
        signs, found = (1, -1) if self.difference is not None else (1,), list[Amount | None]()
        for sign in signs:
            try:
                found.append(self._answer(sign, is_count=is_count))
            except Contradiction:
                continue
        if not found:
            raise Contradiction
        answers = [answer for answer in found if answer is not None]
        return answers[0] if len(answers) == 1 else None

    def _answer(self, sign: int, *, is_count: bool) -> Amount | None:
        asked = total_of(self.asked)
        open_one = [self.difference[0].times(Amount.of(sign)) - self.difference[1]] if self.difference else []
        worth = solve(self.equations + open_one, asked)
        if worth is None or not asked.terms or not asked.terms.keys() <= worth.keys():
            return None
        may_be_negative = (NUMBER_SOUGHT[0], YEARS_LATER)
        if any(amount.value < 0 for name, amount in worth.items() if name[0] not in may_be_negative):
            raise Contradiction
        values = []
        for each in self.asked:
            for name in each.terms:
                each = each.with_value(name, Linear.known(worth[name]))
            values.append(each.rest)
        if is_count and any(amount.value.denominator != 1 for amount in (*worth.values(), *values)):
            raise Contradiction
        answer = self._picked(values)
        return answer if answer is not None and answer.value >= 0 else None

    def _picked(self, values: list[Amount]) -> Amount | None:
        if self.pick == "difference":
            return values[0] - values[1]
        if not self.pick:
            return reduce(lambda total, amount: total + amount, values)
        if len({amount.value for amount in values}) != len(values) or len(values) < 2:
            return None
        values = sorted(values, key=lambda amount: amount.value)
        return values[{"largest": -1, "smallest": 0, "middle": len(values) // 2}[self.pick]]

    def same(self, left: Linear, right: Linear) -> None:
        """Add an equation."""
        self.equations.append(left - right)

    # Numbers

    def amount(self, words: str) -> Amount:
        """Return the number in the words, or the value of a word such as "twice"."""
        factor = self.words.FACTORS.get(words.strip().lower())
        return self.amounts[self._place(words)] if factor is None else Amount.of(factor)

    def amounts_in(self, words: str) -> list[Amount]:
        """Return all numbers in the words."""
        return [self.amounts[int(place)] for place in NUMBER.findall(words)]

    def _place(self, words: str) -> int:
        match = NUMBER.search(words)
        if match is None:
            raise NotRead
        return int(match[1])

    def added(self, parts: dict[str, str]) -> Linear:
        """Return a clause's number that is added to others; units and things are not mixed."""
        place = self._place(parts["n"])
        if place in self._percents:
            raise NotRead
        has_unit = place in self.measured or bool(find_units(parts.get("noun", "")))
        what = parts.get("c", "noun" if "noun" in parts else self.words.UNMEASURED)
        measure = "unit" if has_unit else what
        self._measures |= {measure} - {""}
        if len(self._measures) > 1:
            raise NotRead
        return Linear.known(self.amounts[place])

    def is_share(self, words: str) -> bool:
        """Return whether a number is a share, unlike the half in "half a metre"."""
        place = self._place(words)
        return place in self._percents or (place in self._fractions and place not in self.measured)

    # Names

    def quantity(self, name: tuple[str, str], *, is_told: bool = True) -> Linear:
        """Return a quantity at the time of the clause."""
        self.names.append(name)
        if is_told:
            self.told.append(name)
        return Linear.unknown(self.kept.get(name, name)) + self.shift

    def name(self, words: str, thing: str = "") -> tuple[str, str]:
        """Return what a noun phrase names; a pronoun refers to what was mentioned before."""
        if words.lower() in self.words.PRONOUNS:
            spoken = self.object if words.lower() in self.words.WHO else self.subject
            return spoken[0], thing or spoken[1]
        owner, own_thing = self.words.name_of(words)
        return owner, own_thing or thing

    def thing(self, parts: dict[str, str]) -> str:
        """Return what a clause counts or measures: by its noun, otherwise by its adjective or verb."""
        noun = parts.get("noun", "") or parts.get("noun2", "")
        found = (self.words.attribute(parts.get(part, "")) for part in ("more", "verb", "adj"))
        return self.words.thing_of(noun) or next(filter(None, found), "")

    def is_done(self, verb: str) -> bool:
        """Return whether a statement mentioned the same action, or the verb is not an action."""
        return not self.words.action(verb) or self.words.action(verb) in self._actions

    def act(self, parts: dict[str, str]) -> None:
        """Record the action: what one has and what another sold are not compared."""
        self._actions |= {self.words.action(parts["verb"])} if "verb" in parts else set()
        self.may_change |= len(self._actions) > 1
        if len(self._actions - {""}) > 1:
            raise NotRead

    def all_of(self, thing: str = "") -> list[Linear]:
        """Return the quantities of the story, or those of a thing."""
        names = [name for name in self.everyone if not thing or name[1] in (thing, "")] or self.everyone
        return [Linear.unknown(name) + self.shift for name in names]

    def listed(self, words: str, thing: str = "") -> list[Linear]:
        """Return the quantities that a list names: all of the story's for "they", two for "two numbers"."""
        if words and (match := self.words.TWO_NUMBERS.fullmatch(words)):
            if match["count"]:
                self.used.add(self.amount(match["count"]).tree.label)
            if self.everyone and set(self.everyone) != {ONE_OF_TWO, OTHER_OF_TWO}:
                return self.counted(match["count"] or "", self.all_of())
            if not self.everyone and self.told and ONE_OF_TWO not in self.told:
                return []  # they have names
            return [self.quantity(ONE_OF_TWO), self.quantity(OTHER_OF_TWO)]
        if not words or self.words.EVERYONE.fullmatch(words):
            return self.counted(words, self.all_of(thing))
        return [self.quantity(self.name(each, thing)) for each in self.words.listed(words)]

    def counted(self, words: str, quantities: list[Linear]) -> list[Linear]:
        """Return the quantities if there are as many as the words state."""
        for count in self.amounts_in(words):
            self.used.add(count.tree.label)
            if self.everyone and count.value != len(quantities):
                raise NotRead
        return quantities

    def is_whole(self, name: tuple[str, str], names: Iterable[tuple[str, str]]) -> bool:
        """Return whether something is the total of others: children of boys and girls, books of two kinds."""
        whole = name[1] or name[0]
        parts = {each[1] or each[0] for each in names} - {whole}
        if len(parts) < 2:
            return False
        if whole in self.words.PEOPLE:
            return all(any(part.endswith(each) for each in self.words.PEOPLE_PARTS) for part in parts)
        return whole in self.words.WHOLES or all(part.endswith(f" {whole}") for part in parts)
