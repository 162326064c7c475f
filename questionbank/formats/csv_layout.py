"""How a CSV file is laid out: its encoding, its delimiter and what each column holds; guessed, or said by a person."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from questionbank.errors import ImportRefused, LineProblem
from questionbank.formats.lines import first_bytes

__all__ = [
    "COLUMN_FIELDS",
    "DELIMITERS",
    "ENCODINGS",
    "OPTION_COLUMNS",
    "CsvLayout",
    "guess_columns",
    "guess_encoding",
    "guess_layout",
    "header_cells",
    "known_columns",
]

OPTION_COLUMNS = tuple("ABCDEFGH")
COLUMN_FIELDS = (
    "id", "text", "language", "kind", *OPTION_COLUMNS, "options", "answer", "solution", "equation", "numbers",
    "concepts", "difficulty", "difficulty_scale", "grade", "stage", "facility", "responses", "set", "path", "name",
    "parent",
)  # fmt: skip
"""What a column can hold."""

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
ENCODINGS = {"utf-8": "UTF-8", "windows-1252": "Windows-1252", "gb18030": "GB18030"}
MOST_COLUMNS = 200

_ALIASES = {  # how other programs name a column, small and without signs; a literal table
    "text": ("question", "questions", "question text", "problem", "stem", "item", "题目", "题干", "问题"),
    "id": ("question id", "questionid", "qid", "item id", "identifier", "number", "no", "编号", "题号"),
    "answer": ("correct", "correct answer", "key", "answer key", "solution key", "答案", "正确答案"),
    "solution": ("worked solution", "explanation", "rationale", "working", "解析", "解答", "分析"),
    "concepts": ("concept", "topic", "topics", "skill", "skills", "subject", "knowledge points", "知识点"),
    "difficulty": ("level", "difficulty level", "难度"),
    "grade": ("year", "year group", "class", "年级"),
    "language": ("lang", "语言"),
    "kind": ("type", "question type", "题型"),
    "set": ("dataset", "data set", "collection"),
    "equation": ("formula", "expression", "方程"),
    "stage": ("key stage", "phase", "学段"),
    **{
        letter: (f"option {letter}", f"choice {letter}", f"answer {letter}", f"选项{letter}")
        for letter in OPTION_COLUMNS
    },
}
_FIELD_OF_ALIAS = {alias.lower(): field for field, aliases in _ALIASES.items() for alias in aliases}
_SAMPLE = 65_536  # bytes that a guess looks at


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """How to read a CSV file.

    Attributes:
        columns: the field of each column, in their order; empty for one that is not read.
    """

    delimiter: str
    encoding: str
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse what no file can have.

        Raises:
            ImportRefused: with the reason.
        """
        if self.delimiter not in DELIMITERS:
            raise ImportRefused(f"The delimiter is not known; use one of {', '.join(DELIMITERS.values())}.")
        if self.encoding not in ENCODINGS:
            raise ImportRefused(
                f"The encoding {self.encoding!r} is not known; use one of {', '.join(ENCODINGS)}."
            )
        used = [field for field in self.columns if field]
        unknown = sorted({*used} - {*COLUMN_FIELDS})
        if unknown:
            raise ImportRefused(
                f"A column cannot hold {unknown[0]!r}; use one of {', '.join(COLUMN_FIELDS)}."
            )
        twice = sorted({field for field in used if used.count(field) > 1})
        if twice:
            reason = f"two columns are read as {twice[0]}"
            raise ImportRefused(f"The columns cannot be read: {reason}.", [LineProblem(1, reason)])


def known_columns(cells: Sequence[str]) -> list[str]:
    """Return the fields of columns that bear our own names; other names as they stand, in small letters."""
    names = [cell.strip() for cell in cells]
    return [name if name in OPTION_COLUMNS else name.lower() for name in names]


def guess_columns(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the field of each column by its name, or by a usual name for it; each field once.

    >>> guess_columns(["Question", "Option A", "Correct answer", "Author"])
    ('text', 'A', 'answer', '')
    """
    fields = [name if name in COLUMN_FIELDS else "" for name in known_columns(cells)]
    fields = [field if field not in fields[:place] else "" for place, field in enumerate(fields)]
    for place, cell in enumerate(cells):
        alias = re.sub(r"[\s_.-]+", " ", cell).strip().lower()
        field = _FIELD_OF_ALIAS.get(alias, "")
        if not fields[place] and field and field not in fields:
            fields[place] = field
    return tuple(fields)


def guess_encoding(beginning: bytes) -> str:
    r"""Return the encoding of a text that begins so.

    GB18030 could decode most of Windows-1252 too; but in Chinese text both bytes of a character are above
    0xA0, and in Western text an accented letter mostly stands beside a plain one.

    >>> guess_encoding("2 × 3 求".encode()), guess_encoding("求面积".encode("gb18030"))
    ('utf-8', 'gb18030')
    >>> guess_encoding("Größe, caf\u00e9".encode("windows-1252"))
    'windows-1252'
    """
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning, final=False)
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    high = len(re.findall(rb"[\x81-\xfe]", beginning))
    pairs = len(re.findall(rb"[\xa1-\xf7][\xa1-\xfe]", beginning))
    try:
        codecs.getincrementaldecoder("gb18030")().decode(beginning, final=False)
    except UnicodeDecodeError:
        return "windows-1252"
    return "gb18030" if 2 * pairs >= 0.8 * high else "windows-1252"


def header_cells(path: Path, encoding: str, delimiter: str = "") -> tuple[list[str], str]:
    """Return the names of the columns, and the delimiter: the one given, else the one that divides the line best.

    Raises:
        ImportRefused: the file cannot be read, or its first line is no header.
    """
    line = first_bytes(path, _SAMPLE).removeprefix(codecs.BOM_UTF8)
    line = re.split(rb"[\r\n]", line, maxsplit=1)[0]
    best: list[str] = []
    chosen = ""
    for candidate in [delimiter] if delimiter else DELIMITERS:
        try:
            cells = next(csv.reader([line.decode(encoding, "replace")], delimiter=candidate, strict=True), [])
        except csv.Error:
            continue
        fields = [field for field in guess_columns(cells) if field]
        if not chosen or (len(fields), len(cells)) > (len([f for f in guess_columns(best) if f]), len(best)):
            best, chosen = cells, candidate
    if not any(cell.strip() for cell in best) or len(best) > MOST_COLUMNS:
        reason = "it is not a header of columns"
        raise ImportRefused(
            f"The first line of {path.name} cannot be read: {reason}.", [LineProblem(1, reason)]
        )
    return best, chosen


def guess_layout(
    path: Path,
    *,
    delimiter: str = "",
    encoding: str = "",
    columns: Mapping[str, str] | None = None,
) -> CsvLayout:
    """Return the layout of a file; what is not given is guessed.

    Args:
        columns: field by the name of a column as its header has it, for those whose guess is wrong.

    Raises:
        ImportRefused: the header cannot be read, or names no such column.
    """
    encoding = encoding or guess_encoding(first_bytes(path, _SAMPLE))
    if encoding not in ENCODINGS:
        raise ImportRefused(f"The encoding {encoding!r} is not known; use one of {', '.join(ENCODINGS)}.")
    cells, delimiter = header_cells(path, encoding, delimiter)
    names = [cell.strip() for cell in cells]
    chosen_fields = dict(columns or {})
    missing = sorted(set(chosen_fields) - set(names))
    if missing:
        raise ImportRefused(f"{path.name} has no column {missing[0]!r}; it has {', '.join(names)}.")
    fields = tuple(
        chosen_fields.get(name, "" if guess in chosen_fields.values() else guess)
        for name, guess in zip(names, guess_columns(cells), strict=True)
    )
    return CsvLayout(delimiter, encoding, fields)
