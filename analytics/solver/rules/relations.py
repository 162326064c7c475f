"""Stories that state relations between unknown numbers, read as linear equations and solved.

A sentence is cut into clauses until each is one that the language's ``relations.py`` names; a clause becomes an
equation between quantities, which are called by what has them and what they count ("Ben", "age"). Nothing is answered
unless every sentence with a number was read, and every number is in the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar
from functools import reduce

from analytics.language.contract import Relations
from analytics.language.mentions import NumberKind
from analytics.solver.rules.conversions import asked_unit, conversion_factor
from analytics.solver.rules.linear import ONE, Amount, Linear, Name, solve
from analytics.solver.rules.reading import Reading, RuleAnswer

_NUMBER = re.compile(r"#(\d+)")
_LONGEST, _DEEPEST, _MOST_NUMBERS = 220, 4, 9
_Counted = TypeVar("_Counted", bound=Sequence[object])
_ONE, _OTHER, _WHOLE, _LATER = ("one", ""), ("other", ""), ("whole", ""), ("later", "")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that was read.

    Attributes:
        kind: of what it says, by the language's table.
        parts: its words by their parts in it.
        text: the clause.
        time: what it says of the time that it speaks of: clauses of its own, or a number of years with its sign.
    """

    kind: str
    parts: dict[str, str]
    text: str = ""
    time: tuple[int, str] | None = None
    event: tuple[Clause, ...] = ()
    asks: bool = False


def related_numbers(reading: Reading) -> RuleAnswer | None:
    """Answer "Ben is 3 years younger than Carla. Carla is twice as old as Dev, and Dev is 8. How old is Ben?"."""
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
        second = Scene(reading, amounts, names, told)
        second.tell(clauses)
        answer = second.answer(is_count=reading.language.question_shapes.asks_for_count(reading.text))
    except (NotRead, ZeroDivisionError):
        return None
    if answer is None:
        return None
    used = set(answer.tree.leaves()) | second.used
    counted = {each.tree.label for each in reading.counted()}
    if not counted <= used or len(answer.tree.leaves()) < 2:
        return None
    return RuleAnswer(answer.tree)


class NotRead(Exception):
    """A clause says something that no equation was made of."""


def _amounts(reading: Reading) -> list[Amount] | None:
    """Return the numbers of the text in one unit; None where they have units that do not go together."""
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
        amount = Amount(each.mention.value, each.tree)
        if each.unit is not None and each.unit_name != target:
            factor = conversion_factor(each.unit_name, target)
            if factor is None:
                return None
            scale = Amount.of(factor) if factor >= 1 else Amount.of(1 / factor)
            amount = amount * scale if factor >= 1 else amount / scale
        amounts.append(amount)
    return amounts


def _read(reading: Reading) -> list[Clause] | None:
    """Return the clauses of a text; None if a sentence with a number was not read."""
    words = reading.language.relations
    text, end, parts = reading.text, 0, list[str]()
    units = [unit for unit in reading.units if not any(q.unit is unit for q in reading.quantities)]
    marks = [(q.start, q.end, f"#{index}") for index, q in enumerate(reading.quantities)]
    marks = [mark for mark, q in zip(marks, reading.quantities, strict=True) if q in reading.counted()]
    marks += [(unit.start, unit.end, words.UNIT) for unit in units]
    for start, stop, mark in sorted(marks):
        if start >= end:
            parts += (text[end:start], mark)
            end = stop
    plain = "".join((*parts, text[end:]))
    clauses: list[Clause] = []
    has_ages = words.OLD.search(text) is not None
    for sentence in Reading(plain).sentences:
        if words.TWO_TIMES.search(sentence):
            return None
        found = _clauses(words.tidied(sentence), words, has_ages=has_ages)
        if found is None:
            return None
        clauses += found
    return clauses


def _clauses(clause: str, words: Relations, *, has_ages: bool, depth: int = 0) -> list[Clause] | None:
    clause = words.tidied(clause)
    if len(clause) > _LONGEST or depth > _DEEPEST:
        return None
    for asks, table in ((True, words.QUESTIONS), (False, words.STATEMENTS)):
        for kind, pattern in table:
            if match := pattern.fullmatch(clause):
                return [Clause(kind, _parts(match), clause, asks=asks)]
    for left, right in words.splits(clause):
        if (first := _clauses(left, words, has_ages=has_ages, depth=depth + 1)) is None:
            continue
        for rest in (right, words.with_subject(right)):
            if (second := _clauses(rest, words, has_ages=has_ages, depth=depth + 1)) is not None:
                return first + second
    if has_ages and (timed := _timed(clause, words, depth)) is not None:
        return timed
    is_whole = depth == 0 or words.MAY_BE_LEFT.match(clause) is not None
    return [] if is_whole and not words.MATTERS.search(clause) else None


def _timed(clause: str, words: Relations, depth: int) -> list[Clause] | None:
    for sign, pattern in words.TIMES_OF_AGE:
        match = pattern.fullmatch(clause)
        if match is None:
            continue
        parts = _parts(match)
        inner = _clauses(parts["clause"], words, has_ages=False, depth=depth + 1)
        event = _clauses(parts["event"], words, has_ages=False, depth=depth + 1) if "event" in parts else []
        if inner and event is not None and (event or sign):
            time = (sign, parts.get("t", ""))
            return [replace(each, time=time, event=tuple(event)) for each in inner]
    match = words.UNKNOWN_TIME.fullmatch(clause)
    inner = match and _clauses(match["clause"], words, has_ages=False, depth=depth + 1)
    if not inner:
        return None
    return [replace(each, time=(1, "")) for each in inner] + [Clause("time", {}, asks=True)]


def _parts(match: re.Match[str]) -> dict[str, str]:
    return {name: value for name, value in match.groupdict().items() if value}


def _same_names(names: Iterable[tuple[str, str]]) -> dict[Name, Name]:
    """Return under which name each quantity is kept: "Karim" has "cards" where cards are all that is counted."""
    pairs = list(dict.fromkeys(names))
    things = {thing for _owner, thing in pairs if thing}
    owners = {owner for owner, _thing in pairs if owner} - things
    bare = {owner for owner, thing in pairs if owner and not thing}
    if bare & things and len({owner for owner, thing in pairs if owner and thing}) <= 1:
        return {pair: ("", pair[1] or pair[0]) for pair in pairs}

    def kept(pair: tuple[str, str]) -> tuple[str, str]:
        owner, thing = pair
        if not thing:
            its = {other for each, other in pairs if each == owner and other} or things
            thing = next(iter(its)) if len(its) == 1 else ""
        elif sum(other.endswith(f" {thing}") for other in things) == 1:
            thing = next(other for other in things if other.endswith(f" {thing}"))
        if not owner:
            its = {each for each, other in pairs if each in owners and other == thing}
            owner = next(iter(its)) if len(its) == 1 and len(owners) == 1 else ""
        elif len(longer := {each for each in owners if each.endswith(f" {owner}")}) == 1:
            owner = longer.pop()
        return owner, thing

    return {pair: kept(pair) for pair in pairs}


class Scene:
    """What a story tells: equations between its quantities, and which of them is asked for.

    Attributes:
        names: of the quantities, as the clauses call them.
        told: those that statements speak of one by one.
        used: slots that say how many quantities there are.
    """

    def __init__(
        self, reading: Reading, amounts: list[Amount], kept: dict[Name, Name], everyone: list[Name]
    ) -> None:
        words = reading.language.relations
        self.measured = {place for place, each in enumerate(reading.quantities) if each.unit is not None}
        self.words, self.amounts, self.kept, self.everyone = words, amounts, kept, everyone
        self.names: list[tuple[str, str]] = []
        self.told: list[tuple[str, str]] = []
        self.used: set[str] = set()
        self.equations: list[Linear] = []
        self.asked: list[Linear] = []
        self.pick = ""
        self.subject = self.object = ("", "")
        self.shift = Linear()
        self.number: Linear | None = None
        self.whole: Linear | None = None
        self.rest: Linear | None = None
        self.shares: list[tuple[Linear, frozenset[str]]] = []
        self.times = 0
        self.actions: set[str] = set()
        self.measures: set[str] = set()

    def tell(self, clauses: Iterable[Clause]) -> None:
        """Read clauses in order."""
        for clause in clauses:
            before, self.shift = self.shift, Linear()
            if clause.time is not None:
                self.shift = self._later(clause)
            elif clause.asks and self.words.FUTURE.search(clause.text):
                self.shift = before
            self.text = clause.text
            getattr(self, f"_{clause.kind}")(clause.parts, clause.asks)

    def _later(self, clause: Clause) -> Linear:
        sign, number = clause.time or (0, "")
        if number:
            self.used.add(self._amount(number).tree.label)
            return Linear.known(self._amount(number) * Amount.of(sign))
        later = Linear.unknown((_LATER[0], str(self.times)))
        if clause.event:
            self.times += 1
            later = Linear.unknown((_LATER[0], str(self.times)))
            self.shift = later
            for each in clause.event:
                getattr(self, f"_{each.kind}")(each.parts, False)
        return later

    def answer(self, *, is_count: bool) -> Amount | None:
        """Return what is asked for; None if the equations leave it open, or it cannot be."""
        asked = reduce(lambda total, each: total + each, self.asked, Linear())
        worth = solve(self.equations, asked)
        if worth is None or not asked.terms or not all(each in worth for each in asked.terms):
            return None
        if any(amount.value < 0 for name, amount in worth.items() if name[0] not in ("number", _LATER[0])):
            return None
        values = []
        for each in self.asked:
            for name in each.terms:
                each = each.with_value(name, Linear.known(worth[name]))
            values.append(each.rest)
        values.sort(key=lambda amount: amount.value)
        if self.pick in ("largest", "smallest", "middle"):
            if len({amount.value for amount in values}) != len(values) or len(values) < 2:
                return None
            place = {"largest": len(values) - 1, "smallest": 0, "middle": len(values) // 2}[self.pick]
            return values[place]
        if self.pick == "difference":
            return values[1] - values[0]
        total = reduce(lambda sum_, amount: sum_ + amount, values)
        if is_count and any(amount.value.denominator != 1 for amount in (*worth.values(), total)):
            return None
        return total if total.value >= 0 else None

    # Names and numbers

    def _amount(self, words: str) -> Amount:
        if (factor := self.words.FACTORS.get(words.strip().lower())) is not None:
            return Amount.of(factor)
        return self.amounts[int(_NUMBER.search(words)[1])]

    def _plain(self, parts: dict[str, str], name: str = "n") -> Linear:
        """Return a number that is added to others: things and units are not mixed."""
        place = int(_NUMBER.search(parts[name])[1])
        measure = "unit" if place in self.measured else parts.get("c", "")
        self.measures |= {measure} - {""}
        if len(self.measures) > 1:
            raise NotRead
        return Linear.known(self.amounts[place])

    def _is_share(self, words: str) -> bool:
        return 0 < self._amount(words).value < 1 and int(_NUMBER.search(words)[1]) not in self.measured

    def _quantity(self, name: tuple[str, str], *, is_told: bool = True) -> Linear:
        self.names.append(name)
        if is_told:
            self.told.append(name)
        return Linear.unknown(self.kept.get(name, name)) + self.shift

    def _name(self, words: str, thing: str = "", *, follows: bool = True) -> tuple[str, str]:
        """Return what a noun phrase names; a pronoun is what was spoken of last."""
        if words.lower() in self.words.PRONOUNS:
            spoken = self.object if words.lower() in self.words.WHO else self.subject
            return spoken[0], thing or spoken[1]
        owner, own_thing = self.words.name_of(words)
        return owner, own_thing or thing

    def _thing(self, parts: dict[str, str]) -> str:
        noun = parts.get("noun", "") or parts.get("noun2", "")
        return (
            self.words.thing_of(noun)
            or self.words.attribute(parts.get("more", ""))
            or self.words.attribute(parts.get("verb", ""))
            or self.words.attribute(parts.get("adj", ""))
        )

    def _act(self, parts: dict[str, str]) -> None:
        """Keep what is done: what two people have and what one of them sold are not compared."""
        self.actions |= {self.words.action(parts["verb"])} - {""} if parts.get("verb") else set()
        if len(self.actions) > 1:
            raise NotRead

    def _all(self, thing: str = "") -> list[Linear]:
        names = [name for name in self.everyone if not thing or name[1] in (thing, "")] or self.everyone
        return [Linear.unknown(name) + self.shift for name in names]

    def _list(self, words: str, thing: str = "", *, as_things: str | None = None) -> list[Linear]:
        """Return the quantities that a list names: all of the story for "they", two for "two numbers"."""
        if words and (match := self.words.TWO_NUMBERS.fullmatch(words)):
            if match["count"]:
                count = self._amount(match["count"])
                self.used.add(count.tree.label)
                if self.everyone and self.everyone not in ([_name for _name in (_ONE, _OTHER)],):
                    return self._counted(count, self._all())
            return [self._quantity(_ONE), self._quantity(_OTHER)]
        if not words or self.words.EVERYONE.fullmatch(words):
            for number in _NUMBER.findall(words):
                return self._counted(self.amounts[int(number)], self._all(thing))
            return self._all(thing)
        if as_things is not None:
            return [self._quantity((as_things, self.words.thing_of(each))) for each in self.words.listed(words)]
        return [self._quantity(self._name(each, thing)) for each in self.words.listed(words)]

    def _counted(self, count: Amount, quantities: _Counted) -> _Counted:
        self.used.add(count.tree.label)
        if self.everyone and count.value != len(quantities):
            raise NotRead
        return quantities

    def _count(self, parts: dict[str, str], quantities: Sequence[object]) -> None:
        if "count" in parts:
            self._counted(self._amount(parts["count"]), quantities)

    def _same(self, left: Linear, right: Linear) -> None:
        self.equations.append(left - right)

    def _sign(self, parts: dict[str, str]) -> Amount:
        return Amount.of(-1 if parts["more"].lower() in self.words.LESS else 1)

    # Statements

    def _nothing(self, parts: dict[str, str], asks: bool) -> None:
        """Read a clause without a number."""

    def _value(self, parts: dict[str, str], asks: bool) -> None:
        self._act(parts)
        thing = self._thing(parts)
        if self._limbs(thing, parts):
            return
        amount = self._plain(parts)
        if self._is_share(parts["n"]) and "noun" in parts:
            raise NotRead
        name = self._name(parts["a"], thing) if "a" in parts else ("", thing)
        if self.shares and name[0] == self.subject[0]:
            self._left(parts, asks)
            return
        self.subject = name
        quantity = self._quantity(name)
        self._same(quantity, amount)
        if self.whole is None:
            self.whole = self.rest = quantity

    def _compared(self, parts: dict[str, str]) -> tuple[Linear, Linear]:
        self._act(parts)
        thing = self._thing(parts)
        if "a" not in parts:
            name = self.subject
        elif "verb" not in parts and self.words.is_thing(parts["a"]):
            name = ("", self.words.thing_of(parts["a"]))
        else:
            name = self._name(parts["a"], thing)
        other = parts["b"]
        left = self._quantity(name)
        own = self.words.thing_of(other)
        is_thing = self.words.is_thing(other) or own.split()[-1:] == thing.split()[-1:] != []
        if thing and is_thing or ("verb" not in parts and name[0] == ""):
            right = self._quantity((name[0], own))
            if name[1] == own:
                raise NotRead
        else:
            named = self._list(other, name[1])
            right = reduce(lambda total, each: total + each, named, Linear())
        self.subject, self.object = name, self.names[-1]
        if left.terms == right.terms:
            raise NotRead
        return left, right

    def _more(self, parts: dict[str, str], asks: bool) -> None:
        left, right = self._compared(parts)
        step = right.times(self._amount(parts["n"])) if self._is_share(parts["n"]) else self._plain(parts)
        self._same(left, right + step.times(self._sign(parts)))

    def _times(self, parts: dict[str, str], asks: bool) -> None:
        left, right = self._compared(parts)
        total = right.times(self._amount(parts["m"]))
        if "n" in parts:
            total += self._plain(parts).times(self._sign(parts))
        self._same(left, total)

    def _sum(self, parts: dict[str, str], asks: bool) -> None:
        self._act(parts)
        thing = self._thing(parts)
        if self._limbs(thing, parts):
            return
        if "things" in parts:
            named = self._list(parts["things"], as_things=self._name(parts["a"])[0] if "a" in parts else "")
        else:
            named = self._list(parts.get("list", ""), thing)
        self._count(parts, named)
        total = reduce(lambda sum_, each: sum_ + each, named, Linear())
        if self.everyone and len(named) < 2:
            raise NotRead
        self._same(total, self._plain(parts))

    def _sum_difference(self, parts: dict[str, str], asks: bool) -> None:
        self._sum(parts, asks)
        self._difference_of({"n": parts["d"], "list": parts["list"]})

    def _difference_of(self, parts: dict[str, str]) -> None:
        named = self._list(parts.get("list", ""))
        if not self.everyone:
            return
        if len(named) != 2 or set(self.everyone) != {_ONE, _OTHER}:
            raise NotRead
        self._same(named[0] - named[1], self._plain(parts))

    def _difference(self, parts: dict[str, str], asks: bool) -> None:
        if not asks:
            self._difference_of(parts)
            return
        thing = self._thing(parts)
        if thing and self.words.is_thing(parts["b"]):
            name = self._name(parts["a"])
            self.asked = [self._quantity((name[0], thing), is_told=False), self._quantity((name[0], self.words.thing_of(parts["b"])), is_told=False)]
        else:
            self.asked = [self._quantity(self._name(parts[each], thing), is_told=False) for each in ("a", "b")]
        self.pick = "difference"

    def _ratio(self, parts: dict[str, str], asks: bool) -> None:
        numbers = [self._amount(f"#{each}") for each in _NUMBER.findall(parts["r"])]
        self._count(parts, numbers)
        names = self.words.listed(parts["list"]) if "list" in parts else [parts[each] for each in "abc" if each in parts]
        if len(names) != len(numbers):
            raise NotRead
        part = Linear.unknown(("part", ""))
        for name, number in zip(names, numbers, strict=True):
            called = ("", self.words.thing_of(name)) if self.words.is_thing(name) else self._name(name)
            self._same(self._quantity(called), part.times(number))

    def _consecutive(self, parts: dict[str, str], asks: bool) -> None:
        count = self._amount(parts["count"])
        if not 2 <= count.value <= 9:
            raise NotRead
        self.used.add(count.tree.label)
        step = 2 if parts.get("step") else 1
        names = [self._quantity((str(place), "")) for place in range(int(count.value))]
        for before, after in zip(names, names[1:], strict=False):
            self._same(after, before + Linear.known(step))
        total = reduce(lambda sum_, each: sum_ + each, names)
        self._same(total, Linear.known(self._amount(parts["n"])))

    def _kinds(self, parts: dict[str, str], asks: bool) -> None:
        names = [self._name(each)[0] for each in self.words.listed(parts["things"])]
        if any(set(names) <= limbs.keys() for limbs in self.words.LIMBS.values()):
            self.told += [("", name) for name in names]
            self.names += [("", name) for name in names]

    def _limbs(self, thing: str, parts: dict[str, str]) -> bool:
        """Read how many legs or wheels all have together, or how many animals there are; return whether it is that."""
        names = [owner or thing_ for owner, thing_ in self.everyone]
        limbs = self.words.LIMBS.get(thing, {}) or {name: 1 for name in names if thing in self.words.HEADS}
        if not limbs or not self.everyone:
            return thing in self.words.LIMBS or thing in self.words.HEADS
        if len(names) < 2 or not set(names) <= limbs.keys():
            raise NotRead
        quantities = [each.times(Amount.of(limbs[name])) for each, name in zip(self._all(), names, strict=True)]
        number = Linear.known(self._amount(parts["n"]))
        self._same(reduce(lambda total, each: total + each, quantities), number)
        return True

    # Parts of a whole and of what is left of it

    def _part(self, parts: dict[str, str], asks: bool) -> None:
        whole = parts.get("w", "")
        is_rest = self.words.REST.fullmatch(whole) is not None
        if number := _NUMBER.search(whole):
            if self.whole is not None:
                raise NotRead
            self.whole = self.rest = Linear.known(self.amounts[int(number[1])])
        if self.whole is None or self.rest is None:
            self.whole = self.rest = Linear.unknown(_WHOLE)
        if "f" in parts and not self._is_share(parts["f"]):
            raise NotRead
        base = self.rest if is_rest else self.whole
        part = base.times(self._amount(parts["f"])) if "f" in parts else self._plain(parts)
        self.rest -= part
        self._share(part, parts)

    def _share(self, part: Linear, parts: dict[str, str]) -> None:
        name = Linear.unknown(("share", str(len(self.shares))))
        self._same(name, part)
        self.shares.append((name, self.words.content(parts.get("tail", "") + parts.get("name", ""))))

    def _others(self, parts: dict[str, str], asks: bool) -> None:
        if self.rest is None or not self.shares:
            raise NotRead
        self._share(self.rest, parts)

    def _left(self, parts: dict[str, str], asks: bool) -> None:
        if self.rest is None or not self.shares:
            raise NotRead
        if asks:
            self.asked = [self._named(self.rest)]
        else:
            self._same(self.rest, self._plain(parts))

    def _named(self, part: Linear) -> Linear:
        name = Linear.unknown(("asked", ""))
        self._same(name, part)
        return name

    def _whole(self, parts: dict[str, str], asks: bool) -> None:
        if self.whole is None or not self.shares:
            raise NotRead
        self.asked = [self._named(self.whole)]

    def _part_asked(self, parts: dict[str, str], asks: bool) -> None:
        """Read a question for one of the parts: by words that no other part has."""
        words = self.words.content(self.text)
        asked = [part for part, own in self.shares if own & words - set().union(*(o for p, o in self.shares if p != part))]
        if len(asked) == 1:
            self.asked = asked
        elif len(self.shares) == 1 and words & self.words.PEOPLE_PARTS and self.shares[0][1] & self.words.PEOPLE_PARTS:
            self._left(parts, asks)  # boys, where there are girls
        elif self.words.HAS.search(self.text):
            self._left(parts, asks)
        else:
            raise NotRead

    # A number that is computed with

    def _born(self, parts: dict[str, str], asks: bool) -> None:
        self.equations.append(self._quantity(self._name(parts["a"])))

    def _begin(self, parts: dict[str, str], asks: bool) -> None:
        self.number = Linear.unknown(("number", ""))

    def _step(self, factor: Amount = ONE, rest: Linear | None = None) -> None:
        number = self.number if self.number is not None else Linear.unknown(("number", ""))
        self.number = number.times(factor) + (rest or Linear())

    def _multiply(self, parts: dict[str, str], asks: bool) -> None:
        self._step(self._amount(parts["n"]))

    def _divide(self, parts: dict[str, str], asks: bool) -> None:
        self._step(ONE / self._amount(parts["n"]))

    def _double(self, parts: dict[str, str], asks: bool) -> None:
        self._step(Amount.of(2))

    def _halve(self, parts: dict[str, str], asks: bool) -> None:
        self._step(Amount.of(Fraction(1, 2)))

    def _add(self, parts: dict[str, str], asks: bool) -> None:
        self._step(rest=Linear.known(self._amount(parts["n"])))

    def _subtract(self, parts: dict[str, str], asks: bool) -> None:
        self._step(rest=Linear.known(-self._amount(parts["n"])))

    def _result(self, parts: dict[str, str], asks: bool) -> None:
        if self.number is None:
            raise NotRead
        self._same(self.number, Linear.known(self._amount(parts["n"])))

    def _phrase(self, parts: dict[str, str], asks: bool) -> None:
        number = Linear.unknown(("number", "")).times(self._amount(parts["m"]))
        if "n" in parts:
            number += Linear.known(self._amount(parts["n"])).times(self._sign(parts))
        self._same(number, Linear.known(self._amount(parts["s"])))

    def _number(self, parts: dict[str, str], asks: bool) -> None:
        if self.whole is not None and self.number is None and self.shares:
            self._whole(parts, asks)
            return
        self.asked = [Linear.unknown(("number", ""))]

    # Questions

    def _one(self, parts: dict[str, str], asks: bool) -> None:
        if self.shares:
            if self.whole == Linear.unknown(_WHOLE) and self.words.PAST.search(self.text):
                self._whole(parts, asks)
            else:
                self._part_asked(parts, asks)
            return
        thing = self._thing(parts)
        if "a" not in parts or self.words.THERE.fullmatch(parts["a"]):
            name = ("", thing)
        elif self.words.EVERYONE.fullmatch(parts["a"]) or len(self.words.listed(parts["a"])) > 1:
            raise NotRead
        else:
            name = self._name(parts["a"], thing)
        if self.everyone and self.kept.get(name, name) not in self.everyone:
            self.asked = self._parts_of(name)
            return
        self.asked = [self._quantity(name, is_told=False)]

    def _parts_of(self, name: tuple[str, str]) -> list[Linear]:
        """Return what makes up children, where there are boys and girls; or books, where there are two kinds."""
        thing = self.kept.get(name, name)[1]
        things = {each[1] for each in self.everyone}
        is_whole = thing in self.words.PEOPLE and things <= self.words.PEOPLE_PARTS
        if len(things) < 2 or not (is_whole or all(each.endswith(f" {thing}") for each in things)):
            raise NotRead
        return self._all()

    def _total(self, parts: dict[str, str], asks: bool) -> None:
        listed = parts.get("list", "")
        if self.words.THERE.fullmatch(listed):
            listed = ""
        named = self._list(listed, self._thing(parts))
        self._count(parts, named)
        if self.everyone and len(named) < 2:
            raise NotRead
        self.asked = named

    def _superlative(self, parts: dict[str, str], asks: bool) -> None:
        which = parts["which"]
        self.pick = next(
            (name for name, pattern in (("middle", self.words.MIDDLE), ("smallest", self.words.SMALLEST), ("largest", self.words.LARGEST)) if pattern.search(which)),
            "",
        )
        if not self.pick:
            raise NotRead
        self.asked = self._all()

    def _time(self, parts: dict[str, str], asks: bool) -> None:
        self.asked = [Linear.unknown((_LATER[0], "0"))]
