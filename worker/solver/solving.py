"""Solving the bank's word problems: questions -> solver -> equations with their probabilities."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Q

from analytics.records import ProblemRecord
from analytics.solver.rules.solver import may_be_solved
from analytics.solver.solution import SEVERAL_REASON, Solution
from questionbank.core.errors import ServiceUnavailable
from questionbank.jobs.block_services import BlockRange, block_ranges, blocks_plan, turn
from questionbank.jobs.run_selectors import block_sums
from questionbank.models import ModelArtifact, Question, WorkBlock
from questionbank.registry.artifact_selectors import (
    artifact_champion,
    artifact_champions,
    language_champion,
    lens_champion,
)
from questionbank.registry.artifact_services import champions_lock
from questionbank.registry.serving import ServedSolver, solver_in_use
from questionbank.solving.services import solution_store, solution_to_json
from questionbank.solving.solutions import ALTERNATIVES, solver_with_unsolved_questions, unsolved_questions
from worker.blocks import WAIT_SECONDS, BlockJob, work_in_blocks
from worker.reporting import RunReporter

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
