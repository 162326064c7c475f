"""What each kind of clause states about a story's quantities: a method per kind, named as in the languages' tables."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from analytics.solver.rules.story import (
    NUMBER,
    NUMBER_SOUGHT,
    ONE,
    ONE_OF_TWO,
    OTHER_OF_TWO,
    YEARS_LATER,
    ZERO,
    Amount,
    Clause,
    Linear,
    NotRead,
    Story,
    total_of,
)

_UNTOLD = Linear.unknown(("whole", ""))
_MOST_CONSECUTIVE = 9


class Scene(Story):
    """A story told clause by clause."""

    number: Linear | None = None  # the number that computations apply to
    whole: Linear | None = None  # the whole that parts are taken from
    rest: Linear | None = None  # what is left after the parts so far
    text = ""  # of the clause
    last_done = ""  # the last action on a part
    is_shared = False  # the whole is shared out, so that whoever gets or receives a part owns it
    _events = 0

    def tell(self, clauses: Iterable[Clause]) -> None:
        """Read clauses in order.

        Raises:
            NotRead: a clause states something that cannot be turned into an equation.
        """
        self.shares: list[tuple[Linear, frozenset[str]]] = []  # parts, and the words that distinguish them
        self.whole_words: frozenset[str] = frozenset()
        self.valued: set[tuple[str, str]] = set()
        for clause in clauses:
            before, self.shift, self.text = self.shift, Linear(), clause.text
            if clause.time is not None:
                self.shift = self._years_later(clause)
            elif clause.asks and self.words.FUTURE.search(clause.text):
                self.shift = before
            self._read(clause)

    def _read(self, clause: Clause) -> None:
        getattr(self, f"_read_{clause.kind}")(clause)

    def _years_later(self, clause: Clause) -> Linear:
        sign, number = clause.time or (0, "")
        if number:
            self.used.add(self.amount(number).tree.label)
            return Linear.known(self.amount(number) * Amount.of(sign))
        self._events += bool(clause.event)
        later = Linear.unknown((YEARS_LATER, str(self._events if clause.event else 0)))
        self.shift = later = later.times(Amount.of(-1)) if sign < 0 else later
        for each in clause.event:
            self._read(each)
        return later

    # Statements

    def _read_nothing(self, clause: Clause) -> None:
        """Read a clause without a number."""

    def _read_value(self, clause: Clause) -> None:
        parts = clause.parts
        self.act(parts)
        thing = self.thing(parts)
        if self.is_share(parts["n"]) and "noun" in parts:
            raise NotRead
        amount = self.added(parts)
        name = self.name(parts["a"], thing) if "a" in parts else ("", thing)
        if self.shares:
            self._read_part_or_rest(clause, amount)
            return
        self.subject = name
        if self.is_whole(self.kept.get(name, name), self.everyone):
            self.same(total_of(self.all_of()), amount)
            return
        is_pronoun = parts.get("a", "").lower() in self.words.PRONOUNS
        kept = self.kept.get(name, name)
        self.may_change |= is_pronoun or kept in self.valued
        self.valued.add(kept)
        quantity = self.quantity(name)
        self.same(quantity, amount)
        if self.whole is None:
            self.whole = self.rest = quantity
            self.whole_words = self.words.content(self.text)

    def _read_part_or_rest(self, clause: Clause, amount: Linear) -> None:
        """Read the size of a part whose share was given ("He has read 150 pages."), or the rest."""
        parts = clause.parts
        done, words = self.words.action(parts.get("verb", "")), self.words.content(parts.get("noun", ""))
        named = [part for part, own in self.shares if own & words and own & words == words]
        if done and done == self.last_done and len(self.shares) == 1:
            self.same(self.shares[0][0], amount)
        elif "a" not in parts and len(named) == 1:
            self.same(named[0], amount)
        elif "a" in parts and not done and self.words.HAS.search(self.text):
            self._read_left(clause)
        else:
            raise NotRead

    def _compared(self, parts: dict[str, str]) -> tuple[Linear, Linear]:
        self.act(parts)
        thing, other = self.thing(parts), parts.get("b", "")
        if "a" not in parts:
            name = self.subject
        elif "verb" not in parts and self.words.is_thing(parts["a"]):
            name = ("", self.words.thing_of(parts["a"]))
        else:
            name = self.name(parts["a"], thing)
        is_pronoun = [each.lower() in self.words.PRONOUNS for each in (parts.get("a", ""), other)]
        if is_pronoun == [True, False] and name[0] == self.name(other)[0]:
            name = self._another(name)
        left, own = self.quantity(name), self.words.thing_of(other)
        is_thing = (other and self.words.is_thing(other)) or own.split()[-1:] == thing.split()[-1:] != []
        if ((thing or not name[0]) and is_thing) or ("verb" not in parts and name[0] == ""):
            right = self.quantity((name[0], own))
        elif not other:
            right = self.quantity((self.subject[0], name[1] or self.subject[1]))
        elif other.lower() in self.words.PRONOUNS:
            spoken = self.object if self.object != name else self.subject
            others = [each for each in dict.fromkeys(self.everyone or self.told) if each[0] != name[0]]
            spoken = others[0] if spoken[0] in ("", name[0]) and len(others) == 1 else spoken
            right = self.quantity((spoken[0], name[1]))
        else:
            right = total_of(self.listed(other, name[1]))
        self.subject, self.object = name, self.names[-1]
        if left.terms == right.terms:
            raise NotRead
        return left, right

    def _another(self, name: tuple[str, str]) -> tuple[str, str]:
        """Return the only other one in the story: "her son is 7; she will be twice as old as her son"."""
        others = list(dict.fromkeys(each for each in self.told if each[0] not in ("", name[0])))
        return others[0] if len(others) == 1 else name

    def _sign(self, parts: dict[str, str]) -> Amount:
        return Amount.of(-1 if parts["more"].lower() in self.words.LESS else 1)

    def _read_more(self, clause: Clause) -> None:
        parts = clause.parts
        left, right = self._compared(parts)
        step = right.times(self.amount(parts["n"])) if self.is_share(parts["n"]) else self.added(parts)
        self.same(left, right + step.times(self._sign(parts)))

    def _read_times(self, clause: Clause) -> None:
        parts = clause.parts
        left, right = self._compared(parts)
        more = self.added(parts).times(self._sign(parts)) if "n" in parts else Linear()
        self.same(left, right.times(self.amount(parts["m"])) + more)

    def _read_sum(self, clause: Clause) -> None:
        parts = clause.parts
        self.act(parts)
        thing = self.thing(parts)
        if "things" in parts:
            owner = self.name(parts["a"])[0] if "a" in parts else ""
            things = map(self.words.thing_of, self.words.listed(parts["things"]))
            named = [self.quantity((owner, each)) for each in things]
        else:
            named = self.listed(parts.get("list", ""), thing)
        self.counted(parts.get("count", ""), named)
        if self.everyone and len(named) < 2:
            raise NotRead
        self.same(total_of(named), self.added(parts))

    def _read_sum_difference(self, clause: Clause) -> None:
        self._read_sum(clause)
        self._read_difference_of({"n": clause.parts["d"], "list": clause.parts["list"]})

    def _read_difference_of(self, parts: dict[str, str]) -> None:
        named = self.listed(parts.get("list", ""))
        if not self.everyone:
            return
        if len(named) != 2 or self.difference is not None:
            raise NotRead
        if set(self.everyone) == {ONE_OF_TWO, OTHER_OF_TWO}:
            self.same(named[0] - named[1], self.added(parts))
            self.may_change = True  # the other one may be larger
        else:
            self.difference = named[0] - named[1], self.added(parts)

    def _read_ratio(self, clause: Clause) -> None:
        parts = clause.parts
        numbers = self.amounts_in(parts["r"])
        names = (
            self.words.listed(parts["list"]) if "list" in parts else [parts[each] for each in "abc" if each in parts]
        )
        names = self.words.alike(names)
        if len(names) != len(numbers):
            raise NotRead
        self.used |= {count.tree.label for count in self.amounts_in(parts.get("count", ""))}
        part = Linear.unknown(("part", ""))
        for name, number in zip(names, numbers, strict=True):
            called = ("", self.words.thing_of(name)) if self.words.is_thing(name) else self.name(name)
            self.same(self.quantity(called), part.times(number))

    def _read_shared(self, clause: Clause) -> None:
        self._read_ratio(clause)
        parts = sum(self.amounts_in(clause.parts["r"]), ZERO)
        self.same(Linear.unknown(("part", "")).times(parts), self.added(clause.parts))
        self.is_shared = True

    def _read_count(self, clause: Clause) -> None:
        self.counted(clause.parts["count"], self.all_of())

    def _read_consecutive(self, clause: Clause) -> None:
        parts = clause.parts
        count = self.amount(parts["count"])
        if not 2 <= count.value <= _MOST_CONSECUTIVE:
            raise NotRead
        self.used.add(count.tree.label)
        names = [self.quantity((str(place), "")) for place in range(int(count.value))]
        for before, after in pairwise(names):
            self.same(after, before + Linear.known(2 if "step" in parts else 1))
        self.same(total_of(names), self.added(parts))

    def _read_born(self, clause: Clause) -> None:
        self.equations.append(self.quantity(self.name(clause.parts["a"])))

    # Parts of a whole and of the rest

    def _read_part(self, clause: Clause) -> None:
        parts, whole = clause.parts, clause.parts.get("w", "")
        self.last_done = self.words.action(parts.get("verb", ""))
        is_rest = self.words.REST.fullmatch(whole) is not None
        if number := NUMBER.search(whole):
            if self.whole is not None:
                raise NotRead
            self.whole = self.rest = Linear.known(self.amount(number[0]))
        if self.whole is None or self.rest is None:
            self.whole = self.rest = _UNTOLD
        named = self.words.content(whole)
        if not is_rest and not named <= self.whole_words | self.words.OF_WHOLE:
            if self.whole_words or self.shares:
                raise NotRead
            self.whole_words = named
        if "f" not in parts or not (whole or self.is_share(parts["f"])):  # 1/3 of it, but 1/3 of a metre
            part = self.added({"n": parts.get("f", ""), **parts})
            self.rest -= part
        elif self.is_share(parts["f"]) and self.amount(parts["f"]).value < 1:
            part = (self.rest if is_rest else self.whole).times(self.amount(parts["f"]))
            is_of_rest = is_rest or not self.shares
            self.rest = self.rest.times(ONE - self.amount(parts["f"])) if is_of_rest else self.rest - part
        else:
            raise NotRead
        self._share(part, parts)

    def _share(self, part: Linear, parts: dict[str, str]) -> None:
        words = self.words.content(parts.get("tail", "") + parts.get("name", ""))
        self.shares.append((self._named(part, f"share {len(self.shares)}"), words))

    def _named(self, part: Linear, name: str = "asked") -> Linear:
        self.same(Linear.unknown((name, "")), part)
        return Linear.unknown((name, ""))

    def _read_others(self, clause: Clause) -> None:
        if self.rest is None or not self.shares:
            raise NotRead
        self._share(self.rest, clause.parts)

    def _read_left(self, clause: Clause) -> None:
        if self.rest is None or not self.shares:
            raise NotRead
        if clause.asks:
            self.asked = [self._named(self.rest)]
        else:
            self.same(self.rest, self.added(clause.parts))

    def _read_whole(self, _clause: Clause) -> None:
        if self.whole is None or not self.shares:
            raise NotRead
        self.asked = [self._named(self.whole)]

    def _read_share_left(self, clause: Clause) -> None:
        if self.whole != _UNTOLD:
            raise NotRead
        self.same(_UNTOLD, Linear.known(ONE))
        self._read_left(clause)

    def _read_all_in(self, clause: Clause) -> None:
        is_whole = self.words.content(clause.parts["noun"]) <= self.whole_words | self.words.OF_WHOLE
        (self._read_whole if self.shares and self.whole == _UNTOLD and is_whole else self._read_one)(clause)

    def _read_part_asked(self, clause: Clause) -> None:
        """Read a question for one of the parts, by words that no other part has."""
        words, people = self.words.content(self.text), self.words.PEOPLE_PARTS
        asked = []
        for part, own in self.shares:
            others = frozenset[str]().union(*(its for each, its in self.shares if each is not part))
            is_named = own & words - others and words <= own | self.whole_words | self.words.OF_WHOLE
            asked += [part] if is_named else []
        is_boys = len(self.shares) == 1 and words & people and self.shares[0][1] & people  # the text gives the girls
        if len(asked) == 1:
            self.asked = asked
        elif self.whole == _UNTOLD and words <= self.whole_words | self.words.OF_WHOLE:
            self._read_whole(clause)
        elif is_boys or self.words.ASKS_REST.search(self.text):
            self._read_left(clause)
        else:
            raise NotRead

    # The number that computations apply to

    def _read_begin(self, _clause: Clause) -> None:
        self.number = Linear.unknown(NUMBER_SOUGHT)

    def _so_far(self) -> Linear:
        return self.number if self.number is not None else Linear.unknown(NUMBER_SOUGHT)

    def _read_add(self, clause: Clause) -> None:
        self.number = self._so_far() + self.added(clause.parts)

    def _read_subtract(self, clause: Clause) -> None:
        self.number = self._so_far() - self.added(clause.parts)

    def _read_multiply(self, clause: Clause) -> None:
        self.number = self._so_far().times(self.amount(clause.parts["n"]))

    def _read_divide(self, clause: Clause) -> None:
        self.number = self._so_far().times(ONE / self.amount(clause.parts["n"]))

    def _read_result(self, clause: Clause) -> None:
        if self.number is None:
            raise NotRead
        self.same(self.number, Linear.known(self.amount(clause.parts["n"])))

    def _read_phrase(self, clause: Clause) -> None:
        parts = clause.parts
        more = self.added(parts).times(self._sign(parts)) if "n" in parts else Linear()
        number = Linear.unknown(NUMBER_SOUGHT).times(self.amount(parts["m"]))
        self.same(number + more, Linear.known(self.amount(parts["s"])))

    # Questions

    def _read_number(self, clause: Clause) -> None:
        if self.number is None and self.shares:
            self._read_whole(clause)
        else:
            self.asked = [Linear.unknown(NUMBER_SOUGHT)]

    def _read_one(self, clause: Clause) -> None:
        parts = clause.parts
        if self.shares:
            owner = self.words.content(parts.get("a", ""))
            is_whole = bool(owner & self.whole_words) or self.words.PAST.search(self.text) is not None
            is_whole = is_whole and self.whole == _UNTOLD
            (self._read_whole if is_whole else self._read_part_asked)(clause)
            return
        thing = self.thing(parts)
        if "a" in parts and "verb" in parts and not (self.is_shared or self.is_done(parts["verb"])):
            raise NotRead
        if "a" not in parts or self.words.THERE.fullmatch(parts["a"]):
            name = ("", thing)
        elif self.words.EVERYONE.fullmatch(parts["a"]) or len(self.words.listed(parts["a"])) > 1:
            raise NotRead
        else:
            name = self.name(parts["a"], thing)
        if self.is_whole(self.kept.get(name, name), self.everyone):
            self.asked = self.all_of()
            return
        if self.everyone and self.kept.get(name, name) not in self.everyone:
            raise NotRead
        self.asked = [self.quantity(name, is_told=False)]

    def _read_difference(self, clause: Clause) -> None:
        parts = clause.parts
        if not clause.asks:
            self._read_difference_of(parts)
            return
        thing, name = self.thing(parts), self.name(parts["a"])
        if thing and self.words.is_thing(parts["b"]):
            names = [(name[0], thing), (name[0], self.words.thing_of(parts["b"]))]
        else:
            names = [self.name(parts[each], thing) for each in ("a", "b")]
        self.asked = [self.quantity(each, is_told=False) for each in names]
        if parts.get("more", "").lower() in self.words.LESS:
            self.asked.reverse()
        self.pick = "difference"

    def _read_total(self, clause: Clause) -> None:
        listed = clause.parts.get("list", "")
        listed = "" if self.words.THERE.fullmatch(listed) else listed
        self.asked = self.listed(listed, self.thing(clause.parts))
        self.counted(clause.parts.get("count", ""), self.asked)
        if self.everyone and len(self.asked) < 2:
            raise NotRead

    def _read_superlative(self, clause: Clause) -> None:
        found = (name for name, pattern in self.words.SUPERLATIVES if pattern.search(clause.parts["which"]))
        self.pick, self.asked = next(found, ""), self.all_of()
        if not self.pick:
            raise NotRead

    def _read_time(self, _clause: Clause) -> None:
        self.asked = [Linear.unknown((YEARS_LATER, "0"))]
