"""Parse stepwise solutions into a single tree: MathQA's operation programs and GSM8K's calculations.

MathQA (Amini et al. 2019, section 3): ``add(n1,const_1)|divide(n0,#0)`` with the numbers of the text, named
constants and earlier steps. Arithmetic operations are expanded; others (a remainder, a least common multiple,
a logarithm) have no tree here and are rejected by name.
GSM8K (Cobbe et al. 2021): the annotated calculations of a solution, ``48/2=24`` then ``48+24=72``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from analytics.errors import DataError
from analytics.expression.evaluate import EvaluationError, evaluate, number_value
from analytics.expression.tree import MAX_OPERATIONS, ExpressionTree, parse_expression

_STEP = re.compile(r"\s*([a-z_]+)\(([^()]*)\)\s*")
_NAME = re.compile(r"[n#][0-9]{1,4}")  # a number in the text, or an earlier step
_PI = "3.1416"
_MAX_STEPS = 60

_TWO, _FOUR, _SIX = ExpressionTree("2"), ExpressionTree("4"), ExpressionTree("6")
_HALF, _THIRD, _CIRCLE = ExpressionTree("0.5"), ExpressionTree("3"), ExpressionTree(_PI)


# operation -> function that builds its tree from its arguments' trees; a literal table
PROGRAM_OPERATIONS: dict[str, Callable[..., ExpressionTree]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": lambda a, b: ExpressionTree("^", (a, b)),
    "speed": lambda a, b: a / b,
    "negate": lambda a: ExpressionTree("neg", (a,)),
    "inverse": lambda a: ExpressionTree("1") / a,
    "sqrt": lambda a: ExpressionTree("^", (a, _HALF)),
    "square_edge_by_area": lambda a: ExpressionTree("^", (a, _HALF)),
    "square_area": lambda a: a * a,
    "square_perimeter": lambda a: _FOUR * a,
    "rhombus_perimeter": lambda a: _FOUR * a,
    "rectangle_area": lambda a, b: a * b,
    "rectangle_perimeter": lambda a, b: _TWO * (a + b),
    "triangle_area": lambda a, b: a * b / _TWO,
    "rhombus_area": lambda a, b: a * b / _TWO,
    "triangle_perimeter": lambda a, b, c: a + b + c,
    "circle_area": lambda a: _CIRCLE * a * a,
    "circumface": lambda a: _TWO * _CIRCLE * a,  # spelled like this in MathQA
    "surface_sphere": lambda a: _FOUR * _CIRCLE * a * a,
    "surface_cube": lambda a: _SIX * a * a,
    "volume_cube": lambda a: a * a * a,
    "volume_rectangular_prism": lambda a, b, c: a * b * c,
    "volume_cylinder": lambda a, b: _CIRCLE * a * a * b,
    "volume_cone": lambda a, b: _CIRCLE * a * a * b / _THIRD,
}


def program_tree(program: str, numbers: Sequence[str]) -> ExpressionTree:
    """Return the tree of a MathQA program's last step.

    Args:
        program: steps separated by ``|``.
        numbers: numbers of the text, in order; ``n0`` is the first.

    >>> from analytics.expression.tree import to_infix
    >>> to_infix(program_tree("add(n1,const_1)|divide(n0,#0)|", ["12", "5"]))
    '12/(5+1)'

    Raises:
        DataError: a step cannot be read, or its operation is not arithmetic.
    """
    steps: list[ExpressionTree] = []
    texts = [text for text in program.split("|") if text.strip()]
    if not texts or len(texts) > _MAX_STEPS:
        raise DataError(f"A program has 1 to {_MAX_STEPS} steps; this one has {len(texts)}.")
    for text in texts:
        match = _STEP.fullmatch(text)
        if match is None:
            raise DataError(f"{text[:60]!r} is not a step of a program.")
        name, arguments = match[1], [argument.strip() for argument in match[2].split(",")]
        if name not in PROGRAM_OPERATIONS:
            raise DataError(f"The operation {name!r} is not arithmetic.")
        operands = [_argument(argument, numbers, steps) for argument in arguments]
        try:
            tree = PROGRAM_OPERATIONS[name](*operands)
        except TypeError:
            raise DataError(f"The operation {name!r} does not take {len(operands)} arguments.") from None
        if tree.size > 2 * MAX_OPERATIONS:
            raise DataError(f"The program has more than {MAX_OPERATIONS} operations.")
        steps.append(tree)
    return steps[-1]


def _argument(text: str, numbers: Sequence[str], steps: Sequence[ExpressionTree]) -> ExpressionTree:
    if text.startswith("const_"):
        value = text.removeprefix("const_").replace("_", ".")
        return ExpressionTree(_PI if value == "pi" else _checked(value, text))
    if _NAME.fullmatch(text):
        index = int(text[1:])
        operands: Sequence[object] = numbers if text[0] == "n" else steps
        if index < len(operands):
            return ExpressionTree(_checked(numbers[index], text)) if text[0] == "n" else steps[index]
    raise DataError(f"The program's argument {text[:40]!r} names nothing.")


def _checked(number: str, argument: str) -> str:
    number = number.replace(",", "")
    try:
        number_value(number)
    except EvaluationError:
        raise DataError(f"The program's argument {argument[:40]!r} is not a number.") from None
    return number


def calculations_tree(calculations: Sequence[str], numbers: Sequence[Fraction] = ()) -> ExpressionTree:
    """Return a worked solution as the tree of its last step, with earlier results substituted.

    A number in a step refers to the latest earlier step with that result that no other step has used yet;
    otherwise to itself if it is in the text; otherwise to the latest earlier step with that result.

    Args:
        calculations: ``left=result`` in order, possibly with ``$``, ``,`` and ``x`` as people write them.
        numbers: values of the numbers in the text.

    >>> from analytics.expression.tree import to_infix
    >>> to_infix(calculations_tree(["48/2=24", "48+24=72"], [Fraction(48)]))
    '48+48/2'

    Raises:
        DataError: there are no steps, one cannot be read, or the whole is too large.
    """
    if not calculations or len(calculations) > _MAX_STEPS:
        raise DataError(f"A solution has 1 to {_MAX_STEPS} calculations; this one has {len(calculations)}.")
    steps: list[tuple[Fraction, ExpressionTree]] = []
    unused: list[int] = []
    for calculation in calculations:
        left, sign, _result = calculation.replace("$", "").replace(",", "").rpartition("=")
        if not sign:
            raise DataError(f"{calculation[:60]!r} is not a calculation.")
        tree = parse_expression(left.replace("x", "*"))
        value = evaluate(tree)
        tree = _with_steps(tree, steps, unused, numbers)
        if tree.size > 2 * MAX_OPERATIONS:
            raise DataError(f"The solution has more than {MAX_OPERATIONS} operations.")
        steps.append((value, tree))
        unused.append(len(steps) - 1)
    return steps[-1][1]


def _with_steps(
    tree: ExpressionTree,
    steps: Sequence[tuple[Fraction, ExpressionTree]],
    unused: list[int],
    numbers: Sequence[Fraction],
) -> ExpressionTree:
    """Return the tree with numbers that are results of earlier steps replaced by those steps' trees."""
    if not tree.is_number:
        children = tuple(_with_steps(child, steps, unused, numbers) for child in tree.children)
        return ExpressionTree(tree.label, children)
    value = number_value(tree.label)
    candidates = [index for index in unused if _same(steps[index][0], value)]
    if candidates:
        unused.remove(candidates[-1])
        return steps[candidates[-1]][1]
    if any(number == value for number in numbers):
        return tree
    earlier = [step for result, step in steps if _same(result, value)]
    return earlier[-1] if earlier else tree


def _same(result: Fraction, written: Fraction) -> bool:
    """Return whether a result equals a number in a later step, which may be rounded to two places."""
    return result == written or (abs(result - written) <= Fraction(1, 200) and written.denominator > 1)
