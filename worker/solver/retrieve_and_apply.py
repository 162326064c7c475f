"""The baseline of word-problem solving: apply the equation of the most similar problem to the question's numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from analytics.errors import DataError
from analytics.expression.notation import to_prefix
from analytics.expression.slots import is_slot
from analytics.records import ProblemRecord
from analytics.retrieval import Encode, nearest_rows
from analytics.solver.solution import ProblemSolver, Solution, solution_of
from analytics.solver.targets import SolverExample, solver_example, solver_examples
from analytics.solver.textual_pairs import number_labels, numbered_tree, text_tokens

SolverFor = Callable[[Sequence[ProblemRecord]], ProblemSolver]
"""Returns a solver, given the training problems."""

_TRIED = 50


class RetrieveAndApply:
    """A solver without a model; `analytics.solver.solution.ProblemSolver`.

    Args:
        known: problems with equations.
        vectors: (known, width) of length 1.
        encode: returns such vectors for other texts.
        name: its name in figures.
    """

    def __init__(
        self, known: Sequence[SolverExample], vectors: npt.NDArray[np.float32], encode: Encode, *, name: str
    ) -> None:
        self.known, self.vectors, self.encode, self.name = known, vectors, encode, name
        self.prototypes = [to_prefix(numbered_tree(example)) for example in known]

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """Return, for each problem, the equation of the nearest one that it has all the numbers for."""
        if not problems:
            return []
        nearest = nearest_rows(self.encode([problem.text for problem in problems]), self.vectors, _TRIED)
        return [self._first(problem, rows) for problem, rows in zip(problems, nearest, strict=True)]

    def _first(self, problem: ProblemRecord, rows: npt.NDArray[np.int64]) -> list[Solution]:
        applied = (self._applied(problem, self.prototypes[row]) for row in rows)
        return next((solutions for solutions in applied if solutions), [])

    def unsolvable_reason(self, _problem: ProblemRecord) -> str:
        """Return no reason: every problem can be attempted."""
        return ""

    @staticmethod
    def _applied(problem: ProblemRecord, prototype: Sequence[str]) -> list[Solution]:
        example = solver_example(ProblemRecord(problem.id, problem.text, problem.language))
        slot_of = {label: f"N{slot}" for slot, label in enumerate(number_labels(example.slots))}
        tokens = [slot_of.get(label, "") if is_number(label) else label for label in prototype]
        if not all(tokens):
            return []
        try:
            return [solution_of(tokens, example.values, 1.0)]
        except DataError:
            return []


def is_number(label: str) -> bool:
    """Return whether a label of a prototype represents a number in the text.

    ``N1.2`` is the second part of the number N1.
    """
    return is_slot(label.partition(".")[0])


def term_vectors(known: Sequence[SolverExample]) -> tuple[npt.NDArray[np.float32], Encode]:
    """Return unit TF-IDF vectors of texts, and a function to encode other texts; all numbers are the same term."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer=_terms, dtype=np.float32)
    vectors = vectorizer.fit_transform([example.problem.text for example in known]).toarray()

    def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        encoded: npt.NDArray[np.float32] = vectorizer.transform(texts).toarray()
        return encoded

    return vectors, encode


def _terms(text: str) -> list[str]:
    tokens = text_tokens(solver_example(ProblemRecord("", text)))
    return ["#" if is_slot(token) else token for token in tokens]


def retrieval_solvers(frozen: Encode | None) -> dict[str, SolverFor]:
    """Return the baselines: the nearest problem by TF-IDF and, given an encoder, by its vectors."""
    solvers: dict[str, SolverFor] = {"retrieve_tfidf": _by_terms}
    if frozen is not None:
        solvers["retrieve_encoder"] = partial(_by_vectors, _remembering(frozen))
    return solvers


def _remembering(encode: Encode) -> Encode:
    """Cache the vector of each text, since folds share most of their texts."""
    vectors: dict[str, npt.NDArray[np.float32]] = {}

    def encode_new(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        if new:
            vectors.update(zip(new, encode(new), strict=True))
        return np.stack([vectors[text] for text in texts])

    return encode_new


def _by_terms(learned: Sequence[ProblemRecord]) -> ProblemSolver:
    examples = solver_examples(learned)
    vectors, encode = term_vectors(examples)
    return RetrieveAndApply(examples, vectors, encode, name="retrieve_tfidf")


def _by_vectors(frozen: Encode, learned: Sequence[ProblemRecord]) -> ProblemSolver:
    examples = solver_examples(learned)
    vectors = frozen([example.problem.text for example in examples])
    return RetrieveAndApply(examples, vectors, frozen, name="retrieve_encoder")
