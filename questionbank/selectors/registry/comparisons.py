"""What a page shows of a comparison of two models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from questionbank.models import ModelArtifact, ModelComparison, Question, QuestionEquation
from questionbank.selectors.registry.artifacts import artifact_champion
from questionbank.selectors.registry.models import comparison_latest

QUESTIONS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class ChangedNeighbour:
    """One of the nearest questions.

    Attributes:
        both: whether either model names it.
        computed_alike: whether both questions have a known equation with the same graph; only looked at for models
            that are about graphs.
    """

    question: Question
    both: bool
    computed_alike: bool = False


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """A question with its nearest ones by either model; `overlap` is the share that both name."""

    question: Question
    overlap: float
    candidate: list[ChangedNeighbour]
    champion: list[ChangedNeighbour]


def comparison_shown(*, artifact: ModelArtifact) -> ModelComparison | None:
    """Return the last comparison of a model with the champion, else with the champion of some earlier time."""
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    if champion is not None and champion.pk != artifact.pk:
        latest = comparison_latest(candidate=artifact, champion=champion)
        if latest is not None:
            return latest
    return ModelComparison.objects.filter(candidate=artifact).select_related("candidate", "champion").first()


def champion_comparisons() -> dict[int, list[dict[str, Any]]]:
    """Return the figures of candidates' last comparisons with today's champion, by the candidate's id (one query)."""
    rows = ModelComparison.objects.filter(
        candidate__state=ModelArtifact.State.CANDIDATE, champion__state=ModelArtifact.State.CHAMPION
    )
    return dict(rows.order_by("created_at", "pk").values_list("candidate_id", "figures__metrics"))


def changed_questions(comparison: ModelComparison) -> list[ChangedQuestion]:
    """Return the questions whose nearest ones changed most, without those that have been deleted since."""
    rows = comparison.figures.get("changed", [])[:QUESTIONS_SHOWN]
    ids = {pk for row in rows for pk in (row["question"], *row["candidate"], *row["champion"])}
    questions = Question.objects.in_bulk(ids)
    return [
        ChangedQuestion(
            question=questions[row["question"]],
            overlap=row["overlap"],
            candidate=_neighbours(row["candidate"], row["champion"], questions),
            champion=_neighbours(row["champion"], row["candidate"], questions),
        )
        for row in rows
        if row["question"] in questions
    ]


def changed_concepts(comparison: ModelComparison) -> list[dict[str, Any]] | None:
    """Return the questions that both models name different concepts for, without deleted ones.

    None for other comparisons.
    """
    rows = comparison.figures.get("changed_concepts")
    if rows is None:
        return None
    questions = Question.objects.in_bulk([row["question"] for row in rows])
    return [row | {"question": questions[row["question"]]} for row in rows if row["question"] in questions]


def _neighbours(
    neighbours: list[int], other_neighbours: list[int], questions: Mapping[int, Question]
) -> list[ChangedNeighbour]:
    return [ChangedNeighbour(questions[pk], pk in other_neighbours) for pk in neighbours if pk in questions]


def changed_neighbours_marked(comparison: ModelComparison) -> list[ChangedQuestion]:
    """Return `changed_questions` with the neighbours marked that are computed like their question."""
    changed = changed_questions(comparison)
    question_ids = [row.question.pk for row in changed] + [
        neighbour.question.pk for row in changed for neighbour in (*row.candidate, *row.champion)
    ]
    equations = QuestionEquation.objects.filter(question__in=question_ids).exclude(graph_key="")
    keys = dict(equations.values_list("question_id", "graph_key"))

    def marked(row: ChangedQuestion, neighbours: list[ChangedNeighbour]) -> list[ChangedNeighbour]:
        graph_key = keys.get(row.question.pk)
        return [
            replace(
                neighbour,
                computed_alike=graph_key is not None and keys.get(neighbour.question.pk) == graph_key,
            )
            for neighbour in neighbours
        ]

    return [
        replace(row, candidate=marked(row, row.candidate), champion=marked(row, row.champion))
        for row in changed
    ]
