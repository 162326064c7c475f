"""A problem written to have the same computation as another one, and the requirements it must meet."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate_float
from analytics.expression.parser import parse_expression
from analytics.expression.slots import constant_label
from analytics.inference.ngrams import HashedNgramEncoder
from analytics.solver.targets import problem_graph_key
from analytics.text.number_slots import number_slots
from analytics.text.numbers import mask_numbers
from questionbank.problem_writing.faults import asks_for_money, fault
from questionbank.problem_writing.notation import currencies

SAME_STORY = "other names, things and numbers"
"""Generator name for problems that keep the story, which are near copies on purpose."""

NEAR_COPY = 0.9  # similarity of two texts, ignoring numbers, from which one is a copy of the other


@dataclass(frozen=True, slots=True)
class RetoldProblem:
    """A problem with its equation and answer.

    Attributes:
        generator: name of the rule set or model that wrote it.
        answer: the equation's value, formatted for people.
    """

    text: str
    equation: str
    answer: str
    generator: str


def answer_text(text: str, value: Fraction) -> str:
    """Format an answer for people: money with two decimals, unless it is whole.

    >>> answer_text("How much does she pay?", Fraction(36, 5)), answer_text("How long is it?", Fraction(36, 5))
    ('7.20', '7.2')
    """
    cents = value * 100
    if asks_for_money(text) and value.denominator != 1 and cents.denominator == 1:
        return f"{cents.numerator // 100}.{cents.numerator % 100:02d}"
    return constant_label(value)


def text_likeness(first: str, second: str) -> float:
    """Return the similarity of two texts, ignoring numbers: the cosine of their character n-grams, in [0, 1]."""
    vectors = HashedNgramEncoder().encode([mask_numbers(first), mask_numbers(second)])
    return float(vectors[0] @ vectors[1])


def refusal(candidate: RetoldProblem, *, text: str, graph_key: str) -> str:
    """Return why a candidate is not a similar problem of a question; empty if it is one.

    Args:
        text: the question's text.
        graph_key: the graph key of the question's equation.
    """
    if problem_graph_key(candidate.text, candidate.equation) != graph_key:
        return "it is computed in another way"
    try:
        value = evaluate_float(parse_expression(candidate.equation))
        answer = evaluate_float(parse_expression(candidate.answer))
    except DataError:
        return "its equation has no value"
    if abs(value - answer) > 1e-6 * max(1.0, abs(value)):
        return "its answer is not its equation's value"
    if [slot.value for slot in number_slots(candidate.text)] == [slot.value for slot in number_slots(text)]:
        return "its numbers are the same"
    if (money := currencies(text)) and not currencies(candidate.text) <= money:
        return "it has another currency"
    if candidate.generator != SAME_STORY and text_likeness(candidate.text, text) >= NEAR_COPY:
        return "its story is the same"
    return fault(candidate.text, candidate.answer)
