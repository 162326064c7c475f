"""Canvas's names and ours for the same things, and the numbers that a QTI 1.2 condition accepts."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isclose
from xml.etree.ElementTree import Element

from analytics.question_content import AcceptedAnswer
from questionbank.formats.written_numbers import finite_number, plain

FORMAT = "canvas"
FILE_BASE = "$IMS-CC-FILEBASE$"
KEPT = "sha256:"
"""Prefix of a picture's hash in a kept item, instead of `FILE_BASE`."""
OURS = "kindred"
"""Label of the metadata field for what Canvas has no place for."""
GAP = re.compile(r"\[\[(\d{1,3})\]\]")

KINDS = {
    "multiple_choice_question": "choice",
    "multiple_answers_question": "choice",
    "true_false_question": "true_false",
    "short_answer_question": "short",
    "numerical_question": "number",
    "fill_in_multiple_blanks_question": "blanks",
    "multiple_dropdowns_question": "blanks",
    "matching_question": "matching",
    "ordering_question": "ordering",
    "essay_question": "open",
    "file_upload_question": "open",
    "text_only_question": "description",
    "categorization_question": "matching",  # of New Quizzes
}
OF_PROFILES = {  # Common Cartridge items, which do not name Canvas's types
    "cc.multiple_choice.v0p1": "multiple_choice_question",
    "cc.multiple_response.v0p1": "multiple_answers_question",
    "cc.true_false.v0p1": "true_false_question",
    "cc.fib.v0p1": "short_answer_question",
    "cc.essay.v0p1": "essay_question",
    "cc.pattern_match.v0p1": "short_answer_question",
}
BLACKBOARD = "blackboard"
"""Format of kept Blackboard items, whose types Canvas does not know."""
EITHER = {  # what Blackboard displays for these keys
    "yes_no.true": "Yes", "yes_no.false": "No", "agree_disagree.true": "Agree", "agree_disagree.false": "Disagree",
    "right_wrong.true": "Right", "right_wrong.false": "Wrong", "true_false.true": "True", "true_false.false": "False",
}  # fmt: skip
OF_BLACKBOARD = {  # Blackboard items, which have their own type names
    "multiple choice": "multiple_choice_question",
    "either/or": "multiple_choice_question",
    "multiple answer": "multiple_answers_question",
    "true/false": "true_false_question",
    "fill in the blank": "short_answer_question",
    "fill in the blank plus": "fill_in_multiple_blanks_question",
    "numeric": "numerical_question",
    "matching": "matching_question",
    "jumbled sentence": "multiple_dropdowns_question",
    "opinion scale": "multiple_choice_question",
    "ordering": "ordering_question",
    "essay": "essay_question",
    "essay question": "essay_question",
    "short response": "essay_question",
    "short answer": "essay_question",
    "file upload": "file_upload_question",
}


_DIGITS = range(1, 17)


def number_of(variables: Element) -> AcceptedAnswer | None:
    """Return the number that a condition accepts: exact, within a margin, between bounds, or to some digits."""
    equal = next(variables.iter("varequal"), None)
    low, high = _bound(variables, "vargte", "vargt"), _bound(variables, "varlte", "varlt")
    least = finite_number(low.text) if low is not None else None
    most = finite_number(high.text) if high is not None else None
    if equal is None:
        return None if least is None or most is None else _between(least, most)
    text = re.sub(r"\A([+-]?\d+)\.0+\Z", r"\1", (equal.text or "").strip())
    value = finite_number(text)
    if stated := _as_stated(equal, text):
        return stated
    if low is None or value is None or least is None or most is None:
        return AcceptedAnswer(text)
    digits = _digits_of(value, (least, most)) if low.tag == "vargt" else None
    if digits is not None:
        return AcceptedAnswer(text, tolerance=float(digits), tolerance_kind="digits")
    return AcceptedAnswer(text, tolerance=_exact(max(most - value, value - least)) or None)


def _bound(variables: Element, *tags: str) -> Element | None:
    return next((part for part in variables.iter() if part.tag in tags), None)


def _between(least: float, most: float) -> AcceptedAnswer:
    return AcceptedAnswer(plain((least + most) / 2), tolerance=_exact(abs(most - least) / 2) or None)


def _as_stated(equal: Element, text: str) -> AcceptedAnswer | None:
    """Return a number with Canvas's stated margin or precision; None if neither is stated."""
    margin, precision = finite_number(equal.get("margin")), finite_number(equal.get("precision"))
    if equal.get("margintype") == "percent" and margin is not None:
        return AcceptedAnswer(text, tolerance=_exact(margin / 100) or None, tolerance_kind="relative")
    if equal.get("margintype") == "absolute" and margin is not None:
        return AcceptedAnswer(text, tolerance=margin or None)
    if equal.get("precisiontype") == "significantDigits" and precision:
        return AcceptedAnswer(text, tolerance=precision, tolerance_kind="digits")
    return None


def _digits_of(value: float, bounds: tuple[float, float]) -> int | None:
    """Return the number of significant digits for which a value has these bounds."""
    for digits in _DIGITS:
        rounded = zip(digits_bounds(value, digits), bounds, strict=True)
        if all(isclose(one, other, rel_tol=1e-9) for one, other in rounded):
            return digits
    return None


def digits_bounds(value: float, digits: int) -> tuple[float, float]:
    """Return the bounds of the numbers that round to a value at some significant digits."""
    rounded = f"{value:.{digits - 1}e}"
    half = Decimal(5).scaleb(int(rounded.partition("e")[2]) - digits)
    return float(Decimal(rounded) - half), float(Decimal(rounded) + half)


def _exact(value: float) -> float:
    return float(f"{value:.12g}")
