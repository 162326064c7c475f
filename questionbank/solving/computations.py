"""What a word problem computes, by its own equation or else the solver's, and which questions compute the same.

Two problems compute the same if their graph keys are equal (`analytics.expression.keys.graph_key`). A key found by the
solver counts from a probability of `CERTAIN_ENOUGH`, and anything based on it states the probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import F, Q

from analytics.errors import DataError
from analytics.expression.keys import graph_reading, keys_with_another_step, keys_with_one_step_less
from analytics.expression.tree import ARITY, ExpressionTree, to_prefix
from analytics.solver.solution import CERTAIN_ENOUGH, solution_of
from analytics.solver.targets import problem_graph_key, target_tree
from analytics.text.number_slots import NumberSlot, number_slots
from questionbank.bank.question_selectors import visible_to
from questionbank.models import Question, QuestionEquation, QuestionSolution, User
from questionbank.models.visibility import seen_sql
from questionbank.rendering.expression_trees import ExpressionDrawing, expression_drawing

_MOST_LEAVES, _MOST_USES = 12, 4  # largest equation for which variants are compared

# Raw SQL, for a single statement: Django would need two, and more time to build them than they take to run.
# `solver_computes` has the same condition for predicted equations.
_SAME_COMPUTATION = """
    WITH published AS (
        SELECT q.id FROM questionbank_questionequation e JOIN questionbank_question q ON q.id = e.question_id
        WHERE e.graph_key = %(key)s
            AND q.status = 'ready' AND q.id <> ALL(%(exclude)s) AND %(language)s IN ('', q.language) AND {seen}
        ORDER BY e.question_id LIMIT %(limit)s
    ), predicted AS (
        SELECT q.id, s.probability
        FROM questionbank_questionsolution s JOIN questionbank_question q ON q.id = s.question_id
        LEFT JOIN questionbank_questionequation e ON e.question_id = q.id
        WHERE s.graph_key = %(key)s AND s.probability >= %(least)s AND s.content_hash = q.content_hash
            AND coalesce(e.graph_key, '') = ''
            AND q.status = 'ready' AND q.id <> ALL(%(exclude)s) AND %(language)s IN ('', q.language) AND {seen}
        ORDER BY s.probability DESC, q.id LIMIT %(limit)s - (SELECT count(*) FROM published)
    )
    SELECT id FROM (
        SELECT id, NULL AS probability FROM published UNION ALL SELECT id, probability FROM predicted
    ) AS same ORDER BY probability DESC NULLS FIRST, id
"""


@dataclass(frozen=True)
class Computation:
    """The computation of a question.

    Attributes:
        equation: with the numbers of the text.
        probability: that the solver's equation is right; None if the equation comes from the source or a person.
    """

    key: str
    equation: str
    text: str
    probability: float | None = None

    @property
    def is_predicted(self) -> bool:
        return self.probability is not None

    @cached_property
    def reading(self) -> str:
        """The graph with a letter for each number, such as ``a × b − c``."""
        return graph_reading(self.key)

    @cached_property
    def drawing(self) -> ExpressionDrawing | None:
        """The equation's tree; None if it cannot be drawn."""
        if self.tree is None:
            return None
        tokens = to_prefix(self.tree)
        solution = solution_of(tokens, [slot.value for slot in self.slots], 1.0)
        return expression_drawing(tokens, solution.terms)

    def has_a_step_more_than(self, another: Computation) -> bool:
        """Return whether removing one step from it gives the other computation."""
        return another.key in self._shorter

    def differs_in_a_step_from(self, another: Computation) -> bool:
        """Return whether changing the operation of one of several steps gives the other computation."""
        return another.key in self._altered

    @cached_property
    def slots(self) -> list[NumberSlot]:
        return number_slots(self.text)

    @cached_property
    def tree(self) -> ExpressionTree | None:
        """The equation over the text's numbers; None if it cannot be read."""
        try:
            return target_tree(self.equation, self.slots)
        except DataError:
            return None

    @cached_property
    def _shorter(self) -> frozenset[str]:
        return keys_with_one_step_less(self.tree) if self.tree and _is_quick(self.tree) else frozenset()

    @cached_property
    def _altered(self) -> frozenset[str]:
        tree = self.tree
        if tree is None or not _is_quick(tree) or not any(child.children for child in tree.children):
            return frozenset()  # with a single step nothing would remain the same
        return keys_with_another_step(tree)


def _is_quick(tree: ExpressionTree) -> bool:
    """Return whether its variants' keys can be computed quickly; the uses of a repeated number have many orders."""
    leaves = Counter(label for label in to_prefix(tree) if label not in ARITY)
    return leaves.total() <= _MOST_LEAVES and max(leaves.values()) <= _MOST_USES


def question_computation(question: Question) -> Computation | None:
    """Return a question's computation, by its own equation or else the solver's; None if neither is known."""
    equation = _equation(question)
    if equation is not None:
        return Computation(equation.graph_key, equation.expression, question.text)
    solution = _solution(question)
    if solution is None or (solution.probability or 0) < CERTAIN_ENOUGH:
        return None
    return Computation(solution.graph_key, solution.alternatives[0]["equation"], question.text, solution.probability)


def question_graphs(question: Question) -> dict[str, float]:
    """Return the graph keys that a question may have: its own equation's, otherwise all that the solver found.

    Each has its probability, including those of which the solver is unsure.
    """
    equation = _equation(question)
    if equation is not None:
        return {equation.graph_key: 1.0}
    solution = _solution(question)
    rows = solution.alternatives if solution is not None else []
    return graph_probabilities(question.text, ((row["equation"], row["probability"]) for row in rows))


def graph_probabilities(text: str, equations: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the graph keys that a text may have, with probabilities."""
    graphs: dict[str, float] = {}
    for equation, probability in equations:
        if key := problem_graph_key(text, equation):
            graphs[key] = min(1.0, graphs.get(key, 0.0) + probability)
    return graphs


def _equation(question: Question) -> QuestionEquation | None:
    """Return the question's own equation, if it can be read."""
    equation: QuestionEquation | None = getattr(question, "equation", None)
    return equation if equation is not None and equation.graph_key else None


def _solution(question: Question) -> QuestionSolution | None:
    """Return the solver's solution of the question's current text, unless the published answer contradicts it."""
    solution: QuestionSolution | None = getattr(question, "machine_solution", None)
    if solution is None or not solution.graph_key or bytes(solution.content_hash) != bytes(question.content_hash):
        return None
    return solution


def text_computation(text: str, equation: str, probability: float | None) -> Computation | None:
    """Return the computation of a text that is not in the bank, by the solver's equation.

    Return None if that is too uncertain.
    """
    if not equation or (probability is not None and probability < CERTAIN_ENOUGH):
        return None
    key = problem_graph_key(text, equation)
    return Computation(key, equation, text, probability) if key else None


def same_computation_ids(*, key: str, language: str, exclude: Sequence[int], limit: int) -> list[int]:
    """Return ready questions with the same computation, using an index; those with a known equation come first.

    Args:
        language: of the questions; empty for any.
    """
    parameters: dict[str, Any] = {
        "key": key,
        "language": language,
        "exclude": list(exclude),
        "least": CERTAIN_ENOUGH,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(_SAME_COMPUTATION.format(seen=seen_sql("q")), parameters)
        return [pk for (pk,) in cursor.fetchall()]


def same_computation_probabilities(*, graphs: Mapping[str, float], ids: Sequence[int]) -> dict[int, float]:
    """Return which of the questions may have the same computation, with its probability."""
    if not graphs:
        return {}
    among = Question.objects.filter(pk__in=list(ids)).order_by()
    predicted = among.filter(solver_computes(*graphs)).values_list(
        "pk", "machine_solution__graph_key", "machine_solution__probability"
    )
    published = among.filter(equation__graph_key__in=list(graphs)).values_list("pk", "equation__graph_key")
    probabilities = {pk: graphs[key] * (probability or 0.0) for pk, key, probability in predicted}
    return probabilities | {pk: graphs[key] for pk, key in published}


def solver_computes(*keys: str) -> Q:
    """Match questions with only the solver's equation, if it is certain enough and up to date with the text."""
    return Q(
        Q(equation__isnull=True) | Q(equation__graph_key=""),
        machine_solution__graph_key__in=keys,
        machine_solution__probability__gte=CERTAIN_ENOUGH,
        machine_solution__content_hash=F("content_hash"),
    )


@dataclass(frozen=True, slots=True)
class ComputedAlike:
    """Questions whose equation has the same computation as the equation of a given question.

    Attributes:
        published: those with an equation from their source or a person; the count is the total.
        predicted: those with the solver's equation and its probability, the surest first; the count is the total.
    """

    published: list[Question]
    published_count: int
    predicted: list[Question]
    predicted_count: int

    @property
    def count(self) -> int:
        return self.published_count + self.predicted_count


def computed_alike(*, question: Question, user: User | None, limit: int) -> ComputedAlike | None:
    """Return the questions with the same computation as a question; None if its computation is not known."""
    computation = question_computation(question)
    if computation is None:
        return None
    key = computation.key
    visible = Question.objects.filter(visible_to(user)).exclude(status=Question.Status.RETIRED).exclude(pk=question.pk)
    published = visible.filter(equation__graph_key=key).order_by("pk")
    predicted = visible.filter(solver_computes(key)).order_by("-machine_solution__probability", "pk")
    return ComputedAlike(
        published=list(published.select_related("equation")[:limit]),
        published_count=published.count(),
        predicted=list(predicted.select_related("machine_solution")[:limit]),
        predicted_count=predicted.count(),
    )
