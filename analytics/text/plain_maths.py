r"""Detection of keyboard-typed mathematics in prose: ``sqrt(50)``, ``1/2 + 1/3``, ``x^2-5x+6=0``.

`mark_plain_maths` finds the stretches of a text that are plain maths and puts them between dollar signs as LaTeX, so
that a search box, a pasted question and the editor treat them alike. `analytics.text.plain_grammar` parses each
stretch; what it cannot parse with certainty stays as typed.

A stretch is bounded by words, units, sentence punctuation and the ends of its line
(`analytics.text.plain_stretches`). Amounts such as ``5 1/2 m``, dates, clock times, "pages 5-10" and isolated
fractions in a story are prose. So is LaTeX without dollar signs, except what `analytics.text.bare_latex` recognises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from analytics.text.bare_latex import bare_formulas
from analytics.text.characters import VULGAR_FRACTIONS, tidy_characters
from analytics.text.formulas import formula_segments
from analytics.text.plain_grammar import plain_to_latex
from analytics.text.plain_stretches import is_unit_name, maths_stretches
from analytics.text.plain_tokens import PlainMathsError
from analytics.text.word_problems import is_word_problem

_LONGEST = 100_000  # characters of text examined
_NEAR = 40  # characters of context on each side that decide what a stretch is
_OPERATOR = re.compile(r"[=^<>≤≥≠≈+*/×÷·√∛∜±∓∫∑∏∈∉⊂⊆∪∩∞!∠△\u00b2-\u00be\u2070-\u209c⅐-⅞]|(?<=[A-Za-z])_")
_WORKED_OUT = re.compile(  # other signs of a formula: a minus, an x for times, a function, 2 pi r
    r"(?<=[\w)])\s*[-−–]\s*(?=[\w(√])|[\d)] ?[xX] ?[\d(]|[\d(] ?(?:π|pi\b)"
    r"|(?:sin|cos|tan|cot|sec|csc|log|ln|lg|exp|max|min|gcd|lcm|det|sqrt|root|cbrt|abs|lim|int)"
)
_SIMPLE = r"(?:[0-9]+(?:\.[0-9]+)?|[A-Za-z])"
_HYPHENATED = re.compile(rf"{_SIMPLE}(?:[-–]{_SIMPLE})+|[A-Za-z](?: ?/ ?[A-Za-z])+")
_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12][0-9]|3[01])"
_DATE = re.compile(
    rf"(?:{_DAY}/{_MONTH}|{_MONTH}/{_DAY})/(?:[0-9]{{4}}|[0-9]{{2}})|[0-9]{{4}}([-/])[0-9]{{2}}\1[0-9]{{2}}"
)
_UNIT_ALONE = re.compile(r"[kcdm]?m(?:[²³]|\^[23])")  # "in m²"
_RATIO = re.compile(r"[0-9]+(?: ?: ?[0-9.]+)+(?: ?[-–] ?[0-9]+:[0-9]+)*")  # clock times too
_VULGAR = f"[{''.join(VULGAR_FRACTIONS)}]"
_AMOUNT = rf"[-−]?(?:[0-9]{{1,9}}[- ])?(?:[0-9]{{1,9}} ?/ ?[0-9]{{1,9}}|{_VULGAR}|[0-9][0-9,.]{{0,12}}{_VULGAR}?) ?%?"
_AMOUNTS = re.compile(rf"{_AMOUNT}(?:[,;] {_AMOUNT})*")
_ABOUT_FRACTIONS = re.compile(r"\b(?:fractions?|mixed numbers?|numerators?|denominators?)\b|分数", re.IGNORECASE)
_ASKED = re.compile(
    r"(?:^|\b(?:out|calculate|evaluate|compute|find|simplify|solve|is|add|subtract|expand|factori[sz]e|of|expression"
    r"|formula|equation)\b|[计計]算|求|化简|等于)[\s:：]*$",
    re.IGNORECASE,
)


def mark_plain_maths(text: str) -> str:
    r"""Return the text with its plain maths as LaTeX between dollar signs; a text with formulas stays as it is.

    >>> mark_plain_maths("solve x^2 - 5x + 6 = 0 for x")
    'solve $x^{2} - 5x + 6 = 0$ for x'
    >>> mark_plain_maths("Find 3/4 of 20."), mark_plain_maths("Cut off 2 3/4 m.")
    ('Find $\\frac{3}{4}$ of 20.', 'Cut off 2 3/4 m.')
    >>> mark_plain_maths("P(red) = 0.2, so 1 - 0.2 = 0.8")
    'P(red) = 0.2, so $1 - 0.2 = 0.8$'
    """
    if len(text) > _LONGEST or formula_segments(text):
        return text
    tidy = tidy_characters(text)
    marked: list[str] = []
    done = 0
    for start, end, latex in _bare_latex(tidy) if "\\" in tidy else _plain_maths(tidy):
        marked.append(f"{tidy[done:start]}${latex}$")
        done = end
    return "".join([*marked, tidy[done:]]) if marked else text


def _bare_latex(text: str) -> Iterator[tuple[int, int, str]]:
    for start, end in bare_formulas(text):
        yield start, end, text[start:end]


def _plain_maths(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, LaTeX) for each stretch of plain maths."""
    text = text.partition("[asy]")[0]  # the program of a drawing is not mathematics
    if not _has_operator(text):
        return
    is_story = is_word_problem(text) and not _ABOUT_FRACTIONS.search(text)
    place = 0
    for line in text.splitlines(keepends=True):
        for start, end in maths_stretches(line, is_story=is_story):
            typed = line[start:end]
            before, after = line[max(start - _NEAR, 0) : start], line[end : end + _NEAR]
            if not _is_prose(typed, before, after, is_story=is_story):
                with suppress(PlainMathsError):
                    yield place + start, place + end, plain_to_latex(typed)
        place += len(line)


def _has_operator(text: str) -> bool:
    return _OPERATOR.search(text) is not None or _WORKED_OUT.search(text) is not None


def _is_prose(typed: str, before: str, after: str, *, is_story: bool) -> bool:
    """Return whether a possible formula is prose: an amount, a date, a range, or without an operator."""
    if not _has_operator(typed) or _UNIT_ALONE.fullmatch(typed) or _DATE.fullmatch(typed) or _RATIO.fullmatch(typed):
        return True
    if _HYPHENATED.fullmatch(typed):
        return _ASKED.search(before) is None or re.match(r"[\s=?.]*$", after) is None
    if _AMOUNTS.fullmatch(typed):
        following = re.match(r"\s?(?:an?\s)?([^\s.,;:?!)]*)", after)
        return is_story or (following is not None and is_unit_name(following[1]))
    return False
