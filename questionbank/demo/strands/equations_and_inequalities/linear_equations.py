"""Equations and inequalities: linear equations."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import frac, m, poly, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

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
            f"The equation ${left} = {c}$ has the solution ____.",
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
        slip = a * (u - b)
    else:
        value, c = a * u, u + b
        left = signed_sum([frac(x, a), tex(b)])
        steps = (
            f"{'Subtract' if b > 0 else 'Add'} {abs(b)} on both sides: ${frac(x, a)} = {u}$.",
            f"Multiply by {a}: ${x} = {value}$.",
        )
        slip = a * c - b
    return Item(
        ask=(
            f"Solve ${left} = {c}$.",
            f"Find the number ${x}$ for which ${left} = {c}$.",
            f"Solve the equation ${left} = {c}$ and check your solution.",
            f"The solution of ${left} = {c}$ is ____.",
        ),
        answer=solution_of(x, value),
        steps=steps,
        wrong=(
            (solution_of(x, slip), "Undoes the steps in the wrong order"),
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
            (
                f"{'Subtract' if c > 0 else 'Add'} ${term(abs(c), x)}$ on both sides: ${poly([a - c, b], x)}"
                f" = {e}$."
            ),
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
            (
                f"${a}x = {result - b}$, so $x = {u}$."
                if then_add
                else f"$x + {b} = {result // a}$, so $x = {u}$."
            ),
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
            (
                f"The sum of {words} {kind} is {total}. What is the {'largest' if largest else 'smallest'} of"
                " them?"
            ),
            (
                f"{words.capitalize()} {kind} add up to {total}. Find the"
                f" {'largest' if largest else 'smallest'} one."
            ),
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
    young, k = d.whole(5, 14), d.whole(3, 4)
    older, elder = d.people(2)
    ahead = d.whole(2, 12)
    gap = (k - 1) * (young + ahead)
    d.require(18 <= gap <= 40)
    old = young + gap
    return Item(
        ask=(
            (
                f"{older} is {gap} years older than {elder}. In {ahead} years {older} will be {k} times as"
                f" old as {elder}. How old is {elder} now?"
            ),
            (
                f"In {ahead} years {older}'s age will be {k} times {elder}'s. {older} is {gap} years older"
                f" than {elder}. How old is {elder} today?"
            ),
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
    relation = (
        f"{abs(extra)} cm {'more' if extra > 0 else 'less'} than"
        f" {['twice', 'three times', 'four times'][k - 2]} its width"
    )
    return Item(
        ask=(
            f"The length of a rectangle is {relation}. The perimeter is {perimeter} cm. Find the width.",
            f"A rectangle has a perimeter of {perimeter} cm. Its length is {relation}. How wide is it?",
        ),
        answer=f"{width} cm",
        steps=(
            f"With width $w$ the length is ${poly([k, extra], 'w')}$.",
            (
                f"$2({poly([k, extra], 'w')} + w) = {perimeter}$, so ${poly([2 * k + 2, 2 * extra], 'w')} ="
                f" {perimeter}$."
            ),
            f"$w = {width}$, so the width is {width} cm.",
        ),
    )


PATTERNS = (
    Pattern("two-step-equation", "One-step and two-step equations", 7, -1.5, two_step_equation),
    Pattern("fraction-equation", "One-step and two-step equations", 8, -0.2, fraction_equation),
    Pattern("both-sides", "Unknown on both sides", 8, -0.3, both_sides),
    Pattern("brackets-both-sides", "Unknown on both sides", 8, 0.5, brackets_both_sides),
    Pattern("number-puzzle", "Equations from words", 7, -0.7, number_puzzle),
    Pattern("consecutive-numbers", "Equations from words", 8, 0.3, consecutive_numbers),
    Pattern("age-riddle", "Equations from words", 8, 1.4, age_riddle),
    Pattern("rectangle-from-perimeter", "Equations from words", 8, 0.8, rectangle_from_perimeter),
)
