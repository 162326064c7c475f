"""The same problem with other names, things and numbers; the answer is computed from the equation anew. English.

Numbers are drawn from the neighbourhood of the old ones until everything that was whole or positive still is: the
answer and each step on the way to it. What was more than something else still is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from random import Random

from analytics.errors import DataError
from analytics.expression.evaluate import EvaluationError, evaluate
from analytics.expression.notation import to_infix
from analytics.expression.parser import parse_expression
from analytics.expression.slots import fill_slots, is_slot, slot_index
from analytics.expression.tree import ExpressionTree
from analytics.paraphrase.words.entities import find_entities, mentions_of
from analytics.solver.targets import target_tree
from analytics.text.number_slots import NumberSlot, number_slots
from questionbank.retelling.editing import replaced
from questionbank.retelling.numbers import keeps_order, with_other_numbers
from questionbank.retelling.people import MEN, WOMEN
from questionbank.retelling.problem import SAME_STORY, RetoldProblem, answer_text
from questionbank.retelling.things import with_other_things

_TRIES = 300  # draws of numbers for one text
_ENDLESS = 7
_SPOKEN = {
    "twice": 2,
    "doubl": 2,
    "half": 2,
    "pair": 2,
    "thrice": 3,
    "tripl": 3,
    "dozen": 12,
}  # beside a like number
_NAMES = {"woman": WOMEN, "man": MEN}
_HE, _SHE = re.compile(r"\b(?:he|him|his)\b", re.IGNORECASE), re.compile(r"\b(?:she|hers?)\b", re.IGNORECASE)


def retold(text: str, expression: str, seed: str) -> Iterator[RetoldProblem]:
    """Yield retellings of a problem, always the same ones for a seed; none where its equation cannot be read."""
    rng = Random(seed)
    for problem in renumbered(text, expression, rng):
        retelling = with_other_things(_with_names(problem.text, rng), rng)
        answer = answer_text(retelling, evaluate(parse_expression(problem.equation)))
        yield RetoldProblem(retelling, problem.equation, answer, SAME_STORY)


def renumbered(text: str, expression: str, rng: Random) -> Iterator[RetoldProblem]:
    """Yield a problem with other numbers and nothing else changed.

    Nothing is yielded where its equation cannot be read or does not tell the text's numbers apart.
    """
    slots = number_slots(text)
    try:
        tree = target_tree(expression, slots)
    except DataError:
        return
    spoken = {value for word, value in _SPOKEN.items() if re.search(rf"\b{word}", text, re.IGNORECASE)}
    used = sorted({slot_index(label) for label in _labels(tree) if is_slot(label)})
    if any(slots[place].value in spoken and not slots[place].in_words for place in used):
        return
    if any(_is_part_of_fraction(slots[place], slots) for place in used):
        return  # 3*7/4 over "1 3/4" and "7 1/2": the equation does not tell whose the 7 is
    for _try in range(_TRIES):
        numbered = with_other_numbers(text, slots, used, rng)
        new_slots = number_slots(numbered)
        if numbered == text or [slot.reading for slot in new_slots] != [slot.reading for slot in slots]:
            continue
        filled = _checked(tree, slots, new_slots)
        if filled is not None:
            yield RetoldProblem(
                numbered, to_infix(filled), answer_text(numbered, evaluate(filled)), SAME_STORY
            )


def _is_part_of_fraction(slot: NumberSlot, slots: Sequence[NumberSlot]) -> bool:
    """Return whether a slot is a part of a mixed number or of a fraction above 1."""
    return slot.reading == "digits" and any(
        whole.start <= slot.start < whole.end
        and whole.value > 1
        and whole.value.denominator > 1
        and whole.value * 100 != slot.value  # 150 %
        for whole in slots
    )


def _checked(
    tree: ExpressionTree, slots: list[NumberSlot], new_slots: list[NumberSlot]
) -> ExpressionTree | None:
    """Return the tree with its new numbers; None where they make no sense."""
    if not keeps_order(slots, new_slots):
        return None
    old_values, new_values = ([slot.value for slot in each] for each in (slots, new_slots))
    old, new = fill_slots(tree, old_values), fill_slots(tree, new_values)
    return new if _is_unambiguous(old, old_values, new_values) and _as_sensible(old, new) else None


def _is_unambiguous(old: ExpressionTree, old_values: list[Fraction], new_values: list[Fraction]) -> bool:
    """Return whether each number of the equation can only be one of the text.

    "Thrice" and "3 points" are both 3, and so is 1 + 2 on the way to an answer: an equation does not tell which it
    means, and only one of them may have changed.
    """
    changes: dict[Fraction, set[Fraction]] = {}
    for before, after in zip(old_values, new_values, strict=True):
        changes.setdefault(before, set()).add(after)
    if any(len(after) > 1 for after in changes.values()):
        return False
    return all(step not in changes for child in old.children for step in _results(child))


def _results(tree: ExpressionTree) -> Iterator[Fraction]:
    """Yield the value of each calculation in a tree."""
    if tree.is_number:
        return
    with suppress(EvaluationError):
        yield evaluate(tree)
    for child in tree.children:
        yield from _results(child)


def _as_sensible(old: ExpressionTree, new: ExpressionTree) -> bool:
    """Return whether every step that was whole, a short decimal or positive still is."""
    if old.is_number or new.is_number:
        return True
    try:
        before, after = evaluate(old), evaluate(new)
    except EvaluationError:
        return False
    is_sensible = (after > 0 or before <= 0) and _decimal_places(after) <= _decimal_places(before)
    return is_sensible and all(map(_as_sensible, old.children, new.children))


def _decimal_places(value: Fraction) -> int:
    """Return how many decimals a value has; `_ENDLESS` where they never end, or late."""
    return next((places for places in range(_ENDLESS) if (value * 10**places).denominator == 1), _ENDLESS)


def _labels(tree: ExpressionTree) -> Iterator[str]:
    yield tree.label
    for child in tree.children:
        yield from _labels(child)


def _with_names(text: str, rng: Random) -> str:
    """Return the text with other people's names, of the sex that the text's pronouns give a lone person."""
    entities = find_entities(text)
    taken = {mention.text for mention in entities}
    people = list({mention.text: mention for mention in entities if mention.category in _NAMES}.values())
    sexes = [sex for sex, pronoun in (("man", _HE), ("woman", _SHE)) if pronoun.search(text)]
    edits: list[tuple[int, int, str]] = []
    for mention in people:
        if " " in mention.text:
            continue
        sex = sexes[0] if len(people) == 1 == len(sexes) else mention.category
        name = rng.choice([name for name in _NAMES[sex] if name not in taken])
        taken.add(name)
        edits += [(start, end, name) for start, end in mentions_of(mention.text, text)]
    return replaced(text, edits)
