"""Instructions that name a computation, arithmetic given as a formula, and how an answer is to be rounded."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from analytics.errors import DataError
from analytics.expression.evaluate import (
    EvaluationError,
    binary_operators,
    constant_label,
    evaluate,
    evaluate_float,
    fill_slots,
    with_slots,
)
from analytics.expression.tree import ExpressionTree, parse_expression
from analytics.language.mentions import NumberKind
from analytics.solver.rules.computations import COMPUTATIONS, Term
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer
from analytics.text.number_slots import number_slots
from analytics.text.question_tasks import question_tasks
from analytics.text.units import find_units

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
_SPELLINGS_OF_SIGNS = (
    (r"\\left|\\right|\\displaystyle|\\[,;! ()]|[$]", " "), (r"\\(?:times|cdot)\b", "*"), (r"\\div\b", "/"),
    (r"\{,\}", ","), (r"\\%", "%"), (r"(?<=[\d)]) ?[xX] ?(?=[\d(])", "*"), ("²", "^2"), ("³", "^3"),
    (r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))"), (r"\\[dtc]?frac(\d)(\d)", r"((\1)/(\2))"),
    (r"\\sqrt\s*\{([^{}]*)\}|√\s*[(（]([^()]*)[)）]|√\s*(\d+(?:\.\d+)?)|\bsqrt\s*\(([^()]*)\)", r"((\1\2\3\4)^0.5)"),
    (r"\^\s*\{([^{}]*)\}", r"^(\1)"),
)  # fmt: skip
_OPERATION = re.compile(r"[\d)²³%]\s*(?:\\(?:times|cdot|div)|[-+*/×÷·^−])|[²³√]|\\sqrt|\\frac.*[-+^]")
_NO_ARITHMETIC = re.compile(  # a ratio, a date, a single fraction, and ambiguous forms
    r"\d\s?:|[)]\s*\d|\d-\d+-\d|^[\s$]*\d+\s*/\s*\d+[\s$]*$"
    r"|(?:/|÷|\\div)\s*\d+\s*(?:\\sqrt|√|\()|/.*(?:÷|\\div)|(?:÷|\\div).*/"
)
_BARE = re.compile(r"[+*×÷^√²³]|\\(?:times|div|cdot|frac|sqrt)|=\s*\??\s*$")


def typed_arithmetic(text: str, values: Sequence[Fraction]) -> ExpressionTree | None:
    """Return the tree of a text that is arithmetic, apart from words that ask for its value; None for any other text.

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
    for pattern, replacement in (
        *_SPELLINGS_OF_SIGNS,
        *_SPELLINGS_OF_SIGNS[-4:],
    ):  # what is inside a fraction comes first
        written = re.sub(pattern, replacement, written)
    try:
        return with_slots(binary_operators(parse_expression(written)), values)
    except DataError:
        return None


_ENGLISH = re.compile(
    r"[,;.]?\s*(?:\b(?:and|then)\s+)*"
    r"(?:\b(?:giv(?:e|ing)|round(?:ed|ing)?|write|writing|express)\b\s*(?:(?:your"
    r"|the)\s+)?(?:(?:final )?answer|result|it)?\s*)?"
    r"(?:\b(?:correct(?:ed)?|rounded|off|accurate)\s+)*\b(?:to|as)\s+(?:an?\s+accuracy\s+of\s+)?(?:"
    r"(?:the\s+|its\s+)?nearest\s+(?P<near>(?:(?:ten|hundred)[ -])?(?:thousand|million)s?"
    r"|\d[\d.,]*\d|\d|[a-z]+(?: number)?)\b"
    r"|(?P<digits>[1-9]|one|two|three|four|five|six)[\s-]*(?P<kind>decimals?(?: places?)?|d\.?\s?p\b\.?"
    r"|significant (?:figures?|digits?)|s\.?\s?f\b\.?|sig\.? ?figs?\b\.?))",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"[,，]?(?:得数|结果|并|用)?(?:四舍五入法?)?[,，]?(?:"
    r"(?:精确)?[到至](?P<place>[十百千]?万|[十百千万]分|[个十百千亿])位|(?:保留|精确到|取)(?P<whole>整数)"
    r"|(?:保留|精确到)(?P<digits>[一二两三四五六]|[1-6])位(?P<kind>小数|有效数字)|精确到(?P<near>0\.0*1))"
)
_PLACES: dict[str, int | Fraction] = {
    "whole number": 1, "integer": 1, "whole": 1, "unit": 1, "one": 1, "ten": 10, "hundred": 100, "thousand": 1000,
    "ten thousand": 10**4, "hundred thousand": 10**5, "million": 10**6, "tenth": Fraction(1, 10),
    "hundredth": Fraction(1, 100), "thousandth": Fraction(1, 1000),
    "个": 1, "十": 10, "百": 100, "千": 1000, "万": 10**4, "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8,
    "十分": Fraction(1, 10), "百分": Fraction(1, 100), "千分": Fraction(1, 1000), "万分": Fraction(1, 10**4),
}  # fmt: skip
_DIGITS = {word: place for place, word in enumerate("one two three four five six".split(), start=1)} | {
    "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RoundingPhrase:
    """How a number is to be rounded.

    Attributes:
        rest: the text with the phrase replaced by the same number of spaces.
        words: the rounding, to be read after "rounded": ``"to the nearest ten"``.
        step: the answer is a multiple of this; None if `figures` applies.
        figures: number of significant figures; 0 if a step is given.
        unit: pint's name of the unit that is rounded to a whole number ("the nearest metre"); otherwise empty.
    """

    rest: str
    words: str
    step: Fraction | None
    figures: int = 0
    unit: str = ""

    def rounded(self, value: Fraction) -> tuple[Fraction, str]:
        """Return a value rounded half away from zero, and its text with all decimals."""
        step = self.step
        if step is None:
            power = len(str(int(abs(value)))) if abs(value) >= 1 else 0
            while 0 < abs(value) < Fraction(10) ** (power - 1):
                power -= 1
            step = Fraction(10) ** (power - self.figures)
        rounded = step * math.floor(abs(value) / step + Fraction(1, 2)) * (-1 if value < 0 else 1)
        decimals = len(constant_label(step)) - 2 if step < 1 else 0
        return rounded, f"{float(rounded):.{decimals}f}" if decimals else ""


def rounding_phrase(text: str) -> RoundingPhrase | None:
    """Return the one rounding phrase of a text; None if there is none, or it is not understood.

    >>> phrase = rounding_phrase("Round 4768 to the nearest hundred.")
    >>> phrase.words, [str(each) for each in phrase.rounded(Fraction(4768))]
    ('to the nearest hundred', ['4800', ''])
    """
    found = [*_ENGLISH.finditer(text), *_CHINESE.finditer(text)]
    if len(found) != 1:
        return None
    match = found[0]
    said = {name: value.lower() for name, value in match.groupdict().items() if value}
    rest = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    rest = re.sub("用?四舍五入法?", lambda words: " " * len(words[0]), rest)
    if digits := said.get("digits"):
        count = _DIGITS.get(digits) or int(digits)
        is_decimal = said["kind"][0] == "d" or said["kind"] == "小数"
        noun = ("decimal place" if is_decimal else "significant figure") + ("s" if count > 1 else "")
        step = Fraction(1, 10**count) if is_decimal else None
        return RoundingPhrase(rest, f"to {count} {noun}", step, 0 if is_decimal else count)
    near = said.get("near") or said.get("place") or "whole number"
    words = near if near.isascii() else constant_label(Fraction(_PLACES[near]))
    if near[0].isdigit():
        step = Fraction(near.replace(",", ""))
        return RoundingPhrase(rest, f"to the nearest {words}", step) if step else None
    place = _PLACES.get(near.removesuffix("s").replace("-", " "))
    units = [each.unit for each in find_units(f"1 {near}")] if place is None else [""]
    if len(units) != 1:
        return None
    return RoundingPhrase(rest, f"to the nearest {words}", Fraction(place or 1), unit=units[0])


_LONGEST = 250  # characters
_SHORTEST_STORY = 30  # Chinese characters
_MOST_PHRASES = 30
_NAMED = re.compile(
    r"\b(?:median|mode|quartiles?|standard deviation|variance|nearest|ascending|descending|mixed number"
    r"|improper fraction|(?:highest|greatest|lowest|least) common (?:factors?|multiples?|divisors?)"
    r"|(?:decimal|significant) (?:places?|figures?|digits?)|(?:simplest|lowest) (?:form|terms))\b"
    r"|中位数|众数|极差|方差|标准差|公[因约倍]数|质因数|四舍五入|有效数字|平方根|立方根",
    re.IGNORECASE,
)
_SIGN = re.compile(r"(?:[-−–]|\b(?:minus|negative)|零下|负)\s*\$?\s*$", re.IGNORECASE)
_SPELLINGS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\\div\b", "÷"),
        (r"\\times\b", "×"),
        (r"[$]|\\[()]|请|[把将](?=<)|(?<=>)这?两个?数", ""),
        (r"，", ","),
        (r"\b(?:show|explain) (?:all )?(?:your |the )?(?:work\w*|steps)\b"
            r"|\bwithout (?:using )?a calculator\b", ""),
        (r"\b(?:please|the|exact|together|exactly|these|following|two|fractions?(?= ?<))\b", " "),
        (r"\bnumbers?(?= ?[<:])|\bvalue of\b|\bis (?=\w+ed (?:by|to|from)\b)", " "),
        (r"[,.;]? ?\b(?:and )?(?:give|write|express|leave|state) (?:your )?(?:final )?answer (?=as|in)", " "),
        (r"\s+", " "),
    )
)  # fmt: skip
_ASKED = re.compile(
    r"(?:(?:find|calculate|work out|evaluate|compute|determine|what (?:is|are)|what's|whats?"
    r"|what do you get (?:if|when) you"
    r"|how much is|give|write(?: down)?|express|convert|change|turn|state|round(?: off)?|result of|answer"
    r"|can you|tell me|求出?|[计計]算|算出|写出|得)[\s:,：]*)*<(?P<term>\d+)>"
    r"\s*(?:equals?|equal to|=|约?(?:[是为得]|等于)|约|≈)?(?:多少|几)?[\s?？.．。!:：,_()（）]*"
)


def named_computation(reading: Reading) -> RuleAnswer | None:
    """Answer an instruction whose words all belong to known computations."""
    if len(reading.text) > _LONGEST or not reading.quantities:
        return None
    phrase = rounding_phrase(reading.text)
    text = reading.text if phrase is None else phrase.rest
    values = [slot.value for slot in number_slots(reading.text)]
    tree = typed_arithmetic(text, values)
    term = Term(tree) if tree is not None else _term(reading, text, values)
    if term is None or (phrase is None and term.quantity is not None):
        return None
    if phrase is None:
        return RuleAnswer(term.tree, term.rounding, term.written, term.said)
    return None if term.is_final else _rounded(term, phrase, values)


def names_other_computation(text: str) -> bool:
    """Return whether a text that no rule answers directly names a computation that no equation can express.

    >>> names_other_computation("Find the standard deviation of 3, 5 and 10.")
    True
    >>> names_other_computation("Ann has 3 red and 5 blue pens. What is the ratio of red to blue pens?")
    False
    """
    is_short = len(text) <= _LONGEST if text.isascii() else len(text) <= _SHORTEST_STORY
    if not is_short or not _NAMED.search(text) or not any(map(str.isdigit, text)):
        return False
    return not text.isascii() or not question_tasks(text)


def _rounded(term: Term, phrase: RoundingPhrase, values: list[Fraction]) -> RuleAnswer | None:
    worth = _worth(term.tree, values)
    quantity = term.quantity
    if worth is None or (quantity is not None and quantity.mention.kind is NumberKind.PERCENT):
        return None
    if phrase.unit and (quantity is None or quantity.unit_name != phrase.unit):
        return None
    value, written = phrase.rounded(worth)
    return RuleAnswer(term.tree, phrase.words, written, term.said, value)


def _worth(tree: ExpressionTree, values: list[Fraction]) -> Fraction | None:
    """Return the value of a tree, approximate for a root; None if it has no value."""
    filled = fill_slots(tree, values)
    with suppress(EvaluationError):
        return evaluate(filled)
    with suppress(EvaluationError):
        return Fraction(evaluate_float(filled))
    return None


def _term(reading: Reading, text: str, values: list[Fraction]) -> Term | None:
    """Return the number that a text reduces to; None if anything else remains."""
    quantities = [each for each in reading.counted() if text[each.start : each.end].strip()]
    terms = [Term(each.tree, _worth(each.tree, values), each) for each in quantities]
    words = _with_places(text, quantities)
    for _phrase in range(_MOST_PHRASES):
        if (match := _ASKED.fullmatch(words)) is not None:
            return terms[int(match["term"])]
        words = _rewritten(words, terms, values)
        if not words:
            return None
    return None


def _with_places(text: str, quantities: list[Quantity]) -> str:
    """Return a text in lower case with ``<0>``, ``<1>`` ... for its numbers, and without irrelevant words."""
    parts, end = [], 0
    for place, each in enumerate(quantities):
        before = text[end : each.start]
        parts += [_SIGN.sub("", before) if each.mention.is_negative else before, f"<{place}>"]
        end = each.end
    words = "".join((*parts, text[end:])).lower()
    for pattern, replacement in _SPELLINGS:
        words = pattern.sub(replacement, words)
    return words.strip()


def _rewritten(words: str, terms: list[Term], values: list[Fraction]) -> str:
    """Return a text with its first known phrase replaced by a number appended to `terms`; empty if there is none."""
    for pattern, build in COMPUTATIONS:
        for match in pattern.finditer(words):
            used = [terms[int(place)] for place in re.findall(r"<(\d+)>", match[0])]
            if any(term.is_final or term.worth is None for term in used):
                continue
            built = build(used)
            if built is not None:
                terms.append(built.with_worth(_worth(built.tree, values)))
                return f"{words[: match.start()]}<{len(terms) - 1}>{words[match.end() :]}"
    return ""
