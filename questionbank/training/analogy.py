"""Training and evaluation data of retrievers: the bank's questions with an equation, a report on them, and examples."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Max, QuerySet, Sum, Window
from django.db.models.functions import RowNumber

from analytics.analogy.examples import AnalogyConfig
from analytics.catalog import ANALOGY, main_lens
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT
from analytics.records import ProblemRecord
from analytics.solver.solution import CERTAIN_ENOUGH
from analytics.splits import HELD_OUT_SHARE, split_place
from analytics.text.fingerprints import story_key
from analytics.text.tokens import search_tokens
from questionbank.core.capability_report import CachedReport, Report, Row, Table, TableRow
from questionbank.core.wording import counted, language_name
from questionbank.models import EmbeddingSet, Question, QuestionSolution
from questionbank.registry.model_selectors import SMALLEST_SUITE
from questionbank.solving.computations import Computation, question_computation
from questionbank.training.questions import (
    VALIDATION_SHARE,
    Divider,
    EquationMaterial,
    EquationQuestion,
    equation_count,
    equations_introduction,
    equations_version,
    is_test_source,
    original_questions,
    part_rows,
    usable_problems,
)


@dataclass(frozen=True, slots=True)
class GraphProblem:
    """A word problem with the key of its graph, which problems with the same computation share."""

    problem: ProblemRecord
    graph_key: str


@dataclass(frozen=True, slots=True)
class AnalogyMaterial(EquationMaterial[GraphProblem]):
    """The data of a training run; the graph of an equation must be known for it to be used.

    Attributes:
        predicted: questions of the training part without an equation, whose solver equation is more probably right
            than not; empty unless requested.
    """

    predicted: tuple[GraphProblem, ...]

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
    problems, tests, counts = usable_problems(questions, lambda language: language in left_out, _graph_problem)
    guessed = {
        entry.problem.text: entry
        for entry in (_predicted(questions, left_out) if predicted else ())
        if entry.problem.text not in problems
    }
    divider = Divider({text: split_place(text) for text in (*problems, *guessed)}, tests)
    return AnalogyMaterial(
        problems=divider.parts(problems.values(), _texts),
        predicted=divider.parts(guessed.values(), _texts).learned,
        **counts,
    )


def _graph_problem(question: EquationQuestion) -> GraphProblem | None:
    if not question.graph_key:
        return None
    problem = ProblemRecord(question.id, question.text, question.language, question.expression, question.answer)
    return GraphProblem(problem, question.graph_key)


def equation_languages(*, hierarchies: Sequence[str] | None = None) -> list[str]:
    """Return the languages of the ready questions that have an equation."""
    rows = original_questions(hierarchies=hierarchies).filter(equation__isnull=False)
    return sorted(set(rows.order_by().values_list("language", flat=True).distinct()))


def problems_sharing_a_graph(*, hierarchies: Sequence[str] | None = None) -> int:
    """Count, in the database, the ready questions with an equation whose graph another one shares.

    A training run uses fewer: it excludes held-out questions and repetitions.
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
            problem = ProblemRecord(str(question.pk), question.text, question.language, equation)
            yield GraphProblem(problem, row.graph_key)


def _texts(entry: GraphProblem) -> tuple[str, ...]:
    return (entry.problem.text,)


FEWEST = 500  # problems that share a graph with another problem; with fewer a retriever learns little


def _analogy_report(hierarchies: Sequence[str] | None) -> Report:
    shares = _unknown_shares()
    unknown = [language for language, share in shares.items() if share > UNKNOWN_SHARE_LIMIT]
    material = analogy_material(hierarchies=hierarchies, left_out=unknown)
    learned, parts = material.problems.learned, material.problems
    graphs = Counter(entry.graph_key for entry in learned)
    paired = [entry for entry in learned if graphs[entry.graph_key] > 1]
    shared_graphs = sum(count > 1 for count in graphs.values())
    shared = counted(shared_graphs, "computation is shared", "computations are shared")
    return Report(
        rows=(
            Row("with_positive", len(paired), "used for training: share a computation with another problem"),
            Row("without_positive", len(learned) - len(paired), "left out: no other problem has the same computation"),
            Row("validation", len(parts.validation), "used for validation"),
            *part_rows(parts, repeated=material.repeated, test_items=material.test_items),
            Row("predicted", predicted_problems(), "with an equation only from the solver"),
        ),
        advice=tuple(_advice(material, len(paired))),
        tables=(_languages(material, paired, shares),),
        introduction=f"{equations_introduction(ready=material.ready, with_equation=material.with_equation)} The"
        f" retriever learns from problems that share their computation with another problem: {shared}.",
        examples="model_graph_pairs" if shared_graphs else "",
    )


def _languages(material: AnalogyMaterial, paired: Sequence[GraphProblem], shares: Mapping[str, float]) -> Table:
    """Return the problems by language; those in a language that the encoder does not know are left out.

    Args:
        paired: training problems whose graph another one shares, in any language.
        shares: share of each language's tokens that the encoder does not know, where it was measured.
    """
    learned = Counter(entry.problem.language for entry in material.problems.learned)
    used = Counter(entry.problem.language for entry in paired)
    return Table(
        title="Problems by language",
        labels="Language",
        columns={"With an equation": "count", "To learn from": "count", "Dropped": "count", "Unknown tokens": "share"},
        rows=tuple(
            TableRow(
                language_name(language),
                (problems, used[language], learned[language] - used[language], shares.get(language)),
                shares.get(language, 0) > UNKNOWN_SHARE_LIMIT,
            )
            for language, problems in Counter(material.languages).most_common()
        ),
    )


def _unknown_shares() -> Mapping[str, float]:
    """Return the share of each language's tokens that the retriever in use does not know.

    Before there is a retriever, that of the encoder.
    """
    words = [ANALOGY.lens.word, main_lens().word]
    in_use = {row.lens: row for row in EmbeddingSet.objects.filter(lens__in=words, scope="", is_current=True)}
    measured = [in_use[word].unknown_shares for word in words if word in in_use]
    return next((shares for shares in measured if shares), {})


def _advice(material: AnalogyMaterial, paired: int) -> Iterator[str]:
    batch = AnalogyConfig().batch_size
    if paired < batch:
        yield (
            f"Training needs at least {batch} problems that share a graph with another problem; {batch - paired} more"
            " are needed. Accept equations, or import more."
        )
    elif paired < FEWEST:
        yield (
            f"With fewer than {FEWEST} problems that share a graph with another problem, a retriever learns"
            f" little; {FEWEST - paired} more are needed. Accept equations, or import more."
        )
    if len(material.problems.held_out) < SMALLEST_SUITE:
        held_out = counted(len(material.problems.held_out), "held-out question has", "held-out questions have")
        yield f"Only {held_out} an equation; two retrievers cannot be compared on fewer than {SMALLEST_SUITE}."
    if material.foreign:
        unknown = "in a language that the encoder does not know, and"
        yield counted(material.foreign, f"problem is {unknown} is left out.", f"problems are {unknown} are left out.")
    if material.unreadable:
        one = "equation cannot be read or computes nothing, and is left out."
        several = "equations cannot be read or compute nothing, and are left out."
        yield counted(material.unreadable, one, several)


def _versions() -> list[str]:
    solutions = QuestionSolution.objects.aggregate(count=Count("pk"), last=Max("solved_at"))
    return [equations_version(), str(solutions), str(sorted(_unknown_shares().items()))]


analogy_report = CachedReport("analogy", _analogy_report, equation_count, _versions)
"""The report on the data of a retriever."""


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
