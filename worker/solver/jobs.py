"""Jobs of the solvers: training one on the bank, comparing two, and solving the bank's word problems.

A candidate is compared with the champion on the bank's held-out problems, which neither was trained on. A problem's
answer is the unrounded value of its equation, else the published number. The school's language model may be asked
beside the solver.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from django.db.models import Q

from analytics.errors import DataError, LanguageModelError
from analytics.expression.evaluate import answers_agree
from analytics.language_model.protocol import LanguageModel
from analytics.language_model.solving import work_out
from analytics.languages import LANGUAGE_NAMES
from analytics.question_files import Problems
from analytics.records import ProblemRecord
from analytics.solver.rules.solver import may_be_solved
from analytics.solver.solution import SEVERAL_REASON, Solution
from analytics.solver.targets import solver_example, value_of
from analytics.splits import split_place
from analytics.text.meaning import number_of_answer
from questionbank.bank.question_selectors import gives_published
from questionbank.core.capability_figures import SolverFigures
from questionbank.core.errors import ServiceUnavailable
from questionbank.jobs.resume_services import BlockRange, block_ranges, blocks_plan, turn
from questionbank.jobs.run_selectors import block_sums
from questionbank.models import ModelArtifact, Question, QuestionSolution, WorkBlock
from questionbank.registry.artifact_selectors import (
    artifact_champion,
    artifact_champions,
    language_champion,
    lens_champion,
)
from questionbank.registry.artifact_services import champions_lock
from questionbank.registry.language_model_selectors import language_model_use, may_be_sent
from questionbank.registry.language_model_services import language_model_for
from questionbank.registry.model_selectors import SMALLEST_SUITE
from questionbank.registry.serving import ServedSolver, solver_in_use, solver_of
from questionbank.solving.services import (
    USE,
    helped_solutions,
    problems_to_ask,
    solution_store,
    solution_to_json,
    solver_with_unsolved_questions,
    unsolved_questions,
    worked_out_store,
    worked_out_withdraw,
)
from questionbank.solving.solutions import ALTERNATIVES
from questionbank.training.solver import solver_material
from worker.blocks import WAIT_SECONDS, BlockJob, work_in_blocks
from worker.comparison import ROLES, SEED, in_portions, paired_metric
from worker.reporting import RunReporter

if TYPE_CHECKING:
    from worker.candidates import Beginning, Train


def train_solver_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a training run: `train_candidate`, with ``{"language": code, "hierarchies": [names] or absent}``.

    The held-out problems are tested at the end; the validation problems are also used to calibrate the confidence.
    """
    from analytics.solver.train import train_solver  # imports PyTorch, which the other jobs do without
    from worker.candidates import kept_problems, train_candidate

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
    reporter.log(material.described(foreign="in another language"))
    if material.answered:
        reporter.log(f"Also held out for comparison: {len(material.answered):,} with a numeric answer only.")
    if not problems.learned:
        raise DataError(f"No ready question in {LANGUAGE_NAMES[language]} has an equation to learn from.")
    return Problems(problems.learned, problems.validation, problems.held_out)


LARGEST_SUITE = 2_000
CHANGED_SHOWN = 20


def solver_comparison_figures(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> SolverFigures:
    """Evaluate both solvers.

    Raises:
        ServiceUnavailable: the files of a solver are missing or damaged.
    """
    reporter.progress(0, 0, "Reading the fixed problems")
    suite = sorted(solver_material(candidate.scope).suite, key=lambda problem: split_place(problem.text))
    suite = suite[:LARGEST_SUITE]  # for a large bank the same sample each time, with problems of both kinds
    solutions = {
        role: in_portions(reporter, role, suite, solver_of(artifact).solver.solve)
        for role, artifact in zip(ROLES, (candidate, champion), strict=True)
    }
    return solver_figures(suite, solutions)


def solver_figures(
    suite: Sequence[ProblemRecord], solutions: Mapping[str, Sequence[Sequence[Solution]]]
) -> SolverFigures:
    """Return the figures of a comparison.

    Args:
        suite: problems with an equation that can be parsed, or with a numeric answer.
        solutions: both solvers' solutions of each problem, by ``"candidate"`` and ``"champion"``.
    """
    checkers = [_checker(problem) for problem in suite]
    right = {
        role: [
            bool(candidates) and is_right(candidates[0])
            for candidates, is_right in zip(solutions[role], checkers, strict=True)
        ]
        for role in ROLES
    }
    metrics = []
    if len(suite) >= SMALLEST_SUITE:
        columns = [[float(hit) for hit in right[role]] for role in ROLES]
        metrics.append(paired_metric("answer_accuracy", range(len(suite)), columns, np.random.default_rng(SEED)))
    changed = [place for place in range(len(suite)) if right["candidate"][place] != right["champion"][place]]
    answer_only = sum(not problem.equation for problem in suite)
    return {
        "suite": {
            "questions": len(suite),
            "with_equation": len(suite) - answer_only,
            "answer_only": answer_only,
            "won": sum(right["candidate"][place] for place in changed),
            "lost": 0,  # questions that only one solver can read: none, as both read every problem
            "gained": 0,
            "missed": sum(right["champion"][place] for place in changed),
            "seed": SEED,
        },
        "metrics": metrics,
        "changed_problems": [
            {
                "question": int(suite[place].id),
                "text": suite[place].text,
                "equation": suite[place].equation,
                "answer": suite[place].answer,
                "is_won": right["candidate"][place],
                "candidate": _first_equation(solutions["candidate"][place]),
                "champion": _first_equation(solutions["champion"][place]),
            }
            for place in changed[:CHANGED_SHOWN]
        ],
    }


def _first_equation(candidates: Sequence[Solution]) -> str:
    return candidates[0].equation if candidates else ""


def _checker(problem: ProblemRecord) -> Callable[[Solution], bool]:
    """Return a function that checks whether a solution gives the problem's answer."""
    if problem.equation:
        example = solver_example(problem)
        value = value_of(example.tokens, example.values)
        return lambda solution: answers_agree(solution.quotient, value)
    published = number_of_answer(problem.answer)
    return lambda solution: published is not None and gives_published(published, solution.value, solution.quotient)


BATCH = 64
ASKED_BATCH = 4  # if the language model may be queried: waiting work waits for one block
SECOND_OPINIONS = 500
"""Most questions of one run to query the language model for: it takes most of a second for each."""
NO_WORD_PROBLEM = "This is not a word problem: a story with numbers from which an answer can be computed."


def solve_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``solve``: solve what the solvers in use, one per language, have not processed.

    Idle workers help. It may stop anywhere and be repeated; a solver that is promoted meanwhile solves the
    rest, and again what its predecessor solved.

    Returns:
        The numbers of questions solved and not solved.

    Raises:
        ServiceUnavailable: the solver's files are missing or damaged.
        Cancelled: the run was stopped.
    """
    counts = Counter(solved=0, not_solved=0)
    if not artifact_champions(capability="solver"):
        reporter.log("No solver is in use.", level="warning")
    while (artifact := solver_with_unsolved_questions()) is not None:
        job = SolveBlocks(artifact)
        _plan(reporter, job)
        sums = work_in_blocks(reporter, job, label="Solving word problems")
        counts.update(solved=sums.stored, not_solved=sums.looked_at - sums.stored)
    return dict(counts)


def opinion_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``opinion``; `second_opinion_request` describes its parameters.

    Returns:
        ``{"alternatives": as `solution_to_json` returns them, "reason": why there are none, "solver": its name}``, and
        "opinions": the first answers of the solver alone (``"own"``) and of the language model (``"written"``).

    Raises:
        ServiceUnavailable: there is no solver any more, or its files are missing or damaged.
    """
    text, language = (reporter.run.parameters[name] for name in ("text", "language"))
    artifact = language_champion(capability="solver", language=language)
    if artifact is None:
        raise ServiceUnavailable("There is no solver in use any more.")
    served = solver_in_use(artifact, with_bank=True, with_second_opinion=True)
    ((solutions, reason),) = _solve([ProblemRecord("", text, language)], served)
    alternatives = [solution_to_json(solution) for solution in solutions]
    pooled = getattr(served.solver, "solver", None)  # wrapped by the rules
    opinions = {
        name: solution_to_json(solution)
        for name in ("own", "written")
        if (solution := getattr(pooled, name, None)) is not None
    }
    return {"alternatives": alternatives, "reason": reason, "solver": artifact.name, "opinions": opinions}


def _plan(reporter: RunReporter, job: SolveBlocks) -> None:
    """Plan the blocks of a solver unless it has unfinished ones."""

    def wait() -> None:
        reporter.check()
        time.sleep(WAIT_SECONDS)

    with turn(f"plan/{job.name}", wait=wait):
        if not block_sums(job=job.name).unfinished:
            ids = job.unsolved_ids()
            ranges = block_ranges(ids[:SECOND_OPINIONS], ASKED_BATCH) + block_ranges(ids[SECOND_OPINIONS:], BATCH)
            blocks_plan(job=job.name, ranges=ranges)


class SolveBlocks(BlockJob):
    """The questions that a solver in use has not processed; a block is a range of them."""

    word = "solve"

    def __init__(self, artifact: ModelArtifact) -> None:
        self.artifact = artifact
        self.name = f"{self.word}/{artifact.pk}"

    @classmethod
    def named(cls, argument: str) -> SolveBlocks | None:
        """Return the job of a solver; None if the solver no longer exists."""
        artifact = ModelArtifact.objects.filter(pk=int(argument)).first()
        return cls(artifact) if artifact else None

    def ranges_above(self, last: int) -> Sequence[BlockRange]:
        """Return blocks of the questions that were added since the plan."""
        is_asked = block_sums(job=self.name).total < SECOND_OPINIONS
        return block_ranges(self.unsolved_ids(above=last), ASKED_BATCH if is_asked else BATCH)

    def unsolved_ids(self, *, above: int = 0) -> list[int]:
        """Return the ids, above this one, of questions that the solver has not processed, in order."""
        rows = unsolved_questions(self.artifact).filter(pk__gt=above).order_by("pk")
        return list(rows.values_list("pk", flat=True))

    def compute(self, block: WorkBlock, _cancel: Callable[[], bool]) -> Callable[[], int]:
        """Solve the unsolved questions in a range."""
        within = Q(pk__gte=block.first, pk__lte=block.last)
        questions = list(unsolved_questions(self.artifact).filter(within).order_by("pk"))
        is_asked = block_sums(job=self.name).looked_at < SECOND_OPINIONS
        served = solver_in_use(self.artifact, with_bank=True, with_second_opinion=is_asked)
        single = [each for each in questions if not each.is_in_parts]
        problems = [ProblemRecord(str(each.pk), each.text, each.language) for each in single]
        solved = dict(zip((each.pk for each in single), _solve(problems, served), strict=True))
        found = [solved.get(each.pk, ((), SEVERAL_REASON)) for each in questions]
        return lambda: _store(questions, found, served, job=self.name)


def _solve(problems: Sequence[ProblemRecord], served: ServedSolver) -> list[tuple[Sequence[Solution], str]]:
    """Return each problem's solutions, most probable first, with an empty reason; or no solutions and the reason."""
    reasons = [
        served.solver.unsolvable_reason(problem) if may_be_solved(problem.text) else NO_WORD_PROBLEM
        for problem in problems
    ]
    solvable = [problem for problem, reason in zip(problems, reasons, strict=True) if not reason]
    solutions = served.solver.solve(solvable, beam=ALTERNATIVES) if solvable else []
    by_problem = dict(zip((problem.id for problem in solvable), solutions, strict=True))
    return [(by_problem.get(problem.id, []), reason) for problem, reason in zip(problems, reasons, strict=True)]


def _store(
    questions: Sequence[Question], found: Sequence[tuple[Sequence[Solution], str]], served: ServedSolver, *, job: str
) -> int:
    """Store the outcomes of some questions; return how many were solved.

    Nothing is stored or counted for a model that is no longer in use: the job's blocks are deleted and planned again.
    """
    champions_lock("analogy", "solver")
    champion = artifact_champion(capability="solver", scope=served.artifact.scope)
    if served.artifact != champion or served.retriever != lens_champion(
        capability="analogy", language=served.artifact.scope
    ):
        blocks_plan(job=job, ranges=())
        return 0
    present = Question.objects.select_for_update().in_bulk([question.pk for question in questions])
    for question, (solutions, reason) in zip(questions, found, strict=True):
        now = present.get(question.pk)
        if now is not None and bytes(now.content_hash) == bytes(question.content_hash):
            solution_store(
                question=now, artifact=served.artifact, solutions=solutions, reason=reason, retriever=served.retriever
            )
    return sum(bool(solutions) for solutions, _reason in found)


def worked_out_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``worked_out``: ask about what the model was not asked yet, or withdraw its answers.

    It may stop anywhere and be repeated. A server that fails ends it without an error: what is missing is asked later.

    Returns:
        The numbers of problems asked, worked out and withdrawn; and "stopped": why it ended early.

    Raises:
        Cancelled: the run was stopped.
    """
    counts: dict[str, Any] = {"asked": 0, "worked_out": 0, "withdrawn": 0, "stopped": ""}
    try:
        model = language_model_for(USE)
        if model is None:
            _withdraw(reporter, counts)
        else:
            _ask(reporter, model, counts)
    except LanguageModelError as error:
        counts["stopped"] = str(error)
        reporter.log(f"{error} The problems that are left are asked later.", level="warning")
    return counts


def _withdraw(reporter: RunReporter, counts: dict[str, Any]) -> None:
    helped = list(helped_solutions())
    for place, solution in enumerate(helped):
        reporter.check()
        reporter.progress(place, len(helped), "Withdrawing the language model’s answers")
        worked_out_withdraw(question_id=solution.question_id)
        counts["withdrawn"] += 1


def _ask(reporter: RunReporter, model: LanguageModel, counts: dict[str, Any]) -> None:
    row = language_model_use(USE)
    if row is None:
        return
    waiting = list(problems_to_ask())
    with ThreadPoolExecutor(settings.LANGUAGE_MODEL_AT_ONCE) as pool:
        for batch in _batches(waiting, settings.LANGUAGE_MODEL_AT_ONCE):
            reporter.check()
            reporter.give_way()
            reporter.progress(counts["asked"], len(waiting), f"Asking {model.name} at {model.host}")
            sent = [each for each in batch if may_be_sent(question_id=each.question_id)]  # others: excluded meanwhile
            texts = [each.question.text for each in sent]
            for solution, found in zip(sent, pool.map(partial(work_out, model), texts), strict=True):
                counts["asked"] += 1
                counts["worked_out"] += worked_out_store(solution=solution, found=found, row=row)
            reporter.saved_work()


def _batches(solutions: list[QuestionSolution], size: int) -> list[list[QuestionSolution]]:
    return [solutions[start : start + size] for start in range(0, len(solutions), size)]
