"""A solver's targets: a problem's equation as operators, constants and number slots in pre-order.

Torch-free. Xie and Sun (IJCAI 2019); a number that occurs more than once in the text may be any of its slots,
and the loss accepts each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from analytics.errors import DataError
from analytics.expression.evaluate import (
    EvaluationError,
    answers_agree,
    binary_operators,
    evaluate_float,
    fill_slots,
    is_slot,
    slot_index,
    with_slots,
)
from analytics.expression.keys import graph_key
from analytics.expression.programs import calculations_tree, program_tree
from analytics.expression.tree import ExpressionTree, from_prefix, parse_expression, to_prefix
from analytics.records import ProblemRecord
from analytics.text.number_slots import NumberSlot, number_slots

OPERATORS = ("+", "-", "*", "/", "^")
"""Binary operators; signs and per cents are expressed with them."""


@dataclass(frozen=True, slots=True)
class SolverExample:
    """A problem as the solver's input and target.

    Attributes:
        problem: the problem that it was made from.
        slots: the readings of the text's numbers.
        tree: the target over slots and constants; None for a problem without an equation.
    """

    problem: ProblemRecord
    slots: tuple[NumberSlot, ...]
    tree: ExpressionTree | None = None

    @property
    def values(self) -> list[Fraction]:
        """Values of the slots, in order."""
        return [slot.value for slot in self.slots]

    @property
    def tokens(self) -> list[str]:
        """The target's labels in pre-order; empty if there is no target."""
        return [] if self.tree is None else to_prefix(self.tree)


def target_tree(equation: str, slots: Sequence[NumberSlot]) -> ExpressionTree:
    """Return an equation as a tree of binary operators over slots and constants.

    >>> from analytics.expression.tree import to_infix
    >>> to_infix(target_tree("80*(1-25%)", number_slots("25% off 80 dollars")))
    'N2*(1-N0)'

    Raises:
        DataError: the equation cannot be read.
    """
    tree = binary_operators(parse_expression(equation))
    return with_slots(tree, [slot.value for slot in slots])


def problem_graph_key(text: str, equation: str) -> str:
    """Return the key shared by problems with the same computation: `analytics.expression.keys.graph_key`.

    >>> problem_graph_key("3 pens at 4 dollars each?", "3*4") == problem_graph_key("5 rows of 6 chairs?", "6*5")
    True

    Returns:
        The key; empty if the equation cannot be parsed or computes nothing.
    """
    try:
        tree = target_tree(equation, number_slots(text))
    except DataError:
        return ""
    return "" if tree.is_number else graph_key(tree)


def solver_example(problem: ProblemRecord) -> SolverExample:
    """Return a problem with its slots, and with its target if its solution is known.

    The target is its equation; otherwise the calculations of its worked solution, or its program, as one
    tree, which must then evaluate to the published answer.

    Raises:
        DataError: the solution cannot be parsed, or does not give the answer.
    """
    slots = tuple(number_slots(problem.text))
    return SolverExample(problem, slots, _target(problem, slots))


def _target(problem: ProblemRecord, slots: Sequence[NumberSlot]) -> ExpressionTree | None:
    if problem.equation:
        return target_tree(problem.equation, slots)
    if problem.calculations:
        tree = calculations_tree(problem.calculations, [slot.value for slot in slots])
    elif problem.program:
        tree = program_tree(problem.program, problem.numbers)
    else:
        return None
    if problem.answer and not answers_agree(
        evaluate_float(tree), evaluate_float(ExpressionTree(problem.answer.replace(",", "")))
    ):
        raise DataError("The worked solution does not give the published answer.")
    return with_slots(binary_operators(tree), [slot.value for slot in slots])


def solver_examples(problems: Iterable[ProblemRecord], *, most_tokens: int | None = None) -> list[SolverExample]:
    """Return the problems with a valid equation of at most `most_tokens` tokens (None for no limit)."""
    examples = []
    for problem in problems:
        try:
            example = solver_example(problem)
        except DataError:
            continue
        if example.tokens and (most_tokens is None or len(example.tokens) <= most_tokens):
            examples.append(example)
    return examples


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The symbols that a solver can write besides slots.

    Attributes:
        constants: values that training equations use although the text does not have them.
    """

    constants: tuple[str, ...]

    @classmethod
    def of(cls, examples: Iterable[SolverExample], *, least_uses: int = 1) -> Vocabulary:
        """Return a vocabulary of the constants used by at least `least_uses` targets, most common first."""
        uses: Counter[str] = Counter()
        for example in examples:
            uses.update({token for token in example.tokens if token not in OPERATORS and not is_slot(token)})
        common = [constant for constant, count in uses.items() if count >= least_uses]
        return cls(tuple(sorted(common, key=lambda constant: (-uses[constant], constant))))

    def extended(self, constants: Iterable[str]) -> Vocabulary:
        """Return a vocabulary extended by other constants."""
        return Vocabulary(tuple(dict.fromkeys((*constants, *self.constants))))

    @property
    def symbols(self) -> tuple[str, ...]:
        """Operators, then constants: the candidates that precede a problem's slots."""
        return (*OPERATORS, *self.constants)

    def writes(self, example: SolverExample) -> bool:
        """Return whether the target uses only known constants."""
        symbols = set(self.symbols)
        return bool(example.tokens) and all(token in symbols or is_slot(token) for token in example.tokens)

    def candidates(self, token: str, example: SolverExample) -> list[int]:
        """Return the candidate numbers of a token: for a slot, those of all slots with the same value."""
        if not is_slot(token):
            return [self.symbols.index(token)]
        first = slot_index(token)
        value = example.slots[first].value
        equal = [place for place, slot in enumerate(example.slots) if slot.value == value and place != first]
        return [len(self.symbols) + place for place in (first, *equal)]

    def token(self, candidate: int) -> str:
        """Return the token of a candidate number."""
        count = len(self.symbols)
        return self.symbols[candidate] if candidate < count else f"N{candidate - count}"


def value_of(tokens: Sequence[str], values: Sequence[Fraction]) -> float | None:
    """Return the value of a written equation with a problem's numbers; None if it has none.

    >>> value_of(["*", "N0", "-", "1", "N1"], [Fraction(80), Fraction(1, 4)])
    60.0
    """
    try:
        return evaluate_float(fill_slots(from_prefix(tokens), values))
    except EvaluationError:
        return None
