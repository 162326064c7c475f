"""Where Chinese sentences end, what questions ask for, and how their parts are reordered."""

from __future__ import annotations

import re

ABBREVIATIONS = "(?!)"
"""Regular expression of abbreviations whose full stop does not end a sentence; Chinese has none."""

ASKS = re.compile("多少|几[^何乎]|[^要需力谋追讲请]求|^求|哪|什么|吗|是否|计算|化简|解方程|证明|怎样|如何")

PART_END = re.compile(r"(?:[。！？；，?]|[.．,](?!\d))\s*")
QUESTION = re.compile(r"多少|几|什么|哪|求|[?？]")
ORDER = re.compile(r"(?!)")
QUESTION_MARK = "？"
FULL_STOP = "。"
_PART = "[甲乙丙]|[\u4e00-\u9fff]{2}"
NAMES_IN_RATIO = re.compile(
    rf"(?P<a>{_PART})(?:数|班|队|组)?(?:[、和与]|的人数和)(?P<b>{_PART})(?:(?:数"
    rf"|班|队|组)?[、和与](?P<c>{_PART}))?(?=[^，。]{{0,12}}比|(?<=给[甲乙丙]、[甲乙丙])"
    rf"|(?<=给[甲乙丙]、[甲乙丙]、[甲乙丙]))"
)

_HOW_MANY = re.compile(r"几|多少")
_COUNTED = re.compile(  # measure words of things that are counted
    r"(?:几|多少)[个人本只辆棵名头张支条台朵筐箱袋块盒件套双把瓶枚页间位班种架艘匹根颗粒株束幢座排层节组队次题户车盏副桶]"
    r"(?!小时|钟头|月|星期|世纪|百分|单位)"
)
_NO_NUMBER = re.compile(r"(?:什么(?:颜色|名字|地方|动物|水果)|叫什么)[^，,]*$")


def asks_for_count(text: str) -> bool:
    """Return whether a text finally asks how many things there are."""
    matches = list(_HOW_MANY.finditer(text))
    return bool(matches) and _COUNTED.match(text, matches[-1].start()) is not None


def asks_no_number(question: str, _clause: str) -> bool:
    """Return whether a question asks for a name, a colour, a place ..."""
    return _NO_NUMBER.search(question) is not None
