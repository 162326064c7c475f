"""Files of paraphrases, as JSON Lines or CSV: pairs that are read, and reviewers' decisions that are written.

A file of pairs, which may be gzipped, has one pair of `original` and `paraphrase` per line. Encoding, delimiter and
header are detected as for question files. Other fields: ``id``, ``language`` (detected if absent), ``label`` (1 valid,
0 not), and ``question``, the number of a question in the bank, whose text is the original if none is given. Unknown
fields are ignored, null means absent. Each ``id`` must be unique.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analytics.json_lines import TEXT_LIMIT, UNPACKED_LIMIT, parse_object
from analytics.languages import detect_language
from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.columns import plain_name
from questionbank.formats.csv_files import DecodedLines, guard_cell, table_rows
from questionbank.formats.fields import LANGUAGE_TAG, FieldProblems, Fields
from questionbank.formats.layout import find_header, table_sample
from questionbank.formats.limits import ID_LIMIT, LANGUAGE_LIMIT, LINES_LIMIT
from questionbank.formats.lines import decode_text, file_encoding, first_bytes, read_lines, refuse_unreadable

PAIR_COLUMNS = ("id", "original", "paraphrase", "language", "question", "label")
_ALIASES = {
    "original": (
        "original text | original question | source | text | question text | frage | ausgangstext | 原文 | 原题"
    ),
    "paraphrase": (
        "paraphrase text | rewording | reworded | paraphrased | umformulierung | umschreibung | reformulation"
        " | parafrasis | reformulacion | 改写 | 复述"
    ),
    "id": "pair id | nr | 编号",
    "language": "lang | sprache | langue | idioma | 语言",
    "question": "question id | question number",
    "label": "valid | is paraphrase | gultig | 标签",
}
_FIELD_OF_NAME = {name.strip(): field for field, names in _ALIASES.items() for name in (*names.split("|"), field)}
_LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair as in the file; `original` may be empty if `question` names one."""

    id: str
    original: str
    paraphrase: str
    language: str
    question: int | None
    label: int | None = None


def read_pair_file(
    path: Path, *, unpacked_limit: int = UNPACKED_LIMIT, lines_limit: int = LINES_LIMIT
) -> Iterator[tuple[int, PairRow | LineProblem]]:
    """Yield the pair or the problem of each non-blank line; the format is detected from the content.

    Raises:
        ImportRefused: the file as a whole cannot be read, or is larger than the limits.
    """
    refuse_unreadable(path)
    start = first_bytes(path, 4096).lstrip(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise ImportRefused(f"{path.name} is empty.")
    encoding = file_encoding(path)
    first_line_of: dict[str, int] = {}
    lines = read_lines(path, unpacked_limit=unpacked_limit, lines_limit=lines_limit)
    is_json = start.startswith((b"{", b"["))
    for number, row in _json_rows(lines, encoding) if is_json else _csv_rows(lines, path, encoding):
        if isinstance(row, LineProblem):
            yield number, row
            continue
        try:
            pair = _pair(row)
        except (FieldProblems, ValueError) as error:
            yield number, LineProblem(number, str(error))
            continue
        first = first_line_of.setdefault(pair.id, number) if pair.id else number
        if first != number:
            yield number, LineProblem(number, f"the id {pair.id!r} is already used in line {first:,}", "id")
        else:
            yield number, pair


_Rows = Iterator[tuple[int, Mapping[str, Any] | LineProblem]]


def _json_rows(lines: Iterator[tuple[int, bytes | LineProblem]], encoding: str) -> _Rows:
    for number, line in lines:
        if isinstance(line, LineProblem):
            yield number, line
        elif line.strip():
            try:
                yield number, parse_object(decode_text(line.rstrip(), encoding))
            except ValueError as error:
                yield number, LineProblem(number, str(error))


def _csv_rows(lines: Iterator[tuple[int, bytes | LineProblem]], path: Path, encoding: str) -> _Rows:
    header = find_header(table_sample(path, encoding), _count_known)
    names = _fields(header.names)
    if not _holds_pairs(names):
        reason = "it needs the columns original and paraphrase"
        raise ImportRefused(
            f"{path.name} is neither JSON Lines nor a CSV table of pairs: {reason}.", [LineProblem(1, reason)]
        )
    decoded = DecodedLines(lines, encoding)
    decoded.skip_to(header.line)
    next(csv.reader(decoded, delimiter=header.delimiter), None)
    if problem := decoded.take_bad():
        raise ImportRefused(f"The header of {path.name} cannot be read: {problem.reason}.", [problem])
    yield from table_rows(decoded, names, header.delimiter)


def _fields(names: Sequence[str]) -> list[str]:
    """Return the field of each column; no field appears twice, and our own names take precedence."""
    fields = [name.strip().lower() if name.strip().lower() in PAIR_COLUMNS else "" for name in names]
    fields = [field if field not in fields[:place] else "" for place, field in enumerate(fields)]
    for place, name in enumerate(names):
        field = _FIELD_OF_NAME.get(plain_name(name), "")
        if field and field not in fields and not fields[place]:
            fields[place] = field
    return fields


def _holds_pairs(fields: Sequence[str]) -> bool:
    return "paraphrase" in fields and ("original" in fields or "question" in fields)


def _count_known(cells: Sequence[str], _below: Sequence[str]) -> int:
    fields = _fields(cells)
    return sum(map(bool, fields)) if _holds_pairs(fields) else 0


def _pair(row: Mapping[str, Any]) -> PairRow:
    """Check one line.

    Raises:
        FieldProblems, ValueError: a field is invalid; the message is for the user.
    """
    question, fields = _question(row.get("question")), Fields(row)
    original, paraphrase, language = (
        fields.string(name, TEXT_LIMIT).strip() for name in ("original", "paraphrase", "language")
    )
    identifier = fields.string("id", ID_LIMIT, number_allowed=True).strip()
    if fields.problems:
        raise FieldProblems(fields.problems[:1])
    if not original and question is None:
        raise ValueError("original is missing or empty")
    if not paraphrase:
        raise ValueError("paraphrase is missing or empty")
    if original == paraphrase:
        raise ValueError("original and paraphrase are the same text")
    language = language.lower()
    if language and (len(language) > LANGUAGE_LIMIT or not LANGUAGE_TAG.fullmatch(language)):
        raise ValueError("language is not a language tag such as en or zh")
    return PairRow(
        id=identifier,
        original=original,
        paraphrase=paraphrase,
        language=language or detect_language(original or paraphrase),
        question=question,
        label=_label(row.get("label")),
    )


_LABELS = {"1": 1, "0": 0, "1.0": 1, "0.0": 0, "true": 1, "false": 0, "valid": 1, "invalid": 0}


def _label(value: Any) -> int | None:
    if value is None or value == "":
        return None
    label = _LABELS.get(str(value).strip().lower())
    if label is None:
        raise ValueError("label must be 1 (valid) or 0 (not valid)")
    return label


def _question(value: Any) -> int | None:
    if value is None or value == "":
        return None
    text = str(value).strip()
    is_number = not isinstance(value, bool | float) and text.isascii() and text.isdecimal()
    if not is_number or len(text) > 19 or int(text) > _LARGEST_ID:
        raise ValueError("question must be the number of a question in the bank")
    return int(text)


Row = Mapping[str, Any]


def _json_lines(rows: Iterable[Row], fields: Sequence[str]) -> Iterator[str]:
    for row in rows:
        yield json.dumps({name: row[name] for name in fields}, ensure_ascii=False) + "\n"


def _csv_lines(rows: Iterable[Row], fields: Sequence[str]) -> Iterator[str]:
    yield "\ufeff" + _csv_line(fields)
    for row in rows:
        yield _csv_line([_cell(row[name]) for name in fields])


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return guard_cell(str(value))


REVIEW_FORMATS: dict[str, tuple[str, Callable[[Iterable[Row], Sequence[str]], Iterator[str]]]] = {
    "jsonl": ("application/x-ndjson", _json_lines),  # name -> media type, writer; a literal table
    "csv": ("text/csv", _csv_lines),
}


def review_lines(rows: Iterable[Row], fields: Sequence[str], format: str) -> Iterator[str]:
    """Return the rows as lines of text; CSV starts with its header.

    Raises:
        KeyError: the format is not one of `REVIEW_FORMATS`.
    """
    return REVIEW_FORMATS[format][1](rows, fields)
