"""Equations and inequalities, first part: linear equations and systems."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import cases, frac, m, plus, poly, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun

__all__ = ["PATTERNS"]


def solution_of(variable: str, value: int | Fraction) -> str:
    """Return ``x = 3`` as a formula."""
    return m(f"{variable} = {tex(value)}")


def two_step_equation(d: Draw) -> Item:
    x = d.one_of("x", "x", "y", "n", "t")
    a, b, u = d.whole(2, 12), d.whole(-20, 20, but=(0,)), d.whole(-9, 12, but=(0,))
    c = a * u + b
    d.require(c != 0)
    left = poly([a, b], x)
    return Item(
        ask=(
            f"Solve the equation ${left} = {c}$.",
            f"Find ${x}$ if ${left} = {c}$.",
            f"What value of ${x}$ makes ${left} = {c}$ true?",
            f"The solution of ${left} = {c}$ is ${x} =$ ____.",
        ),
        answer=solution_of(x, u),
        steps=(
            f"{'Subtract' if b > 0 else 'Add'} {abs(b)} on both sides: ${a}{x} = {c - b}$.",
            f"Divide by {a}: ${x} = {u}$.",
        ),
        wrong=(
            (solution_of(x, Fraction(c + b, a)), "Moves the number without changing its sign"),
            (solution_of(x, c - b - a), "Subtracts the coefficient instead of dividing by it"),
            (solution_of(x, -u), "Has the wrong sign"),
            (solution_of(x, c - b), "Forgets the last division"),
        ),
        choice=0.35,
    )


def fraction_equation(d: Draw) -> Item:
    x = d.one_of("x", "y", "n")
    a, b, u = d.whole(2, 9), d.whole(-9, 9, but=(0,)), d.whole(-8, 9, but=(0,))
    bracketed = d.chance()
    if bracketed:
        value = a * u - b
        left, c = frac(poly([1, b], x), a), u
        steps = (
            f"Multiply both sides by {a}: ${poly([1, b], x)} = {a * u}$.",
            f"{'Subtract' if b > 0 else 'Add'} {abs(b)}: ${x} = {value}$.",
        )
        other = a * (u - b)
    else:
        value, c = a * u, u + b
        left = signed_sum([frac(x, a), tex(b)])
        steps = (
            f"{'Subtract' if b > 0 else 'Add'} {abs(b)} on both sides: ${frac(x, a)} = {u}$.",
            f"Multiply by {a}: ${x} = {value}$.",
        )
        other = a * c - b
    return Item(
        ask=(
            f"Solve ${left} = {c}$.",
            f"Find the number ${x}$ for which ${left} = {c}$.",
            f"Solve the equation ${left} = {c}$ and check your solution.",
        ),
        answer=solution_of(x, value),
        steps=steps,
        wrong=(
            (solution_of(x, other), "Undoes the steps in the wrong order"),
            (solution_of(x, Fraction(value, a * a)), "Divides instead of multiplying"),
            (solution_of(x, value + 2 * b), "Moves the number without changing its sign"),
            (solution_of(x, -value), "Has the wrong sign"),
        ),
        choice=0.3,
    )


def both_sides(d: Draw) -> Item:
    x = d.one_of("x", "x", "y", "p", "t")
    a, c, u = d.whole(2, 12), d.whole(-6, 11, but=(0,)), d.whole(-9, 9, but=(0,))
    b = d.whole(-15, 15, but=(0,))
    d.require(a - c > 1)
    e = (a - c) * u + b
    d.require(e != 0)
    left, right = poly([a, b], x), poly([c, e], x)
    return Item(
        ask=(
            f"Solve the equation ${left} = {right}$.",
            f"Find the value of ${x}$ that satisfies ${left} = {right}$.",
            f"For which ${x}$ are ${left}$ and ${right}$ equal?",
        ),
        answer=solution_of(x, u),
        steps=(
            f"{'Subtract' if c > 0 else 'Add'} ${term(abs(c), x)}$ on both sides: ${poly([a - c, b], x)} = {e}$.",
            f"{'Subtract' if b > 0 else 'Add'} {abs(b)}: ${term(a - c, x)} = {e - b}$.",
            f"Divide by {a - c}: ${x} = {u}$.",
        ),
        wrong=(
            (
                solution_of(x, Fraction(e - b, a + c)) if a + c else solution_of(x, e - b),
                "Moves the term with the letter without changing its sign",
            ),
            (solution_of(x, Fraction(e + b, a - c)), "Moves the number without changing its sign"),
            (solution_of(x, -u), "Has the wrong sign"),
            (solution_of(x, e - b), "Forgets the last division"),
        ),
        choice=0.35,
    )


def brackets_both_sides(d: Draw) -> Item:
    x = d.one_of("x", "y", "k")
    a, b, c, e, u = (
        d.whole(2, 6),
        d.whole(-7, 7, but=(0,)),
        d.whole(2, 6),
        d.whole(-7, 7, but=(0,)),
        d.whole(-6, 8, but=(0,)),
    )
    d.require(a != c)
    left, right = [a, a * b], [c, c * e]
    shift = (a - c) * u + a * b - c * e
    d.require(shift != 0 and abs(shift) < 40)
    shown = f"{a}({poly([1, b], x)}) = {signed_sum([f'{c}({poly([1, e], x)})', tex(shift)])}"
    right = [c, c * e + shift]
    return Item(
        ask=(
            f"Solve ${shown}$.",
            f"Expand the brackets and solve: ${shown}$.",
        ),
        answer=solution_of(x, u),
        steps=(
            f"Expand: ${poly(left, x)} = {poly(right, x)}$.",
            f"Collect: ${poly([a - c, 0], x)} = {right[1] - left[1]}$.",
            f"So ${x} = {u}$.",
        ),
    )


def number_puzzle(d: Draw) -> Item:
    a, b, u = d.whole(2, 9), d.whole(3, 30), d.whole(3, 20)
    then_add = d.chance()
    who = d.person()
    result = a * u + b if then_add else a * (u + b)
    story = f"multiplies it by {a} and adds {b}" if then_add else f"adds {b} and multiplies the result by {a}"
    return Item(
        ask=(
            f"{who} thinks of a number, {story}. The result is {result}. What number did {who.he} think of?",
            f"{who} takes a number, {story}, and gets {result}. Find the number.",
        ),
        answer=str(u),
        steps=(
            f"Let the number be $x$: ${f'{a}x + {b}' if then_add else f'{a}(x + {b})'} = {result}$.",
            f"${a}x = {result - b}$, so $x = {u}$."
            if then_add
            else f"$x + {b} = {result // a}$, so $x = {u}$.",
        ),
        wrong=(
            (
                str(result - b - a) if then_add else str(result - a - b),
                "Subtracts the factor instead of dividing",
            ),
            (str(u + 2 * b) if not then_add else str(u + b), "Adds where one must subtract"),
            (str(a * u), "Stops one step too early"),
        ),
        choice=0.25,
        equation=f"({result}-{b})/{a}" if then_add else f"{result}/{a}-{b}",
    )


def consecutive_numbers(d: Draw) -> Item:
    count, kind = (
        d.one_of(3, 3, 4),
        d.one_of("consecutive whole numbers", "consecutive even numbers", "consecutive odd numbers"),
    )
    step = 1 if kind.endswith("whole numbers") else 2
    first = d.whole(6, 60)
    d.require(step == 1 or first % 2 == (0 if "even" in kind else 1))
    numbers = [first + step * i for i in range(count)]
    total = sum(numbers)
    largest = d.chance(0.4)
    result = numbers[-1] if largest else first
    gaps = step * count * (count - 1) // 2
    words = {3: "three", 4: "four"}[count]
    return Item(
        ask=(
            f"The sum of {words} {kind} is {total}. What is the {'largest' if largest else 'smallest'} of them?",
            f"{words.capitalize()} {kind} add up to {total}. Find the {'largest' if largest else 'smallest'} one.",
        ),
        answer=str(result),
        steps=(
            f"If the smallest is $n$, the sum is ${count}n + {gaps}$.",
            f"${count}n + {gaps} = {total}$ gives $n = {first}$.",
            f"The numbers are {', '.join(map(str, numbers))}, so the answer is {result}.",
        ),
        wrong=(
            (str(first if largest else numbers[-1]), "Gives the other end of the row"),
            (
                str(total // count + (0 if total // count != result else 1)),
                "Divides the sum by the number of numbers",
            ),
            (str(result - step), "Makes an error of one place in the row"),
            (str(result + step), "Makes an error of one place in the row"),
        ),
        choice=0.3,
    )


def age_riddle(d: Draw) -> Item:
    young, k = d.whole(5, 14), d.whole(2, 4)
    older, elder = d.people(2)
    ahead = d.whole(2, 12)
    gap = (k - 1) * (young + ahead)
    d.require(18 <= gap <= 40)
    old = young + gap
    return Item(
        ask=(
            f"{older} is {gap} years older than {elder}. In {ahead} years {older} will be {k} times as old as {elder}. How "
            f"old is {elder} now?",
            f"In {ahead} years {older}'s age will be {k} times {elder}'s. {older} is {gap} years older than {elder}. How old "
            f"is {elder} today?",
        ),
        answer=str(young),
        steps=(
            f"Let {elder} be $x$ years old; {older} is $x + {gap}$.",
            f"In {ahead} years: $x + {gap + ahead} = {k}(x + {ahead})$.",
            f"${term(k - 1, 'x')} = {gap + ahead - k * ahead}$, so $x = {young}$ (and {older} is {old}).",
        ),
        equation=f"{gap}/({k}-1)-{ahead}",
    )


def rectangle_from_perimeter(d: Draw) -> Item:
    k, extra, width = d.whole(2, 4), d.whole(-6, 9, but=(0,)), d.whole(5, 24)
    length = k * width + extra
    d.require(length > width)
    perimeter = 2 * (length + width)
    relation = f"{abs(extra)} cm {'more' if extra > 0 else 'less'} than {['twice', 'three times', 'four times'][k - 2]} its width"
    return Item(
        ask=(
            f"The length of a rectangle is {relation}. The perimeter is {perimeter} cm. Find the width.",
            f"A rectangle has a perimeter of {perimeter} cm. Its length is {relation}. How wide is it?",
        ),
        answer=f"{width} cm",
        steps=(
            f"With width $w$ the length is ${poly([k, extra], 'w')}$.",
            f"$2({poly([k, extra], 'w')} + w) = {perimeter}$, so ${poly([2 * k + 2, 2 * extra], 'w')} = {perimeter}$.",
            f"$w = {width}$, so the width is {width} cm.",
        ),
    )


def system(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("x", "y"), ("a", "b"), ("p", "q"))
    u, v = d.whole(-6, 8), d.whole(-6, 8)
    a, b, c, e = d.whole(1, 6), d.whole(-5, 6, but=(0,)), d.whole(1, 6), d.whole(-6, 6, but=(0,))
    determinant = a * e - b * c
    d.require(determinant != 0 and u != v and (u or v))
    first = f"{signed_sum([term(a, x), term(b, y)])} = {a * u + b * v}"
    second = f"{signed_sum([term(c, x), term(e, y)])} = {c * u + e * v}"
    result = f"{x} = {u}, {y} = {v}"
    lead = f"{determinant}{y}" if abs(determinant) != 1 else (y if determinant == 1 else f"-{y}")
    constant = a * (c * u + e * v) - c * (a * u + b * v)
    shown = cases(first, second)
    return Item(
        ask=(
            f"Solve the system of equations\n$${shown}$$",
            f"Find ${x}$ and ${y}$ such that\n$${shown}$$",
            f"Solve the simultaneous equations ${first}$ and ${second}$.",
        ),
        answer=m(result),
        steps=(
            f"Multiply the second equation by {a} and the first by {c}, then subtract: ${lead} = {constant}$."
            if (a, c) != (1, 1)
            else f"Subtract the first equation from the second one: ${lead} = {constant}$.",
            f"So ${y} = {v}$.",
            f"Put this into the first equation: ${term(a, x)} {plus(b * v)} = {a * u + b * v}$, so ${x} = {u}$."
            if v
            else f"Put this into the first equation: ${term(a, x)} = {a * u}$, so ${x} = {u}$.",
            f"The solution is ${result}$.",
        ),
        wrong=(
            (m(f"{x} = {v}, {y} = {u}"), "Swaps the two unknowns"),
            (m(f"{x} = {-u}, {y} = {-v}"), "Has both signs wrong"),
            (m(f"{x} = {u}, {y} = {-v}"), "Makes a sign error when substituting back"),
            (m(f"{x} = {u + 1}, {y} = {v}"), "Solves one equation only"),
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
            f"The lines ${first}$ and ${second}$ intersect. Find the coordinates of the point of intersection.",
            f"Find the point that lies on both ${first}$ and ${second}$.",
        ),
        answer=m(f"({u}, {v})"),
        steps=(
            f"Substitute: ${signed_sum([term(c, 'x'), f'{e if e > 1 else str()}({poly([k, shift])})'])} = {total}$.",
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
            f"Tickets for {place} cost £{adult} for adults and £{child} for children. {total} tickets were sold for £{money_in} "
            "altogether. How many adult tickets were sold?",
            f"At {place} adults pay £{adult} and children £{child}. One day {total} visitors paid £{money_in} in total. How "
            "many of them were adults?",
        ),
        answer=str(n),
        steps=(
            f"Let $a$ be the number of adults and $c$ the number of children: ${cases(f'a + c = {total}', f'{adult}a + {child}c = {money_in}')}$.",
            f"If all were children, they would pay ${child} \\times {total} = {child * total}$ pounds.",
            f"The difference of ${money_in} - {child * total} = {money_in - child * total}$ pounds comes from the adults, "
            f"{adult - child} each: ${money_in - child * total} \\div {adult - child} = {n}$.",
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
    one, two = a * p + b * q, c * p + e * q
    result = f"{p} pence"
    return Item(
        ask=(
            f"{first(a).capitalize()} and {second(b)} cost {one} pence. {first(c).capitalize()} and {second(e)} cost {two} pence. "
            f"What does one {first.one} cost?",
            f"A customer pays {one} pence for {first(a)} and {second(b)}; another pays {two} pence for {first(c)} and "
            f"{second(e)}. Find the price of one {first.one}.",
        ),
        answer=result,
        steps=(
            f"With prices $x$ and $y$: ${cases(f'{a}x + {b}y = {one}', signed_sum([term(c, 'x'), term(e, 'y')]) + f' = {two}')}$.",
            f"Multiply the first equation by {e} and the second by {b}, then subtract: "
            f"${term(a * e - b * c, 'x')} = {e * one - b * two}$."
            if e > 1
            else f"Multiply the second equation by {b} and subtract it from the first one: "
            f"${term(a - b * c, 'x')} = {one - b * two}$.",
            f"$x = {p}$, so one {first.one} costs {result}.",
        ),
        wrong=(
            (f"{q} pence", f"Gives the price of one {second.one}"),
            (f"{p + q} pence", "Gives the price of both together"),
            (
                f"{one // (a + b) + (1 if one // (a + b) in (p, q) else 0)} pence",
                "Divides the price by the number of things",
            ),
        ),
        choice=0.3,
    )


PATTERNS = (
    Pattern("two-step-equation", "One-step and two-step equations", 7, -0.6, two_step_equation),
    Pattern("fraction-equation", "One-step and two-step equations", 8, 0.2, fraction_equation),
    Pattern("both-sides", "Unknown on both sides", 8, 0.1, both_sides),
    Pattern("brackets-both-sides", "Unknown on both sides", 8, 0.6, brackets_both_sides),
    Pattern("number-puzzle", "Equations from words", 7, -0.1, number_puzzle),
    Pattern("consecutive-numbers", "Equations from words", 8, 0.5, consecutive_numbers),
    Pattern("age-riddle", "Equations from words", 8, 1.1, age_riddle),
    Pattern("rectangle-from-perimeter", "Equations from words", 8, 0.8, rectangle_from_perimeter),
    Pattern("system", "Solving linear systems", 9, 0.2, system),
    Pattern("substitution-system", "Solving linear systems", 9, 0.4, substitution_system),
    Pattern("tickets", "Systems from words", 9, 0.7, tickets),
    Pattern("two-prices", "Systems from words", 9, 0.9, two_prices),
)
