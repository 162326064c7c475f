"""The same problem with other names, things and numbers; the answer is computed from the equation anew. English.

Numbers are drawn from the neighbourhood of the old ones until everything that was whole or positive still is: the
answer and each step on the way to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from analytics.errors import DataError
from analytics.expression.evaluate import EvaluationError, evaluate
from analytics.expression.notation import to_infix
from analytics.expression.slots import constant_label, fill_slots, is_slot, slot_index
from analytics.expression.tree import ExpressionTree
from analytics.paraphrase.words.entities import another_name, find_entities, mentions_of
from analytics.solver.targets import target_tree
from analytics.text.number_slots import NumberSlot, number_slots
from questionbank.retelling.problem import RetoldProblem

__all__ = ["retold"]

GENERATOR = "other names, things and numbers"
_TRIES = 300  # draws of numbers for one text
_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?")
_PEOPLE = frozenset({"woman", "man"})
_KINDS = (  # things of one line may stand for one another: singular/plural, or the singular alone
    "pen pencil ruler notebook marker eraser",
    "marble stamp badge sticker card shell",
    "egg apple banana pear peach/peaches lemon plum",
    "cookie muffin biscuit cupcake waffle",
    "rose tulip daisy/daisies lily/lilies",
    "dog cat rabbit pony/ponies",
    "chair bench/benches stool table",
    "book magazine comic poster",
    "shirt jacket hat scarf/scarves",
    "boy girl",
)


def _forms(word: str) -> tuple[str, str]:
    singular, _slash, plural = word.partition("/")
    return singular, plural or f"{singular}s"


_THINGS = tuple(tuple(map(_forms, kind.split())) for kind in _KINDS)


def retold(text: str, expression: str, seed: str) -> Iterator[RetoldProblem]:
    """Yield retellings of a problem, always the same ones for a seed; none where its equation cannot be read."""
    rng = Random(seed)
    slots = number_slots(text)
    try:
        tree = target_tree(expression, slots)
    except DataError:
        return
    for _try in range(_TRIES):
        numbered = _with_numbers(text, slots, rng)
        new_slots = number_slots(numbered)
        if [slot.reading for slot in new_slots] != [slot.reading for slot in slots]:
            continue
        filled = _checked(tree, slots, new_slots)
        if filled is None:
            continue
        yield RetoldProblem(
            _with_things(_with_names(numbered, rng), rng),
            to_infix(filled),
            constant_label(evaluate(filled)),
            GENERATOR,
        )


def _with_numbers(text: str, slots: list[NumberSlot], rng: Random) -> str:
    """Return the text with another number at each place where digits stand; equal numbers stay equal."""
    drawn: dict[str, str] = {}
    pieces: list[str] = []
    done = 0
    for start, end in sorted({(slot.start, slot.end) for slot in slots}):
        written = _DIGITS.search(text, start, end)
        if written is None or start < done:
            continue
        new = drawn.setdefault(written[0], _another_number(written[0], rng))
        pieces += [text[done : written.start()], new]
        done = written.end()
    return "".join(pieces) + text[done:]


def _another_number(written: str, rng: Random) -> str:
    """Return a number of the same kind between half and twice as large, written alike."""
    _whole, _point, decimals = written.partition(".")
    unit = 10 ** len(decimals)
    value = int(written.replace(",", "").replace(".", ""))
    step = 10 if value >= 100 and value % 10 == 0 else 1
    low, high = max(2, value // 2), max(9, 2 * value)
    new = rng.randrange(low - low % step or step, high + 1, step)
    if decimals:
        return f"{new / unit:.{len(decimals)}f}"
    return f"{new:,}" if "," in written else str(new)


def _checked(
    tree: ExpressionTree, slots: list[NumberSlot], new_slots: list[NumberSlot]
) -> ExpressionTree | None:
    """Return the tree with its new numbers; None where it keeps a number that stands in digits, or makes no sense."""
    used = {slot_index(label) for label in _labels(tree) if is_slot(label)}
    old_values, new_values = ([slot.value for slot in each] for each in (slots, new_slots))
    if any(old_values[place] == new_values[place] for place in used):
        return None
    old, new = fill_slots(tree, old_values), fill_slots(tree, new_values)
    return new if _as_sensible(old, new) else None


def _as_sensible(old: ExpressionTree, new: ExpressionTree) -> bool:
    """Return whether every step that was whole or positive still is."""
    if old.is_number or new.is_number:
        return True
    try:
        before, after = evaluate(old), evaluate(new)
    except EvaluationError:
        return False
    is_sensible = (after > 0 or before <= 0) and (_is_whole(after) or not _is_whole(before))
    return is_sensible and all(map(_as_sensible, old.children, new.children))


def _is_whole(value: Fraction) -> bool:
    return value.denominator == 1


def _labels(tree: ExpressionTree) -> Iterator[str]:
    yield tree.label
    for child in tree.children:
        yield from _labels(child)


def _with_names(text: str, rng: Random) -> str:
    """Return the text with other people's names."""
    taken = {mention.text for mention in find_entities(text)}
    replaced: list[tuple[int, int, str]] = []
    for mention in {mention.text: mention for mention in find_entities(text)}.values():
        if mention.category not in _PEOPLE:
            continue
        name = another_name(mention, taken, rng)
        if name is None:
            continue
        taken.add(name)
        replaced += [(start, end, name) for start, end in mentions_of(mention.text, text)]
    return _replaced(text, replaced)


def _with_things(text: str, rng: Random) -> str:
    """Return the text with other things of the same kind; all that is not in the text already may come."""
    for kind in _THINGS:
        present = [thing for thing in kind if _mentions(thing, text)]
        others = [thing for thing in kind if thing not in present]
        for thing in present:
            if not others:
                break
            new = others.pop(rng.randrange(len(others)))
            text = _renamed(text, thing, new)
    return text


def _mentions(thing: tuple[str, str], text: str) -> bool:
    return re.search(rf"\b(?:{'|'.join(thing)})\b", text, re.IGNORECASE) is not None


def _renamed(text: str, thing: tuple[str, str], new: tuple[str, str]) -> str:
    for old_form, new_form in zip(thing, new, strict=True):
        text = re.sub(rf"\b{old_form}\b", new_form, text)
        text = re.sub(rf"\b{old_form.capitalize()}\b", new_form.capitalize(), text)
    return text


def _replaced(text: str, edits: list[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text
