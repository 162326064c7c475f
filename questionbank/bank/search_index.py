"""What is stored for searches: the tokens of each question, the bank's own vocabulary, and counts for filters.

Tokens are created in Python (formula tokens kept, Chinese split into words), because the embedded server has no
dictionary for either; PostgreSQL's `simple` configuration then only indexes them.

A `FacetCube` holds `FacetCount` in memory, to sum over any filters within milliseconds. There is one cube of all
questions, and a part of it for each set of audiences that viewers belong to.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
from django.contrib.postgres.search import SearchVectorField
from django.db import connection, transaction
from django.db.models import Func, Value

from analytics.analysed_text import Options, stem_text, stored_content
from analytics.languages import primary_language
from analytics.question_content import QuestionContent, option_text
from analytics.records import QuestionRecord
from analytics.text.formulas import shape_tokens, text_formulas
from analytics.text.question_tasks import question_tasks
from analytics.text.tokens import search_tokens
from questionbank.core.cached import KeyedCache, VersionedCache
from questionbank.core.database import advisory_lock
from questionbank.models import Question
from questionbank.models.visibility import viewer_audiences

NO_WORD_PREFIX = "f0"  # of search tokens for shapes and tasks; no word or other token begins with it
TOKENS_LIMIT = 200_000  # characters; a tsvector is limited to one megabyte
_FILLED_AT_ONCE = 500
VOCABULARY_LOCK = 7_201_002  # advisory lock: one refresh at a time


def task_token(task: str) -> str:
    """Return the search token of questions with this task."""
    return f"{NO_WORD_PREFIX}t{task.replace('_', '')}"


def question_tokens(record: QuestionRecord | Question) -> str:
    """Return the words and formula tokens of the question, its parts and its options, separated by spaces.

    Tokens for the task kinds of the question and its parts, and for the shapes of their formulas, come first; no word
    equals one of these tokens.
    """
    content = record.content if isinstance(record.content, QuestionContent) else stored_content(record.content)
    stems: list[str] = []
    texts: list[str] = []
    tasks: dict[str, None] = {}
    for stem, choices in _stems_and_choices(record.text, record.options, content):
        stems.append(stem)
        texts += [stem, *choices]
        tasks |= dict.fromkeys(question_tasks(stem, choices))
    words = search_tokens("\n".join(texts), primary_language(record.language))
    tokens = " ".join([*map(task_token, tasks), *shape_tokens(text_formulas("\n".join(stems))), *words])
    if len(tokens) <= TOKENS_LIMIT:
        return tokens
    return tokens[:TOKENS_LIMIT].rpartition(" ")[0]


def _stems_and_choices(text: str, options: Options, content: QuestionContent) -> Iterator[tuple[str, list[str]]]:
    """Yield the text and choices of a question, then those of its parts."""
    drop_downs = (option for blank in content.blanks for option in blank.options)
    yield stem_text(text, (), content), [*map(option_text, options), *map(option_text, drop_downs)]
    for part in content.parts:
        yield from _stems_and_choices(part.text, part.options, part.content)


def search_vector(record: QuestionRecord | Question) -> Func:
    """Return the expression for `Question.search_vector` when the question is saved."""
    return Func(
        Value("simple"), Value(question_tokens(record)), function="to_tsvector", output_field=SearchVectorField()
    )


def search_text_fill(*, before_each: Callable[[], object] = lambda: None) -> int:
    """Write the search text of questions that have none; an upgrade that indexes more of a question clears it.

    Args:
        before_each: called before each batch; it may raise to stop.

    Returns:
        The number of questions.
    """
    missing = Question.objects.filter(search_vector__isnull=True).order_by("pk")
    filled = 0
    while batch := list(missing.only("text", "language", "options", "content")[:_FILLED_AT_ONCE]):
        before_each()
        for question in batch:  # unless somebody has changed it meanwhile
            filled += missing.filter(pk=question.pk).update(search_vector=search_vector(question))
    if filled:
        search_index_settle()
        vocabulary_refresh()
    return filled


def search_index_settle() -> None:
    """Merge the index's pending list, so that no search has to scan it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('question_search'::regclass)")


_REFRESH = """
    INSERT INTO questionbank_vocabularyword (word, questions)
    SELECT word, ndoc FROM ts_stat(
        'SELECT search_vector FROM questionbank_question WHERE status <> ''retired'''
    )
    WHERE char_length(word) <= 100 AND NOT starts_with(word, %s)
"""


@transaction.atomic
def vocabulary_refresh() -> int:
    """Recount in how many questions each token occurs; return the number of tokens.

    Includes words, numbers and formula tokens: misspelt words are corrected against the words, and all tokens are
    weighted by rarity. Readers see the old vocabulary until the new one is complete.
    """
    advisory_lock(VOCABULARY_LOCK)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM questionbank_vocabularyword")
        cursor.execute(_REFRESH, [NO_WORD_PREFIX])  # without shapes, nearly as numerous as formulas
        return int(cursor.rowcount)


_NAMES = ("status", "language", "kind", "source", "grade")
NOBODY = np.iinfo(np.int64).min  # the audience of private questions whose author was deleted
_KEPT_PARTS = 64  # parts of a cube, one for each school and for each person with private questions
_serials = count()
Mask = npt.NDArray[np.bool_]


class FacetCube:
    """The rows of `FacetCount`, stored by column.

    Attributes:
        serial: differs between any two cubes, and so identifies what is computed from one.
    """

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Take rows of (status, language, kind, source, grade, difficulty, concepts, questions, audience)."""
        self.serial = next(_serials)
        self.values: dict[str, list[str]] = {}
        self.codes: dict[str, npt.NDArray[np.int64]] = {}  # each (rows,): indices into `values`
        for column, name in enumerate(_NAMES):
            places: dict[str, int] = {}
            codes = [places.setdefault(row[column], len(places)) for row in rows]
            self.values[name], self.codes[name] = list(places), np.array(codes, dtype=np.int64)
        self.difficulty = np.array([-1 if row[5] is None else row[5] for row in rows], dtype=np.int64)
        self.questions = np.array([row[7] for row in rows], dtype=np.int64)
        self.audience = np.array([NOBODY if row[8] is None else row[8] for row in rows], dtype=np.int64)
        self._audiences = frozenset(self.audience.tolist())
        self._parts: KeyedCache[frozenset[int], FacetCube] = KeyedCache(most=_KEPT_PARTS)
        # One pair for each row and each of its concepts.
        self.pair_rows = np.repeat(np.arange(len(rows)), [len(row[6]) for row in rows])
        self.pair_concepts = np.array([concept for row in rows for concept in row[6]], dtype=np.int64)

    def seen_by(self, audiences: Sequence[int]) -> FacetCube:
        """Return the cube of the questions that a viewer with these audiences sees."""
        present = self._audiences.intersection(audiences)
        if present == self._audiences:
            return self
        return self._parts([present], lambda keys: {key: self._part(key) for key in keys})[present]

    def _part(self, audiences: frozenset[int]) -> FacetCube:
        part = copy.copy(self)
        part.__dict__.pop("by_concept", None)
        part.serial, part._audiences = next(_serials), audiences
        mask = np.isin(self.audience, list(audiences))
        part.codes = {name: codes[mask] for name, codes in self.codes.items()}
        part.difficulty, part.questions, part.audience = (
            self.difficulty[mask],
            self.questions[mask],
            self.audience[mask],
        )
        pairs = mask[self.pair_rows]
        part.pair_rows = (np.cumsum(mask) - 1)[self.pair_rows[pairs]]
        part.pair_concepts = self.pair_concepts[pairs]
        return part

    def everything(self) -> Mask:
        """Return a mask that selects all rows, to combine with the masks of filters."""
        return np.ones(len(self.questions), dtype=np.bool_)

    def equal(self, name: str, value: str) -> Mask:
        """Return a mask of the rows with this value."""
        values = self.values[name]
        return self.codes[name] == (values.index(value) if value in values else -1)

    def tagged(self, groups: ConceptGroups) -> Mask:
        """Return a mask of the rows with at least one concept that belongs to a group."""
        mask = np.zeros(len(self.questions), dtype=np.bool_)
        mask[self.pair_rows[self._groups_of_pairs(groups) >= 0]] = True
        return mask

    def total(self, mask: Mask) -> int:
        """Return the number of questions in these rows."""
        return int(self.questions[mask].sum())

    def by_value(self, name: str, mask: Mask) -> list[tuple[str, int]]:
        """Return (value, number of questions) pairs."""
        counts = np.bincount(self.codes[name][mask], self.questions[mask], len(self.values[name]))
        return [(value, int(count)) for value, count in zip(self.values[name], counts, strict=True)]

    def by_difficulty(self, mask: Mask) -> list[tuple[str, int]]:
        """Return (difficulty, number of questions) pairs, with difficulties as in `questionbank.models.FacetCount`."""
        graded = mask & (self.difficulty >= 0)
        counts = np.bincount(self.difficulty[graded], self.questions[graded])
        return [(str(difficulty), int(count)) for difficulty, count in enumerate(counts)]

    @cached_property
    def by_concept(self) -> dict[int, int]:
        """Numbers of questions tagged with each concept itself, whatever their status."""
        if not len(self.pair_concepts):
            return {}
        concepts, places = np.unique(self.pair_concepts, return_inverse=True)
        counts = np.bincount(places, self.questions[self.pair_rows])
        return dict(zip(concepts.tolist(), counts.astype(int).tolist(), strict=True))

    def by_group(self, mask: Mask, groups: ConceptGroups) -> list[tuple[str, int]]:
        """Return (group, number of questions) pairs; a question counts once per group, whatever its tags."""
        group = self._groups_of_pairs(groups)
        pairs = mask[self.pair_rows] & (group >= 0)
        size = len(groups.names)
        if not size:
            return []
        once = np.unique(self.pair_rows[pairs] * size + group[pairs])
        counts = np.bincount(once % size, self.questions[once // size], size)
        return [(name, int(count)) for name, count in zip(groups.names, counts, strict=True)]

    def _groups_of_pairs(self, groups: ConceptGroups) -> npt.NDArray[np.int64]:
        """Return the index of each pair's group, or -1."""
        if not len(groups.concepts):
            return np.full(len(self.pair_concepts), -1, dtype=np.int64)
        places = np.searchsorted(groups.concepts, self.pair_concepts).clip(max=len(groups.concepts) - 1)
        return np.where(groups.concepts[places] == self.pair_concepts, groups.groups[places], -1)


@dataclass(frozen=True, slots=True)
class ConceptGroups:
    """Assignment of concepts to groups.

    Attributes:
        concepts: (concepts,) concept ids, ascending.
        groups: (concepts,) indices into `names`.
    """

    concepts: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    names: Sequence[str]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, str]]) -> ConceptGroups:
        """Create groups from (concept id, group name) rows, ascending by id."""
        places: dict[str, int] = {}
        groups = [places.setdefault(name, len(places)) for _pk, name in rows]
        ids = np.array([pk for pk, _name in rows], dtype=np.int64)
        return cls(ids, np.array(groups, dtype=np.int64), list(places))


def concept_groups(
    *, prefix: str, width: int, version: tuple[Any, ...] | None = None
) -> tuple[ConceptGroups, ConceptGroups, ConceptGroups]:
    """Group concepts whose path begins with `prefix`: all in one, by the first `width` letters, and by hierarchy.

    Args:
        version: a `concepts_version` of this request, so that many groupings ask for it once.
    """
    return _concept_groups(concepts_version() if version is None else version, prefix, width)


@lru_cache(maxsize=128)
def _concept_groups(
    _version: tuple[Any, ...], prefix: str, width: int
) -> tuple[ConceptGroups, ConceptGroups, ConceptGroups]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, path, hierarchy_id FROM questionbank_knowledgeconcept WHERE path LIKE %s ORDER BY id",
            [f"{prefix}%"],
        )
        rows = cursor.fetchall()
    return (
        ConceptGroups.of([(pk, "") for pk, _path, _hierarchy in rows]),
        ConceptGroups.of([(pk, path[:width]) for pk, path, _hierarchy in rows if len(path) >= width]),
        ConceptGroups.of([(pk, str(hierarchy)) for pk, _path, hierarchy in rows]),
    )


def facet_version() -> tuple[Any, ...]:
    """Return a signature that changes when the counts change."""
    return table_version("questionbank_facetcount", "hashint8extended(id, 0)")


def concepts_version() -> tuple[Any, ...]:
    """Return a signature that changes when the concepts' paths or names change."""
    return table_version("questionbank_knowledgeconcept", "hashtextextended(id || path || name, 0)")


def table_version(table: str, content: str) -> tuple[Any, ...]:
    """Return a signature that changes when a table changes: its number of rows and a hash of them."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*), bit_xor({content}) FROM {table}")  # noqa: S608
        return (connection.settings_dict["NAME"], *cursor.fetchone())


def _rows() -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT status, language, kind, source, grade, difficulty, concepts, questions, audience"
            " FROM questionbank_facetcount"
        )
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


_whole_cube: VersionedCache[FacetCube] = VersionedCache(facet_version, lambda: FacetCube(_rows()))


def facet_cube() -> FacetCube:
    """Return the cube of what the viewer sees in the current state of the database."""
    cube, audiences = _whole_cube(), viewer_audiences()
    return cube if audiences is None else cube.seen_by(audiences)


_KEY = "status, language, kind, source, grade, difficulty, concepts, audience"
_SETTLE = f"""
    WITH repeated AS (
        SELECT array_agg(id) AS ids FROM questionbank_facetcount GROUP BY {_KEY} HAVING count(*) > 1
    ), gone AS (
        DELETE FROM questionbank_facetcount WHERE id IN (SELECT unnest(ids) FROM repeated) RETURNING *
    ), kept AS (
        INSERT INTO questionbank_facetcount ({_KEY}, questions)
        SELECT {_KEY}, sum(questions) FROM gone GROUP BY {_KEY} HAVING sum(questions) <> 0
        RETURNING id
    )
    SELECT (SELECT count(*) FROM gone) - (SELECT count(*) FROM kept)
"""  # noqa: S608 - only names from this module


def facet_counts_settle() -> int:
    """Merge rows with the same combination of values, and return how many rows that saves.

    Safe while questions are saved: rows added in the meantime are left alone.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE)
        return int(cursor.fetchone()[0])
