"""Per cents of change: the number before it, and the change from one number to another.

Every per cent has its direction in words around it; a text that says two directions there is left.
"""

from __future__ import annotations

import re

from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import NumberKind
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

_UP = re.compile(
    r"\b(?:increas\w+|rises?|risen|rose|rais(?:e[ds]?|ing)|gr[eo]w[ns]?|(?:go|goes|gone|went|price\w*|pay) up|up by"
    r"|higher|profit|gain(?:s|ed)?|mark-?up|marked up|includ\w+|inclusive|plus|tax|vat|tip|service charge|more)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:decreas\w+|reduc\w+|discount(?:ed|s)?|off|falls?|fell|fallen|drop(?:s|ped)?|lower(?:ed)?|lost|loss|cheaper|less"
    r"|fewer|marked down|cut|(?:went|goes|gone) down|down by|depreciat\w+)\b",
    re.IGNORECASE,
)
_ASKS_BEFORE = re.compile(
    r"\b(?:(?<!day )before|original\w*|normal\w*|usual\w*|regular\w*|full price|old|initial\w*|at first"
    r"|start(?:ed|ing)?|pre-\w+|last (?:year|month|week|season)|without|excluding|cost price|list price)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"{_ASKS_BEFORE.pattern}|\b(?:was|were|used to|bought|marked (?:price|at)|retail|each|per|every)\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\b(?:now|paid|pays?|paying|includ\w+|inclusive|sold|selling|sells|sale|new|after|reduced|discounted|becam?es?"
    r"|this (?:year|month|week)|today)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:save[ds]?|saving|how much (?:more|less|cheaper)|by how|difference|(?:percent(?:age)?|per cent) of the"
    r"|of (?:them|the (?:remain\w+|rest))|both|twice|double[ds]?|half|compound\w*|interest|approximately"
    r"|(?:is|are) at|extra|commission"
    r"|what percent\w*|each|every|or|evaporat\w+|mixture|alcohol|solution|during|speed|older)\b|(?:percent|%) of (?!the"
    r" (?:price|cost))",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\b(?:how (?:much|many)|what(?:'s)?|find|calculate|work out)\b", re.IGNORECASE)


def _split(quantities: list[Quantity]) -> tuple[list[Quantity], list[Quantity]]:
    shares = [each for each in quantities if each.mention.kind is NumberKind.PERCENT]
    return shares, [each for each in quantities if each not in shares]


def _factor(share: Quantity, words: str) -> ExpressionTree | None:
    """Return how many times as much a number becomes by a share, by the words around the share."""
    is_up, is_down = _UP.search(words), _DOWN.search(words)
    if (is_up is None) == (is_down is None) or not 0 < share.value < 1:
        return None
    return constant(1) + share.tree if is_up else constant(1) - share.tree


def _asked_from(reading: Reading) -> int:
    """Return where the words of the text begin that ask."""
    begin = reading.text.rfind(reading.question)
    asked = list(_ASKED.finditer(reading.text, begin))
    return asked[-1].start() if asked else begin


@when(2, only="en", asks=_ASKS_BEFORE, unless=_OTHERWISE)
def before_change(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "After a 20% increase the rent is $960. What was it before?": one share, and what it became."""
    shares, wholes = _split(quantities)
    if len(shares) != 1 or (factor := _factor(shares[0], reading.text)) is None:
        return None
    whole, asked = wholes[0], _asked_from(reading)
    clause = reading.clause_around(whole).partition(reading.text[asked : asked + 8])[0]
    is_after = shares[0].start < whole.start or _AFTER.search(clause) is not None
    is_after &= "percent" not in reading.text[asked:]
    if not is_after or whole.start > asked or not _ASKS_BEFORE.search(reading.text, asked):
        return None
    return None if _BEFORE.search(clause) else RuleAnswer(whole.tree / factor)


_PERCENT_CHANGE = re.compile(
    r"(?=.*(?:\bpercent|\bper cent\b|%))(?=.*\b(?:increase|decrease|change|discount|reduction|rise|rose|raise|drop|fall"
    r"|fell|grow|gr[eo]wn?|reduce|cheaper|(?:go|went|gone) (?:up|down))d?\b)",
    re.IGNORECASE,
)
_FROM_TO = re.compile(r"\bfrom <(?P<a>\d)>[^<.?]{0,25}\bto <(?P<b>\d)>", re.IGNORECASE)
_OVER = re.compile(
    r"\b(?:over|in|within|during|after) (?:the )?(?:past |last )?<(?P<time>\d)>", re.IGNORECASE
)
_NO_CHANGE = re.compile(r"%|\b(?:each|every|ratio|half|twice|round\w*|nearest)\b", re.IGNORECASE)


@when(2, 3, only="en", asks=_PERCENT_CHANGE, unless=_NO_CHANGE)
def change_in_percent(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer by how many per cent something changed from one number to another; a third number is the period."""
    first, last = quantities[0], quantities[-1]
    if match := _FROM_TO.search(reading.marked):
        first, last = quantities[int(match["a"])], quantities[int(match["b"])]
    else:
        clauses = [reading.clause_around(each) for each in (first, last)]
        is_change = any(pattern.search(clauses[0]) for pattern in (_AFTER, _UP, _DOWN))
        is_change |= re.search(r"\bby <", reading.marked) is not None
        if is_change or clauses[0] == clauses[1] or not _AFTER.search(clauses[1]):
            return None
    periods = [quantities[int(match["time"])] for match in _OVER.finditer(reading.marked)]
    others = [each for each in quantities if each is not first and each is not last]
    if (
        any(each not in periods for each in others)
        or first.unit_name != last.unit_name
        or _split(quantities)[0]
    ):
        return None
    change = last.tree - first.tree if last.value > first.value else first.tree - last.tree
    return RuleAnswer(change / first.tree * constant(100))
