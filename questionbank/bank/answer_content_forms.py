"""Conversion between a question and the rows of the editor.

Each row is matched by position with the item it came from: unchanged rows keep the item, including what no cell shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from django.core.files.uploadedfile import UploadedFile

from analytics.question_content import (
    EMPTY,
    AcceptedAnswer,
    Blank,
    MatchingPair,
    Option,
    Picture,
    QuestionContent,
    QuestionPart,
    as_json,
    content_texts,
)
from questionbank.bank.answer_row_forms import COLUMNS, Row, tidy
from questionbank.bank.attachment_services import attachment_add
from questionbank.formats.kinds import option_label, options_fault, truth_word
from questionbank.formats.limits import POINTS_LIMIT
from questionbank.formats.pictures import PictureRefused, picture_names
from questionbank.formats.written_numbers import decimal_text, plain

PICTURES_LIMIT = 20
_PERCENT = re.compile(r"(-?\d{1,3}(?:[.,]\d{1,7})?)\s*%?")
_NAME = re.compile(r"[^\w.-]+")
Item = TypeVar("Item", Option, AcceptedAnswer, MatchingPair, Blank, QuestionPart)


class RowProblem(ValueError):
    """A row cannot be read; the message is shown to the person."""


# -- from a question to rows --------------------------------------------------------------------------------------


def percent(weight: float | None) -> str:
    """Return a weight as a person would write it.

    >>> percent(1 / 3), percent(-0.5), percent(None)
    ('33.33333%', '-50%', '')
    """
    return "" if weight is None else f"{round(weight * 100, 5):g}%" if weight != 1 / 3 else "33.33333%"


def _option_row(option: Option) -> Row:
    row = {name: tidy(str(getattr(option, name) or "")) for name in COLUMNS["option"]}
    return row | {"weight": percent(option.weight)}


def _accepted_row(answer: AcceptedAnswer) -> Row:
    return {
        "text": tidy(answer.text),
        "weight": percent(answer.weight),
        "tolerance": tolerance_shown(answer),
        "unit": tidy(answer.unit),
        "feedback": tidy(answer.feedback),
    }


def _pair_row(pair: MatchingPair) -> Row:
    return {"left": tidy(pair.left), "right": tidy(pair.right)}


def tolerance_shown(answer: AcceptedAnswer) -> str:
    """Return a number's tolerance as a person would write it."""
    if answer.tolerance is None:
        return ""
    if answer.tolerance_kind == "relative":
        return f"{plain(float(f'{answer.tolerance * 100:.10g}'))}%"
    return decimal_text(answer.tolerance) + (" digits" if answer.tolerance_kind == "digits" else "")


def _blank_row(blank: Blank) -> Row:
    if blank.options:
        right = [option.text for option in blank.options if (option.weight or 0) > 0]
        return {"answers": _listed(right), "choices": _listed(option.text for option in blank.options)}
    return {"answers": _listed(answer.text for answer in blank.accepted), "choices": ""}


def _listed(texts: Iterable[str]) -> str:
    """Join texts on one line, or one per line if a text contains the separator."""
    found = [" ".join(text.split()) for text in texts]
    return ("\n" if any(";" in text for text in found) else "; ").join(found)


def _part_row(part: QuestionPart) -> Row:
    points = part.content.points
    return {
        "kind": part.kind,
        "text": tidy(part.text),
        "options": "\n".join(" ".join(option.text.split()) for option in part.options),
        "answer": tidy(part.answer),
        "points": "" if points is None else f"{points:g}",
    }


def content_rows(content: QuestionContent, options: Sequence[Mapping[str, Any]] = ()) -> dict[str, list[Row]]:
    """Return the rows of a question."""
    return {
        "option": [_option_row(Option(**option)) for option in options],
        "accepted": [*map(_accepted_row, content.accepted)],
        "pair": [*map(_pair_row, content.pairs)],
        "blank": [*map(_blank_row, content.blanks)],
        "part": [*map(_part_row, content.parts)],
        "picture": [{"name": picture.name, "sha256": picture.sha256} for picture in content.pictures],
    }


# -- from rows to a question --------------------------------------------------------------------------------------


def _items(
    rows: Sequence[Row],
    before: Sequence[Item],
    shown: Callable[[Item], Row],
    read: Callable[[Row, Item | None], Item],
    needed: Sequence[str],
) -> tuple[Item, ...]:
    """Return the items that rows describe; items of unchanged rows are kept whole, with what rows do not show.

    Args:
        before: the items that the rows were filled with, in the same order.
        needed: cells; rows in which all of them are empty are dropped.
    """
    items = []
    for place, row in enumerate(rows):
        former = before[place] if place < len(before) else None
        if former is not None and shown(former) == row:
            items.append(former)
        elif any(row[name] for name in needed):
            items.append(read(row, former))
    return tuple(items)


def read_options(rows: Sequence[Row], before: Sequence[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """Return the options from the rows that have a text.

    Raises:
        RowProblem: a weight cannot be read.
    """
    former = [Option(**option) for option in before]
    return [as_json(option) for option in _items(rows, former, _option_row, _option, ["text"])]


def _option(row: Row, former: Option | None) -> Option:
    is_same = former is not None and percent(former.weight) == row["weight"]
    weight = former.weight if former is not None and is_same else _weight(row)
    return Option(row["label"], row["text"], row["misconception"], weight, row["feedback"])


def _weight(row: Row) -> float | None:
    if not row["weight"]:
        return None
    match = _PERCENT.fullmatch(row["weight"])
    if match is None or abs(value := float(match[1].replace(",", "."))) > 100:
        raise RowProblem(f"“{row['weight'][:20]}” is not a weight such as 50%.")
    size = abs(value)
    shares = (n / d for d in (3, 6, 7, 9) for n in range(1, d))  # so that 33.33333% is read as a third
    share = next((share for share in shares if abs(100 * share - size) < 1e-4), size / 100)
    return -share if value < 0 else share


def read_content(kind: str, rows: Mapping[str, list[Row]], base: QuestionContent, former_kind: str) -> QuestionContent:
    """Return `base` updated from the rows of a question of this kind; content without rows is kept.

    Args:
        former_kind: the kind before the change; if it differs from `kind`, content that `kind` cannot hold is dropped.

    Raises:
        RowProblem: a row cannot be read.
    """
    if any(row["left"] and not row["right"] for row in rows["pair"]):
        raise RowProblem("Every pair needs its right side.")
    content = replace(
        base,
        accepted=_items(rows["accepted"], base.accepted, _accepted_row, _accepted, ["text"]),
        pairs=_items(rows["pair"], base.pairs, _pair_row, _pair, ["left", "right"]),
        blanks=_items(rows["blank"], base.blanks, _blank_row, _blank, ["answers", "choices"]),
        parts=_items(rows["part"], base.parts, _part_row, _part, ["text", "options", "answer"]),
    )
    if kind in (former_kind, "opaque"):
        return content
    has_typed = kind in ("number", "short", "true_false", "open")
    return replace(
        content,
        accepted=content.accepted if has_typed else (),
        pairs=content.pairs if kind == "matching" else (),
        blanks=content.blanks if kind == "blanks" else (),
        parts=content.parts if kind == "parts" else (),
        original="",
    )


def _accepted(row: Row, former: AcceptedAnswer | None) -> AcceptedAnswer:
    was = _accepted_row(former) if former is not None else {}
    weight = _weight(row)
    tolerance, kind = _tolerance(row["tolerance"])
    answer = AcceptedAnswer(
        row["text"], 1.0 if weight is None else weight, row["feedback"], tolerance, kind, row["unit"]
    )
    if former is not None and was["weight"] == row["weight"]:
        answer = replace(answer, weight=former.weight)
    if former is not None and was["tolerance"] == row["tolerance"]:
        answer = replace(answer, tolerance=former.tolerance, tolerance_kind=former.tolerance_kind)
    return answer


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


def _pair(row: Row, _former: MatchingPair | None) -> MatchingPair:
    return MatchingPair(row["left"], row["right"])


def _blank(row: Row, former: Blank | None) -> Blank:
    answers, choices = (_list(row[name]) for name in ("answers", "choices"))
    if choices and not {*answers} & {*choices}:
        raise RowProblem("The right answer of a gap must be among its choices.")
    is_number = all(re.fullmatch(r"-?\d+(?:\.\d+)?", text) for text in answers)
    kind = "choice" if choices else "number" if is_number else "short"
    if former is None or former.kind != kind:
        former = Blank(kind, points=former.points if former else 1.0)
    if not choices:
        known = {" ".join(one.text.split()): one for one in former.accepted}
        places = former.accepted if len(former.accepted) == len(answers) else ()
        blank = AcceptedAnswer("")
        found = [known.get(text) or (places[at] if places else blank) for at, text in enumerate(answers)]
        kept = (one if text in known else replace(one, text=text) for text, one in zip(answers, found, strict=True))
        return replace(former, accepted=tuple(kept))
    options = _kept_options(choices, former.options)
    return replace(
        former,
        options=tuple(
            one if (text in answers) == ((one.weight or 0) > 0) else replace(one, weight=float(text in answers))
            for text, one in zip(choices, options, strict=True)
        ),
    )


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split("\n" if "\n" in text else ";") if part.strip()]


def _kept_options(texts: Sequence[str], former: Sequence[Option]) -> list[Option]:
    """Return options with these texts; an option with the same text, or else position, keeps its other fields."""
    known = {" ".join(option.text.split()): option for option in former}
    places = former if len(former) == len(texts) else ()
    found = []
    for place, text in enumerate(texts):
        label = former[place].label if places else option_label(place)
        kept = known.get(text) or (replace(places[place], text=text) if places else Option(label, text))
        found.append(replace(kept, label=label))
    return found


def _part(row: Row, former: QuestionPart | None) -> QuestionPart:
    kind = row["kind"] or ("choice" if row["options"] else "open")
    part = replace(former or QuestionPart(""), text=row["text"], kind=kind)
    was = _part_row(former) if former is not None else {}
    content = part.content
    if not row["text"]:
        raise RowProblem("Every part needs a text.")
    if row["options"] != was.get("options", ""):
        part = replace(part, options=tuple(_kept_options(row["options"].splitlines(), part.options)))
    if row["answer"] != was.get("answer", ""):
        if content.pairs or content.blanks or content.parts:
            raise RowProblem(
                "The answer of a part with pairs, gaps or parts of its own follows from these; it cannot be"
                " changed here."
            )
        content = replace(content, accepted=())
        bare = tuple(replace(option, weight=None) for option in part.options)
        answer = truth_word(row["answer"]) if kind == "true_false" else row["answer"]
        part = replace(part, answer=answer, options=bare)
    if former is not None and former.kind != kind:
        content = replace(content, accepted=(), pairs=(), blanks=(), parts=(), original="")
    if row["points"] != was.get("points", ""):
        content = replace(content, points=_points(row["points"]))
    _check_part(part)
    return replace(part, content=content if content != EMPTY else EMPTY)


def _check_part(part: QuestionPart) -> None:
    labels = [option.label for option in part.options]
    shown = f"The part “{part.text[:40]}”"
    match options_fault(kind=part.kind, text=part.text, labels=labels, answer=part.answer):
        case "unexpected":
            raise RowProblem(f"{shown} has options: choose the type multiple choice, or remove them.")
        case "missing" | "single":
            raise RowProblem(f"{shown} needs at least two options, one per line.")
        case "answer":
            raise RowProblem(f"{shown}: the answer must be the letter of an option, or several such as A, C.")
    if part.kind == "true_false" and part.answer not in ("", "True", "False"):
        raise RowProblem(f"{shown}: the answer must be True or False.")


def _points(text: str) -> float | None:
    try:
        points = float(text.replace(",", ".")) if text else None
    except ValueError:
        points = -1.0
    if points is not None and not 0 <= points <= POINTS_LIMIT:
        raise RowProblem(f"“{text[:20]}” is not a number of points.")
    return points


def lines_of(text: str) -> tuple[str, ...]:
    """Return the stripped lines that are not blank."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


# -- pictures -----------------------------------------------------------------------------------------------------


def add_pictures(rows: list[Row], files: Sequence[UploadedFile], problems: list[str]) -> list[Row]:
    """Store uploaded pictures in the bank, and return the rows of all pictures."""
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


def with_pictures(
    content: QuestionContent, rows: Sequence[Row], texts: Sequence[str], former_texts: Sequence[str]
) -> QuestionContent:
    """Return the content with the pictures named in the question's texts, and those that were never named in them."""
    named = picture_names([*texts, *content_texts(content)])
    attached = {row["name"]: row["sha256"] for row in rows if row["sha256"]}
    gone = {*picture_names(former_texts)} - {*named} if not content.original else set()
    kept = {picture.name: picture.sha256 for picture in content.pictures if picture.name not in gone}
    widths = {(picture.name, picture.sha256): picture.width for picture in content.pictures}
    if attached.keys() & named:
        kept |= {name: attached.get(name, "") for name in named if name in attached or name not in kept}
    pictures = (Picture(name, digest, widths.get((name, digest), 0.0)) for name, digest in kept.items())
    return replace(content, pictures=tuple(pictures))


def with_feedback(content: QuestionContent, fields: Mapping[str, Any]) -> QuestionContent:
    """Return the content with the title, points, tags, hints and feedback that were changed in the form."""
    shown = feedback_initial(content)
    said = {name: tidy(value) if isinstance(value, str) else value for name, value in fields.items()}
    changed = {name for name, value in shown.items() if said[name] != (tidy(value) if name != "points" else value)}
    given = {name: said[name] for name in changed & {"title", "points"}}
    if "tags" in changed:
        given["tags"] = tuple(dict.fromkeys(tag.strip() for tag in said["tags"].split(",") if tag.strip()))
    if "hints" in changed:
        given["hints"] = lines_of(said["hints"])
    kinds = {name.removeprefix("feedback_"): said[name] for name in changed if name.startswith("feedback_")}
    return replace(content, **given, feedback=replace(content.feedback, **kinds))


def feedback_initial(content: QuestionContent) -> dict[str, Any]:
    """Return the initial values of these fields."""
    return {
        "title": content.title,
        "points": content.points,
        "tags": ", ".join(content.tags),
        "hints": "\n".join(hint.replace("\n", " ") for hint in content.hints),
        **{f"feedback_{name}": getattr(content.feedback, name) for name in ("general", "right", "partly", "wrong")},
    }
