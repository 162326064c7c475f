"""Having the language model write similar problems of a question: prompt -> problems that reviewers decide on."""

from __future__ import annotations

from typing import Any

from analytics.language_model.protocol import AskOptions
from questionbank.errors import Conflict, NotFound
from questionbank.models import Question
from questionbank.retelling.language_model import problems_of_answer, retelling_request
from questionbank.selectors.questions.computations import question_computation
from questionbank.services.variants import variants_keep, why_not_varied
from worker.analogy.written_words import WrittenWords
from worker.language_models import open_language_model
from worker.reporting import RunReporter

_TOKENS_EACH = 400
_REQUESTS_EACH = 2  # for a problem that is kept: some are refused


def retell_run(reporter: RunReporter) -> dict[str, Any]:
    """Do what a run of kind ``retell`` asks for; `variants_request` describes its parameters.

    Returns:
        ``{"language_model", "host", "replies", "unreadable_replies", "problems_written", "problems_kept"}``: a reply is
        unreadable without a problem and an equation that can be read; kept are the problems that compute the same with
        another story and other numbers, and are new.

    Raises:
        NotFound, Conflict: the question was deleted or retired, or what it computes is not known any more.
        ValidationFailed: no model is configured any more.
        AnalyticsError: it cannot be loaded or reached, refuses, or gives no text.
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
        for request in range(_REQUESTS_EACH * wanted):  # one problem a request: an answer has a time limit
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
                variants_keep(
                    question=question, problems=problems, each=wanted - kept, user=reporter.run.requested_by
                )
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
    """Say how many replies could not be read, and what a reply must have."""
    return (
        f"Replies that could not be read: {unreadable} of {replies}. A reply must give a problem and its equation in"
        " the form that the prompt asks for."
    )
