"""A question with other numbers, for another version of a worksheet; the answer is recomputed from its equation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from random import Random

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate_float
from analytics.expression.parser import parse_expression
from analytics.languages import primary_language
from analytics.records import QuestionRecord
from analytics.solver.targets import problem_graph_key
from analytics.text.numbers import find_numbers
from questionbank.bank.published_numbers import number_of_answer
from questionbank.formats.derived_answer import derived_answer
from questionbank.problem_writing.names_and_numbers import renumbered
from questionbank.problem_writing.problem import RetoldProblem, refusal
from questionbank.worksheets.sheet import VERSIONS

NO_EQUATION = "no confirmed equation gives its answer"
NO_OTHERS = "no other numbers fit what it says"

_KINDS = ("open", "number", "short")
_LANGUAGE = "en"  # the language of the rules about everyday numbers
_TRIED = 60
_SIGNS = str.maketrans({"*": " × ", "/": " ÷ ", "+": " + ", "-": " − "})


def with_changed_numbers(record: QuestionRecord, *, seed: str, place: int) -> QuestionRecord | None:
    """Return the question with other numbers; None if no numbers make sense.

    The equation must be known to give the question's answer (`solving.solutions.equation_gives_answer`).

    Args:
        seed: the same seed always gives the same questions.
        place: index of the variant, from 0; variants differ as far as there are enough of them.
    """
    made = _all_changed(record, seed)
    return made[min(place, len(made) - 1)] if made else None


@lru_cache(maxsize=2_000)
def _all_changed(record: QuestionRecord, seed: str) -> tuple[QuestionRecord, ...]:
    """Return one variant per version after A; cached, because a preview and a download need the same ones."""
    if why_not_changed(record):
        return ()
    rng = Random(seed)  # noqa: S311 - no secret
    return tuple(islice(_changed(record, rng), len(VERSIONS) - 1))


def why_not_changed(record: QuestionRecord) -> str:
    """Return why the numbers of a question cannot be changed; empty if they can, provided that others fit."""
    content = record.content
    if primary_language(record.language) != _LANGUAGE:
        return "not in English"
    if record.kind not in _KINDS or record.options or content.parts or content.blanks or content.pairs:
        return "options, parts or gaps"
    if content.pictures or "](" in record.text:
        return "a picture may show its numbers"
    return "" if record.equation else NO_EQUATION


def _changed(record: QuestionRecord, rng: Random) -> Iterator[QuestionRecord]:
    key = problem_graph_key(record.text, record.equation)
    old = derived_answer(kind=record.kind, options=record.options, answer=record.answer, content=record.content)
    taken = {record.text}
    for problem in islice(renumbered(record.text, record.equation, rng), _TRIED):
        if problem.text in taken or not key or refusal(problem, text=record.text, graph_key=key):
            continue
        answer = _answer(old, problem)
        if answer is None:
            continue
        taken.add(problem.text)
        yield replace(
            record,
            text=problem.text,
            equation=problem.equation,
            answer=answer,
            solution=f"{worked(problem.equation)} = {problem.answer}" if record.solution else "",
            content=replace(record.content, accepted=()),
        )


def worked(equation: str) -> str:
    """Return an equation in the usual notation.

    >>> worked("(18-6)/3")
    '(18 − 6) ÷ 3'
    """
    return " ".join(equation.translate(_SIGNS).split()).replace("( ", "(").replace("(− ", "(−")


def _answer(old: str, problem: RetoldProblem) -> str | None:
    """Return the new answer in the format of the old one; None if that does not equal the equation's value."""
    if not old:
        return problem.answer
    mentions = find_numbers(old)
    if len(mentions) != 1:
        return None
    answer = f"{old[: mentions[0].start]}{problem.answer}{old[mentions[0].end :]}"
    read = number_of_answer(answer)
    try:
        value = evaluate_float(parse_expression(problem.equation))
    except DataError:
        return None
    return answer if read is not None and read.agrees_with(value) else None
