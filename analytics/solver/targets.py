"""Word problems as a solver's input and target, and the accuracy of what it writes. Torch-free.

The target is a problem's equation as operators, constants and number slots in pre-order (Xie and Sun, IJCAI 2019); a
number that occurs more than once in the text may be any of its slots, and the loss accepts each of them.

The input is token ids, and which tokens make up each number's state. Digits say little about the computation and differ
in every problem. So a number may be replaced by the encoder's mask token (Pattern-CL uses a token of its own), and its
state is the mean over its tokens.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from tokenizers import Encoding, Tokenizer

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
from analytics.inference.encode import padded_arrays
from analytics.records import ProblemRecord
from analytics.text.number_slots import READINGS, NumberSlot, number_slots

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


_DIGITS = re.compile(r"[\d.,]*\d")
_MASKS = ("[MASK]", "<mask>")

Array = TypeVar("Array")


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A problem's tokens.

    Attributes:
        ids: token ids with the encoder's special tokens, truncated to its limit.
        slots: the indices of each slot's tokens, empty if the text was truncated before it.
        readings: for each slot an index into `READINGS`.
    """

    ids: tuple[int, ...]
    slots: tuple[tuple[int, ...], ...]
    readings: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every number was read."""
        return all(self.slots)


class ProblemBatch(NamedTuple, Generic[Array]):
    """Problems as NumPy or PyTorch arrays.

    Attributes:
        ids, mask: (problems, tokens).
        slot_weights: (problems, slots, tokens) the share of each token in a slot's state.
        slot_readings: (problems, slots) indices into `READINGS`.
    """

    ids: Array
    mask: Array
    slot_weights: Array
    slot_readings: Array


class TextReader:
    """Converts problems to encoder input.

    Args:
        tokenizer: the encoder's tokenizer, with truncation.
        pad_id: token id used for padding.
        mask_numbers: replace every number by the mask token, if the vocabulary has one.
    """

    def __init__(self, tokenizer: Tokenizer, pad_id: int, *, mask_numbers: bool = True) -> None:
        self.tokenizer, self.pad_id = tokenizer, pad_id
        mask_ids = (tokenizer.token_to_id(token) for token in _MASKS)
        self.mask_id = next((number for number in mask_ids if number is not None), None) if mask_numbers else None

    def read(self, examples: Sequence[SolverExample]) -> list[ReadProblem]:
        """Convert problems, in the given order."""
        encodings = self.tokenizer.encode_batch([example.problem.text for example in examples])
        return [self.read_encoding(example, encoding) for example, encoding in zip(examples, encodings, strict=True)]

    def read_encoding(self, example: SolverExample, encoding: Encoding) -> ReadProblem:
        """Convert a problem whose text the tokenizer has already encoded."""
        text, slots = example.problem.text, example.slots
        number_of = _number_characters(text, slots) if self.mask_id is not None else {}
        kept: list[int] = []
        spans: list[tuple[int, int]] = []
        before = -1
        for number, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
            slot_number = next((number_of[place] for place in range(start, end) if place in number_of), -1)
            if slot_number >= 0 and slot_number == before:  # another piece of the same number
                spans[-1] = (spans[-1][0], end)
                continue
            before = slot_number
            kept.append(number if slot_number < 0 or self.mask_id is None else self.mask_id)
            spans.append((start, end))
        places = tuple(
            tuple(place for place, (start, end) in enumerate(spans) if start < slot.end and end > slot.start)
            for slot in slots
        )
        return ReadProblem(tuple(kept), places, tuple(READINGS.index(slot.reading) for slot in slots))

    def arrays(self, problems: Sequence[ReadProblem]) -> ProblemBatch[np.ndarray]:
        """Collate problems into a batch."""
        ids, mask = padded_arrays([problem.ids for problem in problems], self.pad_id)
        most = max(1, *(len(problem.slots) for problem in problems))
        weights = np.zeros((len(problems), most, ids.shape[1]), dtype=np.float32)
        readings = np.zeros((len(problems), most), dtype=np.int64)
        for row, problem in enumerate(problems):
            readings[row, : len(problem.readings)] = problem.readings
            for slot, places in enumerate(problem.slots):
                if places:
                    weights[row, slot, list(places)] = 1 / len(places)
        return ProblemBatch(ids, mask, weights, readings)


def _number_characters(text: str, slots: Sequence[NumberSlot]) -> dict[int, int]:
    """Map each character of a number to the number it belongs to: a run of digits, or a whole number word."""
    owner: dict[int, int] = {}
    for slot in slots:
        if slot.start in owner:
            continue
        digits = list(_DIGITS.finditer(text, slot.start, slot.end))
        stretches = [match.span() for match in digits] or [(slot.start, slot.end)]
        for start, end in stretches:
            owner.update(dict.fromkeys(range(start, end), start))
    return owner


@dataclass(frozen=True, slots=True)
class SolverScores:
    """Accuracies over problems with a known equation, in 0..1."""

    equation_accuracy: float
    answer_accuracy: float
    problems: int

    def as_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return both accuracies by name."""
        return {f"{prefix}equation_accuracy": self.equation_accuracy, f"{prefix}answer_accuracy": self.answer_accuracy}


def is_equation_right(example: SolverExample, tokens: Sequence[str]) -> bool:
    """Return whether an equation matches the published one; a repeated value may be any of its slots."""
    values = {f"N{slot}": value for slot, value in enumerate(example.values)}
    published = [values.get(token, token) for token in example.tokens]
    return published == [values.get(token, token) for token in tokens]


def score_solutions(examples: Sequence[SolverExample], written: Sequence[Sequence[str]]) -> SolverScores:
    """Compare written equations with the published ones, and their values with those of the published ones.

    Args:
        examples: problems with equations.
        written: the generated tokens for each, empty if there are none.
    """
    equations = answers = 0
    for example, tokens in zip(examples, written, strict=True):
        equations += is_equation_right(example, tokens)
        wanted = value_of(example.tokens, example.values)
        value = value_of(tokens, example.values) if tokens else None
        answers += answers_agree(wanted, value)
    count = max(1, len(examples))
    return SolverScores(equations / count, answers / count, len(examples))
