"""Instructions that name a computation: "Find the highest common factor of 36 and 84", 把3.456精确到十分位.

A text is rewritten until one number is left of it: each phrase of the table that stands over numbers becomes the
number that it gives ("double <0>, then subtract <1>", "<2>, then subtract <1>", "<3>"). So phrases stand in one
another, and no number can be left out.
"""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction

from analytics.expression.evaluate import EvaluationError, evaluate, evaluate_float
from analytics.expression.slots import fill_slots
from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import NumberKind
from analytics.solver.rules.arithmetic import typed_arithmetic
from analytics.solver.rules.computations import COMPUTATIONS, Term
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer
from analytics.solver.rules.rounding_phrases import RoundingPhrase, rounding_phrase
from analytics.text.number_slots import number_slots
from analytics.text.question_tasks import question_tasks

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
    r"\s*(?:equals?|equal to|=|约?(?:[是为得]|等于)|约|≈)?(?:多少|几)?[\s?？.．。!:：,_()（）]*",
)


def named_computation(reading: Reading) -> RuleAnswer | None:
    """Answer an instruction whose words all belong to computations that are known here."""
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
    """Return whether a text that no rule answers plainly is an instruction for a computation that no equation gives.

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
    """Return what a tree is worth, of a root about; None if it has no value."""
    filled = fill_slots(tree, values)
    with suppress(EvaluationError):
        return evaluate(filled)
    with suppress(EvaluationError):
        return Fraction(evaluate_float(filled))
    return None


def _term(reading: Reading, text: str, values: list[Fraction]) -> Term | None:
    """Return the number that a text is rewritten to; None if something is left beside it."""
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
    """Return a text in lower case with ``<0>``, ``<1>`` ... for its numbers, without words that say nothing."""
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
    """Return a text with its first phrase of the table as one number, which is added; empty if there is none."""
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
