"""Chinese units: their names, where they occur in a text, and which one a question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analytics.language.mentions import UnitPlace, alternatives

ANYWHERE: dict[str, str] = {
    "平方千米": "kilometer ** 2",
    "平方公里": "kilometer ** 2",
    "平方分米": "decimeter ** 2",
    "平方厘米": "centimeter ** 2",
    "平方毫米": "millimeter ** 2",
    "平方米": "meter ** 2",
    "立方分米": "decimeter ** 3",
    "立方厘米": "centimeter ** 3",
    "立方米": "meter ** 3",
    "公顷": "hectare",
    "千米/时": "kilometer / hour",
    "千米/小时": "kilometer / hour",
    "米/秒": "meter / second",
    "米/分": "meter / minute",
    "千米": "kilometer",
    "公里": "kilometer",
    "分米": "decimeter",
    "厘米": "centimeter",
    "毫米": "millimeter",
    "千克": "kilogram",
    "公斤": "kilogram",
    "毫克": "milligram",
    "毫升": "milliliter",
    "小时": "hour",
    "分钟": "minute",
    "秒钟": "second",
    "星期": "week",
    "摄氏度": "degree_Celsius",
    "英里": "mile",
    "英寸": "inch",
    "英尺": "foot",
    "美元": "dollar",
    "欧元": "euro",
}
"""Chinese names of two characters or more -> unit. Recognised anywhere in a text."""

AFTER_NUMBER: dict[str, str] = {
    "米": "meter",
    "克": "gram",
    "吨": "metric_ton",
    "斤": "jin",
    "元": "yuan",
    "块钱": "yuan",
    "角": "jiao",
    "时": "hour",
    "分": "minute",
    "秒": "second",
    "天": "day",
    "日": "day",
    "周": "week",
    "个月": "month",
    "月": "month",
    "年": "year",
    "升": "liter",
    "度": "degree",
    "亩": "mu_area",
}
"""Chinese names that are a unit only after a number (or 每, "per")."""

NAMES = ANYWHERE | AFTER_NUMBER

_ANYWHERE = re.compile(alternatives(ANYWHERE))
_NUMBERED = re.compile(
    rf"(?<=[\d零一二两三四五六七八九十百千万几半每多数$}}])\s?(?P<name>{alternatives(AFTER_NUMBER)})"
)
_UNIT = alternatives(NAMES)
_ASKED_UNIT = re.compile(rf"(?:多少|几)个?(?P<unit>{_UNIT})(?!之)|(?:合|等于|是)[(（]?\s*[)）]?(?P<unit2>{_UNIT})$")


def find_unit_words(text: str) -> Iterator[UnitPlace]:
    """Yield units in words; single characters only after a number or 每, "per"."""
    if text.isascii():
        return
    for match in _ANYWHERE.finditer(text):
        yield match.start(), match.end(), ANYWHERE[match[0]]
    for match in _NUMBERED.finditer(text):
        yield match.start("name"), match.end("name"), AFTER_NUMBER[match["name"]]


def asked_unit(question: str) -> str:
    """Return pint's name for the unit that a question asks for; empty if it names none."""
    matches = list(_ASKED_UNIT.finditer(question))
    return NAMES.get(matches[-1]["unit"] or matches[-1]["unit2"], "") if matches else ""


def name_of(unit: str) -> str:
    """Return the name of a unit; empty if it has none."""
    return next((name for name, each in NAMES.items() if each == unit), "")
