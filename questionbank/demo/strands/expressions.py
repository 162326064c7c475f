"""Algebraic expressions, first part: building expressions, brackets and factors."""

from __future__ import annotations

import math

from questionbank.demo.notation import answer, braced, m, plus, poly, power, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun

__all__ = ["PATTERNS"]


def bracket(a: int, b: int, variable: str = "x") -> str:
    """Return ``(ax + b)``."""
    return f"({poly([a, b], variable)})"


def like_terms(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("a", "b"), ("p", "q"), ("m", "n"))
    a, b, c, e = d.whole(2, 9), d.whole(-9, 9, but=(0,)), d.whole(-7, 7, but=(0,)), d.whole(-9, 9, but=(0,))
    d.require(a + c != 0 and b + e != 0)
    shown = signed_sum([term(a, x), term(b, y), term(c, x), term(e, y)])
    result = signed_sum([term(a + c, x), term(b + e, y)])
    return Item(
        ask=(
            f"Simplify ${shown}$.",
            f"Collect like terms: ${shown}$.",
            f"Write ${shown}$ as simply as possible.",
        ),
        answer=m(result),
        steps=(
            f"The terms in ${x}$: ${signed_sum([term(a, x), term(c, x)])} = {term(a + c, x)}$.",
            f"The terms in ${y}$: ${signed_sum([term(b, y), term(e, y)])} = {term(b + e, y)}$.",
            f"Together: ${result}$.",
        ),
        wrong=(
            (m(signed_sum([term(a + abs(c), x), term(abs(b) + abs(e), y)])), "Ignores the minus signs"),
            (m(term(a + b + c + e, f"{x}{y}")) if a + b + c + e else m(f"{x}{y}"), "Adds unlike terms"),
            (
                m(signed_sum([term(a + c, f"{x}^2"), term(b + e, f"{y}^2")])),
                "Squares the letters when adding",
            ),
            (
                m(signed_sum([term(a - c if a != c else 1, x), term(b + e, y)])),
                "Makes a sign error in the first letter",
            ),
        ),
    )


def perimeter_expression(d: Draw) -> Item:
    a, b, c = d.whole(2, 6), d.whole(1, 9), d.whole(2, 9)
    x = d.one_of("x", "a", "t", "n")
    kind = d.chance()
    if kind:
        length, width = poly([a, b], x), poly([1, c], x)
        total = poly([2 * a + 2, 2 * b + 2 * c], x)
        shape = "rectangle"
        working = f"2({length}) + 2({width})"
        opening = f"A rectangle is ${length}$ cm long and ${width}$ cm wide."
        half = poly([a + 1, b + c], x)
        area = f"({length})({width})"
    else:
        side, base = poly([a, b], x), term(c, x)
        total = poly([2 * a + c, 2 * b], x)
        shape = "triangle"
        working = f"2({side}) + {base}"
        opening = f"An isosceles triangle has two equal sides of ${side}$ cm and a base of ${base}$ cm."
        half = poly([a + c, b], x)
        area = poly([2 * a * c, 2 * b, 0], x)
    return Item(
        ask=(
            f"{opening} Write an expression for its perimeter and simplify it.",
            f"{opening} Which simplified expression gives the perimeter of the {shape} in cm?",
        ),
        answer=m(total),
        steps=(f"Perimeter: ${working}$.", f"Simplified: ${total}$ (in cm)."),
        wrong=(
            (m(half), "Counts only two of the sides"),
            (m(area), "Multiplies the sides instead of adding them"),
            (
                m(poly([2 * a + 2 if kind else 2 * a + c, b + c if kind else b], x)),
                "Doubles only the first terms",
            ),
        ),
        choice=0.35,
    )


def substitute_linear(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("a", "b"), ("p", "q"))
    a, b = d.whole(2, 7), d.whole(-6, 6, but=(0, 1, -1))
    u, v = d.whole(-6, 9, but=(0, 1)), d.whole(-5, 8, but=(0, 1))
    value = a * u + b * v
    shown = signed_sum([term(a, x), term(b, y)])
    middle = f"{a} \\times {braced(u)} {'+' if b > 0 else '-'} {abs(b)} \\times {braced(v)}"
    return Item(
        ask=(
            f"Find the value of ${shown}$ when ${x} = {u}$ and ${y} = {v}$.",
            f"Evaluate ${shown}$ for ${x} = {u}$, ${y} = {v}$.",
            f"If ${x} = {u}$ and ${y} = {v}$, then ${shown} =$ ____.",
        ),
        answer=answer(value),
        steps=(f"Substitute: ${middle}$.", f"${middle} = {a * u} {plus(b * v)} = {value}$"),
        wrong=(
            (answer(a * u - b * v), "Makes a sign error with the second term"),
            (answer(a * v + b * u), "Mixes up the two letters"),
            (answer(a + u + b + v), "Adds the coefficient instead of multiplying"),
            (answer(-value), "Has the wrong sign at the end"),
        ),
        choice=0.35,
    )


def substitute_power(d: Draw) -> Item:
    x = d.one_of("x", "n", "t", "a")
    a, b, c, u = d.whole(2, 5), d.whole(-6, 6, but=(0,)), d.whole(-9, 9), d.whole(-5, 5, but=(0, 1, -1))
    value = a * u * u + b * u + c
    shown = poly([a, b, c], x)
    first = f"{a} \\times {power(u, 2)}"
    return Item(
        ask=(
            f"Evaluate ${shown}$ for ${x} = {u}$.",
            f"Find the value of the expression ${shown}$ when ${x} = {u}$.",
            f"Substitute ${x} = {u}$ into ${shown}$. What is the result?",
        ),
        answer=answer(value),
        steps=(
            f"${first} = {a} \\times {u * u} = {a * u * u}$",
            f"${signed_sum([tex(a * u * u), tex(b * u), tex(c)])} = {value}$",
        ),
        wrong=(
            (answer((a * u) ** 2 + b * u + c), "Squares the coefficient too"),
            (answer(2 * a * u + b * u + c), "Doubles instead of squaring"),
            (answer(a * u * u - b * u + c), "Makes a sign error with the middle term"),
            (answer(-a * u * u + b * u + c), "Takes the square of a negative number as negative"),
        ),
        choice=0.35,
    )


def words_to_expression(d: Draw) -> Item:
    a, b = d.whole(2, 9), d.whole(2, 12)
    d.require(a != b)
    n = d.one_of("n", "x", "k", "m")
    cases = (
        (
            f"Think of a number ${n}$, multiply it by {a} and then add {b}.",
            f"{a}{n} + {b}",
            f"{a}({n} + {b})",
            f"{n} + {a * b}",
        ),
        (
            f"Think of a number ${n}$, add {b} and then multiply the result by {a}.",
            f"{a}({n} + {b})",
            f"{a}{n} + {b}",
            f"{n} + {a * b}",
        ),
        (
            f"Subtract {b} from {a} times the number ${n}$.",
            f"{a}{n} - {b}",
            f"{b} - {a}{n}",
            f"{a}({n} - {b})",
        ),
        (
            f"Subtract {a} times the number ${n}$ from {b}.",
            f"{b} - {a}{n}",
            f"{a}{n} - {b}",
            f"({b} - {a}){n}",
        ),
        (
            f"Square the number ${n}$ and multiply the result by {a}.",
            f"{a}{n}^2",
            f"({a}{n})^2",
            f"{2 * a}{n}",
        ),
        (
            f"Multiply the number ${n}$ by {a} and square the result.",
            f"({a}{n})^2",
            f"{a}{n}^2",
            f"{2 * a}{n}",
        ),
        (
            f"Add {b} to the number ${n}$ and divide the result by {a}.",
            rf"\frac{{{n} + {b}}}{{{a}}}",
            rf"{n} + \frac{{{b}}}{{{a}}}",
            rf"\frac{{{n}}}{{{a}}} + {b}",
        ),
    )
    sentence, right, *wrong = d.one_of(*cases)
    return Item(
        ask=(
            f"{sentence} Write this as an expression.",
            f"Which expression says the following? {sentence}",
            f"{sentence} Which expression do you get?",
        ),
        answer=m(right),
        steps=(
            "Follow the words in order, and bracket what is worked out first.",
            f"The expression is ${right}$.",
        ),
        wrong=(
            (m(wrong[0]), "Does the steps in the wrong order"),
            (m(wrong[1]), "Applies a step to the wrong part"),
            (m(f"{a + b}{n}"), "Joins the numbers into one coefficient"),
        ),
        choice=0.7,
    )


def cost_expression(d: Draw) -> Item:
    fixed, each = d.whole(3, 60), d.whole(2, 25)
    d.require(fixed != each)
    thing, n, opening = d.one_of(
        (Noun("kilometre"), "k", "A taxi charges a basic fee of £{f} and £{e} for each kilometre."),
        (Noun("hour"), "h", "Hiring a canoe costs a fee of £{f} and £{e} for each hour."),
        (Noun("guest"), "g", "A hall costs £{f} to rent, and dinner is £{e} for each guest."),
        (Noun("month"), "m", "A gym charges £{f} to join and £{e} a month."),
        (Noun("lesson"), "n", "A set of skis costs £{f} to hire, and each lesson costs £{e}."),
    )
    sentence = opening.format(f=fixed, e=each)
    result = f"{fixed} + {each}{n}"
    return Item(
        ask=(
            f"{sentence} Write an expression for the cost of ${n}$ {thing} in pounds.",
            f"{sentence} What is the total price in pounds for ${n}$ {thing}?",
        ),
        answer=m(result),
        steps=(
            f"${n}$ {thing} cost ${each} \\times {n} = {each}{n}$ pounds.",
            f"With the fixed part: ${result}$ pounds.",
        ),
        wrong=(
            (m(f"{fixed + each}{n}"), "Multiplies the fixed part too"),
            (m(f"{each} + {fixed}{n}"), "Swaps the fixed and the variable part"),
            (m(f"{fixed + each} + {n}"), "Adds the number instead of multiplying"),
        ),
        choice=0.5,
    )


def expand_single(d: Draw) -> Item:
    x = d.one_of("x", "y", "a", "t")
    a, b, c = d.whole(-9, 9, but=(0, 1, -1)), d.whole(1, 6), d.whole(-9, 9, but=(0,))
    p, q, r = d.whole(2, 6), d.whole(1, 4), d.whole(-7, 7, but=(0,))
    minus = d.chance()
    k = -p if minus else p
    shown = f"{term(a, bracket(b, c, x))} {'-' if minus else '+'} {p}{bracket(q, r, x)}"
    one, two = [a * b, a * c], [k * q, k * r]
    result = [one[0] + two[0], one[1] + two[1]]
    d.require(result[0] != 0)
    return Item(
        ask=(
            f"Expand and simplify ${shown}$.",
            f"Multiply out the brackets and collect like terms: ${shown}$.",
            f"Write ${shown}$ without brackets, as simply as possible.",
        ),
        answer=m(poly(result, x)),
        steps=(
            f"${term(a, bracket(b, c, x))} = {poly(one, x)}$",
            f"${term(k, bracket(q, r, x))} = {poly(two, x)}$",
            f"Together: ${poly(result, x)}$.",
        ),
        wrong=(
            (
                m(poly([result[0], a * c + (-k * r if minus else r)], x)),
                "Makes a sign error in the second bracket"
                if minus
                else "Multiplies only the first term of the second bracket",
            ),
            (m(poly([result[0], c + r], x)), "Multiplies only the first term in each bracket"),
            (m(poly([result[0], -result[1]], x)), "Has the wrong sign of the number"),
            (m(poly([a * b - two[0], result[1]], x)), "Makes a sign error when collecting terms"),
        ),
        choice=0.4,
    )


def expand_double(d: Draw) -> Item:
    x = d.one_of("x", "y", "n")
    a, c = d.one_of((1, 1), (1, 1), (2, 1), (3, 2), (1, 4))
    b, e = d.whole(-9, 9, but=(0,)), d.whole(-9, 9, but=(0,))
    d.require((a, b) != (c, e))
    square = d.chance(0.3)
    if square:
        c, e = a, b
    coefficients = [a * c, a * e + b * c, b * e]
    shown = f"{bracket(a, b, x)}^2" if square else f"{bracket(a, b, x)}{bracket(c, e, x)}"
    result = poly(coefficients, x)
    products = signed_sum([term(a * c, f"{x}^2"), term(a * e, x), term(b * c, x), tex(b * e)])
    return Item(
        ask=(
            f"Expand ${shown}$.",
            f"Multiply out and simplify ${shown}$.",
            f"Write ${shown}$ as a polynomial.",
        ),
        answer=m(result),
        steps=(
            "Multiply each term of the first bracket by each term of the second one.",
            f"${products}$",
            f"Collected: ${result}$." if products != result else f"This is ${result}$.",
        ),
        wrong=(
            (m(poly([a * c, 0, b * e], x)), "Multiplies only first with first and last with last"),
            (m(poly([a * c, a * e + b * c, -b * e], x)), "Makes a sign error in the product of the numbers"),
            (m(poly([a * c, a * e + b * c, b + e], x)), "Adds the numbers instead of multiplying them"),
            (m(poly([a * c, -(a * e + b * c), b * e], x)), "Makes a sign error in the middle term"),
        ),
        choice=0.4,
    )


def common_factor(d: Draw) -> Item:
    x = d.one_of("x", "y", "a", "p")
    factor, (b, c) = d.whole(2, 12), d.several(2, 1, 9)
    d.require(math.gcd(b, c) == 1)
    c = c if d.chance() else -c
    squared = d.chance()
    outside = f"{factor}{x}" if squared else str(factor)
    shown = poly([factor * b, factor * c, 0], x) if squared else poly([factor * b, factor * c], x)
    result = f"{outside}{bracket(b, c, x)}"
    small = next(p for p in (2, 3, 5, 7, 11) if factor % p == 0)
    partly = f"{small}({poly([factor // small * b, factor // small * c] + ([0] if squared else []), x)})"
    return Item(
        ask=(
            f"Factorise ${shown}$ fully.",
            f"Take out the highest common factor: ${shown}$.",
            f"Write ${shown}$ as a product with the largest possible factor in front of the bracket.",
        ),
        answer=m(result),
        steps=(
            f"The highest common factor of the terms is ${outside}$.",
            f"${shown} = {result}$",
        ),
        wrong=(
            (m(partly), "Takes out a common factor that is not the highest"),
            (m(f"{outside}{bracket(b, factor * c, x)}"), "Divides only the first term"),
            (m(f"{outside}{bracket(b, -c, x)}"), "Makes a sign error in the bracket"),
            (m(f"{outside}({poly([b, c, 0], x)})"), "Leaves the letter in the bracket as well"),
        ),
        choice=0.4,
    )


def common_factor_two_letters(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("a", "b"), ("m", "n"))
    factor, (b, c) = d.whole(2, 9), d.several(2, 1, 7)
    p, q = d.whole(1, 2), d.whole(1, 2)
    d.require(math.gcd(b, c) == 1)
    c = c if d.chance() else -c
    first = f"{power(x, p + 1)}{power(y, q)}"
    second = f"{power(x, p)}{power(y, q + 1)}"
    outside = f"{factor}{power(x, p)}{power(y, q)}"
    shown = signed_sum([term(factor * b, first), term(factor * c, second)])
    inside = signed_sum([term(b, x), term(c, y)])
    return Item(
        ask=(
            f"Factorise ${shown}$ completely.",
            f"Write ${shown}$ as a product by taking out all common factors.",
        ),
        answer=m(f"{outside}({inside})"),
        steps=(
            f"Both terms contain ${outside}$.",
            f"${shown} = {outside}({inside})$",
        ),
    )


def factorise_quadratic(d: Draw) -> Item:
    x = d.one_of("x", "y", "t")
    a = d.one_of(1, 1, 1, 2, 3)
    p, q = d.whole(-9, 9, but=(0,)), d.whole(-9, 9, but=(0,))
    d.require(p != q and p != -q and math.gcd(a, p) == 1)
    # (a x + p)(x + q)
    coefficients = [a, a * q + p, p * q]
    d.require(coefficients[1] != 0)
    shown = poly(coefficients, x)
    factors = [bracket(a, p, x), bracket(1, q, x)]
    if a == 1:
        search = f"Find two numbers with product ${p * q}$ and sum ${p + q}$: ${p}$ and ${q}$."
    else:
        search = f"Split the middle term: ${a * q} \\times {braced(p)} = {a * p * q}$ and ${a * q} {plus(p)} = {a * q + p}$."
    return Item(
        ask=(
            f"Factorise ${shown}$.",
            f"Write ${shown}$ as a product of two brackets.",
            f"Factor the quadratic expression ${shown}$.",
        ),
        answer=m("".join(factors)),
        steps=(search, f"${shown} = {''.join(factors)}$"),
        wrong=(
            (m(f"{bracket(a, -p, x)}{bracket(1, -q, x)}"), "Has both signs wrong"),
            (m(f"{bracket(a, -p, x)}{bracket(1, q, x)}"), "Has one sign wrong"),
            (m(f"{bracket(a, p, x)}{bracket(1, -q, x)}"), "Has the sign of the other bracket wrong"),
            (m(f"{x}{bracket(a, a * q + p, x)}"), "Drops the constant term"),
        ),
        choice=0.4,
    )


def difference_of_squares(d: Draw) -> Item:
    x = d.one_of("x", "y", "a")
    a, b, k = d.one_of(1, 2, 3, 4, 5), d.whole(2, 12), d.one_of(1, 1, 2, 3, 5)
    d.require(math.gcd(a, b) == 1)
    shown = poly([k * a * a, 0, -k * b * b], x)
    result = f"{k if k > 1 else ''}{bracket(a, -b, x)}{bracket(a, b, x)}"
    steps = [f"${shown} = {k}({poly([a * a, 0, -b * b], x)})$"] if k > 1 else []
    square = f"({term(a, x)})^2" if a > 1 else f"{x}^2"
    return Item(
        ask=(
            f"Factorise ${shown}$ completely.",
            f"Write ${shown}$ as a product of factors that cannot be factorised further.",
        ),
        answer=m(result),
        steps=(
            *steps,
            f"A difference of squares: ${poly([a * a, 0, -b * b], x)} = {square} - {b}^2$.",
            f"So the factors are ${result}$.",
        ),
        wrong=(
            (
                m(f"{k if k > 1 else ''}{bracket(a, -b, x)}^2"),
                "Takes a difference of squares for the square of a difference",
            ),
            (
                m(f"{k if k > 1 else ''}{bracket(a * a, -b, x)}{bracket(1, b, x)}"),
                "Does not take the root of the first square",
            ),
            (
                m(f"{k if k > 1 else ''}{bracket(a, b, x)}^2"),
                "Takes a difference of squares for the square of a sum",
            ),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("like-terms", "Collecting like terms", 7, -0.7, like_terms),
    Pattern("perimeter-expression", "Collecting like terms", 7, 0.2, perimeter_expression),
    Pattern("substitute-linear", "Substitution", 7, -0.4, substitute_linear),
    Pattern("substitute-power", "Substitution", 8, 0.2, substitute_power),
    Pattern("words-to-expression", "Writing expressions", 7, -0.1, words_to_expression),
    Pattern("cost-expression", "Writing expressions", 7, -0.3, cost_expression),
    Pattern("expand-single", "Expanding brackets", 8, 0.0, expand_single),
    Pattern("expand-double", "Expanding brackets", 9, 0.1, expand_double),
    Pattern("common-factor", "Common factors", 8, -0.2, common_factor),
    Pattern("common-factor-two-letters", "Common factors", 9, 0.4, common_factor_two_letters),
    Pattern("factorise-quadratic", "Factorising quadratics", 9, 0.3, factorise_quadratic),
    Pattern("difference-of-squares", "Factorising quadratics", 9, 0.5, difference_of_squares),
)
