"""Training and evaluation data of retrievers of analogous problems: the bank's questions with an equation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, QuerySet, Sum, Window
from django.db.models.functions import RowNumber

from analytics.records import ProblemRecord
from analytics.solver.solution import CERTAIN_ENOUGH
from analytics.splits import HELD_OUT_SHARE, split_place
from analytics.text.copies import story_key
from analytics.text.tokens import search_tokens
from questionbank.models import Question, QuestionSolution
from questionbank.solving.computations import Computation, question_computation
from questionbank.training.questions import VALIDATION_SHARE, Divider, Parts, is_test_source, original_questions


@dataclass(frozen=True, slots=True)
class GraphProblem:
    """A word problem with the key of its graph, which problems with the same computation share."""

    problem: ProblemRecord
    graph_key: str


@dataclass(frozen=True, slots=True)
class AnalogyMaterial:
    """The data of a training.

    Attributes:
        problems: ready questions whose equation is known and can be parsed, each text once, without sources named as
            a test split.
        predicted: questions of the training part without an equation, whose solver equation is more probably right
            than not; empty unless requested.
        ready: number of ready questions in any language.
        with_equation: ready questions with an equation.
        languages: number of questions with an equation, by language.
        foreign: questions with an equation in an excluded language.
        without_graph: remaining questions whose equation cannot be parsed, computes nothing or is too long.
        repeated: questions that exactly repeat another one.
        test_items: questions from a test split.
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
        """All problems to train on, including those without a positive."""
        return (*self.problems.learned, *self.predicted)


def analogy_material(
    *, hierarchies: Sequence[str] | None = None, left_out: Collection[str] = (), predicted: bool = False
) -> AnalogyMaterial:
    """Split the bank's questions with an equation into training, validation and held-out parts.

    Args:
        predicted: also train on the solver's equations for questions without one. They are never used to evaluate.
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

    A training uses fewer: it excludes held-out questions and repetitions.
    """
    keys = original_questions(hierarchies=hierarchies).filter(equation__isnull=False).exclude(equation__graph_key="")
    groups = (
        keys.order_by().values("equation__graph_key").annotate(members=Count("pk", distinct=True)).filter(members__gt=1)
    )
    return int(groups.aggregate(total=Sum("members"))["total"] or 0)


def predicted_problems() -> int:
    """Return the number of ready questions without an equation that the solver solved with enough certainty."""
    return _solutions(original_questions()).count()


def _solutions(questions: QuerySet[Question]) -> QuerySet[QuestionSolution]:
    """Return sufficiently certain solutions of questions that have no equation and have not changed since."""
    return QuestionSolution.objects.filter(
        question__in=questions.filter(equation__isnull=True).order_by().values("pk"),
        probability__gte=CERTAIN_ENOUGH,
        content_hash=F("question__content_hash"),
    ).exclude(graph_key="")


def _predicted(questions: QuerySet[Question], left_out: Collection[str]) -> Iterator[GraphProblem]:
    """Yield the questions with the solver's first equation, excluding test splits."""
    for row in _solutions(questions).select_related("question").order_by("pk").iterator():
        question = row.question
        if question.language not in left_out and not is_test_source(question.source):
            equation = str(row.alternatives[0]["equation"])
            yield _problem(question.pk, question.text, question.language, "", equation, row.graph_key)


def _problem(pk: int, text: str, language: str, answer: str, equation: str, key: str) -> GraphProblem:
    return GraphProblem(ProblemRecord(str(pk), text, language, equation, answer), key)


def _texts(entry: GraphProblem) -> tuple[str, ...]:
    return (entry.problem.text,)


_EXAMINED = 300  # problems per graph from which two are chosen
_COMPARED = 30


@dataclass(frozen=True, slots=True)
class GraphPair:
    """Two problems with the same computational graph and different stories.

    Attributes:
        problems: number of the bank's ready problems with the graph.
    """

    problems: int
    first: Question
    second: Question
    computations: tuple[Computation, Computation]


def graph_groups() -> QuerySet[Any, Any]:
    """Return graphs that several problems of one language share, most frequent first: ``language, graph, problems``."""
    return (
        original_questions()
        .filter(equation__isnull=False)
        .exclude(equation__graph_key="")
        .order_by()
        .values("language", graph=F("equation__graph_key"))
        .annotate(problems=Count("pk"))
        .filter(problems__gt=1)
        .order_by("-problems", "language", "graph")
    )


def graph_pairs(groups: Sequence[Mapping[str, Any]]) -> list[GraphPair]:
    """Return two training problems of each graph; a graph is left out if all its problems tell the same story.

    Args:
        groups: rows of `graph_groups`.
    """
    counts: dict[tuple[str, str], int] = {(group["language"], group["graph"]): group["problems"] for group in groups}
    members = _members(list(counts))
    pairs = []
    for group, problems in counts.items():
        chosen = _least_alike(members[group])
        if chosen is not None:
            computations = [question_computation(question) for question in chosen]
            if computations[0] is not None and computations[1] is not None:
                pairs.append(GraphPair(problems, *chosen, (computations[0], computations[1])))
    return pairs


def _members(groups: Sequence[tuple[str, str]]) -> dict[tuple[str, str], list[Question]]:
    """Return some problems of each language and graph, excluding held-out, validation and test problems."""
    place = Window(RowNumber(), partition_by=(F("language"), F("equation__graph_key")), order_by="pk")
    questions = (
        original_questions()
        .filter(equation__graph_key__in={graph for _language, graph in groups})
        .select_related("equation")
        .annotate(place=place)
        .filter(place__lte=_EXAMINED)
        .order_by("pk")
    )
    members: dict[tuple[str, str], list[Question]] = defaultdict(list)
    for question in questions:
        is_learned = split_place(question.text) >= HELD_OUT_SHARE + VALIDATION_SHARE
        if is_learned and not is_test_source(question.source):
            members[question.language, question.equation.graph_key].append(question)
    return members


def _least_alike(questions: Sequence[Question]) -> tuple[Question, Question] | None:
    """Return the first problem, and the one with another story that has the fewest words in common with it."""
    if not questions:
        return None
    first = questions[0]
    others = [question for question in questions[1:] if story_key(question.text) != story_key(first.text)]
    if not others:
        return None
    words = set(search_tokens(first.text, first.language))

    def shared(question: Question) -> float:
        question_words = set(search_tokens(question.text, question.language))
        return len(words & question_words) / max(1, len(question_words))

    return first, min(others[:_COMPARED], key=shared)
