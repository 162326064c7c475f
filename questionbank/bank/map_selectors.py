"""The map of the bank: which map is shown, its points and its legend.

All points that the viewer may see are sent in one binary response that otherwise depends only on the map and a
hierarchy; the page decides which points to draw, and in which colour, from the legend.
"""

from __future__ import annotations

import struct
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, repeat

import numpy as np
import numpy.typing as npt
from django.apps import apps
from django.core.cache import cache
from django.db import connection
from django.db.models import Count, Max

from analytics.concept_paths import common_leading_nodes, without_leading
from questionbank.bank.concept_selectors import hierarchies
from questionbank.bank.search_index import NOBODY, facet_cube
from questionbank.bank.vector_selectors import embedding_set_size, map_set
from questionbank.core.database import get_or_not_found
from questionbank.models import (
    EmbeddingSet,
    ItemStatistics,
    KnowledgeConcept,
    KnowledgeHierarchy,
    Projection,
    Question,
    QuestionTag,
    Run,
)
from questionbank.models.visibility import viewer_audiences

LEVELS = 3  # concept levels by which the map can be coloured
COLOURS = 8  # concepts with a colour and shape of their own; the others are grey
BANDS = 5  # bands of difficulty, each 100 / 5 per cent wide
UNKNOWN = 255  # marks an unknown difficulty
_MAGIC = b"KMAP"
_KEPT_SECONDS = 3600
LARGE, LARGE_KEPT = 50_000, 600  # a map with more points is large; its figures are cached for 600 seconds
_SHOWN = ("id", "embedding_set_id", "method", "settings", "questions", "created_at")

Numbers = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class MapState:
    """The map that is shown, and whether it is up to date.

    Attributes:
        projection: None if no map has been drawn yet. Its arrays are deferred.
        is_of_former_model: whether it shows vectors of an encoder other than the one in use.
        missing: number of vectors added to the set in use since then; 0 for a map of a former model.
    """

    projection: Projection | None
    can_be_drawn: bool
    is_of_former_model: bool
    missing: int
    run: Run | None

    @property
    def is_large(self) -> bool:
        """Whether its points and counts may be up to `LARGE_KEPT` seconds old."""
        return self.projection is not None and self.projection.questions > LARGE


@dataclass(frozen=True, slots=True)
class MapPoints:
    """The ready questions on a map.

    Attributes:
        ids: (points,) question ids, ascending.
        coordinates: (points, 2); 0..65535 represents -1..1.
        concepts: (LEVELS, points) concept ids of a question's first path in the hierarchy, from coarse to
            fine, without leading nodes that nearly all questions share; 0 if there is no concept.
        difficulties: (points,) in per cent, observed rather than published; `UNKNOWN` if neither is known.
        audiences: (points,) who sees each; `NOBODY` for a private question without its author.
    """

    ids: Numbers
    coordinates: npt.NDArray[np.uint16]
    concepts: Numbers
    difficulties: npt.NDArray[np.uint8]
    audiences: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LegendRow:
    """One line of the legend.

    Attributes:
        value: id of the concept, or index of the band of difficulty.
        colour: index of its colour and shape; None for grey.
    """

    value: int
    name: str
    questions: int
    colour: int | None


def map_state() -> MapState:
    """Return the map that the site shows: the one of the encoder in use, or else the latest."""
    current = map_set()
    projections = Projection.objects.only(*_SHOWN)
    projection = (projections.filter(embedding_set=current).first() if current else None) or projections.order_by(
        "-created_at"
    ).first()
    former = projection is not None and (current is None or projection.embedding_set_id != current.pk)
    missing = 0
    if current is not None and projection is not None and not former:
        missing = max(0, _vectors(current, is_large=projection.questions > LARGE) - projection.questions)
    return MapState(
        projection=projection,
        can_be_drawn=current is not None and current.embeddings.filter(vector__isnull=False).exists(),
        is_of_former_model=former,
        missing=missing,
        run=Run.objects.filter(kind="project").exclude(state__in=Run.FINISHED).first(),
    )


def _vectors(embedding_set: EmbeddingSet, *, is_large: bool) -> int:
    """Return the number of vectors in a set; for a large map the count is cached for `LARGE_KEPT` seconds."""
    if not is_large:
        return embedding_set_size(embedding_set=embedding_set)
    key = f"map-vectors:{embedding_set.pk}"
    count: int | None = cache.get(key)
    if count is None:
        count = embedding_set_size(embedding_set=embedding_set)
        cache.set(key, count, LARGE_KEPT)
    return count


def ready_questions() -> int:
    """Return how many questions a map of the whole bank would show."""
    cube = facet_cube()
    return cube.total(cube.equal("status", Question.Status.READY))


def map_hierarchies() -> list[KnowledgeHierarchy]:
    """Return the hierarchies with tagged questions, most tags first."""
    counts = facet_cube().by_concept
    tags: Counter[int] = Counter()
    for pk, hierarchy in KnowledgeConcept.objects.values_list("pk", "hierarchy"):
        tags[hierarchy] += counts.get(pk, 0)
    return sorted(
        (hierarchy for hierarchy in hierarchies() if tags.get(hierarchy.pk)),
        key=lambda hierarchy: (-tags[hierarchy.pk], hierarchy.name),
    )


def map_version(*, projection: Projection, hierarchy: KnowledgeHierarchy | None) -> str:
    """Return a version for the viewer's points; it changes whenever the map, a question, a tag or a concept does.

    Rows are only ever added, or their changes are recorded in a history table, so each table's highest id is enough.
    The points of a large map, which take seconds to read, are read again every `LARGE_KEPT` seconds.
    """
    return sha256(f"{_version(projection, hierarchy)}/{viewer_audiences()}".encode()).hexdigest()[:32]


def _version(projection: Projection, hierarchy: KnowledgeHierarchy | None) -> str:
    """Return a version for the points that all viewers together see."""
    numbers: list[object] = [projection.pk, projection.created_at.isoformat(), hierarchy.pk if hierarchy else None]
    is_large = projection.questions > LARGE
    numbers += [int(time.time() // LARGE_KEPT)] if is_large else []
    for name in () if is_large else ("Question", "QuestionTag", "KnowledgeConcept"):
        for table, key in ((name, "pk"), (f"{name}Event", "pgh_id")):
            rows = apps.get_model("questionbank", table)._base_manager.order_by()
            numbers.append(rows.aggregate(last=Max(key))["last"])
    if not is_large:  # difficulties computed from responses have no history
        numbers.append(ItemStatistics.objects.aggregate(last=Max("pk"))["last"])
    return sha256("/".join(map(str, numbers)).encode()).hexdigest()[:32]


def map_points(*, projection: Projection, hierarchy: KnowledgeHierarchy | None) -> MapPoints:
    """Return the viewer's points of a map with their concepts in one hierarchy; all are cached until something changes.

    Raises:
        NotFound: the map has been replaced in the meantime.
    """
    key = f"map-points-of-all-{_version(projection, hierarchy)}"
    points: MapPoints | None = cache.get(key)
    if points is None:
        points = _read_points(projection, hierarchy)
        cache.set(key, points, _KEPT_SECONDS)
    audiences = viewer_audiences()
    return points if audiences is None else _seen(points, np.isin(points.audiences, audiences))


def _seen(points: MapPoints, mask: npt.NDArray[np.bool_]) -> MapPoints:
    if mask.all():
        return points
    return MapPoints(
        ids=points.ids[mask],
        coordinates=points.coordinates[mask],
        concepts=points.concepts[:, mask],
        difficulties=points.difficulties[mask],
        audiences=points.audiences[mask],
    )


def points_to_bytes(points: MapPoints) -> bytes:
    """Serialize the points for the page, little-endian.

    ``KMAP``, then uint32: number of points n, number of levels l; then ids (n uint32), concepts (l times n
    uint32), coordinates (n times x and y, uint16), difficulties (n uint8).
    """
    return b"".join(
        (
            struct.pack("<4sII", _MAGIC, len(points.ids), len(points.concepts)),
            points.ids.astype("<u4").tobytes(),
            points.concepts.astype("<u4").tobytes(),
            points.coordinates.astype("<u2").tobytes(),
            points.difficulties.astype("u1").tobytes(),
        )
    )


def map_legend(*, points: MapPoints, level: int | None, within: KnowledgeConcept | None = None) -> list[LegendRow]:
    """Return the legend with counts: concepts of a level, most frequent first, or bands of difficulty.

    Args:
        level: 1..LEVELS; None for difficulty.
    """
    inside = _inside(points, within)
    if level is None:
        difficulties = points.difficulties[inside]
        bands = Counter(np.minimum(difficulties[difficulties != UNKNOWN] // (100 // BANDS), BANDS - 1).tolist())
        width = 100 // BANDS
        return [LegendRow(band, f"{band * width}–{(band + 1) * width} %", bands[band], band) for band in range(BANDS)]
    counts = np.bincount(points.concepts[level - 1][inside])
    named = KnowledgeConcept.objects.filter(pk__in=np.flatnonzero(counts).tolist())
    ranked = sorted((-int(counts[pk]), name, pk) for pk, name in named.values_list("pk", "name"))
    return [
        LegendRow(pk, name, -count, place if place < COLOURS else None)
        for place, (count, name, pk) in enumerate(ranked)
    ]


def concept_level(*, points: MapPoints, concept: KnowledgeConcept) -> int | None:
    """Return the level of a concept on the map; None if no question on the map has the concept."""
    return next((level for level, ids in enumerate(points.concepts, start=1) if (ids == concept.pk).any()), None)


def _inside(points: MapPoints, within: KnowledgeConcept | None) -> npt.NDArray[np.bool_]:
    if within is None:
        return np.ones(len(points.ids), dtype=bool)
    return np.asarray((points.concepts == within.pk).any(axis=0))


def _read_points(projection: Projection, hierarchy: KnowledgeHierarchy | None) -> MapPoints:
    row = get_or_not_found(
        Projection.objects.filter(pk=projection.pk).only("question_ids", "coordinates"),
        "The map has just been redrawn; reload the page.",
    )
    drawn = np.frombuffer(bytes(row.question_ids), dtype="<u4")
    places = np.frombuffer(bytes(row.coordinates), dtype="<u2").reshape(-1, 2)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, difficulty_percent, audience FROM questionbank_question"
            " WHERE status = 'ready' AND id = ANY(%s) ORDER BY id",
            [drawn.tolist()],
        )
        rows = cursor.fetchall()
    ids = np.array([question[0] for question in rows], dtype=np.uint32)
    difficulties = np.array(
        [UNKNOWN if question[1] is None else round(min(max(question[1], 0), 100)) for question in rows], dtype=np.uint8
    )
    return MapPoints(
        ids=ids,
        coordinates=places[np.searchsorted(drawn, ids)],
        concepts=_concepts(ids, hierarchy),
        difficulties=difficulties,
        audiences=np.array([NOBODY if row[2] is None else row[2] for row in rows], dtype=np.int64),
    )


def _concepts(ids: Numbers, hierarchy: KnowledgeHierarchy | None) -> Numbers:
    concepts = np.zeros((LEVELS, len(ids)), dtype=np.uint32)
    if hierarchy is None:
        return concepts
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.question_id, min(c.path) FROM questionbank_questiontag t"
            " JOIN questionbank_knowledgeconcept c ON c.id = t.concept_id"
            " WHERE c.hierarchy_id = %s AND t.question_id = ANY(%s) GROUP BY t.question_id",
            [hierarchy.pk, ids.tolist()],
        )
        first = dict(cursor.fetchall())
    columns = _concepts_by_level(set(first.values()), hierarchy)
    for column, question in enumerate(ids.tolist()):
        if question in first:
            levels = columns[first[question]]
            concepts[: len(levels), column] = levels
    return concepts


def _concepts_by_level(paths: Iterable[str], hierarchy: KnowledgeHierarchy) -> dict[str, list[int]]:
    """Return the concept ids on each path, level 1 first, without leading nodes that nearly all tags share."""
    tags = (
        QuestionTag.objects.order_by()
        .filter(concept__hierarchy=hierarchy)
        .values_list("concept__path")
        .annotate(number=Count("pk"))
    )
    leading = common_leading_nodes(
        chain.from_iterable(repeat(tuple(KnowledgeConcept.prefixes(path)), number) for path, number in tags)
    )
    ids = dict(KnowledgeConcept.objects.filter(hierarchy=hierarchy).values_list("path", "pk"))
    return {
        path: [ids[each] for each in without_leading(tuple(KnowledgeConcept.prefixes(path)), leading)[:LEVELS]]
        for path in paths
    }
