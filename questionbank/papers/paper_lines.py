"""A test paper as lines with roles, the questions that they form, and a reviewer's corrections.

A document becomes lines (`Line`); each line gets one role (`Role`), guessed first and corrected by people; lines and
roles together form the questions (`FoundQuestion`). A correction therefore changes one line's role, and undoing it
changes the role back. A paragraph with several options is split into lines from the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from analytics.records import QuestionRecord


class Role(StrEnum):
    """The role of a line in a test paper."""

    QUESTION = "question"  # the first line of a question
    MORE = "more"  # continues the previous line
    BELOW = "below"  # begins the text of the next question, part or option: "There are 60 counters in the bag."
    PART = "part"  # the first line of a part: (a), (b)
    OPTION = "option"  # an option that is wrong, or not known to be right
    RIGHT_OPTION = "right option"
    ANSWER = "answer"  # "Answer: B", "= 3.14 +- 0.01"
    SOLUTION = "solution"  # the first line of a worked solution
    KEY = "key"  # a line of the list of answers at the end
    HEADING = "heading"  # a section or a concept
    STIMULUS = "stimulus"  # a text that several questions share: "Questions 3-5 refer to"
    NOTHING = "nothing"  # no part of a question: page number, name field, instructions


POINTED = "pointed"
"""The name of the rule for roles that a language model proposed and that were adopted."""

Area = tuple[int, ...]
"""Area on a page: the page counted from 0, then left, top, right, bottom in pixels of its picture; or empty."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a document.

    Attributes:
        text: in our notation: formulas as ``$...$``, pictures as ``![alternative](name)``, without `number`.
        number: as printed or as computed from automatic numbering: ``1.``, ``(b)``, ``C)``; empty if there is none.
        level: list level, 0 outside lists; `heading` is 1 to 6 for a heading, otherwise 0.
        is_marked: whether the whole line is bold, underlined, coloured or highlighted, as correct options often are.
        is_boxed: whether it is in a text box, which may be anywhere on the page.
        is_joined: whether it comes from the same paragraph as the previous line, like options on one line.
        area: its area on a page, if the page has a picture.
        is_uncertain: whether some of its characters could not be read.
    """

    text: str
    number: str = ""
    level: int = 0
    heading: int = 0
    is_marked: bool = False
    is_joined: bool = False
    area: Area = ()
    is_uncertain: bool = False
    is_boxed: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A file's lines, pictures by name, and notices about what could not be read.

    Attributes:
        picture_widths: in points, by name, for pictures that specify a width.
        pages: the pictures of its pages, to which `Line.area` refers; empty for a document without pages.
    """

    lines: tuple[Line, ...]
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    picture_widths: Mapping[str, float] = field(default_factory=dict)
    pages: tuple[bytes, ...] = ()


DOUBTS = {
    # Lines that a question lacks, or that it has too many of.
    "headless": (
        "It begins with an option, a part or an answer."
        " Say which line asks the question, or join it with the question above."
    ),
    "no_text": "The question has no text. Say which line asks it, or join it with the question above.",
    "short": "The text is unusually short. Is there more of it above or below?",
    "asks_nothing": "Nothing in it asks for an answer. Leave it out if it is not a question.",
    "number_inside": "A line of the text has a number of its own. If it begins another question, say so.",
    "boxed": "The text box “{text}” is read as part of it. Does it belong to it?",
    "line_left": "The line “{text}” below is not part of any question. If it should be, say what it is.",
    "refused": "The bank cannot take it yet: {reason}.",
    "unread_signs": (
        "Some characters of its text could not be read with certainty. Compare it with the question as printed."
    ),
    "picture_lost": "A picture could not be kept; [image] stands in its place.",
    "formula_lost": "A formula could not be read; [formula] stands in its place.",
    "picture_in_heading": "The heading above contains a picture. Is it an option of the question before?",
    # Its number, compared with those of its neighbours.
    "unnumbered": "It has no number, though the others do. Join it with the question above if it belongs to that.",
    "number_twice": "The number {number} appears twice. Join this with the question above if it belongs to that.",
    "number_again": "The number {number} also appears {where}. Is one of the two the answer to the other?",
    "number_missing": "The next number is {next}. If {missing} is in this one, say where it begins.",
    "numbers_restart": (
        "The numbers begin again at 1 without a heading. Are these parts of the question above, or rules?"
    ),
    # Options and parts.
    "both": "It has lettered parts and options. Say for each lettered line whether it is a part or an option.",
    "no_options": "It has no options, but the questions before and after it have. Say which lines are options.",
    "option_single": "It has a single option. Say which lines are the others.",
    "option_empty": "Option {labels} has no text. Join it with the line that has it.",
    "option_lost": "There is a gap in the letters of the options: {labels}. Is one missing?",
    "options_same": "Two options have the same text. Correct one of them.",
    "options_count": "It has {count} options; most others have {usual}. Is a line missing, or one too many?",
    "options_renamed": "The options are numbered {printed}; they are read as {labels}.",
    "single_part": "The question has a single part. Is another one part of the text?",
    "first_part": "The first part is {mark} Say where the parts before it begin.",
    "part_missing": "There is an answer to part {labels}, but no such part. Say where it begins.",
    "parts_as_questions": (
        "Its parts are numbered like the questions. Are they parts, or answers to the questions above?"
    ),
    # Points.
    "no_points": "It gives no points, though the others do.",
    "part_points": "{missing} of its {count} parts give no points, but the others do.",
    "points_sum": "Its parts add up to {found:g} points, but the paper says {stated:g}. Which is right?",
    "points_impossible": "“{text}” is a negative number of points. Enter the points yourself.",
    # Answers.
    "unanswered": "No answer was found. Say which line gives it, or import the question without one.",
    "parts_unanswered": "{missing} of the {count} parts have no answer. Say which lines give them.",
    "match_unanswered": (
        "It is a matching question, but no answer says which items belong together. Write it as “1-B, 2-A”."
    ),
    "no_right_option": "No option is marked as the answer. Say which one is right.",
    "several_right": "{count} options are marked as right: {labels}. Are they?",
    "solution_only": "There is a worked solution, but no answer. Say which line of it is the answer.",
    "answer_of_working": "The answer was taken from the end of the working: {results}. Is it complete?",
    "answer_of_options": "The answer is {answer}, but there are no options. Say which lines are options.",
    "answer_no_option": "According to {source}, the answer is “{answer}”, which is not one of the options.",
    "answer_other_options": "According to {source}, the answer is {answer}, but the options are {labels}.",
    "answer_addresses": "“{text}” is addressed to the reader. Is it the answer?",
    "answer_odd": "{reason}.",
    "answer_twice": "The list of answers names question {number} more than once: {answers}.",
    "answers_differ": (
        "The answer is {answer} according to {source}, but {other} according to {other_source}. Which is right?"
    ),
    # Questions that are probably wrong, by the feature that contributes most.
    "suspect_paper": "Much of this paper is doubtful. Compare this question with the document.",
    "suspect_unanswered": "No answer was found. If the document gives one, say which line it is.",
    "suspect_mentions": "Its text mentions other questions. Is all of it meant for this one?",
    "suspect_textless": "Nothing above its parts or options asks a question. Is a line of its text missing?",
    "suspect_match": "It is a matching question, but was not read as pairs. Check its options and its answer.",
}
"""Sentence for the reviewer by the code of the doubt."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something uncertain in a question: a code for programs, and a sentence for the reviewer."""

    code: str
    sentence: str

    @classmethod
    def of(cls, code: str, **values: object) -> Doubt:
        """Return the doubt with a code of `DOUBTS`, its sentence filled in with values.

        >>> str(Doubt.of("option_lost", labels="A, C"))
        'There is a gap in the letters of the options: A, C. Is one missing?'
        """
        return cls(code, DOUBTS[code].format(**values))

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class FoundQuestion:
    """A question formed by lines of a document.

    Attributes:
        lines: the indices of its lines in order, including lines of the key.
        number: its number in the document; empty if it has none.
        record: the question as read from a row of a file: kind, text, options, answer, solution, content.
        heading: the headings above it, outermost first.
        doubts: what is uncertain; empty for a question that looks complete.
    """

    lines: tuple[int, ...]
    number: str
    record: QuestionRecord
    heading: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """The questions of a document, and notices about the whole paper (a key that names question 12 of 10)."""

    questions: tuple[FoundQuestion, ...]
    notices: tuple[str, ...] = ()


def page_name(number: int) -> str:
    """Return the key of a page's picture among a paper's pictures, the page counted from 0; no text can refer to it."""
    return f"(page {number + 1})"


def areas_of(lines: Iterable[Line]) -> tuple[Area, ...]:
    """Return the areas that lines cover, one per column of a page, in the order of the lines.

    >>> areas_of([Line("a", area=(0, 10, 20, 90, 30)), Line("b", area=(0, 12, 35, 90, 50))])
    ((0, 10, 20, 90, 50),)
    """
    found: list[list[int]] = []
    for line in lines:
        if not line.area:
            continue
        page, left, top, right, bottom = line.area
        same = next((area for area in found if area[0] == page and area[1] < right and left < area[3]), None)
        if same is None:
            found.append([page, left, top, right, bottom])
        else:
            same[1:] = [min(same[1], left), min(same[2], top), max(same[3], right), max(same[4], bottom)]
    return tuple(map(tuple, found))


# -- corrections -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Correction:
    """One review step: a line's role, its replacement, a question's points, or whether the question is imported.

    A step may also adopt a different reading of several lines.

    Attributes:
        key: key of the line or the first line; for `points` and `is_left_out`, key of the question.
        role: the line's new role; empty if unchanged.
        lines: the lines that replace it, with `roles`; empty if the line is unchanged.
        points: of the question, then of each part; empty for other corrections.
        is_left_out: whether the question is excluded from the import; None for other corrections.
        taken: keys of lines and their roles in the adopted reading; empty for other corrections.
            A role that a person has set stays.
    """

    key: str
    role: str = ""
    lines: tuple[Line, ...] = ()
    roles: tuple[str, ...] = ()
    is_left_out: bool | None = None
    points: tuple[float | None, ...] = ()
    taken: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewedLine:
    """A line after the corrections; `rule` names the rule that guessed its role, if no person has set it."""

    key: str
    line: Line
    role: Role
    is_corrected: bool = False
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The corrected lines, the keys of excluded questions, and corrected points by key."""

    lines: tuple[ReviewedLine, ...]
    left_out: frozenset[str]
    points: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)


def correct(
    lines: Sequence[Line], roles: Sequence[Role], corrections: Sequence[Correction], rules: Sequence[str] = ()
) -> Corrected:
    """Apply the corrections and return the lines in order; corrections of unknown lines are ignored.

    >>> corrected = correct([Line("How much is 1 + 1?")], [Role.NOTHING], [Correction("0", role="question")])
    >>> corrected.lines[0].role
    <Role.QUESTION: 'question'>
    """
    reviewed = {
        str(place): ReviewedLine(str(place), line, role, rule=rules[place] if rules else "")
        for place, (line, role) in enumerate(zip(lines, roles, strict=True))
    }
    rests: dict[str, list[str]] = {}  # keys of the lines split off each line, in order
    left_out: set[str] = set()
    points: dict[str, tuple[float | None, ...]] = {}
    for number, correction in enumerate(corrections):
        if correction.is_left_out is not None:
            (left_out.add if correction.is_left_out else left_out.discard)(correction.key)
        elif correction.points:
            points[correction.key] = correction.points
        elif correction.taken:
            for key, role in correction.taken:
                if key in reviewed and not reviewed[key].is_corrected:
                    reviewed[key] = replace(reviewed[key], role=Role(role), rule=POINTED)
        elif (row := reviewed.get(correction.key)) is None:
            continue
        elif correction.role:
            reviewed[row.key] = replace(row, role=Role(correction.role), is_corrected=True, rule="")
        else:
            keys = [row.key, *(f"{row.key}.{number}.{place}" for place in range(1, len(correction.lines)))]
            for key, line, role in zip(keys, correction.lines, correction.roles, strict=True):
                reviewed[key] = ReviewedLine(key, line, Role(role), is_corrected=True)
            rests[row.key] = keys[1:] + rests.get(row.key, [])
    order = _in_order(map(str, range(len(lines))), rests)
    return Corrected(tuple(reviewed[key] for key in order), frozenset(left_out), points)


def _in_order(keys: Any, rests: Mapping[str, Sequence[str]]) -> list[str]:
    order: list[str] = []
    pending = list(keys)[::-1]
    while pending:
        key = pending.pop()
        order.append(key)
        pending.extend(reversed(rests.get(key, ())))
    return order


def lines_from_json(found: Sequence[Mapping[str, Any]]) -> tuple[Line, ...]:
    """Return the lines from the output of `as_json`."""
    return tuple(Line(**{**row, "area": tuple(row.get("area", ()))}) for row in found)


def roles_as_json(roles: Sequence[Role], rules: Sequence[str]) -> list[str]:
    """Return roles with the rules that decided them as JSON: ``question:numbered``."""
    return [f"{role}:{rule}" for role, rule in zip(roles, rules, strict=True)]


def roles_from_json(found: Sequence[str]) -> tuple[list[Role], list[str]]:
    """Return roles and rules from the output of `roles_as_json`; drafts of an older release name no rules.

    >>> roles_from_json(["question:number", "more"])
    ([<Role.QUESTION: 'question'>, <Role.MORE: 'more'>], ['number', ''])
    """
    pairs = [row.partition(":") for row in found]
    return [Role(role) for role, _, _ in pairs], [rule for _, _, rule in pairs]


def correction_from_json(found: Mapping[str, Any]) -> Correction:
    """Return the correction from the output of `as_json`."""
    return Correction(
        **{
            **found,
            "lines": lines_from_json(found.get("lines", ())),
            "roles": tuple(found.get("roles", ())),
            "points": tuple(found.get("points", ())),
            "taken": tuple((key, role) for key, role in found.get("taken", ())),
        }
    )


def full_text(line: Line) -> str:
    """Return a line's number and text."""
    return f"{line.number} {line.text}".strip()


def row_cells(text: str) -> list[str] | None:
    """Return the cells of a table row in our notation; None if the text is not a row."""
    if not (text.startswith("|") and text.endswith("|") and len(text) > 2):
        return None
    return [cell.strip() for cell in text[1:-1].split("|")]
