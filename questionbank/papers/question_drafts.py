"""A question while its lines are collected: its stem, options, parts, answers and solution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from questionbank.papers import phrases
from questionbank.papers.answer_keys import KeyEntry
from questionbank.papers.answer_texts import answer_text, by_parts, in_order
from questionbank.papers.marks import begins_part, take_mark
from questionbank.papers.paper_lines import Doubt, Line, Role
from questionbank.papers.points import BARE_POINTS, FOR_EACH, POINTS, without_points


@dataclass(slots=True, eq=False)
class Item:
    """Lines that belong together.

    Attributes:
        number: the number before it.
        is_right: whether it is a correct option.
        is_settled: whether a person has set the role of one of its lines, which then raises no doubts.
    """

    lines: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    number: str = ""
    is_right: bool = False
    is_settled: bool = False

    def add(self, place: int, text: str) -> None:
        """Add a line."""
        self.lines.append(place)
        self.texts.append(text)

    @property
    def text(self) -> str:
        """The texts of its lines, joined by newlines."""
        return "\n".join(text for text in self.texts if text).strip()


@dataclass(slots=True, eq=False)
class Stimulus(Item):
    """Text that several questions share; without numbers, all questions up to the next heading share it.

    Attributes:
        options: options listed below it for each of its questions (assertion and reason).
    """

    first: int = 0
    last: int = 0
    options: list[Item] = field(default_factory=list)

    @classmethod
    def of(cls, place: int, line: Line) -> Stimulus:
        """Return the shared text that begins with a line, for the questions that it names or those below its number."""
        text = line.text
        match = phrases.STIMULUS.search(text)
        if match is None:
            return cls([place], [text], line.number.strip(" .()"))
        first, last = match["first"] or match["zh_first"], match["last"] or match["zh_last"]
        return cls([place], [text], first=int(first), last=int(last))

    def is_for(self, number: int, label: str) -> bool:
        """Return whether a question shares this text."""
        if "." in self.number and not label.startswith(f"{self.number}."):
            return False
        return not self.last or self.first <= number <= self.last


@dataclass(slots=True, eq=False)
class Part(Item):
    """A part of a question, with options and answers of its own."""

    options: list[Item] = field(default_factory=list)
    answers: list[Item] = field(default_factory=list)
    points: float | None = None


@dataclass(slots=True, eq=False)
class Draft:
    """A question whose lines are being collected.

    Attributes:
        number: number as printed; `value`: its integer value, 0 if it has none; `series`: the series it belongs to.
        lines: all of its lines; `is_headless`: it has no question line of its own.
        points_each: the points its section gives for each question; `total`: the points it gives itself.
        points_said: points set by a person, for the question and then for each part; empty if none were set.
        key: its entry in the list of answers.
    """

    number: str
    headings: tuple[str, ...]
    points_each: float | None
    lines: list[int]
    value: int = 0
    series: str = ""
    is_headless: bool = False
    stem: Item = field(default_factory=Item)
    options: list[Item] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    answers: list[Item] = field(default_factory=list)
    solutions: list[Item] = field(default_factory=list)
    stimuli: list[Stimulus] = field(default_factory=list)
    key: KeyEntry | None = None
    total: float | None = None
    points_said: tuple[float | None, ...] = ()
    doubts: list[Doubt] = field(default_factory=list)

    @property
    def is_matching(self) -> bool:
        """Whether the question, or the heading above it, asks to match items."""
        asked = "\n".join([self.stem.text, *self.headings[-1:]])
        return not self.options and not self.parts and phrases.MATCHING.search(asked) is not None

    def is_answer(self, item: Item | None) -> bool:
        """Return whether an item is an answer of the question or of a part."""
        return item in [*self.answers, *(answer for part in self.parts for answer in part.answers)]

    @property
    def items(self) -> Iterator[Item]:
        """All its items: stem, options, answers, solutions and parts."""
        yield from (self.stem, *self.options, *self.answers, *self.solutions)
        for part in self.parts:
            yield from (part, *part.options, *part.answers)

    def settle(self, settled: Set[int]) -> None:
        """Mark the items with a line whose role a person has set."""
        for item in self.items:
            item.is_settled = not settled.isdisjoint(item.lines)

    def share_answers(self) -> None:
        """Move answers that follow the last part but cover all parts: "Answers: (a) 5 (b) 6", "Answers: 5; 6"."""
        labels = [part.number for part in self.parts]
        is_only = not any(part.answers for part in self.parts[:-1])
        for part in self.parts:
            for item in [*part.answers]:
                text = answer_text(item.text)
                if len(by_parts(text)) > 1 or (is_only and in_order(labels, text)):
                    part.answers.remove(item)
                    self.answers.append(item)

    def take(self, place: int, line: Line, role: Role) -> Item:
        """Add a line; return the item that continuation lines are added to."""
        holder: Draft | Part = self.parts[-1] if self.parts else self
        if role is Role.PART:
            part = Part([place], [line.text], line.number)
            self.parts.append(part)
            return part
        is_number = not line.text and line.number.isdigit()  # "54": an unmarked option
        number, text = ("", line.number) if is_number else (line.number, line.text)
        item = Item([place], [text], number, is_right=role is Role.RIGHT_OPTION)
        if role in (Role.OPTION, Role.RIGHT_OPTION):
            holder.options.append(item)
        elif role is Role.ANSWER:
            item.texts = [f"{line.number} {line.text}".strip()]
            item.number = ""
            holder.answers.append(item)
        else:
            item.texts = [f"{line.number} {line.text}".strip()]
            item.number = holder.number if isinstance(holder, Part) else ""
            self.solutions.append(item)
        return item


def _ends_with_points(item: Item, options: Sequence[Item]) -> bool:
    """Return whether only the last option ends with a number in brackets: the question's points."""
    return item is options[-1] and [bool(BARE_POINTS.search(option.text)) for option in options].count(True) == 1


def _without_answer_space(text: str) -> str:
    """Return a text without the answer space that came before its points: "Find x. ........ [2]"."""
    if phrases.is_answer_space(text):
        return ""
    space = phrases.BLANK_BEHIND.search(text)
    return text[: space.start() + 1] if space else text


def take_points(draft: Draft) -> float | None:
    """Remove the points from a question's texts; return the points of the whole question."""
    gives_each = bool(draft.parts) and any(map(FOR_EACH.search, draft.stem.texts))
    total = _take_from_stem(draft)
    if gives_each:
        for part in draft.parts:
            part.points = total
        total = None
    of_all = _take_from_parts(draft.parts)
    return _take_said(draft) if draft.points_said else total if of_all is None else of_all


def _take_from_stem(draft: Draft) -> float | None:
    """Remove the points from a question's stem and options; return the last total, or else the last points."""
    total: float | None = None
    options = [*draft.options, *(option for part in draft.parts for option in part.options)]
    for item in (draft.stem, *options):
        is_option = item in options and not _ends_with_points(item, options)  # otherwise "(2)" is an option
        for _place, found, is_total in _taken(item, is_option=is_option):
            total = found if is_total or total is None else total
    return total


def _take_from_parts(parts: Sequence[Part]) -> float | None:
    """Remove the points from a question's parts and assign them; return the points that a part gives for all parts."""
    of_all: float | None = None
    bare_points = len(parts) > 1 and all(
        BARE_POINTS.search(part.texts[-1]) or POINTS.search(part.texts[-1]) for part in parts
    )
    for part in parts:
        first = 0 if begins_part(part.texts[0]) else 1  # "(a) (i) Find x. (1)": the points of a nested part
        taken = [*_taken(part, bare_points=bare_points)]
        of_all = next((found for _place, found, is_total in taken if is_total), of_all)
        given = [found for place, found, is_total in taken if place >= first and not is_total]
        own = [found for place, found, is_total in taken if place < first and not is_total]
        if own or given:
            part.points = own[0] if own and own[0] == sum(given) else sum(own) + sum(given)
    return of_all


def _take_said(draft: Draft) -> float | None:
    """Assign the points set by a person to a question's parts; return those of the whole question."""
    draft.points_each = None
    total, *of_parts = draft.points_said
    if len(of_parts) == len(draft.parts):
        for part, said in zip(draft.parts, of_parts, strict=True):
            part.points = said
    return total


def _taken(item: Item, *, is_option: bool = False, bare_points: bool = False) -> Iterator[tuple[int, float, bool]]:
    """Remove the points from an item's lines; yield them with their line and whether they are a total."""
    for place, text in enumerate(item.texts):
        if place == 0 and is_option and not POINTS.search(text):
            continue
        number, body = take_mark(text) if place else ("", text)  # number of a nested part
        if not body:
            number, body = "", text
        rest, found, is_total = without_points(body, may_begin=place == 0 or bool(number), bare_points=bare_points)
        if found is not None:
            item.texts[place] = f"{number} {_without_answer_space(rest)}".strip()
            yield place, found, is_total
