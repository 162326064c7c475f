r"""Numbers in questions, in digits and in words, English and Chinese.

Finds ``1,250``, ``3.5``, ``1/2``, ``2 1/2``, ``2½``, ``\frac{3}{4}``, ``20\%``, ``3.2 \times 10^{6}``
(`analytics.text.numerals`), "twenty-five", "half a dozen", "five sixteenths", 二十五, 十分之三, 七五折
(`analytics.text.number_words`), each with its exact value as a :class:`~fractions.Fraction` and with what it is: a per
cent, the hour of a clock time, part of a ratio.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from analytics.text.clock_times import find_clock_times
from analytics.text.number_words import (
    CHINESE_DIGITS,
    ENGLISH_NUMBER_WORDS,
    PART_WORDS,
    chinese_value,
    english_value,
)
from analytics.text.numerals import NumberKind, find_numerals, half_width
from analytics.text.remembered import Remembered


@dataclass(frozen=True, slots=True)
class NumberMention:
    """A number as it stands in a text; ``source_text[start:end] == text``.

    Attributes:
        value: without the sign in front of it.
        is_negative: whether a minus stands in front of it that is a sign: directly before the number or its dollar,
            unless it comes directly after a word or a bracket, and anywhere at the text's beginning.
    """

    start: int
    end: int
    text: str
    value: Fraction
    kind: NumberKind = NumberKind.INTEGER
    is_negative: bool = False

    @property
    def signed(self) -> Fraction:
        """The value with its sign.

        >>> [str(find_numbers(text)[-1].signed) for text in ("- 5", "it is -$5", "8-5", "8 - 5")]
        ['-5', '-5', '5', '5']
        """
        return -self.value if self.is_negative else self.value


_SCALED = re.compile(r"[ -](hundred|thousand|million|billion|dozens?)\b", re.IGNORECASE)
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_PERCENT = re.compile(r"\s*(?:\\?[%％]|percent\b|per cent\b|\\permil|‰)", re.IGNORECASE)
_RATIO = re.compile(r"(?<![\d.:])\d+(?:\.\d+)?(?:\s?[:：∶]\s?\d+(?:\.\d+)?)+(?![\d:])")
_RANGE = re.compile(r"(?<![\d.,/+*=-])(?<!\d )\d+[-–—]\d+(?![\d/+*=]|[-–.]\d| ?=)")

_WORDS = "|".join(sorted(ENGLISH_NUMBER_WORDS, key=len, reverse=True))
_ENGLISH = re.compile(
    rf"\b(?:an?[ -])?(?:{_WORDS})(?:(?:[ -]|, (?:an? )?| and (?:an? )?| an? | point )(?:{_WORDS}))*\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:no|each|every|any|which|this|that|another|some|the|only|first|last)[ -]$", re.IGNORECASE
)
_ORDINAL = re.compile(rf"[ -](?:first|second|{'|'.join(PART_WORDS)})\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+")
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

_NUMERAL = f"[{CHINESE_DIGITS}十百千万亿]"
_PART = f"{_NUMERAL}+分之(?:{_NUMERAL[:-4]}]|[千万亿](?![米克瓦]))+"
_CHINESE = re.compile(
    rf"一?半|{_NUMERAL}+又{_PART}|{_PART}"
    rf"|[一二三四五六七八九]{{1,2}}折(?!叠|线|断|返|回)|(?<![分完组形])[一二三四五六七八九]成(?:[一二三四五六七八九](?![成]))?(?![为长本员立分功])"
    rf"|{_NUMERAL[:-1]}]*[{CHINESE_DIGITS}十]{_NUMERAL}*"
)
_INDEFINITE = re.compile("一个数(?!字)")
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

_MINUS = re.compile(
    r"(?:^\s*[-−–]\s*\$?\s*|(?<![\w)}%])[-−]\$?|(?<=[A-Za-z,(] )–|(?:\bnegative|[负零]下?)\s?)$"
)


def find_numbers(text: str, *, with_indefinite: bool = False) -> list[NumberMention]:
    r"""Return the numbers of a text in order of appearance, formulas included.

    Args:
        with_indefinite: whether 一 counts in 一个数, "a number", as it does for trained models.

    A date, a clock time, a ratio or a range has no value of its own: the numbers in it are found one by one.

    >>> [(m.text, str(m.value)) for m in find_numbers(r"twenty-five pens for $2.50, $\frac{1}{4}$ of 20\%")]
    [('twenty-five', '25'), ('2.50', '5/2'), ('\\frac{1}{4}', '1/4'), ('20\\%', '1/5')]
    >>> [(m.text, str(m.value)) for m in find_numbers("二十五个的三分之一")]
    [('二十五', '25'), ('三分之一', '1/3')]
    """
    mentions = _mentions(text)
    if with_indefinite or "一个数" not in text:
        return mentions
    return [mention for mention in mentions if not _INDEFINITE.match(text, mention.start)]


@Remembered
def _mentions(text: str) -> tuple[NumberMention, ...]:
    plain = half_width(text)
    mentions = list(_digit_mentions(text, plain))
    if any(character in text for character in CHINESE_DIGITS + "十半"):
        mentions += _free(_chinese_mentions(text), mentions)
    mentions += _free(_english_mentions(text), mentions)
    mentions += _free(_group_mentions(text), mentions)
    mentions.sort(key=lambda mention: mention.start)
    return tuple(_with_roles(text, plain, mentions))


def _with_roles(text: str, plain: str, mentions: list[NumberMention]) -> Iterator[NumberMention]:
    """Yield the mentions with their signs, and with what plain numbers are part of."""
    roles: dict[int, NumberKind] = {}
    stretches: list[tuple[int, int, NumberKind]] = []
    if ":" in plain or "：" in text or "∶" in text:
        stretches += [(match.start(), match.end(), NumberKind.RATIO_PART) for match in _RATIO.finditer(plain)]
    stretches += [(time.start, time.end, NumberKind.CLOCK_TIME) for time in find_clock_times(text)]
    stretches += [(match.start(), match.end(), NumberKind.RANGE_END) for match in _RANGE.finditer(plain)]
    for start, end, kind in stretches:
        roles |= {mention.start: kind for mention in mentions if start <= mention.start < end}
    for mention in mentions:
        if mention.kind in (NumberKind.INTEGER, NumberKind.DECIMAL) and mention.start in roles:
            mention = replace(mention, kind=roles[mention.start])
        if mention.kind is not NumberKind.RANGE_END and _is_negative(plain, mention.start):
            mention = replace(mention, is_negative=True)
        yield mention


def _is_negative(text: str, start: int) -> bool:
    before = text[max(start - 12, 0) : start]
    if start > 12:
        before = "x" + before if before[:1].isspace() else before  # `^` means the text's beginning alone
    match = _MINUS.search(before)
    return match is not None and not (start > 12 and match.start() == 0 and before[0] in " -−–")


def mask_numbers(text: str, mask: str = "#") -> str:
    """Replace every number, so that questions that differ in their numbers alone become equal.

    >>> mask_numbers("Tom has 3 pens and Ann has twelve.") == mask_numbers("Tom has 25 pens and Ann has 4.")
    True
    """
    parts: list[str] = []
    end = 0
    for mention in find_numbers(text):
        parts += (text[end : mention.start], mask)
        end = mention.end
    parts.append(text[end:])
    return "".join(parts)


def _free(mentions: Iterator[NumberMention], taken: list[NumberMention]) -> list[NumberMention]:
    """Return those mentions that lie in no stretch that is taken already (百分之20, 3万)."""
    stretches = sorted((mention.start, mention.end) for mention in taken)
    starts = [start for start, _ in stretches]
    free: list[NumberMention] = []
    for mention in mentions:
        before = bisect_left(starts, mention.end) - 1  # the last stretch that begins before the mention ends
        if before < 0 or stretches[before][1] <= mention.start:
            free.append(mention)
    return free


def _digit_mentions(text: str, plain: str) -> Iterator[NumberMention]:
    for numeral in find_numerals(plain):
        start, end, value, kind = numeral.start, numeral.end, numeral.value, numeral.kind
        if scaled := _SCALED.match(text, end):
            name = scaled[1].lower().removesuffix("s" if scaled[1].lower() == "dozens" else "")
            value, end, kind = value * _SCALES[name], scaled.end(), NumberKind.SCALED
        percent = _PERCENT.match(text, end)
        if percent:
            value, end, kind = value / _percent_base(percent[0]), percent.end(), NumberKind.PERCENT
        elif text[max(start - 3, 0) : start] in ("百分之", "千分之"):
            value, start, kind = (
                value / (100 if text[start - 3] == "百" else 1000),
                start - 3,
                NumberKind.PERCENT,
            )
        yield NumberMention(start, end, text[start:end], value, kind)


def _percent_base(sign: str) -> int:
    return 1000 if "mil" in sign or "‰" in sign else 100


def _english_mentions(text: str) -> Iterator[NumberMention]:
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
            if percent := _PERCENT.match(text, end):
                value, end, kind = value / _percent_base(percent[0]), percent.end(), NumberKind.PERCENT
            yield NumberMention(start, end, text[start:end], value, kind)


def _longest_number(words: list[re.Match[str]]) -> tuple[int, Fraction | None]:
    """Return how many of the words make the longest number, and its value; (1, None) where none does."""
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
    """Return whether words that may be a number are none here: a pronoun, dozens, the twenty-fifth."""
    words = text[start:end].lower()
    if words == "one":
        return _PRONOUN.search(text[max(start - 10, 0) : start]) is not None or text[end : end + 3] == " of"
    return words == "dozens" or (last in _BEFORE_ORDINAL and _ORDINAL.match(text, end) is not None)


_BEFORE_ORDINAL = frozenset(
    str.split("twenty thirty forty fifty sixty seventy eighty ninety hundred thousand")
)


def _group_mentions(text: str) -> Iterator[NumberMention]:
    """Yield "a score of people", "a couple of apples", and "a pair of socks" where socks are counted singly."""
    for match in _GROUP.finditer(text):
        name = match.lastgroup if match.lastgroup != "things" else "pair"
        if name == "pair" and not re.search(
            rf"\b(?:how many|\d+)(?: \w+)?? {match['things']}\b", text, re.IGNORECASE
        ):
            continue
        end = match.end(name or 0)
        value = Fraction(20 if name == "score" else 2)
        yield NumberMention(match.start(), end, text[match.start() : end], value)


def _chinese_mentions(text: str) -> Iterator[NumberMention]:
    for match in _CHINESE.finditer(text):
        start, end, words = match.start(), match.end(), match[0]
        if _NOT_A_NUMBER.match(text, start) or (start and text[start - 1] in "第星期周"):
            continue
        if len(words) == 1 and not _COUNTED.match(text, end):
            continue
        value = chinese_value(words)
        if value is not None:
            yield NumberMention(start, end, words, value, _chinese_kind(words, value))


def _chinese_kind(words: str, value: Fraction) -> NumberKind:
    if words[-1] == "折" or "成" in words or words.startswith(("百分之", "千分之")):
        return NumberKind.PERCENT
    if value.denominator == 1:
        return NumberKind.INTEGER
    return NumberKind.MIXED if "又" in words else NumberKind.FRACTION
