"""A trained retriever for serving, and its datastore of solved problems. Torch-free.

The retriever encodes texts as unit vectors with ONNX Runtime. The datastore (Khandelwal et al., "Generalization
through Memorization", 2020) has a vector and a graph for each of its training examples, without their texts; vectors
are stored with eight bits per entry. Filled with a new problem's numbers, the graphs of the nearest ones give
answers: `analytics.analogy.retrieve_and_apply`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from analytics.analogy.examples import AnalogyExample, retriever_text
from analytics.analogy.graphs import ComputationalGraph, readable_text_graph, slot_text
from analytics.analogy.retrieve_and_apply import Neighbour
from analytics.artifacts import Manifest, artifact_amend, artifact_read
from analytics.errors import ArtifactError, DataError
from analytics.expression.tree import from_prefix, to_prefix
from analytics.inference.encode import OnnxEncoder, best_columns, load_encoder
from analytics.languages import primary_language
from analytics.question_files import read_problems
from analytics.records import ProblemRecord
from analytics.text.number_slots import SlotPlace

DATASTORE_NAME = "datastore.safetensors"
LARGEST = 25_000  # problems
_STEPS = 127  # levels of a signed byte
_BLOCK = 1024  # texts and problems that are compared at once

Bytes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Datastore:
    """Solved problems by their vectors.

    Attributes:
        codes: (problems, dimension) entries of the vectors in eight bits.
        scales: (problems,) the factor for each row of `codes`.
        equations: each in pre-order over the slots that it uses, renumbered in the text's order; then a bar and the
            place of each slot: ``d1`` is the second number in digits, ``d1.2`` its third reading, ``w0`` the first
            number in words. Datastores of earlier versions have no bar: their slots are the text's.
        rows: (problems,) the index of each problem's equation in `equations`.
        languages: the languages of the problems.
    """

    codes: Bytes
    scales: Floats
    equations: tuple[str, ...]
    rows: npt.NDArray[np.int32]
    languages: tuple[str, ...]

    @classmethod
    def of(cls, examples: Sequence[AnalogyExample], vectors: Floats) -> Datastore:
        """Build a datastore from problems and their unit vectors, (problems, dimension)."""
        largest = np.abs(vectors).max(axis=1) / _STEPS
        scales = np.where(largest > 0, largest, 1).astype(np.float32)
        places: dict[str, int] = {}
        rows = [places.setdefault(_equation(example.graph), len(places)) for example in examples]
        return cls(
            codes=np.rint(vectors / scales[:, None]).astype(np.int8),
            scales=scales,
            equations=tuple(places),
            rows=np.array(rows, dtype=np.int32),
            languages=tuple(sorted({primary_language(example.problem.language) for example in examples})),
        )

    def __len__(self) -> int:
        return len(self.codes)

    def with_problems(self, examples: Sequence[AnalogyExample], vectors: Floats) -> Datastore:
        """Return a datastore extended by these problems, with their unit vectors (problems, dimension).

        A problem with the same vector and the same equation is not stored twice.
        """
        kept = set(self._identities())
        new = Datastore.of(examples, vectors)
        fresh = [row for row, identity in enumerate(new._identities()) if identity not in kept]
        new = replace(new, codes=new.codes[fresh], scales=new.scales[fresh], rows=new.rows[fresh])
        return Datastore(
            codes=np.concatenate([self.codes, new.codes]),
            scales=np.concatenate([self.scales, new.scales]),
            equations=self.equations + new.equations,
            rows=np.concatenate([self.rows, new.rows + len(self.equations)]),
            languages=tuple(sorted({*self.languages, *new.languages})),
        )

    def _identities(self) -> Iterator[tuple[str, bytes]]:
        """Yield the equation and the vector of each problem."""
        return ((self.equations[row], codes.tobytes()) for row, codes in zip(self.rows, self.codes, strict=True))

    def nearest(self, vectors: Floats, count: int) -> list[list[Neighbour]]:
        """Return the `count` nearest problems for each unit vector, (texts, dimension), nearest first.

        Entries are compared as bytes, because as floats they would take four times the memory.
        """
        found: list[list[Neighbour]] = []
        for start in range(0, len(vectors), _BLOCK):
            cosines = self._cosines(vectors[start : start + _BLOCK])
            for row, best in enumerate(best_columns(cosines, min(count, len(self)))):
                found.append(
                    [
                        Neighbour(_graph(self.equations[self.rows[kept]]), float(cosines[row, kept]), int(kept))
                        for kept in best
                    ]
                )
        return found

    def _cosines(self, vectors: Floats) -> Floats:
        """Return the cosine of each vector with each problem's, (texts, problems)."""
        cosines = np.empty((len(vectors), len(self)), dtype=np.float32)
        for start in range(0, len(self), _BLOCK):
            block = slice(start, start + _BLOCK)
            cosines[:, block] = vectors @ self.codes[block].astype(np.float32).T
        cosines *= self.scales
        return cosines


@lru_cache(maxsize=LARGEST)
def _graph(equation: str) -> ComputationalGraph:
    """Parse an equation in pre-order with spaces between tokens; parsing one takes .3 ms."""
    tokens, _bar, places = equation.partition("|")
    return ComputationalGraph.of(from_prefix(tokens.split()), places=list(map(_place, places.split())))


def _equation(graph: ComputationalGraph) -> str:
    """Serialize a graph for `_graph`."""
    names = {f"N{slot}": f"N{number}" for number, slot in enumerate(graph.slots)}
    tokens = (names.get(token, token) for token in to_prefix(graph.tree))
    return " ".join([*tokens, "|", *map(_label, graph.slot_places)])


def _label(place: SlotPlace) -> str:
    return f"{'w' if place.in_words else 'd'}{place.number}{f'.{place.reading}' if place.reading else ''}"


def _place(label: str) -> SlotPlace:
    number, _, reading = label[1:].partition(".")
    return SlotPlace(int(number), label[0] == "w", int(reading or 0))


def kept_examples(problems: Iterable[ProblemRecord]) -> list[AnalogyExample]:
    """Return the examples to store: problems with a known computation, at most 25,000, evenly spaced.

    Their graphs are over the numbers in their texts, so that other texts' numbers can fill them. Of problems
    that differ only in their numbers and have the same equation over these, only the first is kept: a
    retriever can hardly tell them apart, and not at all if it reads numbers as slots.
    """
    kept: dict[tuple[str, str], AnalogyExample] = {}
    for problem in problems:
        if not problem.pair and (graph := readable_text_graph(problem)) is not None:
            key = (slot_text(problem.text).casefold(), _equation(graph))
            kept.setdefault(key, AnalogyExample(problem, graph))
    examples = list(kept.values())
    if len(examples) <= LARGEST:
        return examples
    return [examples[row * len(examples) // LARGEST] for row in range(LARGEST)]


def save_datastore(datastore: Datastore, folder: Path) -> None:
    """Write a datastore into a model's folder."""
    tensors: dict[str, npt.NDArray[Any]] = {
        "codes": datastore.codes,
        "scales": datastore.scales,
        "rows": datastore.rows,
    }
    about = {"equations": json.dumps(datastore.equations), "languages": json.dumps(datastore.languages)}
    save_file(tensors, folder / DATASTORE_NAME, metadata=about)


def load_datastore(folder: Path) -> Datastore | None:
    """Load the datastore that `save_datastore` wrote; None for a retriever without one.

    Raises:
        ArtifactError: the file is damaged.
    """
    path = folder / DATASTORE_NAME
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata()
            codes, scales, rows = (file.get_tensor(name) for name in ("codes", "scales", "rows"))
        equations, languages = (tuple(json.loads(about[name])) for name in ("equations", "languages"))
        if not (len(codes) == len(scales) == len(rows)) or (len(rows) and rows.max() >= len(equations)):
            raise ValueError("its parts do not belong together")
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ArtifactError(f"{path} cannot be read: {error}.") from error
    return Datastore(codes, scales, equations, rows, languages)


_REMEMBERED = 4_096  # texts whose vectors are cached
_LONGEST_REMEMBERED = 2_000  # characters of a cached text


class ServedRetriever:
    """Encodes problems as vectors; problems with the same computation get nearby vectors.

    It caches the vectors of the most recent texts: the vector that helps to solve a problem also finds its
    exemplars.

    Attributes:
        name, dimension, manifest, checksum: those of the artifact.
        slots: whether it reads numbers as their slots.
        datastore: its datastore of solved problems, if any.
    """

    def __init__(self, encoder: OnnxEncoder, *, slots: bool, datastore: Datastore | None = None) -> None:
        self._encoder, self.slots, self.datastore = encoder, slots, datastore
        self.name, self.dimension = encoder.name, encoder.dimension
        self.checksum = encoder.checksum
        self._vectors: dict[str, np.ndarray] = {}
        self._lock = threading.Lock()

    @property
    def manifest(self) -> Manifest:
        """The artifact's manifest."""
        return self._encoder.manifest

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Return unit vectors, (texts, dimension) float32, in the given order."""
        read = self._read(texts)
        with self._lock:
            vectors = {text: self._vectors[text] for text in read if text in self._vectors}
        new = list(dict.fromkeys(text for text in read if text not in vectors))
        if new:
            vectors |= {text: vector.copy() for text, vector in zip(new, self._encoder.encode(new), strict=True)}
            with self._lock:
                self._vectors |= {text: vectors[text] for text in new if len(text) <= _LONGEST_REMEMBERED}
                for text in list(islice(self._vectors, max(0, len(self._vectors) - _REMEMBERED))):
                    del self._vectors[text]  # the oldest
        return np.array([vectors[text] for text in read], dtype=np.float32).reshape(-1, self.dimension)

    def forget(self) -> None:
        """Clear the cache of vectors."""
        with self._lock:
            self._vectors.clear()

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Return the share of the texts' tokens that the vocabulary lacks."""
        return self._encoder.unknown_share(self._read(texts))

    def _read(self, texts: Sequence[str]) -> list[str]:
        return [retriever_text(text, slots=self.slots) for text in texts]


def load_retriever(folder: Path) -> ServedRetriever:
    """Load a retriever's artifact, or an encoder's, which is untrained for analogy.

    Raises:
        ArtifactError: the folder is not such an artifact, or is incomplete.
        ChecksumError: a file differs from its recorded SHA-256.
    """
    encoder = load_encoder(folder)
    if encoder.manifest.capability not in ("analogy", "encoder"):
        raise ArtifactError(f"{folder} holds no retriever of analogous problems.")
    return ServedRetriever(
        encoder, slots=bool(encoder.manifest.extra.get("slot_text", False)), datastore=load_datastore(folder)
    )


def give_datastore(model: Path, problems: Path) -> Datastore:
    """Replace a retriever's datastore by one of a file's problems, or of a folder's training problems.

    Raises:
        ArtifactError, DataError: the model or the problems cannot be read, or no problem has a graph.
    """
    retriever = load_retriever(model)
    examples = kept_examples(read_problems(problems).learned)
    if not examples:
        raise DataError(f"No problem of {problems} has an equation, a program or calculations that can be read.")
    datastore = Datastore.of(examples, retriever.encode([example.problem.text for example in examples]))
    artifact_amend(model, artifact_read(model), partial(save_datastore, datastore))
    return datastore
