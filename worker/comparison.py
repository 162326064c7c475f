"""Comparing a candidate with the champion on the fixed suite of their capability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from analytics.errors import DataError
from questionbank.capabilities.figures import Metric
from questionbank.models import ModelArtifact
from questionbank.selectors.registry.models import GateOutcome, gate
from questionbank.services.promotion import comparison_save
from worker.bootstrap import paired_difference
from worker.catalog import worker_capability
from worker.reporting import RunReporter

PORTION = 64  # of a suite: seconds of work
ROLES = ("candidate", "champion")
SEED = 0  # of what a comparison draws

_OUTCOMES = {
    GateOutcome.BETTER: "The candidate passes the gate.",
    GateOutcome.NOT_WORSE: "The candidate passes the gate.",
    GateOutcome.NOT_BETTER: "The candidate is not better.",
    GateOutcome.REFUSED: "The candidate does not pass the gate.",
}

_measured: dict[
    tuple[int, str], list[tuple[Any, Any]]
] = {}  # by run and role: what was measured, and its result

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_portions(
    reporter: RunReporter,
    role: str,
    suite: Sequence[Item],
    measure: Callable[[Sequence[Item]], Sequence[Result]],
) -> list[Result]:
    """Measure a model on a suite, portion by portion, between which the comparison gives way.

    The results of a comparison that gave way are kept in this process. Its next attempt uses those of what the suite
    still begins with.

    Raises:
        Cancelled: the run was stopped.
        GaveWay: somebody waits for this worker.
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
    """Do what a run of kind ``evaluate`` asks for: ``{"candidate": id, "champion": id}``.

    Raises:
        DataError: one of the models is no longer there.
        ServiceUnavailable: the files of one are missing or damaged.
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
    label: str,
    questions: Sequence[int],
    columns: Sequence[Sequence[float]],
    rng: np.random.Generator,
    kind: str = "mean",
) -> Metric:
    """Return a line of a comparison with its interval.

    Args:
        name, label: as for `metric_entry`.
        questions, columns, rng: as for `paired_difference`.
        kind: likewise, or ``"error"``: a mean of which less is better.
    """
    is_error = kind == "error"
    figures = paired_difference(questions, columns, "mean" if is_error else kind, rng)
    return metric_entry(name, label, figures, questions=len(set(questions)), higher_is_better=not is_error)


def metric_entry(
    name: str, label: str, figures: Mapping[str, float], *, questions: int, higher_is_better: bool = True
) -> Metric:
    """Return a line of a comparison.

    Args:
        name: what the gate calls the metric.
        label: what people read.
        figures: as `paired_difference` returns them.
        questions: number of questions that it was measured on.
        higher_is_better: False for an error.
    """
    return {
        "name": name,
        "label": label,
        "higher_is_better": higher_is_better,
        "questions": questions,
        "candidate": round(figures["candidate"], 4),
        "champion": round(figures["champion"], 4),
        "difference": round(figures["difference"], 4),
        "low": round(figures["low"], 4),
        "high": round(figures["high"], 4),
        "worse": figures["high"] < 0 if higher_is_better else figures["low"] > 0,
    }
