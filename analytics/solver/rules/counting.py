"""Counting: pairings, posts and gaps, remainders, and containers that are partly full."""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re

from analytics.language.mentions import NumberKind
from analytics.solver.rules.conversions import asked_unit, conversion_factor, in_unit
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

# fmt: off
_ALL_PAIRS = re.compile(r"\b(?:round[- ]robin|(?:each|every(?:one|body)?|all)\b[^.?]{0,60}?\b(?:each|every|one|any) ?(?:one|body)? ?(?:of the )?(?:else|others?|another)\b|all shake hands|each other)\b|单循环|每两", re.IGNORECASE)
_MEETINGS = re.compile(r"\bhow many (?:\w+ )?(?:handshakes?|games|matches|hugs|fist bumps|high[- ]fives|rounds|phone calls|calls|pairs|kisses|toasts|clinks)\b|多少场|几场|多少次|几次", re.IGNORECASE)
_ONE_WAY = re.compile(r"\bhow many (?:\w+ )?(?:cards?|letters?|presents?|gifts?|messages?|e-?mails?|photos?|valentines|notes?|postcards)\b", re.IGNORECASE)
_TWICE = re.compile(r"\b(?:twice|(?:two|2) (?:times|games|matches)|other (?:is )?(?:played )?away|home and away|home and once away|both at home)\b|双循环", re.IGNORECASE)
_KNOCKOUT = re.compile(r"\b(?:knock-? ?outs?|(?:single[- ])?elimination|eliminated|loser(?:s)?\b[^.?]{0,30}\b(?:out|leaves?|home)|los(?:es|ing)\b[^.?]{0,25}\bout)\b|淘汰", re.IGNORECASE)
_OTHERWISE = re.compile(r"\b(?:groups? of|couples?|except|his wife|spouse|hours?|minutes|points|at a time|three times|first round|per)\b|组|积分", re.IGNORECASE)
_ASKS = re.compile(r"\bhow many\b|多少|几", re.IGNORECASE)
# fmt: on


@when(1, 3, asks=_ASKS, unless=_OTHERWISE)
def number_of_pairings(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer how often people meet if each meets each other, or how many games a knockout tournament has."""
    text, people = reading.text, [each for each in quantities if each.value > 2 and each.unit is None]
    others = [each for each in quantities if each not in people and each.value not in (1, 2)]
    if len(people) != 1 or others or people[0].value.denominator != 1:
        return None
    number, is_meeting = people[0].tree, _MEETINGS.search(reading.question) is not None
    if re.match(r"\W*(?:handshakes?|games|matches|hugs|cards|calls)\b", text[people[0].end :], re.IGNORECASE):
        return None  # the question is the reverse
    if _KNOCKOUT.search(text):
        return RuleAnswer(number - constant(1)) if is_meeting and not _TWICE.search(text) else None
    if not _ALL_PAIRS.search(text):
        return None
    ordered = number * (number - constant(1))
    if _ONE_WAY.search(reading.question):
        return RuleAnswer(ordered)
    if not is_meeting:
        return None
    return RuleAnswer(ordered if _TWICE.search(text) else ordered / constant(2))


# fmt: off
_APART = re.compile(r"(?:\bevery|\bintervals? of|\bspaced|\bdistance of|\b(?:spacing|gaps?) of|每隔|间隔)[^<.]{0,12}<(?P<a>\d)>|<(?P<b>\d)> (?:[a-z ]{0,20}from (?:each|one) [a-z]+ to the next|apart|from (?:each other|one another|the next)|between|intervals?|distance)", re.IGNORECASE)
_ROUND = re.compile(r"\b(?:circular|circle|(?:all the way |right )?(?:a?round) (?:the (?:edge|whole|outside)|an?|the|it)\b|ring|perimeter|pond|lake|roundabout|running track|closed|loop)\b|圆形|四周|一周|环形|封闭", re.IGNORECASE)
_ENDS = re.compile(r"\b(?:(?:at|on) (?:each|both|either) ends?|both ends|one end to the other|(?:beginning|start) and (?:the |at the )?end|from (?:the )?first to (?:the )?last|including (?:both|the) ends?|very (?:start|beginning))\b|两端都|两头都", re.IGNORECASE)
_NO_ENDS = re.compile(r"\b(?:not|no \w+|none|except|neither|without)\b[^.]{0,20}\bends?\b|两端(?:都)?不|两头(?:都)?不|not at (?:either|the) end", re.IGNORECASE)
_ONE_END = re.compile(r"\b(?:only (?:at )?one end|one of the ends|starting \w+ m)\b|一端", re.IGNORECASE)
_BOTH_SIDES = re.compile(r"\b(?:both|each|either|two) sides?\b|\bon each side\b|两[侧旁边]", re.IGNORECASE)
_BETWEEN = re.compile("中间|灯间|杆间|之间挂|每两")
_PLANTED = re.compile(r"\b(?:posts?|poles?|trees?|flags?|lamps?|lampposts?|lights?|stakes?|bushes|bollards?|cones?|pegs?|plants?|saplings?|hooks?|chairs?|streetlights?|pillars?|columns?|markers?|lanterns?|seedlings?)\b|树|棵|灯|旗|杆|花", re.IGNORECASE)
_ASKS_NUMBER = re.compile(r"\bhow many (?!met|m\b|cm|minutes|seconds|gaps)|几|多少(?:棵|盏|面|根|盆)|\bfind the number of\b", re.IGNORECASE)
_ASKS_LENGTH = re.compile(r"\bhow (?:far|long)\b|\bhow many (?:met\w+|m|feet|yards|km|cm)\b|\bwhat is the (?:distance|length)\b|多少米", re.IGNORECASE)
# fmt: on


@when(2, 3, says=_PLANTED, unless=_BETWEEN)
def posts_and_gaps(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer how many posts a fence with known ends has, or the distance from the first post to the last."""
    text = reading.marked
    if (found := _APART.search(text)) is None or _ONE_END.search(text):
        return None
    apart = quantities[int(found["a"] or found["b"])]
    if apart.unit is None or apart.unit.dimension != "length":
        return None
    others = [each for each in quantities if each is not apart and not (each.value == 2 and each.unit is None)]
    if len(others) != 1:
        return None
    other, is_round = others[0], _ROUND.search(text) is not None
    if other.unit is None and _ASKS_LENGTH.search(reading.question) and _PLANTED.search(text):
        gaps = other.tree if is_round else other.tree - constant(1)
        return None if _BOTH_SIDES.search(text) or _NO_ENDS.search(text) else RuleAnswer(gaps * apart.tree)
    return _number_of_posts(reading, other, apart) if _ASKS_NUMBER.search(reading.question) else None


def _number_of_posts(reading: Reading, length: Quantity, apart: Quantity) -> RuleAnswer | None:
    text, factor = reading.text, conversion_factor(length.unit_name, apart.unit_name) if length.unit else None
    tree = in_unit(length, apart.unit_name)
    if factor is None or tree is None or (length.value * factor / apart.value).denominator != 1:
        return None
    gaps = tree / apart.tree
    if _NO_ENDS.search(text):
        number = gaps - constant(1)
    elif _ENDS.search(text):
        number = gaps + constant(1)
    elif _ROUND.search(text):
        number = gaps
    else:
        return None  # the text does not state whether there is one at each end
    return RuleAnswer(constant(2) * number if _BOTH_SIDES.search(text) else number)


_LEFT = re.compile(r"\b(?:left ?over|leftover|remain(?:s|ing|der)?|left|unused)\b", re.IGNORECASE)
_SHARED = re.compile(
    r"\b(?:equally|evenly|groups? of|boxes of|bags of|packs? of|packets of|rows of"
    r"|teams of|pieces of|stacks of|bundles of|pages of|plates of"
    r"|jars of|cartons of|sets of|same (?:number|amount)|as many as possible|divided (?:by|among|between|into)"
    r"|(?:hold|carry|fit|pack|take|put|place|seat|contain)s?\b[^.?]*\b(?:each"
    r"|every|per|a)|in each|to each|each (?:hold|carr|box|bag|pack|row)s?\w*)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:got|initially|ate|eats|sold|gave|gives|lost|used|spent|then|after"
    r"|more|first|another|bought|buys|broke\w*|took)\b",
    re.IGNORECASE,
)


@when(2, asks=_LEFT, says=_SHARED, unless=_MORE)
def remainder(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the remainder of a division of whole numbers, if nothing else happens."""
    if not re.search(r"\bhow (?:many|much|long)\b", reading.question, re.IGNORECASE):
        return None
    whole, part = sorted(quantities, key=lambda each: -each.value)
    if whole.value.denominator != 1 or part.value.denominator != 1 or part.value < 2:
        return None
    units = {each.unit.unit for each in quantities if each.unit is not None}
    if len(units) > 1:
        return None
    return RuleAnswer(whole.tree / part.tree, rounding="remainder")


# fmt: off
_FULL = re.compile(r"\bfull\b|\bcapacity\b", re.IGNORECASE)
_ADDED = re.compile(r"\b(?:add(?:s|ed|ing)?|pour(?:s|ed|ing)? (?:in|into)|poured|filling|put(?:s|ting)? in|pumped in|more)\b", re.IGNORECASE)
_TAKEN = re.compile(r"\b(?:us(?:es|ed|ing)|tak(?:es|en|ing)|took|remov\w+|pour\w* (?:out|away|off)|drain\w*|dr[aiu]nk\w*|drawn|leak\w*|spill\w*|burn\w*)\b", re.IGNORECASE)
_HOLDS = re.compile(r"\bhow (?:much|many)\b[^?]*\b(?:hold|fit|contain|there (?:be )?in)\b|\bcapacity\b|\bwhen (?:it is )?(?:completely )?full\b|\bfull (?:tank|barrel|jug|bottle|container|bucket|pool|bath)\b", re.IGNORECASE)
_TO_FILL = re.compile(r"\b(?:to fill|more|needed|until it is full|must be added|fill it up)\b", re.IGNORECASE)
_STATE = re.compile(r"<(?P<n>\d)>(?: of the way| of its capacity| of capacity|-)? ?full\b|\bfull to <(?P<m>\d)>", re.IGNORECASE)
# fmt: on


@when(2, 3, only="en", says=_FULL)
def capacity(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "A tank is 1/4 full. After 30 litres are added it is 5/8 full. How much does it hold?" and the like."""
    states = [quantities[int(match["n"] or match["m"])] for match in _STATE.finditer(reading.marked)]
    shares = [each for each in quantities if each.mention.kind in (NumberKind.FRACTION, NumberKind.PERCENT)]
    amounts = [each for each in quantities if each not in shares]
    is_read = states == shares and all(0 < each.value < 1 for each in shares) and len(amounts) == 1
    if not is_read or not shares or amounts[0].unit is None:
        return None
    amount = in_unit(amounts[0], asked_unit(reading)) if asked_unit(reading) else amounts[0].tree
    if amount is None or not _HOLDS.search(reading.question):
        return None
    if len(shares) == 1:
        is_part = not (_ADDED.search(reading.text) or _TAKEN.search(reading.text))
        return RuleAnswer(amount / shares[0].tree) if is_part and not _TO_FILL.search(reading.question) else None
    first, second = shares
    words = reading.text[first.end : reading.text.rfind(reading.asked)]
    is_filled = second.value > first.value
    if (
        first.value == second.value
        or not (_ADDED if is_filled else _TAKEN).search(words)
        or _TO_FILL.search(reading.asked)
    ):
        return None
    part = second.tree - first.tree if is_filled else first.tree - second.tree
    return RuleAnswer(amount / part)
