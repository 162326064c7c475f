"""Labelled questions as the probes need them: from plain sequences, or from a file of questions."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from analytics.errors import DataError
from analytics.probes.scales import DifficultyScale, choose_scale
from analytics.probes.splits import groups_by_masked_text
from analytics.records import ConceptPath

__all__ = ["ProbeData", "QuestionRow", "read_rows"]


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """What a line of a question file says that concerns the probes."""

    text: str
    language: str
    paths: tuple[ConceptPath, ...]
    difficulty: float | None
    scale: str


@dataclass(frozen=True)
class ProbeData:
    """Questions with vectors and labels.

    Attributes:
        vectors: (questions, dimension) float32.
        paths: each question's concept paths, from coarse to fine; empty where it has none.
        difficulties: (questions,), NaN where there is none.
        groups: questions of the same group are never split; see `groups_by_masked_text`.
        scale: of the difficulties, None where there are none.
        texts: None where only vectors are known.
    """

    vectors: np.ndarray
    paths: tuple[tuple[ConceptPath, ...], ...]
    difficulties: np.ndarray
    groups: np.ndarray
    scale: DifficultyScale | None
    texts: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls,
        vectors: np.ndarray,
        paths: Sequence[Sequence[ConceptPath]],
        difficulties: Sequence[float | None],
        *,
        texts: Sequence[str] | None = None,
        scales: Sequence[str] = (),
    ) -> ProbeData:
        """Check and gather what a caller has.

        Args:
            vectors: (questions, dimension).
            paths: of each question.
            difficulties: of each question, None where unknown.
            texts: of each question; without them equal vectors make a group, and no surface is counted.
            scales: the scale that each question's difficulty names, empty where none does.

        Raises:
            DataError: the lengths differ, or the difficulties are on several scales.
        """
        count = len(vectors)
        lengths = {len(paths), len(difficulties), *([len(texts)] if texts is not None else [])}
        if np.ndim(vectors) != 2 or lengths != {count}:
            raise DataError(f"{count} vectors need as many labels and texts, not {sorted(lengths)}.")
        values = np.array([np.nan if one is None else float(one) for one in difficulties], dtype=np.float64)
        known = ~np.isnan(values)
        named = [scale for scale, has in zip(scales, known, strict=False) if has]
        return cls(
            vectors=np.ascontiguousarray(vectors, dtype=np.float32),
            paths=tuple(tuple(dict.fromkeys(tuple(path) for path in own if path)) for own in paths),
            difficulties=values,
            groups=_groups_by_vector(vectors) if texts is None else groups_by_masked_text(texts),
            scale=choose_scale(named, values[known]) if known.any() else None,
            texts=None if texts is None else tuple(texts),
        )

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def tagged(self) -> np.ndarray:
        """A mask of the questions that have a concept."""
        return np.array([bool(own) for own in self.paths], dtype=bool)

    @property
    def graded(self) -> np.ndarray:
        """A mask of the questions that have a difficulty."""
        return ~np.isnan(self.difficulties)

    def take(self, mask: np.ndarray) -> ProbeData:
        """The questions of a mask."""
        rows = np.flatnonzero(mask)
        return replace(
            self,
            vectors=self.vectors[rows],
            paths=tuple(self.paths[row] for row in rows),
            difficulties=self.difficulties[rows],
            groups=self.groups[rows],
            texts=None if self.texts is None else tuple(self.texts[row] for row in rows),
        )

    def sha256(self) -> str:
        """Identifies the questions and their labels, in their order."""
        digest = hashlib.sha256()
        for row, own in enumerate(self.paths):
            text = self.texts[row] if self.texts is not None else self.vectors[row].tobytes().hex()
            digest.update(json.dumps([text, own, repr(self.difficulties[row])]).encode())
        return digest.hexdigest()


def read_rows(path: Path) -> list[QuestionRow]:
    """Read questions from a JSON Lines file (``.jsonl`` or ``.jsonl.gz``), or from all of a folder's.

    Of a folder, files named ``test*`` are left out: nothing learns from a test set that its owner keeps
    apart. Lines without a text (a concept tree, a pair) are passed over.

    Raises:
        DataError: nothing is there, or a line cannot be read; it names file and line.
    """
    path = Path(path)
    if path.is_dir():
        files = sorted(
            file
            for file in path.iterdir()
            if file.name.endswith((".jsonl", ".jsonl.gz")) and not file.name.startswith("test")
        )
    else:
        files = [path]
    if not files or not all(file.is_file() for file in files):
        raise DataError(f"There is no question file (.jsonl or .jsonl.gz) at {path}.")
    rows = [row for file in files for row in _rows_of_file(file)]
    if not rows:
        raise DataError(f"There are no questions in {path}.")
    return rows


def _rows_of_file(file: Path) -> Iterator[QuestionRow]:
    opener: Any = gzip.open if file.name.endswith(".gz") else open
    number = 0
    try:
        with opener(file, "rt", encoding="utf-8") as stream:
            for line in stream:
                number += 1
                row = _row(json.loads(line)) if line.strip() else None
                if row is not None:
                    yield row
    except ValueError as error:  # also invalid UTF-8 and invalid JSON
        raise DataError(f"{file.name}, line {max(number, 1)}: {error}.") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file} cannot be read: {error}.") from error


def _row(body: Any) -> QuestionRow | None:
    if not isinstance(body, dict):
        raise ValueError("not a JSON object")
    text = body.get("text")
    if text is None:
        return None
    if not isinstance(text, str):
        raise ValueError("the text is not a string")
    paths = body.get("concepts") or []
    if not isinstance(paths, list) or not all(
        isinstance(one, list) and all(isinstance(name, str) for name in one) for one in paths
    ):
        raise ValueError("concepts is not a list of paths")
    difficulty = body.get("difficulty")
    if difficulty is not None and (isinstance(difficulty, bool) or not isinstance(difficulty, int | float)):
        raise ValueError("the difficulty is not a number")
    return QuestionRow(
        text=text,
        language=str(body.get("language") or "en"),
        paths=tuple(tuple(one) for one in paths if one),
        difficulty=None if difficulty is None else float(difficulty),
        scale=str(body.get("difficulty_scale") or ""),
    )


def _groups_by_vector(vectors: np.ndarray) -> np.ndarray:
    return np.unique(np.round(vectors, 4), axis=0, return_inverse=True)[1].reshape(-1)
