"""Having the language model answer a question, or write similar problems."""

from __future__ import annotations

from typing import Any

from analytics.analogy.prompts import parse_answer, uses_numbers_of
from analytics.errors import Cancelled
from analytics.language_model.protocol import AskOptions
from questionbank.core.errors import Conflict, NotFound
from questionbank.models import Question
from questionbank.problem_writing.language_model import problems_of_answer, retelling_request
from questionbank.problem_writing.services import variants_keep, why_not_varied
from questionbank.solving.computations import question_computation
from worker.analogy.generator import ask_few_shot
from worker.language_models import open_language_model
from worker.reporting import RunReporter


class WrittenWords:
    """Callback for each piece of an answer: counts its words, and stops the answer if the run was cancelled.

    Raises:
        Cancelled: the run was cancelled.
    """

    def __init__(self, reporter: RunReporter, name: str) -> None:
        self._reporter, self._name, self._text = reporter, name, ""

    def __call__(self, piece: str) -> None:
        if self._reporter.should_stop():
            raise Cancelled
        self._text += piece
        words = len(self._text.split())
        message = f"{self._name} has written {words} words"
        self._reporter.progress(0, 0, message)


_LONGEST_SHOWN = 4000  # characters of an answer


def answer_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``ask``; `model_answer_request` describes its parameters.

    Returns:
        ``{"language_model", "host", "written", "value", "problem", "prompt_tokens", "answer_tokens"}``: the model's
        text, the number in it (None if there is none), and a sentence if something is wrong with it.

    Raises:
        ValidationFailed: no model is configured any more.
        AnalyticsError: the model cannot be loaded or reached, refuses, or returns no text.
        Cancelled: the run was stopped.
    """
    parameters = reporter.run.parameters
    answers = parameters["answers"]
    with open_language_model() as model:
        reporter.progress(0, 0, f"Asking {model.name}")
        answer = ask_few_shot(model, parameters["prompt"], answers, on_text=WrittenWords(reporter, model.name))
        value = parse_answer(answer.text, answers)
        return {
            "language_model": model.name,
            "host": model.host,
            "written": answer.text.strip()[:_LONGEST_SHOWN],
            "value": value,
            "problem": _problem(answer.text, answers, value, parameters["text"]),
            "prompt_tokens": answer.prompt_tokens,
            "answer_tokens": answer.answer_tokens,
        }


def _problem(written: str, answers: str, value: float | None, question: str) -> str:
    if value is None:
        return "The model's answer gives no number in the format of the prompt."
    if not uses_numbers_of(written, answers, question):
        return (
            "The model's answer uses none of the question's numbers: it may have followed an instruction inside a"
            " text instead."
        )
    return ""


_TOKENS_EACH = 400
_REQUESTS_EACH = 2  # per problem kept: some are rejected


def retell_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``retell``; `variants_request` describes its parameters.

    Returns:
        ``{"language_model", "host", "replies", "unreadable_replies", "problems_written", "problems_kept"}``: a reply is
        unreadable if it lacks a problem and an equation that can be parsed; problems are kept if they compute the same
        with another story and other numbers, and are new.

    Raises:
        NotFound, Conflict: the question was deleted or retired, or its computation is no longer known.
        ValidationFailed: no model is configured any more.
        AnalyticsError: the model cannot be loaded or reached, refuses, or returns no text.
        Cancelled: the run was stopped.
    """
    parameters = reporter.run.parameters
    question = Question.objects.filter(pk=parameters["question"]).first()
    if question is None:
        raise NotFound("The question was deleted.")
    if reason := why_not_varied(question, by_model=True):
        raise Conflict(reason)
    computation = question_computation(question)
    assert computation is not None  # noqa: S101 - `why_not_varied` has looked
    wanted = parameters["each"]
    replies = unreadable = written = kept = 0
    with open_language_model() as model:
        reporter.progress(0, wanted, f"Asking {model.name}")
        for request in range(_REQUESTS_EACH * wanted):  # one problem per request: an answer has a time limit
            answer = model.ask(
                retelling_request(question.text, computation.equation),
                AskOptions(temperature=0.8, seed=reporter.run.pk + request, max_tokens=_TOKENS_EACH),
                on_text=WrittenWords(reporter, model.name),
            )
            problems = problems_of_answer(answer.text, model.name[:200])
            replies += 1
            unreadable += not problems
            written += len(problems)
            kept += len(
                variants_keep(question=question, problems=problems, each=wanted - kept, user=reporter.run.requested_by)
            )
            if kept == wanted:
                break
        if unreadable:
            reporter.log(_unreadable(unreadable, replies), level="warning")
        return {
            "language_model": model.name,
            "host": model.host,
            "replies": replies,
            "unreadable_replies": unreadable,
            "problems_written": written,
            "problems_kept": kept,
        }


def _unreadable(unreadable: int, replies: int) -> str:
    """Return a sentence on how many replies could not be parsed, and what a reply must contain."""
    return (
        f"Replies that could not be read: {unreadable} of {replies}. A reply must give a problem and its equation in"
        " the form that the prompt asks for."
    )
