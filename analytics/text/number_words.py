"""Numbers as words: read in English and Chinese, written in English (by num2words)."""

from __future__ import annotations

import re
from fractions import Fraction

_ONES = {
    word: value
    for value, word in enumerate(
        str.split(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
            "sixteen seventeen eighteen nineteen"
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(str.split("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
} | {"fourty": 40}
_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_GROUPS = {"dozen": 12}
_ORDINALS = str.split(
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth"
    " seventeenth eighteenth nineteenth"
)
_PARTS = (
    {"half": 2, "halves": 2, "quarter": 4}
    | {word: value for value, word in enumerate(_ORDINALS, start=3)}
    | {word[:-1] + "ieth": value for word, value in _TENS.items()}
    | {"hundredth": 100, "thousandth": 1_000, "millionth": 1_000_000}
)
_COMPOUND_PARTS = {
    f"{ten}-{one}": tens + ones
    for ten, tens in _TENS.items()
    for one, ones in _PARTS.items()
    if 2 < ones < 10 and one != "quarter"
}
_ARTICLES = frozenset({"a", "an"})
_LARGE = {"hundred": 100, **_SCALES, **_GROUPS}
_COMPOUND = re.compile(rf"\b(?:{'|'.join(_COMPOUND_PARTS)})(?=s?\b)")
_SEPARATOR = re.compile(r"[ ,-]+")

PART_WORDS = frozenset(_PARTS)
"""Words that name a part where a number counts them ("five sixteenths"), and else a place in a row."""

ENGLISH_NUMBER_WORDS = frozenset(
    {*_ONES, *_TENS, *_LARGE, *_PARTS, *(f"{word}s" for word in (*_PARTS, *_GROUPS) if word[-1] != "s")}
)
"""Every word of which English numbers consist, but "a", "and" and "point"."""


def english_value(words: str) -> Fraction | None:
    """Return the value of English number words; nothing where they name none ("third" is an ordinal).

    >>> [str(english_value(words)) for words in ("two hundred and five", "one and a half", "two point five")]
    ['205', '3/2', '5/2']
    """
    joined = _COMPOUND.sub(lambda match: match[0].replace("-", "_"), words.lower())
    return _value([word for word in _SEPARATOR.split(joined) if word])


def _value(parts: list[str]) -> Fraction | None:
    if not parts:
        return None
    if "point" in parts:
        return _decimal(parts)
    last = parts[-1]
    if last.removesuffix("s") in _GROUPS and (len(parts) > 1 or last in _GROUPS):
        parts = [*parts[:-1], last := last.removesuffix("s")]
    if last in _GROUPS or (parts[0] == "half" and len(parts) == 3 and last in _LARGE):
        count = parts[:-2] if len(parts) > 2 and parts[-2] in _ARTICLES else parts[:-1]
        if count in ([], ["a"], ["an"]):
            return Fraction(_LARGE[last])
        number = _value(count)
        return None if number is None else number * _LARGE[last]
    if _denominator(last) is None:
        return _whole(parts)
    if "and" in parts:
        at = len(parts) - 1 - parts[::-1].index("and")
        whole, fraction = _whole(parts[:at]), _fraction(parts[at + 1 :])
        return None if whole is None or fraction is None else whole + fraction
    return _fraction(parts)


def _decimal(parts: list[str]) -> Fraction | None:
    """Read "three point zero five": the words behind the point are digits, and "million" may close."""
    at = parts.index("point")
    scale = _SCALES.get(parts[-1], 1)
    digits = parts[at + 1 : len(parts) - (scale > 1)]
    whole = _whole(parts[:at])
    if whole is None or not digits or any(_ONES.get(digit, 10) > 9 for digit in digits):
        return None
    return (whole + Fraction("0." + "".join(str(_ONES[digit]) for digit in digits))) * scale


def _fraction(parts: list[str]) -> Fraction | None:
    """Read "half", "a third", "two thirds"; a bare "third" is an ordinal."""
    denominator = _denominator(parts[-1])
    count = parts[:-1]
    if denominator is None:
        return None
    if count in (["a"], ["an"], ["one"]) or (not count and denominator == 2):
        return Fraction(1, denominator)
    numerator = _whole(count) if count else None
    return None if numerator is None else numerator / denominator


def _denominator(word: str) -> int | None:
    """Return what a word for parts divides by: "thirds", "sixteenth", "twenty_fifths"."""
    name = word if word in _PARTS else word.removesuffix("s")
    return _PARTS.get(name) or _COMPOUND_PARTS.get(name.replace("_", "-"))


def _whole(parts: list[str]) -> Fraction | None:
    """Read a whole number such as "two hundred and five"; two numbers in a row are none."""
    if parts and parts[0] in _ARTICLES:
        parts = ["one", *parts[1:]] if len(parts) > 1 and parts[1] in _LARGE else []
    total = current = 0
    room = _LARGE["billion"]  # what comes next has to be smaller than this
    for index, word in enumerate(parts):
        value = _ONES.get(word, _TENS.get(word, 0))
        if word == "and":
            if index in (0, len(parts) - 1) or parts[index - 1] not in _LARGE:
                return None
        elif word == "hundred":
            if not 0 < current < 100:
                return None
            current, room = current * 100, 100
        elif word in _SCALES:
            if not current:
                return None
            total, current, room = total + current * _SCALES[word], 0, _SCALES[word]
        elif not value and parts != ["zero"]:
            return None  # no number word, or a zero inside a number
        elif value >= room:  # "twenty twelve"
            return None
        else:
            current, room = current + value, 10 if word in _TENS else 1
    return Fraction(total + current) if parts and parts[-1] != "and" else None


def english_words(value: Fraction) -> str:
    """Write a number in English words."""
    from num2words import num2words

    if value.denominator == 1:
        return str(num2words(value.numerator))
    if value.denominator == 2 and value.numerator == 1:
        return "half"
    if _is_decimal(value):
        return str(num2words(float(value)))
    name = {2: "half", 4: "quarter"}.get(value.denominator) or str(num2words(value.denominator, ordinal=True))
    if abs(value.numerator) != 1:
        name = "halves" if name == "half" else name + "s"
    return f"{num2words(value.numerator)} {name}"


def _is_decimal(value: Fraction) -> bool:
    return value.denominator % 10 == 0 or (value.denominator in {5, 8, 20, 25, 50, 40, 125} and value > 1)


CHINESE_DIGITS = "零〇一二两三四五六七八九"
_CHINESE_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000}
_CHINESE_SCALES = {"万": 10_000, "亿": 100_000_000}


def chinese_value(words: str) -> Fraction | None:
    """Return the value of Chinese numerals, or nothing where they name none.

    >>> [str(chinese_value(w)) for w in ("二十五", "一万二千", "三分之一", "百分之八", "半")]
    ['25', '12000', '1/3', '2/25', '1/2']
    """
    if words in {"半", "一半"}:
        return Fraction(1, 2)
    if "又" in words:
        whole, part = (chinese_value(part) for part in words.split("又", 1))
        return None if whole is None or part is None else whole + part
    if "分之" in words:
        below, above = (chinese_value(part) for part in words.split("分之", 1))
        return above / below if below and above is not None else None
    if "折" in words or "成" in words:
        digits = "".join(
            str(_CHINESE_DIGITS.get(character, "-")) for character in re.sub("[折成]", "", words)
        )
        return Fraction(f"0.{digits}") if digits.isdigit() else None
    if all(character in _CHINESE_DIGITS for character in words):
        if len(words) > 1:
            return Fraction("".join(str(_CHINESE_DIGITS[character]) for character in words))
        return Fraction(_CHINESE_DIGITS[words])
    total = section = digit = 0
    for character in words:
        if character in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[character]
        elif character in _CHINESE_UNITS:
            section += (digit or 1) * _CHINESE_UNITS[character]
            digit = 0
        elif character in _CHINESE_SCALES:
            scale, section = _CHINESE_SCALES[character], section + digit
            if total > scale:
                total += section * scale  # 一亿二千万: the smaller scale counts what stands before it alone
            else:
                total = (total + section or 1) * scale
            section = digit = 0
        else:
            return None
    return Fraction(total + section + digit)
