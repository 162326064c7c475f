"""What jobs would compute for the demo bank, shipped: vectors, solutions and the map.

`python -m worker.demo_results` makes the file with the starters of this version. Results of another starter are left
alone: jobs compute them anew.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.artifacts import artifact_checksum, artifact_read
from analytics.atomic_file import written_aside
from analytics.catalog import CAPABILITIES
from questionbank.demo.bank import DEMO_BANK

DEMO_RESULTS = DEMO_BANK.with_name("results.npz.xz")

CAPABILITIES_USED = ("analogy", "encoder", "solver")  # their general starters, and those of English


@dataclass(frozen=True)
class DemoResults:
    """What was computed for the questions of the demo bank.

    Attributes:
        made_by: SHA-256 of the bank's file and of each starter, as `demo_sources` gives them.
        ids: of the questions, as the bank's file has them.
        vectors: (questions, dimension) float16 by lens; a row of NaN where the lens does not compare the question.
        unknown_shares: of the encoder of each lens, by language.
        solutions: of each question ``{"alternatives", "reason", "probability", "graph_key"}``; a twin is named by its
            id in the bank's file.
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
        """Return whether a model was put together from the starter that the results are by.

        Args:
            digests: SHA-256 of the model's files by name: its starter's are among them.
        """
        folder = starter_folder(capability)
        if self.made_by[capability] != artifact_checksum(folder):
            return False
        return set(artifact_read(folder, verify=False).files.values()) <= set(digests.values())


def starter_folder(capability: str) -> Path:
    """Return the folder of the starter that English questions are computed by."""
    return next(starter.path for starter in CAPABILITIES[capability].starters if starter.scope in ("", "en"))


def demo_sources() -> dict[str, str]:
    """Return what the results depend on: the checksum of the bank and of each starter."""
    bank = hashlib.sha256(DEMO_BANK.read_bytes()).hexdigest()
    return {"bank": bank} | {word: artifact_checksum(starter_folder(word)) for word in CAPABILITIES_USED}


def write_results(results: DemoResults, path: Path = DEMO_RESULTS) -> None:
    """Write the file, whole or not at all."""
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
    """Return the shipped results; None where there are none, or they are of another version of the bank."""
    if not path.is_file():
        return None
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes())), allow_pickle=False) as arrays:
        about = json.loads(arrays["about"].tobytes())
        results = DemoResults(
            **about,
            coordinates=arrays["coordinates"],
            vectors={
                name.removeprefix("vectors_"): arrays[name]
                for name in arrays.files
                if name.startswith("vectors_")
            },
        )
    return results if results.made_by["bank"] == demo_sources()["bank"] else None
