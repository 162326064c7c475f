r"""Fingerprints of questions: the same problem apart from notation, copies with other numbers, and the same form.

One data set writes "7 red apples are in the basket . How many ... ?", another "Seven red apples are in the basket. How
many ...?". `text_key` and `story_key` ignore how numbers are written (digits, words, ordinals), case, punctuation,
accents, spaces and tokenisation. Everything that separates training data from evaluation data compares by them:
exclusion from training, leak reports, the starters' data and the table of `worker.reproduction.apart`. The fixed parts
of `analytics.splits` are cut by another key, which does not change because stored models and figures depend on it.

`masked_text` is the form of a question, with numbers, signs and variables masked: ``$x^2-6x-16=0$`` and
``$y^2+7y+12=0$`` have the same form.

==============  ========================================================================================
number          ``#``, in digits or in words; dropped before a variable or a bracket
fraction        ``½``, because adding fractions is not the same task as adding integers; dropped as a coefficient
sign            ``+`` and ``-`` become ``±``; dropped at the start of a term
comparison      ``<`` and ``>`` become ``<``; ``\leq`` and ``\geq`` become ``\leq``
variable        ``a``, ``b``, ``c`` ... in order of appearance; ``e``, ``i`` and ``d`` stay
exponent        ``#``, except in equations and inequalities, where it separates a quadratic from a cubic
==============  ========================================================================================
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from functools import lru_cache
from itertools import groupby

from analytics.language.mentions import NumberMention
from analytics.text.characters import VULGAR_FRACTIONS
from analytics.text.formulas import segment_text
from analytics.text.notation import formula_tokens, normalise_latex
from analytics.text.numbers import find_numbers
from analytics.text.remembered import Remembered

_NUMBER = "#"
_BLANK_BEFORE = re.compile(r"\s+(?=[,.;:?!%'’)\]}])")
_BLANK_AFTER = re.compile(r"(?<=[(\[{$])\s+")
_DASH = re.compile(r"\s*[-‐‑‒–—−]+\s*")
_THOUSANDS = re.compile(r"(?<=\d)\s*,\s*(?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W_]+|[+=<>*^×÷]")
_ORDINALS = {
    word: str(value)
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=1
    )
} | {"one": "1", "ones": "1"}  # not among the numbers found in the text, as in "the old ones"
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)


def text_key(text: str) -> str:
    """Return a key that is the same for texts with the same words and the same numbers.

    >>> text_key("Seven red apples, 1,250 in 1/2 of the baskets.")
    '7 redapples 1250 in 1/2 ofthebaskets'
    >>> text_key("7 red apples , 1250 in half of the baskets")
    '7 redapples 1250 in 1/2 ofthebaskets'
    """
    return _keys(text)[0]


def story_key(text: str) -> str:
    """Return a key that is the same for texts that differ only in their numbers; adjacent numbers count as one.

    >>> story_key("Tom has 3 pens .") == story_key("Tom has twenty-five pens.")
    True
    """
    return _keys(text)[1]


def every_key_remembered() -> AbstractContextManager[None]:
    """Cache the keys of all texts inside the context, for lists that are compared repeatedly."""
    return _keys.without_bound()


@Remembered
def _keys(text: str) -> tuple[str, ...]:
    tokens = _tokens(text)
    story = groupby(_NUMBER if token[0].isdigit() else token for token in tokens)
    return " ".join(tokens), " ".join(token for token, _ in story)


def _tokens(text: str) -> list[str]:
    """Return numbers as values, and between them the letters of the words, joined."""
    plain = _untokenised(text)
    tokens: list[str] = []
    end = 0
    for mention in find_numbers(plain):
        tokens += _words(plain[end : mention.start])
        tokens.append(str(mention.value))
        ordinal = _ORDINAL.match(plain, mention.end)
        end = ordinal.end() if ordinal else mention.end
    tokens += _words(plain[end:])
    return tokens


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, with adjacent words joined and ordinals as numbers."""
    words = [_ORDINALS.get(word, word) for word in _WORD.findall(text.casefold())]
    for is_number, row in groupby(words, key=str.isdigit):
        if is_number:
            yield from row
        else:
            yield "".join(row)


def _untokenised(text: str) -> str:
    """Return a text without accents and without the spaces that a tokenizer puts around punctuation."""
    if not text.isascii():
        text = "".join(
            character if character in VULGAR_FRACTIONS else unicodedata.normalize("NFKD", character)
            for character in text
        )
    text = _BLANK_AFTER.sub("", _BLANK_BEFORE.sub("", text))
    return _THOUSANDS.sub(",", _DASH.sub("-", text))


MASK = "#"
FRACTION_MASK = "½"

_CREDIT_WORDS = (
    r"AMC|AIME|SASMO|Kangaroo|Olympiad|Math League|Question\s*\\?\#|adapted from"
    r"|竞赛|希望杯|迎春杯|初赛|复赛|决赛|联赛|年级[^，。]*卷|第[^题]*题"
)
_CREDIT = re.compile(
    rf"[(\[（【](?=[^()\[\]（）【】]*(?:{_CREDIT_WORDS}))[^()\[\]（）【】]{{1,160}}[)\]）】]", re.IGNORECASE
)

_DIGIT_OR_POINT = re.compile(r"[\d.]")
_VARIABLE = re.compile(r"[a-zA-Z]$|\\(?:alpha|beta|gamma|delta|theta|lambda|mu|phi|varphi|omega)$")
_CONSTANTS = frozenset("eid")
_NAMES = "abcfghjklmnopqrstuvwxyz"  # for masked variables: without the constants
_RELATIONS = frozenset({"=", "<", ">", r"\leq", r"\geq", r"\neq"})
_ONE_COMPARISON = {">": "<", r"\geq": r"\leq"}
_BEGINS_TERM = frozenset({"", "(", "[", "{", "=", "<", r"\leq", r"\neq", ",", ";", "&", "|", r"\{"})
_AFTER_COEFFICIENT = re.compile(r"[a-z(]$|\\(?:sqrt|sin|cos|tan|cot|sec|csc|log|ln|lg|pi)$")
_PROSE = re.compile(r"#|½|@|[A-Za-zÀ-ÿ]{2,}(?:['’][a-z]+)?|[A-Za-z]|[\u3400-\u9fff]|[=<>≤≥+\-−×÷*/^%√π∠△°]")
_LONE_LETTERS = frozenset({"a", "A", "I"})


def without_credits(text: str) -> str:
    """Return the text without the brackets that name the contest it comes from.

    >>> without_credits("How many hats? (2009 Math Kangaroo Problems, Level 3-4, Question #8)")
    'How many hats? '
    """
    return _CREDIT.sub("", text)


def masked_text(text: str) -> str:
    r"""Return the form of a whole question: lower-case words and masked formulas, separated by spaces.

    >>> masked_text("Solve $x^2-6x-16=0$ in 2 steps.") == masked_text("Solve $t^2+t+3=0$ in three steps!")
    True
    """
    variables: dict[str, str] = {}
    parts: list[str] = []
    for segment in segment_text(text):
        if segment.kind == "formula":
            parts.append(masked_formula(segment.body, variables))
        else:
            parts.extend(_masked_prose(segment.source, variables))
    return " ".join(part for part in parts if part)


def masked_formula(latex: str, variables: dict[str, str] | None = None) -> str:
    r"""Return the form of a formula: its tokens, separated by spaces.

    Args:
        variables: masks of the question's variables so far; updated in place.

    >>> masked_formula("x^2-6x-16=0") == masked_formula("3y^2+y+12=0")
    True
    >>> masked_formula("x^2-16=0"), masked_formula(r"\frac{3}{4} \div 2")
    ('a ^ 2 ± # = #', '½ \\div #')
    """
    variables = {} if variables is None else variables
    tokens = _formula_tokens(latex)
    keeps_exponents = not _RELATIONS.isdisjoint(tokens)
    masked: list[str] = []
    for piece in tokens:
        exponent = masked[-1:] == ["^"]
        if exponent and piece.isdigit():
            masked.append(piece if keeps_exponents else MASK)
        elif _DIGIT_OR_POINT.match(piece):
            masked.append(MASK)
        elif _VARIABLE.match(piece) and piece not in _CONSTANTS:
            masked.append(_variable(piece, variables))
        elif piece in {"+", "-"}:
            masked.append("±")
        else:
            masked.append(_ONE_COMPARISON.get(piece, piece))
    return " ".join(_terms(masked))


@lru_cache(maxsize=4_096)
def _formula_tokens(latex: str) -> tuple[str, ...]:
    """Return the tokens without braces, with numeric fractions masked."""
    latex = normalise_latex(latex)
    if "frac" in latex or "/" in latex or not VULGAR_FRACTIONS.keys().isdisjoint(latex):
        latex = _fractions_masked(latex)
    return tuple(piece for piece in formula_tokens(latex) if piece not in ("{", "}"))


def _fractions_masked(latex: str) -> str:
    """Replace numeric fractions by their mask; other numbers stay, because an exponent may be needed."""
    pieces: list[str] = []
    done = 0
    for mention in find_numbers(latex):
        if _is_fraction(mention):
            pieces += [latex[done : mention.start], FRACTION_MASK]
            done = mention.end
    return "".join(pieces) + latex[done:]


def _is_fraction(mention: NumberMention) -> bool:
    """Return whether a number is written with a fraction bar, including mixed numbers."""
    return any(sign in mention.text for sign in ("frac", "/", "⁄", *VULGAR_FRACTIONS))


def _terms(tokens: Iterable[str]) -> Iterator[str]:
    """Drop coefficients and the signs that begin a term."""
    pieces = list(tokens)
    for index, piece in enumerate(pieces):
        before = pieces[index - 1] if index else ""
        after = pieces[index + 1] if index + 1 < len(pieces) else ""
        if piece == "±" and before in _BEGINS_TERM:
            continue
        if piece in (MASK, FRACTION_MASK) and before != "^" and _AFTER_COEFFICIENT.match(after):
            continue
        yield piece


def _masked_prose(text: str, variables: dict[str, str]) -> Iterator[str]:
    """Yield lower-case words and masked numbers; plain-text formulas are masked as formulas."""
    pieces: list[str] = []
    done = 0
    for mention in find_numbers(text):
        mask = FRACTION_MASK if _is_fraction(mention) else MASK
        pieces += [text[done : mention.start], f" {mask} "]
        done = mention.end
    tokens = _PROSE.findall("".join(pieces) + text[done:])
    for index, piece in enumerate(tokens):
        if len(piece) > 1:
            yield piece.lower()
        elif piece.isalpha() and piece.isascii():
            yield piece.lower() if piece in _LONE_LETTERS else _variable(piece, variables)
        elif piece in "+-−":
            nearby = tokens[max(index - 1, 0) : index + 2]
            if all(len(neighbour) == 1 for neighbour in nearby):  # not a hyphen
                yield "±"
        else:
            yield {">": "<", "≥": "≤"}.get(piece, piece)


def _variable(name: str, variables: dict[str, str]) -> str:
    return variables.setdefault(name, _NAMES[min(len(variables), len(_NAMES) - 1)])
