"""Sequences and series: rules and notation."""

from __future__ import annotations

from questionbank.demo.notation import answer, braced, frac, plus, poly, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, ordinal

__all__ = ["PATTERNS"]


def recurrence(d: Draw) -> Item:
    first, a, b = d.whole(1, 8), d.one_of(2, 2, 3, -1, -2), d.whole(-7, 7, but=(0,))
    values = [first]
    for _ in range(4):
        values.append(a * values[-1] + b)
    n = d.one_of(4, 5)
    d.require(len(set(values)) == 5 and abs(values[n - 1]) < 400)
    rule = f"u_{{n+1}} = {signed_sum([term(a, 'u_n'), tex(b)])}"
    return Item(
        ask=(
            f"A sequence is defined by $u_1 = {first}$ and ${rule}$. Find $u_{n}$.",
            f"Let $u_1 = {first}$ and ${rule}$ for $n \\ge 1$. What is $u_{n}$?",
        ),
        answer=answer(values[n - 1]),
        steps=tuple(
            f"$u_{i + 1} = {signed_sum([tex(a * values[i - 1]), tex(b)])} = {values[i]}$" for i in range(1, n)
        ),
        wrong=(
            (answer(values[n] if n < 5 else a * values[4] + b), "Goes one step too far"),
            (answer(values[n - 2]), "Stops one step too early"),
            (answer(first + (n - 1) * b), "Adds only, without multiplying"),
            (answer(a * (values[n - 2] + b)), "Adds before multiplying in the last step"),
        ),
        choice=0.35,
    )


def fibonacci_like(d: Draw) -> Item:
    a, b = d.whole(1, 9), d.whole(1, 9)
    values = [a, b]
    while len(values) < 8:
        values.append(values[-1] + values[-2])
    n = d.one_of(6, 7, 8)
    d.require((a, b) != (1, 1))
    return Item(
        ask=(
            (
                f"In a sequence each term from the third on is the sum of the two before it. It starts {a},"
                f" {b}. Find the {ordinal(n)} term."
            ),
            f"Let $u_1 = {a}$, $u_2 = {b}$ and $u_{{n+2}} = u_{{n+1}} + u_n$. What is $u_{n}$?",
        ),
        answer=str(values[n - 1]),
        steps=(
            f"The sequence is {', '.join(map(str, values[:n]))}.",
            f"The {ordinal(n)} term is {values[n - 1]}.",
        ),
        wrong=(
            (str(values[n - 2]), "Stops one term too early"),
            (str(values[n - 1] + values[n - 2]), "Goes one term too far"),
            (str(a + (n - 1) * (b - a) if b > a else a + b + n), "Treats it as an arithmetic sequence"),
        ),
        choice=0.3,
    )


def sigma_sum(d: Draw) -> Item:
    a, b, n = d.whole(1, 6), d.whole(-7, 9, but=(0,)), d.whole(5, 30)
    low = d.one_of(1, 1, 1, 2, 3)
    count = n - low + 1
    first, last = a * low + b, a * n + b
    total = count * (first + last) // 2
    body = poly([a, b], "k")
    shown = rf"\sum_{{k={low}}}^{{{n}}} ({body})"
    return Item(
        ask=(
            f"Evaluate ${shown}$.",
            f"Find the value of ${shown}$.",
            f"Work out the sum ${shown}$.",
            f"${shown} =$ ____",
        ),
        answer=answer(total),
        steps=(
            f"The terms form an arithmetic sequence from ${first}$ to ${last}$ with {count} terms.",
            (
                f"${frac(count, 2)} \\times ({first} {plus(last)}) = {tex(total)}$"
                if last
                else f"${frac(count, 2)} \\times {braced(first)} = {tex(total)}$"
            ),
        ),
        wrong=(
            (answer(last), "Gives the last term and not the sum"),
            (answer(total - b * (count - 1)), "Adds the constant only once"),
            (answer(total - first if first else total + last), "Leaves out the first term"),
            (answer(total + last + a), "Adds one term too many"),
        ),
        choice=0.35,
    )


def small_sigma(d: Draw) -> Item:
    kind = d.whole(0, 2)
    low, count = d.whole(1, 3), d.whole(3, 5)
    ks = list(range(low, low + count))
    if kind == 0:
        shift = d.whole(-3, 4, but=(0,))
        body, terms = poly([1, 0, shift], "k"), [k * k + shift for k in ks]
        shown = rf"\sum_{{k={low}}}^{{{ks[-1]}}} ({body})"
    elif kind == 1:
        base = d.whole(2, 3)
        body, terms = f"{base}^k", [base**k for k in ks]
        shown = rf"\sum_{{k={low}}}^{{{ks[-1]}}} {body}"
    else:
        a = d.whole(2, 4)
        body, terms = f"{a}k^2", [a * k * k for k in ks]
        shown = rf"\sum_{{k={low}}}^{{{ks[-1]}}} {body}"
    total = sum(terms)
    return Item(
        ask=(
            f"Evaluate ${shown}$.",
            f"Write out the terms of ${shown}$ and add them up.",
            f"${shown} =$ ____",
        ),
        answer=answer(total),
        steps=(
            f"The terms are ${', '.join(map(str, terms))}$.",
            (
                f"Their sum is ${signed_sum([str(t) for t in terms])} = {total}$."
                if 0 not in terms
                else f"Their sum is ${total}$."
            ),
        ),
        wrong=(
            (answer(terms[-1]), "Gives the last term only"),
            (answer(sum(terms[:-1])), "Leaves out the last term"),
            (answer(sum(terms[1:])), "Leaves out the first term"),
            (answer(total + terms[-1]), "Counts the last term twice"),
        ),
        choice=0.3,
    )


PATTERNS = (
    Pattern("recurrence", "Recurrence relations", 10, -0.3, recurrence),
    Pattern("fibonacci-like", "Recurrence relations", 8, -0.7, fibonacci_like),
    Pattern("sigma-sum", "Sigma notation", 11, 0.5, sigma_sum),
    Pattern("small-sigma", "Sigma notation", 11, -0.3, small_sigma),
)
