"""The equation of a question whose file has its solution in another form: MathQA's programs, GSM8K's calculations.

MathQA (Amini et al. 2019, section 3) publishes ``program``, GSM8K (Cobbe et al. 2021) the annotated calculations of a
worked solution; `analytics.expression.programs` reads both. The equation is written with the numbers of the text, as
other equations of the bank are.
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
from questionbank.bank.published_numbers import PublishedNumber
from questionbank.formats.limits import EQUATION_LIMIT


def derived_equation(
    text: str, *, program: str, calculations: Sequence[str], numbers: Sequence[str], published: PublishedNumber | None
) -> str:
    """Return the equation that a question's program computes, else its calculations.

    >>> derived_equation(
    ...     "5 bags hold 6 figs each.", program="multiply(n0,n1)|", calculations=(), numbers=(), published=None
    ... )
    '5*6'

    Args:
        text: the question.
        program: MathQA's operations, separated by ``|``; empty where there is none.
        calculations: ``left=result`` in order; empty where there are none.
        numbers: that the program names ``n0``, ``n1``, ...; those of the text where the source lists none.
        published: the published answer; None where it is no number.

    Returns:
        The equation; empty where none can be read, is an operation or more, fits the bank and gives the published
        answer.
    """
    for read in _readers(text, program, calculations, numbers):
        try:
            tree = read()
            equation = "" if tree.is_number else to_infix(tree)
            if not 0 < len(equation) <= EQUATION_LIMIT:
                continue
            value = evaluate_float(parse_expression(equation))  # as everybody else will read it
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
