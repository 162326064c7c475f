"""Input for the probes: labelled questions, the named scales of difficulties, which are never mixed, and the settings.

Torch-free: forms and the command line are built from the settings.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import Field

from analytics.configuration import configuration
from analytics.errors import DataError
from analytics.records import ConceptPath
from analytics.splits import groups_by_masked_text, is_held_out


@configuration
class ProbesConfig:
    """Settings of the concept and difficulty probes; each field has its help text and bounds."""

    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="Seed of the splits.")
    test_share: float = Field(
        default=0.2, ge=0.05, le=0.5, description="Share of the questions held out to test the model."
    )
    coverage: float = Field(
        default=0.9, ge=0.5, le=0.99, description="Share of difficulties that the intervals should cover."
    )
    maximum_questions: int = Field(
        default=30_000,
        ge=100,
        le=1_000_000,
        description="Maximum number of training questions; larger sets are sampled.",
    )
    iterations: int = Field(
        default=40, ge=5, le=1_000, description="Maximum number of optimiser steps (L-BFGS) for each fit."
    )


FEWEST_SOURCES = 10
LARGEST_SOURCE = 0.1
LEAST_APART = 0.3


@dataclass(frozen=True, slots=True)
class DifficultyScale:
    """A named scale with its easiest and hardest value."""

    name: str
    low: float
    high: float


SCALES = {
    scale.name: scale
    for scale in (
        DifficultyScale("0-4", 0.0, 4.0),
        DifficultyScale("1-5", 1.0, 5.0),
        DifficultyScale("1-9.5", 1.0, 9.5),
        DifficultyScale("facility", 0.0, 1.0),
    )
}


def choose_scale(names: Sequence[str], values: np.ndarray) -> DifficultyScale:
    """Return the scale of a set of difficulties: the one its rows name, otherwise the narrowest that contains them all.

    Args:
        names: the scale that each row names; empty if none.
        values: the difficulties, not empty, without NaN.

    Raises:
        DataError: the rows name several scales, or values lie outside the named one.
    """
    low, high = float(values.min()), float(values.max())
    named = sorted({name for name in names if name})
    if len(named) > 1:
        raise DataError(f"The difficulties are on several scales ({', '.join(named)}); train on one at a time.")
    if named and named[0] in SCALES:
        scale = SCALES[named[0]]
        if low < scale.low or high > scale.high:
            raise DataError(f"Difficulties from {low:g} to {high:g} do not fit the named scale, {scale.name}.")
        return scale
    if named:
        return DifficultyScale(named[0], low, high)
    fitting = [scale for scale in SCALES.values() if scale.low <= low and high <= scale.high]
    if fitting:
        return min(fitting, key=lambda scale: scale.high - scale.low)
    return DifficultyScale(f"{low:g}-{high:g}", low, high)


@dataclass(frozen=True)
class ProbeData:
    """Questions with vectors and labels.

    Attributes:
        vectors: (questions, dimension) float32.
        paths: each question's concept paths, from coarse to fine; empty if it has none.
        difficulties: (questions,), NaN if there is none.
        groups: questions of the same group are never split; see `groups_by_masked_text`.
        sources: (questions,) groups that also keep each source together; None if there are too few sources.
        scale: scale of the difficulties; None if there are none.
        texts: texts of the questions; None if only vectors are known.
        errors: standard errors of the difficulties, (questions,); 0 where one is taken as it is. None if all are.
        ladders: vectors of `analytics.probes.order.ladder_texts` from the same encoder; None if it does not
            know their language.
    """

    vectors: np.ndarray
    paths: tuple[tuple[ConceptPath, ...], ...]
    difficulties: np.ndarray
    groups: np.ndarray
    scale: DifficultyScale | None
    texts: tuple[str, ...] | None = None
    sources: np.ndarray | None = None
    ladders: np.ndarray | None = None
    errors: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        vectors: np.ndarray,
        paths: Sequence[Sequence[ConceptPath]],
        difficulties: Sequence[float | None],
        *,
        texts: Sequence[str] | None = None,
        scales: Sequence[str] = (),
        sources: Sequence[str] = (),
    ) -> ProbeData:
        """Build the data from a caller's vectors and labels, checking them.

        Args:
            vectors: (questions, dimension).
            paths: concept paths of each question.
            difficulties: difficulty of each question; None if unknown.
            texts: text of each question; without texts, equal vectors form a group, and there are no surface
                counts.
            scales: the scale that each question's difficulty names; empty if unnamed.
            sources: source of each question; empty if unknown.

        Raises:
            DataError: the lengths differ, or the difficulties are on several scales.
        """
        count = len(vectors)
        lengths = {len(paths), len(difficulties), *([len(texts)] if texts is not None else [])}
        if np.ndim(vectors) != 2 or lengths != {count}:
            raise DataError(f"{count} vectors need as many labels and texts, not {sorted(lengths)}.")
        values = np.array(
            [np.nan if difficulty is None else float(difficulty) for difficulty in difficulties], dtype=np.float64
        )
        is_graded = ~np.isnan(values)
        groups = _groups_by_vector(vectors) if texts is None else groups_by_masked_text(texts)
        named = [scale for scale, is_row_graded in zip(scales, is_graded, strict=False) if is_row_graded]
        return cls(
            vectors=np.ascontiguousarray(vectors, dtype=np.float32),
            paths=tuple(
                tuple(dict.fromkeys(tuple(path) for path in question_paths if path)) for question_paths in paths
            ),
            difficulties=values,
            groups=groups,
            scale=choose_scale(named, values[is_graded]) if is_graded.any() else None,
            texts=None if texts is None else tuple(texts),
            sources=_groups_by_source(groups, sources),
        )

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def tagged(self) -> np.ndarray:
        """Mask of the questions that have a concept."""
        return np.array([bool(question_paths) for question_paths in self.paths], dtype=bool)

    @property
    def graded(self) -> np.ndarray:
        """Mask of the questions that have a difficulty."""
        return ~np.isnan(self.difficulties)

    def apart_by_source(self) -> ProbeData | None:
        """Return the same data, grouped by source when split; None if there are too few sources."""
        return None if self.sources is None else replace(self, groups=self.sources)

    def take(self, mask: np.ndarray) -> ProbeData:
        """Return the questions selected by a mask."""
        rows = np.flatnonzero(mask)
        return replace(
            self,
            vectors=self.vectors[rows],
            paths=tuple(self.paths[row] for row in rows),
            difficulties=self.difficulties[rows],
            groups=self.groups[rows],
            texts=None if self.texts is None else tuple(self.texts[row] for row in rows),
            sources=None if self.sources is None else self.sources[rows],
            errors=None if self.errors is None else self.errors[rows],
        )

    def sha256(self) -> str:
        """Return a SHA-256 that identifies the questions and their labels, in order."""
        digest = hashlib.sha256()
        for row, question_paths in enumerate(self.paths):
            text = self.texts[row] if self.texts is not None else self.vectors[row].tobytes().hex()
            digest.update(json.dumps([text, question_paths, repr(self.difficulties[row])]).encode())
            if self.errors is not None:
                digest.update(repr(float(self.errors[row])).encode())
        return digest.hexdigest()


def kept_out(texts: Sequence[str], paths: Sequence[Sequence[ConceptPath]]) -> np.ndarray:
    """Return a mask of the fixed held-out questions, on which probes are evaluated and never trained.

    A question stays in training if nothing else there has its concept, so that a concept with questions that
    differ only in their numbers is still learned.

    Args:
        texts: texts of the questions.
        paths: the concept paths of each.
    """
    fixed = np.array([is_held_out(text) for text in texts], dtype=bool)
    taught = {
        tuple(path)
        for question_paths, is_fixed in zip(paths, fixed, strict=True)
        if not is_fixed
        for path in question_paths
    }
    is_taught = np.array(
        [all(tuple(path) in taught for path in question_paths) for question_paths in paths], dtype=bool
    )
    return fixed & is_taught


def _groups_by_source(groups: np.ndarray, sources: Sequence[str]) -> np.ndarray | None:
    """Return groups that also keep each source together; None if too few sources can be held out.

    This requires `FEWEST_SOURCES` with at most `LARGEST_SOURCE` of the questions each, and `LEAST_APART` of
    the questions among them. Larger ones are only used for training.
    """
    counts = Counter(source for source in sources if source)
    small = [count for count in counts.values() if count <= LARGEST_SOURCE * len(groups)]
    if len(small) < FEWEST_SOURCES or sum(small) < LEAST_APART * len(groups):
        return None
    from scipy.sparse import coo_array  # takes a fifth of a second to import, which pages need not wait for
    from scipy.sparse.csgraph import connected_components

    number = {source: place for place, source in enumerate(counts)}
    rows = [row for row, source in enumerate(sources) if source in number]
    links = coo_array(
        (np.ones(len(rows)), (groups[rows], groups.max() + 1 + np.array([number[sources[row]] for row in rows]))),
        shape=(groups.max() + 1 + len(number),) * 2,
    )
    joined: np.ndarray = connected_components(links, directed=False)[1][groups]
    return joined


def _groups_by_vector(vectors: np.ndarray) -> np.ndarray:
    return np.unique(np.round(vectors, 4), axis=0, return_inverse=True)[1].reshape(-1)
