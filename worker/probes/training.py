"""Training probes on the bank: tagged questions with vectors -> probes -> compared, and in use if they pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from analytics.configuration import config_from_strings
from analytics.errors import DataError
from analytics.inference.vocabulary import UNKNOWN_SHARE_LIMIT
from analytics.probes.config import ProbesConfig
from analytics.probes.order import LANGUAGE, ladder_texts
from analytics.probes.train import train_probes
from analytics.training.context import TrainingContext
from questionbank.core.errors import Conflict, NotFound
from questionbank.core.storage import scratch_folder
from questionbank.models import EmbeddingSet, KnowledgeHierarchy, ModelArtifact
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.registry.artifact_services import artifact_register
from questionbank.registry.model_selectors import gate, serving_problem
from questionbank.registry.promotion_services import comparison_save, probes_promote
from questionbank.training.services import probes_questions
from worker.embedding import query_encoder
from worker.feeds import probe_data, probe_set
from worker.probes.comparison import probes_comparison_figures
from worker.reporting import RunReporter

ENCODERS_AWAITED = 3  # how often another encoder may be promoted while probes are trained


def train_probes_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a training run with the parameters ``{"hierarchy": name, "set": {field: value}}``.

    Raises:
        NotFound: there is no such hierarchy.
    """
    parameters = reporter.run.parameters
    hierarchy = KnowledgeHierarchy.objects.filter(name=parameters["hierarchy"]).first()
    if hierarchy is None:
        raise NotFound(f"There is no hierarchy {parameters['hierarchy']!r}.")
    artifact = train_hierarchy_probes(reporter, hierarchy=hierarchy, settings=parameters.get("set", {}))
    return {
        "model": artifact.pk,
        "metrics": artifact.manifest["metrics"],
        "questions": probes_questions(artifact.manifest),
        "serves": artifact.state == ModelArtifact.State.CHAMPION,
    }


def train_hierarchy_probes(
    reporter: RunReporter, *, hierarchy: KnowledgeHierarchy, settings: Mapping[str, str]
) -> ModelArtifact:
    """Train the probes of one hierarchy on the vectors in use; they serve if they pass the gate, or if none serve yet.

    If another encoder is promoted meanwhile, they are trained again on its vectors.

    Raises:
        DataError: too few tagged questions have vectors.
        ConfigurationError: a setting is unknown or out of bounds.
    """
    for _attempt in range(ENCODERS_AWAITED):
        embedding_set = probe_set(hierarchy=hierarchy)
        if embedding_set is None:
            raise DataError(f"No question of the hierarchy {hierarchy.name!r} has a vector yet.")
        artifact = fit_hierarchy_probes(reporter, hierarchy=hierarchy, embedding_set=embedding_set, settings=settings)
        try:
            _compare_probes(reporter, artifact)
            promoted = probes_promote(
                artifact=artifact,
                embedding_set=embedding_set,
                reason=f"Trained on the bank: {hierarchy.name}.",
                user=reporter.run.requested_by,
            )
        except Conflict as refusal:
            reporter.log(f"It stays a candidate. {refusal}", level="warning")
            return artifact
        if promoted:
            reporter.log(f"{artifact.numbered_name} is now in use.")
            return artifact
        reporter.log("Another encoder was promoted meanwhile: training again on its vectors.")
    raise DataError("The encoder in use changed again and again; train the probes later.")


def _compare_probes(reporter: RunReporter, artifact: ModelArtifact) -> None:
    """Compare probes with those in use, if any serve."""
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    if champion is None or serving_problem(champion):
        return
    figures = probes_comparison_figures(reporter, candidate=artifact, champion=champion)
    comparison = comparison_save(candidate=artifact, champion=champion, run=reporter.run, figures=figures)
    reporter.log(" ".join(gate(comparison).reasons))


def fit_hierarchy_probes(
    reporter: RunReporter, *, hierarchy: KnowledgeHierarchy, embedding_set: EmbeddingSet, settings: Mapping[str, str]
) -> ModelArtifact:
    """Train the probes of one hierarchy on the vectors of a set, and register them as a candidate.

    Raises:
        DataError: too few tagged questions have vectors.
        ConfigurationError: a setting is unknown or out of bounds.
    """
    config = config_from_strings(ProbesConfig, settings)
    reporter.progress(0, 1, "Reading vectors")
    data = replace(probe_data(hierarchy=hierarchy, embedding_set=embedding_set), ladders=_ladders(embedding_set))
    reporter.log(f"{len(data):,} tagged questions with vectors by {embedding_set.encoder_name}.")
    with scratch_folder(prefix="probes-") as scratch:
        folder = scratch / "probes"
        context = TrainingContext(
            parent=embedding_set.artifact.checksum if embedding_set.artifact else "",
            progress=reporter.progress,
            cancel=reporter.should_stop,
        )
        train_probes(data, config, folder, context, encoder=embedding_set.encoder_name, hierarchy=hierarchy.name)
        return artifact_register(
            folder=folder, scope=hierarchy.name, parent=embedding_set.artifact, user=reporter.run.requested_by
        )


def _ladders(embedding_set: EmbeddingSet) -> np.ndarray | None:
    """Return the vectors of the ladders by a set's encoder; None if it does not know their language."""
    knows_language = embedding_set.unknown_shares.get(LANGUAGE, 0.0) <= UNKNOWN_SHARE_LIMIT
    if embedding_set.artifact is None or not knows_language:
        return None
    return query_encoder(embedding_set).encode(ladder_texts())
