"""Knowledge hierarchy-aware rank: how far apart two questions are in a hierarchy of concepts.

QuesCo (Ning et al., AAAI 2023), section "Knowledge Hierarchy-Aware Rank", Eq. 1 and 3. In the paper every
question has one path of L levels; here a question may have several paths of different depths, and questions
may belong to different hierarchies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from analytics.concept_paths import shared_depth
from analytics.records import ConceptPath

NO_CONCEPT = -1
UNDEFINED = -1
"""Distance of questions without a common hierarchy; such pairs are left out of the loss."""


def default_temperatures(levels: int) -> tuple[float, ...]:
    """Return the temperatures of the ranks 0 .. levels + 1; for three levels, the paper's values.

    For three levels, similarity falls by a quarter per rank from 1 at rank 1, and is 0 at rank levels + 1;
    the temperature is ``0.1 + (1 - similarity) * (0.6 - 0.1)``, and the augmented question (rank 0) shares
    the lowest one. For other depths the similarities of ranks 1 .. levels fall evenly to one half, as they do
    for three.

    >>> default_temperatures(3)
    (0.1, 0.1, 0.225, 0.35, 0.6)
    """
    if levels < 1:
        raise ValueError(f"levels must be at least 1, not {levels}")
    lowest, highest, steps = 0.1, 0.6, max(1, levels - 1)
    shared = [lowest + 0.5 * rank / steps * (highest - lowest) for rank in range(levels)]
    return tuple(round(value, 6) for value in (lowest, *shared, highest))


def kh_distance(paths: Sequence[ConceptPath], others: Sequence[ConceptPath], levels: int) -> int:
    """Return the KH-distance of Eq. 1: ``levels - u + 1``, u the deepest level at which concepts agree.

    With several paths, the smallest distance over all pairs counts.

    Args:
        paths: the concept paths of one question, all in one hierarchy.
        others: the paths of the other question, in the same hierarchy.
        levels: L, the depth of the hierarchy; deeper parts of a path are ignored.

    Returns:
        1 (same finest concept) .. levels (only the coarsest shared), levels + 1 (nothing shared).

    Raises:
        ValueError: levels below 1, or a question without a path.

    >>> kh_distance([("Algebra", "Function", "Power")], [("Algebra", "Function", "Sine")], levels=3)
    2
    """
    if levels < 1:
        raise ValueError(f"levels must be at least 1, not {levels}")
    if not paths or not others:
        raise ValueError("a question without concepts has no distance")
    shared = max(shared_depth(first[:levels], second[:levels]) for first in paths for second in others)
    return levels - shared + 1


def encode_paths(
    questions: Sequence[Sequence[ConceptPath]], levels: int, hierarchies: Sequence[str] | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number the concepts, so that computing ranks reduces to comparing integers.

    A concept's number stands for its whole path from the root: equal numbers at a level imply that all
    coarser levels agree too, and concepts of the same name under different parents differ.

    Args:
        questions: the paths of every question.
        levels: L; deeper parts are ignored.
        hierarchies: name of each question's hierarchy; by default all are in one.

    Returns:
        Numbers (questions, maximum paths per question, levels), `NO_CONCEPT` where a path is shorter or
        missing, and the number of each question's hierarchy (questions,), `UNDEFINED` if the question has no
        path.
    """
    names = list(hierarchies) if hierarchies is not None else [""] * len(questions)
    width = max([1, *(len(paths) for paths in questions)])
    numbers = np.full((len(questions), width, levels), NO_CONCEPT, dtype=np.int64)
    owner = np.full(len(questions), UNDEFINED, dtype=np.int64)
    node_numbers: dict[tuple[str, ConceptPath], int] = {}
    known_hierarchies: dict[str, int] = {}
    for row, (paths, name) in enumerate(zip(questions, names, strict=True)):
        if not paths:
            continue
        owner[row] = known_hierarchies.setdefault(name, len(known_hierarchies))
        for column, path in enumerate(paths):
            for depth in range(1, min(len(path), levels) + 1):
                numbers[row, column, depth - 1] = node_numbers.setdefault(
                    (name, tuple(path[:depth])), len(node_numbers)
                )
    return numbers, owner
