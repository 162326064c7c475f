"""Finding registered models and their files."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.files.storage import storages

from analytics.artifacts import artifact_read
from analytics.backbone.sources import encoder_source
from analytics.catalog import CAPABILITIES
from analytics.errors import ArtifactError
from analytics.languages import primary_language
from questionbank.core.database import get_or_not_found
from questionbank.core.wording import whole_number
from questionbank.models import ModelArtifact

CACHE_UNUSED_SECONDS = 3600.0

INSTALLED = "Installed with the program."
"""Why a starter was promoted, in the history of models."""


def came_with_program(artifact: ModelArtifact) -> bool:
    """Return whether a model is a starter."""
    return artifact.events.filter(reason=INSTALLED, person=None).exists()


def artifact_champion(*, capability: str, scope: str = "") -> ModelArtifact | None:
    """Return the model in use for a capability and scope."""
    return ModelArtifact.objects.filter(capability=capability, scope=scope, state=ModelArtifact.State.CHAMPION).first()


def general_champion(artifact: ModelArtifact) -> ModelArtifact | None:
    """Return the general model that serves a language while the language has no model in use of its own.

    None if the model is not for a single language, or if a model for its language is in use.
    """
    if not artifact.scope or artifact_champion(capability=artifact.capability, scope=artifact.scope):
        return None
    return artifact_champion(capability=artifact.capability)


def artifact_champions(*, capability: str) -> list[ModelArtifact]:
    """Return the models in use for a capability, one per scope; English comes first, then sorted by scope."""
    champions = ModelArtifact.objects.filter(capability=capability, state=ModelArtifact.State.CHAMPION)
    return sorted(champions, key=lambda artifact: (artifact.scope != "en", artifact.scope))


def language_champion(*, capability: str, language: str) -> ModelArtifact | None:
    """Return the model in use for a language; None if the capability has no model in use at all.

    A language without a model of its own gets the first one, which explains why it cannot help.
    """
    champions = artifact_champions(capability=capability)
    return champion_of_language(champions, language) if champions else None


def lens_champion(*, capability: str, language: str) -> ModelArtifact | None:
    """Return the model in use whose vectors serve a language: its own, else the general one; None without either."""
    champions = {artifact.scope: artifact for artifact in artifact_champions(capability=capability)}
    return champions.get(primary_language(language)) or champions.get("")


def champion_of_language(champions: Sequence[ModelArtifact], language: str) -> ModelArtifact:
    """Return the champion for a language among those that `artifact_champions` returned.

    Falls back to the first one if the language has none.
    """
    tag = primary_language(language)
    return next((artifact for artifact in champions if artifact.scope == tag), champions[0])


def artifact_numbered(*, capability: str, number: str) -> ModelArtifact:
    """Return the model of a capability by its number, as somebody typed it.

    Raises:
        NotFound: there is no such model.
    """
    refusal = f"“{CAPABILITIES[capability].title}” has no model with the number {number}"
    refusal += "." if number.isdecimal() else ", and there is no such folder."
    return get_or_not_found(ModelArtifact.objects.filter(capability=capability, pk=whole_number(number) or 0), refusal)


def artifact_folder(artifact: ModelArtifact) -> Path:
    """Return a local folder with the model's files, fetched once per checksum if the storage is remote.

    Raises:
        ArtifactError: its files are missing from the storage.
    """
    storage = storages["artifacts"]
    try:
        local = Path(storage.path(artifact.location))
    except NotImplementedError:
        return _fetch(artifact)
    if not local.is_dir():
        raise ArtifactError(f"The files of the model {artifact.name!r} are missing from the storage.")
    return local


def artifact_source(artifact: ModelArtifact) -> str:
    """Return the path torch loads a model's encoder from: a trained model includes it, a plain one names a package."""
    return encoder_source(artifact_folder(artifact), artifact.manifest["extra"])


def _fetch(artifact: ModelArtifact) -> Path:
    folder = Path(settings.VAR_DIR) / "cache" / "artifacts" / artifact.checksum
    if folder.is_dir():
        with suppress(OSError):
            os.utime(folder)  # used just now
        return folder
    storage = storages["artifacts"]
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        for name in ["manifest.json", *artifact.manifest["files"]]:
            target = aside / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with storage.open(f"{artifact.location}/{name}") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        artifact_read(aside)
        with suppress(OSError):  # another process was first: its folder has the same checksum
            aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    _limit_cache(folder.parent)
    return folder


def _limit_cache(folder: Path) -> None:
    """Remove the least recently used models, idle for at least an hour, until the rest fits the limit."""
    sizes: dict[Path, int] = {}
    for model in folder.iterdir():
        sizes[model] = sum(file.stat().st_size for file in model.rglob("*") if file.is_file())
    unused = [model for model in sizes if model.stat().st_mtime < time.time() - CACHE_UNUSED_SECONDS]
    for model in sorted(unused, key=lambda path: path.stat().st_mtime):
        if sum(sizes.values()) <= settings.MODEL_CACHE_BYTES:
            break
        shutil.rmtree(model, ignore_errors=True)
        del sizes[model]
