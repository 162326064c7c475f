"""English numbers in words and clock times ("half past six"): parsing, finding and writing them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from analytics.language.mentions import ClockTime, NumberKind, NumberMention, NumeralForm, hour_and_minutes

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
"""Words that name a part after a count ("five sixteenths"), and otherwise a position in a sequence."""

ENGLISH_NUMBER_WORDS = frozenset(
    {*_ONES, *_TENS, *_LARGE, *_PARTS, *(f"{word}s" for word in (*_PARTS, *_GROUPS) if word[-1] != "s")}
)
"""All words used in English numbers, except "a", "and" and "point"."""


def english_value(words: str) -> Fraction | None:
    """Return the value of English number words; None if they do not name a number ("third" is an ordinal).

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
    """Parse "three point zero five": the words after the point are digits, and "million" may follow."""
    at = parts.index("point")
    scale = _SCALES.get(parts[-1], 1)
    digits = parts[at + 1 : len(parts) - (scale > 1)]
    whole = _whole(parts[:at])
    if whole is None or not digits or any(_ONES.get(digit, 10) > 9 for digit in digits):
        return None
    return (whole + Fraction("0." + "".join(str(_ONES[digit]) for digit in digits))) * scale


def _fraction(parts: list[str]) -> Fraction | None:
    """Parse "half", "a third", "two thirds"; "third" alone is an ordinal."""
    denominator = _denominator(parts[-1])
    count = parts[:-1]
    if denominator is None:
        return None
    if count in (["a"], ["an"], ["one"]) or (not count and denominator == 2):
        return Fraction(1, denominator)
    numerator = _whole(count) if count else None
    return None if numerator is None else numerator / denominator


def _denominator(word: str) -> int | None:
    """Return the denominator that a word names: "thirds", "sixteenth", "twenty_fifths"."""
    name = word if word in _PARTS else word.removesuffix("s")
    return _PARTS.get(name) or _COMPOUND_PARTS.get(name.replace("_", "-"))


def _whole(parts: list[str]) -> Fraction | None:
    """Parse a whole number such as "two hundred and five"; two numbers in a row are not one number."""
    if parts and parts[0] in _ARTICLES:
        parts = ["one", *parts[1:]] if len(parts) > 1 and parts[1] in _LARGE else []
    parts = _without_and(parts)
    if not parts:
        return None
    total = current = 0
    room = _LARGE["billion"]  # the next value must be smaller than this
    for word in parts:
        value = _ONES.get(word, _TENS.get(word, 0))
        if word == "hundred":
            if not 0 < current < 100:
                return None
            current, room = current * 100, 100
        elif word in _SCALES:
            if not current:
                return None
            total, current, room = total + current * _SCALES[word], 0, _SCALES[word]
        elif not value and parts != ["zero"]:
            return None  # not a number word, or a zero inside a number
        elif value >= room:  # "twenty twelve"
            return None
        else:
            current, room = current + value, 10 if word in _TENS else 1
    return Fraction(total + current)


def _without_and(parts: list[str]) -> list[str]:
    """Return the words without "and"; empty if one is the last word, or does not follow a word such as "hundred"."""
    befores = pairwise(["", *parts])
    is_stray = parts[-1:] == ["and"] or any(word == "and" and before not in _LARGE for before, word in befores)
    return [] if is_stray else [word for word in parts if word != "and"]


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


MINUS = r"\bnegative"
"""What precedes a negative number, in words."""

PERCENT: tuple[str, ...] = ("percent", "per cent")
"""Names of the percent sign."""

NUMBER_WORD = (
    r"(?:half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)"
)
"""Regular expression of a word that begins an amount."""

INDEFINITE = re.compile(r"(?!)")
"""A number word that is not a count when something is computed; English has none."""

DIGIT_FORMS: tuple[NumeralForm, ...] = ()
"""Ways of writing a number that combine digits and words of the language."""

_SCALED = re.compile(r"[ -](hundred|thousand|million|billion|dozens?)\b", re.IGNORECASE)
_WORDS = "|".join(sorted(ENGLISH_NUMBER_WORDS, key=len, reverse=True))
_ENGLISH = re.compile(
    rf"\b(?:an?[ -])?(?:{_WORDS})(?:(?:[ -]|, (?:an? )?| and (?:an? )?| an? | point )(?:{_WORDS}))*\b", re.IGNORECASE
)
_PRONOUN = re.compile(r"\b(?:no|each|every|any|which|this|that|another|some|the|only|first|last)[ -]$", re.IGNORECASE)
_ORDINAL = re.compile(rf"[ -](?:first|second|{'|'.join(PART_WORDS)})\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+")
_TOKEN = re.compile(r"\w+")
_BEFORE_COMMA = frozenset({"thousand", "million", "billion"})
_LONGEST_PHRASE = 14
_SCORE = re.compile(  # 20, not the points of a match
    r"[ -]score\b(?=\s*(?:[.,;!?]|$)| (?:of|and|years|men|women|people)\b)", re.IGNORECASE
)
_GROUP = re.compile(
    r"\ba (?:(?P<score>score) of (?=[a-z]*(?:s|people|men|women|children|sheep)\b)"
    r"|(?P<couple>couple)(?= (?:of|more)\b)(?! of pairs)|(?P<pair>pair) of (?P<things>[a-z]+s|people|dice)\b)",
    re.IGNORECASE,
)


def find_number_words(text: str) -> Iterator[NumberMention]:
    """Yield numbers in words: "twenty-five", "half a dozen", "a couple of"."""
    yield from _number_words(text)
    yield from _group_mentions(text)


def around_digits(text: str, mention: NumberMention) -> NumberMention:
    """Return a number in digits, extended by a following word that scales it: "3 million", "2 dozen"."""
    scaled = _SCALED.match(text, mention.end)
    if scaled is None:
        return mention
    value, end = mention.value * _LARGE[scaled[1].lower().removesuffix("s")], scaled.end()
    return NumberMention(mention.start, end, text[mention.start : end], value, NumberKind.SCALED)


def _number_words(text: str) -> Iterator[NumberMention]:
    if ENGLISH_NUMBER_WORDS.isdisjoint(_TOKEN.findall(text.casefold())):  # takes a tenth of the time of the search
        return
    for run in _ENGLISH.finditer(text):
        words = list(_WORD.finditer(text, run.start(), run.end()))
        at = 0
        while at < len(words):
            count, value = _longest_number(words[at : at + _LONGEST_PHRASE])
            start, end = words[at].start(), words[at + count - 1].end()
            last = words[at + count - 1][0].lower()
            at += count
            if value is None or _is_no_count(text, start, end, last):
                continue
            if score := _SCORE.match(text, end):
                value, end = value * 20, score.end()
            kind = NumberKind.INTEGER
            if value.denominator != 1:
                kind = NumberKind.FRACTION if value < 1 else NumberKind.MIXED
            yield NumberMention(start, end, text[start:end], value, kind)


def _longest_number(words: list[re.Match[str]]) -> tuple[int, Fraction | None]:
    """Return the length in words of the longest number, and its value; (1, None) if there is no number."""
    text, limit = words[0].string, len(words)
    for index in range(1, limit):
        if text[words[index].start() - 2] == "," and words[index - 1][0].lower() not in _BEFORE_COMMA:
            limit = index
            break
    for count in range(limit, 0, -1):
        value = english_value(text[words[0].start() : words[count - 1].end()])
        if value is not None:
            return count, value
    return 1, None


def _is_no_count(text: str, start: int, end: int, last: str) -> bool:
    """Return whether possible number words are not a number here: a pronoun, dozens, the twenty-fifth."""
    words = text[start:end].lower()
    if words == "one":
        return _PRONOUN.search(text[max(start - 10, 0) : start]) is not None or text[end : end + 3] == " of"
    return words == "dozens" or (last in _BEFORE_ORDINAL and _ORDINAL.match(text, end) is not None)


_BEFORE_ORDINAL = frozenset(str.split("twenty thirty forty fifty sixty seventy eighty ninety hundred thousand"))


def _group_mentions(text: str) -> Iterator[NumberMention]:
    """Yield "a score of people", "a couple of apples", and "a pair of socks" where socks are counted singly."""
    for match in _GROUP.finditer(text):
        name = match.lastgroup if match.lastgroup != "things" else "pair"
        if name == "pair" and not re.search(rf"\b(?:how many|\d+)(?: \w+)?? {match['things']}\b", text, re.IGNORECASE):
            continue
        end = match.end(name or 0)
        value = Fraction(20 if name == "score" else 2)
        yield NumberMention(match.start(), end, text[match.start() : end], value)


_HALF = r"(?P<half>[ap])\.?\s?m\b\.?"
_HOURS_IN_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_TIME = re.compile(
    r"(?=\d|\b[efhmnoqst])(?:"  # no form of a time has to be tried elsewhere
    rf"(?<![\d:.,$£€])(?P<h>[01]?\d|2[0-4])\s?[:.]\s?(?P<m>[0-5]\d)(?![\d:%]|\.\d)\s?{_HALF}"
    rf"|(?<![\d:.,$£€])(?P<h2>1[0-2]|0?[1-9])\s?{_HALF.replace('half', 'half2')}"
    r"|(?<![\d:.,$£€])(?P<h3>[01]?\d|2[0-4]):(?P<m3>[0-5]\d)(?![\d:%]|\.\d)(?:\s?(?:hours|hrs|h)\b)?"
    rf"|\b(?P<half_past>half past|quarter past|quarter to)\s(?P<h4>1[0-2]|[1-9]|{_HOURS_IN_WORDS})\b"
    rf"|\b(?P<h5>1[0-2]|[1-9]|{_HOURS_IN_WORDS})\s?o['’]?\s?clock\b"
    r"|\b(?P<noon>noon|midday|midnight)\b)",
    re.IGNORECASE,
)
_BEFORE = re.compile(  # what precedes "10:35" if it is a time
    r"\b(?:at|by|from|until|till|to|before|after|between|since|and|is|was|begins?|starts?|ends?|leaves?|left|arrives?"
    r"|departs?|time|now|of|the|says|shows|showed|reads)\s$|[—~～－-]\s?$",
    re.IGNORECASE,
)
_RATIO = re.compile(r"\b(?:ratio|proportion|scale|odds)\b", re.IGNORECASE)
_LATER = re.compile(r"\s?(?:in the )?(?P<part>morning|afternoon|evening|at night)\b", re.IGNORECASE)


def find_clock_times(text: str) -> Iterator[ClockTime]:
    """Yield the times of day of a text."""
    for match in _TIME.finditer(text):
        if match["noon"]:
            minutes = 0 if match["noon"].lower() == "midnight" else 720
            yield ClockTime(match.start(), match.end(), minutes, "24")
        elif not (match["h3"] and _may_be_ratio(text, match.start())):
            yield _clock_time(text, match)


def _may_be_ratio(text: str, start: int) -> bool:
    """Return whether "10:35" may not be a time: the text has a ratio, or nothing before it suggests a time."""
    return bool(_RATIO.search(text)) or not _BEFORE.search(text[max(start - 12, 0) : start])


def _clock_time(text: str, match: re.Match[str]) -> ClockTime:
    """Return a time that is written with an hour."""
    written = next(filter(None, match.group("h", "h2", "h3", "h4", "h5")))
    hour = int(written) if written.isdigit() else int(english_value(written) or 0)
    half, end = (match["half"] or match["half2"] or "").lower(), match.end()
    if later := _LATER.match(text, end):
        half, end = ("a" if later["part"].lower() == "morning" else "p"), later.end()
    if half and hour <= 12:
        hour, clock = hour % 12 + 12 * (half == "p"), half + "m"
    else:
        clock = "24" if hour > 12 or hour == 0 or written.startswith("0") else ""
    return ClockTime(match.start(), end, hour * 60 + _minutes_past(match), clock)


def _minutes_past(match: re.Match[str]) -> int:
    """Return the minutes past the hour; negative for minutes to the hour."""
    if match["half_past"]:
        name = match["half_past"].lower()
        return 30 if name.startswith("half") else 15 if name.endswith("past") else -15
    return int(match["m"] or match["m3"] or 0)


def written_clock_time(minutes: int, *, with_half: bool) -> str:
    """Return a time of day in the 12-hour clock (`with_half`) or the 24-hour clock.

    >>> written_clock_time(855, with_half=True), written_clock_time(855, with_half=False)
    ('2:15 pm', '14:15')
    """
    hour, minute = hour_and_minutes(minutes)
    if not with_half:
        return f"{hour}:{minute:02}"
    return f"{(hour + 11) % 12 + 1}:{minute:02} {'pm' if hour >= 12 else 'am'}"


def written_period(hours: int, minutes: int) -> str:
    """Return a duration in words, without a part that is 0.

    >>> written_period(1, 45)
    '1 hour 45 minutes'
    """
    parts = ((hours, "hour"), (minutes, "minute"))
    return " ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in parts if count)
