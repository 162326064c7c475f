"""Calculus: limits."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import answer, frac, poly, root, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def limit_by_cancelling(d: Draw) -> Item:
    u, v = d.whole(-6, 7, but=(0,)), d.whole(-8, 8, but=(0,))
    w = d.whole(-8, 8, but=(0,))
    d.require(u not in (v, w) and v != w)
    a = d.one_of(1, 1, 2, 3)
    # a (x - u)(x - v) / (x - u), or over (x - u)(x - w)
    top = poly([a, -a * (u + v), a * u * v])
    simple = d.chance(0.6)
    bottom = poly([1, -u]) if simple else poly([1, -(u + w), u * w])
    value = Fraction(a * (u - v)) if simple else Fraction(a * (u - v), u - w)
    shown = rf"\lim_{{x \to {u}}} {frac(top, bottom)}"
    lead = "" if a == 1 else str(a)
    reduced = f"{lead}({poly([1, -v])})" if lead else poly([1, -v])
    if not simple:
        reduced = frac(reduced, poly([1, -w]))
    return Item(
        ask=(
            f"Find ${shown}$.",
            f"Evaluate the limit ${shown}$.",
            f"What is ${shown}$?",
            f"${shown} =$ ____",
        ),
        answer=answer(value),
        steps=(
            f"The numerator is ${lead}({poly([1, -u])})({poly([1, -v])})$"
            + ("." if simple else f", the denominator $({poly([1, -u])})({poly([1, -w])})$."),
            f"After cancelling: ${reduced}$.",
            f"For $x = {u}$ this is ${tex(value)}$.",
        ),
        wrong=(
            ("0", "Sees that the numerator becomes 0 and stops"),
            ("does not exist", "Takes the form zero over zero to have no limit"),
            (answer(-value), "Makes a sign error when factorising"),
            (answer(value + 2 * v), "Substitutes into the wrong factor"),
        ),
        choice=0.4,
    )


def limit_at_infinity(d: Draw) -> Item:
    a, b, c = d.whole(-8, 9, but=(0,)), d.whole(-9, 9), d.whole(-9, 9)
    p, q, r = d.whole(2, 9), d.whole(-9, 9), d.whole(-9, 9, but=(0,))
    d.require(b or c)
    shape = d.one_of("equal", "equal", "smaller")
    top = [a, b, c] if shape == "equal" else [a, b or 1]
    bottom = [p, q, r]
    value = Fraction(a, p) if shape == "equal" else Fraction(0)
    shown = rf"\lim_{{x \to \infty}} {frac(poly(top), poly(bottom))}"
    note = (
        f"Divide top and bottom by $x^2$: the terms in {frac_text()} vanish and ${tex(Fraction(a, p))}$ is"
        " left."
        if shape == "equal"
        else "The denominator grows faster than the numerator, so the limit is 0."
    )
    return Item(
        ask=(
            f"Find ${shown}$.",
            f"Evaluate ${shown}$.",
            rf"What value does ${frac(poly(top), poly(bottom))}$ approach as $x \to \infty$?",
        ),
        answer=answer(value),
        steps=("Only the highest powers matter for large $x$.", note),
        wrong=(
            ("does not exist", "Believes that infinity over infinity has no limit"),
            (
                answer(Fraction(c, r)) if shape == "equal" else answer(Fraction(a, p)),
                (
                    "Substitutes 0 for $x$"
                    if shape == "equal"
                    else "Takes the quotient of the leading coefficients"
                ),
            ),
            (answer(Fraction(p, a)), "Divides the wrong way round"),
            (
                answer(Fraction(sum(top), sum(bottom))) if sum(bottom) else "1",
                "Substitutes 1 for $x$" if sum(bottom) else "Takes every such limit to be 1",
            ),
        ),
        choice=0.4,
    )


def frac_text() -> str:
    """Return the phrase for the terms that vanish."""
    return r"$\frac{1}{x}$ and $\frac{1}{x^2}$"


def limit_with_root(d: Draw) -> Item:
    a = d.whole(2, 9)
    square = a * a
    k = d.one_of(1, 1, 2, 3)
    if d.chance():
        radical = root(poly([k, square]))
        shown = rf"\lim_{{x \to 0}} {frac(f'{radical} - {a}', 'x')}"
        value = Fraction(k, 2 * a)
        steps = (
            f"Multiply top and bottom by ${radical} + {a}$.",
            f"The numerator becomes ${term(k, 'x')}$, which cancels with the $x$ below.",
            f"For $x = 0$: ${frac(k, f'{a} + {a}')} = {tex(value)}$.",
        )
    else:
        below = rf"\sqrt{{x}} - {a}"
        shown = rf"\lim_{{x \to {square}}} {frac(f'x - {square}', below)}"
        value = Fraction(2 * a)
        steps = (
            rf"$x - {square} = (\sqrt{{x}} - {a})(\sqrt{{x}} + {a})$",
            rf"After cancelling: $\sqrt{{x}} + {a}$.",
            f"For $x = {square}$: ${a} + {a} = {2 * a}$.",
        )
    return Item(
        ask=(f"Find ${shown}$.", f"Evaluate ${shown}$ without a calculator."),
        answer=answer(value),
        steps=steps,
        wrong=(
            ("0", "Sees that the numerator becomes 0 and stops"),
            ("does not exist", "Takes the form zero over zero to have no limit"),
            (answer(1 / value), "Divides the wrong way round"),
            (answer(value / 2), "Forgets one of the two equal terms"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("limit-by-cancelling", "Limits by algebra", 11, 0.0, limit_by_cancelling),
    Pattern("limit-at-infinity", "Limits by algebra", 11, 0.2, limit_at_infinity),
    Pattern("limit-with-root", "Limits by algebra", 12, 1.4, limit_with_root),
)
