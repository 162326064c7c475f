"""Algebraic expressions: building expressions."""

from __future__ import annotations

from questionbank.demo.notation import answer, braced, m, plus, poly, power, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun

__all__ = ["PATTERNS"]


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
            f"Simplified, ${shown} =$ ____.",
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
            (m(signed_sum([term(a + c, x), term(b - e, y)])), f"Makes a sign error with ${y}$"),
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
    thing, n, opening, fixed, each = d.one_of(
        (
            Noun("kilometre"),
            "k",
            "A taxi charges a basic fee of £{f} and £{e} for each kilometre.",
            d.whole(4, 9),
            d.whole(2, 3),
        ),
        (
            Noun("hour"),
            "h",
            "Hiring a canoe costs a fee of £{f} and £{e} for each hour.",
            d.whole(12, 30),
            d.whole(5, 11),
        ),
        (
            Noun("guest"),
            "g",
            "A hall costs £{f} to rent, and dinner is £{e} for each guest.",
            d.whole(18, 60) * 10,
            d.whole(14, 45),
        ),
        (
            Noun("month"),
            "m",
            "A gym charges £{f} to join and £{e} a month.",
            d.whole(25, 60),
            d.whole(15, 24),
        ),
        (
            Noun("lesson"),
            "n",
            "A set of skis costs £{f} to hire, and each lesson costs £{e}.",
            d.whole(41, 90),
            d.whole(20, 40),
        ),
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


PATTERNS = (
    Pattern("like-terms", "Collecting like terms", 7, -1.7, like_terms),
    Pattern("perimeter-expression", "Collecting like terms", 7, -0.2, perimeter_expression),
    Pattern("substitute-linear", "Substitution", 7, -1.2, substitute_linear),
    Pattern("substitute-power", "Substitution", 8, -0.2, substitute_power),
    Pattern("words-to-expression", "Writing expressions", 7, -0.7, words_to_expression),
    Pattern("cost-expression", "Writing expressions", 7, -1.0, cost_expression),
)
