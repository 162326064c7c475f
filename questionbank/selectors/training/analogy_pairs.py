"""Pairs of problems that a retriever learns to find alike, as in the paper's Figure 6: one graph, two stories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from analytics.splits import HELD_OUT_SHARE, split_place
from analytics.text.copies import story_key
from analytics.text.tokens import search_tokens
from questionbank.models import Question
from questionbank.selectors.questions.computations import Computation, question_computation
from questionbank.selectors.training.training_parts import VALIDATION_SHARE
from questionbank.selectors.training.training_questions import is_test_source, original_questions

_EXAMINED = 300  # problems of a graph, from which two are chosen
_COMPARED = 30


@dataclass(frozen=True, slots=True)
class GraphPair:
    """Two problems with one computational graph and different stories.

    Attributes:
        problems: how many ready problems of the bank have the graph.
    """

    problems: int
    first: Question
    second: Question
    computations: tuple[Computation, Computation]


def graph_groups() -> QuerySet[Any, Any]:
    """Return graphs that several problems of one language share, commonest first: ``language, graph, problems``."""
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
    """Return two problems of each graph that a training learns from; none of a graph whose problems all tell one story.

    Args:
        groups: rows of `graph_groups`.
    """
    counts: dict[tuple[str, str], int] = {
        (group["language"], group["graph"]): group["problems"] for group in groups
    }
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
    """Return some problems of each language and graph, without those that are held out or measure a training."""
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
    """Return the first problem, and of those with another story the one with the fewest words in common."""
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
