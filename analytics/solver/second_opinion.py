"""A solver with a second opinion: the equations of a language model fine-tuned on word problems. Torch-free.

Both opinions are pooled like those of solver and similar problems (`analytics.solver.confidence`), and a
logistic curve calibrates the pool's probability. Decision 85 has the measurements.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tokenizers import Tokenizer

from analytics.artifacts import artifact_read
from analytics.errors import ArtifactError, DataError
from analytics.expression.evaluate import answers_agree
from analytics.expression.tree import to_prefix
from analytics.inference.encode import batches_by_length
from analytics.language_model.equations import EquationWriter, WrittenEquation, equation_prompt, load_llama
from analytics.languages import primary_language, written_language
from analytics.records import ProblemRecord
from analytics.solver.confidence import pooled_solutions
from analytics.solver.plausibility import plausible_first
from analytics.solver.solution import (
    SIGNED_REASON,
    ProblemSolver,
    Solution,
    divides_by_zero,
    numbers_reason,
    solution_of,
    story_reason,
)
from analytics.solver.targets import target_tree
from analytics.text.number_slots import number_slots

ADAPTER_FOLDER = Path(__file__).parents[1] / "language_model" / "starter"
_ADAPTER, LLAMA_GRAPH = "adapter_model.safetensors", "llama.onnx"
_SLOPE, _BIAS = 0.68, 0.34  # of the logistic curve over the log-odds of the pool's probability
_SECONDS = 3.0  # maximum processor time per problem
_TOGETHER = 8  # problems per batch; the model's cache takes 23 KB per token and equation
_LONGEST = 1_500  # characters of a problem passed to the model
_BEAM = 4

logger = logging.getLogger(__name__)


class SecondOpinionSolver:
    """Pools a solver's answers with the equations of a language model: `analytics.solver.solution.ProblemSolver`.

    The model knows English. It also accepts negative numbers, which other solvers reject.

    Attributes:
        own: the solver's own first answer to the last problem, if any.
        written: the language model's first answer to it; None if it has none, or was not asked.
    """

    own: Solution | None = None
    written: Solution | None = None

    def __init__(self, solver: ProblemSolver, writer: EquationWriter) -> None:
        self.solver, self._writer = solver, writer
        self.name = solver.name

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """Return up to `beam` solutions with different values for each problem, most probable first."""
        solutions = self.solver.solve(problems, beam=beam)
        self.own, self.written = next(iter(solutions[-1]), None) if solutions else None, None
        rows = [row for row, problem in enumerate(problems) if self._may_be_written(problem, solutions[row])]
        texts = [problems[row].text for row in rows]
        for batch in batches_by_length(list(map(len, texts)), texts=_TOGETHER):
            for place, second in zip(batch, self._written([texts[place] for place in batch]), strict=True):
                row = rows[place]
                if row == len(problems) - 1:
                    self.written = next(iter(second), None)
                solutions[row] = _calibrated(pooled_solutions(solutions[row], second, most=beam))
        return solutions

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        """Return in one sentence why a problem cannot be solved; empty if it can be tried."""
        reason = self.solver.unsolvable_reason(problem)
        return story_reason(problem.text, reads_signs=True) if self._reads(problem, reason) else reason

    def _may_be_written(self, problem: ProblemRecord, solutions: Sequence[Solution]) -> bool:
        if solutions:
            is_settled = bool(solutions[0].twin) or divides_by_zero(solutions[0])
            return not is_settled and _is_english(problem) and len(problem.text) <= _LONGEST
        return self._reads(problem, self.solver.unsolvable_reason(problem))

    def _reads(self, problem: ProblemRecord, reason: str) -> bool:
        """Return whether the model may answer what the solver rejects: a negative number is the only obstacle."""
        return (
            reason == SIGNED_REASON
            and _is_english(problem)
            and len(problem.text) <= _LONGEST
            and not numbers_reason(number_slots(problem.text))
            and not story_reason(problem.text, reads_signs=True)
        )

    def _written(self, texts: Sequence[str]) -> list[list[Solution]]:
        try:
            written = self._writer.write(
                [equation_prompt(text) for text in texts], texts, beam=_BEAM, seconds=_SECONDS * len(texts)
            )
        except DataError as error:  # fall back to the solver's own answers
            logger.warning("No second opinion: %s", error)
            return [[] for _text in texts]
        return [
            plausible_first(text, written_solutions(text, equations))
            for text, equations in zip(texts, written, strict=True)
        ]


def written_solutions(text: str, equations: Sequence[WrittenEquation]) -> list[Solution]:
    """Evaluate written equations; return each value once, most probable first, without equations that have no value."""
    slots = number_slots(text)
    values = [slot.value for slot in slots]
    found: list[Solution] = []
    for written in equations:
        probability = math.exp(min(0.0, written.log_probability))
        try:
            tokens = to_prefix(target_tree(written.equation, slots))
            solution = solution_of(tokens, values, probability)
        except DataError:
            continue
        if solution.value is None:
            continue
        same = next((n for n, other in enumerate(found) if answers_agree(other.value, solution.value)), None)
        if same is None:
            found.append(solution)
        else:
            found[same] = replace(found[same], probability=min(1.0, found[same].probability + probability))
    return sorted(found, key=lambda solution: -solution.probability)


def _calibrated(solutions: list[Solution]) -> list[Solution]:
    """Calibrate the first solution's probability, and scale the others' to the remainder."""
    if not solutions:
        return solutions
    first = min(max(solutions[0].probability, 1e-3), 1 - 1e-3)
    probability = 1 / (1 + math.exp(-(_SLOPE * math.log(first / (1 - first)) + _BIAS)))
    share = (1 - probability) / (1 - first)
    others = [
        replace(solution, probability=min(probability, share * solution.probability)) for solution in solutions[1:]
    ]
    return [replace(solutions[0], probability=probability), *others]


def _is_english(problem: ProblemRecord) -> bool:
    return primary_language(written_language(problem.text, problem.language)) == "en"


def load_equation_writer(model: Path, adapter: Path = ADAPTER_FOLDER) -> EquationWriter:
    """Load a language model with the adapter trained to write equations.

    Args:
        model: transformers folder with the weights that the adapter was trained on.
        adapter: the adapter's folder, with the model's graph.

    Raises:
        ArtifactError: a file is missing or damaged.
        ChecksumError: a file of the adapter differs from its recorded SHA-256.
    """
    artifact_read(adapter)
    llama = load_llama(model, adapter / LLAMA_GRAPH, adapter=adapter / _ADAPTER)
    try:
        return EquationWriter(llama, Tokenizer.from_file(str(model / "tokenizer.json")))
    except Exception as error:  # tokenizers raises nothing more specific
        raise ArtifactError(f"The tokenizer in {model} cannot be read: {error}") from error
