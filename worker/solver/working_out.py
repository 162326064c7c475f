"""The job that asks the school's language model about word problems, beside the solver."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from django.conf import settings

from analytics.errors import LanguageModelError
from analytics.language_model.protocol import LanguageModel
from analytics.language_model.solving import work_out
from questionbank.models import QuestionSolution
from questionbank.registry.language_model_use_selectors import language_model_use, may_be_sent
from questionbank.registry.language_model_use_services import language_model_for
from questionbank.solving.worked_out_services import (
    USE,
    helped_solutions,
    problems_to_ask,
    worked_out_store,
    worked_out_withdraw,
)
from worker.reporting import RunReporter


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
