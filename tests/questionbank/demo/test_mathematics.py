"""Answers checked by sympy, from the text of the question alone.

`CHECKS` says for each pattern how its answer can be found again: by solving, differentiating, expanding ...
The formulas are read from the question as a student reads them; nothing of the generator is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import sympy
from sympy import Expr, Matrix, Symbol, simplify
from sympy.parsing.sympy_parser import (
    implicit_multiplication,
    parse_expr,
    standard_transformations,
)

from questionbank.demo.bank import DemoQuestion

x = Symbol("x")
NAMES = {"sin", "cos", "tan", "ln", "log", "pi", "theta", "alpha"}
LETTERS = {letter: Symbol(letter) for letter in "abcdfghkmnpqrstuvwxyzC"} | {
    "E": sympy.E,
    "theta": Symbol("theta"),
    "alpha": Symbol("alpha"),
}


def group_after(text: str, start: int) -> tuple[str, int]:
    """Return the braced group or the single sign at `start`, and where it ends."""
    if text[start] != "{":
        return text[start], start + 1
    depth = 0
    for end in range(start, len(text)):
        depth += (text[end] == "{") - (text[end] == "}")
        if depth == 0:
            return text[start + 1 : end], end + 1
    raise ValueError(text)


def plain(latex: str) -> str:
    """Return LaTeX of numbers, letters and elementary functions as sympy's parser reads it."""
    text = latex.replace(r"\,", "").replace(r"\left", "").replace(r"\right", "").replace("{}", "")
    while (match := re.search(r"\\(frac|sqrt)", text)) is not None:
        if match.group(1) == "frac":
            top, middle = group_after(text, match.end())
            bottom, end = group_after(text, middle)
            text = f"{text[: match.start()]}(({plain(top)})/({plain(bottom)})){text[end:]}"
        else:
            index, start = "2", match.end()
            if text[start] == "[":
                index, start = text[start + 1 : text.index("]", start)], text.index("]", start) + 1
            inner, end = group_after(text, start)
            text = f"{text[: match.start()]}(({plain(inner)})**(1/({index}))){text[end:]}"
    text = re.sub(r"\\(sin|cos|tan)\^(\d) (\\?[a-z]+)", r" (\1(\3))**\2", text)
    text = re.sub(r"\\(sin|cos|tan|ln|log) ?(\d*(?:[a-z]|\\[a-z]+)|\d+)", r" \1(\2)", text)
    text = re.sub(r"\\(sin|cos|tan|ln|log)\(", r" \1(", text)
    text = text.replace(r"\times", "*").replace(r"\div", "/").replace(r"\pi", " pi ").replace("\\", " ")
    text = re.sub(r"e(?=\^)", " E", text)
    text = re.sub(r"\^\{([^{}]*)\}", r"**(\1)", text)
    return re.sub(r"\^(\w)", r"**\1 ", text)


def expression(latex: str) -> Expr:
    """Parse one expression; letters side by side are factors."""

    def spaced(run: re.Match[str]) -> str:
        return run.group() if run.group() in NAMES else " ".join(run.group())

    text = re.sub(r"[A-Za-z]+", spaced, plain(latex)).strip()
    text = re.sub(
        r"(?<=[\w)]) +(?=[A-Za-z(])|(?<=[a-z])(?=\()(?<!sin)(?<!cos)(?<!tan)(?<!ln)(?<!log)", "*", text
    )
    return parse_expr(
        text, local_dict=dict(LETTERS), transformations=(*standard_transformations, implicit_multiplication)
    )


def formulas(text: str) -> list[str]:
    """Return the formulas of a text."""
    return [display or inline for display, inline in re.findall(r"\$\$(.+?)\$\$|\$(.+?)\$", text)]


def longest(question: DemoQuestion) -> str:
    """Return the longest formula of the question: the one that it is about."""
    return max(formulas(question.record.text), key=len).removesuffix(" =")


def right_side(formula: str) -> str:
    """Return what follows ``f(x) =`` or ``y =``, or the whole formula."""
    return formula.split("=")[-1].strip()


def value(shown: str) -> Expr:
    """Return an answer such as ``7``, ``12,345``, ``$-3$`` or ``$x = 5$`` as an expression."""
    return expression(right_side(re.sub(r"(?<=\d),(?=\d{3})", "", shown).strip("$")))


def same(left: Expr, right: Expr) -> bool:
    """Return whether two expressions are equal, exactly or at three points."""
    difference = left - right
    if simplify(difference) == 0:
        return True
    symbols = sorted(difference.free_symbols, key=str)
    points = [(0.37, 0.81, 1.13), (1.21, 0.44, 0.73), (2.3, 1.7, 0.29)]
    return all(
        abs(complex(difference.subs(dict(zip(symbols, point, strict=False))).evalf())) < 1e-8
        for point in points
    )


def solutions(shown: str) -> set[Expr]:
    """Return the solutions in ``x = 2 or x = 3`` or ``x = 1 ± 2``."""
    roots: set[Expr] = set()
    for part in re.split(r"\\text\{ or \}|\\text\{ and \}", shown.strip("$")):
        body = right_side(part)
        signs = ("+", "-") if r"\pm" in body else ("",)
        roots |= {expression(body.replace(r"\pm", sign)) for sign in signs}
    return {simplify(solution) for solution in roots}


def solve_equation(question: DemoQuestion, shown: str) -> bool:
    stated = [f for f in formulas(question.record.text) if "=" in f]
    # "For which x are A and B equal?" has no equals sign
    left, right = stated[0].split("=") if stated else sorted(formulas(question.record.text), key=len)[-2:]
    equation = expression(left) - expression(right)
    (unknown,) = equation.free_symbols
    roots = {simplify(root) for root in sympy.solve(equation, unknown) if root.is_real}
    given = solutions(shown)
    return len(roots) == len(given) and all(any(simplify(a - b) == 0 for b in roots) for a in given)


def solve_system(question: DemoQuestion, shown: str) -> bool:
    stated = [f for f in formulas(question.record.text) if "=" in f]
    if len(stated) == 1:
        stated = stated[0].replace(r"\begin{cases}", "").replace(r"\end{cases}", "").split(r"\\")
    sides = [equation.split("=") for equation in stated]
    equations = [expression(left) - expression(right) for left, right in sides]
    unknowns = sorted({symbol for equation in equations for symbol in equation.free_symbols}, key=str)
    solution = sympy.solve(equations, unknowns)
    numbers = [int(number) for number in re.findall(r"-?\d+", shown)]
    return [solution[unknown] for unknown in unknowns] == numbers


def rewrites(question: DemoQuestion, shown: str) -> bool:
    return same(expression(longest(question)), value(shown))


def rewrites_first(question: DemoQuestion, shown: str) -> bool:
    return same(expression(formulas(question.record.text)[0].removesuffix(" =")), value(shown))


def factors(question: DemoQuestion, shown: str) -> bool:
    is_product = re.fullmatch(r"\$-?\d*[a-z^\d]*(?:\([^()]*\)(?:\^2)?)+\$", shown)
    return rewrites(question, shown) and is_product is not None


def integral_of(latex: str) -> tuple[Expr, Symbol, list[Expr]]:
    """Return integrand, variable and limits of an integral."""
    match = re.fullmatch(r"\\int(?:_(\{[^{}]*\}|\w)\^(\{[^{}]*\}|\w))? (.+?) \\, d([a-z])(?: = .*)?", latex)
    assert match is not None, latex
    low, high, body, name = match.groups()
    limits = [expression(limit.strip("{}")) for limit in (low, high) if limit]
    return expression(body), LETTERS[name], limits


def differentiates(question: DemoQuestion, shown: str) -> bool:
    right_sides = [
        right_side(f) for f in formulas(question.record.text) if "'" not in f and r"\frac{dy}{dx}" not in f
    ]
    function = expression(max(right_sides, key=len))
    return same(sympy.diff(function, x), value(shown))


def differentiates_twice(question: DemoQuestion, shown: str) -> bool:
    return same(sympy.diff(expression(right_side(longest(question))), x, 2), value(shown))


def slope_at(question: DemoQuestion, shown: str) -> bool:
    function = expression(right_side(longest(question)))
    place = re.search(r"x = (-?\d+)|'\((-?\d+)\)", question.record.text)
    return sympy.diff(function, x).subs(x, int(place.group(1) or place.group(2))) == value(shown)


def antidifferentiates(question: DemoQuestion, shown: str) -> bool:
    formula = next((f for f in formulas(question.record.text) if r"\int" in f), None)
    if formula is not None:
        integrand, _, _ = integral_of(formula.removesuffix(" ="))
    else:
        integrand = expression(right_side(longest(question)))
    return same(sympy.diff(value(shown), x), integrand) and Symbol("C") in value(shown).free_symbols


def integrates(question: DemoQuestion, shown: str) -> bool:
    formula = next(f for f in formulas(question.record.text) if r"\int" in f).removesuffix(" =")
    integrand, variable, (low, high) = integral_of(formula)
    return same(sympy.integrate(integrand, (variable, low, high)), value(shown))


def area_under(question: DemoQuestion, shown: str) -> bool:
    function = expression(right_side(longest(question)))
    low, high = (int(n) for n in re.findall(r"\$x = (-?\d+)\$", question.record.text))
    return sympy.integrate(function, (x, low, high)) == value(shown)


def area_to_axis(question: DemoQuestion, shown: str) -> bool:
    function = expression(right_side(longest(question)))
    low, high = sorted(sympy.solve(function, x))
    return abs(sympy.integrate(function, (x, low, high))) == value(shown)


def area_between_graphs(question: DemoQuestion, shown: str) -> bool:
    first, second = (expression(right_side(f)) for f in formulas(question.record.text) if "=" in f)
    low, high = sorted(sympy.solve(first - second, x))
    return abs(sympy.integrate(first - second, (x, low, high))) == value(shown)


def takes_limit(question: DemoQuestion, shown: str) -> bool:
    formula = next((f for f in formulas(question.record.text) if r"\lim" in f), None)
    if formula is None:
        return sympy.limit(expression(longest(question)), x, sympy.oo) == value(shown)
    match = re.match(r"\\lim_\{x \\to (-?\d+|\\infty)\} (.*?)(?: =)?$", formula)
    place = sympy.oo if match.group(1) == r"\infty" else int(match.group(1))
    return simplify(sympy.limit(expression(match.group(2)), x, place) - value(shown)) == 0


def touches(question: DemoQuestion, shown: str) -> bool:
    function = expression(right_side(next(f for f in formulas(question.record.text) if f.startswith("y ="))))
    place = re.search(r"x = (-?\d+)\$|\((-?\d+), -?\d+\)", question.record.text)
    u = int(place.group(1) or place.group(2))
    slope = sympy.diff(function, x).subs(x, u)
    return same(function.subs(x, u) + slope * (x - u), value(shown))


def stands_upright(question: DemoQuestion, shown: str) -> bool:
    function = expression(right_side(next(f for f in formulas(question.record.text) if f.startswith("y ="))))
    place = re.search(r"x = (-?\d+)\$|\((-?\d+), -?\d+\)", question.record.text)
    u = int(place.group(1) or place.group(2))
    return same(function.subs(x, u) - (x - u) / sympy.diff(function, x).subs(x, u), value(shown))


def turning_point(question: DemoQuestion, shown: str) -> bool:
    function = expression(right_side(longest(question)))
    u, v = (int(n) for n in re.findall(r"-?\d+", shown))
    wants_maximum = "maximum" in question.record.text
    curvature = sympy.diff(function, x, 2).subs(x, u)
    return (
        sympy.diff(function, x).subs(x, u) == 0
        and function.subs(x, u) == v
        and (curvature < 0) == wants_maximum
    )


def vertex(question: DemoQuestion, shown: str) -> bool:
    function = expression(right_side(longest(question)))
    u, v = (int(n) for n in re.findall(r"-?\d+", shown))
    return sympy.diff(function, x).subs(x, u) == 0 and function.subs(x, u) == v


def inflects(question: DemoQuestion, shown: str) -> bool:
    function = expression(right_side(longest(question)))
    u, v = (int(n) for n in re.findall(r"-?\d+", shown))
    return sympy.diff(function, x, 2).subs(x, u) == 0 and function.subs(x, u) == v


def inverts(question: DemoQuestion, shown: str) -> bool:
    function = expression(right_side(longest(question)))
    return same(function.subs(x, value(shown)), x)


def composes(question: DemoQuestion, shown: str) -> bool:
    f, g = (
        expression(right_side(part))
        for part in formulas(question.record.text)
        if re.match(r"[fg]\(x\) =", part)
    )
    return same(f.subs(x, g), value(shown))


def sums(question: DemoQuestion, shown: str) -> bool:
    match = re.match(r"\\sum_\{k=(\d+)\}\^\{(\d+)\} (.*?)(?: =)?$", longest(question))
    k = Symbol("k")
    terms = [
        expression(match.group(3)).subs(k, i) for i in range(int(match.group(1)), int(match.group(2)) + 1)
    ]
    return sum(terms) == value(shown)


def matrices(text: str) -> list[Matrix]:
    """Return the matrices of a text."""
    bodies = re.findall(r"\\begin\{[pv]matrix\} (.*?) \\end", text)
    return [
        Matrix([[expression(entry) for entry in row.split("&")] for row in body.split(r"\\")])
        for body in bodies
    ]


def multiplies_matrices(question: DemoQuestion, shown: str) -> bool:
    a, b = matrices(question.record.text)
    if a.shape[1] == 1:  # "the matrix maps the vector" may name the vector first
        a, b = b, a
    return a * b == matrices(shown)[0]


def determinant_of(question: DemoQuestion, shown: str) -> bool:
    return matrices(question.record.text)[0].det() == value(shown)


def inverts_matrix(question: DemoQuestion, shown: str) -> bool:
    factor = shown.strip("$").split(r"\begin")[0]
    scale = sympy.Integer(-1) if factor == "-" else expression(factor)
    return matrices(question.record.text)[0].inv() == scale * matrices(shown)[0]


def dot_product(question: DemoQuestion, shown: str) -> bool:
    a, b = matrices(question.record.text)
    return a.dot(b) == value(shown)


def satisfies_trigonometry(question: DemoQuestion, shown: str) -> bool:
    """The angles solve the equation, and there are as many as the left side has zeros in one turn."""
    left, right = next(f for f in formulas(question.record.text) if "=" in f).split("=")
    latex = re.sub(r"\\(sin|cos)\^2 x", r"(\\\1 x)^2", left)
    difference = expression(latex) - expression(right)
    (angle,) = difference.free_symbols
    given = sorted(int(n) for n in re.findall(r"(\d+)\^", shown))
    function = sympy.lambdify(angle, difference, "math")
    radians = float(sympy.pi / 180)
    zeros = [degree for degree in range(360) if abs(function(degree * radians)) < 1e-9]
    return given == zeros


def arithmetic(question: DemoQuestion, shown: str) -> bool:
    text = question.record.text
    if text.startswith(("Add", "Subtract")):  # "Subtract a from b."
        first, second = (expression(part) for part in formulas(text))
        return same(second + first if text.startswith("Add") else second - first, mixed_value(shown))
    return same(expression(mixed(longest(question))), mixed_value(shown))


def mixed(formula: str) -> str:
    """Return a formula with its mixed numbers written as sums."""
    return re.sub(r"(\d+)(\\frac\{\d+\}\{\d+\})", r"(\1 + \2)", formula)


def mixed_value(shown: str) -> Expr:
    """Return the value of an answer that may be a mixed number."""
    return expression(mixed(shown.replace(",", "").strip("$")))


CHECKS: dict[str, Callable[[DemoQuestion, str], bool]] = {
    "two-step-equation": solve_equation,
    "fraction-equation": solve_equation,
    "both-sides": solve_equation,
    "brackets-both-sides": solve_equation,
    "solve-by-factorising": solve_equation,
    "missing-term-quadratic": solve_equation,
    "solve-by-completing": solve_equation,
    "system": solve_system,
    "like-terms": rewrites,
    "expand-single": rewrites,
    "expand-double": rewrites,
    "common-factor": factors,
    "common-factor-two-letters": factors,
    "factorise-quadratic": factors,
    "difference-of-squares": factors,
    "completing-the-square": rewrites_first,
    "simplify-rational": rewrites,
    "multiply-rational": rewrites,
    "add-rational": rewrites,
    "simplify-identity": rewrites,
    "differentiate-polynomial": differentiates,
    "differentiate-powers": differentiates,
    "chain-rule-power": differentiates,
    "chain-rule-root": differentiates,
    "product-rule": differentiates,
    "quotient-rule": differentiates,
    "exponential-derivative": differentiates,
    "second-derivative": differentiates_twice,
    "gradient-at-point": slope_at,
    "limit-by-cancelling": takes_limit,
    "limit-at-infinity": takes_limit,
    "limit-with-root": takes_limit,
    "integrate-polynomial": antidifferentiates,
    "integrate-functions": antidifferentiates,
    "integrate-by-substitution": antidifferentiates,
    "definite-polynomial": integrates,
    "definite-exponential": integrates,
    "area-above-axis": area_under,
    "area-of-parabola": area_to_axis,
    "area-between": area_between_graphs,
    "tangent-line": touches,
    "normal-line": stands_upright,
    "stationary-cubic": turning_point,
    "find-vertex": vertex,
    "read-vertex": vertex,
    "inflection": inflects,
    "inverse-linear": inverts,
    "composite-expression": composes,
    "sigma-sum": sums,
    "small-sigma": sums,
    "matrix-product": multiplies_matrices,
    "matrix-times-vector": multiplies_matrices,
    "two-by-two-determinant": determinant_of,
    "matrix-inverse": inverts_matrix,
    "scalar-product": dot_product,
    "basic-trig-equation": satisfies_trigonometry,
    "quadratic-trig-equation": satisfies_trigonometry,
    "add-fractions": arithmetic,
    "order-of-operations": arithmetic,
    "negative-sum": arithmetic,
    "negative-product": arithmetic,
    "negative-expression": arithmetic,
    "fractional-index": arithmetic,
}


@pytest.mark.parametrize("slug", CHECKS)
def test_sympy_finds_the_same_answer(slug, of_pattern, shown_answer):
    for question in of_pattern(slug):
        shown = shown_answer(question)
        assert CHECKS[slug](question, shown), (question.record.text, shown)


@pytest.mark.parametrize(
    "slug", ["two-step-equation", "chain-rule-power", "integrate-functions", "expand-double"]
)
def test_sympy_refuses_the_wrong_options(slug, of_pattern):
    """The checks are no rubber stamp: they fail on every distractor."""
    refused = 0
    for question in of_pattern(slug):
        for option in question.record.options:
            if option.label != question.record.answer:
                assert not CHECKS[slug](question, option.text), (question.record.text, option.text)
                refused += 1
    assert refused > 0
