"""Problems made from problems: reversed operations (RODA), and the question moved to the front (Textual-CL).

A reversed problem asks for a known number, and states what the problem asked for.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from analytics.errors import AnalyticsError, DataError
from analytics.expression.evaluate import (
    EvaluationError,
    UnsolvableError,
    constant_label,
    evaluate,
    fill_slots,
    is_slot,
    slot_index,
    solve_for,
)
from analytics.expression.tree import ExpressionTree, from_prefix, to_infix
from analytics.language.contract import NotReversibleError, Statement
from analytics.language.en import statements as english_statements
from analytics.language.zh import statements as chinese_statements
from analytics.languages import language_named, primary_language
from analytics.question_files import read_problems
from analytics.records import ProblemRecord
from analytics.solver.targets import SolverExample, solver_example
from analytics.text.clauses import split_sentences


def run_command(command: Callable[[], str]) -> int:
    """Run a command, print its result or, to standard error, a known error's message; return the exit code."""
    try:
        sys.stdout.write(f"{command()}\n")
    except AnalyticsError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


_LANGUAGES = {"en": english_statements, "zh": chinese_statements}


@dataclass(slots=True)
class ReversalYield:
    """Counts of reversed problems.

    Attributes:
        problems: number of problems that were tried.
        reversed_problems: number of problems with at least one known number that can be asked for.
        made: number of generated problems.
        refused: counts by reason of numbers that cannot be asked for, and of problems whose question cannot
            become a statement.
    """

    problems: int = 0
    reversed_problems: int = 0
    made: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def covered(self) -> float:
        """Share of the problems that could be reversed."""
        return self.reversed_problems / max(1, self.problems)


def reverse_operation(problem: ProblemRecord, refused: Counter[str] | None = None) -> list[ProblemRecord]:
    """Return a reversed problem for each known number that can be asked for instead of the unknown.

    Args:
        problem: problem with an equation.
        refused: counts the reasons why numbers cannot be asked for.

    >>> pens = ProblemRecord("1", "Ann has 7 pens. She buys 2 pens. How many pens does she have now?", equation="7+2")
    >>> [(made.text, made.equation) for made in reverse_operation(pens)]  # doctest: +NORMALIZE_WHITESPACE
    [('Ann has 9 pens now. She buys 2 pens. How many pens does she have?', '9-2'),
     ('Ann has 7 pens. She has 9 pens now. How many pens does she buy?', '9-7')]
    """
    reasons: Counter[str] = Counter() if refused is None else refused
    problem = replace(problem, text=problem.text.strip())  # sentence offsets are relative to the text
    try:
        example, answer, statements, stated = _prepared(problem)
    except NotReversibleError as error:
        reasons[str(error)] += 1
        return []
    made = []
    for slot in dict.fromkeys(label for label in example.tokens if is_slot(label)):
        try:
            made.append(_asking(example, slot, answer, statements, stated))
        except NotReversibleError as error:
            reasons[str(error)] += 1
        except DataError:
            reasons["the new equation cannot be read"] += 1
    return made


def solvable_example(problem: ProblemRecord) -> tuple[SolverExample, Fraction]:
    """Return a problem with its equation over its numbers, and its exact answer.

    Raises:
        NotReversibleError: it has no valid equation with an operation and an exact value.
    """
    try:
        example = solver_example(problem)
    except DataError:
        raise NotReversibleError("the equation cannot be read") from None
    if example.tree is None or example.tree.is_number:
        raise NotReversibleError("the equation has no operation")
    try:
        return example, evaluate(fill_slots(example.tree, example.values))
    except EvaluationError:
        raise NotReversibleError("the equation has no exact value") from None


def equation_for(example: SolverExample, slot: str, answer: Fraction) -> str:
    """Return the equation for a slot's number in terms of the answer and the other numbers.

    Raises:
        NotReversibleError: the equation cannot be solved for it.
    """
    try:
        solved = solve_for(from_prefix(example.tokens), slot, fill_slots(ExpressionTree("N0"), [answer]))
    except UnsolvableError as error:
        raise NotReversibleError(str(error)) from None
    return to_infix(fill_slots(solved, example.values))


def _prepared(problem: ProblemRecord) -> tuple[SolverExample, Fraction, list[Statement], str]:
    """Return the inputs shared by all reversals of a problem: answer, sentences, and the question as a statement."""
    language = _LANGUAGES.get(primary_language(problem.language))
    if language is None:
        raise NotReversibleError("the language is not known")
    example, answer = solvable_example(problem)
    if answer in example.values:
        raise NotReversibleError("the answer equals a number of the text")
    statements = language.statements_of(problem.text)
    if len(statements) < 2:
        raise NotReversibleError("there is only one sentence")
    return example, answer, statements, language.answer_statement(statements[-1].text, answer, problem.text)


def _asking(
    example: SolverExample, slot: str, answer: Fraction, statements: Sequence[Statement], stated: str
) -> ProblemRecord:
    """Return the problem that asks for one slot's number."""
    language = _LANGUAGES[primary_language(example.problem.language)]
    number = example.slots[slot_index(slot)]
    if sum(value == number.value for value in example.values) > 1:
        raise NotReversibleError("the number occurs several times")
    if not example.problem.text[number.start : number.end].lstrip("([")[:1].isdigit():
        raise NotReversibleError("the number is a word")
    place = next(place for place in reversed(range(len(statements))) if statements[place].start <= number.start)
    sentence = statements[place]
    start, end = number.start - sentence.start, number.end - sentence.start
    if place == len(statements) - 1 or end > len(sentence.text):
        raise NotReversibleError("the number is in the question")
    equation = equation_for(example, slot, answer)
    text = language.rebuild(statements, place, stated, language.asking_question(sentence.text, start, end))
    problem = replace(
        example.problem,
        id=f"{example.problem.id}-{slot}",
        text=text,
        equation=equation,
        answer=constant_label(number.value),
        numbers=(),
    )
    _check(problem, number.value, example)
    return problem


def _check(problem: ProblemRecord, wanted: Fraction, original: SolverExample) -> None:
    """Reject an equation that does not give the requested number, or uses a number that the text lacks."""
    made = solver_example(problem)
    tree = from_prefix(made.tokens)
    try:
        value = evaluate(fill_slots(tree, made.values))
    except EvaluationError:
        raise NotReversibleError("the new equation has no exact value") from None
    if value != wanted:
        raise NotReversibleError("the new equation does not give the number")
    constants = {label for label in original.tokens if not is_slot(label)}
    if any(not is_slot(label) and label not in constants for label in made.tokens if label[0].isdigit()):
        raise NotReversibleError("the new text lacks a number of the equation")


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
    """Yield the variants of problems, reversed or reordered, that `pool` names."""
    for problem in problems:
        if "roda" in pool:
            yield from reverse_operation(problem)
        if "qr" in pool and (reordered := reorder_question(problem)) is not None:
            yield reordered


def measure_yield(problems: Iterable[ProblemRecord]) -> tuple[list[ProblemRecord], ReversalYield]:
    """Reverse problems, and count the results."""
    counts = ReversalYield()
    made: list[ProblemRecord] = []
    for problem in problems:
        variants = reverse_operation(problem, counts.refused)
        counts.problems += 1
        counts.reversed_problems += bool(variants)
        counts.made += len(variants)
        made += variants
    return made, counts


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the yield for a data set, and write the generated problems."""
    description = "Reverse problems, and count those that can be reversed."
    parser = argparse.ArgumentParser(prog="python -m analytics.solver.reversing", description=description)
    parser.add_argument("data", type=Path, help="file or folder of problems; its training part is reversed")
    parser.add_argument("--output", type=Path, help="write the problems that were made (JSON Lines)")
    options = parser.parse_args(arguments)

    def command() -> str:
        made, counts = measure_yield(read_problems(options.data).learned)
        if options.output:
            _write(made, options.output)
        lines = [
            f"{counts.problems:,} problems, {counts.reversed_problems:,} reversed ({counts.covered:.0%}),"
            f" {counts.made:,} made\n\n| refused | times |\n|---|---|"
        ]
        return "\n".join([*lines, *(f"| {reason} | {count:,} |" for reason, count in counts.refused.most_common())])

    return run_command(command)


def _write(problems: Iterable[ProblemRecord], path: Path) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for problem in problems:
            row = {"id": problem.id, "text": problem.text, "language": problem.language}
            row |= {"equation": problem.equation, "answer": problem.answer}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
