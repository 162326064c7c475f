"""Everybody with everybody: handshakes, leagues, cards for each other, and games until one is left."""

# ruff: noqa: E501 - a pattern a line

from __future__ import annotations

import re

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
    """Answer how often people meet where each meets each, or how many games a knockout has."""
    text, people = reading.text, [each for each in quantities if each.value > 2 and each.unit is None]
    others = [each for each in quantities if each not in people and each.value not in (1, 2)]
    if len(people) != 1 or others or people[0].value.denominator != 1:
        return None
    number, is_meeting = people[0].tree, _MEETINGS.search(reading.question) is not None
    if re.match(r"\W*(?:handshakes?|games|matches|hugs|cards|calls)\b", text[people[0].end :], re.IGNORECASE):
        return None  # it is the other way round
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
