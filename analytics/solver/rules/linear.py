"""Linear equations between unknown numbers, solved exactly; the results are trees over the problem's slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from analytics.expression.evaluate import constant_label, is_slot
from analytics.expression.tree import ExpressionTree

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
