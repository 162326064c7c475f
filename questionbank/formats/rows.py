"""Turn a row of any format into a question or a concept: normalise, read and check."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from analytics.question_content import content_texts
from analytics.records import QuestionRecord
from analytics.text.characters import PICTURE
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats.columns import OPTION_COLUMNS
from questionbank.formats.csv_files import split_list
from questionbank.formats.fields import UNKNOWN_SCALE, FieldProblems, FileScale, read_question
from questionbank.formats.html_text import html_to_text
from questionbank.formats.json_objects import lost_command, restore_commands
from questionbank.formats.kinds import kind_of_name, options_fault
from questionbank.formats.scales import AS_PUBLISHED, DifficultyReading, plain_number, read_column
from questionbank.formats.seam import ConceptRow, is_concept_row, read_concept_row
from questionbank.formats.shapes import (
    answer_label,
    boxed_answer,
    concept_paths,
    final_answer,
    option_list,
    options_of_text,
)
from questionbank.formats.written_numbers import damage_note, decimal_text, plain

_NUMERAL = re.compile(r"[\d½⅓⅔¼¾π∞一二三四五六七八九十]|\\(?:pi|infty)\b|(?<![A-Za-z])(?:e|pi)(?![A-Za-z])")
Warnings = Iterator[tuple[str, str]]


def _spreadsheet_damage(record: QuestionRecord) -> Warnings:
    if note := damage_note(record.answer):
        yield "answer", f"answer {note}"
    for option in record.options:
        if note := damage_note(option.text):
            yield "options", f"option {note}"


def _single_option(record: QuestionRecord) -> Warnings:
    if len(record.options) == 1:
        yield "options", "the question has only one option; it needs another before it can be edited"


def _number_without_one(record: QuestionRecord) -> Warnings:
    if record.kind == "number":
        said = " ".join([record.answer, *(answer.text for answer in record.content.accepted)])
        if not _NUMERAL.search(said):
            yield "answer", "a question that asks for a number has an answer that is not a number"


def _pictures_nobody_has(record: QuestionRecord) -> Warnings:
    # Pictures missing from an item's file are reported by its reader.
    known = {picture.name for picture in record.content.pictures}
    for field, text in (
        ("text", record.text),
        *(("options", option.text) for option in record.options),
        ("solution", record.solution),
        *(("grading", text) for text in content_texts(record.content)),
    ):
        for match in PICTURE.finditer(text) if "![" in text else ():
            name = match["name"].strip()
            if "://" in name:
                what = f"the picture at {name[:100]}, which is not fetched: its address is shown instead"
                yield field, f"{field} shows {what}"
            elif name and name not in known:
                yield field, f"{field} names the picture {name[:60]!r}, which is not in the file"


CHECKS: tuple[Callable[[QuestionRecord], Warnings], ...] = (
    _spreadsheet_damage,
    _single_option,
    _number_without_one,
    _pictures_nobody_has,
)
"""Each yields (field, reason)."""


def record_warnings(record: QuestionRecord) -> Warnings:
    """Yield (field, reason) for everything that looks wrong."""
    for check in CHECKS:
        yield from check(record)


RowEntry = QuestionRecord | ConceptRow | LineProblem | LineWarning
_TEXTS = ("text", "answer", "solution")
_EQUALS = re.compile(r"\s*[A-Za-z]\s*=\s*(?=\S)")
_INLINE_PICTURE = re.compile(r"!\[([^\[\]]*)\]\(data:[^()]*\)")
_TOO_LONG_FOR_A_CELL = 40  # characters of a difficulty that are shown


class RowReader:
    """Reads the rows of one file.

    Args:
        values_of: yields the raw values of a column in a second pass; called at the first difficulty that is not a
            number.
        scale: what is known about the difficulty scale.
        without: fields to leave out.
        has_own_paths: whether concepts use our notation; if not, arrows also separate their levels.
    """

    def __init__(
        self,
        values_of: Callable[[str], Iterator[Any]],
        *,
        scale: FileScale = UNKNOWN_SCALE,
        without: Collection[str] = (),
        has_own_paths: bool = False,
    ) -> None:
        self._has_own_paths = has_own_paths
        self._values_of = values_of
        self._scale = scale
        self._without = frozenset(without)
        self._difficulty: DifficultyReading | None = None
        self.notes: list[str] = []

    def read(self, line: int, row: dict[str, Any]) -> Iterator[tuple[int, RowEntry]]:
        """Yield the warnings of a row followed by its question or concept, or only its problem."""
        for field in self._without & row.keys():
            del row[field]
        said: list[tuple[str, str]] = []
        try:
            entry = self._read(line, row, said)
        except FieldProblems as error:
            yield line, LineProblem(line, str(error), error.problems[0][0], tuple(error.problems))
            return
        for field, reason in said:
            yield line, LineWarning(line, reason, field)
        yield line, entry

    def _read(self, line: int, row: dict[str, Any], said: list[tuple[str, str]]) -> QuestionRecord | ConceptRow:
        if is_concept_row(row):
            if type(row.get("path")) is str:
                paths = concept_paths(row["path"], has_arrows=False)
                if len(paths) != 1:
                    raise FieldProblems([("path", "path must be one path of names")])
                row["path"] = paths[0]
            return read_concept_row(row, line)
        problems: list[tuple[str, str]] = []
        if row.get("concepts"):
            row["concepts"] = concept_paths(row["concepts"], has_arrows=not self._has_own_paths)
        _tidy_shapes(row, said, problems)
        _tidy_texts(row, said, problems)
        scale = self._tidy_numbers(row, problems)
        _name_the_option(row, said)
        try:
            record = read_question(row, scale=scale)
        except FieldProblems as error:
            problems += error.problems
        if problems:
            raise FieldProblems(problems)
        said += record_warnings(record)
        return record

    # -- numbers --------------------------------------------------------------------------------------------------

    def _tidy_numbers(self, row: dict[str, Any], problems: list[tuple[str, str]]) -> FileScale:
        scale = self._scale
        difficulty = row.get("difficulty")
        if type(difficulty) is str:
            value = plain_number(difficulty)
            if value is None and difficulty.strip():
                value, scale = self._placed(difficulty.strip(), problems)
            row["difficulty"] = value
        if type(row.get("facility")) is str:
            row["facility"] = _share(row["facility"], problems)
            if row["facility"] is None:  # reported once; the number of responses means nothing alone
                row["responses"] = None
        if type(row.get("responses")) is str:
            digits = row["responses"].strip()
            if digits.isdecimal() and len(digits) <= 12:
                row["responses"] = int(digits)
            else:
                problems.append(("responses", "responses must be a whole number, zero or more"))
                row["responses"] = None
        return scale

    def _placed(self, difficulty: str, problems: list[tuple[str, str]]) -> tuple[float | None, FileScale]:
        """Return a non-numeric difficulty, interpreted by the column as a whole, and its scale."""
        if self._difficulty is None:
            self._difficulty = read_column(self._difficulties())
            if note := self._difficulty.note():
                self.notes.append(note)
        value = self._difficulty.value(difficulty)
        if value is None:
            is_long = len(difficulty) > _TOO_LONG_FOR_A_CELL
            shown = f"{difficulty[:_TOO_LONG_FOR_A_CELL]}…" if is_long else difficulty
            problems.append(("difficulty", f"difficulty {self._difficulty.why_not(shown)}"))
            return None, self._scale
        if self._scale.stated or self._difficulty.scale == AS_PUBLISHED:
            return value, self._scale
        return value, FileScale(stated=self._difficulty.scale)

    def _difficulties(self) -> Iterator[Any]:
        try:
            yield from self._values_of("difficulty")
        except ImportRefused:  # the reader reports damage further down
            return


def _share(text: str, problems: list[tuple[str, str]]) -> float | None:
    is_percent = text.strip().endswith(("%", "％"))
    value = plain_number(text.strip().rstrip("%％")) if text.strip() else None
    if value is None and text.strip():
        problems.append(("facility", f"facility {text.strip()[:40]!r} is not a share such as 0.75 or 75%"))
    return value / 100 if is_percent and value is not None else value


# -- shapes -------------------------------------------------------------------------------------------------------


def _tidy_shapes(row: dict[str, Any], said: list[tuple[str, str]], problems: list[tuple[str, str]]) -> None:
    if "context" in row:
        context = row.pop("context")
        if type(context) is str and context.strip() and type(row.get("text")) is str:
            row["text"] = f"{context.strip()} {row['text'].strip()}"
    _tidy_options(row, problems)
    _join_lists(row)
    if type(row.get("grading")) is str:
        try:
            row["grading"] = json.loads(row["grading"])
        except (ValueError, RecursionError):
            problems.append(("grading", "grading must be JSON, as Kindred writes it"))
            row["grading"] = None
    if type(row.get("answer")) in (int, float):
        row["answer"] = decimal_text(row["answer"])
    _tidy_answer(row, said)
    _tidy_equation(row, said)
    for name in ("numbers", "calculations"):
        if type(row.get(name)) is str:
            row[name] = split_list(row[name])
    kind = row.get("kind")
    if type(kind) is str and kind.strip():
        row["kind"] = kind_of_name(kind)
        if not row["kind"]:
            row["kind"] = "opaque"
            said.append(("kind", f"the kind {kind.strip()[:40]!r} is not known; the question is kept as another type"))


def _join_lists(row: dict[str, Any]) -> None:
    """Join lists, such as solutions in TAL-SCQ5K and answers in MAWPS; an equation must be the only one."""
    for name, sign in (("answer", "; "), ("solution", "\n\n"), ("equation", "")):
        value = row.get(name)
        if type(value) is list and value and all(type(one) in (str, int, float) for one in value):
            texts = [one if type(one) is str else plain(one) for one in value]
            if sign or len(texts) == 1:
                row[name] = sign.join(filter(None, texts))


def _tidy_equation(row: dict[str, Any], said: list[tuple[str, str]]) -> None:
    equation = row.get("equation")
    if type(equation) is str and (match := _EQUALS.match(equation)):
        row["equation"] = equation[match.end() :]
        said.append(("equation", "equation names its unknown, as in x=2*3; only what follows the equals sign is read"))


def _tidy_options(row: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    lettered = [
        {"label": label, "text": decimal_text(row[label]) if type(row[label]) in (int, float) else row[label]}
        for label in OPTION_COLUMNS
        if row.get(label) not in (None, "")
    ]
    for label in OPTION_COLUMNS:
        row.pop(label, None)
    options = row.get("options")
    if lettered and options:
        problems.append(("options", "options are given both in their own columns and in options"))
        row["options"] = None
    elif lettered:
        row["options"] = lettered
    elif type(options) is str and options.strip():
        try:
            row["options"] = options_of_text(options)
        except ValueError as error:
            problems.append(("options", str(error)))
            row["options"] = None
    elif options:
        row["options"] = option_list(options)


def _tidy_answer(row: dict[str, Any], said: list[tuple[str, str]]) -> None:
    answer = row.get("answer")
    if type(answer) is str and "####" in answer:
        row["answer"], worked, calculations = final_answer(answer)
        if worked and not row.get("solution"):
            row["solution"] = worked
            said.append(("answer", "answer holds a worked solution; what follows #### is taken as the answer"))
        if calculations and not row.get("calculations"):
            row["calculations"] = calculations
    elif answer in (None, "") and type(row.get("solution")) is str and r"\boxed" in row["solution"]:
        row["answer"] = boxed_answer(row["solution"])
        said.append(("answer", r"answer is missing; what the solution has in \boxed is taken as the answer"))


def _name_the_option(row: dict[str, Any], said: list[tuple[str, str]]) -> None:
    """Replace an answer's text by its option's label; make a choice question without options an open one."""
    options, answer = row.get("options"), row.get("answer")
    if type(options) is list and options and type(answer) is str and answer:
        if not all(type(option) is dict and type(option.get("label")) is str for option in options):
            return
        shown = [option for option in options if type(option.get("text")) is str]
        is_label = answer in [option["label"].strip() for option in options]
        if not is_label and (label := answer_label(answer, shown)):
            row["answer"] = label
            reason = "answer names an option by something other than its label; the label replaces it"
            said.append(("answer", reason))
    text = row.get("text")
    is_bare_choice = row.get("kind") == "choice" and not options
    if is_bare_choice and isinstance(text, str) and options_fault(kind="choice", text=text, labels=(), answer=""):
        row["kind"] = ""
        said.append(("kind", "kind is choice, but the question has no options; it becomes an open question"))


# -- texts --------------------------------------------------------------------------------------------------------


def _tidy_texts(row: dict[str, Any], said: list[tuple[str, str]], problems: list[tuple[str, str]]) -> None:
    for name in _TEXTS:
        value = row.get(name)
        if type(value) is str and value:
            row[name] = _tidied(name, value, said, problems)
    options = row.get("options")
    if type(options) is list:
        for option in options:
            if type(option) is dict and type(option.get("text")) is str:
                option["text"] = _tidied("options", option["text"], said, problems)
    concepts = row.get("concepts")
    if type(concepts) is list:
        for path in concepts:
            if type(path) is list:
                path[:] = [html_to_text(name)[0] if type(name) is str else name for name in path]


def _tidied(name: str, value: str, said: list[tuple[str, str]], problems: list[tuple[str, str]]) -> str:
    if "](data:" in value:
        value = _INLINE_PICTURE.sub("![\\1]()", value)
        what = "a picture as base64, which is not read from tables and JSON: it was left out"
        said.append((name, f"{name} holds {what}"))
    if "<" in value or "&" in value:
        text, went = html_to_text(value)
        if text != value:
            said.append((name, f"{name} holds HTML; it is read as plain text with formulas"))
            said += [(name, f"{name}: {what}") for what in went]
            value = text
    if command := lost_command(value):
        restored = restore_commands(value)
        if lost_command(restored):
            sign = {"f": "form feed", "b": "backspace"}.get(command[0], "control character")
            what = f"{name} holds a {sign} where LaTeX has lost a backslash, before {command[1:]!r}"
            problems.append((name, f"{what}; double the backslashes"))
        else:
            said.append((name, rf"{name} has lost the backslash of \{command}; it is read as LaTeX"))
            value = restored
    return value
