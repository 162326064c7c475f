"""Stories that state relations between unknown numbers, parsed into linear equations and solved.

A sentence is split into clauses until each matches one in the language's ``relations.py``; a clause becomes an
equation between quantities, which are identified by their owner and by what they count ("Ben", "age"). There is no
answer unless every sentence with a number was parsed and every number is part of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from analytics.language.contract import Language
from analytics.solver.rules.reading import Reading, RuleAnswer, asked_unit, conversion_factor, scaled
from analytics.solver.rules.scene import Scene
from analytics.solver.rules.story import Amount, Clause, Contradiction, Name, NotRead

_COMPARISONS = frozenset(["more", "times"])  # kinds of clauses
_LONGEST, _DEEPEST, _MOST_SPLITS, _MOST_NUMBERS = 220, 4, 8, 9


def related_numbers(reading: Reading) -> RuleAnswer | None:
    """Answer "Ben is 3 years younger than Carla. Carla is twice as old as Dev, and Dev is 8. How old is Ben?".

    Raises:
        Contradiction: no quantities satisfy the text.
    """
    quantities = reading.quantities
    if not 0 < len(quantities) <= _MOST_NUMBERS or any(each.value <= 0 for each in quantities):
        return None
    amounts = _amounts(reading)
    clauses = _read(reading) if amounts is not None else None
    if amounts is None or clauses is None or sum(clause.asks for clause in clauses) != 1:
        return None
    try:
        first = Scene(reading, amounts, {}, [])
        first.tell(clauses)
        names = _same_names(first.names)
        told = list(dict.fromkeys(names[each] for each in first.told))
        told = [each for each in told if not first.is_whole(each, told)]
        second = Scene(reading, amounts, names, told)
        second.tell(clauses)
        is_age = reading.language.relations.OLD.search(reading.question) is not None
        is_count = is_age or reading.language.words.asks_for_count(reading.text)
        answer = second.answer(is_count=is_count)
    except (NotRead, ZeroDivisionError):
        return None
    except Contradiction:
        if _leaves_a_choice(second, clauses):
            return None
        raise
    if answer is None:
        return None
    used = set(answer.tree.leaves()) | second.used
    counted = {each.tree.label for each in reading.counted()}
    if not counted <= used or len(answer.tree.leaves()) < 2:
        return None
    is_share = any(clause.kind == "share_left" for clause in clauses)
    return RuleAnswer(answer.tree, written=str(answer.value) if is_share else "")


def _leaves_a_choice(scene: Scene, clauses: Iterable[Clause]) -> bool:
    """Return whether inconsistent equations may have another interpretation.

    Counts alone may be of different things ("5 apples", "12 fruits in all"); a comparison is unambiguous.
    """
    compares = any(clause.kind in _COMPARISONS and not clause.asks for clause in clauses)
    return bool(scene.may_change or scene.shares or not compares)


def _amounts(reading: Reading) -> list[Amount] | None:
    """Return the numbers of the text in one unit; None if their units are incompatible."""
    wanted = asked_unit(reading)
    units = {each.unit_name for each in reading.quantities if each.unit is not None}
    dimensions = {each.unit.dimension for each in reading.quantities if each.unit is not None}
    if len(dimensions) > 1:
        return None
    if wanted == "pound" and dimensions == {"money"}:
        wanted = ""
    target = wanted if wanted and units else next(iter(units), "")
    if not wanted and len(units) > 1:
        return None
    amounts = []
    for each in reading.quantities:
        factor = conversion_factor(each.unit_name, target) if each.unit is not None else Fraction(1)
        if factor is None:
            return None
        amounts.append(Amount(each.mention.value * factor, scaled(each.tree, factor)))
    return amounts


def _read(reading: Reading) -> list[Clause] | None:
    """Return the clauses of a text; None if a sentence with a number was not parsed."""
    words = reading.language.relations
    text, end, parts = reading.text, 0, list[str]()
    units = [unit for unit in reading.units if words.ASKED_BEFORE.search(text[: unit.start])]
    counted = reading.counted()
    marks = [(q.start, q.end, f"#{index}") for index, q in enumerate(reading.quantities) if q in counted]
    marks += [(unit.start, unit.end, words.UNIT) for unit in units]
    for start, stop, mark in sorted(marks):
        if start < end:  # 2元3角: one amount of money
            return None
        parts += (text[end:start], mark)
        end = stop
    plain = words.retold("".join((*parts, text[end:])))
    clauses: list[Clause] = []
    has_ages = words.OLD.search(text) is not None
    for sentence in Reading(plain).sentences:
        if has_ages and words.TWO_TIMES.search(sentence):
            return None
        found = _clauses(words.tidied(sentence), reading.language, has_ages=has_ages)
        if found is None:
            return None
        clauses += found
    return clauses


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)  # on first use: all of them take half a second


@lru_cache(maxsize=1024)
def _clauses(clause: str, language: Language, *, has_ages: bool, depth: int = 0) -> list[Clause] | None:
    words = language.relations
    clause = words.tidied(clause)
    if len(clause) > _LONGEST or depth > _DEEPEST:
        return None
    for asks, table in ((True, words.QUESTIONS), (False, words.STATEMENTS)):
        for kind, pattern in table:
            if match := _compiled(pattern).fullmatch(clause):
                return [Clause(kind, _parts(match), clause, asks=asks)]
    splits = words.splits(clause)
    for left, right in splits if len(splits) <= _MOST_SPLITS else ():
        if (first := _clauses(left, language, has_ages=has_ages, depth=depth + 1)) is None:
            continue
        for rest in (right, words.with_subject(right)):
            if (second := _clauses(rest, language, has_ages=has_ages, depth=depth + 1)) is not None:
                return first + second
    if has_ages and (timed := _timed(clause, language, depth)) is not None:
        return timed
    is_whole = depth == 0 or words.MAY_BE_LEFT.match(clause) is not None
    return [] if is_whole and not words.MATTERS.search(clause) else None


def _timed(clause: str, language: Language, depth: int) -> list[Clause] | None:
    words = language.relations
    for sign, pattern in words.TIMES_OF_AGE:
        match = pattern.fullmatch(clause)
        if match is None:
            continue
        parts = _parts(match)
        inner = _clauses(parts["clause"], language, has_ages=False, depth=depth + 1)
        event = _clauses(parts["event"], language, has_ages=False, depth=depth + 1) if "event" in parts else []
        if inner and event is not None and (event or sign):
            time = (sign, parts.get("t", ""))
            return [replace(each, time=time, event=tuple(event)) for each in inner]
    match = words.UNKNOWN_TIME.fullmatch(clause)
    if match is None:
        return None
    inner = _clauses(match["clause"], language, has_ages=False, depth=depth + 1)
    if not inner:
        return None
    sign = -1 if _parts(match).get("ago") else 1
    return [replace(each, time=(sign, "")) for each in inner] + [Clause("time", {}, asks=True)]


def _parts(match: re.Match[str]) -> dict[str, str]:
    return {name: value for name, value in match.groupdict().items() if value}


def _ends(name: str, tail: str) -> bool:
    return name.endswith(tail if not tail.isascii() else f" {tail}")


def _same_names(names: Iterable[Name]) -> dict[Name, Name]:
    """Map each name to a shared name: "Karim" has "cards" if only cards are counted."""
    pairs = list(dict.fromkeys(names))
    things = {thing for _owner, thing in pairs if thing}
    owners = {owner for owner, _thing in pairs if owner} - things
    if _are_things_alone(pairs, things):
        return {(owner, thing): ("", thing or owner) for owner, thing in pairs}
    kept = {}
    for owner, name in pairs:
        thing = _full_thing(owner, name, pairs, things)
        kept[owner, name] = _full_owner(owner, thing, pairs, owners), thing
    return kept


def _are_things_alone(pairs: Iterable[Name], things: set[str]) -> bool:
    """Return whether an apparent owner is a thing elsewhere, and at most one owner has things."""
    bare = {owner for owner, thing in pairs if owner and not thing}
    having = {owner for owner, thing in pairs if owner and thing}
    return bool(bare & things) and len(having) <= 1


def _full_thing(owner: str, thing: str, pairs: Iterable[Name], things: set[str]) -> str:
    """Return the only thing that an owner can mean, or the only longer name: "red cards" for "cards"."""
    if not thing:
        return _only({other for each, other in pairs if each == owner and other} or things, "")
    return _only({other for other in things if other.endswith(f" {thing}")}, thing)


def _full_owner(owner: str, thing: str, pairs: Iterable[Name], owners: set[str]) -> str:
    """Return the only possible owner of a thing, or the only longer name."""
    if not owner:
        having = {each for each, other in pairs if each in owners and other == thing}
        return _only(having, "") if len(owners) == 1 else ""
    return _only({each for each in owners - {owner} if _ends(each, owner)}, owner)


def _only(names: set[str], otherwise: str) -> str:
    return next(iter(names)) if len(names) == 1 else otherwise
