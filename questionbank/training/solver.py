"""Training and evaluation data of solvers, and a report on it for admins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from analytics.errors import DataError
from analytics.expression.tree import parse_expression
from analytics.languages import primary_language, written_language
from analytics.records import ProblemRecord
from analytics.solver.solution import numbers_reason, story_reason
from analytics.splits import is_held_out, split_place
from analytics.text.meaning import number_of_answer
from analytics.text.number_slots import number_slots
from analytics.text.question_tasks import is_word_problem
from questionbank.bank.question_selectors import in_language, published_answer
from questionbank.core.capability_report import CachedReport, Report, Table, TableRow
from questionbank.core.wording import counted
from questionbank.models import Question
from questionbank.training.questions import (
    Divider,
    EquationMaterial,
    EquationQuestion,
    equation_count,
    equations_introduction,
    equations_version,
    is_test_source,
    original_questions,
    usable_problems,
)

SOLVER_LANGUAGES = {"en": "English", "zh": "Chinese"}


@dataclass(frozen=True, slots=True)
class SolverMaterial(EquationMaterial[ProblemRecord]):
    """Data for training and for comparing solvers, in one language; equations that cannot be parsed are left out.

    Attributes:
        answered: held-out word problems without an equation whose published answer is a number, each text once,
            and without test splits. Solvers are compared on them and never trained on them.
    """

    answered: tuple[ProblemRecord, ...]

    @property
    def suite(self) -> tuple[ProblemRecord, ...]:
        """The held-out problems with a known answer, on which solvers are compared."""
        return (*self.problems.held_out, *self.answered)


def solver_material(wanted: str, *, hierarchies: Sequence[str] | None = None) -> SolverMaterial:
    """Split the bank's questions with an equation, and find held-out ones that have only an answer.

    Args:
        wanted: the language, ``"en"`` for all variants of English.
    """

    def read(question: EquationQuestion) -> ProblemRecord | None:
        if not _is_readable(question.expression):
            return None
        return ProblemRecord(question.id, question.text, wanted, question.expression, question.answer)

    questions = original_questions(hierarchies=hierarchies)
    problems, tests, counts = usable_problems(questions, lambda language: primary_language(language) != wanted, read)
    answered: dict[str, ProblemRecord] = {}
    for problem in _answered_problems(questions, wanted):
        if problem.text not in problems:
            answered.setdefault(problem.text, problem)
    divider = Divider({text: split_place(text) for text in (*problems, *answered)}, tests)
    return SolverMaterial(
        problems=divider.parts(problems.values(), _texts),
        answered=divider.parts(answered.values(), _texts).held_out,
        **counts,
    )


def _answered_problems(questions: QuerySet[Question], wanted: str) -> Iterator[ProblemRecord]:
    """Yield the held-out word problems without an equation whose published answer is a number."""
    rows = questions.filter(in_language(wanted), equation__isnull=True).exclude(answer="")
    rows = rows.exclude(kind=Question.Kind.PARTS).order_by("pk")
    columns = ("text", "language", "source", "kind", "options", "answer")
    for question in rows.only(*columns).iterator():
        answer = published_answer(question)
        if (
            is_held_out(question.text)
            and not is_test_source(question.source)
            and _can_be_asked(question.text, question.language)
            and number_of_answer(answer) is not None  # checked last: a formula takes some milliseconds
        ):
            yield ProblemRecord(str(question.pk), question.text, wanted, answer=answer)


def _can_be_asked(text: str, language: str) -> bool:
    """Return whether a text is a word problem that a solver of its language may attempt."""
    return (
        is_word_problem(text)
        and primary_language(written_language(text, language)) == primary_language(language)
        and not story_reason(text)
        and not numbers_reason(number_slots(text))
    )


def _texts(problem: ProblemRecord) -> tuple[str, ...]:
    return (problem.text,)


def _is_readable(expression: str) -> bool:
    try:
        parse_expression(expression)
    except DataError:
        return False
    return True


FEWEST = 500  # training problems; with fewer, a solver learns little beyond the most frequent equations


def _solver_report(hierarchies: Sequence[str] | None) -> Report:
    materials = {language: solver_material(language, hierarchies=hierarchies) for language in SOLVER_LANGUAGES}
    first = next(iter(materials.values()))
    headings = (
        "To learn from",
        "Validation",
        "Held out, with an equation",
        "Held out, with an answer only",
        "Near-duplicates of held-out or validation problems",
        "Duplicates",
        "From a test split",
        "Unreadable",
    )
    return Report(
        advice=tuple(_advice(materials)),
        tables=(
            Table(
                title="Problems by language",
                labels="Language",
                columns=dict.fromkeys(headings, "count"),
                rows=tuple(_language_row(language, material) for language, material in materials.items()),
            ),
        ),
        introduction=equations_introduction(ready=first.ready, with_equation=first.with_equation),
    )


def _language_row(language: str, material: SolverMaterial) -> TableRow:
    problems = material.problems
    cells = (
        len(problems.learned),
        len(problems.validation),
        len(problems.held_out),
        len(material.answered),
        problems.left_out,
        material.repeated,
        material.test_items,
        material.unreadable,
    )
    return TableRow(SOLVER_LANGUAGES[language], cells)


def _advice(materials: Mapping[str, SolverMaterial]) -> Iterator[str]:
    first = next(iter(materials.values()))
    for language, material in materials.items():
        is_used = material is first or material.with_equation > material.foreign
        if is_used and len(material.problems.learned) < FEWEST:
            yield (
                f"{SOLVER_LANGUAGES[language]}: with fewer than {FEWEST} problems a solver learns little; accept"
                " equations, or import more."
            )
    learnable = sum(material.with_equation - material.foreign for material in materials.values())
    if foreign := first.with_equation - learnable:
        one = "problem is in a language that no solver can learn, and is left out."
        several = "problems are in languages that no solver can learn, and are left out."
        yield counted(foreign, one, several)


solver_report = CachedReport("solvers", _solver_report, equation_count, lambda: [equations_version()])
"""The report on the data of solvers, by language."""
