"""Equations and inequalities: systems of equations."""

from __future__ import annotations

from questionbank.demo.notation import cases, m, plus, poly, signed_sum, term
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun

__all__ = ["PATTERNS"]


def system(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("x", "y"), ("a", "b"), ("p", "q"))
    u, v = d.whole(-6, 8), d.whole(-6, 8)
    a, b, c, e = d.whole(1, 6), d.whole(-5, 6, but=(0,)), d.whole(1, 6), d.whole(-6, 6, but=(0,))
    determinant = a * e - b * c
    d.require(determinant != 0 and u and v and abs(u) != abs(v) and (a == 1 or a != c))
    first = f"{signed_sum([term(a, x), term(b, y)])} = {a * u + b * v}"
    second = f"{signed_sum([term(c, x), term(e, y)])} = {c * u + e * v}"
    result = f"{x} = {u}, {y} = {v}"
    lead = f"{determinant}{y}" if abs(determinant) != 1 else (y if determinant == 1 else f"-{y}")
    constant = a * (c * u + e * v) - c * (a * u + b * v)
    shown = cases(first, second)
    if a == c == 1:
        elimination = "Subtract the first equation from the second one"
    elif a == 1:
        elimination = f"Multiply the first equation by {c} and subtract it from the second one"
    elif c == 1:
        elimination = f"Multiply the second equation by {a} and subtract the first one from it"
    else:
        elimination = f"Multiply the second equation by {a} and the first by {c}, then subtract"
    return Item(
        ask=(
            f"Solve this system of equations.\n$${shown}$$",
            f"Find the values of ${x}$ and ${y}$ that satisfy both equations.\n$${shown}$$",
            f"Solve the simultaneous equations ${first}$ and ${second}$.",
        ),
        answer=m(result),
        steps=(
            f"{elimination}: ${lead} = {constant}$.",
            f"So ${y} = {v}$.",
            (
                f"Put this into the first equation: ${term(a, x)} {plus(b * v)} = {a * u + b * v}$, so ${x} ="
                f" {u}$."
            ),
            f"The solution is ${result}$.",
        ),
        wrong=(
            (m(f"{x} = {v}, {y} = {u}"), "Swaps the two unknowns"),
            (m(f"{x} = {-u}, {y} = {-v}"), "Has both signs wrong"),
            (m(f"{x} = {u}, {y} = {-v}"), "Makes a sign error when substituting back"),
            (m(f"{x} = {-u}, {y} = {v}"), "Makes a sign error in the first unknown"),
        ),
        choice=0.3,
    )


def substitution_system(d: Draw) -> Item:
    u, v = d.whole(-6, 8), d.whole(-9, 12)
    k, c = d.whole(2, 5), d.whole(1, 4)
    e = d.whole(1, 4)
    shift = v - k * u
    d.require(c + e * k != 0 and shift != 0 and u != 0)
    total = c * u + e * v
    first = f"y = {poly([k, shift])}"
    second = f"{signed_sum([term(c, 'x'), term(e, 'y')])} = {total}"
    return Item(
        ask=(
            f"Solve the system ${cases(first, second)}$ by substitution.",
            (
                f"The lines ${first}$ and ${second}$ intersect. Find the coordinates of the point of"
                " intersection."
            ),
            f"Find the point that lies on both ${first}$ and ${second}$.",
        ),
        answer=m(f"({u}, {v})"),
        steps=(
            f"Substitute: ${signed_sum([term(c, 'x'), term(e, f'({poly([k, shift])})')])} = {total}$.",
            f"${poly([c + e * k, e * shift])} = {total}$, so $x = {u}$.",
            f"Then $y = {v}$, and the solution is $({u}, {v})$.",
        ),
        wrong=(
            (m(f"({v}, {u})"), "Swaps the coordinates"),
            (m(f"({u}, {-v})"), "Makes a sign error in the second coordinate"),
            (m(f"({-u}, {v})"), "Makes a sign error in the first coordinate"),
            (m(f"({u}, {k * u})"), "Forgets the constant when substituting back"),
        ),
        choice=0.3,
    )


def tickets(d: Draw) -> Item:
    adult, child = d.whole(8, 18), d.whole(3, 9)
    n, k = d.whole(11, 60), d.whole(12, 70)
    d.require(adult - child > 2 and n != k)
    place = d.one_of("a zoo", "a museum", "a school play", "a planetarium", "an ice show")
    total, money_in = n + k, adult * n + child * k
    return Item(
        ask=(
            (
                f"Tickets for {place} cost £{adult} for adults and £{child} for children. {total} tickets"
                f" were sold for £{money_in} altogether. How many adult tickets were sold?"
            ),
            (
                f"At {place} adults pay £{adult} and children £{child}. One day {total} visitors paid"
                f" £{money_in} in total. How many of them were adults?"
            ),
        ),
        answer=str(n),
        steps=(
            (
                "Let $a$ be the number of adults and $c$ the number of children:"
                f" ${cases(f'a + c = {total}', f'{adult}a + {child}c = {money_in}')}$."
            ),
            f"If all were children, they would pay ${child} \\times {total} = {child * total}$ pounds.",
            (
                f"The difference of ${money_in} - {child * total} = {money_in - child * total}$ pounds comes"
                f" from the adults, {adult - child} each: ${money_in - child * total} \\div {adult - child} ="
                f" {n}$."
            ),
        ),
        wrong=(
            (str(k), "Gives the number of children"),
            (str(total // 2 + (1 if total // 2 in (n, k) else 0)), "Takes half of all tickets"),
            (str(money_in // adult), "Divides the money by the adult price"),
        ),
        choice=0.25,
        equation=f"({money_in}-{child}*{total})/({adult}-{child})",
    )


def two_prices(d: Draw) -> Item:
    first, second = d.sample(
        (
            Noun("apple"),
            Noun("pear"),
            Noun("muffin"),
            Noun("juice carton"),
            Noun("yoghurt"),
            Noun("bread roll"),
            Noun("lemon"),
        ),
        2,
    )
    p, q = d.whole(4, 18) * 5, d.whole(4, 18) * 5
    a, b, c, e = d.whole(2, 5), d.whole(2, 5), d.whole(2, 6), d.whole(1, 4)
    d.require(a * e != b * c and p != q)
    bill, next_bill = a * p + b * q, c * p + e * q
    result = f"{p} pence"
    return Item(
        ask=(
            (
                f"{first(a).capitalize()} and {second(b)} cost {bill} pence. {first(c).capitalize()} and"
                f" {second(e)} cost {next_bill} pence. What does one {first.one} cost?"
            ),
            (
                f"A customer pays {bill} pence for {first(a)} and {second(b)}; another pays {next_bill} pence for"
                f" {first(c)} and {second(e)}. Find the price of one {first.one}."
            ),
        ),
        answer=result,
        steps=(
            (
                "With prices $x$ and $y$:"
                f" ${cases(f'{a}x + {b}y = {bill}', signed_sum([term(c, 'x'), term(e, 'y')]) + f' = {next_bill}')}$."
            ),
            (
                f"Multiply the first equation by {e} and the second by {b}, then subtract: "
                f"${term(a * e - b * c, 'x')} = {e * bill - b * next_bill}$."
                if e > 1
                else (
                    f"Multiply the second equation by {b} and subtract it from the first one: "
                    f"${term(a - b * c, 'x')} = {bill - b * next_bill}$."
                )
            ),
            f"$x = {p}$, so one {first.one} costs {result}.",
        ),
        wrong=(
            (f"{q} pence", f"Gives the price of one {second.one}"),
            (f"{p + q} pence", "Gives the price of both together"),
            (
                f"{bill // (a + b) + (1 if bill // (a + b) in (p, q) else 0)} pence",
                "Divides the price by the number of things",
            ),
        ),
        choice=0.3,
    )


PATTERNS = (
    Pattern("system", "Solving linear systems", 9, -0.2, system),
    Pattern("substitution-system", "Solving linear systems", 9, 0.2, substitution_system),
    Pattern("tickets", "Systems from words", 9, 0.7, tickets),
    Pattern("two-prices", "Systems from words", 9, 1.0, two_prices),
)
