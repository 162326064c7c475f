r"""Numbers in questions, in digits and in words, English and Chinese.

Finds ``1,250``, ``3.5``, ``1/2``, ``2 1/2``, ``2½``, ``\frac{3}{4}``, ``20\%``, ``3.2 \times 10^{6}``,
"twenty-five", "half a dozen", "two point five", 二十五, 三分之一, 百分之八, each with its exact
value as a :class:`~fractions.Fraction`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from analytics.text.number_words import chinese_value, english_value
from analytics.text.remembered import Remembered

__all__ = [
    "VULGAR_FRACTIONS",
    "NumberMention",
    "find_numbers",
    "mask_numbers",
    "number_to_words",
    "signed_value",
]

_LONGEST_NUMBER = 300
_LARGEST_POWER = 60


@dataclass(frozen=True, slots=True)
class NumberMention:
    """A number as it stands in a text; ``source_text[start:end] == text``."""

    start: int
    end: int
    text: str
    value: Fraction


_PLAIN = r"\d{1,3}(?:(?:\{,\}|,)\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|(?<![\w.])\.\d+"
_VULGAR = {
    character: Fraction(unicodedata.numeric(character)).limit_denominator(10)
    for character in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
}
VULGAR_FRACTIONS = frozenset(_VULGAR)
"""Characters that are a fraction by themselves."""
_FRAC = (
    r"\\[dtc]?frac\s*(?:\{\s*(?P<{0}n>-?\d+)\s*\}|(?P<{0}n1>\d))\s*(?:\{\s*(?P<{0}d>\d+)\s*\}|(?P<{0}d1>\d))"
)
_NUMBER = re.compile(
    rf"(?:(?P<whole>\d+)\s*)?{_FRAC.replace('{0}', 'f')}"
    rf"|(?:(?P<vulgar_whole>\d+)\s?)?(?P<vulgar>[{''.join(_VULGAR)}])"
    r"|(?P<mixed>\d+)(?:[^\S\n]+|\s*(?P<bracket>\()\s*)(?P<mn>\d+)\s*[/⁄]\s*(?P<md>\d+)(?:\s*\))?(?![\d/⁄])"
    r"|\(?\((?P<pn>\d+)\)\s*/\s*\((?P<pd>\d+)\)\)?"
    r"|(?<![\d/⁄])(?P<n>\d+)\s*[/⁄]\s*(?P<d>\d+)(?![\d/⁄])"
    rf"|(?P<scientific>{_PLAIN})\s*(?:\\times|\\cdot|×|x)\s*10\s*\^\s*\{{?\s*(?P<power>-?\d+)\s*\}}?"
    rf"|(?P<plain>{_PLAIN})(?:\s*(?P<tens>[百千万亿](?![米克瓦卡分])))?"
)
_SCALED = re.compile(r" (hundred|thousand|million|billion|dozen)\b", re.IGNORECASE)
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_PERCENT = re.compile(r"\s*(?:\\?[%％]|percent\b|per cent\b|\\permil)", re.IGNORECASE)

_ENGLISH_WORD = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|thirty|fou?rty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million"
    r"|billion|dozen|half|halves|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|score)"
)
_ENGLISH = re.compile(
    rf"\b(?:an?[ -])?{_ENGLISH_WORD}(?:(?:[ -]|, (?:an? )?| and (?:an? )?| an? | point ){_ENGLISH_WORD})*\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:no|each|every|any|which|this|that|another|some|the|only|first|last)[ -]$", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z]+")
_BEFORE_COMMA = frozenset({"thousand", "million", "billion"})
_LONGEST_PHRASE = 14

_DIGITS = "零〇一二两三四五六七八九"
_CHINESE = re.compile(
    rf"一?半|[{_DIGITS}十百千万亿]+分之[{_DIGITS}十百千万亿]+"
    rf"|[{_DIGITS}十百千万亿]*[{_DIGITS}十](?:[{_DIGITS}十百千万亿]*)"
)
_COUNTED = re.compile(
    r"[个只条本支枝元角块分千万百米厘毫公里克吨升天年月日周时小秒倍次号名位人口岁辆张件双对套箱袋筐盒瓶杯碗朵棵株根片颗"
    r"粒头匹座间层幢栋艘架台桶包串册页行排列组队班级题步段节圈堆把副幅顶枚种类样家户所间处亩平立角边点度成折局场圆]"
)
_NOT_A_NUMBER = re.compile(
    r"一(?:起|样|定|共|些|般|直|旦|切|致|会|下|律|向|再|边|面|块儿|同|贯|概|齐|度|部|番)|万一|十分|千米|千克|千瓦|百货|四周"
    r"|三角|四边|五边|六边|八边|四舍五入|二次|一次|一元|二元|三视|两边|两端|两侧|两地|两旁|七巧|百分[率比数]|一一|九章|六一|半圆|半径|半角"
)

_MINUS = re.compile(r"(?:^\s*[-−]\s*\$?\s*|(?<![\w)}%])[-−]\$?)$")


def find_numbers(text: str) -> list[NumberMention]:
    r"""Return the numbers of a text in order of appearance, formulas included.

    A date or a clock time has no value of its own: the numbers in it are found one by one.

    >>> [(m.text, str(m.value)) for m in find_numbers(r"twenty-five pens for $2.50, $\frac{1}{4}$ of 20\%")]
    [('twenty-five', '25'), ('2.50', '5/2'), ('\\frac{1}{4}', '1/4'), ('20\\%', '1/5')]
    >>> [(m.text, str(m.value)) for m in find_numbers("二十五个的三分之一")]
    [('二十五', '25'), ('三分之一', '1/3')]
    """
    return _mentions(text)


@Remembered
def _mentions(text: str) -> tuple[NumberMention, ...]:
    mentions = list(_digit_mentions(text))
    if any(character in text for character in _DIGITS + "十半"):
        mentions += _free(_chinese_mentions(text), mentions)
    mentions += _free(_english_mentions(text), mentions)
    mentions.sort(key=lambda mention: mention.start)
    return tuple(mentions)


def signed_value(mention: NumberMention, text: str) -> Fraction:
    """Return the value of a number of a text with the sign in front of it.

    A minus is a sign directly before the number or its dollar, unless it comes directly after a word or a bracket, and
    anywhere at the text's beginning.

    >>> texts = ["- 5", "it is -$5", "8-5", "8 - 5"]
    >>> [str(signed_value(find_numbers(text)[-1], text)) for text in texts]
    ['-5', '-5', '5', '5']
    """
    return -mention.value if _MINUS.search(text[: mention.start]) else mention.value


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


def number_to_words(value: int | Fraction, language: str = "en") -> str:
    """Write a number in words.

    >>> number_to_words(25), number_to_words(25, "zh"), number_to_words(Fraction(1, 3), "zh")
    ('twenty-five', '二十五', '三分之一')
    """
    from analytics.text.number_words import chinese_words, english_words

    value = Fraction(value)
    return chinese_words(value) if language == "zh" else english_words(value)


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


def _digit_mentions(text: str) -> Iterator[NumberMention]:
    for match in _number_matches(text):
        if match.end() - match.start() > _LONGEST_NUMBER:
            continue
        value = _digit_value(match)
        if value is None:
            continue
        start, end = match.span()
        if scaled := _SCALED.match(text, end):
            value, end = value * _SCALES[scaled[1].lower()], scaled.end()
        percent = _PERCENT.match(text, end)
        if percent:
            value, end = value / (1000 if "mil" in percent[0] else 100), percent.end()
        elif text.startswith("百分之", max(start - 3, 0)) and start >= 3:
            value, start = value / 100, start - 3
        yield NumberMention(start, end, text[start:end], value)


def _number_matches(text: str) -> Iterator[re.Match[str]]:
    """Yield what numbers in digits match; a whole number before an improper fraction is a number of its own."""
    place = 0
    while match := _NUMBER.search(text, place):
        if match["mixed"] and not match["bracket"] and not _is_proper(match["mn"], match["md"]):
            match = _NUMBER.match(text, match.start(), match.end("mixed")) or match
        place = match.end()
        yield match


def _is_proper(numerator: str, denominator: str) -> bool:
    is_short = len(numerator) + len(denominator) <= _LONGEST_NUMBER
    return is_short and int(numerator) < int(denominator)


def _digit_value(match: re.Match[str]) -> Fraction | None:
    group = match.groupdict()
    if group["fn"] or group["fn1"]:
        return _fraction(group["whole"], group["fn"] or group["fn1"], group["fd"] or group["fd1"])
    if group["vulgar"]:
        return int(group["vulgar_whole"] or 0) + _VULGAR[group["vulgar"]]
    if group["mixed"]:
        return _fraction(group["mixed"], group["mn"], group["md"])
    if group["pn"]:
        return _fraction(None, group["pn"], group["pd"])
    if group["n"]:
        return _fraction(None, group["n"], group["d"])
    if group["scientific"]:
        power = int(group["power"])
        return _plain(group["scientific"]) * Fraction(10) ** power if abs(power) <= _LARGEST_POWER else None
    value = _plain(group["plain"])
    scale = {"百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}.get(group["tens"] or "", 1)
    return value * scale


def _plain(digits: str) -> Fraction:
    return Fraction(digits.replace("{,}", "").replace(",", ""))


def _fraction(whole: str | None, numerator: str, denominator: str) -> Fraction | None:
    if int(denominator) == 0:
        return None
    part = Fraction(int(numerator), int(denominator))
    return part if whole is None else int(whole) + part


def _english_mentions(text: str) -> Iterator[NumberMention]:
    for run in _ENGLISH.finditer(text):
        words = list(_WORD.finditer(text, run.start(), run.end()))
        at = 0
        while at < len(words):
            count, value = _longest_number(words[at : at + _LONGEST_PHRASE])
            start, end = words[at].start(), words[at + count - 1].end()
            at += count
            if value is not None and not _is_pronoun(text, start, end):
                if percent := _PERCENT.match(text, end):
                    value, end = value / (1000 if "mil" in percent[0] else 100), percent.end()
                yield NumberMention(start, end, text[start:end], value)


def _longest_number(words: list[re.Match[str]]) -> tuple[int, Fraction | None]:
    """Return how many of the words make the longest number, and its value; (1, None) where none does."""
    limit = len(words)
    for index in range(1, limit):
        if (
            words[index].string[words[index].start() - 2] == ","
            and words[index - 1][0].lower() not in _BEFORE_COMMA
        ):
            limit = index
            break
    for count in range(limit, 0, -1):
        value = english_value(" ".join(word[0] for word in words[:count]))
        if value is not None:
            return count, value
    return 1, None


def _is_pronoun(text: str, start: int, end: int) -> bool:
    if text[start:end].lower() != "one":
        return False
    return _PRONOUN.search(text[max(start - 10, 0) : start]) is not None or text[end : end + 3] == " of"


def _chinese_mentions(text: str) -> Iterator[NumberMention]:
    for match in _CHINESE.finditer(text):
        start, end, words = match.start(), match.end(), match[0]
        if _NOT_A_NUMBER.match(text, start) or (start and text[start - 1] in "第星期周"):
            continue
        if len(words) == 1 and not _COUNTED.match(text, end):
            continue
        value = chinese_value(words)
        if value is not None:
            yield NumberMention(start, end, words, value)
