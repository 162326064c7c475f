"""A test paper as lines with roles, and the questions that they form.

A document becomes lines (`Line`); each line gets one role (`Role`), guessed first and corrected by people; lines and
roles together form the questions (`FoundQuestion`). A correction therefore changes one line's role, and undoing it
changes the role back. A paragraph with several options is split into lines from the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

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


class Doubt(str):
    """A sentence about something uncertain in a question, with a code for its kind; programs use only the code."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: str, sentence: str) -> Doubt:
        """Return the sentence with its code."""
        doubt = super().__new__(cls, sentence)
        doubt.code = code
        return doubt


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
