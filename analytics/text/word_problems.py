r"""Detection of word problems: prose with numbers, without formulas that have to be worked on."""

from __future__ import annotations

import re

from analytics.language.table import CHINESE
from analytics.text.formulas import formula_segments, segment_text
from analytics.text.number_slots import number_slots

FEWEST_WORDS = 6
FEWEST_CHARACTERS = 10  # for Chinese
LONGEST = 4_000  # characters of text examined

_NUMBER_AS_FORMULA = re.compile(
    r"(?:[\d.,:/%\s{}]|\\[dt]?frac|\\[%$,! ;]|\\(?:text|mathrm)\{[^{}]*\}|\^\{?\\circ\}?|\^\{?[23]\}?)*"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_ASKS = re.compile(
    r"[?？=~]|_{2,}|\\uline|[(（]\s*[)）]|[几求哪谁算怎吗请]|多少|什么|是否"
    r"|\b(?:how|what|whats|find|calculate|determine|compute|work out|express|evaluate|estimate|solve|give|write|state"
    r"|name|tell|show|convert|add|subtract|multiply|divide|simplify|reduce|compare|expand|round|sort|arrange|rewrite"
    r"|factor)\b",
    re.IGNORECASE,
)
_LAST_ASKS = re.compile(  # words that also join sentences ask only at the start of the last sentence or its last clause
    r"(?:^|[.!。！,，]\s*)(?:(?:in|on|at|by|from|of|to|for) )?"
    r"(?:which|who|whose|when|where|why|count|change|list|choose|select|complete|take)\b[^.!。！]*$",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(  # verbs that do not begin a sentence of a story
    r"(?:^|[.!?]\s+)(?:increase|decrease|reduce|raise|lower|double|triple|halve|add|subtract|multiply|divide|convert"
    r"|find|calculate|compute|work out|take \d|write|express)\b(?:[^.!?]|\.(?=\d))*[.!]?\s*$",
    re.IGNORECASE,
)
_OPEN_END = re.compile(  # "then the length of the train is"
    r"(?:\b(?:is|are|was|were|be|has|have|by|of|to|in|as|at|on|for|than|a|an|the|takes?|except|equals?|about"
    r"|approximately)|[:：,，]|[是为有约得]|等于)\W*$",
    re.IGNORECASE,
)
_SUM = re.compile(r"\d\s*[-+*/×÷^√−=]\s*\d")
_OPERATOR = re.compile(r"[-+*/×÷^√%−]")


def asks_nothing(text: str) -> bool:
    """Return whether a text has no word or sign of a question or a task, in English or Chinese.

    A sentence that the answer would complete counts as a question, and so does a formula without words.

    >>> asks_nothing("Ann has 5 apples. Ben gives her 3 more"), asks_nothing("Ann has 5 apples. How many are left?")
    (True, False)
    >>> asks_nothing("When she woke, Ann had 5 apples."), asks_nothing("Half of 8 apples is"), asks_nothing("8/2")
    (True, False, False)
    """
    if _ASKS.search(text) or _LAST_ASKS.search(text) or _OPEN_END.search(text) or _INSTRUCTION.search(text):
        return False
    return _WORD.search(text) is not None or _OPERATOR.search(text) is None


def is_instruction(text: str) -> bool:
    """Return whether a short text states in words what to compute with two or more numbers.

    >>> is_instruction("Increase 60 by 25 %."), is_instruction("Increase $x^2$ by 3."), is_instruction("Find 3 + 4.")
    (True, False, False)
    """
    return (
        len(text) <= LONGEST
        and _INSTRUCTION.search(text) is not None
        and _has_numbers_as_formulas(text)
        and _SUM.search(text) is None
        and len({slot.start for slot in number_slots(text)}) > 1
    )


def is_word_problem(text: str) -> bool:
    r"""Return whether a question tells a story with numbers from which an answer can be computed.

    A formula may be a number with its unit, as in ``$\frac{1}{2}$ kg``; a formula with a variable or an operation
    makes it a different kind of question.

    >>> is_word_problem("Ann has 3 bags of $5$ apples each. How many apples has she?")
    True
    >>> is_word_problem("Solve $2x + 3 = 11$ for the number $x$ with 3 steps."), is_word_problem("What is 3 + 4?")
    (False, False)
    """
    return is_prose_with_amounts(text) and bool(number_slots(text))


def is_prose_with_amounts(text: str) -> bool:
    """Return whether a text is prose in which all formulas are plain numbers; it need not contain any numbers."""
    if len(text) > LONGEST or not _has_numbers_as_formulas(text):
        return False
    prose = " ".join(segment.source for segment in segment_text(text) if segment.kind == "text")
    return len(_WORD.findall(prose)) >= FEWEST_WORDS or len(CHINESE.marks.findall(prose)) >= FEWEST_CHARACTERS


def _has_numbers_as_formulas(text: str) -> bool:
    return all(_NUMBER_AS_FORMULA.fullmatch(segment.body) for segment in formula_segments(text))
