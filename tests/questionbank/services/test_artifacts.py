"""Models and their files in the storage."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.storage import storages

from analytics.artifacts import Manifest, artifact_read, artifact_write
from questionbank.selectors.artifacts import artifact_folder
from questionbank.services.artifacts import artifact_delete, artifact_register

pytestmark = pytest.mark.django_db


def test_what_a_folder_holds_beside_its_model_stays_where_it_is(settings, tmp_path):
    settings.STORAGES = {
        **settings.STORAGES,
        "artifacts": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "storage"},
        },
    }
    folder = tmp_path / "model"

    def write(into: Path) -> None:
        (into / "weights").mkdir()
        (into / "weights" / "a.bin").write_bytes(b"\0\1")

    artifact_write(folder, Manifest("probes", "p"), write)
    (folder / "notes.txt").write_text("mine")
    artifact = artifact_register(folder=folder)
    kept = artifact_folder(artifact)
    assert artifact_read(kept).name == "p"
    assert not (kept / "notes.txt").exists()

    artifact_delete(artifact=artifact)
    assert not any(path.is_file() for path in Path(storages["artifacts"].path("")).rglob("*"))
