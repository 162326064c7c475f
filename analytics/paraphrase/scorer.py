"""Score pairs with a trained scorer. Torch-free: the web process scores with ONNX Runtime."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from analytics.artifacts import Manifest, artifact_checksum, artifact_read
from analytics.errors import ArtifactError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, Encode, load_encoder
from analytics.paraphrase.findings.pair import Finding
from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.pair_reading import (
    GRAPH_NAME,
    PairReading,
    ServedPairReader,
    load_served_pair_reader,
    with_changed_words,
)
from analytics.paraphrase.triplets import question_number
from analytics.paraphrase.verdict import Said, Verdict, closeness, said, stretched, verdict_features
from analytics.paraphrase.words.wording import shared_words
from analytics.text.clauses import split_sentences
from analytics.text.formulas import segment_text
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

_ASKS = re.compile(
    r"\b(?:what|how|which|who|whose|when|where|why|whether|true or false|find|calculate|determine|work out|compute"
    r"|identify|figure out|evaluate|solve|simplify|expand|factor|factori[sz]e|differentiate|integrate|convert|round"
    r"|multiply|subtract|divide|draw|sketch|plot|graph|write|express|give|show|prove|state|name|list|put|arrange|order"
    r"|sort|compare|complete|estimate|explain|choose|select|count|construct|rewrite|reduce|rationali[sz]e|reflect|rotate"
    r"|enter|share|approximate|perform|sum|rearrange|rounding|consider|translate|mark|match|label|shade|describe|answer|decide|verify|return|use|fill)\b"
    r"|_{2,}|[?？]|[=:]\s*\\?[)$]*\s*$|\.\.\.|…|~~|\s{2,}[.．]?\s*$|\\(?:uline|underline|square|boxed)"
    r"|\b(?:is|be|are|equals?)\s*[.．。]?\s*$|\(A\)",
    re.IGNORECASE,
)
_FEWEST_WORDS = 4  # in prose; a bare formula counts as a task


def asks_something(text: str) -> bool:
    """Return whether a text asks a question, sets a task or leaves a blank.

    >>> asks_something("Ann gives 3 pens to Tom."), asks_something("Simplify $3a + a$."), asks_something("3 + 4 = ____")
    (False, True, True)
    """
    if _ASKS.search(text) or any(sentence.is_question for sentence in split_sentences(text)):
        return True
    prose = " ".join(segment.body for segment in segment_text(text) if segment.kind != "formula")
    return len(re.findall(r"[^\W\d_]{2,}", prose)) < _FEWEST_WORDS


_MARK = "#"


def typed_text(text: str) -> str:
    """Write numbers as decimals and units by name, and list them after the text.

    >>> typed_text("Ann runs three km in 1,500 s.")
    'Ann runs 3 kilometer in 1500 second. # 3 # 1500 # kilometer # second'
    >>> typed_text("No number here.")
    'No number here.'
    """
    mentions = find_units(text)
    numbers = [
        number
        for number in find_numbers(text)
        if not any(unit.start <= number.start and number.end <= unit.end for unit in mentions)  # the 2 of m^2
    ]
    units = [
        unit for unit in mentions if not any(number.start < unit.end and unit.start < number.end for number in numbers)
    ]
    places = [
        *((number.start, number.end, _decimal(number.value)) for number in numbers),
        *((unit.start, unit.end, _name(unit.unit)) for unit in units),
    ]
    written = text
    for start, end, word in sorted(places, reverse=True):
        before, after = written[:start], written[end:]
        left = " " if before[-1:].isalnum() else ""
        right = " " if after[:1].isalnum() else ""
        written = f"{before}{left}{word}{right}{after}"
    listed = [_decimal(value) for value in sorted(number.value for number in numbers)]
    listed += sorted({_name(unit.unit) for unit in units})
    return f" {_MARK} ".join([written, *listed])


def reading_typed(encode: Encode) -> Encode:
    """Wrap an encoder so that it reads the `typed_text` of its inputs."""
    return lambda texts: encode([typed_text(text) for text in texts])


def _decimal(value: Fraction) -> str:
    return f"{Decimal(value.numerator) / value.denominator:.6g}" if value.denominator > 1 else f"{value}"


def _name(unit: str) -> str:
    return unit.replace("_", " ").replace("**", "^")


VERDICT_NAME = "verdict.json"
LEARNED_NAME = "learned.npy"
"""Hashes of the questions that a scorer was trained on, so that a test can count overlaps."""


CompareAnswers = Callable[[str, str], float]
"""Compares the answers of two texts: 1 if equal, -1 if not, 0 if one of them is unknown."""

UnreadReason = Literal["", "language", "question", "length"]
"""Why a scorer gives no result for a pair: unknown language, original without a question, or too long."""


@dataclass(frozen=True, slots=True)
class PairScore:
    """The scores of one pair.

    Attributes:
        score: in [-1, 1]; valid above 0.5 according to the paper. It is the cosine, which some scorers
            stretch.
        cosine: the unstretched cosine, in [-1, 1]; it ranks pairs like the score.
        probability: probability that it is valid, from reading and findings; one half if nothing is known.
        findings: what was lost, added or changed; none is serious if the texts share too few words, as a
            different number or name is then as often just another wording.
    """

    score: float
    cosine: float
    probability: float
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Said:
        """The verdict on the pair."""
        return said(self.probability)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as stored in files."""
        return {
            "score": round(self.score, 6),
            "verdict": self.verdict,
            "probability": round(self.probability, 6),
            "findings": [finding.as_dict() for finding in self.findings],
        }


class Scorer:
    """A paraphrase scorer. Thread-safe.

    Attributes:
        name: the artifact's name.
        checksum: identifies the artifact.
        manifest: the artifact's manifest.
        verdict: combines findings and reading.
    """

    def __init__(
        self,
        manifest: Manifest,
        checksum: str,
        encode: Encode,
        verdict: Verdict,
        *,
        unknown_share: Callable[[Sequence[str]], float] = lambda _texts: 0.0,
        learned: npt.NDArray[np.uint64] | None = None,
        pair_reader: ServedPairReader | None = None,
    ) -> None:
        self.manifest = manifest
        self.name, self.checksum = manifest.name, checksum
        self.verdict = verdict
        self._encode = encode
        self._reads_typed = bool(manifest.config.get("typed_numbers"))
        self._unknown_share = unknown_share
        self._pair_reader = pair_reader
        self._compare_answers: CompareAnswers | None = None
        self._learned = frozenset((learned if learned is not None else np.zeros(0, np.uint64)).tolist())

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        """Score pairs of (original, paraphrase), in the given order."""
        if not pairs:
            return []
        near = cosines(pairs, reading_typed(self._encode) if self._reads_typed else self._encode)
        scores = stretched(near, self.verdict.boundary).tolist()
        readings = self.read(pairs)
        compare = self._compare_answers
        answers = [compare(*pair) for pair in pairs] if compare else ()
        findings_by_pair, features = weigh_pairs(pairs, scores, readings, answers)
        return [
            PairScore(score, cosine, float(probability), with_changed_words(findings, reading, *pair))
            for score, cosine, probability, findings, reading, pair in zip(
                scores, near, self.verdict.probabilities(features), findings_by_pair, readings, pairs, strict=True
            )
        ]

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[PairReading | None]:
        """Return the cross-encoder's reading of each pair.

        None if the scorer has no cross-encoder, a pair is too long, or the texts share too few words for a
        reading to count.
        """
        readings: list[PairReading | None] = [None] * len(pairs)
        if self._pair_reader is not None:
            close = [row for row, pair in enumerate(pairs) if closeness(shared_words(*pair)) > 0]
            for row, reading in zip(close, self._pair_reader.read([pairs[row] for row in close]), strict=True):
                readings[row] = reading
        return readings

    def learned(self, texts: Sequence[str]) -> int:
        """Return how many of the texts the scorer was trained on; such texts are unsuitable for testing."""
        return sum(question_number(text) in self._learned for text in texts)

    def with_encode(self, encode: Encode) -> Scorer:
        """Return the same scorer with another encoder, e.g. torch for bulk encoding."""
        scorer = copy(self)
        scorer._encode = encode
        return scorer

    def with_answers(self, compare: CompareAnswers) -> Scorer:
        """Return the same scorer, which also considers whether both texts have the same answer."""
        scorer = copy(self)
        scorer._compare_answers = compare
        return scorer

    def knows(self, original: str, paraphrase: str) -> bool:
        """Return whether a score for this pair is meaningful: see `unread_reason`."""
        return not self.unread_reason(original, paraphrase)

    def unread_reason(self, original: str, paraphrase: str) -> UnreadReason:
        """Return why a pair gets no score; empty if it gets one."""
        if self._unknown_share([original, paraphrase]) > UNKNOWN_SHARE_LIMIT:
            return "language"
        if not asks_something(original):
            return "question"
        if self._pair_reader is not None and self._pair_reader.is_too_long(original, paraphrase):
            return "length"
        return ""


def weigh_pairs(
    pairs: Sequence[tuple[str, str]],
    scores: Sequence[float],
    readings: Sequence[PairReading | None] = (),
    answers: Sequence[float] = (),
) -> tuple[list[tuple[Finding, ...]], list[tuple[float, ...]]]:
    """Return the findings of each pair and its verdict features, in the order of `FEATURES`.

    Args:
        pairs: original and paraphrase.
        scores: scores of the pairs, stretched if the scorer stretches them.
        readings: readings of the pairs, if a cross-encoder read them.
        answers: whether the texts of each pair have the same answer, if compared: see `CompareAnswers`.
    """
    findings = []
    for pair in pairs:
        found = tuple(find_changes(*pair))
        if closeness(shared_words(*pair)) == 0:  # a different number is as often just another wording
            found = tuple(replace(finding, is_serious=False) for finding in found)
        findings.append(found)
    features = [
        verdict_features(score, pair_findings, *pair, reading=reading.log_odds if reading else 0.0, answers=same)
        for score, pair_findings, pair, reading, same in zip(
            scores, findings, pairs, readings or [None] * len(pairs), answers or [0.0] * len(pairs), strict=True
        )
    ]
    return findings, features


def cosines(pairs: Sequence[tuple[str, str]], encode: Encode) -> list[float]:
    """Return the cosine of each pair; a text that occurs in several pairs is encoded once."""
    rows = {text: row for row, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
    vectors = encode(list(rows))
    first = vectors[[rows[original] for original, _ in pairs]]
    second = vectors[[rows[paraphrase] for _, paraphrase in pairs]]
    products = np.einsum("ij,ij->i", first, second, dtype=np.float64)
    return [float(cosine) for cosine in np.clip(products, -1, 1)]


def load_scorer(folder: Path) -> Scorer:
    """Load a trained scorer; its session is opened once per process.

    Raises:
        ArtifactError: the folder is not a scorer, or is incomplete.
        ChecksumError: a file differs from its recorded SHA-256.
    """
    folder = Path(folder)
    manifest = artifact_read(folder)
    if manifest.capability != "paraphrase" or VERDICT_NAME not in manifest.files:
        raise ArtifactError(f"{folder} holds no paraphrase scorer.")
    try:
        verdict = Verdict.from_dict(json.loads((folder / VERDICT_NAME).read_text(encoding="utf-8")))
        learned = np.load(folder / LEARNED_NAME) if LEARNED_NAME in manifest.files else None
    except (OSError, ValueError) as error:
        raise ArtifactError(f"The scorer in {folder} cannot be read: {error}.") from error
    encoder = load_encoder(folder)
    checksum = artifact_checksum(folder)
    pair_reader = None
    if GRAPH_NAME in manifest.files:
        pair_reader = load_served_pair_reader(folder, manifest.files[GRAPH_NAME], int(manifest.extra["pad_id"]))
    return Scorer(
        manifest,
        checksum,
        encoder.encode,
        verdict,
        unknown_share=encoder.unknown_share,
        learned=learned,
        pair_reader=pair_reader,
    )
