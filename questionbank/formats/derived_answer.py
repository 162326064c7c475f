"""The readable answer for people, search and models: derived from the grading data, or computed as its source does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from analytics.question_content import AcceptedAnswer, Blank, MatchingPair, Option, QuestionContent
from questionbank.formats.kinds import option_label

_SEVERAL = ("MULTIRESPONSE", "MR")  # styles of gaps for which the answer includes every correct option


def derived_answer(*, kind: str, options: Sequence[Option], answer: str, content: QuestionContent) -> str:
    """Return a question's readable answer, derived from its options or content if they show what is right.

    >>> two = (Option("A", "4", weight=0.5), Option("B", "5", weight=-1), Option("C", "2 + 2", weight=0.5))
    >>> derived_answer(kind="choice", options=two, answer="", content=QuestionContent())
    'A, C'
    >>> pairs = (MatchingPair("2 + 2", "four"), MatchingPair("1 + 1", "two"), MatchingPair("", "three"))
    >>> derived_answer(kind="matching", options=(), answer="", content=QuestionContent(pairs=pairs))
    '1-a, 2-c'
    """
    derived = ""
    if kind == "choice" and any(option.weight is not None for option in options):
        derived = ", ".join(right_options(options, is_single=content.settings.get("single") == "true"))
    elif kind == "ordering":
        derived = ", ".join(option.label for option in options)
    elif kind in ("number", "short", "true_false") and content.accepted:
        derived = "; ".join(map(_with_unit, best_answers(content.accepted)))
    elif kind == "matching" and content.pairs:
        letters = dict(lettered_choices(content.pairs))
        asked = [pair for pair in content.pairs if pair.left]
        named = [f"{number}-{letters[pair.right]}" for number, pair in enumerate(asked, start=1)]
        derived = ", ".join(named)
    elif kind == "blanks" and content.blanks:
        derived = "; ".join(map(blank_answer, content.blanks))
    elif kind == "parts" and content.parts:
        gaps = filter(None, map(blank_answer, content.blanks))  # in the text before the parts
        named = [f"({part_label(at)}) {part.answer}" for at, part in enumerate(content.parts) if part.answer]
        derived = "; ".join([*gaps, *named])
    return derived or answer


def right_options(options: Sequence[Option], *, is_single: bool = False) -> list[str]:
    """Return the labels of the options with a positive weight, or only the heaviest for a single-answer question."""
    weights = [option.weight or 0.0 for option in options]
    best = max(weights, default=0.0)
    least = best if is_single else 0.0
    return [option.label for option, weight in zip(options, weights, strict=True) if weight > 0 and weight >= least]


def best_answers(accepted: Sequence[AcceptedAnswer]) -> list[AcceptedAnswer]:
    """Return the accepted answers that earn the most points."""
    best = max((answer.weight for answer in accepted), default=0.0)
    return [answer for answer in accepted if answer.weight == best > 0]


def accepted_answers(content: QuestionContent, answer: str) -> Sequence[AcceptedAnswer]:
    """Return the answers to compare a typed answer with: the content's accepted answers, else the answer alone."""
    return content.accepted or ((AcceptedAnswer(answer),) if answer else ())


def _with_unit(answer: AcceptedAnswer) -> str:
    return f"{answer.text} {answer.unit}".strip()


def blank_answer(blank: Blank) -> str:
    """Return the correct answer for a gap."""
    if blank.options:
        labels = right_options(blank.options, is_single=not blank.style.startswith(_SEVERAL))
        chosen = [option.text for option in blank.options if option.label in labels]
        return ", ".join(chosen if blank.style.startswith(_SEVERAL) else chosen[:1])
    return next(map(_with_unit, best_answers(blank.accepted)), "")


def lettered_choices(pairs: Sequence[MatchingPair]) -> list[tuple[str, str]]:
    """Return the right-hand choices with their letters, in an order that does not reveal the pairs."""
    choices = apart(sorted({pair.right for pair in pairs}), pairs)
    return [(choice, part_label(place)) for place, choice in enumerate(choices)]


def apart(choices: list[str], pairs: Sequence[MatchingPair]) -> list[str]:
    """Return the choices in an order in which they are not all opposite their matches.

    >>> apart(["2", "4"], [MatchingPair("1 + 1", "2"), MatchingPair("2 + 2", "4")])
    ['4', '2']
    """
    asked = [pair.right for pair in pairs if pair.left]
    return choices[1:] + choices[:1] if choices[: len(asked)] == asked else choices


def part_label(place: int) -> str:
    """Return the letter of a part, counting from 0."""
    return option_label(place).lower()


SETTING = "computed_answer"
_LONGEST = 500  # characters
_STEPS = 4  # maximum assignments to follow from a variable


def computed_answer(expressions: Iterable[str], values: Mapping[str, str] | None = None) -> str:
    """Return the expressions as text, with each variable followed by its assigned value.

    Args:
        values: the code assigned to each variable.

    >>> computed_answer(["$ans", "2*$b"], {"$ans": "2*$a"})
    '$ans = 2*$a; 2*$b'
    """
    shown = []
    for expression in map(_on_a_line, expressions):
        value = _on_a_line(followed(expression, values or {}))
        shown.append(expression if value == expression else f"{expression} = {value}")
    return "; ".join(dict.fromkeys(filter(None, shown)))[:_LONGEST]


def followed(value: str, values: Mapping[str, str]) -> str:
    """Return the code that a variable stands for, following assignments from variable to variable."""
    for _step in range(_STEPS):
        value = values.get(value, value)
    return value


def assigned(pattern: re.Pattern[str], code: str) -> dict[str, str]:
    """Return the last code assigned to each variable, by a pattern with the groups `name` and `value`."""
    return {match["name"]: match["value"] for match in pattern.finditer(code)}


def _on_a_line(code: str) -> str:
    return " ".join(code.split())
