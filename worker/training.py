"""Training runs: feed -> capability -> registered model."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analytics.configuration import config_from_strings
from analytics.errors import DataError
from analytics.probes.config import ProbesConfig
from analytics.probes.train import train_probes
from questionbank.errors import NotFound
from questionbank.models import KnowledgeHierarchy, ModelArtifact
from questionbank.services.artifacts import artifact_promote, artifact_register
from worker.feeds import probe_feed, probe_set
from worker.reporting import RunReporter

__all__ = ["train_hierarchy_probes", "train_run"]


def train_run(reporter: RunReporter) -> dict[str, Any]:
    """Do what a run of kind ``train`` asks for: ``{"hierarchy": name, "set": {field: value}}``.

    Raises:
        NotFound: there is no such hierarchy.
    """
    parameters = reporter.run.parameters
    hierarchy = KnowledgeHierarchy.objects.filter(name=parameters["hierarchy"]).first()
    if hierarchy is None:
        raise NotFound(f"There is no hierarchy {parameters['hierarchy']!r}.")
    artifact = train_hierarchy_probes(reporter, hierarchy=hierarchy, settings=parameters.get("set", {}))
    return {"model": artifact.pk, "metrics": artifact.manifest["metrics"]}


def train_hierarchy_probes(
    reporter: RunReporter, *, hierarchy: KnowledgeHierarchy, settings: Mapping[str, str]
) -> ModelArtifact:
    """Train the probes of one hierarchy on the vectors in use and make them its champion.

    Raises:
        DataError: too few tagged questions have vectors.
        ConfigurationError: a setting is unknown or out of bounds.
    """
    config = config_from_strings(ProbesConfig, settings)
    embedding_set = probe_set(hierarchy=hierarchy)
    if embedding_set is None:
        raise DataError(f"No question of the hierarchy {hierarchy.name!r} has a vector yet.")
    reporter.progress(0, 1, "Reading vectors")
    feed = probe_feed(hierarchy=hierarchy, embedding_set=embedding_set)
    reporter.log(f"{len(feed.texts):,} tagged questions with vectors by {embedding_set.encoder_name}.")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "probes"
        train_probes(
            feed.vectors,
            feed.paths,
            feed.difficulties,
            config,
            folder,
            texts=feed.texts,
            scales=[feed.scale if one is not None else "" for one in feed.difficulties],
            encoder=embedding_set.encoder_name,
            hierarchy=hierarchy.name,
            parent=embedding_set.artifact.checksum if embedding_set.artifact else "",
            progress=reporter.progress,
            cancel=reporter.should_stop,
        )
        artifact = artifact_register(folder=folder, scope=hierarchy.name)
    return artifact_promote(artifact=artifact)
