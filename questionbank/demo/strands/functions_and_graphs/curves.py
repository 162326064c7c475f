"""Functions and graphs: curves."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import frac, m, plus, poly, power, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]

Point = tuple[int | Fraction, int | Fraction]


def vertex_form(a: int, h: int, k: int) -> str:
    """Return ``a(x - h)^2 + k``."""
    return f"{term(a, f'({poly([1, -h])})^2')} {plus(k)}"


def read_vertex(d: Draw) -> Item:
    a, h, k = d.whole(-4, 5, but=(0,)), d.whole(-8, 8, but=(0,)), d.whole(-9, 9, but=(0,))
    d.require(abs(h) != abs(k))
    shown = vertex_form(a, h, k)
    return Item(
        ask=(
            f"Write down the vertex of the parabola $y = {shown}$.",
            f"What are the coordinates of the turning point of $y = {shown}$?",
            f"The graph of $y = {shown}$ has its {'lowest' if a > 0 else 'highest'} point at ____.",
        ),
        answer=m(f"({h}, {k})"),
        steps=(f"The square is 0 for $x = {h}$; then $y = {k}$.", f"The vertex is $({h}, {k})$."),
        wrong=(
            (m(f"({-h}, {k})"), "Reads the number in the bracket with its own sign"),
            (m(f"({h}, {-k})"), "Changes the sign of the constant"),
            (m(f"({k}, {h})"), "Swaps the coordinates"),
            (m(f"({-h}, {-k})"), "Has both signs wrong"),
        ),
    )


def find_vertex(d: Draw) -> Item:
    a, h, k = d.one_of(-2, -1, 1, 1, 2, 3), d.whole(-6, 6, but=(0,)), d.whole(-9, 9)
    b, c = -2 * a * h, a * h * h + k
    d.require(c != 0 and abs(c) < 80)
    shown = poly([a, b, c])
    square = term(a, power(h, 2)) if abs(a) == 1 else rf"{a} \times {power(h, 2)}"
    return Item(
        ask=(
            f"Find the vertex of the parabola $y = {shown}$.",
            f"At which point does $y = {shown}$ have its {'minimum' if a > 0 else 'maximum'}?",
            f"Determine the turning point of the graph of $y = {shown}$.",
        ),
        answer=m(f"({h}, {k})"),
        steps=(
            f"$x = -{frac('b', '2a')} = {h}$",
            f"$y = {signed_sum([square, tex(b * h), tex(c)])} = {k}$",
            f"The vertex is $({h}, {k})$.",
        ),
        wrong=(
            (m(f"({-h}, {k})"), "Forgets the minus sign in the formula"),
            (m(f"({h}, {c})"), "Takes the constant term for the height"),
            (m(f"({2 * h}, {c})"), "Forgets the factor 2 in the formula"),
            (m(f"({h}, {-k})"), "Makes a sign error in the height"),
        ),
        choice=0.35,
    )


def thrown_ball(d: Draw) -> Item:
    half = d.whole(1, 4)
    start = d.whole(1, 15)
    a, b = -5, 10 * half
    height = 5 * half * half + start
    thing = d.one_of("A ball is thrown upwards", "A firework is launched", "A stone is tossed up")
    wants_time = d.chance(0.4)
    shown = poly([a, b, start], "t")
    question = "After how many seconds is it highest?" if wants_time else "What is its greatest height?"
    rewording = (
        "When is it highest, in seconds?" if wants_time else "Find the greatest height that it reaches."
    )
    body = {"A ball": "ball", "A fire": "rocket", "A ston": "stone"}[thing[:6]]
    return Item(
        ask=(
            f"{thing}. After $t$ seconds its height in metres is $h(t) = {shown}$. {question}",
            f"The height (in metres) of a {body} after $t$ seconds is $h(t) = {shown}$. {rewording}",
        ),
        answer=str(half) if wants_time else f"{height} m",
        steps=(
            f"The vertex lies at $t = -{frac('b', '2a')} = {frac(b, 10)} = {half}$, that is after {half} s.",
            (
                f"$h({half}) = {a * half * half} + {b * half} + {start} = {height}$, so the greatest height"
                f" is {height} m."
            ),
        ),
    )


def shifted_graph(d: Draw) -> Item:
    base, shape = d.one_of(
        ("x^2", "parabola"),
        (r"\sqrt{x}", "curve"),
        ("x^3", "curve"),
        (r"\frac{1}{x}", "hyperbola"),
        ("|x|", "graph"),
    )
    right, up = d.whole(-7, 7, but=(0,)), d.whole(-7, 7, but=(0,))

    def moved(h: int, k: int) -> str:
        inside = poly([1, -h])
        body = {
            "x^2": f"({inside})^2",
            r"\sqrt{x}": rf"\sqrt{{{inside}}}",
            "x^3": f"({inside})^3",
            r"\frac{1}{x}": frac(1, inside),
            "|x|": f"|{inside}|",
        }[base]
        return f"y = {body} {plus(k)}"

    sideways = f"{abs(right)} unit{'s' if abs(right) > 1 else ''} to the {'right' if right > 0 else 'left'}"
    vertical = f"{abs(up)} unit{'s' if abs(up) > 1 else ''} {'up' if up > 0 else 'down'}"
    return Item(
        ask=(
            (
                f"The graph of $y = {base}$ is moved {sideways} and {vertical}. What is the equation of the"
                f" new {shape}?"
            ),
            (
                f"Which equation belongs to the graph of $y = {base}$ after a shift of {sideways} and"
                f" {vertical}?"
            ),
        ),
        answer=m(moved(right, up)),
        steps=(
            f"A shift {sideways} replaces $x$ by ${poly([1, -right])}$.",
            f"A shift {vertical} {'adds' if up > 0 else 'subtracts'} {abs(up)}: ${moved(right, up)}$.",
        ),
        wrong=(
            (m(moved(-right, up)), "Shifts in the wrong direction sideways"),
            (m(moved(right, -up)), "Shifts in the wrong direction vertically"),
            (m(moved(up, right)), "Swaps the two shifts"),
            (m(moved(-right, -up)), "Shifts in the wrong direction both ways"),
        ),
        choice=0.7,
    )


def image_of_point(d: Draw) -> Item:
    x, y = d.whole(-6, 8, but=(0,)), d.whole(-8, 9, but=(0,))
    a, k = d.whole(1, 6), d.whole(2, 4)
    forms: tuple[tuple[str, Point, Point, str], ...] = (
        (f"y = f(x - {a})", (x + a, y), (x - a, y), "Shifts in the wrong direction"),
        (f"y = f(x + {a})", (x - a, y), (x + a, y), "Shifts in the wrong direction"),
        (f"y = f(x) + {a}", (x, y + a), (x + a, y), "Changes the wrong coordinate"),
        (f"y = f(x) - {a}", (x, y - a), (x - a, y), "Changes the wrong coordinate"),
        ("y = -f(x)", (x, -y), (-x, y), "Reflects in the wrong axis"),
        ("y = f(-x)", (-x, y), (x, -y), "Reflects in the wrong axis"),
        (f"y = {k}f(x)", (x, k * y), (k * x, y), "Stretches in the wrong direction"),
        (f"y = f({k}x)", (Fraction(x, k), y), (k * x, y), "Stretches instead of compressing"),
    )
    shown, right, wrong, why = d.one_of(*forms)

    def at(pair: Point) -> str:
        return m(f"({tex(pair[0])}, {tex(pair[1])})")

    return Item(
        ask=(
            (
                f"The point $({x}, {y})$ lies on the graph of $y = f(x)$. Which point must lie on the graph"
                f" of ${shown}$?"
            ),
            (
                f"The graph of $y = f(x)$ passes through $({x}, {y})$. Through which corresponding point does"
                f" ${shown}$ pass?"
            ),
        ),
        answer=at(right),
        steps=(
            "A change inside the bracket acts on $x$ (the opposite way), a change outside acts on $y$.",
            f"The point $({x}, {y})$ goes to {at(right)}.",
        ),
        wrong=(
            (at(wrong), why),
            (m(f"({x}, {y})"), "Believes that the point does not move"),
            (m(f"({y}, {x})"), "Reflects in the line $y = x$"),
            (m(f"({-x}, {-y})"), "Reflects in both axes"),
        ),
        choice=0.6,
    )


PATTERNS = (
    Pattern("read-vertex", "Vertex of a parabola", 9, -0.5, read_vertex),
    Pattern("find-vertex", "Vertex of a parabola", 10, 0.3, find_vertex),
    Pattern("thrown-ball", "Vertex of a parabola", 10, 0.7, thrown_ball),
    Pattern("shifted-graph", "Transforming graphs", 10, 0.0, shifted_graph),
    Pattern("image-of-point", "Transforming graphs", 11, 0.3, image_of_point),
)
