"""Equations derived from other forms of solution: MathQA's programs and GSM8K's calculations.

MathQA (Amini et al. 2019, section 3) publishes ``program``, GSM8K (Cobbe et al. 2021) the annotated calculations of a
worked solution; `analytics.expression.programs` reads both. The equation uses the numbers of the text, like other
equations in the bank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate_float
from analytics.expression.notation import to_infix
from analytics.expression.parser import parse_expression
from analytics.expression.programs import calculations_tree, program_tree
from analytics.expression.tree import ExpressionTree
from analytics.text.number_slots import SlotNumbers
from analytics.text.numbers import find_numbers
from analytics.text.published_numbers import PublishedNumber
from questionbank.formats.limits import EQUATION_LIMIT


def derived_equation(
    text: str, *, program: str, calculations: Sequence[str], numbers: Sequence[str], published: PublishedNumber | None
) -> str:
    """Return the equation that a question's program computes, or else its calculations.

    >>> derived_equation(
    ...     "5 bags hold 6 figs each.", program="multiply(n0,n1)|", calculations=(), numbers=(), published=None
    ... )
    '5*6'

    Args:
        text: text of the question.
        program: MathQA's operations, separated by ``|``; empty if absent.
        calculations: ``left=result`` in order; empty if absent.
        numbers: the numbers that the program calls ``n0``, ``n1``, ...; if empty, those of the text are used.
        published: the published answer; None if it is not a number.

    Returns:
        The equation; empty unless one can be read that has at least one operation, fits the bank's limit and gives the
        published answer.
    """
    for read in _readers(text, program, calculations, numbers):
        try:
            tree = read()
            equation = "" if tree.is_number else to_infix(tree)
            if not 0 < len(equation) <= EQUATION_LIMIT:
                continue
            value = evaluate_float(parse_expression(equation))  # parsed as any other reader will parse it
        except DataError:
            continue
        if published is None or published.agrees_with(value):
            return equation
    return ""


def _readers(
    text: str, program: str, calculations: Sequence[str], numbers: Sequence[str]
) -> Iterator[Callable[[], ExpressionTree]]:
    if program:
        named = numbers or [mention.text for mention in find_numbers(text)]
        yield lambda: program_tree(program, named)
    if calculations:
        values = SlotNumbers.of_text(text).values
        yield lambda: calculations_tree(calculations, values)
