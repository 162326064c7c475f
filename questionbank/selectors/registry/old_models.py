"""Models that nobody uses: how large they are, which a rule deletes, and which no backup needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from django.core.exceptions import SuspiciousFileOperation
from django.core.files.storage import storages
from django.db.models import Q

from analytics.artifacts import MANIFEST_NAME
from questionbank.capabilities.catalog import fixed_suite
from questionbank.models import ModelArtifact, ModelEvent, ModelRetention, Run
from questionbank.selectors.registry.artifacts import artifact_champion
from questionbank.selectors.registry.models import comparison_latest, gate

_State = ModelArtifact.State
_NAMING = ("model", "candidate", "champion", "start")  # parameters of runs


def model_bytes(artifact: ModelArtifact) -> int:
    """Return the size of a model's folder; 0 where its files are gone."""
    try:
        return _folder_bytes(artifact.location, tuple(artifact.manifest.get("files", {})))
    except (OSError, SuspiciousFileOperation):  # gone, or never there
        return 0


def models_bytes(artifacts: Iterable[ModelArtifact]) -> int:
    """Return the size of the folders of several models."""
    return sum(map(model_bytes, artifacts))


@lru_cache(maxsize=2048)  # a registered folder never changes
def _folder_bytes(location: str, names: tuple[str, ...]) -> int:
    storage = storages["artifacts"]
    return sum(storage.size(f"{location}/{name}") for name in (MANIFEST_NAME, *names))


def models_in_jobs() -> set[int]:
    """Return the models that a job names which waits or runs."""
    unfinished = Run.objects.exclude(state__in=Run.FINISHED)
    named = unfinished.values_list(*(f"parameters__{name}" for name in _NAMING))
    return {number for numbers in named for number in numbers if isinstance(number, int)}


def model_retentions() -> dict[str, int]:
    """Return by capability how many unused models are kept; a capability without a rule keeps all."""
    return dict(ModelRetention.objects.values_list("capability", "keep"))


def old_models(*, keep: Mapping[str, int]) -> list[ModelArtifact]:
    """Return the models that a rule deletes, the largest numbers of each capability and scope kept, the oldest first.

    Never one that serves, that the one in use replaced (a roll back needs it), or that a job names; none of these
    counts among those that are kept.

    Args:
        keep: by capability, how many unused models of each scope stay.
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
