"""Having the language model answer a question: prompt -> answer -> the number that it gives."""

from __future__ import annotations

from typing import Any

from analytics.analogy.prompts import parse_answer, uses_numbers_of
from worker.analogy.generator import ask_few_shot
from worker.analogy.written_words import WrittenWords
from worker.language_models import open_language_model
from worker.reporting import RunReporter

_LONGEST_SHOWN = 4000  # characters of an answer


def answer_run(reporter: RunReporter) -> dict[str, Any]:
    """Do what a run of kind ``ask`` asks for; `model_answer_request` describes its parameters.

    Returns:
        ``{"language_model", "host", "written", "value", "problem", "prompt_tokens", "answer_tokens"}``: what the model
        wrote, the number that it gives (None where it gives none), and a sentence where something is wrong with it.

    Raises:
        ValidationFailed: no model is configured any more.
        AnalyticsError: it cannot be loaded or reached, refuses, or gives no text.
        Cancelled: the run was stopped.
    """
    parameters = reporter.run.parameters
    answers = parameters["answers"]
    with open_language_model() as model:
        reporter.progress(0, 0, f"Asking {model.name}")
        answer = ask_few_shot(
            model, parameters["prompt"], answers, on_text=WrittenWords(reporter, model.name)
        )
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
