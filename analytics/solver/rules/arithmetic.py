r"""Arithmetic that is typed or set as a formula: "Work out 3 + 4 × 2", "计算 $\frac{1}{2}+\frac{1}{3}$"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from analytics.errors import DataError
from analytics.expression.parser import parse_expression
from analytics.expression.slots import binary_operators, with_slots
from analytics.expression.tree import ExpressionTree

_LEAD = re.compile(
    r"^\s*(?:(?:(?:please|calculate|work out|evaluate|compute|find|determine|simplify|solve|what is"
    r"|what's|how much is"
    r"|the|value of|answer to|result of|expression|following)\b\.?|请|直接|[计計]算"
    r"|算出|求|写出|口算|化简|得数)[\s:：]*)*",
    re.IGNORECASE,
)
_END = re.compile(
    r"[\s=,.．;:。，；：?？_$]*(?:[(（]\s*[)）])?(?:的?(?:值|结果|得数)?(?:是多少|等于(?:多少|几)?|是几|得多少))?[\s=.．。?？_$]*$"
)
_SPELLINGS = (
    (r"\\left|\\right|\\displaystyle|\\[,;! ()]|[$]", " "), (r"\\(?:times|cdot)\b", "*"), (r"\\div\b", "/"),
    (r"\{,\}", ","), (r"\\%", "%"), (r"(?<=[\d)]) ?[xX] ?(?=[\d(])", "*"), ("²", "^2"), ("³", "^3"),
    (r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))"), (r"\\[dtc]?frac(\d)(\d)", r"((\1)/(\2))"),
    (r"\\sqrt\s*\{([^{}]*)\}|√\s*[(（]([^()]*)[)）]|√\s*(\d+(?:\.\d+)?)|\bsqrt\s*\(([^()]*)\)", r"((\1\2\3\4)^0.5)"),
    (r"\^\s*\{([^{}]*)\}", r"^(\1)"),
)  # fmt: skip
_OPERATION = re.compile(r"[\d)²³%]\s*(?:\\(?:times|cdot|div)|[-+*/×÷·^−])|[²³√]|\\sqrt|\\frac.*[-+^]")
_NO_ARITHMETIC = re.compile(  # a ratio, a date, one fraction, and what people read in two ways
    r"\d\s?:|[)]\s*\d|\d-\d+-\d|^[\s$]*\d+\s*/\s*\d+[\s$]*$"
    r"|(?:/|÷|\\div)\s*\d+\s*(?:\\sqrt|√|\()|/.*(?:÷|\\div)|(?:÷|\\div).*/"
)
_BARE = re.compile(r"[+*×÷^√²³]|\\(?:times|div|cdot|frac|sqrt)|=\s*\??\s*$")


def typed_arithmetic(text: str, values: Sequence[Fraction]) -> ExpressionTree | None:
    """Return the tree of a text that is arithmetic but for words that ask for its value; None for any other text.

    Args:
        values: of the text's slots.
    """
    lead = _LEAD.match(text)
    begin = lead.end() if lead else 0
    written = _END.sub("", text[begin:])
    if not _OPERATION.search(written) or _NO_ARITHMETIC.search(written):
        return None
    if not begin and not _BARE.search(text):  # "3-4" alone may be anything
        return None
    for pattern, replacement in (*_SPELLINGS, *_SPELLINGS[-4:]):  # what stands inside a fraction comes first
        written = re.sub(pattern, replacement, written)
    try:
        return with_slots(binary_operators(parse_expression(written)), values)
    except DataError:
        return None
