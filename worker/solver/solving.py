"""Solving the bank's word problems: questions -> solver -> equations with their probabilities."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db import transaction

from analytics.records import ProblemRecord
from analytics.solver.rules.solver import may_be_solved
from questionbank.models import Question
from questionbank.selectors.registry.artifacts import (
    artifact_champion,
    artifact_champions,
    retriever_champion,
)
from questionbank.selectors.serving import ServedSolver, solver_in_use
from questionbank.selectors.solving.solutions import (
    ALTERNATIVES,
    solver_with_unsolved_questions,
    unsolved_questions,
)
from questionbank.services.artifacts import serving_lock
from questionbank.services.solutions import solution_store
from worker.reporting import RunReporter

BATCH = 64
SECOND_OPINIONS = 500
"""Most questions of one run for which the language model is asked: it takes most of a second for each, and other jobs
wait for the run."""
NO_WORD_PROBLEM = "This is not a word problem: a story with numbers from which an answer can be computed."


def solve_run(reporter: RunReporter) -> dict[str, Any]:
    """Do what a run of kind ``solve`` asks for: solve what the solvers in use have not looked at, each in its language.

    It asks what is left before each batch, so it may stop anywhere and be done again; a solver that is promoted
    meanwhile solves the rest, and what its predecessor solved.

    Returns:
        How many questions were solved, and how many were not.

    Raises:
        ServiceUnavailable: the solver's files are missing or damaged.
        Cancelled: the run was stopped.
    """
    counts = Counter(solved=0, not_solved=0)
    solvers = artifact_champions(capability="solver")
    if not solvers:
        reporter.log("No solver is in use.", level="warning")
    total = sum(unsolved_questions(artifact).count() for artifact in solvers)
    while (artifact := solver_with_unsolved_questions()) is not None:
        done = counts.total()
        total = max(total, done + 1)  # there may be more by now
        reporter.check()
        reporter.give_way()
        reporter.progress(done, total, f"Solving word problems: {done:,} of {total:,}")
        batch = list(unsolved_questions(artifact).order_by("pk")[:BATCH])
        is_asked = done < SECOND_OPINIONS
        counts.update(
            _solve_batch(batch, solver_in_use(artifact, with_bank=True, with_second_opinion=is_asked))
        )
        reporter.saved_work()
    return dict(counts)


def _solve_batch(questions: list[Question], served: ServedSolver) -> Counter[str]:
    """Solve some questions and keep what came of it; how many were solved, and how many were not.

    Nothing is kept, or counted, of a model that is no longer in use.
    """
    problems = [ProblemRecord(str(question.pk), question.text, question.language) for question in questions]
    reasons = [
        served.solver.unsolvable_reason(problem) if may_be_solved(problem.text) else NO_WORD_PROBLEM
        for problem in problems
    ]
    solvable = [problem for problem, reason in zip(problems, reasons, strict=True) if not reason]
    solutions_by_problem = dict(
        zip(
            (problem.id for problem in solvable),
            served.solver.solve(solvable, beam=ALTERNATIVES) if solvable else [],
            strict=True,
        )
    )
    with transaction.atomic():
        serving_lock()
        if served.artifact != artifact_champion(capability="solver", scope=served.artifact.scope):
            return Counter()
        if served.retriever != retriever_champion(served.artifact.scope):
            return Counter()
        present = Question.objects.select_for_update().in_bulk([question.pk for question in questions])
        for question, problem, reason in zip(questions, problems, reasons, strict=True):
            now = present.get(question.pk)
            if now is not None and bytes(now.content_hash) == bytes(question.content_hash):
                solution_store(
                    question=now,
                    artifact=served.artifact,
                    solutions=solutions_by_problem.get(problem.id, []),
                    reason=reason,
                    retriever=served.retriever,
                )
    solved = sum(map(bool, solutions_by_problem.values()))
    return Counter(solved=solved, not_solved=len(questions) - solved)
