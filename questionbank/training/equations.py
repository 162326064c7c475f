"""The bank's questions with an equation, from which solvers and retrievers learn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Count, Q, QuerySet

from questionbank.bank.question_selectors import in_language
from questionbank.models import Question, QuestionEquation
from questionbank.training.questions import Parts, is_test_source

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class EquationMaterial(Generic[Item]):
    """The data of a training run.

    Attributes:
        problems: ready questions whose equation can be used, each text once, without sources named as a test split.
        ready: number of ready questions in any language.
        languages: number of questions with an equation, by language.
        foreign: questions with an equation in an excluded language.
        unreadable: remaining questions whose equation cannot be used.
        repeated: questions that exactly repeat another one.
        test_items: questions from a test split.
    """

    problems: Parts[Item]
    ready: int
    languages: Mapping[str, int]
    foreign: int
    unreadable: int
    repeated: int
    test_items: int

    @property
    def with_equation(self) -> int:
        """The number of ready questions with an equation."""
        return sum(self.languages.values())


@dataclass(frozen=True, slots=True)
class EquationQuestion:
    """A question with an equation; `graph_key` is empty if its graph is not known."""

    id: str
    text: str
    language: str
    answer: str
    expression: str
    graph_key: str


def usable_problems(
    questions: QuerySet[Question], is_foreign: Callable[[str], bool], read: Callable[[EquationQuestion], Item | None]
) -> tuple[dict[str, Item], list[str], dict[str, Any]]:
    """Read the questions that have an equation.

    Args:
        questions: ready questions.
        is_foreign: returns whether a language is excluded.
        read: returns the problem of a question; None if its equation cannot be used.

    Returns:
        The problems by text, the texts from test splits, and the counts of `EquationMaterial`.
    """
    rows = questions.filter(equation__isnull=False).exclude(kind=Question.Kind.PARTS).order_by("pk")
    columns = ("pk", "text", "language", "answer", "equation__expression", "equation__graph_key", "source")
    problems: dict[str, Item] = {}
    tests: list[str] = []
    languages: Counter[str] = Counter()
    foreign = unreadable = repeated = 0
    for pk, *values, source in rows.values_list(*columns).iterator():
        question = EquationQuestion(str(pk), *values)
        languages[question.language] += 1
        if is_foreign(question.language):
            foreign += 1
        elif is_test_source(source):
            tests.append(question.text)
        elif (problem := read(question)) is None:
            unreadable += 1
        elif question.text in problems:
            repeated += 1
        else:
            problems[question.text] = problem
    counts = {"ready": questions.count(), "languages": languages, "foreign": foreign, "test_items": len(tests)}
    return problems, tests, {**counts, "unreadable": unreadable, "repeated": repeated}


def equations_introduction(*, ready: int, with_equation: int) -> str:
    """Return the introduction of a report on questions with an equation."""
    by_people = QuestionEquation.objects.filter(set_by=QuestionEquation.SetBy.PERSON).count()
    return (
        f"{with_equation:,} of {ready:,} have an equation. In the whole bank, people entered or accepted {by_people:,}."
    )


def equation_count(language: str) -> int:
    """Count the questions with an equation in a language; in all languages if it is empty."""
    questions = Question.objects.filter(equation__isnull=False)
    return (questions.filter(in_language(language)) if language else questions).count()


def equations_version() -> str:
    """Return a text that changes with the number of equations, of those by people, and of graphs."""
    by_people = Count("pk", filter=Q(set_by=QuestionEquation.SetBy.PERSON))
    counts = QuestionEquation.objects.aggregate(
        count=Count("pk"), people=by_people, graphs=Count("graph_key", distinct=True)
    )
    return str(counts)
