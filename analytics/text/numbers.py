r"""Numbers in questions, in digits and in words.

Finds ``1,250``, ``3.5``, ``1/2``, ``2 1/2``, ``2½``, ``\frac{3}{4}``, ``20\%``, ``3.2 \times 10^{6}``,
"twenty-five", "half a dozen", "five sixteenths", 二十五, 十分之三, 七五折
(``numbers.py`` of a language), each with its exact value as a :class:`~fractions.Fraction` and with its kind: a
percentage, the hour of a clock time, part of a ratio.

There is one row of `_forms` per way of writing digits: ``3-1/2``, ``3×10^5``, ``2e3``, ``1 250 000``, ``12,00,000``,
``3,50`` too. If a text is ambiguous, the context of the number decides; the first row that fits is used. Full-width
digits, points and commas count as plain ones.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from analytics.language.contract import Language
from analytics.language.mentions import NumberKind, NumberMention, NumeralForm, fraction_of
from analytics.languages import language_of, languages
from analytics.text.characters import VULGAR_FRACTIONS, blank_names
from analytics.text.formulas import segment_text
from analytics.text.remembered import Remembered

RATIO = re.compile(r"(?<![\d.:])\d+(?:\.\d+)?(?:\s?[:：∶]\s?\d+(?:\.\d+)?)+(?![\d:])")
_RANGE = re.compile(r"(?<![\d.,/+*=-])(?<!\d )\d+[-–—]\d+(?![\d/+*=]|[-–.]\d| ?=)")


def find_numbers(text: str, *, with_indefinite: bool = False) -> list[NumberMention]:
    r"""Return the numbers of a text in order of appearance, formulas included.

    Args:
        with_indefinite: whether to count the 一 of 一个数, "a number", as trained models do.

    A date, a clock time, a ratio or a range has no value of its own: the numbers in it are found one by one. Picture
    names contain no numbers.

    >>> [(m.text, str(m.value)) for m in find_numbers(r"twenty-five pens for $2.50, $\frac{1}{4}$ of 20\%")]
    [('twenty-five', '25'), ('2.50', '5/2'), ('\\frac{1}{4}', '1/4'), ('20\\%', '1/5')]
    >>> [(m.text, str(m.value)) for m in find_numbers("二十五个的三分之一")]
    [('二十五', '25'), ('三分之一', '1/3')]
    """
    mentions = _mentions(text)
    if with_indefinite:
        return mentions
    indefinite = [language.numbers.INDEFINITE for language in languages()]
    return [mention for mention in mentions if not any(each.match(text, mention.start) for each in indefinite)]


@Remembered
def numbers_alone(text: str) -> tuple[NumberMention, ...]:
    """Return the numbers of a text, including indefinite ones, without signs and without the roles of plain numbers."""
    text = blank_names(text)
    mentions = [_percentage(text, mention) for mention in _digit_mentions(text, half_width(text))]
    for language in languages():
        words = language.numbers.find_number_words(text)
        mentions += _free((_percentage(text, mention) for mention in words), mentions)
    mentions.sort(key=lambda mention: mention.start)
    return tuple(mentions)


@Remembered
def _mentions(text: str) -> tuple[NumberMention, ...]:
    mentions = numbers_alone(text)
    text = blank_names(text)
    return tuple(_with_roles(text, half_width(text), mentions))


def _with_roles(text: str, plain: str, mentions: list[NumberMention]) -> Iterator[NumberMention]:
    """Yield the mentions with their signs and with the roles of plain numbers."""
    roles: dict[int, NumberKind] = {}
    stretches: list[tuple[int, int, NumberKind]] = []
    if ":" in plain or "：" in text or "∶" in text:
        stretches += [(match.start(), match.end(), NumberKind.RATIO_PART) for match in RATIO.finditer(plain)]
    clock_times = language_of(text).numbers.find_clock_times(text)
    stretches += [(time.start, time.end, NumberKind.CLOCK_TIME) for time in clock_times]
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
        before = "x" + before if before[:1].isspace() else before  # `^` matches only at the start of the text
    match = _minus(languages()).search(before)
    return match is not None and not (start > 12 and match.start() == 0 and before[0] in " -−–")


def mask_numbers(text: str) -> str:
    """Replace every number by "#", so that questions that differ only in their numbers become equal.

    >>> mask_numbers("Tom has 3 pens and Ann has twelve.") == mask_numbers("Tom has 25 pens and Ann has 4.")
    True
    """
    parts: list[str] = []
    end = 0
    for mention in find_numbers(text):
        parts += (text[end : mention.start], "#")
        end = mention.end
    parts.append(text[end:])
    return "".join(parts)


def _free(mentions: Iterator[NumberMention], taken: list[NumberMention]) -> list[NumberMention]:
    """Return the mentions that do not lie in a stretch that is already taken (百分之20, 3万)."""
    stretches = sorted((mention.start, mention.end) for mention in taken)
    starts = [start for start, _ in stretches]
    free: list[NumberMention] = []
    for mention in mentions:
        before = bisect_left(starts, mention.end) - 1  # the last stretch that starts before the mention ends
        if before < 0 or stretches[before][1] <= mention.start:
            free.append(mention)
    return free


def _digit_mentions(text: str, plain: str) -> Iterator[NumberMention]:
    for numeral in find_numerals(plain):
        start, end = numeral.start, numeral.end
        mention = NumberMention(start, end, text[start:end], numeral.value, numeral.kind)
        for language in languages():
            mention = language.numbers.around_digits(text, mention)
        yield mention


def _percentage(text: str, mention: NumberMention) -> NumberMention:
    """Return a number with the percent or per mille sign, or its name, after it."""
    sign = _percent(languages()).match(text, mention.end)
    if sign is None:
        return mention
    base = 1000 if "mil" in sign[0] or "‰" in sign[0] else 100
    start, end = mention.start, sign.end()
    return NumberMention(start, end, text[start:end], mention.value / base, NumberKind.PERCENT)


@lru_cache(maxsize=8)
def _percent(languages: tuple[Language, ...]) -> re.Pattern[str]:
    names = "".join(rf"|{name}\b" for language in languages for name in language.numbers.PERCENT)
    return re.compile(rf"\s*(?:\\?[%％]|\\permil|‰{names})", re.IGNORECASE)


@lru_cache(maxsize=8)
def _minus(languages: tuple[Language, ...]) -> re.Pattern[str]:
    words = "|".join(language.numbers.MINUS for language in languages)
    return re.compile(rf"(?:^\s*[-−–]\s*\$?\s*|(?<![\w)}}%])[-−]\$?|(?<=[A-Za-z,(] )–|(?:{words})\s?)$")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in digits; ``text[start:end]`` is the source."""

    start: int
    end: int
    value: Fraction
    kind: NumberKind


_LONGEST = 300  # characters per number
_LARGEST_POWER = 60

_FULL_WIDTH = {
    ord(wide): ord(plain) for plain, wide in zip("0123456789/:%-+", "０１２３４５６７８９／：％－＋", strict=True)
}
_WIDE_MARK = re.compile("(?<=[０-９])[．，](?=[０-９])")  # others may end a sentence or separate a list
_WIDE_POINT = re.compile(r"(?<=\d)．(?=\d)")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")

_POINT = r"\d{1,3}(?:(?:\{,\}|,)\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|(?<![\w.])\.\d+"
_COMMA = r"\d{1,3}(?:\.\d{3})+(?!\d)(?:,\d+)?|\d+,\d+|\d+(?:\.\d+)?"  # 1.250,50: the comma is a point
_INDIAN = r"(?<![\d,.(\[{])\d{1,2}(?:,\d{2})+,\d{3}(?!\d|,\d)(?:\.\d+)?"
_APOSTROPHE = r"(?<!\d)\d{1,3}(?:['’]\d{3})+(?!\d)(?:\.\d+)?"
_BLANK = "[ \u00a0\u2009\u202f]"
_THIN = "[\u00a0\u2009\u202f]|\\\\,|~"
_SPACED = (
    rf"(?<![\d.,/⁄:^])(?<!\d{_BLANK})[1-9]\d{{0,2}}(?:(?:{_BLANK}|{_THIN})\d{{3}})+(?!\d|{_BLANK}\d|[/⁄:^]|\s*=)"
    r"(?:[.,]\d+(?!\d))?"
)
_FRAC = r"\\[dtc]?frac\s*(?:\{\s*(?P<fn>-?\d+)\s*\}|(?P<fn1>\d))\s*(?:\{\s*(?P<fd>\d+)\s*\}|(?P<fd1>\d))"
_BEGINNING = rf"(?=[\d\\.({''.join(VULGAR_FRACTIONS)}])"  # no form is tried elsewhere: takes a sixth of the time
_EXPONENT = r"(?:\^\s*\{?\s*(?P<{0}>[-−]?\d+)\s*\}?|(?P<{0}s>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))"


def _slash(name: str) -> str:
    return rf"(?P<{name}n>\d+)\s*[/⁄]\s*(?P<{name}d>\d+)"


def half_width(text: str) -> str:
    """Return a text of the same length with half-width digits and number punctuation."""
    if text.isascii():
        return text
    text = _WIDE_MARK.sub(lambda mark: "." if mark[0] == "．" else ",", text)
    if "。" in text:
        text = _WIDE_POINT.sub(".", text)
    return text.translate(_FULL_WIDTH)


def _whole(digits: str) -> Fraction:
    """Parse digits with any separators, the last of which may be a decimal point."""
    return Fraction(int(digits) if digits.isdecimal() else re.sub(r"[^\d.]", "", digits))


def _decimal_comma(digits: str) -> Fraction:
    if "," not in digits and not re.fullmatch(r"\d{1,3}(?:\.\d{3})+", digits):
        return Fraction(digits)
    return Fraction(digits.replace(".", "").replace(",", "."))


def _power(base: Fraction, exponent: str) -> Fraction | None:
    power = int(exponent.translate(_SUPERSCRIPT))
    return base * Fraction(10) ** power if abs(power) <= _LARGEST_POWER else None


def _latex(match: re.Match[str]) -> Fraction | None:
    return fraction_of(match["whole"], match["fn"] or match["fn1"], match["fd"] or match["fd1"])


def _spaced(match: re.Match[str]) -> Fraction | None:
    """Parse ``1 250 000``; a list ("100 200 300") and a count before a size ("3 250 g bags") are several numbers."""
    digits, text = match[0], match.string
    if " " in digits:
        groups = re.split(_BLANK, digits)
        if len(groups) > 2 and len(groups[0]) == 3 and not re.match(r"\s*[A-Za-z€£$]", text[match.end() :][:3]):
            return None
        if _COUNTED_SIZE.match(text, match.end()):
            return None
    if re.search(r"\d,\d+$", digits):  # 1 250,50
        digits = digits.replace(",", ".")
    return _whole(digits)


_COUNTED_SIZE = re.compile(
    r"\s?-|\s?(?:g|kg|mg|ml|mL|cl|l|L|cm|mm|m|km|oz|lb)\s[a-z]{2,}(?<!i|a)s\b(?<!is)(?<!was)(?<!has)"
)


def _forms(
    numeral: str, read: Callable[[str], Fraction], of_languages: Sequence[NumeralForm]
) -> tuple[NumeralForm, ...]:
    """Return the ways of writing a number.

    Args:
        numeral: regular expression of a plain number in the text.
        read: parses a plain number.
        of_languages: forms specific to a language.
    """
    kind = NumberKind
    return (
        NumeralForm("latex", rf"(?:(?P<whole>\d+)\s*)?{_FRAC}", _latex, kind.FRACTION),
        NumeralForm(
            "vulgar",
            rf"(?:(?P<vw>\d+)\s?)?(?P<vc>[{''.join(VULGAR_FRACTIONS)}])",
            lambda m: int(m["vw"] or 0) + VULGAR_FRACTIONS[m["vc"]],
            kind.FRACTION,
        ),
        NumeralForm(
            "mixed",
            rf"(?P<mw>\d+)(?:[^\S\n]+|\s*(?P<mb>\()\s*){_slash('m')}(?:\s*\))?(?![\d/⁄])",
            lambda m: fraction_of(m["mw"], m["mn"], m["md"]),
            kind.MIXED,
            lambda m: bool(m["mb"]) or _is_proper(m["mn"], m["md"]),
        ),
        NumeralForm(
            "hyphened",
            rf"(?<![\d/⁄.,)^+*×÷=$-])(?P<hw>\d{{1,4}})-{_slash('h')}(?![\d/⁄])"
            r"(?=\s*(?:[%％\"”″]|[-\s]?(?!(?:and|or|x)\b)[A-Za-z]))",
            lambda m: fraction_of(m["hw"], m["hn"], m["hd"]),
            kind.MIXED,
            _is_no_difference,
        ),
        NumeralForm(
            "bracketed",
            r"\(?\((?P<pn>\d+)\)\s*/\s*\((?P<pd>\d+)\)\)?",
            lambda m: fraction_of(None, m["pn"], m["pd"]),
            kind.FRACTION,
        ),
        NumeralForm(
            "slashed",
            rf"(?<![\d/⁄]){_slash('s')}(?![\d/⁄])",
            lambda m: fraction_of(None, m["sn"], m["sd"]),
            kind.FRACTION,
        ),
        *of_languages,
        NumeralForm(
            "scientific",
            rf"(?P<base>{numeral})\s*(?:\\times|\\cdot|[×x*·⋅])\s*10\s*{_EXPONENT.replace('{0}', 'power')}",
            lambda m: _power(read(m["base"]), m["power"] or m["powers"]),
            kind.SCALED,
        ),
        NumeralForm(
            "ten",
            rf"(?<![\d.,])10\s?{_EXPONENT.replace('{0}', 'ten_power')}(?![\w^])",
            lambda m: _power(Fraction(1), m["ten_power"] or m["ten_powers"]),
            kind.SCALED,
        ),
        NumeralForm(
            "exponent",
            r"(?<![\w.,])(?P<mantissa>\d+(?:\.\d+)?)[eE](?P<e>[-+]?\d+)(?![\w^])",
            lambda m: _power(Fraction(m["mantissa"]), m["e"]),
            kind.SCALED,
        ),
        NumeralForm("spaced", _SPACED, _spaced),
        NumeralForm("indian", _INDIAN, lambda m: _whole(m[0])),
        NumeralForm("apostrophe", _APOSTROPHE, lambda m: _whole(m[0])),
        NumeralForm("plain", numeral, lambda m: read(m[0])),
    )


@lru_cache(maxsize=8)
def _compiled(
    languages: tuple[Language, ...], *, decimal_comma: bool
) -> tuple[re.Pattern[str], dict[str, NumeralForm]]:
    numeral, read = (_COMMA, _decimal_comma) if decimal_comma else (_POINT, _whole)
    forms = _forms(numeral, read, [form for language in languages for form in language.numbers.DIGIT_FORMS])
    pattern = re.compile(_BEGINNING + "(?:" + "|".join(f"(?P<{form.name}>{form.pattern})" for form in forms) + ")")
    return pattern, {form.name: form for form in forms}


_DECIMAL_COMMA = re.compile(  # a comma that can only be a decimal comma
    r"\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)"
    r"|(?<![\d,.(\[])(?<![(\[] )(?:\d+,\d{1,2}(?!\d|,\d)|0,\d+(?!,\d))\s?"
    r"(?:€|EUR\b|(?:km|kg|cm|mm|dm|ml|cl|dl|m|g|l|L|t|h)\b|[%％]|°C)"
    r"|[€£]\s?\d+,\d{1,2}(?!\d|,\d)|(?<![(\[{\w,.])(?<![(\[{] )0,\d+(?!\d|,\d|\s?[)\]}])"
)
_DIGITS = re.compile(r"\d+")
_NAMES_OF_TASKS = re.compile(r"(?:calculate|compute|evaluate|simplify|subtract|work out|what is|:)\s*$", re.IGNORECASE)
_MONEY_SCALE = re.compile(r"(k|K|m|M|bn)(?![\w$])")
_MONEY_SCALES = {"k": 1_000, "m": 1_000_000, "bn": 1_000_000_000}


def find_numerals(text: str) -> Iterator[Numeral]:
    """Yield the numbers in digits of a half-width text, in order of appearance.

    >>> [str(numeral.value) for numeral in find_numerals("1 250 000 people, 3-1/2 cups, 12,00,000, 3×10^5, 1万2千")]
    ['1250000', '7/2', '1200000', '300000', '12000']
    """
    decimal_comma = "," in text and _DECIMAL_COMMA.search(text) is not None
    pattern, forms = _compiled(languages(), decimal_comma=decimal_comma)
    place = 0
    while match := pattern.search(text, place):
        form = forms[match.lastgroup or ""]  # the outermost group closes last
        if not form.fits(match):
            match, form = _shorter(match, pattern, forms)
        place = match.end()
        if len(match[0]) > _LONGEST or (value := form.read(match)) is None:
            if form.name == "spaced":  # several numbers: continue after the first
                match, form = _shorter(match, pattern, forms)
                place, value = match.end(), form.read(match)
            else:
                continue
        if value is not None:
            yield _numeral(text, match, form, value)


def _shorter(
    match: re.Match[str], pattern: re.Pattern[str], forms: dict[str, NumeralForm]
) -> tuple[re.Match[str], NumeralForm]:
    """Return the first digits of a match as a separate number."""
    digits = _DIGITS.match(match.string, match.start())
    end = digits.end() if digits else match.end()
    return pattern.match(match.string, match.start(), end) or match, forms["plain"]


def _is_no_difference(match: re.Match[str]) -> bool:
    """Return whether ``3-1/2`` is a mixed number: its fraction is proper, and no subtraction has to be worked out."""
    is_task = _NAMES_OF_TASKS.search(match.string[max(match.start() - 20, 0) : match.start()])
    return not is_task and _is_proper(match["hn"], match["hd"])


def _is_proper(numerator: str, denominator: str) -> bool:
    is_short = len(numerator) + len(denominator) <= _LONGEST
    return is_short and int(numerator) < int(denominator)


def _numeral(text: str, match: re.Match[str], form: NumeralForm, value: Fraction) -> Numeral:
    kind, end = form.kind, match.end()
    if kind is NumberKind.FRACTION and (match["whole"] or match["vw"]):
        kind = NumberKind.MIXED
    if kind is NumberKind.INTEGER:
        if (scale := _MONEY_SCALE.match(text, end)) and _follows_money(text, match.start()):
            return Numeral(match.start(), scale.end(), value * _MONEY_SCALES[scale[1].lower()], NumberKind.SCALED)
        is_decimal = value.denominator != 1 or re.search(r"\.\d+$", match[0]) is not None
        kind = NumberKind.DECIMAL if is_decimal else kind
    return Numeral(match.start(), end, value, kind)


def _follows_money(text: str, start: int) -> bool:
    """Return whether a currency sign precedes a number, rather than the dollar that opens a formula."""
    sign = text[:start].rstrip(" ")[-1:]
    if sign in ("€", "£", "¥", "₹"):
        return True
    return sign == "$" and all(
        segment.kind != "formula" or not segment.start <= start < segment.end for segment in segment_text(text)
    )
