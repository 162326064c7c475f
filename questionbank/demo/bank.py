"""The files of the demo bank: its questions, labelled paraphrases, those to review, and precomputed results of jobs.

`python -m worker.demo_results` writes the results with the starter models of this version. Results by another starter
are ignored, and jobs recompute them.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.artifacts import artifact_checksum, artifact_read
from analytics.atomic_file import written_aside
from analytics.catalog import CAPABILITIES
from analytics.paraphrase.pair_files import read_pairs
from analytics.records import ParaphrasePair, QuestionRecord
from questionbank.formats.catalog import read

DEMO_BANK = Path(__file__).with_name("bank.jsonl.gz")
"""JSON Lines in the format of `import_questions`."""

HIERARCHY_NAME = "Kindred demo"

_PAIRS = DEMO_BANK.with_name("pairs.jsonl.gz")
_REVIEW_PAIRS = DEMO_BANK.with_name("review_pairs.toml")


@cache
def demo_questions() -> tuple[QuestionRecord, ...]:
    """Return the 2,400 questions, with concepts, difficulty and simulated responses."""
    return tuple(entry for _line, entry in read(DEMO_BANK) if isinstance(entry, QuestionRecord))


def phrasing_pairs() -> list[ParaphrasePair]:
    """Return phrasings of the patterns: those of the same draw are paraphrases, those of different draws are not."""
    return [pair for pair in _pairs() if not _is_story(pair)]


def story_pairs() -> list[ParaphrasePair]:
    """Return stories retold by hand, which either ask the same or only seem to."""
    return [pair for pair in _pairs() if _is_story(pair)]


@cache
def _pairs() -> tuple[ParaphrasePair, ...]:
    return tuple(read_pairs(_PAIRS))


def _is_story(pair: ParaphrasePair) -> bool:
    return pair.id.startswith("story-")


def labelled_review_pairs() -> list[ParaphrasePair]:
    """Return the initial pairs of the demo's review queue with their labels: 1 valid, 0 not.

    Each was written and labelled by hand, so paraphrase scorers are compared on them in every bank.
    """
    rows = tomllib.loads(_REVIEW_PAIRS.read_text(encoding="utf-8"))["pair"]
    return [
        ParaphrasePair(f"demo-{number}", row["original"], row["paraphrase"], int(row["valid"]))
        for number, row in enumerate(rows, 1)
    ]


# --- results of jobs ------------------------------------------------------------------------------

DEMO_RESULTS = DEMO_BANK.with_name("results.npz.xz")

CAPABILITIES_USED = ("analogy", "encoder", "solver")  # their general starters, and the English ones


@dataclass(frozen=True)
class DemoResults:
    """The results for the questions of the demo bank.

    Attributes:
        made_by: SHA-256 of the bank's file and of each starter, from `demo_sources`.
        ids: of the questions, as in the bank's file.
        vectors: (questions, dimension) float16 by lens; a row of NaN if the lens does not support the question.
        unknown_shares: of each lens's encoder, by language.
        solutions: per question ``{"alternatives", "reason", "probability", "graph_key"}``; a twin is identified by
            its id in the bank's file.
        coordinates: (questions, 2) float32 in -1 .. 1, of the map.
        map: its method and settings.
    """

    made_by: Mapping[str, str]
    ids: Sequence[str]
    vectors: Mapping[str, npt.NDArray[np.float16]]
    unknown_shares: Mapping[str, Mapping[str, float]]
    solutions: Sequence[Mapping[str, Any]]
    coordinates: npt.NDArray[np.float32]
    map: Mapping[str, Any]

    def is_by(self, capability: str, digests: Mapping[str, str]) -> bool:
        """Return whether a model was built from the starter that produced the results.

        Args:
            digests: SHA-256 of the model's files by name, which include its starter's.
        """
        folder = starter_folder(capability)
        if self.made_by[capability] != artifact_checksum(folder):
            return False
        return set(artifact_read(folder, verify=False).files.values()) <= set(digests.values())


def starter_folder(capability: str) -> Path:
    """Return the folder of the starter for English questions."""
    return next(starter.path for starter in CAPABILITIES[capability].starters if starter.scope in ("", "en"))


def demo_sources() -> dict[str, str]:
    """Return the checksums that the results depend on: of the bank and of each starter."""
    bank = hashlib.sha256(DEMO_BANK.read_bytes()).hexdigest()
    return {"bank": bank} | {word: artifact_checksum(starter_folder(word)) for word in CAPABILITIES_USED}


def write_results(results: DemoResults, path: Path = DEMO_RESULTS) -> None:
    """Write the file atomically."""
    about = {
        "made_by": results.made_by,
        "ids": results.ids,
        "unknown_shares": results.unknown_shares,
        "solutions": results.solutions,
        "map": results.map,
    }
    arrays: dict[str, npt.NDArray[Any]] = {
        "about": np.frombuffer(json.dumps(about, sort_keys=True, ensure_ascii=False).encode(), np.uint8),
        "coordinates": results.coordinates,
        **{f"vectors_{lens}": vectors for lens, vectors in results.vectors.items()},
    }
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]  # NumPy's stubs take keyword arguments for `allow_pickle`
    with written_aside(path) as aside:
        aside.write(lzma.compress(buffer.getvalue(), preset=9))


def read_results(path: Path = DEMO_RESULTS) -> DemoResults | None:
    """Return the shipped results; None if there are none, or they are for another version of the bank."""
    if not path.is_file():
        return None
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes())), allow_pickle=False) as arrays:
        about = json.loads(arrays["about"].tobytes())
        results = DemoResults(
            **about,
            coordinates=arrays["coordinates"],
            vectors={
                name.removeprefix("vectors_"): arrays[name] for name in arrays.files if name.startswith("vectors_")
            },
        )
    return results if results.made_by["bank"] == demo_sources()["bank"] else None
