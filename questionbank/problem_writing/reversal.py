"""Write new problems from a question's own story: ask for a known number, leave one blank, or put the question first.

Reversed operations and question reordering are those of Textual-CL (2022), section 3.1, in English and in Chinese. If a
sentence cannot be reversed, for example because it has several numbers, a number is left blank (our addition).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

from analytics.errors import DataError
from analytics.expression.evaluate import constant_label, evaluate, is_slot, slot_index
from analytics.expression.tree import parse_expression
from analytics.language.contract import NotReversibleError, number_text
from analytics.languages import primary_language
from analytics.records import ProblemRecord
from analytics.solver.reversing import equation_for, reorder_question, reverse_operation, solvable_example
from analytics.solver.targets import SolverExample
from analytics.text.clauses import split_sentences
from analytics.text.number_slots import number_slots
from questionbank.problem_writing.problem import RetoldProblem, answer_text, fault, refers_back

LANGUAGES = ("en", "zh")
_BLANK = "____"
_HAS_BLANK = re.compile(r"_{2,}|[(（]\s*[)）]")
_LETTER = re.compile("[A-Za-z]")  # of an ordinal
_MONEY_APART = re.compile(r"([$£€]) (\d)")
_END_MARKS = ".?!。？！"
_BESIDE_FORMULAS = frozenset("/^=+*-×÷$")
_ASKS_FOR_THE_BLANK: Mapping[str, str] = MappingProxyType(
    {"en": "{text} The answer is {answer}. Which number is missing?", "zh": "{text}答案是{answer}。空格里的数是多少？"}
)


def blanks(text: str) -> int:
    """Return the number of blanks in a text.

    >>> blanks("Ann has ____ pens. She buys ( ) pens.")
    2
    """
    return len(_HAS_BLANK.findall(text))


def reversed_problems(text: str, equation: str, language: str) -> Iterator[RetoldProblem]:
    """Yield a problem for each known number that can be asked for, with the answer stated in the text instead."""
    problem = ProblemRecord("", text, language, equation=equation)
    asked_for = set()
    for made in reverse_operation(problem):
        written = _MONEY_APART.sub(r"\1\2", made.text)
        if _tells_in_order(problem, made) and not _is_faulty(written, made.answer, language):
            asked_for.add(made.answer)
            answer = answer_text(written, evaluate(parse_expression(made.answer)))
            yield RetoldProblem(written, made.equation, answer, "asks for a known number")
    yield from (
        retold
        for retold in _with_a_blank(problem)
        if retold.answer not in asked_for and not _is_faulty(retold.text, retold.answer, language)
    )


def reordered(text: str, equation: str, language: str) -> Iterator[RetoldProblem]:
    """Yield the problem with its question first, if its last sentence is a question."""
    problem = reorder_question(ProblemRecord("", text, language, equation=equation))
    if problem is None or (primary_language(language) == "en" and refers_back(split_sentences(problem.text)[0].text)):
        return
    try:
        value = evaluate(parse_expression(problem.equation))
    except DataError:
        return
    yield RetoldProblem(problem.text, problem.equation, constant_label(value), "question first")


def _is_faulty(text: str, answer: str, language: str) -> bool:
    return primary_language(language) == "en" and bool(fault(text, answer))


def _tells_in_order(problem: ProblemRecord, made: ProblemRecord) -> bool:
    """Return whether the result is not stated before the events that lead to it.

    "There are 42 passengers now. At the next stop 9 get off" reads as if the 42 were there before the stop. If
    numbers are only multiplied or divided, the order of the sentences does not matter.
    """
    example, answer = solvable_example(problem)
    if {"+", "-"}.isdisjoint(example.tokens):
        return True
    return number_slots(made.text)[-1].value == answer


def _with_a_blank(problem: ProblemRecord) -> Iterator[RetoldProblem]:
    """Yield, for each number the problem can be solved for, a version with that number blank and the answer given."""
    language = primary_language(problem.language)
    if "\\" in problem.text or blanks(problem.text):
        return
    try:
        example, answer = solvable_example(problem)
        answer_text = number_text(answer, language)
    except NotReversibleError:
        return
    for label in dict.fromkeys(filter(is_slot, example.tokens)):
        slot = example.slots[slot_index(label)]
        before, number, after = (
            problem.text[: slot.start],
            problem.text[slot.start : slot.end],
            problem.text[slot.end :],
        )
        equation = _solved_for(example, label, answer)
        if not equation or not number.isdigit() or _LETTER.match(after) or _may_be_formula(before, after):
            continue
        story = f"{before}{_BLANK}{after}".strip()
        if story[-1] not in _END_MARKS:
            story += "。" if language == "zh" else "."
        text = _ASKS_FOR_THE_BLANK[language].format(text=story, answer=answer_text)
        yield RetoldProblem(text, equation, constant_label(slot.value), "leaves a number blank")


def _may_be_formula(before: str, after: str) -> bool:
    """Return whether the number is in a formula, or directly after a dollar sign, where a blank could start one."""
    beside = {before.rstrip()[-1:], after.lstrip()[:1]}
    return bool(beside & _BESIDE_FORMULAS) or (before.count("$") % 2 == 1 and "$" in after)


def _solved_for(example: SolverExample, label: str, answer: Fraction) -> str:
    """Return the equation solved for a number that occurs once; empty if it cannot be solved exactly."""
    value = example.values[slot_index(label)]
    if [*example.values, answer].count(value) > 1:
        return ""
    try:
        equation = equation_for(example, label, answer)
        return equation if evaluate(parse_expression(equation)) == value else ""
    except (DataError, NotReversibleError):
        return ""
