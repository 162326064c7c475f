"""Problems told in several ways, with switches that change what is asked: pairs whose wording gives no label away.

A scene (``scenes_*.txt``) is a list of lines that all tell the same problem. In a line ``{a|b}`` are words that say the
same; ``{name:a|b}`` is a switch: its values say different things, the switch of a name has one value in all lines of a
telling. ``{A}`` is a person, ``{n}`` a number (``{n:2-9}`` from 2 to 9), ``{p}`` per cent, ``{X}`` things, ``{L} {W}
{T} {M} {V} {H}`` a length, weight, duration, price, volume and clock time, each written in one of its forms;
``{he}`` and ``{his}`` stand for ``{A}``. `` // `` parts sentences: those before the last may change places.

Two tellings of one meaning are a valid pair; where one switch, number or statement differs, an invalid one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from analytics.paraphrase.pairs.slots import QUANTITIES, Values, draw_values

_FOLDER = Path(__file__).parent
_SLOT = re.compile(r"(?:[A-Z]'?|[a-z]|[A-Z]2|[A-Z]3|he|his|him|him_B)(?::\d+-\d+)?")
_SWITCH = re.compile(r"([a-z]+\d?):")
_TOPICS = frozenset(
    str.split(
        "train bu car van ship boat lift tram coat bike lamp phone camera bag ticket cake book game scarf"
        " meal film concert lesson match town village city port shop library pool bakery gym museum milk math"
        " fish ches football sport french spanish piano violin flute yard theatre school work tree chair"
        " cookie egg roll cup dog suitcase sugar rice flour rope ribbon cable garden field fence room pen"
        " shirt pie table box parcel cat duck red goose geese hen bird two three noon midnight evening morning"
        " nut grape sweet cousin sister brother triangle rectangle watch clock mark point score tank circle"
        " new thick thin old class club choir recipe ball boy girl animal people trader dealer children player"
        " krone peso tin can cake soup lunch dinner gardener waiter cook guard yellow blue green puppy kitten"
        " cheese visitor customer cylinder cone win pas"
    )
)
"""Words, without a plural's s, that a story may be about: both texts of a pair have the same one."""
_BRACED = ("\\frac", "^", "_", "\\sqrt")


@dataclass(frozen=True, slots=True)
class Literal:
    """Words as they stand."""

    text: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a name, a number, things or a quantity."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives; those of a named switch say different things."""

    switch: str
    values: tuple[tuple[Node, ...], ...]


Node = Literal | Slot | Choice


@dataclass(frozen=True)
class Scene:
    """A problem: all its tellings, and the number of values of each switch."""

    name: str
    lines: tuple[tuple[tuple[Node, ...], ...], ...]
    switches: Mapping[str, int]
    ranges: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Telling:
    """A text, and what of it came from which switch or slot.

    Attributes:
        spans: (start, end, name of the switch or slot), innermost last.
        used: the switches that were told.
    """

    text: str
    spans: tuple[tuple[int, int, str], ...]
    used: frozenset[str]


@lru_cache(maxsize=1)
def scenes() -> tuple[Scene, ...]:
    """Return all scenes, read once."""
    return tuple(
        scene
        for path in sorted(_FOLDER.glob("scenes_*.txt"))
        for scene in _read(path.read_text(encoding="utf-8"))
    )


def _read(body: str) -> Iterator[Scene]:
    for block in re.split(r"^@ ", body, flags=re.MULTILINE)[1:]:
        name, *rows = [row for row in block.splitlines() if row.strip()]
        switches: dict[str, int] = {}
        ranges: dict[str, tuple[int, int]] = {}
        lines = tuple(tuple(_parse(part, switches, ranges) for part in row.split(" // ")) for row in rows)
        yield Scene(name, lines, switches, ranges)


def _parse(text: str, switches: dict[str, int], ranges: dict[str, tuple[int, int]]) -> tuple[Node, ...]:
    nodes: list[Node] = []
    at = 0
    while at < len(text):
        start = text.find("{", at)
        if start < 0:
            nodes.append(Literal(text[at:]))
            break
        if start > at:
            nodes.append(Literal(text[at:start]))
        end = _closing(text, start)
        inner = text[start + 1 : end]
        if _SLOT.fullmatch(inner):
            slot, _, bounds = inner.partition(":")
            if bounds:
                low, high = bounds.split("-")
                ranges[slot] = (int(low), int(high))
            node: Node = Slot(slot)
        else:
            switch = _SWITCH.match(inner)
            body = inner[switch.end() :] if switch else inner
            values = tuple(_parse(part, switches, ranges) for part in _alternatives(body))
            name = switch[1] if switch else ""
            if name:
                switches[name] = max(switches.get(name, 0), len(values))
            node = Choice(name, values)
        if text[:start].endswith(_BRACED) or re.search(r"\\frac\{[^{}]*\}$", text[:start]):
            nodes += [Literal("{"), node, Literal("}")]
        else:
            nodes.append(node)
        at = end + 1
    return tuple(nodes)


def _topic(value: tuple[Node, ...]) -> str:
    """Return the thing that a story may be about if the words name one; else nothing."""
    if len(value) != 1 or not isinstance(value[0], Literal):
        return ""
    word = value[0].text.lower().removesuffix("s")
    return word if word in _TOPICS else ""


def _closing(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    raise ValueError(f"no closing brace in {text!r}")


def _alternatives(text: str) -> list[str]:
    parts, depth = [""], 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


@dataclass
class _Writer:
    state: Mapping[str, int]
    values: Values
    rng: random.Random
    parts: list[str] = field(default_factory=list)
    length: int = 0
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    in_formula: bool = False

    def write(self, nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            start = self.length
            if isinstance(node, Literal):
                self._add(node.text)
                self.in_formula ^= node.text.count("$") % 2 == 1
            elif isinstance(node, Slot):
                self._add(self.values.written(node.name, self.rng, in_words=not self.in_formula))
                self.spans.append((start, self.length, node.name))
            elif node.switch:
                self.used.add(node.switch)
                self.write(node.values[min(self.state.get(node.switch, 0), len(node.values) - 1)])
                self.spans.append((start, self.length, node.switch))
            else:
                self.write(node.values[self._alternative(node)])

    def _alternative(self, choice: Choice) -> int:
        """Return which words are used: of things that a story may be about, the same in both texts of a pair."""
        words = [_topic(value) for value in choice.values]
        if all(words):
            return min(range(len(words)), key=lambda at: self.values.topic_rank(words[at]))
        return self.rng.randrange(len(choice.values))

    def _add(self, text: str) -> None:
        if text and self.parts and self.parts[-1].endswith(" "):  # an empty alternative left a blank
            if text[0] == " ":
                text = text[1:]
            elif text[0] in ".,;?!":
                self.parts[-1] = self.parts[-1][:-1]
                self.length -= 1
        if text:
            self.parts.append(text)
            self.length += len(text)


def tell(
    scene: Scene,
    line: int,
    state: Mapping[str, int],
    values: Values,
    rng: random.Random,
    *,
    without: int | None = None,
) -> Telling:
    """Return one telling of a scene.

    Args:
        line: which of its lines.
        state: value of each switch, 0 where it is not named.
        values: what stands in the slots.
        without: a sentence, by its number in the line, that is left out.
    """
    sentences = list(enumerate(scene.lines[line]))
    *facts, question = sentences
    if len(facts) > 1 and rng.random() < 0.5:
        rng.shuffle(facts)
    if without is not None:
        facts = [fact for fact in facts if fact[0] != without]
    writer = _Writer(state, values, rng)
    for at, (_, nodes) in enumerate((*facts, question)):
        if at:
            writer._add(" ")
        start = writer.length
        writer.write(nodes)
        sentence = "".join(writer.parts)[start:]
        if sentence[:1].islower() and not sentence.startswith("$"):
            writer.parts = ["".join(writer.parts)[:start], sentence[0].upper() + sentence[1:]]
    return Telling("".join(writer.parts), tuple(writer.spans), frozenset(writer.used))


def drawn_values(scene: Scene, rng: random.Random) -> Values:
    """Return what stands in the slots of a scene."""
    return draw_values(scene.ranges, rng)


def with_other_value(values: Values, slot: str, rng: random.Random) -> Values:
    """Return the values with another number or quantity in one slot."""
    if slot[0] in QUANTITIES:
        return values.with_other_quantity(slot, rng)
    other = rng.choice(
        [
            number
            for number in (values.numbers[slot] + step for step in (-3, -2, -1, 1, 2, 3, 10, 20))
            if number > 1
        ]
    )
    return replace(values, numbers={**values.numbers, slot: other})
