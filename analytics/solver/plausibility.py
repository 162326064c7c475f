"""Detect answers that a question cannot have, and handle divisions with a remainder."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from analytics.expression.evaluate import is_slot
from analytics.expression.tree import ARITY, ExpressionTree, from_prefix
from analytics.language.en.units import WORDS
from analytics.language.en.words import singular
from analytics.language.mentions import NumberKind, unit_dimension
from analytics.languages import language_of
from analytics.solver.rules.reading import Quantity, Reading, asked_unit
from analytics.solver.solution import Solution, divides_by_zero
from analytics.text.numbers import find_numbers

_QUESTION = re.compile(r"(\w*)\W+how many\b([^.?!]*)", re.IGNORECASE)
_ABOUT = re.compile(r"about|around|approximately|roughly", re.IGNORECASE)
_LEFT_OVER = re.compile(r"\b(left|leftovers?|over|remain\w*|extra|unused)\b", re.IGNORECASE)
_FULL = re.compile(r"\b(full|fully|complete|completely|whole)\b", re.IGNORECASE)
_ENOUGH = re.compile(r"\b(needs?|needed|must|should|required?|necessary|have to|has to|uses?)\b", re.IGNORECASE)
_CHINESE_QUESTION = re.compile(r"[^。！？?，,；]*(?:，\s*)?[^。！？?，,；]*(?:几|多少)[^。！？?]*[。！？?]?\s*$")
_AT_LEAST, _AT_MOST = re.compile("至少|最少"), re.compile("最多|至多|够|能|可以")


def rounding_of(text: str) -> str:
    """Return how to round a quotient that answers a question about a number of things.

    >>> rounding_of("28 children go by car. How many cars are needed?"), rounding_of("How many can she buy?")
    ('up', 'down')

    Returns:
        ``"up"``, ``"down"`` or ``"nearest"``; empty if the question asks for the remainder, or does not say.
    """
    if chinese := _CHINESE_QUESTION.search(text):
        asked = chinese[0]
        if "还剩" in asked or "余" in asked:
            return ""
        return "up" if _AT_LEAST.search(asked) else "down" if _AT_MOST.search(asked) else ""
    questions = _QUESTION.findall(f" {text}")
    if not questions:
        return ""
    before, asked = questions[-1]
    if _LEFT_OVER.search(asked):
        return ""
    if _ABOUT.fullmatch(before):
        return "nearest"
    return "up" if _ENOUGH.search(asked) and not _FULL.search(asked) else "down"


def rounded_solution(text: str, solution: Solution) -> Solution | None:
    """Round a solution whose last operation is a division, as the question requires.

    Args:
        text: text of a problem that asks for a number of things.
        solution: solution whose value is not a whole number.

    Returns:
        The rounded solution; None if the value is not a quotient of at least 1, or how to round it is
        unclear.
    """
    rounding = rounding_of(text)
    if not rounding or solution.tokens[0] != "/" or solution.value is None or solution.value < 1:
        return None
    added = {"up": 1.0, "down": 0.0, "nearest": 0.5}[rounding]  # the value is not a whole number
    whole = math.floor(solution.value + added)
    return replace(solution, value=float(whole), exact=str(whole), rounding=rounding)


_IMPLAUSIBLE = 0.01  # how likely such a question has such an answer, relative to a whole number
_REMAINDER = 0.1  # how likely a division has a remainder
_UNCONVERTED = 0.02  # how likely numbers in two units of one dimension are used without conversion
_MIXED = 0.02  # how likely different kinds of numbers are added, or numbers of one kind multiplied
_CONVERTED = ("length", "mass", "volume", "money")  # of time, "3 hours a day for 5 days" has two units as well
_ROUNDING = 1e-6
_MULTIPLIED = ("share", "length", "time", "speed", "area", "volume")  # by each other, for an area, or as a factor
_COINS = ("dollar_nickel", "dollar_dime")
_AREA = re.compile(r"\b(?:area|square|cover|tiles?|carpet|product)\b", re.IGNORECASE)
_THING = re.compile(
    r"(?P<words>(?:[ -](?:more |of |the )?(?!(?:in|on|at|for|from|with|to|and|or|is|are|was|were|has|have|had|each|per"
    r"|that|who|fewer|less|times|as)\b)[a-z]+){1,3})",
    re.IGNORECASE,
)
_MAY_BE_NEGATIVE = re.compile(  # heights, temperatures, accounts, and riddles about a number
    r"\b(?:temperatures?|degrees?|freez\w+|profit|loss|debt|owes?|balance|account|floor|basement|level|below"
    r"|negative|integers?|(?:the|a|an|another|same|unknown|which|what) (?:number|value|quantity|amount|digit))\b"
    r"|°|零下|气温|温度|亏|盈|负|地下|海拔|[个某这甲乙]数",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(r"[^\W\d_]{2}")  # a text has words, a bare expression has none


def asks_for_count(text: str) -> bool:
    """Return whether a text's final question is how many things there are.

    >>> asks_for_count("How many red cars are needed?"), asks_for_count("How many more miles did he walk?")
    (True, False)
    >>> asks_for_count("还剩多少个苹果？"), asks_for_count("每个苹果多少千克？")
    (True, False)
    """
    return language_of(text).words.asks_for_count(text)


def answer_to_count(text: str, solution: Solution) -> Solution:
    """Return a solution with its quotient rounded if its text asks for a number of things; otherwise unchanged."""
    return _reading(text, solution)[0] if asks_for_count(text) else solution


def plausible_first(text: str, solutions: Sequence[Solution]) -> list[Solution]:
    """Reweight a problem's solutions by how plausible they are as answers to its question, most probable first.

    Args:
        text: text of the problem.
        solutions: solutions with probabilities; those without a value stay last.
    """
    if not solutions or divides_by_zero(solutions[0]):
        return list(solutions)
    is_count = asks_for_count(text)
    is_amount = not is_count and any(map(_is_negative, solutions)) and not _may_be_negative(text)
    readings = [
        _reading(text, solution)
        if is_count
        else (solution, _IMPLAUSIBLE if is_amount and _is_negative(solution) else 1.0)
        for solution in solutions
    ]
    reading = _read(text)
    if len({unit.unit for unit in reading.units}) > 1:
        readings = [
            (each, likelihood * (_UNCONVERTED if lacks_conversion(reading, each) else 1.0))
            for each, likelihood in readings
        ]
    kinds = _kinds(reading)
    readings = [
        (each, likelihood * (_MIXED if mixes_kinds(reading, each, kinds) else 1.0)) for each, likelihood in readings
    ]
    if all(likelihood == 1 for _solution, likelihood in readings):
        return list(solutions)
    weights = [solution.probability * likelihood for solution, likelihood in readings]
    rest = max(0.0, 1 - sum(solution.probability for solution in solutions))
    total = sum(weights) + rest
    weighed = [
        replace(solution, probability=weight / total if total else 0.0)
        for (solution, _likelihood), weight in zip(readings, weights, strict=True)
    ]
    return sorted(weighed, key=lambda solution: (solution.value is None, -solution.probability))


def lacks_conversion(reading: Reading, solution: Solution) -> bool:
    """Return whether an equation mixes two units of one dimension without a number to convert them.

    The units are those of the numbers that it uses and of the requested quantity; those of a speed count
    separately.
    """
    used = set(filter(is_slot, solution.tokens))
    if set(solution.tokens) - used - ARITY.keys() - {"0", "1", "2"}:
        return False
    units = [each.unit.unit for each in reading.quantities if each.unit is not None and each.tree.label in used]
    units += filter(None, [asked_unit(reading)])
    dimensions = (*_CONVERTED, "time") if any("/" in unit for unit in units) else _CONVERTED
    single = {part.split("**")[0].strip() for unit in units for part in unit.split("/")}
    counts = Counter(map(unit_dimension, single))
    return any(counts[dimension] > 1 for dimension in dimensions)


@lru_cache(maxsize=64)
def _read(text: str) -> Reading:
    return Reading(text)  # requested by each opinion on a problem


def mixes_kinds(reading: Reading, solution: Solution, kinds: Mapping[str, str]) -> bool:
    """Return whether an equation adds or subtracts numbers of different kinds, or multiplies those of one kind.

    Legs and cows are different kinds, and so are dollars and tickets, litres and a third of something; 41
    pieces times 5 pieces is meaningless. Boys and girls may be added: whether two things can be added is
    unknown, but a thing and its parts cannot.

    Args:
        reading: the reading of the problem.
        solution: the equation.
        kinds: kinds of the problem's numbers, by slot; empty if unknown.
    """
    is_area = _AREA.search(reading.question) is not None

    def mixes(node: ExpressionTree) -> bool:
        if node.is_number:
            return False
        first, second = (kinds.get(child.label, "") for child in node.children)
        if first and second:
            if node.label in "+-" and first != second and not {first[:6], second[:6]} <= {"thing:"}:
                return True
            if node.label == "*" and first == second and not is_area and first not in _MULTIPLIED:
                return True
        return any(map(mixes, node.children))

    return mixes(from_prefix(solution.tokens))


def _kinds(reading: Reading) -> dict[str, str]:
    """Return the kinds of a problem's numbers, by slot, if no other number has an equal value."""
    values = Counter(each.value for each in reading.quantities)
    single = [each for each in reading.quantities if values[each.value] == 1]
    return {each.tree.label: _kind(reading, each) for each in single}


def _kind(reading: Reading, quantity: Quantity) -> str:
    """Return a number's kind: ``"money"``, ``"share"``, ``"part:leg"``, ``"thing:cow"``; empty if unknown."""
    if quantity.unit is not None:
        is_coin = quantity.unit.unit in _COINS
        return "" if is_coin else quantity.unit.dimension
    if quantity.mention.kind in (NumberKind.FRACTION, NumberKind.PERCENT):
        return "share"
    after = _THING.match(reading.text, quantity.end)
    words = after["words"].lower().split() if after and reading.language.code == "en" else []
    thing = next((singular(word) for word in words if singular(word) != word), "")
    if not thing or thing in WORDS:
        return ""
    return f"part:{thing}" if thing in reading.language.relations.LIMBS else f"thing:{thing}"


def _is_negative(solution: Solution) -> bool:
    return solution.value is not None and solution.value < 0


def _may_be_negative(text: str) -> bool:
    """Return whether an answer may be negative; among 33,724 public problems without such words, one is."""
    return (
        _MAY_BE_NEGATIVE.search(text) is not None
        or _IN_WORDS.search(text) is None
        or any(mention.is_negative for mention in find_numbers(text))
    )


def _reading(text: str, solution: Solution) -> tuple[Solution, float]:
    """Return a solution as an answer to a question about a number of things, and the likelihood of such an answer."""
    if _is_count(solution.value):
        return solution, 1.0
    rounded = rounded_solution(text, solution)
    return (solution, _IMPLAUSIBLE) if rounded is None else (rounded, _REMAINDER)


def _is_count(value: float | None) -> bool:
    """Return whether a value is a whole number from 0 on; True also for a solution without a value."""
    return value is None or (value > -_ROUNDING and abs(value - round(value)) < _ROUNDING * max(1.0, value))
