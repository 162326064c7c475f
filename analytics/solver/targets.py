"""What a solver learns to write: a problem's equation as operators, constants and number slots in pre-order.

Torch-free. Xie and Sun (IJCAI 2019); a number that occurs more than once in the text may be any of its slots, which
the loss leaves open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from analytics.errors import DataError
from analytics.expression.evaluate import EvaluationError, answers_agree, evaluate_float
from analytics.expression.keys import graph_key
from analytics.expression.notation import from_prefix, to_prefix
from analytics.expression.parser import parse_expression
from analytics.expression.programs import calculations_tree, program_tree
from analytics.expression.slots import binary_operators, fill_slots, is_slot, slot_index, with_slots
from analytics.expression.tree import ExpressionTree
from analytics.records import ProblemRecord
from analytics.text.number_slots import NumberSlot, number_slots

OPERATORS = ("+", "-", "*", "/", "^")
"""Binary operators; signs and per cents are written with them."""


@dataclass(frozen=True, slots=True)
class SolverExample:
    """A problem as the solver reads and writes it.

    Attributes:
        problem: where it comes from.
        slots: the readings of the text's numbers.
        tree: the target over slots and constants; None for a problem without an equation.
    """

    problem: ProblemRecord
    slots: tuple[NumberSlot, ...]
    tree: ExpressionTree | None = None

    @property
    def values(self) -> list[Fraction]:
        """The slots' values in order."""
        return [slot.value for slot in self.slots]

    @property
    def tokens(self) -> list[str]:
        """The target's labels in pre-order; empty if there is none."""
        return [] if self.tree is None else to_prefix(self.tree)


def target_tree(equation: str, slots: Sequence[NumberSlot]) -> ExpressionTree:
    """Return an equation as a tree of binary operators over slots and constants.

    >>> from analytics.expression.notation import to_infix
    >>> to_infix(target_tree("80*(1-25%)", number_slots("25% off 80 dollars")))
    'N2*(1-N0)'

    Raises:
        DataError: the equation cannot be read.
    """
    tree = binary_operators(parse_expression(equation))
    return with_slots(tree, [slot.value for slot in slots])


def problem_graph_key(text: str, equation: str) -> str:
    """Return the key that a problem shares with all that are computed alike: `analytics.expression.keys.graph_key`.

    >>> problem_graph_key("3 pens at 4 dollars each?", "3*4") == problem_graph_key("5 rows of 6 chairs?", "6*5")
    True

    Returns:
        The key; empty where the equation cannot be read or computes nothing.
    """
    try:
        tree = target_tree(equation, number_slots(text))
    except DataError:
        return ""
    return "" if tree.is_number else graph_key(tree)


def solver_example(problem: ProblemRecord) -> SolverExample:
    """Return a problem with its slots, and with its target where its solution is known.

    That is its equation; else the calculations of its worked solution, or its program, as one tree, which must then be
    worth the published answer.

    Raises:
        DataError: the solution cannot be read, or is not worth the answer.
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


def solver_examples(
    problems: Iterable[ProblemRecord], *, most_tokens: int | None = None
) -> list[SolverExample]:
    """Return the problems whose equation can be read, and has `most_tokens` tokens or fewer (None: any number)."""
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
    """What a solver can write besides slots.

    Attributes:
        constants: values that training equations use although the text does not have them.
    """

    constants: tuple[str, ...]

    @classmethod
    def of(cls, examples: Iterable[SolverExample], *, least_uses: int = 1) -> Vocabulary:
        """Return the constants that at least so many targets use, the commonest first."""
        uses: Counter[str] = Counter()
        for example in examples:
            uses.update({token for token in example.tokens if token not in OPERATORS and not is_slot(token)})
        common = [constant for constant, count in uses.items() if count >= least_uses]
        return cls(tuple(sorted(common, key=lambda constant: (-uses[constant], constant))))

    def extended(self, constants: Iterable[str]) -> Vocabulary:
        """Return a vocabulary that can also write other constants."""
        return Vocabulary(tuple(dict.fromkeys((*constants, *self.constants))))

    @property
    def symbols(self) -> tuple[str, ...]:
        """Operators, then constants: the candidates before a problem's slots."""
        return (*OPERATORS, *self.constants)

    def writes(self, example: SolverExample) -> bool:
        """Return whether the target uses known constants only."""
        symbols = set(self.symbols)
        return bool(example.tokens) and all(token in symbols or is_slot(token) for token in example.tokens)

    def candidates(self, token: str, example: SolverExample) -> list[int]:
        """Return the candidate numbers of a token: for a slot, those of all slots that read the same value."""
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
    """Return what a written equation is worth with a problem's numbers; None where it has no value.

    >>> value_of(["*", "N0", "-", "1", "N1"], [Fraction(80), Fraction(1, 4)])
    60.0
    """
    try:
        return evaluate_float(fill_slots(from_prefix(tokens), values))
    except EvaluationError:
        return None
