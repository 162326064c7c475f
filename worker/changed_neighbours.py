"""What comparisons of two models with a lens share: both sets of vectors, and whose nearest questions change most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Protocol

import numpy as np
import numpy.typing as npt

from analytics.retrieval import nearest_rows
from questionbank.capabilities.figures import ChangedNeighbours
from questionbank.models import EmbeddingSet, ModelArtifact
from questionbank.selectors.registry.embeddings import languages_served
from questionbank.services.embeddings import embedding_set_ensure
from worker.embedding import embed_pending
from worker.reporting import RunReporter

Vectors = Mapping[int, npt.NDArray[np.float32]]
"""Vectors of length 1 by question."""

SEED = 0
ASKED, SHOWN = 500, 50  # questions whose neighbours are looked for, and of them those that are kept


class _Question(Protocol):
    @property
    def id(self) -> int: ...

    @property
    def language(self) -> str: ...


def compared_sets(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> dict[str, EmbeddingSet]:
    """Return the sets of both models, whose missing vectors are computed; a promotion uses them later."""
    sets = {
        "candidate": embedding_set_ensure(artifact=candidate),
        "champion": embedding_set_ensure(artifact=champion),
    }
    embed_pending(reporter, sets=list(sets.values()))
    for row in sets.values():
        row.refresh_from_db()
    return sets


def unreadable(questions: Iterable[_Question], ids: Set[int], embedding_set: EmbeddingSet) -> int:
    """Return how many of the questions are in a language that the set's encoder does not know.

    Another one lacks a vector because it was added while the vectors were computed.
    """
    served = languages_served(embedding_set)
    return len({row.id for row in questions if row.id in ids and row.language not in served})


def changed_neighbours(
    vectors: Mapping[str, Vectors], suite: Sequence[int], everything: Sequence[int], *, k: int
) -> list[ChangedNeighbours]:
    """Return the questions whose `k` nearest differ most.

    Args:
        vectors: of both models, by role.
        suite: the questions that are looked at, or a sample of them.
        everything: all that both models can read, among which neighbours are looked for.
        k: neighbours of a question, itself not among them.
    """
    if len(everything) < 2 or not suite:
        return []
    rng = np.random.default_rng(SEED)
    asked = [suite[index] for index in sorted(rng.permutation(len(suite))[:ASKED])]
    neighbours = {}
    for role, by_id in vectors.items():
        table = np.stack([by_id[pk] for pk in everything])
        nearest = nearest_rows(np.stack([by_id[pk] for pk in asked]), table, k + 1)
        neighbours[role] = [
            [everything[index] for index in row if everything[index] != question][:k]
            for question, row in zip(asked, nearest, strict=True)
        ]
    changed: list[ChangedNeighbours] = []
    for question, new, old in zip(asked, neighbours["candidate"], neighbours["champion"], strict=True):
        overlap = len({*new} & {*old}) / max(1, len(old))
        changed.append(
            {"question": question, "overlap": round(overlap, 2), "candidate": new, "champion": old}
        )
    return sorted(changed, key=lambda row: (row["overlap"], row["question"]))[:SHOWN]
