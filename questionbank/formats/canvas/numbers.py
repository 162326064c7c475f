"""The numbers that a condition of QTI 1.2 accepts."""

from __future__ import annotations

import re
from math import isclose
from xml.etree.ElementTree import Element

from analytics.question_content import AcceptedAnswer
from questionbank.formats.written_numbers import finite_number, plain

_DIGITS = range(1, 17)


def number_of(variables: Element) -> AcceptedAnswer | None:
    """Return the number that a condition accepts: exact, within a margin, between bounds, or to some digits."""
    equal = next(variables.iter("varequal"), None)
    low = next((part for part in variables.iter() if part.tag in ("vargte", "vargt")), None)
    high = next((part for part in variables.iter() if part.tag in ("varlte", "varlt")), None)
    least = finite_number(low.text) if low is not None else None
    most = finite_number(high.text) if high is not None else None
    if equal is None:
        if least is None or most is None:
            return None
        return AcceptedAnswer(plain((least + most) / 2), tolerance=_exact(abs(most - least) / 2) or None)
    text = (equal.text or "").strip()
    text = re.fullmatch(r"([+-]?\d+)\.0+", text)[1] if re.fullmatch(r"[+-]?\d+\.0+", text) else text  # type: ignore[index]
    value, margin = finite_number(text), finite_number(equal.get("margin"))
    if equal.get("margintype") == "percent" and margin is not None:
        return AcceptedAnswer(text, tolerance=_exact(margin / 100) or None, tolerance_kind="relative")
    if equal.get("margintype") == "absolute" and margin is not None:
        return AcceptedAnswer(text, tolerance=margin or None)
    precision = finite_number(equal.get("precision"))
    if equal.get("precisiontype") == "significantDigits" and precision:
        return AcceptedAnswer(text, tolerance=precision, tolerance_kind="digits")
    if value is None or least is None or most is None:
        return AcceptedAnswer(text)
    if low is not None and low.tag == "vargt":
        for digits in _DIGITS:
            bounds = zip(digits_bounds(value, digits), (least, most), strict=True)
            if all(isclose(one, other, rel_tol=1e-9) for one, other in bounds):
                return AcceptedAnswer(text, tolerance=float(digits), tolerance_kind="digits")
    return AcceptedAnswer(text, tolerance=_exact(max(most - value, value - least)) or None)


def digits_bounds(value: float, digits: int) -> tuple[float, float]:
    """Return the bounds of the numbers that are a value when rounded to some significant digits."""
    mantissa, _e, exponent = f"{value:.{digits - 1}e}".partition("e")
    half = 5 * 10.0**-digits
    return float(f"{float(mantissa) - half:.15g}e{exponent}"), float(
        f"{float(mantissa) + half:.15g}e{exponent}"
    )


def _exact(value: float) -> float:
    return float(f"{value:.12g}")
