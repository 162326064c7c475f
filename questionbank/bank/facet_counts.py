"""`FacetCount` in memory, for sums over any filters in milliseconds, and keeping its table short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import connection

from questionbank.core.cached import VersionedCache

_NAMES = ("status", "language", "kind", "source", "grade")
Mask = npt.NDArray[np.bool_]


class FacetCube:
    """The rows of `FacetCount`, column by column."""

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Take rows of (status, language, kind, source, grade, difficulty, concepts, questions)."""
        self.values: dict[str, list[str]] = {}
        self.codes: dict[str, npt.NDArray[np.int64]] = {}  # each (rows,): places in `values`
        for column, name in enumerate(_NAMES):
            places: dict[str, int] = {}
            codes = [places.setdefault(row[column], len(places)) for row in rows]
            self.values[name], self.codes[name] = list(places), np.array(codes, dtype=np.int64)
        self.difficulty = np.array([-1 if row[5] is None else row[5] for row in rows], dtype=np.int64)
        self.questions = np.array([row[7] for row in rows], dtype=np.int64)
        # A pair for each row and concept of it.
        self.pair_rows = np.repeat(np.arange(len(rows)), [len(row[6]) for row in rows])
        self.pair_concepts = np.array([concept for row in rows for concept in row[6]], dtype=np.int64)

    def everything(self) -> Mask:
        """Return a mask that holds each row; combine it with those of filters."""
        return np.ones(len(self.questions), dtype=np.bool_)

    def equal(self, name: str, value: str) -> Mask:
        """Return the rows with this value."""
        values = self.values[name]
        return self.codes[name] == (values.index(value) if value in values else -1)

    def tagged(self, groups: ConceptGroups) -> Mask:
        """Return the rows with at least one of the concepts that belong to a group."""
        mask = np.zeros(len(self.questions), dtype=np.bool_)
        mask[self.pair_rows[self._groups_of_pairs(groups) >= 0]] = True
        return mask

    def total(self, mask: Mask) -> int:
        """Return the number of questions in these rows."""
        return int(self.questions[mask].sum())

    def by_value(self, name: str, mask: Mask) -> list[tuple[str, int]]:
        """Return the numbers of questions by value."""
        counts = np.bincount(self.codes[name][mask], self.questions[mask], len(self.values[name]))
        return [(value, int(count)) for value, count in zip(self.values[name], counts, strict=True)]

    def by_difficulty(self, mask: Mask) -> list[tuple[str, int]]:
        """Return the numbers of questions by difficulty, as `questionbank.models.FacetCount` writes it."""
        graded = mask & (self.difficulty >= 0)
        counts = np.bincount(self.difficulty[graded], self.questions[graded])
        return [(str(difficulty), int(count)) for difficulty, count in enumerate(counts)]

    @cached_property
    def by_concept(self) -> dict[int, int]:
        """The numbers of questions tagged with each concept itself, of any status."""
        if not len(self.pair_concepts):
            return {}
        concepts, places = np.unique(self.pair_concepts, return_inverse=True)
        counts = np.bincount(places, self.questions[self.pair_rows])
        return dict(zip(concepts.tolist(), counts.astype(int).tolist(), strict=True))

    def by_group(self, mask: Mask, groups: ConceptGroups) -> list[tuple[str, int]]:
        """Return the numbers of questions by group of concepts; a question counts once a group, whatever its tags."""
        group = self._groups_of_pairs(groups)
        pairs = mask[self.pair_rows] & (group >= 0)
        size = len(groups.names)
        if not size:
            return []
        once = np.unique(self.pair_rows[pairs] * size + group[pairs])
        counts = np.bincount(once % size, self.questions[once // size], size)
        return [(name, int(count)) for name, count in zip(groups.names, counts, strict=True)]

    def _groups_of_pairs(self, groups: ConceptGroups) -> npt.NDArray[np.int64]:
        """Return each pair's group, -1 for none."""
        if not len(groups.concepts):
            return np.full(len(self.pair_concepts), -1, dtype=np.int64)
        places = np.searchsorted(groups.concepts, self.pair_concepts).clip(max=len(groups.concepts) - 1)
        return np.where(groups.concepts[places] == self.pair_concepts, groups.groups[places], -1)


@dataclass(frozen=True, slots=True)
class ConceptGroups:
    """Which group each concept belongs to.

    Attributes:
        concepts: (concepts,) their ids, ascending.
        groups: (concepts,) places in `names`.
    """

    concepts: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    names: Sequence[str]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, str]]) -> ConceptGroups:
        """Take rows of (id of a concept, name of its group), ascending by id."""
        places: dict[str, int] = {}
        groups = [places.setdefault(name, len(places)) for _pk, name in rows]
        ids = np.array([pk for pk, _name in rows], dtype=np.int64)
        return cls(ids, np.array(groups, dtype=np.int64), list(places))


def concept_groups(*, prefix: str, width: int) -> tuple[ConceptGroups, ConceptGroups, ConceptGroups]:
    """Return concepts whose path begins with `prefix`: all, by the path's first `width` letters, by hierarchy."""
    return _concept_groups(concepts_version(), prefix, width)


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
    """Return what tells two states of the counts apart."""
    return table_version("questionbank_facetcount", "hashint8extended(id, 0)")


def concepts_version() -> tuple[Any, ...]:
    """Return what tells two states of the concepts' places and names apart."""
    return table_version("questionbank_knowledgeconcept", "hashtextextended(id || path || name, 0)")


def table_version(table: str, content: str) -> tuple[Any, ...]:
    """Return what tells two states of a table apart: the number of its rows and a hash of all."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*), bit_xor({content}) FROM {table}")  # noqa: S608
        return (connection.settings_dict["NAME"], *cursor.fetchone())


def _rows() -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT status, language, kind, source, grade, difficulty, concepts, questions"
            " FROM questionbank_facetcount"
        )
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


# The cube as the database has it now.
facet_cube: VersionedCache[FacetCube] = VersionedCache(facet_version, lambda: FacetCube(_rows()))


_KEY = "status, language, kind, source, grade, difficulty, concepts"
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
"""  # noqa: S608 - names of this module


def facet_counts_settle() -> int:
    """Sum up the rows of each combination of values; returns how many rows that saves.

    Safe while questions are saved: rows that are added meanwhile stay as they are.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE)
        return int(cursor.fetchone()[0])
