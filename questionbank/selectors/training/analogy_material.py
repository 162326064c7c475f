"""What retrievers of analogous problems learn from and are measured on: the bank's questions with an equation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, QuerySet, Sum

from analytics.records import ProblemRecord
from analytics.solver.solution import CERTAIN_ENOUGH
from analytics.splits import split_place
from questionbank.models import Question, QuestionSolution
from questionbank.selectors.training.training_parts import Divider, Parts
from questionbank.selectors.training.training_questions import is_test_source, original_questions


@dataclass(frozen=True, slots=True)
class GraphProblem:
    """A word problem with the key of its graph: problems that are computed alike share it."""

    problem: ProblemRecord
    graph_key: str


@dataclass(frozen=True, slots=True)
class AnalogyMaterial:
    """What a training would get.

    Attributes:
        problems: ready questions whose equation is known and can be read, each text once, without those of sources
            that are named as a test split.
        predicted: questions without an equation whose solver's equation is more probably right than not, of the part
            that is learned from; empty unless they were asked for.
        ready: number of ready questions in any language.
        with_equation: of them, those with an equation.
        languages: of these, how many in each language.
        foreign: of these, those in a language that was left out.
        without_graph: of the others, those whose equation cannot be read, computes nothing or is too long.
        repeated: those that repeat another one exactly.
        test_items: those from a test split.
    """

    problems: Parts[GraphProblem]
    predicted: tuple[GraphProblem, ...]
    ready: int
    with_equation: int
    languages: Mapping[str, int]
    foreign: int
    without_graph: int
    repeated: int
    test_items: int

    @property
    def learned(self) -> tuple[GraphProblem, ...]:
        """All that would be learned from, those without a positive included."""
        return (*self.problems.learned, *self.predicted)


def analogy_material(
    *,
    hierarchies: Sequence[str] | None = None,
    left_out: Collection[str] = (),
    predicted: bool = False,
) -> AnalogyMaterial:
    """Divide the bank's questions that have an equation.

    Args:
        predicted: learn from the solver's equations as well, where a question has none. They are never measured with.
    """
    questions = original_questions(hierarchies=hierarchies)
    columns = ("pk", "text", "language", "source", "answer", "equation__expression", "equation__graph_key")
    rows = questions.filter(equation__isnull=False).exclude(kind=Question.Kind.PARTS).order_by("pk")
    problems: dict[str, GraphProblem] = {}
    tests: list[str] = []
    languages: Counter[str] = Counter()
    foreign = without_graph = repeated = 0
    for pk, text, language, source, answer, expression, key in rows.values_list(*columns).iterator():
        languages[language] += 1
        if language in left_out:
            foreign += 1
        elif is_test_source(source):
            tests.append(text)
        elif not key:
            without_graph += 1
        elif text in problems:
            repeated += 1
        else:
            problems[text] = _problem(pk, text, language, answer, expression, key)
    guessed = {
        entry.problem.text: entry
        for entry in (_predicted(questions, left_out) if predicted else ())
        if entry.problem.text not in problems
    }
    divider = Divider({text: split_place(text) for text in (*problems, *guessed)}, tests)
    return AnalogyMaterial(
        problems=divider.parts(problems.values(), _texts),
        predicted=divider.parts(guessed.values(), _texts).learned,
        ready=questions.count(),
        with_equation=languages.total(),
        languages=languages,
        foreign=foreign,
        without_graph=without_graph,
        repeated=repeated,
        test_items=len(tests),
    )


def equation_languages(*, hierarchies: Sequence[str] | None = None) -> list[str]:
    """Return the languages of the ready questions that have an equation."""
    rows = original_questions(hierarchies=hierarchies).filter(equation__isnull=False)
    return sorted(set(rows.order_by().values_list("language", flat=True).distinct()))


def problems_sharing_a_graph(*, hierarchies: Sequence[str] | None = None) -> int:
    """Count, in the database, the ready questions with an equation whose graph another one shares.

    A training learns from fewer: it keeps the held-out questions out, and repetitions.
    """
    keys = (
        original_questions(hierarchies=hierarchies)
        .filter(equation__isnull=False)
        .exclude(equation__graph_key="")
    )
    groups = (
        keys.order_by()
        .values("equation__graph_key")
        .annotate(members=Count("pk", distinct=True))
        .filter(members__gt=1)
    )
    return int(groups.aggregate(total=Sum("members"))["total"] or 0)


def predicted_problems() -> int:
    """Return the number of ready questions without an equation that the solver solved and is certain enough of."""
    return _solutions(original_questions()).count()


def _solutions(questions: QuerySet[Question]) -> QuerySet[QuestionSolution]:
    """Return the solver's solutions that are certain enough, of questions without an equation as they read now."""
    return QuestionSolution.objects.filter(
        question__in=questions.filter(equation__isnull=True).order_by().values("pk"),
        probability__gte=CERTAIN_ENOUGH,
        content_hash=F("question__content_hash"),
    ).exclude(graph_key="")


def _predicted(questions: QuerySet[Question], left_out: Collection[str]) -> Iterator[GraphProblem]:
    """Yield the questions with the solver's first equation, without those of test splits."""
    for row in _solutions(questions).select_related("question").order_by("pk").iterator():
        question = row.question
        if question.language not in left_out and not is_test_source(question.source):
            equation = str(row.alternatives[0]["equation"])
            yield _problem(question.pk, question.text, question.language, "", equation, row.graph_key)


def _problem(pk: int, text: str, language: str, answer: str, equation: str, key: str) -> GraphProblem:
    return GraphProblem(ProblemRecord(str(pk), text, language, equation, answer), key)


def _texts(entry: GraphProblem) -> tuple[str, ...]:
    return (entry.problem.text,)
