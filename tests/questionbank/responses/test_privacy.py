"""No name of a file survives its import: not in a table, log, upload, back-up or export."""

from __future__ import annotations

import gzip
import io
import subprocess
import tarfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from questionbank.models import ResponseSet
from questionbank.operations.backup_archive import DUMP, FOLDERS
from questionbank.operations.backup_database import _tool
from tests.questionbank.responses.conftest import LETTERS

pytestmark = pytest.mark.django_db(transaction=True)
PUPILS = (  # whose names are no part of any word
    "Ada Lovelazzo", "Ben Carrowby", "Cem Dentrovic", "Dora Eckstrom", "Emil Frostveit", "Fay Goldhamer",
    "Gus Hallqvist",
)  # fmt: skip
WORDS = (*(name.casefold().split()[1] for name in PUPILS), "pupils.example")


@pytest.fixture(autouse=True)
def kept_files(settings, tmp_path) -> Path:
    """Storages and VAR_DIR of this test alone."""
    settings.VAR_DIR = var = tmp_path / "var"
    var.mkdir()
    backend = "django.core.files.storage.FileSystemStorage"
    places = {alias: {"BACKEND": backend, "OPTIONS": {"location": var / folder}} for folder, alias in FOLDERS.items()}
    settings.STORAGES = {**settings.STORAGES, **places}
    return var


def names_in(data: bytes) -> list[str]:
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode(errors="replace").casefold()
    return [word for word in WORDS if word in text]


def names_in_backup(path: Path) -> list[str]:
    """Return the names in a back-up made by the command, its database as SQL."""
    call_command("backup", str(path), stdout=io.StringIO(), stderr=io.StringIO())
    found = []
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member)
            data = file.read() if file else b""
            if member.name.endswith(DUMP):
                dump = path.with_suffix(".dump")
                dump.write_bytes(data)
                command = [_tool("pg_restore"), "--file=-", str(dump)]
                data = subprocess.run(command, capture_output=True, check=True).stdout
                assert b"questionbank_response" in data
            found += names_in(data)
    return found


def test_no_name_is_in_a_backup_file_or_export_before_and_after_the_import(
    as_teacher, questions, kept_files, tmp_path, log
):
    rows = [
        f"{name},pupil{place}@pupils.example,{','.join(letters)}"
        for place, (name, letters) in enumerate(zip(PUPILS, LETTERS, strict=True))
    ]
    table = "\n".join(["Name,Email,t-1,t-2,t-3,t-4", *rows, "Gus Hallqvist,,Q,Q,Q,Q"]) + "\n"
    assert set(names_in(table.encode())) == set(WORDS)
    file = SimpleUploadedFile("Test 3.csv", table.encode())
    address = as_teacher.post(reverse("response_upload"), {"file": file}).url
    assert [path for path in kept_files.rglob("*") if path.is_file()] != []
    assert names_in_backup(tmp_path / "waiting.tar") == []
    as_teacher.post(address, {"title": "Test", "action": "import"})
    assert ResponseSet.objects.get().people == len(PUPILS)
    assert names_in_backup(tmp_path / "imported.tar") == []
    for format in ("csv", "qti21", "jsonl"):
        exported = tmp_path / f"bank.{format}"
        call_command("export_questions", str(exported), "--format", format, stdout=io.StringIO())
        assert names_in(exported.read_bytes()) == []
    pages = [as_teacher.get(reverse(name, args=[ResponseSet.objects.get().pk])) for name in ("response_set_csv",)]
    assert [names_in(page.content) for page in pages] == [[]]
    left = [path for path in kept_files.rglob("*") if path.is_file()]
    assert [path for path in left if names_in(path.read_bytes())] == []
    assert names_in(log.getvalue().encode()) == []
