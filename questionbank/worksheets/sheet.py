"""A printable version of a worksheet, and the plan it is made from.

The plan has what the questions bring from their source; the sheet has the few words to print around them, in their
language.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from random import Random

from analytics.languages import primary_language
from analytics.question_content import ANSWER_LINES, QuestionContent, QuestionPart, total_points
from analytics.records import QuestionRecord
from questionbank.core.wording import whole_number


class PaperSize(StrEnum):
    """Paper sizes."""

    A4 = "a4"
    LETTER = "us-letter"


@dataclass(frozen=True, slots=True)
class SheetItem:
    """One numbered question.

    Attributes:
        number: empty for a description, which asks nothing.
        text: in our notation: formulas as ``$...$``, pictures as ``![alternative](name)``, lists, tables, emphasis.
        options: label and text of each, in the order of this version.
        matches: the right-hand choices of a matching question, in the order of this version; `options` are the left.
        parts: the texts of a question's parts, each an item with a number such as ``(a)``.
        points: None if no points are given.
        answer_lines: empty lines to write on; a question in parts has none of its own.
        answer: for the key, in our notation; empty if not known.
        stimulus: a text shared with the following questions and printed above this one; empty for the others.
    """

    number: str
    text: str
    options: tuple[tuple[str, str], ...] = ()
    matches: tuple[tuple[str, str], ...] = ()
    parts: tuple[SheetItem, ...] = ()
    points: float | None = None
    answer_lines: int = 0
    answer: str = ""
    solution: str = ""
    stimulus: str = ""

    @property
    def lines(self) -> range:
        """The answer lines as a range, for loops in templates."""
        return range(self.answer_lines)

    @property
    def has_points_in_parts(self) -> bool:
        """Whether points are printed next to its parts."""
        return any(part.points is not None or part.has_points_in_parts for part in self.parts)

    @property
    def points_beside(self) -> float | None:
        """The points printed at its end."""
        return None if self.has_points_in_parts else self.points

    @property
    def points_below(self) -> float | None:
        """The total points of its parts, printed below them; None if the parts' points suffice."""
        is_said = len(self.parts) == 1 and self.parts[0].points == self.points
        return self.points if self.has_points_in_parts and not is_said else None

    @property
    def lacks_answer(self) -> bool:
        return bool(self.number) and not self.answer.strip() and not self.parts


@dataclass(frozen=True, slots=True)
class SheetSection:
    """Questions under one heading; the heading and the instructions may be empty."""

    items: tuple[SheetItem, ...]
    heading: str = ""
    instructions: str = ""

    @property
    def key_items(self) -> tuple[SheetItem, ...]:
        """The items in the key: all but descriptions without a solution."""
        return tuple(item for item in self.items if item.number or item.answer or item.solution)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One version of a worksheet.

    Attributes:
        version: ``A`` to ``D``; empty if there is only one version.
        columns: 1 or 2.
        total_points: None if no question has points.
        shows_key: whether this is the key: answers, and worked solutions if `shows_solutions`.
        pictures: bytes of each picture that a text names.
        picture_widths: in points (1/72 inch), as printed in their sources, by the same names; incomplete.
        language: of most questions, such as ``en``; determines the document's language and the font.
        same_numbers: in the key of a version with other numbers: which questions keep those of version A, and why.
    """

    title: str
    sections: tuple[SheetSection, ...]
    instructions: str = ""
    version: str = ""
    columns: int = 1
    paper: PaperSize = PaperSize.A4
    total_points: float | None = None
    has_name_field: bool = True
    shows_key: bool = False
    shows_solutions: bool = False
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    picture_widths: Mapping[str, float] = field(default_factory=dict)
    language: str = "en"
    same_numbers: str = ""


VERSIONS = "ABCD"


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """A question to be printed.

    Attributes:
        answer_lines: lines to write on; for a question in parts, below each part with a written answer.
        may_change: whether its equation gives its answer, so that its numbers may be changed.
        pictures: the name on paper of each picture by its name in the question.
    """

    number: int
    record: QuestionRecord
    points: float | None = None
    answer_lines: int = 0
    may_change: bool = False
    pictures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """Questions under one heading."""

    questions: tuple[PlannedQuestion, ...]
    heading: str = ""
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class Mixing:
    """What a version changes; version A changes nothing."""

    seed: int
    version: str = "A"
    questions: bool = True
    options: bool = True
    numbers: bool = True

    @property
    def place(self) -> int:
        """The version's index after version A; -1 for version A itself."""
        return VERSIONS.index(self.version) - 1

    @property
    def is_first(self) -> bool:
        return self.place < 0

    def rng(self, *names: object) -> Random:
        """Return the random generator of one item in this version, independent of the rest of the worksheet."""
        parts = (self.seed, self.version, *names)
        return Random("/".join(map(str, parts)))  # noqa: S311 - no secret


# -- what a question brings --------------------------------------------------------------------------------------------


MOST_POINTS = 1_000.0
MOST_LINES = 40  # per question, or per part of a question
NOTHING_TO_WRITE = frozenset({"choice", "true_false", "matching", "ordering", "blanks", "description", "opaque"})
"""Kinds with answers that are ticked, or written in their text."""


def takes_lines(kind: str) -> bool:
    """Return whether the answer to this kind of question is written below it."""
    return kind not in NOTHING_TO_WRITE


def lines_brought(content: QuestionContent) -> int:
    """Return the number of answer lines in the question's source; for a question in parts, of the largest part."""
    stated = [_lines(content), *(lines_brought(part.content) for part in content.parts)]
    return min(max(stated), MOST_LINES)


def _lines(content: QuestionContent) -> int:
    return whole_number(content.settings.get(ANSWER_LINES, ""), digits=3) or 0


def can_give(points: float | None) -> bool:
    """Return whether a worksheet supports this number of points."""
    return points is None or 0 <= points <= MOST_POINTS


def part_scale(content: QuestionContent, points: float | None) -> float | None:
    """Return the factor for the points of the parts on a worksheet that gives the question `points`.

    Return None if they are not printed: the worksheet gives no points, or the scaled ones are not half points.

    >>> parts = tuple(QuestionPart("", content=QuestionContent(points=given)) for given in (2.0, 1.0))
    >>> [part_scale(QuestionContent(parts=parts), points) for points in (3.0, 6.0, 4.0, None)]
    [1.0, 2.0, None, None]
    """
    own = total_points(content)
    if points is None or own is None:
        return None
    if points == own:
        return 1.0
    stated = [*part_points(content.parts)]
    if own <= 0 or None in stated or not math.isclose(sum(filter(None, stated)), own):
        return None
    scale = points / own
    halves = [2 * scale * given for given in stated if given is not None]
    return scale if all(math.isclose(half, round(half), abs_tol=1e-9) for half in halves) else None


def part_points(parts: Sequence[QuestionPart]) -> Iterator[float | None]:
    """Yield the printed points of each part, replacing a part by its own parts if those have points."""
    for part in parts:
        inner = [*part_points(part.content.parts)]
        yield from inner if any(points is not None for points in inner) else [part.content.points]


@dataclass(frozen=True, slots=True)
class Labels:
    """Words on paper."""

    name: str
    group: str
    date: str
    version: str
    key: str
    page: str  # with placeholders {page} and {pages}
    total: str
    answer: str
    solution: str
    unknown: str
    point: str
    points: str  # with the placeholder {points}
    same_numbers: str

    def data(self) -> dict[str, str]:
        """Return the words by name."""
        return asdict(self)


ENGLISH = Labels(
    name="Name",
    group="Class",
    date="Date",
    version="Version",
    key="Answer key",
    page="Page {page} of {pages}",
    total="Total",
    answer="Answer",
    solution="Solution",
    unknown="No answer is known.",
    point="1 point",
    points="{points} points",
    same_numbers="Same numbers as version A",
)
CHINESE = Labels(
    name="姓名",
    group="班级",
    date="日期",
    version="试卷",
    key="答案",
    page="第 {page} 页，共 {pages} 页",
    total="总分",
    answer="答案",
    solution="解析",
    unknown="没有已知的答案。",
    point="1分",
    points="{points}分",
    same_numbers="与A卷数字相同",
)


GERMAN = Labels(
    name="Name",
    group="Klasse",
    date="Datum",
    version="Gruppe",
    key="Lösungen",
    page="Seite {page} von {pages}",
    total="Summe",
    answer="Antwort",
    solution="Lösung",
    unknown="Keine Antwort bekannt.",
    point="1 Punkt",
    points="{points} Punkte",
    same_numbers="Gleiche Zahlen wie Gruppe A",
)
FRENCH = Labels(
    name="Nom",
    group="Classe",
    date="Date",
    version="Sujet",
    key="Corrigé",
    page="Page {page} sur {pages}",
    total="Total",
    answer="Réponse",
    solution="Solution",
    unknown="Aucune réponse connue.",
    point="1 point",
    points="{points} points",
    same_numbers="Mêmes nombres que le sujet A",
)
SPANISH = Labels(
    name="Nombre",
    group="Clase",
    date="Fecha",
    version="Versión",
    key="Soluciones",
    page="Página {page} de {pages}",
    total="Total",
    answer="Respuesta",
    solution="Solución",
    unknown="No se conoce la respuesta.",
    point="1 punto",
    points="{points} puntos",
    same_numbers="Los mismos números que la versión A",
)
LABELS = {"en": ENGLISH, "zh": CHINESE, "de": GERMAN, "fr": FRENCH, "es": SPANISH}
"""Labels by primary language."""


def labels_for(language: str) -> Labels:
    """Return the words in a language; English if there are none in that language."""
    return LABELS.get(primary_language(language), ENGLISH)


def points_text(points: float | None) -> str:
    """Return points without trailing zeros; empty for None.

    >>> points_text(2.0), points_text(1.5), points_text(None)
    ('2', '1.5', '')
    """
    return "" if points is None else f"{points:.2f}".rstrip("0").rstrip(".")


def sheet_details(sheet: Sheet, escaped: Callable[[str], str], blank: str = "____") -> list[str]:
    """Return the details in the head of a worksheet below the title: the version, and the points to fill in."""
    labels = labels_for(sheet.language)
    details = [f"{labels.version} {escaped(sheet.version)}"] if sheet.version else []
    if sheet.total_points is not None and not sheet.shows_key:
        details.append(f"{labels.total}: {blank} / {points_text(sheet.total_points)}")
    return details


def same_numbers_line(sheet: Sheet) -> str:
    """Return the note in a key on questions with the numbers of version A; empty if there are none."""
    return f"{labels_for(sheet.language).same_numbers}: {sheet.same_numbers}." if sheet.same_numbers else ""


def option_label(label: str) -> str:
    """Return an option's label for Word and LaTeX; a digit followed by a dot would look like a question number.

    >>> option_label("A"), option_label("1")
    ('A.', '(1)')
    """
    return f"({label})" if label.isdigit() else f"{label}."
