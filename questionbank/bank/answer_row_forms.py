"""The rows of the editor (options, accepted answers, pairs, gaps, parts, pictures) and their inputs.

Each kind of row is a set of parallel lists of inputs (``option_text``, ``option_weight``, ...), so that the form works
without JavaScript and a script can add rows without renumbering the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from django.http import QueryDict

from questionbank.formats.limits import OPTIONS_LIMIT
from questionbank.models import Question

Row = dict[str, str]
COLUMNS = {
    "option": ("label", "text", "weight", "misconception", "feedback"),
    "accepted": ("text", "weight", "tolerance", "unit", "feedback"),
    "pair": ("left", "right"),
    "blank": ("answers", "choices"),
    "part": ("kind", "text", "options", "answer", "points"),
    "picture": ("name", "sha256"),
}
ROWS_LIMIT = 100
LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:OPTIONS_LIMIT]
PART_KINDS = {
    "open": "Open answer",
    "number": "Number",
    "short": "Short answer",
    "choice": "Multiple choice",
    "true_false": "True or false",
}
# Type of question -> its kind of rows, as in forms.css.
ROWS_OF_KIND = {
    "choice": "option", "ordering": "option", "number": "accepted", "short": "accepted", "matching": "pair",
    "blanks": "blank", "parts": "part",
}  # fmt: skip
ROW_LABELS = {  # kind of row -> name, help
    "accepted": (
        "Accepted answers",
        (
            "Answer, weight in per cent, tolerance of a number (0.01 or 5%), unit, feedback. A single right answer"
            " may be given in the field Answer instead."
        ),
    ),
    "pair": ("Pairs", "Left and right. A right side without a left one is a wrong choice."),
    "blank": (
        "Gaps",
        (
            "One row for each [[1]], [[2]] in the text: accepted answers separated by semicolons; for a drop-down,"
            " its choices."
        ),
    ),
    "part": (
        "Parts",
        (
            "Type, text, options (one per line), answer and points of each part. The answer of a multiple-choice part"
            " is a letter, A for its first option. Hints, pairs, gaps and parts within a part stay as they are."
        ),
    ),
}


def sent_rows(data: QueryDict, kind: str) -> list[Row]:
    """Return the submitted rows of a kind, normalised, including empty ones."""
    names = COLUMNS[kind]
    columns = [[tidy(value) for value in data.getlist(f"{kind}_{name}")] for name in names]
    rows = list(zip_longest(*columns, fillvalue=""))[:ROWS_LIMIT]
    return [dict(zip(names, row, strict=True)) for row in rows]


def tidy(value: str) -> str:
    """Normalise a submitted value: plain line ends and no surrounding whitespace."""
    return value.replace("\r\n", "\n").strip()


def padded(rows: Sequence[Row], kind: str, at_least: int) -> list[Row]:
    """Return the rows padded with empty ones; each new option gets the next free letter."""
    rows = list(rows)
    free = [letter for letter in LABELS if letter not in {row.get("label") for row in rows}]
    while len(rows) < at_least and not (kind == "option" and not free):
        empty = dict.fromkeys(COLUMNS[kind], "")
        rows.append(empty | {"label": free.pop(0)} if kind == "option" else empty)
    return rows


@dataclass(frozen=True, slots=True)
class Cell:
    """An input of a row.

    Attributes:
        label: accessible name, as in "Text of option 2".
        choices: (value, label) pairs, if only some values are allowed.
        lines: height of a text area; 0 for a one-line input, in which browsers would join several lines.
    """

    name: str
    value: str
    label: str
    placeholder: str
    choices: Sequence[tuple[str, str]] = ()
    lines: int = 0


_PLACEHOLDERS = {
    "text": "Answer", "weight": "Weight", "tolerance": "Tolerance", "unit": "Unit", "feedback": "Feedback",
    "left": "Left side", "right": "Right side", "answers": "Right answers", "choices": "Choices of a drop-down",
    "option label": "Letter", "option text": "Text", "misconception": "Misconception",
    "part kind": "Type", "part text": "What the part asks", "options": "Options, one per line", "answer": "Answer",
    "points": "Points",
}  # fmt: skip
_LINES = {"part text": 2, "part options": 2}


def cells(kind: str, rows: Sequence[Row]) -> list[list[Cell]]:
    """Return the inputs of rows."""
    return [
        [_cell(kind, name, value, number) for name, value in row.items()] for number, row in enumerate(rows, start=1)
    ]


def _cell(kind: str, name: str, value: str, number: int) -> Cell:
    placeholder = _PLACEHOLDERS.get(f"{kind} {name}") or _PLACEHOLDERS[name]
    what = {"accepted": "accepted answer", "blank": "gap"}.get(kind, kind)
    choices: list[tuple[str, str]] = []
    if f"{kind} {name}" == "part kind":
        kinds = {**dict(Question.Kind.choices), **PART_KINDS}
        choices = [(kind, kinds.get(kind, kind)) for kind in dict.fromkeys([*PART_KINDS, *filter(None, [value])])]
    preposition = "behind" if name == "misconception" else "of"
    return Cell(
        f"{kind}_{name}",
        value,
        f"{placeholder} {preposition} {what} {number}",
        placeholder,
        choices,
        max(_LINES.get(f"{kind} {name}", 0), min(8, value.count("\n") + 1) * ("\n" in value)),
    )
