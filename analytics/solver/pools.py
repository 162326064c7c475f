"""Candidate pools, and Textual-CL's question reordering."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analytics.errors import DataError
from analytics.languages import language_named, primary_language
from analytics.records import ProblemRecord
from analytics.solver.reversing import reverse_operation
from analytics.solver.targets import SolverExample, solver_example
from analytics.text.clauses import split_sentences


def reorder_question(problem: ProblemRecord) -> ProblemRecord | None:
    """Return the problem with its question first; None if the last sentence is not a question, or is the only one.

    >>> reorder_question(ProblemRecord("1", "Ann has 7 pens. How many are left if 2 break?")).text
    'How many are left if 2 break? Ann has 7 pens.'
    >>> reorder_question(ProblemRecord("2", "小明有5个苹果，吃了2个，还剩多少个？", "zh")).text
    '还剩多少个？小明有5个苹果，吃了2个。'
    >>> reorder_question(ProblemRecord("3", "There are 3 bags of 4 sweets. Find the number of sweets")).text
    'Find the number of sweets. There are 3 bags of 4 sweets.'
    >>> reorder_question(ProblemRecord("4", "Mr. Li has 7 pens. How many more must he buy from Mr. Wu?")).text
    'How many more must he buy from Mr. Wu? Mr. Li has 7 pens.'
    """
    language = language_named(primary_language(problem.language))
    shapes = language.words
    text = problem.text.strip()
    ends = [sentence.end for sentence in split_sentences(text)]
    ends += [match.end() for match in shapes.PART_END.finditer(text)]
    start = max((end for end in ends if end < len(text)), default=0)
    if not start:
        return None
    story, question = text[:start].strip(), text[start:].strip()
    if not shapes.QUESTION.search(question):
        return None
    if question[-1] not in "?？.。!！":
        question += shapes.FULL_STOP if shapes.ORDER.match(question) else shapes.QUESTION_MARK
    if story[-1] in "，,；":
        story = f"{story[:-1]}{shapes.FULL_STOP}"
    return replace(problem, text=f"{question}{language.space}{story}")


def candidate_pool(examples: Sequence[SolverExample], pool: str, *, most_tokens: int = 45) -> list[SolverExample]:
    """Return the problems, followed by their variants.

    Args:
        examples: problems with equations.
        pool: one of `analytics.solver.config.Pool`.
        most_tokens: longer equations are left out.
    """
    made = []
    for problem in made_problems([example.problem for example in examples], pool):
        try:
            example = solver_example(problem)
        except DataError:
            continue
        if 0 < len(example.tokens) <= most_tokens:
            made.append(example)
    return [*examples, *made]


def made_problems(problems: Sequence[ProblemRecord], pool: str) -> Iterator[ProblemRecord]:
    """Yield the reversed and reordered variants of problems that the pool includes."""
    for problem in problems:
        if "roda" in pool:
            yield from reverse_operation(problem)
        if "qr" in pool and (reordered := reorder_question(problem)) is not None:
            yield reordered
