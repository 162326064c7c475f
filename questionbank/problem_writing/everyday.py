"""Everyday word problems from declarative kinds: change from a note, shares of a rest, clock times, mixed units.

A kind (`everyday.toml`) draws its quantities, tells them in one of several wordings, and asks for one thing or
another: the same story has several questions with different equations. Some problems contain an irrelevant number.
Unlike a story of `questionbank.problem_writing.stories`, a kind may have prices, fractions, percentages and constants
such as 60 minutes. All texts are our own.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from analytics.errors import DataError
from analytics.expression.evaluate import EvaluationError, constant_label, evaluate, is_slot
from analytics.expression.tree import parse_expression, to_infix
from analytics.solver.targets import target_tree
from analytics.text.number_slots import number_slots
from questionbank.problem_writing.stories import drawn_words, with_choices

CONSTANTS = frozenset("0.01 0.5 1 2 3 4 5 6 7 8 10 12 24 30 31 52 60 90 100 180 360 365 1000 3600".split())
"""Numbers that an equation may use although they are not in the text."""

_DRAWS = 200  # attempts to draw a kind's quantities
_BESIDES = 0.2  # share of problems with an irrelevant number
_IN_WORDS = 0.2  # share of problems that write small numbers as words
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_FIELD = re.compile(r"\{(\w+)(:\$)?\}(?=( [a-z])?)")
_MONEY = ("${}", "${}", "${}", "£{}", "€{}", "{} dollars", "{} dollars", "{} euros", "{} pounds")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_COMPARISON = re.compile(r"(.+?)\s*(<=|<|>|!=)\s*(.+)")


@dataclass(frozen=True)
class EverydayProblem:
    """A problem's text, its equation over the text's numbers and known constants, its answer, and its kind."""

    text: str
    equation: str
    answer: str
    kind: str


@dataclass(frozen=True)
class _Asked:
    equation: str
    questions: Sequence[str]


@dataclass(frozen=True)
class _Kind:
    """How a kind of problem is drawn, told and asked.

    Attributes:
        draws: the values that each quantity may have, each with the words that express it.
        let: quantities that are computed.
        where: conditions on the quantities.
        told: wordings of the story; empty for an instruction.
        besides: whether an irrelevant number may be included.
    """

    name: str
    draws: Mapping[str, Sequence[tuple[Fraction, str]]]
    let: Mapping[str, str]
    where: Sequence[tuple[str, str, str]]
    told: Sequence[str]
    asked: Sequence[_Asked]
    besides: bool

    def values(self, rng: Random) -> tuple[dict[str, Fraction], dict[str, str]] | None:
        """Draw values and the words that express them; None if no draw meets the conditions."""
        for _draw in range(_DRAWS):
            drawn = {name: rng.choice(choices) for name, choices in self.draws.items()}
            values = {name: value for name, (value, _words) in drawn.items()}
            for name, equation in self.let.items():
                values[name] = _worth(equation, values)
            if all(_holds(_worth(left, values), sign, _worth(right, values)) for left, sign, right in self.where):
                words = {name: words or constant_label(values[name]) for name, (_value, words) in drawn.items()}
                return values, words | {name: constant_label(values[name]) for name in self.let}
        return None


def everyday_problems(count: int, seed: int, *, without: frozenset[str] = frozenset()) -> Iterator[EverydayProblem]:
    """Yield `count` problems with different texts, evenly over the kinds; the same seed gives the same problems.

    Args:
        without: names of kinds to leave out.
    """
    rng = Random(seed)
    kinds, besides = _material()
    kinds = [kind for kind in kinds if kind.name not in without]
    texts: set[str] = set()
    while len(texts) < count:
        problem = _problem(rng.choice(kinds), besides, rng)
        if problem is not None and problem.text not in texts:
            texts.add(problem.text)
            yield problem


def everyday_rows(count: int, seed: int) -> Iterator[dict[str, str]]:
    """Yield the problems as rows of a file."""
    for number, problem in enumerate(everyday_problems(count, seed)):
        yield {"id": str(number), "language": "en", **asdict(problem)}


def everyday_kinds() -> list[str]:
    """Return the names of the kinds."""
    return [kind.name for kind in _material()[0]]


def _problem(kind: _Kind, besides: Sequence[str], rng: Random) -> EverydayProblem | None:
    drawn = kind.values(rng)
    if drawn is None:
        return None
    values, written = drawn
    asked = rng.choice(kind.asked)
    words = drawn_words(rng)
    sentences = [with_choices(rng.choice(kind.told), rng)] if kind.told else []
    question = with_choices(rng.choice(asked.questions), rng)
    if kind.besides and sentences and rng.random() < _BESIDES:
        values = values | {"unneeded": Fraction(rng.randint(2, 60))}
        written = written | {"unneeded": str(values["unneeded"])}
        sentences.insert(rng.randint(0, 1), with_choices(rng.choice(besides), rng))
    text = _filled(" ".join([*sentences, question]), values, written, words, rng)
    try:
        tree = parse_expression(_with_values(asked.equation, values))
        equation, answer = to_infix(tree), evaluate(tree)
        leaves = target_tree(equation, number_slots(text)).leaves()
    except (DataError, EvaluationError):
        return None
    if any(not is_slot(leaf) and leaf not in CONSTANTS for leaf in leaves):
        return None  # the text's reader confuses one number with another
    return EverydayProblem(text, equation, constant_label(answer), kind.name)


def _filled(
    template: str, values: Mapping[str, Fraction], written: Mapping[str, str], words: Mapping[str, str], rng: Random
) -> str:
    money = rng.choice(_MONEY)
    as_words = rng.random() < _IN_WORDS

    def field(match: re.Match[str]) -> str:
        name, is_money, before_word = match.groups()
        if name not in written:
            return words[name]
        if is_money:
            value = values[name]
            return money.format(str(value) if value.denominator == 1 else f"{float(value):.2f}")
        number = written[name]
        spell = as_words and before_word and number.isdigit() and 2 <= int(number) <= 12
        return _WORDS[int(number)] if spell else number

    text = re.sub(r" (?=[,.?;])", "", " ".join(_FIELD.sub(field, template).split()))
    return re.sub(r"(?:^|(?<=[^m][.?!] )|(?<=[^.]m[.?!] ))[a-z]", lambda match: match[0].upper(), text)


def _with_values(equation: str, values: Mapping[str, Fraction]) -> str:
    """Return an equation with the quantities replaced by numbers.

    >>> _with_values("all*(1-part)", {"all": Fraction(24), "part": Fraction(1, 3)})
    '24*(1-(1/3))'
    """

    def number(match: re.Match[str]) -> str:
        label = constant_label(values[match[0]])
        return f"({label})" if not label.isdigit() else label

    return _NAME.sub(number, equation)


def _worth(equation: str, values: Mapping[str, Fraction]) -> Fraction:
    return evaluate(parse_expression(_with_values(equation, values)))


def _holds(left: Fraction, sign: str, right: Fraction) -> bool:
    if sign == "whole":
        return left.denominator == 1 and left > 0
    return {"<": left < right, "<=": left <= right, ">": left > right, "!=": left != right}[sign]


def _choices(text: str) -> list[tuple[Fraction, str]]:
    """Parse the values of a quantity with their words: ``2..9``, ``0.5..9.5/0.1``, ``5|10``, ``1/2=half``."""
    choices: list[tuple[Fraction, str]] = []
    for choice in text.split("|"):
        low, is_range, rest = choice.partition("..")
        if is_range:
            high, _slash, step = rest.partition("/")
            first, last, width = Fraction(low), Fraction(high), Fraction(step or "1")
            choices += [(first + width * place, "") for place in range(int((last - first) / width) + 1)]
        else:
            value, _equals, words = choice.partition("=")
            choices.append((Fraction(value), words or value))
    return choices


def _condition(text: str) -> tuple[str, str, str]:
    if text.startswith("whole "):
        return text.removeprefix("whole "), "whole", "0"
    match = _COMPARISON.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no condition")
    return match[1], match[2], match[3]


@cache
def _material() -> tuple[list[_Kind], list[str]]:
    with Path(__file__).with_suffix(".toml").open("rb") as file:
        content = tomllib.load(file)
    return [_kind(table) for table in content["kind"]], content["besides"]


def _kind(table: Mapping[str, Any]) -> _Kind:
    return _Kind(
        name=table["name"],
        draws={name: _choices(text) for name, text in table["draw"].items()},
        let=table.get("let", {}),
        where=[_condition(text) for text in table.get("where", ())],
        told=table.get("told", ()),
        asked=[_Asked(equation, questions) for equation, questions in table["asked"].items()],
        besides=table.get("besides", True),
    )
