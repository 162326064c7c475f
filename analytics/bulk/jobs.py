"""Jobs over blocks of files: which texts they read, and the function applied to each block.

A job is sent to other processes and machines, so it contains names, never models; the function may be called
twice for a block and must return the same result.
"""

from __future__ import annotations

import json
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from analytics.artifacts import artifact_checksum, artifact_read
from analytics.backbone.sources import encoder_hash
from analytics.bulk.files import Columns, Texts
from analytics.capability import Lens
from analytics.catalog import CAPABILITIES, ENCODER, FALLBACK_LENS, PARAPHRASE
from analytics.errors import AnalyticsError, ArtifactError, EngineError
from analytics.inference.encode import Encode, HashedNgramEncoder
from analytics.question_content import content_digest
from analytics.solver.rules.solver import compared_answers
from analytics.training.context import wait_passively

CHARACTER_NGRAMS = "char-ngrams"
"""The encoder without weights, used instead of a model's folder."""

_PACKAGES = ("kindred", "torch", "transformers", "tokenizers", "onnxruntime", "numpy")

Compute = Callable[[Sequence[Texts]], Columns]


class Job(ABC):
    """A computation on each row of files.

    Attributes:
        word: name of the command.
        title: display name of its results.
        fields: the texts that a row must have.
    """

    word: ClassVar[str]
    title: ClassVar[str]
    fields: tuple[str, ...]

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """Return what the results depend on besides the rows.

        Raises:
            ArtifactError: the model is missing, damaged or of another kind.
        """

    @abstractmethod
    def load(self) -> Compute:
        """Return the function that is applied to a block's rows."""


@dataclass(frozen=True)
class Embed(Job):
    """Vectors of questions, as the bank stores them.

    Attributes:
        model: folder of an encoder or a retriever, `CHARACTER_NGRAMS`, or empty for Kindred's own encoder.
        precision: ``float16`` or ``float32``.
        fields: the field that contains the question.
    """

    word = "embed"
    title = "vectors"

    model: str = ""
    precision: str = "float16"
    fields: tuple[str, ...] = ("text",)

    @property
    def _folder(self) -> Path:
        """Folder of the model; each machine has its own copy of the models that come with Kindred."""
        return Path(self.model) if self.model else ENCODER.starters[0].path

    @property
    def _lens(self) -> Lens:
        if self.model == CHARACTER_NGRAMS:
            return FALLBACK_LENS
        capability = artifact_read(self._folder, verify=False).capability
        lens = CAPABILITIES[capability].lens if capability in CAPABILITIES else None
        if lens is None:
            raise ArtifactError(f"{self._folder} holds no encoder of questions.")
        return lens

    def about(self) -> dict[str, Any]:
        """Return encoder, lens and precision."""
        about = {"lens": self._lens.word, "precision": self.precision}
        if self.model == CHARACTER_NGRAMS:
            name = HashedNgramEncoder().name
            return about | {"encoder": name, "encoder_hash": name}
        manifest = artifact_read(self._folder)
        digest = encoder_hash(manifest.capability, manifest.files, manifest.extra)
        return about | {"encoder": manifest.name, "encoder_hash": digest}

    def load(self) -> Compute:
        """Load the encoder."""
        if self.model == CHARACTER_NGRAMS:
            encode: Encode = HashedNgramEncoder().encode
        else:
            capability = artifact_read(self._folder, verify=False).capability
            encode = CAPABILITIES[capability].encode_many(self._folder)
        takes = self._lens.takes

        def compute(rows: Sequence[Texts]) -> Columns:
            texts = [text for (text,) in rows]
            left_out = np.array([not takes(text) for text in texts])
            vectors = encode([text for text, left in zip(texts, left_out, strict=True) if not left])
            spread = np.zeros((len(texts), vectors.shape[1]), dtype=self.precision)
            spread[~left_out] = vectors
            mask = np.broadcast_to(left_out[:, None], spread.shape)
            return {"text_hash": [content_digest([text]) for text in texts], "vector": np.ma.MaskedArray(spread, mask)}

        return compute


@dataclass(frozen=True)
class Score(Job):
    """Scores of paraphrases; null if the scorer cannot read a pair.

    Attributes:
        model: folder of a scorer.
    """

    word = "score"
    title = "scores"
    fields = ("original", "paraphrase")

    model: str

    def about(self) -> dict[str, Any]:
        """Return the scorer's description."""
        manifest = artifact_read(Path(self.model))
        if CAPABILITIES.get(manifest.capability) is not PARAPHRASE:
            raise ArtifactError(f"{self.model} holds no paraphrase scorer.")
        return {"scorer": manifest.name, "scorer_hash": artifact_checksum(Path(self.model))}

    def load(self) -> Compute:
        """Load the scorer."""
        scorer = PARAPHRASE.load(Path(self.model)).with_answers(compared_answers)

        def compute(rows: Sequence[Texts]) -> Columns:
            pairs = [(original, paraphrase) for original, paraphrase in rows]
            readable = [row for row, pair in enumerate(pairs) if scorer.knows(*pair)]
            scores = dict(zip(readable, scorer.score([pairs[row] for row in readable]), strict=True))
            return {
                name: [getattr(scores[row], name) if row in scores else None for row in range(len(rows))]
                for name in ("score", "verdict", "probability")
            }

        return compute


def installed_versions() -> dict[str, str]:
    """Return the versions of packages that results depend on; empty for those not installed."""
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package).partition("+")[0]
        except PackageNotFoundError:
            versions[package] = ""
    return versions


@dataclass(frozen=True)
class BlockWork:
    """A job as sent to the workers that process its blocks.

    Attributes:
        about: what the results depended on when the job was created, as JSON; workers must match it.
        versions: likewise, for packages.
    """

    job: Job
    about: str
    versions: tuple[tuple[str, str], ...]

    def __call__(self, rows: Sequence[Texts]) -> Columns:
        """Return the results of a block.

        Raises:
            EngineError: this machine's versions or model differ from those of the machine that created the
                job.
        """
        return _loaded(self)(rows)


@lru_cache(maxsize=1)
def _loaded(work: BlockWork) -> Compute:
    wait_passively()
    here = installed_versions()
    for package, expected in work.versions:
        if here[package] != expected:
            raise EngineError(
                f"The machine {socket.gethostname()} has {package} {here[package] or '(not installed)'}, this one"
                f" {expected or '(not installed)'}: install the same versions on all machines."
            )
    try:
        if json.dumps(work.job.about(), sort_keys=True) != work.about:
            raise ArtifactError("the model there differs from the one here.")
        return work.job.load()
    except AnalyticsError as error:
        raise EngineError(f"On the machine {socket.gethostname()}: {error}") from error
