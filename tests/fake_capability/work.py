"""The fake capability's jobs: its training with a checkpoint, and its comparison."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from analytics.metrics import MetricName
from questionbank.bank.vector_services import embedding_set_ensure
from questionbank.models import ModelArtifact, Question
from questionbank.registry.artifact_selectors import artifact_folder
from tests.fake_capability.bank import GaugeFigures
from tests.fake_capability.library import load_gauge, train_gauge
from worker.candidates import Beginning, train_candidate
from worker.catalog import Job, WorkerCapability
from worker.comparison import paired_metric
from worker.embedding import embed_pending
from worker.reporting import RunReporter


def train_gauge_run(reporter: RunReporter) -> dict[str, Any]:
    """Train and register a candidate."""

    def begin(beginning: Beginning) -> Any:
        texts = list(Question.objects.filter(status="ready").order_by("pk").values_list("text", flat=True))
        return partial(train_gauge, texts, beginning.config)

    return train_candidate(reporter, "gauge", begin)


def gauge_figures(reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> GaugeFigures:
    """Measure both on every question; the vectors that a promotion needs are computed on the way."""
    embed_pending(reporter, sets=[embedding_set_ensure(artifact=candidate)])
    rows = list(Question.objects.filter(status="ready").order_by("pk").values_list("pk", "text"))
    ids, texts = [pk for pk, _text in rows], [text for _pk, text in rows]
    truth = np.array([len(text) for text in texts])
    errors = [
        np.abs(load_gauge(artifact_folder(model)).estimate(texts) - truth).tolist() for model in (candidate, champion)
    ]
    named = MetricName("Error of the length", higher_is_better=False)
    metric = paired_metric("error", ids, errors, np.random.default_rng(0), named=named)
    return {
        "suite": {"questions": len(ids), "lost": 0, "gained": 0, "left_out": 0, "seed": 0},
        "metrics": [metric, metric | {"name": "speed", "label": "Speed", "worse": True}],
        "longest": ids[int(truth.argmax())] if ids else 0,
    }


def measure_run(reporter: RunReporter) -> dict[str, Any]:
    """Measure the longest question."""
    return {"letters": max(map(len, Question.objects.values_list("text", flat=True)), default=0)}


class GaugeWork(WorkerCapability):
    """Trains and compares gauges, and measures questions."""

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        """Train a candidate."""
        return train_gauge_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> GaugeFigures:
        """Measure both on every question."""
        return gauge_figures(reporter, candidate=candidate, champion=champion)

    @property
    def jobs(self) -> Mapping[str, Job]:
        """What else is done in the background."""
        return {"measure": measure_run}
