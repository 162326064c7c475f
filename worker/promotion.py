"""Promoting a model: what it needs is built beside what serves, then all is swapped by one transaction.

A killed promotion goes on where it was: vectors that are stored are not computed again, and probes that were
trained for it are found again. Until the swap nothing that serves has changed.
"""

from __future__ import annotations

from typing import Any

from analytics.configuration import field_specs
from analytics.errors import DataError
from analytics.probes.config import ProbesConfig
from questionbank.errors import NotFound
from questionbank.models import EmbeddingSet, KnowledgeHierarchy, ModelArtifact, Run
from questionbank.selectors.artifacts import artifact_champion
from questionbank.services.embeddings import embedding_set_ensure
from questionbank.services.promotion import encoder_swap, gate_verdict, model_promote
from questionbank.services.training import probes_hierarchies
from worker.embedding import embed_pending
from worker.feeds import probe_set
from worker.reporting import RunReporter
from worker.training import fit_hierarchy_probes

__all__ = ["promote_run"]


def promote_run(reporter: RunReporter) -> dict[str, Any]:
    """Do what a run of kind ``promote`` asks for: ``{"model": id, "reason", "override"}``.

    Raises:
        NotFound: the model is no longer there.
        Conflict: it does not pass the gate (any more).
        Cancelled: the run was stopped; what serves has not changed.
    """
    run = reporter.run
    artifact = ModelArtifact.objects.filter(pk=run.parameters["model"]).first()
    if artifact is None:
        raise NotFound("The model is no longer there.")
    if artifact.state == ModelArtifact.State.CHAMPION:  # killed between the swap and its own end
        return {"model": artifact.pk}
    if artifact.capability != "encoder":
        scoring = model_promote(run=run, artifact=artifact)
        reporter.log(f"{artifact.name} serves now.")
        if scoring is not None:
            reporter.log(
                f"{len(scoring.parameters['pairs']):,} undecided pairs are scored anew by job {scoring.pk}."
            )
        return {"model": artifact.pk}
    gate_verdict(artifact=artifact, override=run.parameters["override"])
    embedding_set = embedding_set_ensure(artifact=artifact)
    embed_pending(reporter, sets=[embedding_set])
    embedding_set.refresh_from_db()
    probes = _probes(reporter, run, embedding_set)
    embed_pending(reporter, sets=[embedding_set])  # what was edited while the probes were trained
    reporter.check()
    encoder_swap(run=run, artifact=artifact, embedding_set=embedding_set, probes=probes)
    reporter.log(f"{artifact.name} serves now, with probes for {len(probes)} hierarchies.")
    return {"model": artifact.pk, "probes": [one.pk for one in probes]}


def _probes(reporter: RunReporter, run: Run, embedding_set: EmbeddingSet) -> list[ModelArtifact]:
    """Candidates for every hierarchy that has probes or questions enough, trained on the new vectors."""
    found = []
    for hierarchy in probes_hierarchies():
        champion = artifact_champion(capability="probes", scope=hierarchy.name)
        chosen = probe_set(hierarchy=hierarchy, purpose=embedding_set)
        if chosen is None or (champion is not None and _reads(champion, chosen)):
            continue  # no questions, or its probes read the n-grams and go on doing so
        try:
            found.append(
                _trained_before(run, hierarchy, chosen)
                or fit_hierarchy_probes(
                    reporter, hierarchy=hierarchy, embedding_set=chosen, settings=_settings(champion)
                )
            )
        except DataError as error:
            reporter.log(f"No probes for {hierarchy.name}: {error}", level="warning")
    return found


def _trained_before(
    run: Run, hierarchy: KnowledgeHierarchy, embedding_set: EmbeddingSet
) -> ModelArtifact | None:
    """What an earlier attempt of this run trained."""
    return (
        ModelArtifact.objects.filter(
            capability="probes",
            scope=hierarchy.name,
            state=ModelArtifact.State.CANDIDATE,
            manifest__extra__encoder=embedding_set.encoder_name,
            created_at__gte=run.created_at,
        )
        .order_by("-pk")
        .first()
    )


def _reads(probes: ModelArtifact, embedding_set: EmbeddingSet) -> bool:
    return bool(probes.manifest["extra"]["encoder"] == embedding_set.encoder_name)


def _settings(champion: ModelArtifact | None) -> dict[str, str]:
    """The settings of the probes that serve, where they still are settings."""
    if champion is None:
        return {}
    names = {spec.name for spec in field_specs(ProbesConfig)}
    return {name: str(value) for name, value in champion.manifest["config"].items() if name in names}
