"""Queries on the registry of models: those in use, candidates, comparisons, and unused ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any

from django.core.exceptions import SuspiciousFileOperation
from django.core.files.storage import storages
from django.db.models import Q, QuerySet

from analytics.artifacts import MANIFEST_NAME
from analytics.catalog import CAPABILITIES
from questionbank.core.capability_catalog import bank_capability, fixed_suite, has_general_model, training_of
from questionbank.core.capability_figures import Figures, Metric
from questionbank.core.database import get_or_not_found
from questionbank.core.wording import counted
from questionbank.models import (
    EmbeddingSet,
    ModelArtifact,
    ModelComparison,
    ModelEvent,
    ModelRetention,
    Question,
    QuestionEquation,
    Run,
)
from questionbank.registry.artifact_selectors import artifact_champion

SMALLEST_SUITE = 20  # with fewer questions every difference may be chance


@dataclass(frozen=True, slots=True)
class CapabilityModels:
    """The models of one capability, newest first, with one champion per scope."""

    capability: str
    title: str
    champions: list[ModelArtifact] = field(default_factory=list)
    candidates: list[ModelArtifact] = field(default_factory=list)
    archived: list[ModelArtifact] = field(default_factory=list)


class GateOutcome(StrEnum):
    """The gate's verdict on a candidate; `BETTER` and `NOT_WORSE` pass without an override."""

    BETTER = "better"
    NOT_WORSE = "not_worse"  # enough for kinds that are retrained as the bank grows
    NOT_BETTER = "not_better"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether a candidate may become champion; `reasons` explains the outcome in sentences."""

    outcome: GateOutcome
    reasons: list[str]

    @property
    def passes(self) -> bool:
        return self.outcome in (GateOutcome.BETTER, GateOutcome.NOT_WORSE)


def models_by_capability() -> list[CapabilityModels]:
    """Return every capability with its models, in the order of the catalog (one query)."""
    groups = {word: CapabilityModels(word, capability.title) for word, capability in CAPABILITIES.items()}
    for artifact in ModelArtifact.objects.select_related("created_by").order_by("-created_at", "-pk"):
        group = groups.get(artifact.capability)
        if group is None:
            continue
        {
            ModelArtifact.State.CHAMPION: group.champions,
            ModelArtifact.State.CANDIDATE: group.candidates,
            ModelArtifact.State.ARCHIVED: group.archived,
        }[ModelArtifact.State(artifact.state)].append(artifact)
    return list(groups.values())


def model_get(*, artifact_id: int) -> ModelArtifact:
    """Return one model with its parent and the person who registered it."""
    return get_or_not_found(
        ModelArtifact.objects.select_related("parent", "created_by").filter(pk=artifact_id), "There is no such model."
    )


def model_events(*, capability: str) -> QuerySet[ModelEvent]:
    """Return the history of a capability's models, latest first."""
    return ModelEvent.objects.filter(capability=capability).select_related("artifact", "former", "person")


def training_run(*, artifact: ModelArtifact) -> Run | None:
    """Return the job that trained a model, for its curves; None if the model was imported or installed."""
    return Run.objects.filter(kind=Run.Kind.TRAIN, result__model=artifact.pk).order_by("-pk").first()


def comparison_latest(*, candidate: ModelArtifact, champion: ModelArtifact) -> ModelComparison | None:
    """Return the last comparison of these two models."""
    rows = ModelComparison.objects.filter(candidate=candidate, champion=champion)
    return rows.select_related("candidate", "champion").first()


def gate(comparison: ModelComparison) -> Gate:
    """Judge a candidate: no decisive figure worse beyond the interval, one better, and no question lost.

    A kind whose training runs promote their own models (`Training.promotes_itself`) need not be better.
    """
    figures: Figures = comparison.figures
    suite = figures["suite"]
    capability = comparison.candidate.capability
    fixed, row = fixed_suite(capability), CAPABILITIES.get(capability)
    metrics: list[Metric] = [
        {**metric, "decides": metric.get("decides", row is None or row.is_decisive(metric["name"]))}
        for metric in figures["metrics"]
    ]
    rival = comparison.champion.numbered_name
    problems = []
    if suite["questions"] < SMALLEST_SUITE:
        there = f"there {'is' if suite['questions'] == 1 else 'are'} {suite['questions']}"
        too_few = "The held-out questions are too few to tell a difference from chance"
        problems.append(f"{too_few}: {there}, {SMALLEST_SUITE} are needed.")
    elif not metrics:
        problems.append(fixed.no_figures if fixed else "Nothing could be measured.")
    if suite["lost"]:
        problems.append(
            f"It cannot read the language of {counted(suite['lost'], 'question', 'questions')} that the model in use"
            " can read."
        )
    if fixed:
        problems += fixed.problems(figures)
    worse = [metric for metric in metrics if metric["worse"]]
    problems += [_against(metric, "worse") for metric in worse if metric["decides"]]
    if problems:
        return Gate(GateOutcome.REFUSED, problems)
    remarks = [_against(metric, "worse") for metric in worse]
    better = [metric for metric in metrics if _is_better(metric)]
    if not better:
        equal = f"In no deciding figure is it significantly better or worse than {rival}."
        training = training_of(capability)
        if training is None or not training.promotes_itself:
            return Gate(GateOutcome.NOT_BETTER, [equal, *remarks])
        enough = "That is enough for a model of this kind, which is trained again as the bank grows."
        return Gate(GateOutcome.NOT_WORSE, [equal, enough, *remarks])
    none_worse = f"It is not significantly worse than {rival} in any deciding figure."
    said_better = [_against(metric, "better") for metric in better]
    return Gate(GateOutcome.BETTER, [none_worse, *said_better, *remarks])


def _against(metric: Metric, verdict: str) -> str:
    return (
        f"{metric['label']} is {verdict}: {metric['candidate']:.3f} against {metric['champion']:.3f}"
        f" (difference {metric['low']:.3f} to {metric['high']:.3f})."
    )


def _is_better(metric: Metric) -> bool:
    """Return whether the figure counts for the candidate, and its whole interval is on the better side."""
    counts = metric["decides"] and metric.get("may_favour", True)
    return bool(counts and (metric["low"] > 0 if metric["higher_is_better"] else metric["high"] < 0))


def roll_back_target(capability: str, scope: str = "") -> ModelArtifact | None:
    """Return the model that a rollback would restore: the one that today's champion replaced.

    For a language's first model, that is the general model if one could serve. None if there was no former model, its
    files were deleted, the vectors of its lens are gone, or it can no longer serve.
    """
    promoted = (
        ModelEvent.objects.filter(
            kind=ModelEvent.Kind.PROMOTED,
            artifact__state=ModelArtifact.State.CHAMPION,
            artifact__capability=capability,
            artifact__scope=scope,
        )
        .select_related("former")
        .first()
    )
    former = promoted.former if promoted else None
    if former is None and promoted is not None:
        has_general = scope and has_general_model(capability)
        return artifact_champion(capability=capability) if has_general else None
    if former is None or former.state != ModelArtifact.State.ARCHIVED:
        return None
    row = CAPABILITIES.get(capability)
    if (
        row
        and row.lens
        and not (EmbeddingSet.objects.filter(artifact=former).exclude(state=EmbeddingSet.State.BUILDING).exists())
    ):
        return None
    return None if serving_problem(former) else former


def serving_problem(artifact: ModelArtifact) -> str:
    """Return why a model cannot serve now, according to its capability; empty if it can."""
    return bank_capability(artifact.capability).serving_problem(artifact)


QUESTIONS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class ChangedNeighbour:
    """One of the nearest questions.

    Attributes:
        both: whether both models return it.
        computed_alike: whether both questions have a known equation with the same graph; only checked for models
            that are about graphs.
    """

    question: Question
    both: bool
    computed_alike: bool = False


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """A question with its nearest neighbours by either model; `overlap` is the share that both return."""

    question: Question
    overlap: float
    candidate: list[ChangedNeighbour]
    champion: list[ChangedNeighbour]


def comparison_shown(*, artifact: ModelArtifact) -> ModelComparison | None:
    """Return a model's last comparison with the current champion, else with an earlier one."""
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    if champion is not None and champion.pk != artifact.pk:
        latest = comparison_latest(candidate=artifact, champion=champion)
        if latest is not None:
            return latest
    return ModelComparison.objects.filter(candidate=artifact).select_related("candidate", "champion").first()


def champion_comparisons() -> dict[int, list[dict[str, Any]]]:
    """Return the metrics of each candidate's last comparison with today's champion, by candidate id (one query)."""
    rows = ModelComparison.objects.filter(
        candidate__state=ModelArtifact.State.CANDIDATE, champion__state=ModelArtifact.State.CHAMPION
    )
    return dict(rows.order_by("created_at", "pk").values_list("candidate_id", "figures__metrics"))


def changed_questions(comparison: ModelComparison, *, are_graphs_looked_at: bool = False) -> list[ChangedQuestion]:
    """Return the questions whose nearest neighbours changed most, without questions deleted since."""
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
    """Return the questions for which the two models name different concepts, without deleted ones.

    None for comparisons of other kinds.
    """
    rows = comparison.figures.get("changed_concepts")
    if rows is None:
        return None
    questions = Question.objects.in_bulk([row["question"] for row in rows])
    return [row | {"question": questions[row["question"]]} for row in rows if row["question"] in questions]


_State = ModelArtifact.State
_NAMING = ("model", "candidate", "champion", "start")  # run parameters that name a model


def model_bytes(artifact: ModelArtifact) -> int:
    """Return the size of a model's folder; 0 if its files are missing."""
    try:
        return _folder_bytes(artifact.location, tuple(artifact.manifest.get("files", {})))
    except (OSError, SuspiciousFileOperation):  # deleted, or never there
        return 0


def models_bytes(artifacts: Iterable[ModelArtifact]) -> int:
    """Return the total size of several models' folders."""
    return sum(map(model_bytes, artifacts))


@lru_cache(maxsize=2048)  # a registered folder never changes
def _folder_bytes(location: str, names: tuple[str, ...]) -> int:
    storage = storages["artifacts"]
    return sum(storage.size(f"{location}/{name}") for name in (MANIFEST_NAME, *names))


def models_in_jobs() -> set[int]:
    """Return the ids of models that a waiting or running job uses."""
    unfinished = Run.objects.exclude(state__in=Run.FINISHED)
    named = unfinished.values_list(*(f"parameters__{name}" for name in _NAMING))
    return {number for numbers in named for number in numbers if isinstance(number, int)}


def model_retentions() -> dict[str, int]:
    """Return how many unused models to keep, by capability; a capability without a rule keeps all."""
    return dict(ModelRetention.objects.values_list("capability", "keep"))


def old_models(*, keep: Mapping[str, int]) -> list[ModelArtifact]:
    """Return the models that the rule deletes, oldest first; it keeps the newest of each capability and scope.

    A model is never deleted, and does not count among those to keep, if it serves, if the model in use replaced it
    (a rollback needs it), or if a job names it.

    Args:
        keep: how many unused models of each scope to keep, by capability.
    """
    replaced = ModelEvent.objects.filter(
        kind=ModelEvent.Kind.PROMOTED, artifact__state=_State.CHAMPION, former__isnull=False
    )
    sets_in_use = Q(embedding_sets__is_current=True)
    unused = ModelArtifact.objects.filter(capability__in=keep).exclude(Q(state=_State.CHAMPION) | sets_in_use)
    unused = unused.exclude(pk__in=models_in_jobs()).exclude(pk__in=replaced.values("former"))
    counts: Counter[tuple[str, str]] = Counter()
    old = []
    for artifact in unused.order_by("-created_at", "-pk"):
        counts[artifact.capability, artifact.scope] += 1
        if counts[artifact.capability, artifact.scope] > keep[artifact.capability]:
            old.append(artifact)
    return old[::-1]


def rejected_candidates() -> list[ModelArtifact]:
    """Return the candidates that were compared with the model in use and did not pass the gate."""
    busy = models_in_jobs()
    rejected = []
    for artifact in ModelArtifact.objects.filter(state=_State.CANDIDATE).exclude(pk__in=busy):
        champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
        comparison = comparison_latest(candidate=artifact, champion=champion) if champion else None
        if fixed_suite(artifact.capability) and comparison is not None and not gate(comparison).passes:
            rejected.append(artifact)
    return rejected


FEWEST_TAGGED = 100  # with fewer ready tagged questions no probes are trained: neighbours vote instead


def why_no_probes(hierarchy: str) -> str:
    """Return a sentence on why no model names concepts of this hierarchy yet."""
    unfinished = Run.objects.exclude(state__in=Run.FINISHED)
    trainings = unfinished.filter(kind=Run.Kind.TRAIN, parameters__hierarchy=hierarchy)
    if (run := trainings.order_by("pk").first()) is not None:
        return f"The model for “{hierarchy}” is being trained (job {run.pk})."
    ready = Question.objects.filter(
        status=Question.Status.READY, paraphrase_of__isnull=True, tags__concept__hierarchy__name=hierarchy
    )
    tagged = ready.order_by().values("pk").distinct()[:FEWEST_TAGGED].count()
    if tagged < FEWEST_TAGGED:
        missing = FEWEST_TAGGED - tagged
        has = f"“{hierarchy}” has {tagged} of the {FEWEST_TAGGED} labelled questions a model needs"
        return f"{has}; {counted(missing, 'is', 'are')} missing."
    if unfinished.filter(Q(kind=Run.Kind.EMBED) | Q(kind=Run.Kind.PROMOTE)).exists():
        return f"The model for “{hierarchy}” is trained once the vectors of its questions are computed."
    return f"No model is in use for “{hierarchy}”; an admin can train it under Models."
