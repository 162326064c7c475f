"""Reading the registry of models: what serves, what could, what was, and whether a candidate may serve."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from django.db.models import QuerySet

from analytics.catalog import CAPABILITIES
from questionbank.capabilities.catalog import bank_capability, fixed_suite, has_general_model, training_of
from questionbank.capabilities.figures import Figures, Metric
from questionbank.models import EmbeddingSet, ModelArtifact, ModelComparison, ModelEvent, Run
from questionbank.numbers import counted
from questionbank.rows import existing
from questionbank.selectors.registry.artifacts import artifact_champion

SMALLEST_SUITE = 20  # with fewer questions every difference may be chance


@dataclass(frozen=True, slots=True)
class CapabilityModels:
    """The models of one capability, the newest first; it has one champion for each scope."""

    capability: str
    title: str
    champions: list[ModelArtifact] = field(default_factory=list)
    candidates: list[ModelArtifact] = field(default_factory=list)
    archived: list[ModelArtifact] = field(default_factory=list)


class GateOutcome(StrEnum):
    """What the gate says of a candidate: without an override a better one may serve, or one that may be as good."""

    BETTER = "better"
    NOT_WORSE = "not_worse"  # of a kind that is trained again as the bank grows, for which this is enough
    NOT_BETTER = "not_better"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether a candidate may become champion; `reasons` says in sentences why not (or why)."""

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
    """Return one model with its parent and who registered it."""
    return existing(
        ModelArtifact.objects.select_related("parent", "created_by").filter(pk=artifact_id),
        "There is no such model.",
    )


def model_events(*, capability: str) -> QuerySet[ModelEvent]:
    """Return the history of a capability's models, the latest first."""
    return ModelEvent.objects.filter(capability=capability).select_related("artifact", "former", "person")


def training_run(*, artifact: ModelArtifact) -> Run | None:
    """Return the job that trained a model, for its curves; None for one that was imported or installed."""
    return Run.objects.filter(kind=Run.Kind.TRAIN, result__model=artifact.pk).order_by("-pk").first()


def comparison_latest(*, candidate: ModelArtifact, champion: ModelArtifact) -> ModelComparison | None:
    """Return the last comparison of these two models."""
    rows = ModelComparison.objects.filter(candidate=candidate, champion=champion)
    return rows.select_related("candidate", "champion").first()


def gate(comparison: ModelComparison) -> Gate:
    """Judge a candidate: worse on no decisive figure beyond the interval, better on one, and no question lost.

    A kind whose trainings promote what they trained (`Training.promotes_itself`) need not be better.
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
        problems.append(fixed.no_figures if fixed else "No figure could be measured.")
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
    """Return whether a figure's whole interval speaks for the candidate, and may."""
    counts = metric["decides"] and metric.get("may_favour", True)
    return bool(counts and (metric["low"] > 0 if metric["higher_is_better"] else metric["high"] < 0))


def roll_back_target(capability: str, scope: str = "") -> ModelArtifact | None:
    """Return the model that a roll back would bring back: the one that today's champion replaced.

    For the first model of a language that a general one could serve, it is the general one. None where there was none,
    its files were deleted, the vectors of its lens are gone, or it cannot serve any more.
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
        and not (
            EmbeddingSet.objects.filter(artifact=former).exclude(state=EmbeddingSet.State.BUILDING).exists()
        )
    ):
        return None
    return None if serving_problem(former) else former


def serving_problem(artifact: ModelArtifact) -> str:
    """Return why a model cannot serve now, as its capability's row says; empty where it can."""
    return bank_capability(artifact.capability).serving_problem(artifact)
