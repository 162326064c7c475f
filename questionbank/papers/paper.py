"""A test paper as lines with roles, and the questions that they make.

A document becomes lines (`Line`); each line gets one role (`Role`), guessed first and corrected by people; lines and
roles together make the questions (`FoundQuestion`). So a correction is a change of one line's role, and undoing it
is the change back. A paragraph with several options is several lines from the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from analytics.records import QuestionRecord


class Role(StrEnum):
    """What a line of a test paper is."""

    QUESTION = "question"  # the first line of a question
    MORE = "more"  # goes on with the line before it
    BELOW = "below"  # begins what the next question, part or option says: "There are 60 counters in the bag."
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
"""Where something stands on a page: the page counted from 0, left, top, right, bottom in pixels of its picture; or
nothing."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a document.

    Attributes:
        text: in our notation: formulas as ``$...$``, pictures as ``![alternative](name)``, without `number`.
        number: as it stands or as the document's automatic numbering gives it: ``1.``, ``(b)``, ``C)``; empty
            without one.
        level: of a list, 0 outside any; `heading` is 1 to 6 for a heading, 0 else.
        is_marked: bold, underlined, coloured or highlighted as a whole: how right options are often shown.
        is_boxed: it stands in a text box, which its document may show anywhere on the page.
        is_joined: it came from the same paragraph as the line before it: options on one line.
        area: where it stands on a page that has a picture.
        is_uncertain: signs of it could not be read.
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
    """What was read from a file: its lines, pictures by their names, and sentences on what could not be read.

    Attributes:
        picture_widths: in points, by the names of pictures that state one.
        pages: the pictures of its pages, in which `Line.area` is; empty for a document without pages.
    """

    lines: tuple[Line, ...]
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    picture_widths: Mapping[str, float] = field(default_factory=dict)
    pages: tuple[bytes, ...] = ()


class Doubt(str):
    """A sentence on what is uncertain about a question, with a code for its kind: programs ask for the code alone."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: str, sentence: str) -> Doubt:
        """Return the sentence with its code."""
        doubt = super().__new__(cls, sentence)
        doubt.code = code
        return doubt


@dataclass(frozen=True, slots=True)
class FoundQuestion:
    """A question that lines of a document make.

    Attributes:
        lines: the numbers of its lines, counted from 0, in their order (lines of the key included).
        number: its number in the document; empty without one.
        record: the question as a file's row would give it: kind, text, options, answer, solution, content.
        heading: the headings above it, outermost first.
        doubts: on what is uncertain; empty for a question that looks whole.
    """

    lines: tuple[int, ...]
    number: str
    record: QuestionRecord
    heading: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """The questions of a document, and sentences about the whole of it (a key that names question 12 of 10)."""

    questions: tuple[FoundQuestion, ...]
    notices: tuple[str, ...] = ()
