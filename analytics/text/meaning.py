r"""Whether two formulas, or two answers, are equivalent: ``1/2`` and ``0.5``, ``(x-3)(x+3)`` and ``x^{2}-9``.

There are three verdicts. "same" and "different" are certain; input that cannot be parsed, is ambiguous, or depends on
the author's intention (a rounded number, another letter, another unit) is "unknown".

Formulas are compared where both have a value: ``\frac{x^2}{x}`` is ``x``. Equations and inequalities are the same if
one is a multiple of the other, and different if a point satisfies only one of them. Lists are compared element by
element. The size limits of `analytics.text.formula_trees` bound the work to about half a second at worst.

`number_of_answer` reads a published answer as a number, with which computed values may agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import Any, Literal

from analytics.errors import LatexError
from analytics.expression.evaluate import answers_agree
from analytics.text.formulas import segment_text
from analytics.text.notation import formula_tokens, normalise_latex
from analytics.text.number_slots import number_slots
from analytics.text.numbers import find_numbers
from analytics.text.plain_grammar import plain_to_latex
from analytics.text.plain_maths import is_bare_formula
from analytics.text.plain_tokens import PlainMathsError

Meaning = Literal["same", "different", "unknown"]

_LONGEST = 400  # characters per formula or answer
_MOST_ELEMENTS = 5
_NUMBER = re.compile(r"-?\d{1,20}(?:/\d{1,20}|\.\d{1,20})?|\(-?\d{1,20}/\d{1,20}\)")
_FRACTION = re.compile(r"^(\(?-?)\\frac\{(\d+)\}\{(\d+)\}(\)?)$")
_DECIMAL = re.compile(r"-?\d*\.(\d+)")
_UNCLEAR = re.compile(
    r"\d,\d|(?<![_\d])\d+(?:[\s~]|\\[; ]|\\q?quad)+\d"
)  # a decimal comma or a list; one number or two
_CLEAR = re.compile(r"[(\[][^()\[\]]*[)\]]|\d{1,3}(?:,\d{3})+(?!\d)")  # a point; thousands
_PLAIN_NUMBER = re.compile(r"(?<![A-Za-z0-9.,/:-])(-?\d+(?:\.\d+|/\d+)?)(?![A-Za-z0-9,/:]|\.\d)")
_RELATIONS = {"=": "=", "<": "<", r"\leq": r"\leq", ">": "<", r"\geq": r"\leq", r"\neq": r"\neq"}
_TURNED = frozenset({">", r"\geq"})
_WORDS_BETWEEN = re.compile(r"\\text\{\s*(?:or|and|或|和)\s*\}")
_ASSIGNED = re.compile(r"[a-zA-Z]=(?=[^=<>]+$)")
_WORD, _NAMES = re.compile("[a-zA-Z]{2}"), re.compile("sqrt|pi|sin|cos|tan|log|ln")
_SAID = re.compile(r"\s*[.,;。，；]?\s*$")


def same_meaning(first: str, second: str) -> Meaning:
    r"""Return whether two formulas, given without delimiters, are equivalent.

    >>> same_meaning(r"\frac{2}{4}", "0.5"), same_meaning("(x-3)(x+3)", "x^2-9")
    ('same', 'same')
    >>> same_meaning("(x-3)(x+3)", "(x-3)(x-3)"), same_meaning("x=2", "2x=6"), same_meaning("0.67", r"\frac{2}{3}")
    ('different', 'different', 'unknown')
    """
    if max(len(first), len(second)) > _LONGEST:
        return "same" if first == second else "unknown"
    first, second = _SAID.sub("", first), _SAID.sub("", second)
    if any(_UNCLEAR.search(_CLEAR.sub("", source)) for source in (first, second)):
        return "same" if first == second else "unknown"
    left, right = sorted((normalise_latex(first), normalise_latex(second)))
    return "same" if left == right else _compared(left, right)


def same_answer(first: str, second: str) -> Meaning:
    """Return whether two answers are equivalent; each is a formula, or text with formulas.

    The words must be equal, and a leading ``x =`` on only one side is ignored.

    >>> same_answer("$1/2$ cm", "0.5 cm"), same_answer("1/2", "x = 0.5"), same_answer("0.5 cm", "0.5 m")
    ('same', 'same', 'unknown')
    """
    if max(len(first), len(second)) > _LONGEST:
        return "same" if first == second else "unknown"
    (words, formulas), (other_words, other_formulas) = _parts(first), _parts(second)
    if words != other_words or len(formulas) != len(other_formulas):
        return "unknown"
    verdicts = [_compare_assigned(*pair) for pair in zip(formulas, other_formulas, strict=True)]
    return verdicts[0] if len(verdicts) == 1 else "same" if set(verdicts) <= {"same"} else "unknown"


def answer_value(answer: str) -> float | None:
    r"""Return the value of an answer that is one formula without letters; None if it is not, or cannot be parsed.

    >>> answer_value(r"$x=\frac{\sqrt{9}}{2}$ cm"), answer_value("$3x$")
    (1.5, None)
    """
    from analytics.text.formula_trees import Evaluator, formula_tree, symbols_of

    _, formulas = _parts(answer[:_LONGEST])
    if len(formulas) == 1:
        with suppress(LatexError):
            tree = formula_tree(_ASSIGNED.sub("", normalise_latex(formulas[0])))
            value = None if symbols_of(tree) else Evaluator(()).values(tree)[0]
            return None if value is None else float(value)
    return None


def _compare_assigned(first: str, second: str) -> Meaning:
    assigned = [_ASSIGNED.match(normalise_latex(each)) is not None for each in (first, second)]
    if assigned[0] != assigned[1]:
        first, second = (re.sub(r"^\s*[a-zA-Z]\s*=", "", each) for each in (first, second))
    return same_meaning(first, second)


def _parts(answer: str) -> tuple[list[str], list[str]]:
    """Split an answer into its words and its formulas; plain numbers and fractions are formulas."""
    if (latex := _as_formula(answer.strip())) is not None:
        return [], [latex]
    words: list[str] = [""]
    formulas: list[str] = []
    for segment in segment_text(answer):
        pieces = ["", segment.body, ""] if segment.kind == "formula" else _PLAIN_NUMBER.split(segment.source)
        words[-1] += pieces[0]
        words += pieces[2::2]
        formulas += pieces[1::2]
    words = [" ".join(_SAID.sub("", word).casefold().split()) for word in words]
    return words if any(words) else [], formulas


def _as_formula(text: str) -> str | None:
    """Return text without delimiters as LaTeX if all of it is a formula."""
    if "$" in text or "\\" in text:
        return text if "$" not in text and is_bare_formula(text) else None
    if not text.isascii() or text.count("/") > 1 or _WORD.search(_NAMES.sub("", text)):  # two strokes: a date
        return None
    with suppress(PlainMathsError):
        return plain_to_latex(text)
    return None


@lru_cache(maxsize=1_024)
def _compared(left: str, right: str) -> Meaning:
    values = _number(left), _number(right)
    if None not in values:
        is_rounded = _is_rounded(left, right, *values)
        return "same" if values[0] == values[1] else "unknown" if is_rounded else "different"
    if len(left) == len(right) == 1:  # option letters
        return "unknown"
    try:
        elements, others = _elements(left), _elements(right)
        is_list = len(elements) > 1 or len(others) > 1
        return _compare_lists(elements, others) if is_list else _compare_statements(left, right)
    except LatexError:
        return "unknown"


def _number(spelling: str) -> Fraction | None:
    """Return the value of a formula that is a single number, without building a tree."""
    number = _FRACTION.sub(r"\1\2/\3\4", spelling)
    with suppress(ZeroDivisionError):
        return Fraction(number.strip("()")) if _NUMBER.fullmatch(number) else None
    return None


def _is_rounded(left: str, right: str, left_value: Any, right_value: Any) -> bool:
    """Return whether one of two numbers may be the other, rounded to its written decimals."""
    decimals = [len(match[1]) if (match := _DECIMAL.fullmatch(side)) else 0 for side in (left, right)]
    if decimals[0] == decimals[1]:
        return False
    places = min(count for count in decimals if count)
    return bool(abs(float(left_value) - float(right_value)) <= 1.001 * 10.0**-places)


def _split(spelling: str, separators: frozenset[str]) -> tuple[list[str], list[str]]:
    """Split a formula at separators outside all brackets; returns the parts and the separators."""
    parts, between, depth = [[]], [], 0  # type: ignore[var-annotated]
    for token in formula_tokens(spelling):
        depth += (token in ("{", "(", "[")) - (token in ("}", ")", "]"))
        if depth == 0 and token in separators:
            between.append(token)
            parts.append([])
        else:
            parts[-1].append(token)
    return [normalise_latex(" ".join(part)) for part in parts], between


def _elements(spelling: str) -> list[str]:
    r"""Return the elements of a list: ``x=1, x=2``, ``1; 2``, ``x=1 or x=2``, ``x=\pm 1``."""
    parts, _ = _split(_WORDS_BETWEEN.sub(";", spelling), frozenset(",;"))
    if len(parts) > _MOST_ELEMENTS:
        raise LatexError("the list is too long")
    if len(parts) == 1 and spelling.count(r"\pm") == 1 and r"\mp" not in spelling:
        return [re.sub(r"\\pm ?", sign, spelling) for sign in "+-"]
    return parts


def _compare_lists(first: Sequence[str], second: Sequence[str]) -> Meaning:
    if len(first) != len(second):
        return "unknown"
    table = [[same_meaning(left, right) for right in second] for left in first]
    in_order = _all_of([row[place] for place, row in enumerate(table)])
    if in_order == "same":
        return "same"
    size = range(len(first))
    orders = [_all_of([table[place][order[place]] for place in size]) for order in permutations(size)]
    if "same" in orders:  # solutions are unordered, the terms of a sequence are ordered
        return "same" if all("=" in element for element in (*first, *second)) else "unknown"
    return "different" if all(order == "different" for order in orders) else "unknown"


def _all_of(verdicts: Sequence[Meaning]) -> Meaning:
    return next((verdict for verdict in ("different", "unknown") if verdict in verdicts), "same")


def _statement(spelling: str) -> tuple[list[str], list[str]]:
    """Return the terms of a formula and the relations between them, reversed if needed so that smaller terms lead."""
    terms, relations = _split(spelling, frozenset(_RELATIONS))
    turned = [relation in _TURNED for relation in relations]
    if any(turned) and not all(turned):
        raise LatexError("the relations point in different directions")
    order = -1 if any(turned) else 1
    return terms[::order], [_RELATIONS[relation] for relation in relations[::order]]


def _compare_statements(left: str, right: str) -> Meaning:
    (terms, relations), (other_terms, other_relations) = _statement(left), _statement(right)
    if len(terms) != len(other_terms):
        return "unknown"
    if len(terms) == 1:
        return _compare_terms(*terms, *other_terms)
    is_named = relations == other_relations == ["="] and terms[0] == other_terms[0] and terms[0].isalpha()
    if is_named and terms[0] not in formula_tokens(f"{terms[1]} {other_terms[1]}"):
        return _compare_terms(terms[1], other_terms[1])  # both give the value of x: a number, a point, a term
    if len(terms) == 2:
        from analytics.text.formula_trees import compare_relations

        return compare_relations(terms, relations[0], other_terms, other_relations[0])
    verdicts = [_compare_terms(*pair) for pair in zip(terms, other_terms, strict=True)]
    return "same" if relations == other_relations and _all_of(verdicts) == "same" else "unknown"


def _compare_terms(left: str, right: str) -> Meaning:
    first, second = _bracketed(left), _bracketed(right)
    if first and second and len(first[1]) == len(second[1]):
        verdict = _all_of([same_meaning(*pair) for pair in zip(first[1], second[1], strict=True)])
        return verdict if first[0] == second[0] or verdict != "same" else "different"
    from analytics.text.formula_trees import Evaluator, formula_tree, is_apart, is_same, symbols_of

    trees = formula_tree(left), formula_tree(right)
    symbols = [symbols_of(tree) for tree in trees]
    evaluator = Evaluator(symbols[0] | symbols[1])
    pairs = [pair for pair in zip(*map(evaluator.values, trees), strict=True) if None not in pair]
    if len(pairs) < (3 if symbols[0] | symbols[1] else 1):
        return "unknown"
    if all(is_same(*pair) for pair in pairs):
        return "same"
    is_unclear = symbols[0] != symbols[1] or "i" in symbols[0] or ("%" in left) != ("%" in right)
    if is_unclear or not any(is_apart(*pair) for pair in pairs):
        return "unknown"
    return "unknown" if not symbols[0] and _is_rounded(left, right, *pairs[0]) else "different"


def _bracketed(term: str) -> tuple[str, list[str]] | None:
    """Return the brackets and the elements of a pair, a point or an interval."""
    tokens = formula_tokens(term)
    if len(tokens) < 5 or tokens[0] not in "([" or tokens[-1] not in ")]":
        return None
    parts, _ = _split(" ".join(tokens[1:-1]), frozenset(","))
    return (tokens[0] + tokens[-1], parts) if len(parts) > 1 else None


_READ = 200  # characters of an answer that are parsed
_CALCULATES = re.compile(  # signs that the digits are not the number itself: roots, π, powers, logarithms, letters
    r"\\sqrt|sqrt|√|\\pi(?![a-z])|π|(?<![a-z])pi(?![a-z])|[\d)]\s*\^(?!\s*\{?\s*(?:\\circ|\\degree|°))|\\(?:log|ln)"
    r"|\\frac\s*\{(?:[^{}]*\}\s*\{)?[^{}]*[a-z]|(?<![a-zA-Z])[xyz]\s*\^|[\d}]\s?[xyz](?![a-z])"
)


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """A published answer that is a number.

    Attributes:
        value: the signed value.
        decimals: number of digits after the decimal point.
        digits: the value of the digits alone, if it differs: 10 for 10 %.
    """

    value: float
    decimals: int
    digits: float | None = None

    def agrees_with(self, value: float | None) -> bool:
        """Return whether a value equals the answer, or does so when rounded to its decimals; 0.67 agrees with 2/3.

        An answer without decimals is not taken to be rounded: 25.7 packets are neither 25 nor 26.
        """
        if value is None:
            return False
        rounded = round(value, self.decimals) if self.decimals else value
        readings = [self.value] if self.digits is None else [self.value, self.digits]
        return any(answers_agree(candidate, reading) for candidate in (value, rounded) for reading in readings)


def number_of_answer(answer: str) -> PublishedNumber | None:
    r"""Parse an answer that is a single number, as in ``24 eggs``, ``-3``, ``5/56`` and ``10%``; None otherwise.

    ``2\sqrt{3}`` is read as its value. An answer with a letter for a number, such as ``3x``, is not a number.
    """
    answer = answer[:_READ]
    if _CALCULATES.search(answer):
        value = answer_value(answer)
        return None if value is None else PublishedNumber(value, 0)
    mentions = find_numbers(answer)
    if len(mentions) != 1:
        return None
    mention = mentions[0]
    readings = {slot.value for slot in number_slots(answer)} - {mention.value}
    decimals = re.fullmatch(r"[\d,]*\.(\d+)", mention.text)
    try:
        value = float(mention.signed)
        digits = float(readings.pop()) if len(readings) == 1 else None  # a fraction has two: 5 and 56
    except OverflowError:
        return None
    return PublishedNumber(value, len(decimals[1]) if decimals else 0, digits)
