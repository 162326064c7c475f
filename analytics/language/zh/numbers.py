"""Chinese numerals and clock times (下午3时20分, 晚上8点半): parsing, finding and writing them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from analytics.language.mentions import ClockTime, NumberKind, NumberMention, NumeralForm, fraction_of, hour_and_minutes

MINUS = "[负零]下?"
"""What precedes a negative number, in words."""

PERCENT: tuple[str, ...] = ()
"""Names of the percent sign after a number; 百分之 precedes it instead."""

NUMBER_WORD = "(?!)"
"""Regular expression of a word that begins an amount; Chinese writes the currency after it."""

INDEFINITE = re.compile("一个数(?!字)")
"""A number word that is not a count when something is computed: "a number"."""

_SHARES = {"百分之": 100, "千分之": 1000}
_DIGITS = "零〇一二两三四五六七八九"
_VALUES = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_SCALES = {"万": 10_000, "亿": 100_000_000}


def chinese_value(words: str) -> Fraction | None:
    """Return the value of Chinese numerals; None if they do not name a number.

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
        digits = "".join(str(_VALUES.get(character, "-")) for character in re.sub("[折成]", "", words))
        return Fraction(f"0.{digits}") if digits.isdigit() else None
    if all(character in _VALUES for character in words):
        if len(words) > 1:
            return Fraction("".join(str(_VALUES[character]) for character in words))
        return Fraction(_VALUES[words])
    return _positional_value(words)


def _positional_value(words: str) -> Fraction | None:
    total = section = digit = 0
    for character in words:
        if character in _VALUES:
            digit = _VALUES[character]
        elif character in _UNITS:
            section += (digit or 1) * _UNITS[character]
            digit = 0
        elif character in _SCALES:
            scale, section = _SCALES[character], section + digit
            if total > scale:
                total += section * scale  # 一亿二千万: the smaller scale applies only to what precedes it
            else:
                total = (total + section or 1) * scale
            section = digit = 0
        else:
            return None
    return Fraction(total + section + digit)


_NUMERAL = f"[{_DIGITS}十百千万亿]"
_PART = f"{_NUMERAL}+分之(?:{_NUMERAL[:-4]}]|[千万亿](?![米克瓦]))+"
_NUMERALS = re.compile(
    rf"一?半|{_NUMERAL}+又{_PART}|{_PART}"
    rf"|[一二三四五六七八九]{{1,2}}折(?!叠|线|断|返|回)|(?<![分完组形])[一二三四五六七八九]成(?:[一二三四五六七八九](?![成]))?(?![为长本员立分功])"
    rf"|{_NUMERAL[:-1]}]*[{_DIGITS}十]{_NUMERAL}*"
)
_COUNTED = re.compile(
    r"[个只条本支枝元角块分千万百米厘毫公里克吨升天年月日周时小秒倍次号名位人口岁辆张件双对套箱袋筐盒瓶杯碗朵棵株根片颗"
    r"粒头匹座间层幢栋艘架台桶包串册页行排列组队班级题步段节圈堆把副幅顶枚种类样家户所间处亩平立角边点度成折局场圆]"
)
_NOT_A_NUMBER = re.compile(
    r"一(?:起|样|定|共|些|般|直|旦|切|致|会|下|律|向|再|边|面|块儿"
    r"|同|贯|概|齐|度|部|番)|万一|十分(?!之)|千米|千克|千瓦|百货|四周"
    r"|三角|四边|五边|六边|八边|四舍五入|二次|一次|一元|二元|三视|两边|两端|两侧"
    r"|两地|两旁|七巧|百分[率比数]|一一|九章|六一|半圆|半径|半角"
)


def around_digits(text: str, mention: NumberMention) -> NumberMention:
    """Return a number in digits with 百分之 or 千分之 in front of it."""
    start = mention.start - 3
    if start < 0 or (base := _SHARES.get(text[start : mention.start])) is None:
        return mention
    return NumberMention(start, mention.end, text[start : mention.end], mention.value / base, NumberKind.PERCENT)


def find_number_words(text: str) -> Iterator[NumberMention]:
    """Yield numbers in Chinese numerals: 二十五, 三分之一, 七五折, 半."""
    if not any(character in text for character in _DIGITS + "十半"):
        return
    for match in _NUMERALS.finditer(text):
        start, end, words = match.start(), match.end(), match[0]
        if _NOT_A_NUMBER.match(text, start) or (start and text[start - 1] in "第星期周"):
            continue
        if len(words) == 1 and not _COUNTED.match(text, end):
            continue
        value = chinese_value(words)
        if value is not None:
            yield NumberMention(start, end, words, value, _kind(words, value))


def _kind(words: str, value: Fraction) -> NumberKind:
    if words[-1] == "折" or "成" in words or words.startswith(("百分之", "千分之")):
        return NumberKind.PERCENT
    if value.denominator == 1:
        return NumberKind.INTEGER
    return NumberKind.MIXED if "又" in words else NumberKind.FRACTION


def _scaled(match: re.Match[str]) -> Fraction | None:
    """Parse ``1万2千`` and ``3万5``, where the last digit counts tenths of the scale before it."""
    total = scale = Fraction(0)
    for part in re.finditer(rf"(\d+(?:\.\d+)?)({_SCALE})", match["hans"]):
        before, scale = scale, Fraction(1)
        for character in part[2]:
            scale *= {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}[character]
        if before and scale >= before:
            return None
        total += Fraction(part[1]) * scale
    return total + int(match["tail"] or 0) * scale / 10


_NO_UNIT = r"(?![米克瓦卡分])"
_SCALE = rf"(?:[十百千]?[万亿]|[百千]){_NO_UNIT}"
_IS_SALE = re.compile("[打售价卖买元惠]")

DIGIT_FORMS: tuple[NumeralForm, ...] = (
    NumeralForm(
        "chinese_mixed",
        r"(?P<cw>\d+)又(?:(?P<cd>\d+)分之(?P<cn>\d+)|(?P<xn>\d+)/(?P<xd>\d+))",
        lambda m: fraction_of(m["cw"], m["cn"] or m["xn"], m["cd"] or m["xd"]),
        NumberKind.MIXED,
    ),
    NumeralForm(
        "chinese_fraction",
        r"(?P<below>\d+)分之(?P<above>\d+)",
        lambda m: fraction_of(None, m["above"], m["below"]),
        NumberKind.FRACTION,
    ),
    NumeralForm(
        "discount",
        r"(?<![\d.])(?P<tenths>\d(?:\.\d)?|\d\d)\s?折(?!叠|线|断|返|回|成)",
        lambda m: Fraction(m["tenths"]) / (10 ** len(m["tenths"].partition(".")[0]) if m["tenths"] >= "1" else 1),
        NumberKind.PERCENT,
        lambda m: _IS_SALE.search(m.string) is not None,
    ),
    NumeralForm(
        "chinese_scaled", rf"(?P<hans>(?:\d+(?:\.\d+)?{_SCALE})+)(?P<tail>\d(?![\d.]))?", _scaled, NumberKind.SCALED
    ),
)
"""Ways of writing a number that combine digits and Chinese characters: 3又5分之2, 5分之3, 8折, 1万2千."""


_BEFORE = re.compile(r"[上下中]午$|[早晚]上$|凌晨$|[从在到至于时间是—~～－-]\s?$")  # before "10:35" if it is a time
_AFTER = re.compile(r"\s?(?:开始|出发|结束|放学|上学|上课|下课|到|起|离)")
_RATIO = re.compile("比")
_MORNING = ("上午", "早上", "早晨", "凌晨")
_EVENING = ("下午", "晚上", "晚", "夜里")
_TIME = re.compile(
    r"(?P<part>上午|下午|早上|早晨|凌晨|中午|晚上|晚|夜里)?\s?"
    r"(?:(?P<h>[01]?\d|2[0-4])[:：](?P<m>[0-5]\d)(?![\d:：])"
    r"|(?P<h2>[01]?\d|2[0-4]|[一二两三四五六七八九十]{1,3})(?:时|点钟?)(?!间|候)"
    r"(?:(?P<half>半)|(?P<m2>[0-5]?\d|[一二三四五六七八九十]{1,3})分?(?![钟\d]))?)"
)


def find_clock_times(text: str) -> Iterator[ClockTime]:
    """Yield the times of day of a text."""
    for match in _TIME.finditer(text):
        if not match["part"] and _may_be_no_time(text, match):
            continue
        hour_text, minute_text = match["h"] or match["h2"], match["m"] or match["m2"] or "0"
        hour, minutes = (_small(each) for each in (hour_text, minute_text))
        if hour is None or minutes is None or hour > 24:
            continue
        part = match["part"] or ""
        hour += 12 if part in _EVENING and hour < 12 else 0
        half = _half(part, is_long=hour > 12 or hour_text.startswith("0"))
        minutes = 30 if match["half"] else minutes
        yield ClockTime(match.start(), match.end(), hour * 60 + minutes, half)


def _may_be_no_time(text: str, match: re.Match[str]) -> bool:
    """Return whether a time without a part of the day may be something else: 10:35 a ratio, 3时 alone three hours."""
    if match["h"]:
        before = text[max(match.start() - 3, 0) : match.start()]
        return bool(_RATIO.search(text)) or not (_BEFORE.search(before) or _AFTER.match(text, match.end()))
    return not match["half"] and not match["m2"] and "点" not in match[0]


def _half(part: str, *, is_long: bool) -> str:
    """Return the half of the day that a part of the day belongs to; "24" for an hour of the 24-hour clock."""
    if part in _EVENING or part == "中午":
        return "pm"
    if is_long:
        return "24"
    return "am" if part in _MORNING else ""


def _small(digits: str) -> int | None:
    value = int(digits) if digits.isdigit() else chinese_value(digits)
    return None if value is None else int(value)


def written_clock_time(minutes: int, *, with_half: bool) -> str:  # noqa: ARG001 - as every language
    """Return a time of day in the 24-hour clock, regardless of `with_half`."""
    hour, minute = hour_and_minutes(minutes)
    return f"{hour}:{minute:02}"


def written_period(hours: int, minutes: int) -> str:
    """Return a duration in words, without a part that is 0.

    >>> written_period(1, 45)
    '1小时45分钟'
    """
    return (f"{hours}小时" if hours else "") + (f"{minutes}分钟" if minutes or not hours else "")
