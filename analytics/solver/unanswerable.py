"""Questions that have numbers but no number as their answer, and texts that lack what is needed. Torch-free.

"What colour is Kate's hair?", "How old is the captain?" of a ship with 26 sheep, "5 red pens and some blue pens. How
many pens in all?": a solver would compute with whatever numbers there are.
"""

from __future__ import annotations

import re

from analytics.language.en.numbers import ENGLISH_NUMBER_WORDS
from analytics.language.mentions import NumberKind
from analytics.language.table import languages
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

_SENTENCE = re.compile(r"(?<=[.?!。？！])\s*")
_AGE_WORDS = r"years?|months?|old|older|younger|ages?|aged|born|birthday|twins?"
_LENGTH_WORDS = (
    r"tall\w*|high\w*|height|wid\w+|short\w*|long\w*|grew|grow\w*|size|area|perimeter|square|scale|floors?"
    r"|stor(?:ey|y|ies)"
)
_MEASURES = tuple(  # what is asked, the dimension and the words one of which the text must have, its name
    (
        re.compile(rf"\b(?:{asks})\b", re.IGNORECASE),
        dimension,
        re.compile(rf"\b(?:{words})\b", re.IGNORECASE),
        name,
    )
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
    r"|一些|若干|几[个只本支](?=[^？?多少]*[，。])",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"\bhow (?:many|much)\b[^?]*\b(?:in all|altogether|in total|total|now|left"
    r"|both|together|have|has|does|did)\b|一共|共有|现在|还剩",
    re.IGNORECASE,
)
_MULTIPLIER = re.compile(
    r"\b(?:twice|double\w*|half|triple\w*|times|third|quarter|each|every|per"
    r"|dozen|pairs?|percent|equal\w*|same|week|ratio|as many)\b|[%％倍半每]|平均"
    r"|一样",
    re.IGNORECASE,
)


def unanswerable_reason(text: str) -> str:
    """Say why a question with numbers has no number as its answer; empty if it may have one.

    >>> unanswerable_reason("Kate is 8 years old. What colour is Kate's hair?")
    'The question does not ask for a number.'
    >>> unanswerable_reason("Tom has 5 red pens and some blue pens. How many pens does he have in all?")
    'A number is missing: the text says “some blue pens” but not how many.'
    """
    sentences = [sentence for sentence in _SENTENCE.split(text.strip()) if sentence.strip()]
    question = sentences[-1] if sentences else ""
    clause = re.split(r"[,，]\s*", question)[-1]
    if any(language.question_shapes.asks_no_number(question, clause) for language in languages()):
        return "The question does not ask for a number."
    story = text[: len(text.rstrip()) - len(question)]
    for asks, dimension, words, name in _MEASURES:
        others = f"{story} {asks.sub('', question)}"
        has_measure = any(unit.dimension == dimension for unit in find_units(story))
        if asks.search(question) and story.strip() and not words.search(others) and not has_measure:
            return f"The question asks for {name}, and no number of the text is one."
    if _CAPTAIN.search(clause) and not _AGES.search(text[: -len(clause) or None]):
        return "The question asks for an age, and no number of the text is one."
    return _missing_number(text, question)


def _missing_number(text: str, question: str) -> str:
    unknown = _SOME.search(text)
    if unknown is None or not _TOTAL.search(question) or _MULTIPLIER.search(text):
        return ""
    if unknown.start() >= len(text.rstrip()) - len(question):
        return ""
    numbers = [mention for mention in find_numbers(text) if mention.text.lower() not in ("one", "一", "1")]
    if len(numbers) != 1 or numbers[0].kind not in (NumberKind.INTEGER, NumberKind.DECIMAL):
        return ""
    noun = unknown["noun"] or ""
    if noun in ENGLISH_NUMBER_WORDS:
        return ""
    return f"A number is missing: the text says “{unknown[0]}” but not how many."
