"""The staging table of an import: COPY in, then a handful of statements into the bank.

Through the ORM, row by row, 100,000 questions take minutes; here PostgreSQL moves them itself. The tables
are temporary: they are visible to nobody else and dropped with the transaction.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection
from django.utils import timezone

from analytics.question_content import as_json
from analytics.records import ConceptPath, QuestionRecord
from analytics.text.meaning import same_answer
from questionbank.bank.difficulty_selectors import counted_percent
from questionbank.bank.question_selectors import ANSWER_KEY_SQL, answer_key, content_hash
from questionbank.bank.question_services import equation_graph_key
from questionbank.bank.search_index import question_tokens
from questionbank.formats.columns import STORED
from questionbank.formats.seam import fields_digest
from questionbank.imports.report import NOT_KEPT, PROBLEMS_KEPT, DuplicateLink, Totals
from questionbank.models.visibility import seen_sql

if TYPE_CHECKING:
    from psycopg import Copy

    from questionbank.models import User
    from questionbank.people.school_selectors import Shows

IMPORT_LOCK = 7_201_003  # advisory lock: two imports of one file must not both find its questions missing

_COPIED = {  # columns copied into the bank unchanged
    **{column.stored: column.sql for column in STORED},
    "difficulty_percent": "double precision",
    "content_hash": "bytea",
}
_COMPUTED = {  # columns of a staged question: values that `staged_question` computes
    **_COPIED,
    "answer_key": "text",
    "tokens": "text",
    "equation": "text",
    "numbers": "jsonb",
    "graph_key": "text",
    "original_format": "text",
    "original": "bytea",
    "preamble": "bytea",
    "fields": "bytea",
}
_COLUMNS = {"line": "integer", **_COMPUTED, "paths": "integer[]"}

# A line without an answer is the same question as one with an answer, because nothing of it is lost.
_FILL_ANSWERS = """
    UPDATE staged_question s SET answer_key = f.answer_key
    FROM (
        SELECT DISTINCT ON (content_hash) content_hash, answer_key
        FROM staged_question WHERE answer_key <> '' ORDER BY content_hash, line
    ) f
    WHERE s.answer_key = '' AND s.content_hash = f.content_hash
"""

_MOST_COMPARED = 1_000  # pairs of answers compared per import, at some tens of milliseconds each if they are formulas
_MOST_ANSWERS = 8  # per text; a text with more is not a question of its own, such as "Find x."

_SEVERAL_ANSWERS = f"""
    SELECT content_hash, array_agg(answer_key ORDER BY is_staged, place) FROM (
        SELECT q.content_hash, {ANSWER_KEY_SQL.format(answer="q.answer")} AS answer_key,
               false AS is_staged, q.id AS place
        FROM questionbank_question q
        WHERE q.status <> 'retired' AND q.content_hash IN (SELECT content_hash FROM staged_question)
            AND <is_visible>
        UNION ALL
        SELECT content_hash, answer_key, false, survivor_id FROM staged_merged
        UNION ALL
        SELECT content_hash, answer_key, true, line FROM staged_question
    ) answers
    WHERE answer_key <> ''
    GROUP BY content_hash HAVING count(DISTINCT answer_key) BETWEEN 2 AND {_MOST_ANSWERS}
    ORDER BY min(place) FILTER (WHERE is_staged)
"""  # noqa: S608 - only names from this module
_UNIFY = """
    UPDATE staged_question s SET answer_key = u.equal
    FROM unnest(%s::bytea[], %s::text[], %s::text[]) AS u(content_hash, answer_key, equal)
    WHERE s.content_hash = u.content_hash AND s.answer_key = u.answer_key
"""

# Questions that were merged into others, and the question that survived them: their lines are not new.
_MERGED = """
    CREATE TEMPORARY TABLE staged_merged ON COMMIT DROP AS
    WITH RECURSIVE merged AS (
        SELECT q.content_hash, {stored_key} AS answer_key, q.merged_into_id AS survivor_id
        FROM questionbank_question q
        WHERE q.merged_into_id IS NOT NULL AND {is_visible}
            AND q.content_hash IN (SELECT content_hash FROM staged_question)
        UNION
        SELECT merged.content_hash, merged.answer_key, q.merged_into_id
        FROM merged JOIN questionbank_question q ON q.id = merged.survivor_id
        WHERE q.merged_into_id IS NOT NULL
    )
    SELECT merged.* FROM merged JOIN questionbank_question q ON q.id = merged.survivor_id
    WHERE q.status <> 'retired' AND {is_visible}
"""

_MATCH = """
    CREATE TEMPORARY TABLE staged_match ON COMMIT DROP AS
    SELECT content_hash, answer_key, first_line, existing_id,
           CASE WHEN existing_id IS NULL THEN {new_id} END AS new_id
    FROM (
        SELECT s.content_hash, s.answer_key, s.first_line, coalesce(min(q.id), min(m.survivor_id)) AS existing_id
        FROM (
            SELECT content_hash, answer_key, min(line) AS first_line FROM staged_question GROUP BY 1, 2
        ) s
        LEFT JOIN questionbank_question q
            ON q.content_hash = s.content_hash AND q.status <> 'retired' AND {is_visible}
            AND (s.answer_key = '' OR {stored_key} = s.answer_key)
        LEFT JOIN staged_merged m
            ON m.content_hash = s.content_hash AND (s.answer_key = '' OR m.answer_key = s.answer_key)
        GROUP BY 1, 2, 3 ORDER BY 3
    ) in_order_of_the_file
"""

_INSERT_QUESTIONS = f"""
    INSERT INTO questionbank_question
        (id, {", ".join(_COPIED)}, status, search_vector, version, created_by_id, created_at, updated_at, import_run_id,
        visibility, school_id)
    SELECT m.new_id, {", ".join("s." + name for name in _COPIED)},
           %(status)s, to_tsvector('simple', s.tokens), 1, %(user)s, %(now)s, %(now)s, %(run)s,
           %(visibility)s, %(school)s
    FROM staged_question s
    JOIN staged_match m ON m.first_line = s.line
    WHERE m.new_id IS NOT NULL AND s.line BETWEEN %(first)s AND %(last)s
    ORDER BY s.line
"""  # noqa: S608 - only names from this module

_INSERT_DUPLICATES = """
    INSERT INTO questionbank_importduplicate (run_id, question_id)
    SELECT %(run)s::bigint, existing_id FROM staged_match WHERE existing_id IS NOT NULL
    UNION SELECT %(run)s::bigint, question_id FROM staged_known
"""

_INSERT_EQUATIONS = """
    INSERT INTO questionbank_questionequation (question_id, expression, numbers, set_by, graph_key)
    SELECT m.new_id, s.equation, s.numbers, 'source', s.graph_key
    FROM staged_question s JOIN staged_match m ON m.first_line = s.line
    WHERE m.new_id IS NOT NULL AND s.equation <> ''
"""

_INSERT_ORIGINALS = """
    INSERT INTO questionbank_questionoriginal (question_id, format, data, preamble, fields)
    SELECT m.new_id, s.original_format, s.original, s.preamble, s.fields
    FROM staged_question s JOIN staged_match m ON m.first_line = s.line
    WHERE m.new_id IS NOT NULL AND s.original IS NOT NULL
"""

_INSERT_TAGS = """
    WITH tagged AS (
        SELECT coalesce(m.existing_id, m.new_id) AS question_id, s.paths
        FROM staged_question s JOIN staged_match m USING (content_hash, answer_key)
        JOIN questionbank_question q ON q.id = coalesce(m.existing_id, m.new_id)
        WHERE {may_change}
        UNION ALL
        SELECT question_id, paths FROM staged_known
    ), added AS (
        INSERT INTO questionbank_questiontag
            (question_id, concept_id, set_by, user_id, created_at, import_run_id)
        SELECT DISTINCT t.question_id, c.concept_id, 'import', %(user)s::bigint,
               %(now)s::timestamptz, %(run)s::bigint
        FROM tagged t
        CROSS JOIN unnest(t.paths) AS p(number)
        JOIN unnest(%(numbers)s::int[], %(concepts)s::bigint[]) AS c(number, concept_id) USING (number)
        ON CONFLICT (question_id, concept_id) DO NOTHING
        RETURNING question_id
    )
    SELECT count(DISTINCT question_id) FROM added
"""

_LINKS = """
    SELECT s.line, coalesce(m.existing_id, m.new_id), CASE WHEN m.existing_id IS NULL THEN m.first_line END
    FROM staged_question s JOIN staged_match m USING (content_hash, answer_key)
    WHERE m.existing_id IS NOT NULL OR m.first_line <> s.line
    ORDER BY s.line LIMIT %s
"""

# Fields of linked lines that the remaining question lacks, because it has another value or none.
_NOT_KEPT = """
    SELECT lost.name, count(*), (array_agg(s.line ORDER BY s.line))[:5]
    FROM staged_question s
    JOIN staged_match m USING (content_hash, answer_key)
    LEFT JOIN questionbank_question q ON q.id = m.existing_id
    LEFT JOIN staged_question f ON q.id IS NULL AND f.line = m.first_line
    CROSS JOIN LATERAL (
        SELECT 'answer' WHERE s.answer <> '' AND coalesce(q.answer, f.answer) = ''
        UNION ALL SELECT 'solution' WHERE s.solution NOT IN ('', coalesce(q.solution, f.solution))
        UNION ALL SELECT 'options' WHERE s.options <> coalesce(q.options, f.options)
        UNION ALL SELECT own.name FROM jsonb_each(s.content) AS own(name, value)
        WHERE own.value IS DISTINCT FROM coalesce(q.content, f.content) -> own.name
    ) lost(name)
    WHERE (m.existing_id IS NOT NULL OR m.first_line <> s.line) AND lost.name = ANY(%s)
    GROUP BY 1 ORDER BY 1
"""

_TOTALS = """
    SELECT s.language, count(*) FROM staged_match m JOIN staged_question s ON s.line = m.first_line
    WHERE m.existing_id IS NULL GROUP BY 1 ORDER BY 2 DESC, 1
"""

_CHANGED = """
    SELECT count(*) FROM staged_match m JOIN staged_question s ON s.line = m.first_line
    WHERE m.existing_id IS NULL AND s.source_id <> '' AND EXISTS (
        SELECT FROM questionbank_question q
        WHERE q.source = s.source AND q.source_id = s.source_id AND {is_visible} AND {may_change}
    )
"""

_OTHERS = """
    SELECT s.line FROM staged_match m JOIN staged_question s ON s.line = m.first_line
    WHERE m.existing_id IS NULL AND s.source_id <> '' AND EXISTS (
        SELECT FROM questionbank_question q
        WHERE q.source = s.source AND q.source_id = s.source_id AND {is_visible} AND NOT ({may_change})
    )
    ORDER BY s.line
"""

_INCOMPLETE = """
    SELECT count(*) FILTER (WHERE q.draws_numbers), count(*) FILTER (WHERE q.needs_figure)
    FROM staged_match m JOIN questionbank_question q ON q.id = m.new_id
"""


class StagedQuestion(NamedTuple):
    """A question of a file, as a row of the staging table.

    Attributes:
        columns: its values in COPY's text format, except line and paths.
        record: the record it was made from, if it may be inspected.
    """

    id: str
    source: str
    paths: tuple[ConceptPath, ...]
    columns: bytes
    record: QuestionRecord | None


def staged_question(record: QuestionRecord, *, source: str) -> StagedQuestion:
    """Compute the stored values of a question; `source` is the set of questions that do not name one."""
    original = record.original
    source = record.source or source
    values = {column.stored: _value(getattr(record, column.attribute), column.sql) for column in STORED} | {
        "source": source,
        "difficulty_percent": counted_percent(record),
        "content_hash": content_hash(text=record.text, options=record.options, content=record.content),
        "answer_key": answer_key(record.answer),
        "tokens": question_tokens(record),
        "equation": record.equation,
        "numbers": _value(record.numbers, "jsonb"),
        "graph_key": equation_graph_key(text=record.text, expression=record.equation),
        "original_format": original.format if original else None,
        "original": original.data if original else None,
        "preamble": original.preamble if original else None,
        "fields": fields_digest(record) if original else None,
    }
    columns = "\t".join(_copied(values[name]) for name in _COMPUTED).encode()
    return StagedQuestion(record.id, source, record.concepts, columns, record)


def _value(value: Any, sql: str) -> Any:
    """Return a value of a record as the bank stores it."""
    return json.dumps(as_json(value), ensure_ascii=False) if sql == "jsonb" else value


def _copied(value: str | bytes | float | None) -> str:
    """Return a value in COPY's text format."""
    if value is None:
        return r"\N"
    if isinstance(value, bytes):
        return rf"\\x{value.hex()}"
    text = str(value).replace("\\", r"\\")
    return text.replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")


@dataclass(slots=True)
class StagedRows:
    """Writer of rows while COPY is active; concept paths are stored once and numbered, and sets counted."""

    copy: Copy
    paths: dict[ConceptPath, int] = field(default_factory=dict)
    sources: Counter[str] = field(default_factory=Counter)
    last_line: int = 0

    def add(self, line: int, question: StagedQuestion) -> None:
        """Send one question."""
        self.last_line = line
        self.sources[question.source] += 1
        numbers = ",".join(str(self.paths.setdefault(path, len(self.paths))) for path in question.paths)
        self.copy.write(b"%d\t%b\t{%b}\n" % (line, question.columns, numbers.encode()))


class Staging:
    """The temporary tables of one import; must be used within a transaction.

    Args:
        user: the importer; None is the system itself.
        run_id: id of the importing job.
        status: status of new questions.
        shows: who sees new questions.

    Attributes:
        is_visible: SQL condition on questions `q` that this import can see: those of the viewer but others' drafts.
        may_change: SQL condition on questions that the person may change.
    """

    def __init__(self, *, user: User | None, run_id: int | None, status: str, shows: Shows) -> None:
        user_id = user.pk if user else None
        self._parameters: dict[str, Any] = {"user": user_id, "now": timezone.now(), "run": run_id, "status": status}
        self._parameters |= dict(zip(("visibility", "school"), shows, strict=True))
        own = f"q.created_by_id IS NOT DISTINCT FROM {'NULL' if user_id is None else int(user_id)}"
        may_change_all = user is None or user.has_perm("questionbank.question_edit")
        self.is_visible = f"(q.status <> 'draft' OR {own}) AND {seen_sql('q')}"
        self.may_change = "true" if may_change_all else own
        columns = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
        self.drop()
        self.execute(f"CREATE TEMPORARY TABLE staged_question ({columns}) ON COMMIT DROP")
        # Lines of questions that were imported from this file before, with the question's id.
        self.execute(f"CREATE TEMPORARY TABLE staged_known (question_id bigint, {columns}) ON COMMIT DROP")

    @staticmethod
    def execute(statement: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        with connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def rows(self) -> Iterator[StagedRows]:
        """Open COPY for a file's questions."""
        with (
            connection.cursor() as cursor,
            cursor.cursor.copy(f"COPY staged_question ({', '.join(_COLUMNS)}) FROM STDIN") as copy,
        ):
            yield StagedRows(copy)

    def match(self, *, dry_run: bool) -> Totals:
        """Find questions that the bank or the file itself already contains, and number the new ones."""
        self.execute("CREATE UNIQUE INDEX ON staged_question (line)")
        self.execute(_FILL_ANSWERS)
        stored_key = ANSWER_KEY_SQL.format(answer="q.answer")
        self.execute(_MERGED.format(stored_key=stored_key, is_visible=self.is_visible))
        # Equivalent answers to one question, such as 1/2 and 0.5, become one.
        several = _SEVERAL_ANSWERS.replace("<is_visible>", self.is_visible)
        if unified := list(_unified(self.execute(several))):
            self.execute(_UNIFY, [list(column) for column in zip(*unified, strict=True)])
        self.execute("ANALYZE staged_question (line, content_hash, answer_key)")
        sequence = "nextval(pg_get_serial_sequence('questionbank_question', 'id'))"
        new_id = "NULL::bigint" if dry_run else sequence
        self.execute(_MATCH.format(new_id=new_id, stored_key=stored_key, is_visible=self.is_visible))
        self.execute("CREATE UNIQUE INDEX ON staged_match (first_line)")
        self.execute("ANALYZE staged_match")
        languages = {str(language): int(count) for language, count in self.execute(_TOTALS)}
        links = [DuplicateLink(*row) for row in self.execute(_LINKS, [PROBLEMS_KEPT])]
        created = sum(languages.values())
        ((staged,),) = self.execute("SELECT count(*) FROM staged_question")
        whose = {"is_visible": self.is_visible, "may_change": self.may_change}
        ((changed,),) = self.execute(_CHANGED.format(**whose))
        others = [line for (line,) in self.execute(_OTHERS.format(**whose))]
        not_kept = [(name, count, lines) for name, count, lines in self.execute(_NOT_KEPT, [[*NOT_KEPT]])]
        return Totals(created, int(staged) - created, languages, links, int(changed), others, not_kept)

    def insert_questions(self, *, first: int, last: int) -> None:
        """Insert the new questions of these lines."""
        self.execute(_INSERT_QUESTIONS, {**self._parameters, "first": first, "last": last})

    def incomplete(self) -> tuple[int, int]:
        """Return the number of new questions that draw their numbers, and of those that lack a figure."""
        ((templates, without_figure),) = self.execute(_INCOMPLETE)
        return int(templates), int(without_figure)

    def insert_parts(self) -> None:
        """Insert the new questions' equations and originals, and record which questions already existed."""
        self.execute(_INSERT_EQUATIONS)
        self.execute(_INSERT_ORIGINALS)
        if self._parameters["run"] is not None:
            self.execute(_INSERT_DUPLICATES, self._parameters)

    def insert_tags(self, *, numbers: Sequence[int], concepts: Sequence[int]) -> int:
        """Tag new questions and, if the person may change them, the questions that duplicates are linked to.

        Args:
            numbers, concepts: number of each concept in staged lines, and its id.

        Returns:
            The number of questions that got a tag.
        """
        values = {**self._parameters, "numbers": list(numbers), "concepts": list(concepts)}
        ((tagged,),) = self.execute(_INSERT_TAGS.format(may_change=self.may_change), values)
        return int(tagged)

    def drop(self) -> None:
        """Drop the tables before the transaction ends, as an outer transaction may continue."""
        self.execute("DROP TABLE IF EXISTS staged_question, staged_merged, staged_match, staged_known")


def _unified(questions: Iterable[tuple[bytes, list[str]]]) -> Iterator[tuple[bytes, str, str]]:
    """Yield (hash, key, earlier equivalent key)."""
    compared = 0
    for digest, keys in questions:
        distinct: list[str] = []
        for key in dict.fromkeys(keys):
            compared += len(distinct)
            if compared > _MOST_COMPARED:
                return
            equal = next((other for other in distinct if same_answer(key, other) == "same"), "")
            if equal:
                yield digest, key, equal
            else:
                distinct.append(key)
