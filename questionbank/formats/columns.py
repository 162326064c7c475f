"""The columns of a question: the one list of how files, the import page and the bank name its fields.

A new column needs the model, an entry here, and its check in `questionbank.formats.fields`. What other programs call a
column is in `questionbank.formats.column_names`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from analytics.records import ObservedFigures


@dataclass(frozen=True, slots=True)
class Column:
    """A field of a question, or of a concept, that a column of a file can hold.

    Attributes:
        label: its name where a person chooses what a column holds.
        sql: its type in the table of questions; empty if it is stored elsewhere or not at all.
        lost: what is lost without it, in words for teachers.
        companion: a field that means nothing without it.
        own_name: its name in `QuestionRecord`, if different.
        stored_name: its name in the table of questions, if different from that.
        fills: the columns of a question that it states, if not only its own.
        is_optional: whether a file can be imported without it.
        is_written: whether our own tables and JSON have it.
    """

    name: str
    label: str
    sql: str = ""
    lost: str = ""
    companion: str = ""
    own_name: str = ""
    stored_name: str = ""
    fills: tuple[str, ...] = ()
    is_optional: bool = True
    is_written: bool = True

    @property
    def attribute(self) -> str:
        return self.own_name or self.name

    @property
    def stored(self) -> str:
        return self.stored_name or self.attribute


COLUMNS = (
    Column("id", "Identifier", "text", stored_name="source_id"),
    Column("text", "Question", "text", "the wording as it is in the bank", is_optional=False),
    Column("context", "Text before the question", fills=("text",), is_written=False),
    Column("language", "Language", "text", "the language"),
    Column("kind", "Type of question", "text", "the type of question: the file has a similar one"),
    Column("options", "Options, all in one column", "jsonb", fills=("options", "kind"), is_optional=False),
    Column("answer", "Answer", "text", "the answer as it is in the bank", is_optional=False),
    Column("solution", "Worked solution", "text", "the worked solution"),
    Column("equation", "Equation", lost="the equation"),
    Column("program", "Operation program (MathQA)", fills=("equation",), is_written=False),
    Column("calculations", "Calculations of the solution", fills=("equation",), is_written=False),
    Column("numbers", "Numbers", lost="the numbers of the equation"),
    Column("concepts", "Concepts", lost="the concepts"),
    Column("difficulty", "Difficulty", "double precision", "the difficulty", "difficulty_scale"),
    Column("difficulty_scale", "Difficulty scale", "text", "the difficulty", "difficulty"),
    Column("grade", "Grade", "text", "the grade"),
    Column("stage", "Stage", "text", "the stage"),
    Column("facility", "Share of correct responses", "double precision", "how students did", "responses"),
    Column("responses", "Number of responses", "integer", "how students did", "facility"),
    Column("set", "Name of the set", "text", "the name of the set", own_name="source"),
    Column("grading", "Grading, as Kindred writes it", "jsonb", own_name="content"),
    Column("path", "Path of a concept (no question)", is_optional=False, is_written=False),
    Column("name", "Name of a concept (no question)", is_optional=False, is_written=False),
    Column("parent", "Parent of a concept (no question)", is_optional=False, is_written=False),
)
OPTION_COLUMNS = tuple("ABCDEFGH")
"""The columns that hold one option each."""
CONCEPT_FIELDS = frozenset({"path", "name", "parent"})

WRITTEN = tuple(column for column in COLUMNS if column.is_written)
STORED = tuple(column for column in COLUMNS if column.sql)


def _names(columns: Iterable[Column], letters: Iterable[str]) -> Iterator[str]:
    for column in columns:
        if column.name == "options":
            yield from letters
        yield column.name


COLUMN_FIELDS = tuple(_names(COLUMNS, OPTION_COLUMNS))
"""The names of the fields that a column can hold."""
WRITTEN_LETTERS = OPTION_COLUMNS[:5]
OBSERVED_FIELDS = tuple(f"observed_{figure.name}" for figure in fields(ObservedFigures))
"""The columns of the bank's own figures: they are only written, so that no response is counted twice."""
WRITTEN_FIELDS = (*_names(WRITTEN, WRITTEN_LETTERS), *OBSERVED_FIELDS)
"""The columns of the tables that we write."""
OPTIONAL_FIELDS = {column.name: column.companion for column in COLUMNS if column.is_optional}
"""The fields that an import can leave out, each with the field that means nothing without it, or ""."""
