"""Functions and graphs: functions."""

from __future__ import annotations

from questionbank.demo.notation import answer, frac, m, plus, poly, power, root, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def function_value(d: Draw) -> Item:
    f = d.one_of("f", "g", "h")
    a, b, c, u = (
        d.whole(-4, 5, but=(0,)),
        d.whole(-7, 7),
        d.whole(-9, 9, but=(0,)),
        d.whole(-5, 5, but=(0, 1)),
    )
    value = a * u * u + b * u + c
    shown = poly([a, b, c])
    put_in = signed_sum(
        [term(a, power(u, 2)) if abs(a) == 1 else f"{a} \\times {power(u, 2)}", tex(b * u), tex(c)]
    )
    return Item(
        ask=(
            f"The function ${f}$ is given by ${f}(x) = {shown}$. Find ${f}({u})$.",
            f"Let ${f}(x) = {shown}$. What is the value of ${f}({u})$?",
            f"If ${f}(x) = {shown}$, then ${f}({u}) =$ ____.",
        ),
        answer=answer(value),
        steps=(
            f"Put $x = {u}$: ${put_in}$.",
            f"${f}({u}) = {signed_sum([tex(a * u * u), tex(b * u), tex(c)])} = {value}$",
        ),
        wrong=(
            (answer((a * u) ** 2 + b * u + c), "Squares the coefficient too"),
            (answer(-a * u * u + b * u + c), "Makes a sign error with the square"),
            (answer(a * u * u - b * u + c), "Makes a sign error in the middle term"),
            (answer(2 * a * u + b * u + c), "Doubles instead of squaring"),
        ),
        choice=0.35,
    )


def composition(d: Draw) -> Item:
    a, b = d.whole(2, 6), d.whole(-7, 7, but=(0,))
    c, u = d.whole(-6, 6, but=(0,)), d.whole(-4, 5, but=(0,))
    f, g = poly([a, b]), poly([1, 0, c])
    outer_f = d.chance()
    inside = u * u + c if outer_f else a * u + b
    value = a * inside + b if outer_f else inside**2 + c
    swapped = (a * u + b) ** 2 + c if outer_f else a * (u * u + c) + b
    name = "f(g" if outer_f else "g(f"
    first = "g" if outer_f else "f"
    return Item(
        ask=(
            f"Let $f(x) = {f}$ and $g(x) = {g}$. Find ${name}({u}))$.",
            f"For $f(x) = {f}$ and $g(x) = {g}$, work out ${name}({u}))$.",
        ),
        answer=answer(value),
        steps=(
            f"The inner function first: ${first}({u}) = {inside}$.",
            f"Then ${name}({u})) = {name[0]}({inside}) = {value}$.",
        ),
        wrong=(
            (answer(swapped), "Applies the functions in the wrong order"),
            (answer((a * u + b) * (u * u + c)), "Multiplies the two values"),
            (answer(a * u + b + u * u + c), "Adds the two values"),
            (answer(inside), "Stops after the inner function"),
        ),
        choice=0.4,
    )


def composite_expression(d: Draw) -> Item:
    a, b, c, e = d.whole(2, 6), d.whole(-9, 9, but=(0,)), d.whole(2, 6), d.whole(-9, 9, but=(0,))
    d.require((a, b) != (c, e))
    f, g = poly([a, b]), poly([c, e])
    result, swapped = poly([a * c, a * e + b]), poly([a * c, c * b + e])
    return Item(
        ask=(
            f"Given $f(x) = {f}$ and $g(x) = {g}$, find $f(g(x))$ in its simplest form.",
            f"The functions $f(x) = {f}$ and $g(x) = {g}$ are composed. Simplify $f(g(x))$.",
        ),
        answer=m(result),
        steps=(f"$f(g(x)) = {a}({g}) {plus(b)}$", f"$f(g(x)) = {result}$"),
        wrong=(
            (m(swapped), "Applies the functions in the wrong order"),
            (m(poly([a * c, a * e + b * c, b * e])), "Multiplies the functions"),
            (m(poly([a * c, e + b])), "Multiplies only the first term in the bracket"),
            (m(poly([a + c, b + e])), "Adds the functions"),
        ),
        choice=0.4,
    )


def inverse_linear(d: Draw) -> Item:
    a, b = d.whole(2, 9), d.whole(-12, 12, but=(0,))
    f = poly([a, b])
    result = frac(poly([1, -b]), a)
    return Item(
        ask=(
            f"Find the inverse function $f^{{-1}}(x)$ of $f(x) = {f}$.",
            f"The function $f(x) = {f}$ has an inverse. Write down $f^{{-1}}(x)$.",
            f"Which function undoes $f(x) = {f}$?",
        ),
        answer=m(result),
        steps=(
            f"Solve $y = {f}$ for $x$: ${a}x = y {plus(-b)}$.",
            f"So $x = {frac(poly([1, -b], 'y'), a)}$ and $f^{{-1}}(x) = {result}$.",
        ),
        wrong=(
            (m(frac(1, f)), "Takes the reciprocal instead of the inverse function"),
            (m(frac(poly([1, b]), a)), "Does not change the sign of the number"),
            (m(f"{frac('x', a)} {plus(-b)}"), "Undoes the steps in the wrong order"),
            (m(poly([-a, -b])), "Changes all signs"),
        ),
        choice=0.4,
    )


def inverse_value(d: Draw) -> Item:
    kind = d.whole(0, 2)
    u = d.whole(1, 6)
    a, b = d.whole(2, 5), d.whole(-8, 8, but=(0,))
    if kind == 0:
        f, value = poly([a, 0, 0, b]), a * u**3 + b
        equation, last = f"{poly([a, 0, 0, b])} = {value}", f"x^3 = {u**3}"
        domain = ""
    elif kind == 1:
        f, value = root(poly([a, abs(b)])), u + 3
        equation, last = f"{f} = {value}", f"{poly([a, abs(b)])} = {value * value}"
        d.require((value * value - abs(b)) % a == 0 and value * value > abs(b))
        u = (value * value - abs(b)) // a
        domain = ""
    else:
        f, value = poly([1, 0, b]), u * u + b
        equation, last = f"{f} = {value}", f"x^2 = {u * u}"
        domain = r" for $x \ge 0$"
    return Item(
        ask=(
            f"Let $f(x) = {f}${domain}. Find $f^{{-1}}({value})$.",
            f"The function $f$ with $f(x) = {f}${domain} has an inverse. What is $f^{{-1}}({value})$?",
        ),
        answer=str(u),
        steps=(f"Solve ${equation}$.", f"${last}$, so $f^{{-1}}({value}) = {u}$."),
    )


PATTERNS = (
    Pattern("function-value", "Function values and composition", 9, -1.0, function_value),
    Pattern("composition", "Function values and composition", 10, 0.0, composition),
    Pattern("composite-expression", "Function values and composition", 10, 0.5, composite_expression),
    Pattern("inverse-linear", "Inverse functions", 10, 0.2, inverse_linear),
    Pattern("inverse-value", "Inverse functions", 10, 0.7, inverse_value),
)
