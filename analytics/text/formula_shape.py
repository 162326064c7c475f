r"""The shape of a formula: what remains when numbers and variable names are masked.

``2x + 3 = 11`` and ``7n - 18 = -74`` share one shape; ``\frac{1}{2} + \frac{1}{3}`` and ``\frac{5}{6} - \frac{4}{9}``
share another. `shape_tokens` returns the search tokens that full-text search indexes, so that a search finds formulas
with the same structure; `formula_likeness` ranks the results.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from string import ascii_letters

from rapidfuzz.distance import Indel

from analytics.text.formulas import formula_segments
from analytics.text.notation import SYNONYMS, formula_tokens

SHAPE_PREFIX = "f0s"  # no word and no other token starts with this
SHORTEST, LONGEST = 3, 40  # atoms: a single letter carries no information, and a long formula is unique
MOST_SHAPES = 12  # per text
_LONGEST_READ = 400  # characters per formula

# Commands under their names in SYNONYMS: "dfrac" is "frac" here, and "mathrm" is "text".
_LAYOUT = frozenset(
    "left right displaystyle textstyle limits quad qquad big Big bigg Bigg text mathbf dots operatorname space"
    " thinspace boxed phantom".split()
)
_SAME = {"leq": "<", "geq": "<", "cdot": "*", "times": "*", "rightarrow": "to", "pm": "+", "div": "/"}
_SIGNS = {"<": "<", ">": "<", "≤": "<", "≥": "<", "×": "*", "÷": "/", "−": "-", "π": "pi"}
_KNOWN = frozenset("-+=<>≤≥≠×÷*/^_|!'%(){}[]√π²³" + ascii_letters) | set(map(chr, range(ord("Α"), ord("ω") + 1)))
_OPENING, _CLOSING = {"{": "}", "(": ")"}, frozenset("})")


@lru_cache(maxsize=20_000)
def formula_atoms(latex: str) -> tuple[str, ...]:
    r"""Return the symbols of a formula without those that only group or lay out.

    >>> formula_atoms(r"\dfrac{1}{2}+\frac13"), formula_atoms(r"\log_{2}(8)"), formula_atoms("3 * x^{2}")
    (('frac', '1', '2', '+', 'frac', '1', '3'), ('log', '_', '2', '8'), ('3', 'x', '^', '2'))
    """
    atoms: list[str] = []
    short_fraction = 0  # \frac13: each digit is one argument
    for token in formula_tokens(latex[:_LONGEST_READ].replace("**", "^")):
        if token[0] == "\\" and token[1:2].isalpha():
            if token[-1] == "}":  # an environment: stored shapes contain the letters of its name
                atoms.extend(
                    [token[1 : token.index("{")].strip(), "{", *filter(str.isalpha, token.partition("{")[2]), "}"]
                )
                continue
            name = SYNONYMS.get(token, token).lstrip("\\")
            if not name or name in _LAYOUT:
                continue
            atom = _SAME.get(name) or _SIGNS.get(name, name)
            short_fraction = 2 if atom == "frac" else 0
            atoms.append(atom)
        elif token[-1].isdigit():
            number = token.lstrip(".").replace("{,}", "").replace(",", "")
            if short_fraction and atoms[-1] != "{" and len(number) > 1:
                atoms.extend(number)
                short_fraction = 0
            else:
                atoms.append(number)
        elif (sign := token[-1]) in _KNOWN:
            if sign == "{":
                short_fraction = 0
            atoms.append(_SIGNS.get(sign, sign))
    while atoms and atoms[-1] in "=<":  # "2 + 3 =" asks for 2 + 3
        atoms.pop()
    return tuple(_without_times(_without_single_brackets(atoms)))


@lru_cache(maxsize=20_000)
def formula_shape(latex: str) -> tuple[str, ...]:
    r"""Return the atoms with numbers and letters masked; exponents and zeros stay, and plus and minus are the same.

    >>> formula_shape("2x + 3 = 11") == formula_shape("8n - 18 = -4"), formula_shape("x^2")
    (True, ('v0', '^', '2'))
    """
    letters: dict[str, str] = {}
    shape: list[str] = []
    for atom in formula_atoms(latex):
        if atom[0].isdigit():
            matters = atom == "0" or shape[-1:] == ["^"]
            shape.append(atom if matters else "N")
        elif len(atom) == 1 and atom.isalpha():
            shape.append(letters.setdefault(atom, f"v{len(letters)}"))
        elif atom == "-":
            if shape and shape[-1] not in ("=", "<", "(", "{", "frac", "^", "_"):
                shape.append("+")  # the sign of the first number is not part of the shape
        else:
            shape.append(atom)
    return tuple(shape)


def formula_likeness(query: str, formula: str) -> float:
    r"""Return the similarity of two formulas, 0 to 1: by shape, by exact symbols and by special symbols.

    Functions, relations and powers are special: a limit of a sine is more like another limit of a sine than
    like a limit of a root with the same shape.

    >>> formula_likeness("1/2", "1/2"), formula_likeness(r"\sin x", r"\sin 2x") > formula_likeness(r"\sin x", "2x")
    (1.0, True)
    """
    mine, others = _standing_out(query), _standing_out(formula)
    shared = len(mine & others) / len(mine | others) if mine or others else 1.0
    by_shape = Indel.normalized_similarity(formula_shape(query), formula_shape(formula))
    by_symbols = Indel.normalized_similarity(formula_atoms(query), formula_atoms(formula))
    return 0.4 * by_shape + 0.3 * by_symbols + 0.3 * shared


@lru_cache(maxsize=20_000)
def _standing_out(latex: str) -> frozenset[str]:
    atoms = formula_atoms(latex)
    powers = {f"^{after}" for atom, after in pairwise(atoms) if atom == "^"}
    return frozenset(atom for atom in atoms if (len(atom) > 1 and atom.isalpha()) or atom in "=<!|") | powers


def text_formulas(text: str) -> list[str]:
    """Return the formulas of a text, without their dollar signs."""
    return [segment.body for segment in formula_segments(text)]


def shape_tokens(formulas: Sequence[str]) -> list[str]:
    r"""Return one search token per shape, for formulas that are neither trivial nor long.

    >>> shape_tokens(["2x+3=11", "x"]) == shape_tokens([r"5n - 4 = 21"])
    True
    """
    tokens: dict[str, None] = {}
    for formula in formulas:
        shape = formula_shape(formula)
        if SHORTEST <= len(shape) <= LONGEST or "sqrt" in shape:
            tokens[f"{SHAPE_PREFIX}{zlib.crc32(' '.join(shape).encode()):08x}"] = None
        if len(tokens) >= MOST_SHAPES:
            break
    return list(tokens)


def _without_single_brackets(atoms: list[str]) -> list[str]:
    """Drop brackets around a single atom, from the inside out."""
    stack: list[str] = []
    for atom in atoms:
        if atom in _CLOSING and len(stack) >= 2 and _OPENING.get(stack[-2]) == atom and stack[-1] not in _CLOSING:
            inner = stack.pop()
            stack[-1] = inner
        else:
            stack.append(atom)
    return stack


def _without_times(atoms: list[str]) -> list[str]:
    """Drop multiplication signs except between two numbers."""
    return [
        atom
        for place, atom in enumerate(atoms)
        if atom != "*"
        or (0 < place < len(atoms) - 1 and atoms[place - 1][0].isdigit() and atoms[place + 1][0].isdigit())
    ]
