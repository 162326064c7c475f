"""A trained solver without PyTorch: the encoder in ONNX Runtime, decoder and beam search in NumPy.

`load_solver` returns what pages and jobs use; it implements `analytics.solver.solution.ProblemSolver`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Encoding

from analytics.errors import ArtifactError
from analytics.inference.encode import (
    UNKNOWN_SHARE_LIMIT,
    ExportedEncoder,
    batches_by_length,
    open_exported,
    unknown_words,
)
from analytics.languages import LANGUAGE_NAMES, primary_language, written_language
from analytics.records import ProblemRecord
from analytics.solver.beam import ArrayDecoder, Hypothesis, beam_search
from analytics.solver.confidence import Confidence, load_confidence
from analytics.solver.plausibility import plausible_first
from analytics.solver.solution import Solution, alternatives, numbers_reason, story_reason, text_reason
from analytics.solver.targets import ProblemBatch, ReadProblem, SolverExample, TextReader, Vocabulary, solver_example

DECODER_NAME = "decoder.safetensors"
_BATCH_TOKENS, _BATCH_PROBLEMS = 4096, 64


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A problem that can be tried, or the reason why it cannot be."""

    example: SolverExample | None = None
    read: ReadProblem | None = None
    reason: str = ""


class ServedSolver:
    """A trained solver. Thread-safe.

    Attributes:
        name: the artifact's name.
        manifest: the artifact's manifest.
        checksum: identifies the artifact.
        decoder: its tree decoder.
        languages: languages it was trained on; empty if unknown.
    """

    def __init__(self, exported: ExportedEncoder, decoder: ArrayDecoder, confidence: Confidence | None = None) -> None:
        self.manifest, self.checksum = exported.manifest, exported.checksum
        self.name = exported.manifest.name
        extra = exported.manifest.extra
        self.languages = tuple(map(primary_language, extra.get("languages", ())))
        self.vocabulary = Vocabulary(tuple(extra["constants"]))
        self.reader = TextReader(exported.tokenizer, int(extra["pad_id"]), mask_numbers=bool(extra["mask_numbers"]))
        self._unknown_id, self._max_tokens = int(extra["unknown_id"]), int(extra["max_tokens"])
        self._reads_signs = bool(extra.get("reads_signs"))
        self._most_tokens = int(extra.get("most_tokens", 45))
        self._session, self.decoder, self.confidence = exported.session, decoder, confidence

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """Return up to `beam` solutions of each problem; see `analytics.solver.solution.ProblemSolver`."""
        prepared = self._prepare(problems)
        solutions: list[list[Solution]] = [[] for _problem in problems]
        reads = [(row, each.read) for row, each in enumerate(prepared) if each.read is not None]
        lengths = [len(read.ids) for _row, read in reads]
        for batch in batches_by_length(lengths, texts=_BATCH_PROBLEMS, tokens=_BATCH_TOKENS):
            trees = self.search([reads[place][1] for place in batch], beam=beam)
            for place, hypotheses in zip(batch, trees, strict=True):
                row = reads[place][0]
                example = prepared[row].example
                if example is not None:
                    candidates = alternatives(example, hypotheses, self.vocabulary)
                    if self.confidence:
                        candidates = self.confidence.applied(candidates)
                    solutions[row] = plausible_first(example.problem.text, candidates)
        return solutions

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        """Return in one sentence why a problem cannot be solved; empty if it can be tried."""
        return self._prepare([problem])[0].reason

    def search(self, problems: Sequence[ReadProblem], *, beam: int) -> list[list[Hypothesis]]:
        """Return the most probable trees of a batch of problems."""
        arrays = self.reader.arrays(problems)
        scorer = self.decoder.scorer(self.states(arrays), arrays)
        return beam_search(scorer, width=beam, most_tokens=self._most_tokens)

    def states(self, problems: ProblemBatch[np.ndarray]) -> np.ndarray:
        """Return the encoder's states (problems, tokens, width)."""
        return self._session.run(problems.ids, problems.mask)

    def _prepare(self, problems: Sequence[ProblemRecord]) -> list[_Prepared]:
        """Prepare the problems; texts are checked before anything is computed from them."""
        prepared = [_Prepared(reason=self._first_reason(problem)) for problem in problems]
        able: list[tuple[int, SolverExample]] = []
        for row, problem in enumerate(problems):
            if not prepared[row].reason:
                example = solver_example(without_solution(problem))
                prepared[row] = _Prepared(reason=numbers_reason(example.slots))
                able.append((row, example))
        able = [(row, example) for row, example in able if not prepared[row].reason]
        encodings = self.reader.tokenizer.encode_batch([example.problem.text for _row, example in able])
        for (row, example), encoding in zip(able, encodings, strict=True):
            reason = self._encoding_reason(encoding, example.problem.text)
            prepared[row] = (
                _Prepared(reason=reason) if reason else _Prepared(example, self.reader.read_encoding(example, encoding))
            )
        return prepared

    def _first_reason(self, problem: ProblemRecord) -> str:
        if reason := text_reason(problem.text):
            return reason
        language = primary_language(written_language(problem.text, problem.language))
        if self.languages and language not in self.languages:
            name = LANGUAGE_NAMES.get(language)
            return f"The solver has not learned from problems in {name or 'this language'}."
        return story_reason(problem.text, reads_signs=self._reads_signs)

    def _encoding_reason(self, encoding: Encoding, text: str) -> str:
        if encoding.overflowing:
            return f"The problem is longer than the {self._max_tokens} word pieces that the solver reads."
        if unknown_words(encoding, self._unknown_id, text) > UNKNOWN_SHARE_LIMIT * len(encoding.ids):
            return "The solver does not know the script or most of the words of the problem."
        return ""


def load_solver(folder: Path) -> ServedSolver:
    """Load a trained solver's artifact.

    Raises:
        ArtifactError: the folder is not a solver's, or is incomplete.
        ChecksumError: a file differs from its recorded SHA-256.
    """
    folder = Path(folder)
    exported = open_exported(folder)
    manifest = exported.manifest
    if manifest.capability != "solver":
        raise ArtifactError(f"{folder} holds a model for {manifest.capability}, not for solving.")
    if DECODER_NAME not in manifest.files:
        raise ArtifactError(f"{folder} is incomplete: it has no {DECODER_NAME}.")
    try:
        weights = load_file(folder / DECODER_NAME)
    except (SafetensorError, OSError) as error:
        raise ArtifactError(f"The decoder in {folder} cannot be read: {error}") from error
    decoder = ArrayDecoder(weights, len(manifest.extra["constants"]))
    return ServedSolver(exported, decoder, load_confidence(folder))


def without_solution(problem: ProblemRecord) -> ProblemRecord:
    """Return only the parts of a problem that a solver may see."""
    return ProblemRecord(problem.id, problem.text, problem.language)
