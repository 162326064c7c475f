"""A solver's output: equations with their values, the steps in words, and why a problem cannot be solved.

Torch-free: pages, commands and jobs depend on this module; `analytics.solver.served` loads an implementation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from analytics.expression.evaluate import (
    EvaluationError,
    constant_label,
    evaluate,
    evaluate_float,
    fill_slots,
    is_slot,
    slot_index,
)
from analytics.expression.tree import ExpressionTree, from_prefix, to_infix
from analytics.records import ProblemRecord
from analytics.solver.beam import Hypothesis
from analytics.solver.targets import SolverExample, Vocabulary
from analytics.solver.unanswerable import unanswerable_reason
from analytics.text.number_slots import NumberSlot
from analytics.text.numbers import find_numbers
from analytics.text.question_layout import text_blocks
from analytics.text.question_tasks import asks_nothing

LONGEST_TEXT = 10_000  # characters; no word problem is that long, and reading more takes time
MOST_NUMBERS = 50
SEVERAL_REASON = "It asks several questions, but the solver answers only one: paste one part with its text."
SIGNED_REASON = "The problem has a negative number, which the solver cannot compute with."
CERTAIN_ENOUGH = 0.5
"""Probability from which a solution is shown without reservation and counts as the question's computation."""

_LARGEST = 10**60  # largest numerator or denominator of a number in the text
_LARGE, _SMALL = 1e15, 1e-3  # numbers outside this range are shown with an exponent if necessary


_LAST_STEPS = {
    "up": "rounded up",
    "down": "rounded down",
    "nearest": "rounded",
    "remainder": "leaves a remainder",
    "clock": "minutes as a time of day",
    "period": "minutes in hours and minutes",
    "percent": "as a percentage",
}


@dataclass(frozen=True, slots=True)
class Solution:
    """An equation for a problem.

    Attributes:
        tokens: operators, slots and constants in pre-order, e.g. ``("*", "N0", "-", "1", "N1")``.
        terms: the same with the problem's numbers instead of the slots: ``("*", "80", "-", "1", "0.25")``.
        prototype: the tokens in infix: ``"N0*(1-N1)"``.
        equation: the terms in infix: ``"80*(1-0.25)"``.
        value: value of the equation; None if it has none (it divides by zero).
        exact: the value as a whole number, a short decimal or a fraction (``"7/3"``); empty if there is no
            value, or `value` approximates a root.
        probability: probability that this equation gives the right answer, in 0..1; for an uncalibrated
            model, the model's probability of exactly this tree.
        rounding: how `value` and `exact` are derived from the equation's value: rounded ``"up"``, ``"down"``
            or to the ``"nearest"`` whole number, rounded as instructed (``"to 2 decimal places"``), or the
            ``"remainder"`` of its division; or the format of `written`: a time of day (``"clock"``), hours
            and minutes (``"period"``), a ``"percent"``; otherwise empty.
        written: the answer as people write it, if it differs from the plain value: ``"2:15 pm"``; otherwise
            empty.
        rule: the kind of problem that a rule recognised (`analytics.solver.rules`); otherwise empty.
        twin: id of a solved problem with the same text except for numbers, which the equation comes from;
            otherwise empty.
        said: what is done with the text's numbers before the computation, in words: ``"In order: 3, 9, 14."``
    """

    tokens: tuple[str, ...]
    terms: tuple[str, ...]
    prototype: str
    equation: str
    value: float | None
    exact: str
    probability: float
    rounding: str = ""
    written: str = ""
    rule: str = ""
    twin: str = ""
    said: str = ""

    @property
    def answer(self) -> str:
        """The value for display: a fraction also as a decimal, ``≈ 1.41421`` for a root; empty if there is none."""
        if self.written:
            return self.written
        shown = shown_value(self.value, self.exact)
        return f"{shown} ≈ {decimal_text(self.value)}" if self.value is not None and "/" in shown else shown

    @property
    def quotient(self) -> float | None:
        """The equation's value before rounding."""
        return _value(from_prefix(self.terms))[0] if self.rounding else self.value


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a solution.

    Attributes:
        left, right: the operands as numbers: of the text, constants, or results of earlier steps. Rounding
            has only a left operand; a statement in words is the left operand of a step without further
            fields.
        operator: one of ``+ - * / ^``; for the last step, what it does with the value (`Solution.rounding`);
            or ``"said"``.
        result: the result as a whole number, a short decimal or a fraction; ``"≈ 1.41421"`` if a root is
            approximated; empty if there is none, which ends the steps.
        node: index of the operation in the solution's tokens.
    """

    left: str
    operator: str
    right: str
    result: str
    node: int

    @property
    def words(self) -> str:
        """What the last step does with the value, to be read after it; empty for an operation."""
        return f"rounded {self.operator}" if self.operator[:3] == "to " else _LAST_STEPS.get(self.operator, "")

    def __str__(self) -> str:
        if self.operator == "said":
            return self.left
        if self.operator == "remainder":
            return f"remainder of {self.left} = {self.result}"
        if self.words:
            return f"{self.left} {self.words} = {self.result}"
        return f"{self.left} {self.operator} {self.right} = {self.result}"


class ProblemSolver(Protocol):
    """Anything that solves word problems. Implementations are thread-safe."""

    name: str

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """Return up to `beam` solutions of each problem, in the given order.

        Those with a value come first, ordered by probability within each group; but if the most probable of
        all divides by a number in the text that is 0, it comes first. The list of a problem that cannot be
        solved is empty; `unsolvable_reason` returns why. The problems' equations and answers are ignored.
        """

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        """Return in one sentence why a problem cannot be solved; empty if it can be tried."""


def solution_of(tokens: Sequence[str], values: Sequence[Fraction], probability: float) -> Solution:
    """Build a solution from a tree of tokens.

    >>> solution = solution_of(["*", "N0", "-", "1", "N1"], [Fraction(80), Fraction(1, 4)], 0.9)
    >>> solution.equation, solution.value, solution.exact
    ('80*(1-0.25)', 60.0, '60')

    Args:
        tokens: in pre-order.
        values: values of the problem's slots.
        probability: probability of this solution.

    Raises:
        DataError: the tokens do not form a complete tree, or a slot has no value.
    """
    tree = from_prefix(tokens)
    filled = fill_slots(tree, values)
    value, exact = _value(filled)
    return Solution(
        tokens=tuple(tokens),
        terms=tuple(constant_label(values[slot_index(token)]) if is_slot(token) else token for token in tokens),
        prototype=to_infix(tree),
        equation=to_infix(filled),
        value=value,
        exact=exact,
        probability=probability,
    )


def alternatives(example: SolverExample, trees: Sequence[Hypothesis], vocabulary: Vocabulary) -> list[Solution]:
    """Return the solutions of trees: those with a value first, each group by probability.

    Trees that differ only in which of two equal numbers they use are merged into one solution; their
    probabilities add up. If the most probable divides by a number in the text that is 0, it stays first: the
    problem has no answer.
    """
    merged: dict[tuple[str, ...], Solution] = {}
    for tree in trees:
        tokens = [vocabulary.token(candidate) for candidate in tree.candidates]
        solution = solution_of(tokens, example.values, math.exp(tree.log_probability))
        if solution.terms in merged:
            first = merged[solution.terms]
            solution = replace(first, probability=min(1.0, first.probability + solution.probability))
        merged[solution.terms] = solution
    ranked = sorted(merged.values(), key=lambda solution: -solution.probability)
    impossible = ranked[:1] if ranked and divides_by_zero(ranked[0]) else []
    return impossible + sorted(ranked[len(impossible) :], key=lambda solution: solution.value is None)


def divides_by_zero(solution: Solution) -> bool:
    """Return whether a solution divides by a number in the text that is 0.

    >>> divides_by_zero(solution_of(["/", "N0", "N1"], [Fraction(8), Fraction(0)], 0.9))
    True
    """
    places = zip(solution.tokens, solution.terms, strict=True)
    zeros = {token for token, term in places if is_slot(token) and term == "0"}

    def divides(node: ExpressionTree) -> bool:
        if node.is_number:
            return False
        by_zero = node.label == "/" and node.children[-1].label in zeros
        return by_zero or any(divides(child) for child in node.children)

    return bool(zeros) and divides(from_prefix(solution.tokens))


def solution_steps(solution: Solution) -> list[Step]:
    """Return the operations of a solution in order of evaluation; empty for a single number.

    >>> solution = solution_of(["*", "N0", "-", "1", "N1"], [Fraction(80), Fraction(1, 4)], 0.9)
    >>> [str(step) for step in solution_steps(solution)]
    ['1 - 0.25 = 0.75', '80 * 0.75 = 60']
    """
    steps = [Step(solution.said, "said", "", "", 0)] if solution.said else []

    def work_out(node: ExpressionTree, place: int) -> tuple[str, int]:
        """Return the node's number in words, and the index after its last token."""
        if node.is_number:
            return node.label, place + 1
        left, middle = work_out(node.children[0], place + 1)
        right, end = work_out(node.children[1], middle)
        if not left or not right:  # an earlier step has no result
            return "", end
        value, exact = _value(node)
        result = shown_value(value, exact)
        steps.append(Step(left, node.label, right, result, place))
        return result, end

    work_out(from_prefix(solution.terms), 0)
    if solution.rounding and (quotient := solution.quotient) is not None:
        is_remainder = solution.rounding == "remainder"
        left = f"{steps[-1].left} ÷ {steps[-1].right}" if is_remainder else decimal_text(quotient)
        steps.append(Step(left, solution.rounding, "", solution.written or solution.exact, 0))
    return steps


def text_reason(text: str) -> str:
    """Return why a text cannot be a problem, checked before it is parsed; empty if it can.

    >>> text_reason("  ")
    'The problem has no text.'
    """
    if not text.strip():
        return "The problem has no text."
    if len(text) > LONGEST_TEXT:
        return f"The problem has {len(text):,} characters; the solver reads at most {LONGEST_TEXT:,}."
    return ""


def story_reason(text: str, *, reads_signs: bool = False) -> str:
    """Return why no equation can answer a readable text; empty if one may.

    Args:
        reads_signs: whether the solver has learned to handle negative numbers.

    >>> story_reason("Ann has 5 pens. She buys 2.")
    'The text does not ask a question.'
    """
    if asks_nothing(text):
        return "The text does not ask a question."
    if asks_several(text):
        return SEVERAL_REASON
    if reason := unanswerable_reason(text):
        return reason
    if not reads_signs and any(mention.signed < 0 for mention in find_numbers(text)):
        return SIGNED_REASON
    return ""


def asks_several(text: str) -> bool:
    """Return whether a text lists two or more questions, each with its own label.

    >>> asks_several("A pen costs 3 euros. (a) What do 4 cost? (b) How many can you buy for 15 euros?")
    True
    >>> asks_several("Ann has (a) 3 red pens and (b) 4 blue ones. How many pens has she?")
    False
    """
    lists = (block.parts for block in text_blocks(text) if block.kind == "parts")
    return any(sum(not asks_nothing(part) for _label, part in parts) > 1 for parts in lists)


def numbers_reason(slots: Sequence[NumberSlot]) -> str:
    """Return why a problem with these number slots cannot be solved; empty if it can.

    >>> from analytics.text.number_slots import number_slots
    >>> numbers_reason(number_slots("How many pens?")), numbers_reason(number_slots("3 pens"))
    ('The problem has no number to compute with.', '')
    """
    if not slots:
        return "The problem has no number to compute with."
    if len({slot.start for slot in slots}) > MOST_NUMBERS:
        return f"The problem has more than {MOST_NUMBERS} numbers."
    if any(max(slot.value.numerator, slot.value.denominator) > _LARGEST for slot in slots):
        return "A number in the problem has too many digits to compute with."
    return ""


def shown_value(value: float | None, exact: str) -> str:
    """Format a value for display: exactly if known, otherwise approximately; empty if there is none.

    >>> shown_value(2 / 3, "2/3"), shown_value(2**0.5, ""), shown_value(None, "")
    ('2/3', '≈ 1.41421', '')
    """
    return exact or ("" if value is None else f"≈ {decimal_text(value)}")


def decimal_text(value: float) -> str:
    """Format a number with about six digits, but at least two after the point and all before it.

    >>> decimal_text(2**0.5), decimal_text(12345.678), decimal_text(1e7 / 3), decimal_text(24.0)
    ('1.41421', '12345.68', '3333333.33', '24')
    """
    size = abs(value)
    if size >= _LARGE or 0 < size < _SMALL:
        return f"{value:.6g}"
    decimals = max(2, 6 - len(str(int(size)).lstrip("0")))
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".")


def _value(tree: ExpressionTree) -> tuple[float | None, str]:
    """Return the value of a tree, and its exact form if it is exact."""
    try:
        value = evaluate(tree)
        return float(value), constant_label(value)
    except OverflowError:
        return None, ""
    except EvaluationError:
        pass
    try:
        return evaluate_float(tree), ""
    except EvaluationError:
        return None, ""
