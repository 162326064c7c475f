"""Probes for vectors that are about to serve: trained while the old ones serve, swapped in with the vectors."""

from __future__ import annotations

from analytics.configuration import field_specs
from analytics.errors import DataError
from analytics.probes.config import ProbesConfig
from questionbank.models import EmbeddingSet, KnowledgeHierarchy, ModelArtifact, Run
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.training.services import probes_hierarchies
from worker.feeds import probe_set
from worker.probes.training import fit_hierarchy_probes
from worker.reporting import RunReporter


def probes_beside(reporter: RunReporter, *, run: Run, embedding_set: EmbeddingSet) -> list[ModelArtifact]:
    """Train candidates on the new vectors for every hierarchy that has probes or enough questions, and return them."""
    candidates = []
    for hierarchy in probes_hierarchies():
        champion = artifact_champion(capability="probes", scope=hierarchy.name)
        chosen = probe_set(hierarchy=hierarchy, instead=embedding_set)
        if chosen is None or (champion is not None and _reads(champion, chosen)):
            continue  # no questions, or its probes read the n-grams and will keep doing so
        reporter.give_way()
        try:
            candidates.append(
                _trained_before(run, hierarchy, chosen)
                or fit_hierarchy_probes(
                    reporter, hierarchy=hierarchy, embedding_set=chosen, settings=_settings(champion)
                )
            )
        except DataError as error:
            reporter.log(f"No probes for {hierarchy.name}: {error}", level="warning")
    reporter.log(f"Probes for {len(candidates)} hierarchies are ready for the new vectors.")
    return candidates


def _trained_before(run: Run, hierarchy: KnowledgeHierarchy, embedding_set: EmbeddingSet) -> ModelArtifact | None:
    """Return the candidate that an earlier attempt of this run trained, if any."""
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
    """Return the settings of the probes in use, without settings that no longer exist."""
    if champion is None:
        return {}
    names = {spec.name for spec in field_specs(ProbesConfig)}
    return {name: str(value) for name, value in champion.manifest["config"].items() if name in names}
