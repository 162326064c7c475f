"""The rows of the editor that grade a question: options, accepted answers, pairs, gaps, pictures.

Each kind of row is a set of parallel lists of inputs (``option_text``, ``option_weight``, ...), so that the form works
without JavaScript and a script can add rows without renumbering anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

from analytics.question_content import (
    AcceptedAnswer,
    Blank,
    Feedback,
    MatchingPair,
    Option,
    Picture,
    QuestionContent,
    as_json,
    content_texts,
)
from questionbank.formats.limits import OPTIONS_LIMIT
from questionbank.formats.pictures import PictureRefused
from questionbank.rendering.pictures import picture_names
from questionbank.services.attachments import attachment_add

Row = dict[str, str]
COLUMNS = {
    "option": ("label", "text", "weight", "misconception", "feedback"),
    "accepted": ("text", "weight", "tolerance", "unit", "feedback"),
    "pair": ("left", "right"),
    "blank": ("answers", "choices"),
    "picture": ("name", "sha256"),
}
ROWS_LIMIT = 100
PICTURES_LIMIT = 20
LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:OPTIONS_LIMIT]
_PERCENT = re.compile(r"(-?\d{1,3}(?:[.,]\d{1,7})?)\s*%?")
_NAME = re.compile(r"[^\w.-]+")


class RowProblem(ValueError):
    """A row cannot be read; the message is for the person."""


def sent_rows(data: QueryDict, kind: str) -> list[Row]:
    """Return the rows of a kind as they were sent, trimmed, empty ones included."""
    names = COLUMNS[kind]
    columns = [[value.strip() for value in data.getlist(f"{kind}_{name}")] for name in names]
    rows = list(zip_longest(*columns, fillvalue=""))[:ROWS_LIMIT]
    return [dict(zip(names, row, strict=True)) for row in rows]


def padded(rows: Sequence[Row], kind: str, at_least: int) -> list[Row]:
    """Return rows and enough empty ones; each option with the next free letter."""
    rows = list(rows)
    free = [letter for letter in LABELS if letter not in {row.get("label") for row in rows}]
    while len(rows) < at_least and not (kind == "option" and not free):
        empty = dict.fromkeys(COLUMNS[kind], "")
        rows.append(empty | {"label": free.pop(0)} if kind == "option" else empty)
    return rows


# -- from a question to rows --------------------------------------------------------------------------------------


def percent(weight: float | None) -> str:
    """Return a weight as a person writes it.

    >>> percent(1 / 3), percent(-0.5), percent(None)
    ('33.33333%', '-50%', '')
    """
    return "" if weight is None else f"{round(weight * 100, 5):g}%" if weight != 1 / 3 else "33.33333%"


def option_row(option: Mapping[str, Any]) -> Row:
    """Return the row of a stored option."""
    row = {name: str(option.get(name) or "") for name in COLUMNS["option"]}
    return row | {"weight": percent(option.get("weight"))}


def content_rows(content: QuestionContent) -> dict[str, list[Row]]:
    """Return the rows of everything but the options."""
    return {
        "accepted": [
            {
                "text": answer.text,
                "weight": percent(answer.weight),
                "tolerance": tolerance_shown(answer),
                "unit": answer.unit,
                "feedback": answer.feedback,
            }
            for answer in content.accepted
        ],
        "pair": [{"left": pair.left, "right": pair.right} for pair in content.pairs],
        "blank": [_blank_row(blank) for blank in content.blanks],
        "picture": [{"name": picture.name, "sha256": picture.sha256} for picture in content.pictures],
    }


def tolerance_shown(answer: AcceptedAnswer) -> str:
    """Return how far a number may be off, as a person writes it."""
    if answer.tolerance is None:
        return ""
    if answer.tolerance_kind == "relative":
        return f"{answer.tolerance * 100:.10g}%"
    return f"{answer.tolerance!r}" + (" digits" if answer.tolerance_kind == "digits" else "")


def _blank_row(blank: Blank) -> Row:
    if blank.options:
        right = [option.text for option in blank.options if (option.weight or 0) > 0]
        return {"answers": "; ".join(right), "choices": "; ".join(option.text for option in blank.options)}
    return {"answers": "; ".join(answer.text for answer in blank.accepted), "choices": ""}


# -- from rows to a question --------------------------------------------------------------------------------------


def read_options(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the options of the rows that have a text.

    Raises:
        RowProblem: a weight cannot be read.
    """
    return [
        as_json(Option(row["label"], row["text"], row["misconception"], _weight(row), row["feedback"]))
        for row in rows
        if row["text"]
    ]


def _weight(row: Row) -> float | None:
    if not row["weight"]:
        return None
    match = _PERCENT.fullmatch(row["weight"])
    if match is None or abs(value := float(match[1].replace(",", "."))) > 100:
        raise RowProblem(f"“{row['weight'][:20]}” is not a weight such as 50%.")
    size = abs(value)
    shares = (n / d for d in (3, 6, 7, 9) for n in range(1, d))  # 33.33333% is a third
    share = next((share for share in shares if abs(100 * share - size) < 1e-4), size / 100)
    return -share if value < 0 else share


def read_content(kind: str, rows: Mapping[str, list[Row]], base: QuestionContent) -> QuestionContent:
    """Return a content with what the rows of a question of this kind say; what has no row stays.

    Raises:
        RowProblem: a row cannot be read.
    """
    former = content_rows(base)
    accepted = base.accepted
    if rows["accepted"] != former["accepted"]:
        accepted = tuple(_accepted(row) for row in rows["accepted"] if row["text"])
    blanks = base.blanks
    if rows["blank"] != former["blank"]:
        former_blanks = list(zip_longest(base.blanks, former["blank"]))
        blanks = tuple(
            former_blanks[place][0]
            if place < len(former_blanks) and former_blanks[place][1] == row
            else _blank(row)
            for place, row in enumerate(rows["blank"])
            if row["answers"] or row["choices"]
        )
    pairs = tuple(MatchingPair(row["left"], row["right"]) for row in rows["pair"] if row["right"])
    if len(pairs) < sum(bool(row["left"]) for row in rows["pair"]):
        raise RowProblem("Every pair needs its right side.")
    has_typed = kind in ("number", "short", "true_false", "opaque", "open")
    return replace(
        base,
        accepted=() if not has_typed or accepted == _plain(accepted) else accepted,
        pairs=pairs if kind in ("matching", "opaque") else (),
        blanks=blanks if kind in ("blanks", "opaque") else (),
        parts=base.parts if kind in ("parts", "opaque") else (),
        original=base.original if kind == "opaque" else "",
    )


def _plain(accepted: tuple[AcceptedAnswer, ...]) -> tuple[AcceptedAnswer, ...]:
    """Return the single answer that the question's own field says as well, or nothing that equals what is given."""
    return (AcceptedAnswer(accepted[0].text),) if len(accepted) == 1 else (AcceptedAnswer(""),)


def _accepted(row: Row) -> AcceptedAnswer:
    weight = _weight(row)
    tolerance, kind = _tolerance(row["tolerance"])
    return AcceptedAnswer(
        row["text"], 1.0 if weight is None else weight, row["feedback"], tolerance, kind, row["unit"]
    )


def _tolerance(text: str) -> tuple[float | None, str]:
    plain = text.replace("±", "").replace(",", ".").strip()
    kind = "relative" if plain.endswith("%") else "digits" if plain.endswith("digits") else "absolute"
    number = plain.removesuffix("%").removesuffix("digits").strip()
    if not number:
        return None, "absolute"
    try:
        value = abs(float(number))
    except ValueError as error:
        raise RowProblem(f"“{text[:20]}” is not a tolerance such as 0.01 or 5%.") from error
    return (value / 100 if kind == "relative" else value), kind


def _blank(row: Row) -> Blank:
    answers = [text.strip() for text in row["answers"].split(";") if text.strip()]
    choices = [text.strip() for text in row["choices"].split(";") if text.strip()]
    if choices:
        if not {*answers} & {*choices}:
            raise RowProblem("The right answer of a gap must be among its choices.")
        return Blank(
            "choice",
            options=tuple(
                Option(LABELS[place % len(LABELS)], text, weight=1.0 if text in answers else 0.0)
                for place, text in enumerate(choices)
            ),
        )
    is_number = all(re.fullmatch(r"-?\d+(?:\.\d+)?", text) for text in answers)
    return Blank("number" if is_number else "short", tuple(map(AcceptedAnswer, answers)))


def lines_of(text: str) -> tuple[str, ...]:
    """Return the lines that say something."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


# -- pictures -----------------------------------------------------------------------------------------------------


def add_pictures(rows: list[Row], files: Sequence[UploadedFile], problems: list[str]) -> list[Row]:
    """Return the rows of pictures with those that were sent along, which the bank keeps from now on."""
    rows = [row for row in rows if row["name"] and re.fullmatch(r"[0-9a-f]{64}|", row["sha256"])]
    for file in files[:PICTURES_LIMIT]:
        name = _NAME.sub("-", (file.name or "picture").rpartition("/")[2])[-80:] or "picture"
        try:
            digest = attachment_add(data=file.read())
        except PictureRefused as error:
            problems.append(f"{name} {error}.")
            continue
        rows = [row for row in rows if row["name"] != name]
        rows.append({"name": name, "sha256": digest})
    return rows


def with_pictures(content: QuestionContent, rows: Sequence[Row], texts: Sequence[str]) -> QuestionContent:
    """Return a content with the pictures that the question's texts name."""
    named = picture_names([*texts, *content_texts(content)])
    attached = {row["name"]: row["sha256"] for row in rows if row["sha256"]}
    if not attached.keys() & named:
        return replace(content, pictures=())
    return replace(content, pictures=tuple(Picture(name, attached.get(name, "")) for name in named))


def with_feedback(content: QuestionContent, fields: Mapping[str, Any]) -> QuestionContent:
    """Return a content with title, points, tags, hints and feedback as the form's fields say."""
    return replace(
        content,
        title=fields["title"],
        points=fields["points"],
        tags=tuple(dict.fromkeys(tag.strip() for tag in fields["tags"].split(",") if tag.strip())),
        hints=lines_of(fields["hints"]),
        feedback=Feedback(
            fields["feedback_general"],
            fields["feedback_right"],
            fields["feedback_partly"],
            fields["feedback_wrong"],
        ),
    )


def feedback_initial(content: QuestionContent) -> dict[str, Any]:
    """Return the same fields filled."""
    feedback = content.feedback
    return {
        "title": content.title,
        "points": content.points,
        "tags": ", ".join(content.tags),
        "hints": "\n".join(hint.replace("\n", " ") for hint in content.hints),
        "feedback_general": feedback.general,
        "feedback_right": feedback.right,
        "feedback_partly": feedback.partly,
        "feedback_wrong": feedback.wrong,
    }


ROW_LABELS = {  # kind of row -> name, help
    "accepted": (
        "Accepted answers",
        (
            "Answer, weight in per cent, tolerance of a number (0.01 or 5%), unit, feedback. Leave empty if there is"
            " one right answer: write it in the field Answer."
        ),
    ),
    "pair": (
        "Pairs of a matching question",
        "Left and right. A right side without a left one is a wrong choice.",
    ),
    "blank": (
        "Gaps",
        (
            "One row for each [[1]], [[2]] in the text: accepted answers separated by semicolons; for a drop-down,"
            " its choices."
        ),
    ),
}
