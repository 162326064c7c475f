"""Registering models with the bank, and the models that a new installation begins with.

Model folders live in the storage alias ``artifacts`` (a local folder by default, any object store by
setting); `questionbank.selectors.artifacts.artifact_folder` gives a local folder.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages
from django.db import connection, transaction

import analytics
from analytics.artifacts import MANIFEST_NAME, artifact_checksum, artifact_read
from analytics.inference.ngrams import HashedNgramEncoder
from questionbank.errors import ServiceUnavailable
from questionbank.models import EmbeddingSet, Lens, ModelArtifact, User
from questionbank.selectors.artifacts import artifact_champion

__all__ = [
    "artifact_delete",
    "artifact_install_default",
    "artifact_promote",
    "artifact_register",
]

INSTALL_LOCK = 0x4B494E44  # an advisory lock's number: two processes never install at once
STARTER_PROBES = Path(analytics.__file__).parent / "probes" / "starter"


def artifact_register(
    *, folder: Path, scope: str = "", user: User | None = None, parent: ModelArtifact | None = None
) -> ModelArtifact:
    """Copy a model folder into the storage and register it as a candidate.

    Raises:
        ArtifactError: the folder is no complete model.
    """
    manifest = artifact_read(folder)
    checksum = artifact_checksum(folder)
    location = f"{manifest.capability}/{checksum[:12]}-{uuid.uuid4().hex[:8]}"
    storage = storages["artifacts"]
    for name in [MANIFEST_NAME, *manifest.files]:  # whatever else lies there is not the model's
        with (folder / name).open("rb") as stream:
            storage.save(f"{location}/{name}", File(stream))
    return ModelArtifact.objects.create(
        capability=manifest.capability,
        scope=scope,
        name=manifest.name,
        manifest=asdict(manifest),
        checksum=checksum,
        location=location,
        parent=parent,
        created_by=user,
    )


@transaction.atomic
def artifact_promote(*, artifact: ModelArtifact) -> ModelArtifact:
    """Make `artifact` the champion of its capability and scope; the former one is archived."""
    with connection.cursor() as cursor:  # there may be no row yet that two promotions could lock
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtext(%s))", [f"{artifact.capability}/{artifact.scope}"]
        )
    ModelArtifact.objects.filter(
        capability=artifact.capability, scope=artifact.scope, state=ModelArtifact.State.CHAMPION
    ).exclude(pk=artifact.pk).update(state=ModelArtifact.State.ARCHIVED)
    artifact.state = ModelArtifact.State.CHAMPION
    artifact.save(update_fields=["state"])
    return artifact


def artifact_delete(*, artifact: ModelArtifact) -> None:
    """Forget a candidate or archived model and remove its files."""
    location, files = artifact.location, [MANIFEST_NAME, *artifact.manifest.get("files", {})]
    artifact.delete()
    storage = storages["artifacts"]
    for name in files:
        storage.delete(f"{location}/{name}")


def artifact_install_default(*, report: Callable[[str], Any] | None = None) -> ModelArtifact:
    """Install the default encoder, the n-gram set and the starter probes where there are none.

    The export needs PyTorch, which this process must not import: it runs as
    ``python -m analytics export encoder`` and takes some seconds, once for a `VAR_DIR`.

    Raises:
        ServiceUnavailable: the packages of the extra ``worker`` are not installed.
    """
    champion = artifact_champion(capability="encoder")
    if champion is not None and Lens.WORDING in _current_lenses() and Lens.PURPOSE in _current_lenses():
        return champion
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [INSTALL_LOCK])
    try:
        return artifact_champion(capability="encoder") or _install(report or (lambda _line: None))
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [INSTALL_LOCK])


def _current_lenses() -> set[str]:
    return set(EmbeddingSet.objects.filter(is_current=True).values_list("lens", flat=True))


def _install(report: Callable[[str], Any]) -> ModelArtifact:
    report("Installing the default encoder (once, some seconds) ...")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "encoder"
        finished = subprocess.run(
            [sys.executable, "-m", "analytics", "export", "encoder", "--output", str(folder)],
            capture_output=True,
            text=True,
            cwd=settings.BASE_DIR,
            check=False,
        )
        if finished.returncode:
            reason = finished.stderr.strip().splitlines()[-1:] or ["no reason given"]
            raise ServiceUnavailable(f"The default encoder cannot be installed: {reason[0]}")
        encoder = artifact_register(folder=folder)
    ngrams = HashedNgramEncoder()
    with transaction.atomic():
        artifact_promote(artifact=encoder)
        EmbeddingSet.objects.create(
            lens=Lens.PURPOSE,
            artifact=encoder,
            encoder_name=encoder.name,
            dimension=encoder.manifest["extra"]["dimension"],
            is_current=True,
        )
        EmbeddingSet.objects.create(
            lens=Lens.WORDING, encoder_name=ngrams.name, dimension=ngrams.dimension, is_current=True
        )
        if STARTER_PROBES.is_dir():
            scope = artifact_read(STARTER_PROBES).extra["hierarchy"]
            artifact_promote(artifact=artifact_register(folder=STARTER_PROBES, scope=scope))
    return encoder
