"""What a page shows of a comparison of two models."""

from __future__ import annotations

from dataclasses import dataclass
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


def changed_questions(
    comparison: ModelComparison, *, are_graphs_looked_at: bool = False
) -> list[ChangedQuestion]:
    """Return the questions whose nearest ones changed most, without those that have been deleted since."""
    rows = comparison.figures.get("changed", [])[:QUESTIONS_SHOWN]
    ids = {pk for row in rows for pk in (row["question"], *row["candidate"], *row["champion"])}
    questions = Question.objects.in_bulk(ids)
    graphs: dict[int, str] = {}
    if are_graphs_looked_at:
        equations = QuestionEquation.objects.filter(question__in=ids).exclude(graph_key="")
        graphs = dict(equations.values_list("question_id", "graph_key"))

    def neighbours(row: dict[str, Any], model: str, other: str) -> list[ChangedNeighbour]:
        graph = graphs.get(row["question"])
        return [
            ChangedNeighbour(questions[pk], pk in row[other], graph is not None and graphs.get(pk) == graph)
            for pk in row[model]
            if pk in questions
        ]

    return [
        ChangedQuestion(
            question=questions[row["question"]],
            overlap=row["overlap"],
            candidate=neighbours(row, "candidate", "champion"),
            champion=neighbours(row, "champion", "candidate"),
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
