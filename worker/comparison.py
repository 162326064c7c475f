"""Comparing a candidate with the champion on the fixed suite of their capability, and promoting a model.

A promotion builds everything the model needs while the old one serves, and swaps in one transaction. A killed promotion
resumes where it stopped: stored vectors are not computed again, and probes already trained for it are reused. Until the
swap, what serves does not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from analytics.catalog import CAPABILITIES
from analytics.errors import DataError
from analytics.inference.encode import nearest_rows
from analytics.metrics import MetricName, named_metric
from questionbank.bank.vector_selectors import languages_served
from questionbank.bank.vector_services import embedding_set_ensure
from questionbank.core.capability_figures import ChangedNeighbours, Metric
from questionbank.core.errors import NotFound
from questionbank.models import EmbeddingSet, ModelArtifact
from questionbank.registry.lifecycle_services import comparison_save, gate_verdict, model_promote, model_swap
from questionbank.registry.model_selectors import GateOutcome, gate
from worker.bootstrap import paired_difference
from worker.catalog import worker_capability
from worker.embedding import embed_pending
from worker.reporting import RunReporter

PORTION = 64  # items per portion of a suite: seconds of work
ROLES = ("candidate", "champion")
SEED = 0  # for everything that a comparison draws

_OUTCOMES = {
    GateOutcome.BETTER: "The candidate passes the gate.",
    GateOutcome.NOT_WORSE: "The candidate passes the gate.",
    GateOutcome.NOT_BETTER: "The candidate is not better.",
    GateOutcome.REFUSED: "The candidate does not pass the gate.",
}

_measured: dict[tuple[int, str], list[tuple[Any, Any]]] = {}  # by run and role: measured items with their results

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_portions(
    reporter: RunReporter, role: str, suite: Sequence[Item], measure: Callable[[Sequence[Item]], Sequence[Result]]
) -> list[Result]:
    """Measure a model on a suite in portions, giving way to other work between them.

    Results of a comparison that gave way are cached in this process. Its next attempt reuses them as long as the suite
    starts with the same items.

    Raises:
        Cancelled: the run was stopped.
        GaveWay: other work waits for this worker.
    """
    run = reporter.run.pk
    for earlier in [key for key in _measured if key[0] != run]:
        del _measured[earlier]
    kept = _measured.setdefault((run, role), [])
    if [item for item, _result in kept] != list(suite[: len(kept)]):
        kept.clear()
    while len(kept) < len(suite):
        reporter.check()
        reporter.give_way(begins_again=True)
        reporter.progress(len(kept), len(suite), f"Measuring the {role}")
        portion = suite[len(kept) : len(kept) + PORTION]
        kept += zip(portion, measure(portion), strict=True)
    return [result for _item, result in kept]


def compare_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``evaluate`` with the parameters ``{"candidate": id, "champion": id}``.

    Raises:
        DataError: one of the models no longer exists.
        ServiceUnavailable: the files of a model are missing or damaged.
    """
    models = {}
    for role in ROLES:
        artifact = ModelArtifact.objects.filter(pk=reporter.run.parameters[role]).first()
        if artifact is None:
            raise DataError(f"The {role} of this comparison is no longer there.")
        models[role] = artifact
    figures = worker_capability(reporter.run.capability).compare(reporter, **models)
    comparison = comparison_save(**models, run=reporter.run, figures=figures)
    verdict = gate(comparison)
    reporter.log(f"{_OUTCOMES[verdict.outcome]} {' '.join(verdict.reasons)}")
    return {"comparison": comparison.pk, "passes": verdict.passes, "outcome": verdict.outcome.value}


def paired_metric(
    name: str,
    questions: Sequence[int],
    columns: Sequence[Sequence[float]],
    rng: np.random.Generator,
    kind: str = "mean",
    named: MetricName | None = None,
) -> Metric:
    """Return an entry of a comparison with its interval.

    Args:
        name, named: as for `metric_entry`.
        questions, columns, rng, kind: as for `paired_difference`.
    """
    figures = paired_difference(questions, columns, kind, rng)
    return metric_entry(name, figures, questions=len(set(questions)), named=named)


def metric_entry(name: str, figures: Mapping[str, float], *, questions: int, named: MetricName | None = None) -> Metric:
    """Return an entry of a comparison.

    Args:
        name: the metric's name for the gate.
        named: its name for people, if `analytics.metrics` has none.
        figures: as `paired_difference` returns them.
        questions: number of questions that it was measured on.
    """
    named = named or named_metric(name)
    return {
        "name": name,
        "label": named.full_label,
        "higher_is_better": named.higher_is_better,
        "questions": questions,
        "candidate": round(figures["candidate"], 4),
        "champion": round(figures["champion"], 4),
        "difference": round(figures["difference"], 4),
        "low": round(figures["low"], 4),
        "high": round(figures["high"], 4),
        "worse": figures["high"] < 0 if named.higher_is_better else figures["low"] > 0,
    }


Vectors = Mapping[int, npt.NDArray[np.float32]]
"""Vectors of length 1 by question id."""

ASKED, SHOWN = 500, 50  # questions to find neighbours for, and how many of them to store


class _Question(Protocol):
    @property
    def id(self) -> int: ...

    @property
    def language(self) -> str: ...


def compared_sets(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> dict[str, EmbeddingSet]:
    """Return the sets of both models after computing their missing vectors; a later promotion reuses them."""
    sets = {"candidate": embedding_set_ensure(artifact=candidate), "champion": embedding_set_ensure(artifact=champion)}
    embed_pending(reporter, sets=list(sets.values()))
    for row in sets.values():
        row.refresh_from_db()
    return sets


def unreadable(questions: Iterable[_Question], ids: Set[int], embedding_set: EmbeddingSet) -> int:
    """Return how many of the questions are in a language that the set's encoder does not know.

    Other questions may lack a vector because they were added while the vectors were computed.
    """
    served = languages_served(embedding_set)
    return len({row.id for row in questions if row.id in ids and row.language not in served})


def changed_neighbours(
    vectors: Mapping[str, Vectors], suite: Sequence[int], everything: Sequence[int], *, k: int
) -> list[ChangedNeighbours]:
    """Return the questions whose `k` nearest neighbours differ most.

    Args:
        vectors: vectors of both models, by role.
        suite: the questions to examine, all or a sample.
        everything: all questions that both models can read, among which neighbours are searched.
        k: number of neighbours per question, excluding itself.
    """
    if len(everything) < 2 or not suite:
        return []
    rng = np.random.default_rng(SEED)
    asked = [suite[index] for index in sorted(rng.permutation(len(suite))[:ASKED])]
    neighbours = {}
    for role, by_id in vectors.items():
        table = np.stack([by_id[pk] for pk in everything])
        nearest = nearest_rows(np.stack([by_id[pk] for pk in asked]), table, k + 1)
        neighbours[role] = [
            [everything[index] for index in row if everything[index] != question][:k]
            for question, row in zip(asked, nearest, strict=True)
        ]
    changed: list[ChangedNeighbours] = []
    for question, new, old in zip(asked, neighbours["candidate"], neighbours["champion"], strict=True):
        overlap = len({*new} & {*old}) / max(1, len(old))
        changed.append({"question": question, "overlap": round(overlap, 2), "candidate": new, "champion": old})
    return sorted(changed, key=lambda row: (row["overlap"], row["question"]))[:SHOWN]


def promote_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``promote`` with the parameters ``{"model": id, "reason", "override"}``.

    Raises:
        NotFound: the model no longer exists.
        Conflict: it does not (or no longer) pass the gate.
        Cancelled: the run was stopped; what serves has not changed.
    """
    run = reporter.run
    artifact = ModelArtifact.objects.filter(pk=run.parameters["model"]).first()
    if artifact is None:
        raise NotFound("The model is no longer there.")
    if artifact.state == ModelArtifact.State.CHAMPION:  # killed between the swap and the end of the run
        return {"model": artifact.pk}
    if CAPABILITIES[artifact.capability].lens is None:
        consequences = model_promote(run=run, artifact=artifact)
        reporter.log(f"{artifact.name} is now in use.")
        if consequences:
            reporter.log(consequences)
        return {"model": artifact.pk}
    gate_verdict(artifact=artifact, override=run.parameters["override"])
    embedding_set = embedding_set_ensure(artifact=artifact)
    embed_pending(reporter, sets=[embedding_set])
    embedding_set.refresh_from_db()
    row = worker_capability(artifact.capability)
    beside = row.build(reporter, run=run, embedding_set=embedding_set)
    embed_pending(reporter, sets=[embedding_set])  # questions edited during the build
    reporter.check()
    consequences = model_swap(run=run, artifact=artifact, embedding_set=embedding_set, beside=beside)
    reporter.log(f"{artifact.name} is now in use.")
    if consequences:
        reporter.log(consequences)
    return {"model": artifact.pk, "served_with": [model.pk for model in beside]}
