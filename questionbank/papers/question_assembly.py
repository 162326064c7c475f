"""Form questions from lines and their roles, and choose the roles that form the most coherent questions.

`assemble` accepts any roles, guessed or set by people: a line goes where its role puts it, whatever its text looks
like. `question_records` interprets a question's lines; `doubts` finds what is doubtful about it.

`guess_roles` reads a paper in every way that its lines allow and compares the questions, because which numbers belong
to questions, and where a list of answers is, often only becomes clear from the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby

from analytics.analysed_text import EACH_PART
from questionbank.formats.directions import directs
from questionbank.papers import phrases
from questionbank.papers.answer_alignment import BONUS_NUMBER
from questionbank.papers.answer_keys import KeyEntry, key_entries, pairs_named
from questionbank.papers.answer_lists import answer_lists, tables_of_answers
from questionbank.papers.doubts import (
    left_over,
    neighbour_doubts,
    paper_notices,
    with_lines_left,
    with_suspicions,
    with_unread_signs,
)
from questionbank.papers.line_roles import Count, read_roles
from questionbank.papers.marks import COUNTING_KINDS, read_mark, take_mark
from questionbank.papers.numbering import numbering, numbering_below_words
from questionbank.papers.paper_lines import Doubt, FoundQuestion, Line, Paper, Role, full_text
from questionbank.papers.points import POINTS_EACH, STATED_POINTS, points_of, stated_total
from questionbank.papers.question_answers import take_answers_behind
from questionbank.papers.question_drafts import Draft, Item, Stimulus
from questionbank.papers.question_records import found_question

Points = Mapping[int, tuple[float | None, ...]]
_Row = tuple[int, Line]  # row of a list of answers, with its place in the document
_Asked = tuple[int, Draft]  # a question with its index
_PICTURES = re.compile(r"(?:\s*!\[[^\]]*\]\([^)]*\))+\s*")
_NAMED_SECTION = r"\b(?:test|part|section|partie|teil|sección|parte|sezione)\s*[\s–—-]\s*([A-K]|\d{1,2}|[IVX]{1,4})\b"
_SECTION = re.compile(rf"\W*{_NAMED_SECTION}[\s.:：)–—-]*", re.IGNORECASE)
_POINTS_FOR = re.compile(rf"{_NAMED_SECTION}|{phrases.STIMULUS.pattern}", re.IGNORECASE)
_ROWS = re.compile(r"(?m)^[\W_]*(\d{1,2})(?=[.)\s|])")
_SENTENCES = re.compile(r"(?<=[.。;])\s+(?=[^\W\d_a-z])")
_BEGINS_ITEM = frozenset({Role.QUESTION, Role.PART, Role.OPTION, Role.RIGHT_OPTION})
NO_QUESTION = (
    "No question was found. Say below which line begins a question, or number the questions in the document and put it"
    " in again."
)


def assemble(
    lines: Sequence[Line], roles: Sequence[Role], settled: Set[int] = frozenset(), said: Points | None = None
) -> Paper:
    """Return the questions of a paper.

    Args:
        settled: lines with roles set by a person, which raise no more doubts.
        said: points set by a person, by the first line of the question.

    Raises:
        ValueError: If the numbers of roles and lines differ.
    """
    paper = gathered(lines, roles, settled, said)
    questions = tuple(with_suspicions([*with_unread_signs(paper.questions, lines, settled)], settled))
    return Paper(questions, (*paper.notices, *paper_notices(questions, stated_total(lines, roles))))


def gathered(
    lines: Sequence[Line], roles: Sequence[Role], settled: Set[int] = frozenset(), said: Points | None = None
) -> Paper:
    """Return the questions of a paper with rule-based doubts only; used to compare readings."""
    if len(lines) != len(roles):
        raise ValueError(f"{len(lines)} lines have {len(roles)} roles")
    drafts = _Assembly(lines, roles).drafts()
    notices = [notice for listed in _lists(roles) for notice in _add_list(listed, drafts, lines)]
    take_answers_behind(drafts)
    for draft in drafts:
        draft.settle(settled)
        for line in draft.lines:
            if lines[line].is_boxed and roles[line] is Role.MORE and line not in settled:
                draft.doubts.append(Doubt.of("boxed", text=lines[line].text[:60]))
        draft.points_said = next((said[line] for line in draft.lines if said and line in said), ())
    found = [found_question(draft) for draft in drafts]
    doubted = [*neighbour_doubts(found, drafts, names_answers=_names_answers(lines, roles, drafts))]
    questions = tuple(with_lines_left(doubted, lines, roles, settled))
    return Paper(questions, tuple(notices) if questions else (*notices, NO_QUESTION))


def _names_answers(lines: Sequence[Line], roles: Sequence[Role], drafts: Sequence[Draft]) -> bool:
    """Return whether a title, table or list announces answers to the questions but none was read from it."""
    titled = any(not line.text.endswith((".", "!", "?")) for line in _unread_titles(lines, roles))
    read = {line for draft in drafts if draft.key is not None for line in draft.key.lines}
    marks = [read_mark(line.number) for line in lines]
    listed = [*map(set, _lists(roles)), *tables_of_answers(lines, marks)]
    return titled or any(not read & {*places} for places in listed)


def _unread_titles(lines: Sequence[Line], roles: Sequence[Role]) -> list[Line]:
    """Return the titles of answer lists that are not read as such; the last line of a paper is no title."""
    pairs = zip(lines[:-1], roles, strict=False)
    return [line for line, role in pairs if role is not Role.KEY and phrases.KEY_TITLE.fullmatch(line.text)]


class _Assembly:
    """Goes through the lines and assigns each to the open question."""

    def __init__(self, lines: Sequence[Line], roles: Sequence[Role]) -> None:
        self._lines = lines
        self._roles = roles
        self._drafts: list[Draft] = []
        self._headings: list[tuple[int, str]] = []  # rank and text
        self._points_each: float | None = None  # for each question in the section
        self._points_usual: float | None = None  # for each question in sections that state nothing else
        self._points_of: list[tuple[int, int, float]] = []  # for a range of question numbers
        self._points_in: dict[str, float] = {}  # for each question in a section, by the section's name
        self._points_next: float | None = None  # for the next question
        self._stimuli: list[Stimulus] = []
        self._offering: list[Stimulus] = []  # shared texts with options for each of their questions
        self._open: Item | Stimulus | None = None  # receives continuation lines
        self._below = Item()  # lines that begin the next item

    def drafts(self) -> list[Draft]:
        for place, (line, role) in enumerate(zip(self._lines, self._roles, strict=True)):
            if role is Role.BELOW or (role is Role.MORE and self._open is self._below):
                self._open = self._below
                self._below.add(place, full_text(line))
                continue
            self._take(place, line, role)
            if role in _BEGINS_ITEM and self._below.lines and isinstance(self._open, Item) and self._drafts:
                self._put_below(self._open, 0)
        if self._below.lines and self._drafts:  # there is no next item
            last = self._drafts[-1]
            self._put_below(last.parts[-1] if last.parts else last.stem, len(self._lines))
        for stimulus in self._offering:
            takers = [draft for draft in self._drafts if stimulus in draft.stimuli]
            open_ones = [draft for draft in takers if not (draft.options or draft.parts)]
            for draft in open_ones or (takers or self._drafts)[-1:]:
                draft.options += stimulus.options
                draft.lines += [line for option in stimulus.options for line in option.lines]
        return self._drafts

    def _put_below(self, item: Item, at: int) -> None:
        """Insert the pending lines into an item's text at a position."""
        item.texts[at:at] = self._below.texts
        item.lines[at:at] = self._below.lines
        self._drafts[-1].lines += self._below.lines
        self._below = Item()

    def _take(self, place: int, line: Line, role: Role) -> None:
        draft = self._drafts[-1] if self._drafts else None
        if role is Role.KEY:
            return
        if role is Role.NOTHING:
            self._note_directions(line.text)
        elif role is Role.HEADING:
            self._head(line)
        elif role is Role.STIMULUS:
            self._share(place, line)
        elif role is Role.QUESTION:
            self._begin(place, line)
        elif role is Role.MORE:
            self._go_on(place, line, draft)
        elif role is Role.OPTION and isinstance(self._open, Stimulus) and Role.QUESTION in self._roles[place:]:
            self._open.options.append(Item([place], [line.text], line.number))
            self._offering = [*(one for one in self._offering if one is not self._open), self._open]
        elif draft is None:
            self._begin(place, line)  # an option before any question: reviewers see what is missing
            self._drafts[-1].is_headless = True
        else:
            draft.lines.append(place)
            self._open = draft.take(place, line, role)

    def _note_directions(self, text: str) -> None:
        """Record the points in a line outside questions; directions replace earlier ones."""
        self._give_points(text)
        if directs(text):
            self._stimuli = [one for one in self._stimuli if one.last or not directs(one.text)]
        if stated := STATED_POINTS.fullmatch(text):
            self._points_next = float(stated[1])

    def _share(self, place: int, line: Line) -> None:
        """Begin a shared text; it ends shared texts already used, unless they name their questions."""
        if directs(line.text):
            self._give_points(line.text)
        self._open = stimulus = Stimulus.of(place, line)
        used = {*(draft.stimuli[-1] for draft in self._drafts if draft.stimuli)}
        self._stimuli = [one for one in self._stimuli if one.last or one not in used or stimulus.last]
        self._stimuli.append(stimulus)

    def _go_on(self, place: int, line: Line, draft: Draft | None) -> None:
        """Add a line to the open item."""
        if draft is not None and _PICTURES.fullmatch(line.text) and draft.is_answer(self._open):
            self._open = draft.stem  # a picture below an answer that a teacher wrote in
        if self._open is not None:
            self._open.add(place, full_text(line))
            if isinstance(self._open, Item) and draft is not None:
                draft.lines.append(place)

    def _begin(self, place: int, line: Line) -> None:
        mark = read_mark(line.number)
        if mark.kind in ("word", "Roman"):
            # "Exercise 2" ends "Exercise 1: choose the right answer"
            above = [head for head in self._headings if read_mark(take_mark(head[1])[0]).kind != mark.kind]
            if len(above) < len(self._headings):
                self._stimuli = [stimulus for stimulus in self._stimuli if stimulus.last]
            self._headings = above
        headings = tuple(text for _, text in self._headings)
        draft = Draft(
            number=line.number, headings=headings, points_each=self._points_next or self._points_each, lines=[place]
        )
        self._points_next = None
        draft.stem.add(place, line.text)
        draft.value = mark.value if mark.kind in COUNTING_KINDS else 0
        if draft.points_each is None:
            ranges = (points for first, last, points in self._points_of if first <= draft.value <= last)
            draft.points_each = next(ranges, None)
        draft.series = mark.series
        if not mark and (bonus := phrases.BONUS.match(line.text.replace("*", ""))):
            draft.value, draft.number = BONUS_NUMBER, bonus[0].strip(" .:：")
            draft.stem.texts[-1] = line.text.replace("*", "")[bonus.end() :]
        if mark.answer:
            draft.answers.append(Item([place], [mark.answer]))
        for stimulus in self._stimuli:
            has_own_order = directs(stimulus.text) and phrases.ORDER_TO_EACH.match(line.text)
            if stimulus.is_for(draft.value, line.number) and not has_own_order:
                draft.stimuli.append(stimulus)
        self._drafts.append(draft)
        self._open = draft.stem

    def _give_points(self, text: str) -> None:
        """Record the points that a line gives for each question below it, or for those that it names."""
        for sentence in _SENTENCES.split(text):
            self._note_points(sentence)
        if not self._headings and not self._drafts:
            self._points_usual = self._points_each

    def _note_points(self, text: str) -> None:
        named = [*_POINTS_FOR.finditer(text)]
        ends = [*(match.start() for match in named[1:]), len(text)]
        for match, end in zip(named, ends, strict=False):
            points = POINTS_EACH.search(text, 0 if len(named) == 1 else match.start(), end)
            first, last = match["first"] or match["zh_first"], match["last"] or match["zh_last"]
            if points and last:
                self._points_of.insert(0, (int(first), int(last), _each(points)))
            elif points:
                self._points_in[match[1].upper()] = _each(points)
        is_here = not named or (len(named) == 1 and _SECTION.match(text))
        if is_here and (points := POINTS_EACH.search(text)):
            self._points_each = _each(points)

    def _head(self, line: Line) -> None:
        rank = line.heading or 7
        self._headings = [(above, text) for above, text in self._headings if above < rank]
        self._headings.append((rank, full_text(line)))
        self._points_each = self._points_in.get(_section(line.text)[0], self._points_usual)
        self._give_points(line.text)
        self._stimuli = [stimulus for stimulus in self._stimuli if stimulus.last]
        self._open = None


def _each(match: re.Match[str]) -> float:
    return points_of(next(filter(None, match.groups())))


def _lists(roles: Sequence[Role]) -> Iterator[list[int]]:
    """Yield the lines of each list of answers."""
    for is_key, group in groupby(range(len(roles)), lambda place: roles[place] is Role.KEY):
        if is_key:
            yield [*group]


def _add_list(listed: Sequence[int], drafts: Sequence[Draft], lines: Sequence[Line]) -> Iterator[str]:
    """Assign the entries of a list of answers to questions; yield notices about unmatched entries."""
    above = [(place, draft) for place, draft in enumerate(drafts) if draft.lines and draft.lines[0] < listed[0]]
    if 0 < len(above) < len(drafts):  # the list of one section, with questions below it
        above = [(place, draft) for place, draft in above if draft.headings == above[-1][1].headings]
    asked = above or [*enumerate(drafts)]
    for rows, of_section in _by_sections([(place, lines[place]) for place in listed], asked):
        yield from _add_rows(rows, of_section, is_only=len(of_section) == 1 < len(asked))


def _by_sections(rows: Sequence[_Row], asked: Sequence[_Asked]) -> Iterator[tuple[Sequence[_Row], Sequence[_Asked]]]:
    """Yield each section's rows and questions, if rows name sections: "Exercise 2: 1. B", "Test I. 1. B".

    Rows for a section without questions are yielded with no questions, so that they do not answer another section's.
    """
    sections: dict[str, list[_Asked]] = {}
    for place, draft in asked:
        name = str(draft.value) if draft.series == "word" else _section("".join(draft.headings[-1:]))[0]
        if name:
            sections.setdefault(name, []).append((place, draft))
    said = [_section(full_text(line)) for _, line in rows]
    starts = [at for at, (name, _) in enumerate(said) if name in sections or name.isalpha()]
    named = [said[at][0] for at in starts]
    is_named = len(sections) > 1 and len({*named}) == len(named) > 1 and 2 * len(named) >= len(sections)
    if not is_named or not any(_section("".join(draft.headings[-1:]))[0] for _, draft in asked):
        yield rows, asked
        return
    for start, end, name in zip(starts, [*starts[1:], len(rows)], named, strict=True):
        place, line = rows[start]
        first = (place, replace(line, number="", text=said[start][1]))
        yield [first, *rows[start + 1 : end]], sections.get(name, [])


def _section(text: str) -> tuple[str, str]:
    """Split the name of a section off a text ("Exercise 2", "Part IV"); return name and rest."""
    number, rest = take_mark(text)
    mark = read_mark(number)
    if mark.kind == "word":
        return str(mark.value), rest
    match = _SECTION.match(text)
    return (match[1].upper(), text[match.end() :]) if match else ("", text)


def _add_rows(rows: Sequence[_Row], asked: Sequence[_Asked], *, is_only: bool) -> Iterator[str]:
    """Assign rows of a list of answers to questions; yield notices about unmatched rows.

    Args:
        is_only: whether the section has a single question, which the rows need not name.
    """
    slots = [slot for place, draft in asked for slot in _slots(place, draft)]
    drafts = dict(asked)
    found = key_entries(rows, [number for _, number, _ in slots], [name for _, _, name in slots])
    if is_only and all(entry.slot < 0 for entry in found):
        text = " ".join(full_text(line) for _, line in rows)
        slots = [(asked[0][0], 1, "")]
        found = [KeyEntry(1, [place for place, _ in rows], text, slot=0, raw=[text])]
    for entry in found:
        if entry.slot < 0:
            yield (
                f"The list of answers names question {entry.number}, but the document has no question with this number."
            )
            continue
        draft = drafts[slots[entry.slot][0]]
        draft.lines += [line for line in entry.lines if line not in draft.lines]
        if draft.is_matching:
            entry.answer = pairs_named(entry)
            entry.parts = {}
            if draft.key is not None:
                entry.answer = f"{draft.key.answer}, {entry.answer}"
        draft.key = entry
        if entry.others:
            said = ", ".join(dict.fromkeys([entry.answer, *entry.others]))
            draft.doubts.append(Doubt.of("answer_twice", number=entry.number, answers=said))


def _slots(place: int, draft: Draft) -> Iterator[tuple[int, int, str]]:
    """Yield the numbers by which a list of answers may refer to a question: its own, and those of its rows to match."""
    if draft.value or not draft.is_matching:
        yield place, draft.value or place + 1, draft.number
    if draft.is_matching and draft.value <= 1:
        rows = [int(number) for number in _ROWS.findall(draft.stem.text)]
        counts_on = rows == [*range(min(rows, default=0), max(rows, default=0) + 1)]  # 11 to 15 below question 10
        for row in rows if counts_on else range(draft.value + 1, len(rows) + 1):
            if row != draft.value:
                yield place, row, ""


# -- the most coherent roles -------------------------------------------------------------------------------------------


_MARGIN = 0.3  # minimum advantage over a simpler reading


@dataclass(frozen=True, slots=True)
class Reading:
    """The roles of a paper's lines, the rules that decided them, and the coherence of the resulting questions."""

    roles: list[Role]
    rules: list[str]
    coherence: float


def guess_roles(lines: Sequence[Line]) -> list[Role]:
    """Guess the role of each line."""
    return read_lines(lines).roles


def read_lines(lines: Sequence[Line]) -> Reading:
    """Return the most coherent reading of a paper."""
    marks = [read_mark(line.number) for line in lines]
    lists = [*answer_lists(lines, marks)]
    best = _with_lists(lines, lists, numbering)
    if numbering_below_words(lines, marks).headings:
        other = _with_lists(lines, lists, numbering_below_words)
        best = other if other.coherence > best.coherence + _MARGIN else best
    return best


def _with_lists(lines: Sequence[Line], lists: Sequence[Sequence[frozenset[int]]], count: Count) -> Reading:
    """Return a reading that uses each list of answers, to its best extent, if that is more coherent than without it."""
    key: frozenset[int] = frozenset()
    best = _read(lines, key, count)
    for candidates in lists:
        with_list = key
        for candidate in candidates:
            extended = candidate if candidate & key else key | candidate
            reading = _read(lines, extended, count)
            if reading.coherence > best.coherence + _MARGIN:
                best, with_list = reading, extended
        key = with_list
    return best


def _read(lines: Sequence[Line], key: frozenset[int], count: Count) -> Reading:
    roles, rules = read_roles(lines, key, count)
    return Reading(roles, rules, coherence(lines, roles, gathered(lines, roles)))


def _lacks_answer(question: FoundQuestion) -> bool:
    """Return whether an answer is missing without a doubt about it, as in a paper without answers."""
    record = question.record
    return (
        bool(record.options or record.kind in ("true_false", "matching"))
        and not (record.answer or record.solution or record.content.accepted)
        and all(doubt.code != "unanswered" for doubt in question.doubts)
    )


def coherence(lines: Sequence[Line], roles: Sequence[Role], paper: Paper) -> float:
    """Return how coherent the questions of a paper are.

    A question counts 1 without doubts, and 0.5 more with an answer; doubts, answers without a question and unused lines
    lower the score.
    """
    found = 0.0
    used: set[int] = set()
    for question in paper.questions:
        record = question.record
        used |= {*question.lines}
        answered = record.answer or record.solution or any(part.answer for part in record.content.parts)
        found += bool(answered) or record.text != EACH_PART  # parts that ask nothing may be a list of answers
        found += 0.5 * bool(answered) - 0.6 * min(len(question.doubts) + _lacks_answer(question), 2)
    unread = len(_unread_titles(lines, roles))
    return found - 1.5 * unread - 0.5 * len(paper.notices) - 0.2 * len(left_over(lines, roles, used))
