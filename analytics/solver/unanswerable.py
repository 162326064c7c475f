"""Questions that have numbers but no numeric answer, and texts that lack required information. Torch-free.

Examples are "What colour is Kate's hair?", "How old is the captain?" for a ship with 26 sheep, and "5 red
pens and some blue pens. How many pens in all?": a solver would compute with whatever numbers there are.
"""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re

from analytics.language.en.numbers import ENGLISH_NUMBER_WORDS
from analytics.language.mentions import NumberKind, NumberMention
from analytics.languages import languages
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

_SENTENCE = re.compile(r"(?<=[?!。？！])\s*|(?<=\.)(?!\d)\s*")
_AGE_WORDS = r"years?|months?|old|older|younger|ages?|aged|born|birthday|twins?"
_LENGTH_WORDS = (
    r"tall\w*|high\w*|height|wid\w+|short\w*|long\w*|grew|grow\w*|size|area|perimeter|square|scale|floors?"
    r"|stor(?:ey|y|ies)"
)
_MEASURES = tuple(  # what is asked, the dimension and words one of which the text must have, its name
    (re.compile(rf"\b(?:{asks})\b", re.IGNORECASE), dimension, re.compile(rf"\b(?:{words})\b", re.IGNORECASE), name)
    for asks, dimension, words, name in (
        ("how old", "time", _AGE_WORDS, "an age"),
        (
            "how heavy|how much (?:does|do|did) [^?]{1,40} weigh",
            "mass",
            r"weigh\w*|heav\w+|light\w*|mass|load",
            "a weight",
        ),
        ("how (?:tall|wide)", "length", _LENGTH_WORDS, "a length"),
    )
)
_CAPTAIN = re.compile(r"(?:船长|司机|农夫)[^。，]*(?:多大|几岁|多少岁)")
_AGES = re.compile("岁|年")
_SOME = re.compile(
    r"\b(?P<what>some|several|a few|a number of|many|lots of) (?!(?:minutes|hours"
    r"|days|weeks|months|years) )(?:of (?:his|her|their|the) )?(?:more |other "
    r"|\w+ )?(?P<noun>[a-z]+s|people|children|money)\b"
    r"|\bsome (?:more )?(?:on|in|at|got|get|leave|left|went|came|were)\b"
    r"|一些|若干|几[个只本支](?=[^？?多少]*[，。])",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"\bhow (?:many|much)\b[^?]*\b(?:in all|altogether|in total|total|now|left"
    r"|both|together|have|has|does|did)\b|一共|共有|现在|还剩",
    re.IGNORECASE,
)
_AFTERWARDS = re.compile(r"\b(?:now|still|left|remain\w*)\b", re.IGNORECASE)
_MULTIPLIER = re.compile(
    r"\b(?:twice|double\w*|half|triple\w*|times|third|quarter|each|every|per"
    r"|dozen|pairs?|percent|equal\w*|same|week|ratio|as many)\b|[%％倍半每]|平均"
    r"|一样",
    re.IGNORECASE,
)
_RELATIVE = (
    r"\b(?:twice|thrice|half|double|triple|times|third|quarter|each|every|rest|as"
    r"|squares?(?! (?:met|cent|feet|foot|inch|mile|yard|kilo)))\b|%"
)
_MONEY = (
    r"[$£€¥₹%]|\b(?:costs?|pric\w*|pa(?:id|ys?)|spen[dt]\w*|money|worth|earn\w*|sav\w+|rs|bill|fees?|charg\w*|sell\w*|sold"
    r"|fare|owe\w*|bucks?|cash|salary|discount|budget|wages?|\w+ coins?|dollars?|cents?|euros?|pounds?|pence|rupees?"
    r"|francs?|naira|pesos?|yen|won|\d+ ?p)\b"
)
_TWO_SUMS = r"(?:[$£€]|\b(?:cents?|pence|dollars?|euros?|pounds?)\b).*(?:[$£€]|\b(?:dollars?|euros?|pounds?)\b)"
_LACKING = tuple(  # what is asked, what else the text says, what it lacks, maximum numbers, the reason
    (tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns), most, reason)
    for *patterns, most, reason in (
        (r"\bhow much (?:money )?(?:does|do|did|will|must|should) [^?]{1,30} (?:pay|spend|cost)\b", "", _MONEY, 9,
            "The question asks for a price, but no number in the text is one."),
        ("(?:多少|几)(?:元|块?钱)", "", "[元角分钱价费块币]", 9,
            "The question asks for a price, but no number in the text is one."),
        ("体重.{0,5}(?:多少|几)[千克公斤]*|多重[？?]?$", "", "[重轻克斤吨]|kg", 9,
            "The question asks for a weight, but no number in the text is one."),
        (r"\bchange\b", r"\b(?:some|several|a few) [a-z ]{2,20} (?:at|for|costing|that cost) \S+ (?:each|per|an?)\b",
            r"\b(?:total|altogether|in all|spen[dt]\w*)\b", 2, "The text does not say how many were bought."),
        ("(?:一共|总共|共).*(?:多少|几)(?:元|块?钱)", "买了?一[^，,。、0-9]{1,6}[和与、]一[^，,。、0-9]{1,7}[，,。][^，,。0-9]{1,8}(?:价格|价钱|单价)?[是为]?[0-9.]+(?:元|块钱?)[，,。]?[^0-9]*$",
            "[倍半比各都每便贵同]", 3, "The text gives the price of only one of the two."),
        (r"\bhow much change\b|\bwhat (?:is|was) (?:his|her|their|the) change\b", r"\bnotes?\b|\bbills?\b",
            rf"\b(?:costs?|pric\w*|each|total|worth|spen[dt]\w*|was|were|at|comes? to)\b|{_TWO_SUMS}", 2,
            "The text does not say what was paid for."),
        (r"\b(?:area|perimeter)\b|面积|周长", r"\brectang\w+ [^.]*\b(?:long|wide)\b|长方形",
            rf"{_RELATIVE}|[正倍半比]|的(?![长宽])", 1, "The text gives only one side of the rectangle."),
        (r"\bhow old\b", r"\b(?:older|younger) than\b", _RELATIVE, 1, "The text compares ages but gives none."),
        (r"\bhow many (?:more|fewer)\b", r"\b(?:more|fewer) (?:\w+ )?than\b", _RELATIVE, 1,
            "The text says that there are more, but not how many."),
        (r"\bhow many\b", r"\bsome of (?:them|the|his|her|their)\b", _RELATIVE, 1,
            "A number is missing: the text says “some”, but not how many."),
        ("多少|几", r"比[^，,。\d]{1,5}[多少][，,]", "[倍半]", 1,
            "The text says that there are more, but not how many."),
        ("共", "一些.*每|每.*一些", "[倍半边]", 1, "A number is missing: the text says “一些”, but not how many."),
        (r"\bhow (?:long|many (?:hours|minutes))\b[^?]*\b(?:take|journey|trip)\b|\b(?:what time|when)\b[^?]*\b(?:arrive|get|reach)\b",
            r"\b(?:train|bus|coach|car|plane|ferry|cyclist|lorry|flight)\b.*\d|\d.*\b(?:train|bus|coach|car)\b",
            r"\b(?:minutes?|(?<!per )(?<!an )hours?|days?|seconds?|min|(?<!/)h|blocks?|laps?|catch\w*|caught|overtak\w*|arrive[sd]?|late|earlier|later"
            r"|between|until|(?:miles?|m|km|kilomet\w+|met[re]+s?|feet)(?! (?:per|an) | ?/| ?ph))\b", 3,
            "The text does not say how far or how long the journey is."),
        (r"\b(?:meet|pass each other)\b", r"\btowards?\b", r"\b(?:apart|away|distance|(?:kilomet\w+|met(?:er|re)s?|miles?|km|m)\b(?! (?:per|an?) | ?/| ?ph))",
            3, "The text does not say how far apart they are."),
        (r"\bhow (?:long|many (?:hours|minutes|days))\b", r"\b(?:helps?|together|both)\b", _RELATIVE, 1,
            "The text does not say how fast the other one works."),
        (r"\b(?:what|how much)\b(?![^?]*(?:%|\bper ?cent|\bprofit|\bratio))[^?]*\b(?:cost|price|pay)\b", r"(?:\d ?%|\bper ?cent\b)[^?]*\?", r"[$£€¥₹]|\d ?(?:p|c|rs|kr)\b|\b(?:dollars?|euros?|pounds?|pence|cents?|rupees?|yen|francs?|rand|naira|shillings?)\b", 1,
            "The text does not say what it cost before."),
    )
)  # fmt: skip


def unanswerable_reason(text: str) -> str:
    """Return why a question with numbers has no numeric answer; empty if it may have one.

    >>> unanswerable_reason("Kate is 8 years old. What colour is Kate's hair?")
    'The question does not ask for a number.'
    >>> unanswerable_reason("Tom has 5 red pens and some blue pens. How many pens does he have in all?")
    'A number is missing: the text says “some blue pens”, but not how many.'
    """
    sentences = [sentence for sentence in _SENTENCE.split(text.strip()) if sentence.strip()]
    question = sentences[-1] if sentences else ""
    clause = re.split(r"[,，]\s*", question)[-1]
    if any(language.words.asks_no_number(question, clause) for language in languages()):
        return "The question does not ask for a number."
    story = text[: len(text.rstrip()) - len(question)]
    for asks, dimension, words, name in _MEASURES:
        others = f"{story} {asks.sub('', question)}"
        has_measure = any(unit.dimension == dimension for unit in find_units(story))
        if asks.search(question) and story.strip() and not words.search(others) and not has_measure:
            return f"The question asks for {name}, but no number in the text is one."
    if _CAPTAIN.search(clause) and not _AGES.search(text[: -len(clause) or None]):
        return "The question asks for an age, but no number in the text is one."
    for (asks, says, lacks), most, reason in _LACKING:
        asked = list(asks.finditer(text, text.rfind(question)))
        others = text[: asked[-1].start()] + text[asked[-1].end() :] if asked else ""
        if asked and says.search(others) and not lacks.search(others) and 0 < len(_numbers(text)) <= most:
            return reason
    return _missing_number(text, question)


def _numbers(text: str) -> list[NumberMention]:
    """Return the numbers of a text without those in names ("class 5C")."""
    return [each for each in find_numbers(text) if not re.match(r"[A-Z]\b", text[each.end :])]


def _missing_number(text: str, question: str) -> str:
    unknown = _SOME.search(text)
    if unknown is None or not _TOTAL.search(question) or _MULTIPLIER.search(text):
        return ""
    if unknown.start() >= len(text.rstrip()) - len(question):
        return ""
    numbers = [mention for mention in find_numbers(text) if mention.text.lower() not in ("one", "一", "1")]
    most = 1 if unknown["noun"] else 2  # "some got off"
    if not unknown["noun"] and _AFTERWARDS.search(text[: len(text.rstrip()) - len(question)].replace(unknown[0], "")):
        return ""
    if not 0 < len(numbers) <= most or numbers[0].kind not in (NumberKind.INTEGER, NumberKind.DECIMAL):
        return ""
    noun = unknown["noun"] or ""
    if noun in ENGLISH_NUMBER_WORDS:
        return ""
    return f"A number is missing: the text says “{unknown[0]}”, but not how many."
