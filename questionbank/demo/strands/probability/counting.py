"""Probability: counting."""

from __future__ import annotations

import math

from questionbank.demo.notation import frac, prose, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, word

__all__ = ["PATTERNS"]

_WORDS = {
    "LEVEL": (2, 2),
    "ALGEBRA": (2,),
    "BANANA": (3, 2),
    "NUMBER": (),
    "TRIANGLE": (),
    "PEPPER": (3, 2),
    "VECTOR": (),
    "COFFEE": (2, 2),
    "MATRIX": (),
    "STATISTICS": (3, 3, 2),
    "GRAPH": (),
    "ZERO": (),
    "LETTER": (2, 2),
    "ANGLE": (),
    "RADII": (2,),
    "MEDIAN": (),
    "SQUARE": (),
    "CIRCLE": (2,),
    "FUNCTION": (3,),
    "LIMIT": (2,),
    "DEGREE": (3,),
    "TANGENT": (2, 2),
    "COMMON": (2, 2),
    "SUMMIT": (2,),
}  # repeated letters


def arrange_letters(d: Draw) -> Item:
    text, repeats = d.one_of(*_WORDS.items())
    n = len(text)
    value = math.factorial(n) // math.prod(math.factorial(k) for k in repeats)
    shown = frac(f"{n}!", r" \times ".join(f"{k}!" for k in repeats)) if repeats else f"{n}!"
    repeated = (
        "All letters are different."
        if not repeats
        else f"There are {n} letters, and equal letters can be swapped without a change."
    )
    return Item(
        ask=(
            f"In how many different ways can the letters of the word {text} be arranged?",
            f"How many different rows of letters can be made from all letters of {text}?",
            f"Find the number of arrangements of the letters of {text}.",
        ),
        answer=prose(value),
        steps=(repeated, f"${shown} = {tex(value)}$"),
        wrong=(
            (
                prose(math.factorial(n)) if repeats else prose(n**2),
                "Counts arrangements that look the same" if repeats else "Squares the number of letters",
            ),
            (prose(math.factorial(n - 1)), "Leaves out one letter"),
            (prose(2**n), "Takes two choices for each letter"),
            (
                prose(math.factorial(n) // 2) if repeats != (2,) else prose(math.factorial(n) // 4),
                "Divides by the wrong number",
            ),
        ),
        choice=0.35,
    )


def podium(d: Draw) -> Item:
    n, k = d.whole(6, 14), d.one_of(2, 3, 3, 4)
    value = math.perm(n, k)
    roles = {2: "a chair and a deputy", 3: "a first, a second and a third prize", 4: "four different posts"}[
        k
    ]
    return Item(
        ask=(
            (
                f"From {n} people, {roles} are to be chosen. Nobody can be chosen twice. In how many ways is"
                " this possible?"
                if k != 3
                else (
                    f"{n} people take part in a competition with a first, a second and a third prize. In how"
                    " many ways can the prizes be won?"
                )
            ),
            (
                f"A club of {n} members has {word(k)} different tasks to give to {word(k)} different members."
                " How many ways are there?"
            ),
        ),
        answer=prose(value),
        steps=(
            "The order matters, and nobody is chosen twice.",
            f"${product_of(n, k)} = {tex(value)}$",
        ),
        wrong=(
            (prose(math.comb(n, k)), "Ignores the order"),
            (prose(n**k), "Lets somebody be chosen twice"),
            (prose(n * k), "Multiplies the two numbers"),
        ),
        choice=0.4,
    )


def product_of(n: int, k: int) -> str:
    """Return ``n (n - 1) ...`` with k factors."""
    return r" \times ".join(str(n - i) for i in range(k))


def passwords(d: Draw) -> Item:
    letters, digits = d.one_of(1, 2, 2, 3), d.one_of(2, 3, 3)
    size = d.whole(4, 8)
    repeat = d.chance(0.6)
    value = (size**letters if repeat else math.perm(size, letters)) * (
        10**digits if repeat else math.perm(10, digits)
    )
    d.require(letters <= size)
    alphabet = "ABCDEFGH"[:size]
    rule = "may be repeated" if repeat else "must all be different"
    letter_word = f"{word(letters)} letter{'s' if letters > 1 else ''}"
    parts = [
        *([str(size if repeat else size - i) for i in range(letters)]),
        *([str(10 if repeat else 10 - i) for i in range(digits)]),
    ]
    slip = (math.perm(size, letters) * math.perm(10, digits)) if repeat else size**letters * 10**digits
    return Item(
        ask=(
            (
                f"A code consists of {letter_word} from {', '.join(alphabet)} followed by {word(digits)}"
                f" digits. Letters and digits {rule}. How many codes are there?"
            ),
            (
                f"A lock opens with {letter_word} (from {', '.join(alphabet)}) and then {word(digits)}"
                f" digits, which {rule}. How many combinations does it have?"
                if repeat
                else (
                    f"Number plates have {letter_word} from {', '.join(alphabet)} and then {word(digits)}"
                    " digits. All characters must be different. How many plates are possible?"
                )
            ),
        ),
        answer=prose(value),
        steps=("Multiply the numbers of choices for each place.", f"${times(parts)} = {tex(value)}$"),
        wrong=(
            (prose(slip), "Does not let characters repeat" if repeat else "Lets characters repeat"),
            (prose(size * letters + 10 * digits), "Adds the choices"),
            (
                prose(size * letters * 10 * digits),
                "Multiplies by the number of places instead of using powers",
            ),
        ),
        choice=0.35,
    )


def times(parts: list[str]) -> str:
    """Return a product."""
    return r" \times ".join(parts)


def choose_team(d: Draw) -> Item:
    n, k = d.whole(6, 14), d.one_of(2, 3, 3, 4)
    value = math.comb(n, k)
    what = d.one_of(
        (f"A coach picks {word(k)} of {n} players for a photo.", "In how many ways can they be picked?"),
        (
            f"From {n} toppings a customer chooses {word(k)} different ones for a pizza.",
            "How many choices are there?",
        ),
        (f"A committee of {word(k)} is chosen from {n} people.", "In how many ways is this possible?"),
        (
            f"A teacher selects {word(k)} of {n} problems for a quiz; their order does not matter.",
            "How many selections are there?",
        ),
    )
    return Item(
        ask=(
            " ".join(what),
            (
                f"{what[0]} The order does not matter. {what[1]}"
                if "order" not in what[0]
                else f"{what[0]} Find the number of possible selections."
            ),
        ),
        answer=prose(value),
        steps=(
            "The order does not matter.",
            (
                rf"$\binom{{{n}}}{{{k}}} = {frac(product_of(n, k), product_of(k, k) if k > 1 else '1')} ="
                rf" {tex(value)}$"
            ),
        ),
        wrong=(
            (prose(math.perm(n, k)), "Counts each selection in every order"),
            (prose(n**k), "Lets the same one be chosen twice"),
            (prose(n * k), "Multiplies the two numbers"),
        ),
        choice=0.4,
    )


def mixed_committee(d: Draw) -> Item:
    women, men = d.whole(4, 9), d.whole(4, 9)
    p, q = d.one_of((2, 1), (1, 2), (2, 2), (3, 1), (3, 2))
    value = math.comb(women, p) * math.comb(men, q)

    def people(k: int, singular: str, plural: str) -> str:
        return f"{word(k)} {singular if k == 1 else plural}"

    group = f"{people(p, 'woman', 'women')} and {people(q, 'man', 'men')}"
    return Item(
        ask=(
            (
                f"A group has {women} women and {men} men. In how many ways can a committee of {group} be"
                " chosen from it?"
            ),
            (
                f"From {women} women and {men} men, {group} are to be selected for a jury. How many"
                " selections are possible?"
            ),
        ),
        answer=prose(value),
        steps=(
            (
                rf"Women: $\binom{{{women}}}{{{p}}} = {math.comb(women, p)}$. Men: $\binom{{{men}}}{{{q}}} ="
                rf" {math.comb(men, q)}$."
            ),
            f"${math.comb(women, p)} \\times {math.comb(men, q)} = {tex(value)}$",
        ),
        wrong=(
            (prose(math.comb(women, p) + math.comb(men, q)), "Adds the two numbers of ways"),
            (prose(math.comb(women + men, p + q)), "Ignores how many of each are needed"),
            (prose(math.perm(women, p) * math.perm(men, q)), "Counts each selection in every order"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("arrange-letters", "Arrangements", 10, 0.0, arrange_letters),
    Pattern("podium", "Arrangements", 10, 0.2, podium),
    Pattern("passwords", "Arrangements", 10, 0.0, passwords),
    Pattern("choose-team", "Combinations", 10, 0.2, choose_team),
    Pattern("mixed-committee", "Combinations", 11, 0.8, mixed_committee),
)
