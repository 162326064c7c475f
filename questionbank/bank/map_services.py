"""The map of the bank: requesting and storing it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import transaction
from django.utils import timezone

from questionbank.bank.vector_selectors import map_set
from questionbank.core.errors import Conflict
from questionbank.jobs.run_services import run_create_alone
from questionbank.models import EmbeddingSet, Projection, Run, User

_LARGEST = 65_535
FEWEST_POINTS = 100  # a smaller bank needs no map; an admin may still request one
GROWTH = 2  # a map is redrawn when the set has this many times its points


@transaction.atomic
def projection_request(*, user: User | None = None) -> Run:
    """Request a map of the encoder in use.

    Raises:
        Conflict: a map is already requested, or the bank has no vectors yet.
    """
    current = map_set()
    if current is None or not current.embeddings.exists():
        raise Conflict("The bank has no vectors yet, so there is nothing to draw.")
    return run_create_alone(
        "The map is being drawn already.",
        kind="project",
        capability="probes",
        parameters={},
        title="Draw the map of the bank",
        requested_by=user,
    )


def projection_request_missing() -> Run | None:
    """Request a map if the encoder in use has none or the bank has outgrown it; None if there is nothing to do."""
    current = map_set()
    if current is None:
        return None
    drawn = Projection.objects.filter(embedding_set=current).values_list("questions", flat=True).first()
    if current.embeddings.count() < max(FEWEST_POINTS, GROWTH * (drawn or 0)):
        return None
    with suppress(Conflict):  # somebody else requested it
        return projection_request()
    return None


@transaction.atomic
def projection_store(
    *,
    embedding_set: EmbeddingSet,
    question_ids: npt.NDArray[np.int64],
    coordinates: npt.NDArray[np.float32],
    method: str,
    settings: Mapping[str, Any],
) -> Projection:
    """Store a map, replacing the set's previous one.

    Args:
        question_ids: (points,).
        coordinates: (points, 2) within -1..1.

    Raises:
        ValueError: the shapes do not match, or an id needs more than 32 bits.
    """
    if coordinates.shape != (len(question_ids), 2):
        raise ValueError(f"expected {(len(question_ids), 2)}, got {coordinates.shape}")
    if len(question_ids) and int(question_ids.max()) >= 2**32:
        raise ValueError("question ids beyond 32 bits do not fit the map's format")
    order = np.argsort(question_ids)
    places = np.rint((coordinates[order].clip(-1, 1) + 1) / 2 * _LARGEST)
    return Projection.objects.update_or_create(
        embedding_set=embedding_set,
        defaults={
            "method": method,
            "settings": dict(settings),
            "questions": len(question_ids),
            "question_ids": question_ids[order].astype("<u4").tobytes(),
            "coordinates": places.astype("<u2").tobytes(),
            "created_at": timezone.now(),
        },
    )[0]
