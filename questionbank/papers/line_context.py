"""The context of a line, from which its role is guessed, and the rules and formulas above a paper's questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from questionbank.formats.directions import administers, directs
from questionbank.papers import phrases
from questionbank.papers.answer_texts import chosen_letter
from questionbank.papers.marks import COUNTING_KINDS, NO_MARK, Mark
from questionbank.papers.numbering import Numbering, Run
from questionbank.papers.paper_lines import Line, Role, full_text, row_cells
from questionbank.papers.points import POINTS, POINTS_ALONE, without_points
from questionbank.papers.tasks import asks, is_given, truth_of

_FIRST_WORDS = 40
_FEWEST_OPTIONS = 3
_LONGEST_LETTER = 5  # characters of "**B**"
LONG_HEADING = 70
_LONGEST_VALUE = 40  # characters of the answer below "Answer:"


@dataclass(slots=True)
class Surroundings:
    """The roles of the lines so far, and the runs of items (options or parts) that are not yet classified."""

    lines: Sequence[Line]
    marks: Sequence[Mark]
    numbering: Numbering
    roles: list[Role] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)  # names of the rules that decided the roles
    runs: list[Run] = field(default_factory=list)
    open_runs: list[Run] = field(default_factory=list)  # of the open question
    key: dict[int, float] = field(
        default_factory=dict
    )  # by a question's line: whether its answer is a letter, or its parts have answers
    question: int = -1  # line where the open question begins
    heading: str = ""  # the last one
    heading_at: int = -1
    headings: dict[int, str] = field(default_factory=dict)  # by a question's line
    awaits_answers: bool = False  # "Type: F" precedes the next question
    has_typed_answers: bool = False
    matches: frozenset[int] = frozenset()  # lines that ask to match the rows below
    is_matching: bool = False  # its numbered lines belong together, and are neither options nor parts
    state: str = "outside"  # or stem, item, answer, solution, stimulus, heading

    def _announces(self, place: int, text: str) -> bool:
        """Return whether a line begins with the numbers of the questions that follow: "For questions 4 and 5: ..."."""
        match = phrases.STIMULUS.search(text)
        if match is None or match.start() > _FIRST_WORDS or self.lines[place].is_joined:
            return False
        following = self.numbering.next_question(place + 1)
        mark = self.marks[following] if following >= 0 else NO_MARK
        return bool(mark) and str(mark.value) == (match["first"] or match["zh_first"])

    def _directs(self, place: int, text: str) -> bool:
        """Return whether a line gives instructions for the questions that follow: "Simplify each expression."."""
        if self.lines[place].is_joined or not directs(text):
            return False
        ahead = range(place + 1, min(place + 4, len(self.lines)))
        following = next((at for at in ahead if self.marks[at]), -1)
        return self.numbering.is_question(following)

    def _asks_truth(self, place: int, text: str) -> bool:
        """Return whether a line announces true-or-false statements: "Circle T for true or F for false."."""
        is_short = len(text) < LONG_HEADING and not self.lines[place].is_joined
        return is_short and self.numbering.is_question(place + 1) and phrases.TRUTH_SECTION.search(text) is not None

    def _is_shared(self, place: int) -> bool:
        """Return whether a line between "Exercise 3" and its first question, 1 or 3.1, states what is given."""
        if self.state != "heading":
            return False
        if self.heading_at in self.numbering.headings and is_given(self.lines[place].text):
            return True
        number = self.marks[self.heading_at]
        following = self.numbering.next_question(place)
        mark = self.marks[following] if following >= 0 else NO_MARK
        return (
            not administers(self.lines[place].text)
            and number.kind == "word"
            and mark.kind == "levels"
            and mark.label.startswith(f"{number.label}.")
        )

    def _repeats_part(self, place: int) -> bool:
        """Return whether a line after an answer or a solution repeats the mark of a part, so is that part's answer."""
        mark = self.marks[place]
        return (
            self.state in ("answer", "solution")
            and mark.kind in ("lower", "roman", "digits")
            and any(
                len(run.places) > 1
                and (
                    (counted_by(run) == mark.kind and mark.value <= run.value)
                    or (run.series.startswith("roman") and 0 < mark.roman <= run.value)
                )
                for run in self.open_runs
            )
        )

    def _answers_part(self, mark: Mark) -> bool:
        """Return whether a part's mark is repeated after it, or the first part's mark after the last part."""
        run = self.open_runs[-1] if self.open_runs else None
        if run is None or mark.kind not in ("lower", "roman", "digits") or mark.kind != counted_by(run):
            return False
        return mark.value == run.value or (mark.value == 1 < len(run.places))

    def _is_written_in(self, place: int) -> bool:
        """Return whether a highlighted line is the answer that a teacher wrote below a question."""
        line, mark = self.lines[place], self.marks[place]
        question = self.lines[self.question]
        has_options = self.open_runs and self.open_runs[-1].series.startswith(("upper", "box", "bullet"))
        if (
            self.state not in ("stem", "item")
            or has_options
            or question.is_marked
            or question.heading
            or not may_be_written(line, mark, ends_part=self.state == "item")
        ):
            return False
        if line.is_joined:
            return True
        following = place + 1
        while following < len(self.lines) and self.lines[following].text.startswith("![") and not self.marks[following]:
            following += 1
        return (
            following >= len(self.lines)
            or self.numbering.is_question(following)
            or (self.state == "item" and bool(self.marks[following]))
        )

    def _names_option(self, line: Line) -> bool:
        """Return whether a line below options is the letter of one of them, or names the right one."""
        run = self.open_runs[-1] if self.open_runs else None
        if run is None or len(run.places) < _FEWEST_OPTIONS or run.series[:5] not in ("upper", "lower"):
            return False
        said = full_text(line)
        letter = said.strip("*_<>()[] .") if len(said) <= _LONGEST_LETTER else chosen_letter(line.text)
        is_letter = len(letter) == 1 and 0 <= ord(letter.upper()) - ord("A") < run.value
        return is_letter and len(said) < _FIRST_WORDS and not (line.number and line.text)

    def _answer_follows(self, place: int) -> bool:
        """Return whether the text below "Answer:" is the answer, or the answers of the parts."""
        if self._parts_follow(place):
            return True
        is_last = place >= len(self.lines) or self.numbering.is_question(place)
        return not is_last and (self.lines[place].is_joined or is_short_value(self.lines[place], self.marks[place]))

    def _parts_follow(self, place: int) -> bool:
        """Return whether a line begins with the mark of a first part, of parts that already exist."""
        mark = self.marks[place] if place < len(self.marks) else NO_MARK
        return (
            mark.value == 1
            and not self.numbering.is_question(place)
            and any(counted_by(run) == mark.kind and len(run.places) > 1 for run in self.open_runs)
        )

    def _heads(self, place: int, mark: Mark) -> bool:
        """Return whether a line such as "II. Geometry" or "B. True or false" is above a question."""
        following = place + 1
        while following < len(self.lines) and following < place + 3 and not self.marks[following]:
            following += 1
        is_item = not mark.roman and (
            self.lines[place].is_joined
            or any(run.continues(mark.series, mark.value) for run in self.open_runs)
            or (mark.value == 1 and self.state == "stem")
        )
        text = self.lines[place].text
        is_name = 0 < len(text) < LONG_HEADING and "![" not in text
        return is_name and not is_item and self.numbering.is_question(following)

    def _heads_numbered(self, place: int) -> bool:
        """Return whether a numbered question follows a line, with nothing between but notes that ask nothing."""
        ahead = range(place + 1, min(place + 3, len(self.lines)))
        following = next((at for at in ahead if self.numbering.is_question(at)), -1)
        return following > 0 and not any(
            self.lines[at].heading or self.marks[at] or asks(self.lines[at].text) for at in range(place + 1, following)
        )

    def _counts_headings(self, mark: Mark) -> bool:
        """Return whether "III. Matching" continues from "II. True or false", the last heading."""
        before = self.marks[self.heading_at] if self.heading_at >= 0 else NO_MARK
        return before.series == mark.series and before.value + 1 == mark.value > 2

    def _asks_to_match(self, place: int, mark: Mark) -> bool:
        """Return whether a question asks to match, so that the rows to match begin here rather than options."""
        stem = " ".join(line.text for line in self.lines[self.question : place])
        is_row = (
            mark.kind in ("digits", "roman", "lower")
            or mark.roman == 1
            or phrases.BLANK.match(self.lines[place - 1].text)
        )
        return bool(is_row and phrases.MATCHING.search(f"{stem}\n{self.heading}"))

    def _sums_marks(self, place: int) -> bool:
        """Return whether a row is a paper's grid of marks; within a question it may be data."""
        if not phrases.GRADES.fullmatch(self.lines[place].text):
            return False
        beside = [line.text for line in self.lines[max(0, place - 1) : place + 2]]
        names = [cells[0] for text in beside if (cells := row_cells(text))]
        return self.question < 0 or len(names) < 2 or any(map(phrases.NUMBER_COLUMN.fullmatch, names))

    def _leads(self, place: int) -> bool:
        """Return whether a line after a part introduces the next one: "There are 60 counters in the bag."."""
        text, above = self.lines[place].text, self.lines[place - 1].text
        if self.state != "item" or self.lines[place].is_joined or not self._item_goes_on(place):
            return False
        if not self.runs[-1].series.startswith(("lower", "roman", "digits")) or not is_given(text):
            return False
        has_ended = phrases.is_answer_space(above) or without_points(above)[1] is not None
        is_sentence = not text.startswith(("|", "![")) and not phrases.TASK.match(text)
        return has_ended or (is_sentence and above.endswith((".", "?", "!")))

    def _item_goes_on(self, place: int) -> bool:
        """Return whether the next mark is the next item of the same run."""
        run = self.runs[-1] if self.runs else None
        following = next((mark for mark in self.marks[place + 1 : place + 4] if mark), NO_MARK)
        return run is not None and following.series == run.series and following.value == run.value + 1 > 1


def counted_by(run: Run) -> str:
    """Return what numbers the items of a run, without punctuation: "lower"."""
    return run.series.rstrip(".()-○")


_SHORT = 80


def may_be_written(line: Line, mark: Mark, *, ends_part: bool) -> bool:
    """Return whether a line below a question looks like its answer.

    Args:
        ends_part: whether it is below a part, where plain words are a title rather than an answer.
    """
    text = f"{line.number} {line.text}".strip()
    if not line.is_marked or len(text) > _SHORT or (mark and (mark.series != "digits-" or line.text)):
        return False
    asks = re.search(r"!\[|[?？:：]$", text) or (phrases.TASK.match(text) and not mark)
    are_points = POINTS.fullmatch(text) or (POINTS_ALONE.fullmatch(text) and not text.isdigit())
    if asks or are_points or re.fullmatch(r"(?i:or|oder|ou|o)|.*\t.*", text):
        return False  # "or" separates alternative questions, a tab separates options in a row
    is_value = "$" in text or any(sign.isdigit() for sign in text)
    is_title = (text[:1].isupper() or ends_part) and not truth_of(text)
    return line.is_joined or is_value or not is_title


def is_short_value(line: Line, mark: Mark) -> bool:
    """Return whether a line is a short value: the answer below "Answer:"."""
    text = full_text(line)
    return (
        (not mark or text.isdigit())
        and len(text) <= _LONGEST_VALUE
        and ("$" in text or any(sign.isdigit() for sign in text))
    )


# -- lines outside questions ----------------------------------------------------------------------------------------


def numbered_rules(lines: Sequence[Line], marks: Sequence[Mark]) -> frozenset[int]:
    """Return a paper's numbered rules: they follow their title, and the numbering restarts after them."""
    marks = [  # a number in brackets without text may be points: "(2)"
        NO_MARK if mark.series == "digits()" and not line.text else mark
        for mark, line in zip(marks, lines, strict=True)
    ]
    for title, line in enumerate(lines):
        mark = marks[title]
        is_title = phrases.INSTRUCTIONS.fullmatch(line.text) is not None
        if mark.kind in COUNTING_KINDS and line.text and not is_title:
            return frozenset()
        if not is_title:
            continue
        end, counted = title + 1, 0
        while end < len(lines) and not lines[end].heading:
            mark = marks[end]
            if mark.kind == "digits":
                if mark.value != counted + 1 or mark.series == "digits-":
                    break
                counted += 1
            elif mark.kind in ("word", "levels", "han") or (
                not mark and (phrases.SECTION.fullmatch(lines[end].text) or phrases.is_stimulus(lines[end].text))
            ):
                break
            end += 1
        restarts = any(mark.kind in COUNTING_KINDS and mark.value == 1 for mark in marks[end:])
        return frozenset(range(title, end)) if counted and restarts else frozenset()
    return frozenset()


def formulas(lines: Sequence[Line]) -> frozenset[int]:
    """Return the lines of a paper's formula list, from its title to the first line that asks something."""
    found: set[int] = set()
    for title, line in enumerate(lines):
        if phrases.FORMULAS.fullmatch(line.text) and not line.number:
            end = title + 1
            while end < len(lines) and not _ends_formulas(lines[end]):
                end += 1
            found |= {*range(title, end)}
    return frozenset(found)


def _ends_formulas(line: Line) -> bool:
    text = line.text
    is_title = line.heading or phrases.SECTION.fullmatch(full_text(line)) or phrases.KEY_TITLE.fullmatch(text)
    asks = phrases.TASK.match(text) or text.endswith(("?", "？"))
    return bool(is_title or asks) or not re.search(r"[=$|]|!\[|\d", text)
