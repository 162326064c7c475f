"""Words of a question for comparison, the tables of ``english.toml``, and small text edits.

Comparison knows stop words, stems and synonyms. Edits replace spans, close gaps and write units for the operators.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Set
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from analytics.language.en.numbers import english_words
from analytics.language.en.units import NAMES
from analytics.text.formulas import formula_segments


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("english.toml").read_text(encoding="utf-8"))


def words_of(table: str) -> list[str]:
    """Return the words of a list."""
    return str(_tables()[table]).split()


def lines_of(table: str) -> list[str]:
    """Return the lines of a table."""
    return str(_tables()[table]).splitlines()


def rows_of(table: str) -> list[list[str]]:
    """Return the rows of a table.

    >>> rows_of("contractions")[0]
    ['do not', "don't"]
    """
    return [[word.replace("_", " ") for word in row.split()] for row in str(_tables()[table]).split("|")]


def pairs_of(table: str) -> list[tuple[str, str]]:
    """Return the rows of a table of pairs."""
    return [(first, second) for first, second in rows_of(table)]


def patterns_of(table: str) -> list[list[str]]:
    """Return the rows of a table of regular expressions."""
    rows: list[list[str]] = _tables()[table]
    return rows


STOP_WORDS = frozenset(words_of("stop_words"))


SYNONYMS = rows_of("synonyms")
"""Rows of interchangeable words."""

_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_VOWEL = re.compile(r"[aeiouy]")
_PLURALS = (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"))
_IRREGULAR = dict(pair.split(":") for pair in words_of("irregular_forms"))


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [match[0].lower() for match in _WORD.finditer(text)]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Strip plural and verb endings for comparison; the result need not be a word.

    >>> stem("carries"), stem("travelled"), stem("children"), stem("boxes"), stem("sharing") == stem("share")
    ('carry', 'travel', 'child', 'box', True)
    """
    word = word.lower().removesuffix("'s").removesuffix("’s")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4:
        return word
    if word.endswith("ie") and len(word) > 4:
        return word[:-2] + "y"  # "cookie" gets the same stem as "cookies"
    for ending, new in _PLURALS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + new
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) > 2 and _VOWEL.search(base):
            word = base[:-1] if base[-1] == base[-2] and base[-1] not in "sz" else base
            break
    return word.removesuffix("e") if len(word) > 3 else word


@lru_cache(maxsize=1)
def _rows() -> dict[str, str]:
    rows: dict[str, str] = {}
    for row in (*SYNONYMS, *rows_of("compared")):
        stems = [stem(word) for word in row if " " not in word]
        first = next((rows[base] for base in stems if base in rows), stems[0])
        rows |= dict.fromkeys(stems, first)
    return rows


def canonical(word: str) -> str:
    """Return a common stem for interchangeable words.

    >>> canonical("purchased") == canonical("bought"), canonical("kids") == canonical("child")
    (True, True)
    """
    base = stem(word)
    return _rows().get(base, base)


def shared_words(first: str, second: str) -> float:
    """Return the share of words that two texts have in common, in [0, 1]; 1 if neither has any.

    >>> shared_words("Ann bought 3 pens.", "Ann has purchased 3 pens.")
    0.75
    """
    first_words, second_words = ({canonical(word) for word in words(text)} for text in (first, second))
    return shared_share(first_words, second_words)


def shared_share(first: Set[str], second: Set[str]) -> float:
    """Return the share of words that two sets have in common, in [0, 1]; 1 if both are empty."""
    return len(first & second) / len(first | second) if first or second else 1.0


_NO_ADVERBS = frozenset(words_of("no_adverbs"))


def is_adverb(word: str) -> bool:
    """Return whether a lower-case word is an adverb that never changes what is asked (unlike "daily" and "equally").

    >>> is_adverb("slowly"), is_adverb("daily"), is_adverb("family")
    (True, False, False)
    """
    return word.endswith("ly") and word not in _NO_ADVERBS


GENERIC = frozenset(canonical(word) for word in words_of("generic"))
"""Nouns that can replace any other noun, in their `canonical` form."""


Edit = tuple[int, int, str]
"""Start, end and replacement."""

_BLANKS = re.compile(r"[^\S\n]{2,}")
_BEFORE_MARK = re.compile(r"(?<=[\w)\]%'\"])[^\S\n]+(?=[,.;:?!](?:\s|$))")
_LONELY_COMMA = re.compile(r"(?:^|(?<=[.?!]))\s*[,;:]\s*|,\s*(?=[.?!])(?!\.\d)")
_SENTENCE_START = re.compile(r"(?:^|(?<=[.?!]\s))([\"'“(]?)([a-z])(?=[a-z]*\s)")
_ABBREVIATED = re.compile(r"\b(?:\w|Mr|Mrs|Ms|Dr|St|Rs|No|vs|etc|approx|a\.m|p\.m)\.\s$", re.IGNORECASE)
_ARTICLE = re.compile(
    r"\b(an?) ((?:hour|inch|ounce|acre|second|minute|day|week|month|year|mile|metre|foot|yard|gram|pound|litre|cup)\b)"
)
_FORMULA = "\ue000"  # placeholder for a formula; no text contains it
_POWERS = {"2": "square ", "3": "cubic "}


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits applied; edits must not overlap.

    >>> apply_edits("3 km and 5 km", [(2, 4, "miles"), (9, 10, "some")])
    '3 miles and some km'
    """
    parts: list[str] = []
    done = 0
    for start, end, new in sorted(edits):
        if start < done:
            raise ValueError("Edits must not overlap.")
        parts += (text[done:start], new)
        done = end
    return "".join((*parts, text[done:]))


def tidy(text: str, *, capitals: bool = True) -> str:
    """Close the gaps left by a deletion: double spaces, spaces before punctuation, a comma without a clause.

    Formulas are not changed.

    >>> tidy("How many  are in the ?"), tidy("In the ratio $5 : 7$ , how many?")
    ('How many are in the?', 'In the ratio $5 : 7$ , how many?')
    """
    spans = formula_spans(text)
    formulas = iter([text[start:end] for start, end in spans])
    if spans:
        text = apply_edits(text, [(start, end, _FORMULA) for start, end in spans])
    text = _BEFORE_MARK.sub("", _BLANKS.sub(" ", text))
    text = _LONELY_COMMA.sub(_instead_of_comma, text).strip()
    if capitals:
        text = _SENTENCE_START.sub(_capital, text)
    return re.sub(_FORMULA, lambda _match: next(formulas), text) if spans else text


def _instead_of_comma(match: re.Match[str]) -> str:
    return " " if match.start() and match.string[match.start() - 1] in ".?!" else ""


def _capital(match: re.Match[str]) -> str:
    if _ABBREVIATED.search(match.string[max(match.start() - 8, 0) : match.start()]):
        return match[0]
    return match[1] + match[2].upper()


def agree_articles(text: str) -> str:
    """Make the article before a unit agree with it: "an hour", "a day".

    >>> agree_articles("5 km a hour, once an day")
    '5 km an hour, once a day'
    """

    def agree(match: re.Match[str]) -> str:
        return ("an " if match[2][0] in "aeio" or match[2] == "hour" else "a ") + match[2]

    return _ARTICLE.sub(agree, text)


def upper_first(text: str) -> str:
    """Capitalise the first letter."""
    return text[:1].upper() + text[1:]


def lower_first(text: str, keep: frozenset[str] = frozenset()) -> str:
    """Lower the first letter, unless the first word is a name (in `keep`), "I", or in capitals."""
    match = re.match(r"[A-Za-z]+", text)
    word = match[0] if match else ""
    if not word or word in keep or word == "I" or (len(word) > 1 and word.isupper()):
        return text
    if len(word) == 1 and word != "A":  # a variable or a label
        return text
    return text[0].lower() + text[1:]


def formula_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of formulas, in which words are not changed."""
    return [(segment.start, segment.end) for segment in formula_segments(text)]


def overlaps(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Return whether a span overlaps any of several others."""
    return any(start < last and first < end for first, last in spans)


def number_words(value: Fraction, *, decimal: bool = False) -> str | None:
    """Write a number in words, without commas; None for a fraction such as 5/12.

    Args:
        decimal: write "two point five", not "two and a half".

    >>> number_words(Fraction(5, 2)), number_words(Fraction(1989))
    ('two and a half', 'one thousand nine hundred and eighty-nine')
    """
    whole, part = divmod(value, 1)
    terminates = 10**6 % value.denominator == 0
    if part and terminates and (decimal or value.denominator > 10):
        digits = f"{float(part):.6f}"[2:].rstrip("0")
        spoken = " ".join(english_words(Fraction(digit)) for digit in digits)
        return f"{english_words(Fraction(whole)).replace(',', '')} point {spoken}"
    if value.denominator > 10:
        return None
    if whole and part and part.denominator in (2, 3, 4):
        name = english_words(part)
        if part.numerator == 1:
            name = "a " + name.removeprefix("one ")
        return f"{english_words(Fraction(whole)).replace(',', '')} and {name}"
    return english_words(value).replace(",", "")


def unit_words(unit: str, *, several: bool) -> str | None:
    """Return the English name of a unit of measurement; None if it has none.

    >>> unit_words("kilometer", several=True), unit_words("mile / hour", several=True)
    ('kilometres', 'miles per hour')
    >>> unit_words("centimeter ** 2", several=False)
    'square centimetre'
    """
    base, _, rest = unit.partition(" ")
    names = NAMES.get(base)
    if names is None:
        return None
    name = names[1] if several else names[0]
    if rest.startswith("** "):
        return _POWERS[rest[3:]] + name
    if rest.startswith("/ "):
        time = NAMES.get(rest[2:])
        return None if time is None else f"{name} per {time[0]}"
    return name
