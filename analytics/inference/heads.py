"""Linear heads on question vectors, in NumPy, for predictions in a web process.

`analytics.probes` trains them. A concept head assigns every whole path a probability, by one softmax over all
paths. A difficulty head is linear in the vector, in the path probabilities and, if the texts are given, in
counts of the text; its intervals are the estimate plus and minus radii calibrated on held-out questions
(split conformal). The order predicts which of two questions on a topic is harder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from analytics.artifacts import Manifest, artifact_read
from analytics.errors import ArtifactError, DataError
from analytics.inference.demands import DEMANDS, SURFACE_COUNTS, OrderHead, surface_counts
from analytics.records import ConceptPath
from analytics.splits import crossing_fold

_WEIGHTS, _LABELS = "heads.npz", "heads.json"
_SCALARS = ("intercept", "radius", "scale", "lowest", "highest", "coverage")  # of a difficulty head
_FOLD = "difficulty_without_fold_"
_CHUNK = 4096

MIDDLE = 0.5
"""Share of true values inside the shorter of an estimate's two intervals."""

COVERAGE_TOLERANCE = 0.02
"""How far the measured coverage of an interval may fall below its nominal coverage."""


@dataclass(frozen=True, slots=True)
class ConceptGuess:
    """A whole concept path and the probability that it is the question's."""

    path: ConceptPath
    probability: float


@dataclass(frozen=True, slots=True)
class DifficultyEstimate:
    """A difficulty on a named scale; the truth lies in [low, high] with probability `coverage`.

    Attributes:
        middle: the ends of the interval that contains it with probability `MIDDLE`; None for probes that
            never learned it.
    """

    value: float
    low: float
    high: float
    scale: str
    coverage: float
    middle: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """The probes' prediction for one question: the most probable paths, in descending order, and the difficulty.

    Attributes:
        order: its score among questions on its topic (`OrderHead`); None without a text, or from probes that never
            learned an order.
    """

    concepts: tuple[ConceptGuess, ...]
    difficulty: DifficultyEstimate | None
    order: float | None = None


@dataclass(frozen=True, slots=True)
class ConceptHead:
    """A softmax over all concept paths.

    Attributes:
        paths: the whole paths, as pages show them.
        leading: nodes that nearly all paths begin with; levels count after them.
        weights: (paths, dimension).
        bias: (paths,).
    """

    paths: tuple[ConceptPath, ...]
    leading: ConceptPath
    weights: np.ndarray
    bias: np.ndarray

    def probabilities(self, vectors: np.ndarray) -> np.ndarray:
        """Return (questions, paths) float32; every row sums to 1."""
        logits = vectors @ self.weights.T + self.bias
        logits -= logits.max(axis=1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=1, keepdims=True)
        return logits


@dataclass(frozen=True, slots=True)
class DifficultyHead:
    """A linear estimate of difficulty with a conformal radius.

    Attributes:
        vector_weights: (dimension,).
        path_weights: (paths,), for the path probabilities; empty without a concept head.
        surface_weights: (counts,), for `surface_counts`; empty for a head that needs no text.
        intercept: the constant.
        radius: half the interval's length before it is clipped to the scale.
        scale: name of the scale.
        lowest: the scale's easiest value.
        highest: the scale's hardest value.
        coverage: nominal share of true values inside the interval.
        middle_radius: half the length of the interval that contains the share `MIDDLE` of true values; None
            if never learned.
    """

    vector_weights: np.ndarray
    path_weights: np.ndarray
    surface_weights: np.ndarray
    intercept: float
    radius: float
    scale: str
    lowest: float
    highest: float
    coverage: float
    middle_radius: float | None = None

    def values(self, vectors: np.ndarray, probabilities: np.ndarray | None, counts: np.ndarray) -> np.ndarray:
        """Return (questions,) estimates within the scale."""
        raw = vectors @ self.vector_weights + self.intercept
        if len(self.path_weights) and probabilities is not None:
            raw = raw + probabilities @ self.path_weights
        if len(self.surface_weights):
            raw = raw + counts @ self.surface_weights
        return np.clip(raw, self.lowest, self.highest)

    def interval(self, values: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper ends for estimates, clipped to the scale."""
        return (
            np.clip(values - radius, self.lowest, self.highest),
            np.clip(values + radius, self.lowest, self.highest),
        )

    def shares(self, values: np.ndarray) -> np.ndarray:
        """Return estimates as shares of the scale, from 0 to 1."""
        shares: np.ndarray = (values - self.lowest) / (self.highest - self.lowest)
        return shares

    def estimates(self, values: np.ndarray) -> list[DifficultyEstimate]:
        """Return the estimates with their intervals."""
        low, high = self.interval(values, self.radius)
        middle: list[tuple[float, float] | None] = [None] * len(values)
        if self.middle_radius is not None:
            ends = np.stack(self.interval(values, self.middle_radius), axis=1)
            middle = [(float(first), float(last)) for first, last in ends]
        return [
            DifficultyEstimate(float(value), float(a), float(b), self.scale, self.coverage, ends_of_middle)
            for value, a, b, ends_of_middle in zip(values, low, high, middle, strict=True)
        ]


@dataclass(frozen=True)
class ProbeHeads:
    """The heads of one probes artifact. Thread-safe.

    Attributes:
        encoder: name of the encoder whose vectors the heads read.
        dimension: length of those vectors.
        concepts: the concept head; None if no concepts were learned.
        difficulty: uses the text's surface; for callers that give the texts.
        difficulty_of_vector: for callers that have vectors alone.
        by_fold: difficulty heads that each learned without one fold of the questions
            (`analytics.splits.crossing_fold`); empty if no responses were learned from.
        order: predicts which of two questions on a topic is harder; None if it was not learned.
        manifest: the artifact's manifest; None before it is written.
    """

    encoder: str
    dimension: int
    concepts: ConceptHead | None = None
    difficulty: DifficultyHead | None = None
    difficulty_of_vector: DifficultyHead | None = None
    by_fold: tuple[DifficultyHead, ...] = ()
    order: OrderHead | None = None
    manifest: Manifest | None = field(default=None, compare=False)

    @property
    def beats_majority(self) -> bool:
        """Whether the concepts beat the baseline of always naming the most common one on held-out questions.

        `analytics.probes.measure` records the gain over that baseline with its 95 % lower bound; for probes
        evaluated before it did, the two accuracies are compared. True if nothing was measured.
        """
        measured = self.measured("concepts")
        if not measured:
            return True
        gain = measured["path_accuracy"] - measured["path_majority_accuracy"]
        return bool(measured.get("path_gain_low", gain) > 0)

    @property
    def states_difficulty(self) -> bool:
        """Whether the difficulty beats a constant on held-out questions and its interval covers enough of them.

        True if nothing was measured.
        """
        measured, head = self.measured("difficulty"), self.difficulty_of_vector
        if not measured or head is None:
            return True
        covers = measured.get("coverage", head.coverage) >= head.coverage - COVERAGE_TOLERANCE
        return bool(covers and measured["mae"] < measured["median_mae"])

    def measured(self, part: str) -> Mapping[str, Any]:
        """Return the metrics of ``concepts`` or ``difficulty``: those on other sources, if measured."""
        metrics = self.manifest.metrics if self.manifest else {}
        figures: Mapping[str, Any] = metrics.get("other_sources", metrics).get(part) or {}
        return figures

    def predict(self, vectors: np.ndarray, top: int = 5, *, texts: Sequence[str] | None = None) -> list[Prediction]:
        """Predict for questions, in order.

        Args:
            vectors: (questions, dimension), of the encoder that the heads were trained on.
            top: maximum number of concept paths per question.
            texts: the questions' texts; with them the difficulty is slightly more accurate.

        Raises:
            DataError: the vectors have another dimension, or there is not exactly one text per vector.
        """
        vectors = np.asarray(vectors, dtype=np.float32)
        if vectors.ndim != 2 or vectors.shape[1] != self.dimension:
            raise DataError(
                f"The probes read {self.encoder} vectors of dimension {self.dimension};"
                f" these are of shape {vectors.shape}."
            )
        if texts is not None and len(texts) != len(vectors):
            raise DataError(f"{len(vectors)} vectors need as many texts, not {len(texts)}.")
        predictions: list[Prediction] = []
        for start in range(0, len(vectors), _CHUNK):
            chunk = vectors[start : start + _CHUNK]
            chunk_texts = None if texts is None else texts[start : start + _CHUNK]
            probabilities = None if self.concepts is None else self.concepts.probabilities(chunk)
            values = self._values(chunk, probabilities, chunk_texts)
            head = self.difficulty_head(with_texts=texts is not None)
            estimates = [None] * len(chunk) if head is None or values is None else head.estimates(values)
            guesses = self._guesses(probabilities, top, len(chunk))
            scores = self._scores(chunk, chunk_texts, values)
            predictions.extend(map(Prediction, guesses, estimates, scores))
        return predictions

    def difficulty_head(self, *, with_texts: bool) -> DifficultyHead | None:
        """Return the difficulty head to use: the one on text and vector if the texts are available."""
        return self.difficulty if with_texts and self.difficulty is not None else self.difficulty_of_vector

    def _guesses(self, probabilities: np.ndarray | None, top: int, rows: int) -> Iterator[tuple[ConceptGuess, ...]]:
        if self.concepts is None or probabilities is None:
            yield from [()] * rows
            return
        keep = min(top, len(self.concepts.paths))
        best = np.argpartition(-probabilities, keep - 1, axis=1)[:, :keep] if keep else np.zeros((rows, 0), int)
        for row, columns in enumerate(best):
            ordered = sorted(columns.tolist(), key=lambda column: (-probabilities[row, column], column))
            yield tuple(
                ConceptGuess(self.concepts.paths[column], float(probabilities[row, column])) for column in ordered
            )

    def difficulty_shares(self, vectors: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """Return (questions,) estimated difficulties as shares of the scale; one half if none is estimated."""
        probabilities = None if self.concepts is None else self.concepts.probabilities(vectors)
        return self._shares(self._values(vectors, probabilities, texts), len(vectors))

    def difficulties_apart(self, vectors: np.ndarray, texts: Sequence[str]) -> list[DifficultyEstimate | None]:
        """Return difficulties that owe nothing to the responses to the questions themselves.

        Responses are weighed against such an estimate; against one that had learned from them, they would count twice.
        """
        if not self.by_fold:
            return [prediction.difficulty for prediction in self.predict(vectors, top=1, texts=texts)]
        probabilities = None if self.concepts is None else self.concepts.probabilities(vectors)
        counts = surface_counts(texts)
        folds = np.array([crossing_fold(text, len(self.by_fold)) for text in texts])
        found: list[DifficultyEstimate | None] = [None] * len(texts)
        for number, head in enumerate(self.by_fold):
            rows = np.flatnonzero(folds == number)
            values = head.values(vectors[rows], None if probabilities is None else probabilities[rows], counts[rows])
            for row, estimate in zip(rows, head.estimates(values), strict=True):
                found[row] = estimate
        return found

    def _values(
        self, vectors: np.ndarray, probabilities: np.ndarray | None, texts: Sequence[str] | None
    ) -> np.ndarray | None:
        head = self.difficulty_head(with_texts=texts is not None)
        if head is None:
            return None
        counts = surface_counts(texts) if texts is not None else np.zeros((len(vectors), 0), dtype=np.float32)
        return head.values(vectors, probabilities, counts)

    def _shares(self, values: np.ndarray | None, count: int) -> np.ndarray:
        head = self.difficulty_head(with_texts=True)
        return np.full(count, 0.5) if head is None or values is None else head.shares(values)

    def _scores(
        self, vectors: np.ndarray, texts: Sequence[str] | None, values: np.ndarray | None
    ) -> list[float] | list[None]:
        if self.order is None or texts is None:
            return [None] * len(vectors)
        scores: list[float] = self.order.scores(vectors, texts, self._shares(values, len(vectors))).tolist()
        return scores


def save_heads(heads: ProbeHeads, folder: Path) -> None:
    """Write the heads' two files into a folder: weights in half precision, labels as JSON."""
    arrays: dict[str, np.ndarray] = {}
    labels: dict[str, object] = {"encoder": heads.encoder, "dimension": heads.dimension}
    if heads.concepts is not None:
        arrays["concepts.weights"] = heads.concepts.weights.astype(np.float16)
        arrays["concepts.bias"] = heads.concepts.bias.astype(np.float32)
        labels["paths"] = heads.concepts.paths
        labels["leading"] = heads.concepts.leading
    by_fold = {f"{_FOLD}{number}": head for number, head in enumerate(heads.by_fold)}
    for name, head in {
        "difficulty": heads.difficulty,
        "difficulty_of_vector": heads.difficulty_of_vector,
        **by_fold,
    }.items():
        if head is None:
            continue
        arrays[f"{name}.vector"] = head.vector_weights.astype(np.float32)
        arrays[f"{name}.paths"] = head.path_weights.astype(np.float32)
        arrays[f"{name}.surface"] = head.surface_weights.astype(np.float32)
        labels[name] = {field: getattr(head, field) for field in (*_SCALARS, "middle_radius")}
    if (order := heads.order) is not None:
        arrays["order.vector"] = order.vector_weights.astype(np.float32)
        arrays["order.demands"] = np.stack((order.demand_weights, order.demand_centre, order.demand_spread))
        arrays["order.words"] = order.word_weights
        labels["order"] = {"difficulty": order.difficulty_weight, "demands": DEMANDS, "words": order.words}
    np.savez_compressed(folder / _WEIGHTS, allow_pickle=False, **arrays)
    (folder / _LABELS).write_text(json.dumps(labels, ensure_ascii=False) + "\n", encoding="utf-8")


def load_heads(folder: Path) -> ProbeHeads:
    """Load the heads of a probes artifact.

    Raises:
        ArtifactError: the folder is not a probes artifact, or is incomplete.
        ChecksumError: a file differs from its recorded SHA-256.
    """
    folder = Path(folder)
    manifest = artifact_read(folder)
    try:
        labels = json.loads((folder / _LABELS).read_text(encoding="utf-8"))
        with np.load(folder / _WEIGHTS, allow_pickle=False) as stored:
            arrays = {name: stored[name].astype(np.float32) for name in stored.files}
        concepts = None
        if "paths" in labels:
            concepts = ConceptHead(
                paths=tuple(tuple(path) for path in labels["paths"]),
                leading=tuple(labels["leading"]),
                weights=arrays["concepts.weights"],
                bias=arrays["concepts.bias"],
            )
        difficulty, difficulty_of_vector = (
            _difficulty_head(name, labels, arrays) for name in ("difficulty", "difficulty_of_vector")
        )
        folds = range(sum(name.startswith(_FOLD) for name in labels))
        by_fold = [_difficulty_head(f"{_FOLD}{number}", labels, arrays) for number in folds]
        heads = ProbeHeads(
            encoder=str(labels["encoder"]),
            dimension=int(labels["dimension"]),
            concepts=concepts,
            difficulty=difficulty,
            difficulty_of_vector=difficulty_of_vector,
            by_fold=tuple(head for head in by_fold if head is not None),
            order=_order_head(labels, arrays),
            manifest=manifest,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArtifactError(f"{folder} holds no probes that can be read: {error}.") from error
    return heads


def _difficulty_head(
    name: str, labels: dict[str, dict[str, float | str]], arrays: dict[str, np.ndarray]
) -> DifficultyHead | None:
    if name not in labels:
        return None
    head_labels = labels[name]
    surface = arrays[f"{name}.surface"]
    if len(surface) not in (0, len(SURFACE_COUNTS)):
        raise ValueError("the surface counts are those of a different version")
    return DifficultyHead(
        vector_weights=arrays[f"{name}.vector"],
        path_weights=arrays[f"{name}.paths"],
        surface_weights=surface,
        scale=str(head_labels["scale"]),
        middle_radius=None if (middle := head_labels.get("middle_radius")) is None else float(middle),
        **{field: float(head_labels[field]) for field in _SCALARS if field != "scale"},
    )


def _order_head(labels: dict[str, Any], arrays: dict[str, np.ndarray]) -> OrderHead | None:
    if "order" not in labels or tuple(labels["order"].get("demands", ())) != DEMANDS:
        return None  # never learned, or from other counts: the other heads still work
    weights, centre, spread = arrays["order.demands"]
    return OrderHead(
        vector_weights=arrays["order.vector"],
        demand_weights=weights,
        demand_centre=centre,
        demand_spread=spread,
        words=tuple(labels["order"]["words"]),
        word_weights=arrays["order.words"],
        difficulty_weight=float(labels["order"]["difficulty"]),
    )
