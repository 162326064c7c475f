"""Training a solver on the bank: questions with an equation -> a candidate."""

from __future__ import annotations

from functools import partial
from typing import Any

from analytics.errors import DataError
from analytics.languages import LANGUAGE_NAMES
from analytics.problem_files import Problems
from analytics.solver.train import train_solver
from questionbank.training.solver import solver_material
from worker.candidates import Beginning, Train, kept_problems, log_equations, train_candidate
from worker.reporting import RunReporter


def train_solver_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a training run: `train_candidate`, with ``{"language": code, "hierarchies": [names] or absent}``.

    The held-out problems are tested at the end; the validation problems are also used to calibrate the confidence.
    """

    def begin(beginning: Beginning) -> Train:
        problems = kept_problems(beginning.folder, partial(_read_problems, reporter))
        return partial(train_solver, problems, beginning.config, start=beginning.start)

    return train_candidate(reporter, "solver", begin, scope=_language(reporter))


def _language(reporter: RunReporter) -> str:
    """Return the language of the training problems; jobs of an earlier version do not name one."""
    return str(reporter.run.parameters.get("language", "en"))


def _read_problems(reporter: RunReporter) -> Problems:
    reporter.progress(0, 0, "Reading the problems")
    language = _language(reporter)
    material = solver_material(language, hierarchies=reporter.run.parameters.get("hierarchies"))
    problems = material.problems
    log_equations(reporter, material, foreign="in another language")
    if material.answered:
        reporter.log(f"Also held out for comparison: {len(material.answered):,} with a numeric answer only.")
    if not problems.learned:
        raise DataError(f"No ready question in {LANGUAGE_NAMES[language]} has an equation to learn from.")
    return Problems(problems.learned, problems.validation, problems.held_out)
