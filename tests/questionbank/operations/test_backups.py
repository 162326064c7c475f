"""Backing up and restoring a bank: round trip, refusals, and that a failure leaves the bank as it was."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import stat
import subprocess
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import psycopg
import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from analytics.artifacts import Manifest, artifact_write
from questionbank import models
from questionbank.bank import vector_services as embeddings
from questionbank.bank.question_selectors import picture_bytes
from questionbank.bank.vector_selectors import embedding_index_exists, embedding_pending
from questionbank.core.errors import Conflict, KindredError, NotFound, ServiceUnavailable, ValidationFailed
from questionbank.core.migrations import known_migrations, release
from questionbank.core.storage import BACKUP_RECORD
from questionbank.formats.jsonl import write_jsonl_line
from questionbank.imports.export_services import export_file
from questionbank.imports.services import import_file
from questionbank.operations import backup_database, backups
from questionbank.operations.backup_archive import DUMP, FOLDERS, MANIFEST, archive_manifest
from questionbank.protection.erasure_services import person_erase
from questionbank.registry import artifact_services as artifacts
from questionbank.registry.artifact_selectors import artifact_folder
from tests.questionbank.formats.moodle_sample import SAMPLE
from tests.questionbank.formats.qti_sample import package, package_of_three
from tests.questionbank.formats.test_qti import ALL_KINDS

pytestmark = pytest.mark.django_db(transaction=True)

DIMENSION = 16
TABLES = tuple(apps.get_app_config("questionbank").get_models())  # with the history of each


@pytest.fixture(autouse=True)
def kept_files(settings, tmp_path) -> Path:
    """Storages and VAR_DIR of this test alone."""
    settings.VAR_DIR = var = tmp_path / "var"
    var.mkdir()
    backend = "django.core.files.storage.FileSystemStorage"
    places = {alias: {"BACKEND": backend, "OPTIONS": {"location": var / folder}} for folder, alias in FOLDERS.items()}
    settings.STORAGES = {**settings.STORAGES, **places}
    return var


@pytest.fixture
def bank(kept_files, tmp_path) -> models.ModelArtifact:
    """A small bank with something in every table, an index, a model's files and an upload."""
    hierarchy = models.KnowledgeHierarchy.objects.create(name="Algebra")
    root = models.KnowledgeConcept.objects.add_root({"hierarchy": hierarchy, "name": "Equations"})
    leaf = models.KnowledgeConcept.objects.add_child(root, {"hierarchy": hierarchy, "name": "Linear equations"})
    person = models.User.objects.create_user("ada", password="correct horse battery")
    questions = [
        models.Question.objects.create(
            text=f"Solve $x + {n} = \\frac{{1}}{{2}}$ für x 小明 \\N",
            content_hash=hashlib.sha256(str(n).encode()).digest(),
            options=[{"label": "A", "text": "tab\there"}],
            created_by=person,
        )
        for n in range(5)
    ]
    for question in questions:
        models.QuestionTag.objects.create(question=question, concept=leaf, user=person, probability=0.25)
    models.QuestionEquation.objects.create(question=questions[0], expression="(11-1)*2", numbers=["11"])
    folder = tmp_path / "model"
    artifact_write(
        folder, Manifest(capability="encoder", name="small"), lambda to: (to / "w.bin").write_bytes(b"\0\xff")
    )
    model = artifacts.artifact_register(folder=folder, user=person)
    embedding_set = models.EmbeddingSet.objects.create(
        lens="purpose", artifact=model, encoder_name="small", dimension=DIMENSION, is_current=True
    )
    vectors = np.random.default_rng(5).normal(size=(5, DIMENSION)).astype(np.float32)
    batch = embedding_pending(embedding_set=embedding_set, first=0, last=2**40)
    embeddings.embedding_store(embedding_set=embedding_set, questions=batch, vectors=vectors)
    embeddings.embedding_set_finish(embedding_set=embedding_set)
    run = models.Run.objects.create(kind="import", title="Import", state="succeeded", result={"created": 5})
    models.RunLog.objects.create(run=run, text="5 questions")
    storages["uploads"].save("2027/questions.jsonl", ContentFile(b'{"text": "1 + 1"}\n'))
    Session.objects.create(session_key="k" * 32, session_data="log-in", expire_date=timezone.now())
    return model


def rows() -> dict[str, list]:
    """Everything in the bank, vectors to the bit."""
    tables = {}
    for model in TABLES:
        values = [list(row.values()) for row in model._default_manager.order_by("pk").values()]
        tables[model.__name__] = [
            [value.to_numpy().tobytes() if hasattr(value, "to_numpy") else value for value in row] for row in values
        ]
    return tables


def databases() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database")
        return {name for (name,) in cursor.fetchall()}


def ruin(bank: models.ModelArtifact) -> None:
    """Change and lose things, as people do."""
    models.Question.objects.first().delete()
    models.Question.objects.update(text="Gone wrong", version=9)
    models.KnowledgeConcept.objects.update(name="Renamed")
    models.User.objects.create_user("later", password="correct horse battery")
    embeddings.embedding_index_drop(embedding_set=models.EmbeddingSet.objects.get())
    (artifact_folder(bank) / "w.bin").unlink()
    storages["uploads"].delete("2027/questions.jsonl")
    with storages["uploads"].open("new.jsonl", "wb") as stream:
        stream.write(b"new")


@pytest.fixture
def backup(bank, tmp_path) -> Path:
    path = tmp_path / "bank.tar"
    backups.backup_create(path=path)
    return path


@pytest.fixture
def unchanged(bank, kept_files):
    """Asserts after the test that the bank, its files and the server's databases are as they were."""
    before, names = rows(), databases()
    yield
    assert rows() == before
    assert databases() == names
    assert not [path.name for path in kept_files.iterdir() if path.name.startswith(("restore-", "verify-"))]


def test_a_restored_bank_equals_the_one_that_was_backed_up(bank, backup):
    before, names = rows(), databases()
    ruin(bank)
    assert rows() != before
    with connection.cursor() as cursor:  # a restore that was killed left it
        cursor.execute(f"CREATE DATABASE {connection.settings_dict['NAME']}_restore")
    manifest = backups.backup_restore(path=backup, force=True)
    assert rows() == before
    assert databases() == names
    assert manifest.rows["questionbank_question"] == 5
    assert not Session.objects.exists()
    assert (artifact_folder(bank) / "w.bin").read_bytes() == b"\0\xff"
    with storages["uploads"].open("2027/questions.jsonl") as stream:
        assert stream.read() == b'{"text": "1 + 1"}\n'
    embedding_set = models.EmbeddingSet.objects.get()
    assert embedding_index_exists(embedding_set=embedding_set)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_indexdef(%s::regclass)", [embedding_set.index_name])
        definition = cursor.fetchone()[0]
    assert f"halfvec({DIMENSION})" in definition
    assert f"embedding_set_id = {embedding_set.pk}" in definition


def test_every_kind_comes_back_with_pictures_originals_versions_and_shared_texts(bank, tmp_path, kept_files):
    for name, data in {
        "ours.jsonl": "\n".join(map(write_jsonl_line, ALL_KINDS)).encode(),
        "moodle.xml": SAMPLE.encode(),
        "qti.zip": package(),
        "farm.zip": package_of_three(),
    }.items():
        (tmp_path / name).write_bytes(data)
        import_file(path=tmp_path / name, embed=False)
    assert {*models.Question.objects.values_list("kind", flat=True)} == {*models.Question.Kind.values}
    for question in models.Question.objects.all():  # a version before this one
        models.Question.objects.filter(pk=question.pk).update(grade="9", version=2)
    digests = list(models.Attachment.objects.values_list("pk", flat=True))
    assert models.QuestionOriginal.objects.count() > 20
    assert models.Question.objects.filter(content__has_key="stimulus").exists()

    def everything() -> tuple[object, ...]:
        files = []
        for format in ("jsonl", "moodle-xml", "qti21", "qti3", "canvas"):
            export_file(path=tmp_path / "out", format=format, filters={})
            is_packed = zipfile.is_zipfile(tmp_path / "out")  # which says when it was written
            packed = zipfile.ZipFile(tmp_path / "out") if is_packed else None
            files += [packed.read(name) for name in packed.namelist()] if packed else [(tmp_path / "out").read_bytes()]
        return rows(), [picture_bytes(digest) for digest in digests], files

    before = everything()
    assert len(digests) >= 3
    assert None not in before[1]
    backups.backup_create(path=tmp_path / "bank.tar")
    ruin(bank)
    models.Question.objects.all().delete()
    models.Attachment.objects.all().delete()
    shutil.rmtree(kept_files / "attachments")
    backups.backup_restore(path=tmp_path / "bank.tar", force=True)
    for was, now in zip(before, everything(), strict=True):
        assert now == was


@pytest.mark.parametrize("step", ["database_dump", "database_swap"])
def test_an_import_that_ends_meanwhile_can_run_again_in_the_restored_bank(
    step, bank, kept_files, tmp_path, monkeypatch
):
    parameters = {
        "upload": storages["uploads"].save("a.upload", ContentFile(b'{"text": "1 + 2"}\n')),
        "name": "a.jsonl",
    }
    models.Run.objects.create(kind="import", title="Import", state="running", parameters=parameters)
    do_step = getattr(backup_database, step)

    def end_import_before(**options) -> None:
        storages["uploads"].delete(parameters["upload"])
        do_step(**options)

    monkeypatch.setattr(backup_database, step, end_import_before)
    backups.backup_create(path=tmp_path / "bank.tar")
    backups.backup_restore(path=tmp_path / "bank.tar", force=True)
    assert storages["uploads"].exists(models.Run.objects.get(state="running").parameters["upload"])


def test_a_restored_bank_is_edited_and_grows_as_before(bank, backup):
    kept = artifact_folder(bank) / "w.bin"
    kept.write_bytes(b"changed")
    backups.backup_restore(path=backup, force=True)
    assert kept.read_bytes() == b"\0\xff"
    question = models.Question.objects.order_by("-pk").first()
    question.answer = "edited"
    question.save()
    with connection.cursor() as cursor:  # the triggers of the history came back
        cursor.execute("SELECT count(*) FROM questionbank_questionevent")
        assert cursor.fetchone()[0] == 1
    assert models.Question.objects.create(text="New", content_hash=b"n").pk > question.pk


def test_a_backup_is_closed_to_others_names_its_versions_and_holds_no_secret_key(backup, settings, kept_files):
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert settings.SECRET_KEY.encode() not in backup.read_bytes()
    with tarfile.open(backup) as tar:
        names = tar.getnames()
    assert names[-1] == MANIFEST
    assert {name.split("/")[0] for name in names} == {DUMP, MANIFEST, "artifacts", "uploads"}
    record = json.loads((kept_files / BACKUP_RECORD).read_text())
    assert record["path"] == str(backup)
    assert record["bytes"] == backup.stat().st_size
    manifest = archive_manifest(path=backup)
    assert manifest.postgres.startswith("18")
    assert "0001_initial" in manifest.migrations["questionbank"]
    assert manifest.kindred == release()


def test_somebody_who_was_deleted_after_a_backup_is_deleted_again_by_its_restore(bank, backup):
    person = models.User.objects.get(username="ada")
    person_erase(user=None, person=person)
    said: list[str] = []
    backups.backup_restore(path=backup, force=True, report=said.append)
    assert "Deleted again: 1 person who had been deleted after the backup." in said
    assert not models.User.objects.filter(username="ada").exists()
    assert str(models.Question.objects.first().created_by) == "a former colleague"


def test_a_backup_overwrites_nothing(backup):
    content = backup.read_bytes()
    with pytest.raises(Conflict, match="exists already"):
        backups.backup_create(path=backup)
    assert backup.read_bytes() == content


def test_a_backup_that_fails_leaves_no_file(bank, tmp_path, monkeypatch):
    def full(**options) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup_database, "database_dump", full)
    folder = tmp_path / "backups"
    folder.mkdir()
    with pytest.raises(KindredError, match="cannot be written: No space left"):
        backups.backup_create(path=folder / "bank.tar")
    assert list(folder.iterdir()) == []
    with pytest.raises(NotFound, match="no folder"):
        backups.backup_create(path=folder / "missing" / "bank.tar")


def test_a_model_without_files_is_reported_and_the_rest_saved(bank, tmp_path):
    artifact_folder(bank).rename(tmp_path / "elsewhere")
    said: list[str] = []
    manifest = backups.backup_create(path=tmp_path / "bank.tar", report=said.append)
    assert any("the files of the model 'small' are missing" in line for line in said)
    assert not any(name.startswith("artifacts/") for name in manifest.files)


@pytest.mark.parametrize("are_files_here", [True, False])
def test_a_rejected_candidate_is_in_no_backup_and_gone_after_a_restore_elsewhere(
    bank, tmp_path, monkeypatch, kept_files, are_files_here
):
    folder = tmp_path / "rejected"
    manifest = Manifest(capability="encoder", name="rejected")
    artifact_write(folder, manifest, lambda to: (to / "w.bin").write_bytes(b"worse" * 100))
    rejected = artifacts.artifact_register(folder=folder)
    monkeypatch.setattr(backups, "rejected_candidates", lambda: [rejected])
    said = []
    backup = tmp_path / "bank.tar"
    manifest = backups.backup_create(path=backup, report=said.append)
    assert manifest.left_out == {rejected.location: "rejected"}
    assert not any(rejected.location in name for name in manifest.files)
    assert any(bank.location in name for name in manifest.files)
    assert any("Left out: 1 candidates" in line for line in said)
    assert not any("missing" in line for line in said)
    if not are_files_here:
        shutil.rmtree(kept_files / "artifacts" / rejected.location)
    backups.backup_restore(path=backup, force=True)
    assert models.ModelArtifact.objects.filter(name="rejected").exists() is are_files_here
    events = models.ModelEvent.objects.filter(kind="deleted", artifact_name="rejected")
    assert [event.reason for event in events] == (
        [] if are_files_here else ["The backup that was restored left it out."]
    )


def test_a_bank_that_is_not_empty_is_replaced_only_by_force(backup, unchanged):
    with pytest.raises(Conflict, match="not empty"):
        backups.backup_restore(path=backup)


def test_an_empty_bank_that_is_in_use_is_replaced_only_by_force(backup):
    call_command("flush", interactive=False, verbosity=0)
    assert backups.bank_is_empty()
    parameters = connection.get_connection_params()
    address = {key: parameters[key] for key in ("host", "user", "dbname")}
    with psycopg.connect(**address, autocommit=True) as second_connection:
        with pytest.raises(Conflict, match="in use"):
            backups.backup_restore(path=backup)
        assert models.Question.objects.count() == 0
        backups.backup_restore(path=backup, force=True)
        with pytest.raises(psycopg.OperationalError):  # it looked at the former database
            second_connection.execute("SELECT 1")
    assert models.Question.objects.count() == 5


def test_an_empty_bank_is_restored_without_force(backup):
    call_command("flush", interactive=False, verbosity=0)
    backups.backup_restore(path=backup)
    assert models.Question.objects.count() == 5


def rewritten(path: Path, *, change=None, replace=None) -> Path:
    """The backup with another manifest or a member's content replaced (checksums right)."""
    target = path.with_name("rewritten.tar")
    with tarfile.open(path) as old, tarfile.open(target, "w") as new:
        contents = {entry.name: old.extractfile(entry).read() for entry in old}
        contents.update(replace or {})
        manifest = json.loads(contents.pop(MANIFEST))
        manifest["files"] = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        if change:
            change(manifest)
        contents[MANIFEST] = json.dumps(manifest).encode()
        members = [(tarfile.TarInfo(name), content) for name, content in contents.items()]
        for member, content in members:
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return target


def test_a_backup_with_one_wrong_byte_changes_nothing(backup, unchanged):
    with tarfile.open(backup) as tar:
        place = next(entry.offset_data for entry in tar if entry.name.startswith("artifacts/"))
    content = bytearray(backup.read_bytes())
    content[place] ^= 1
    backup.write_bytes(content)
    with pytest.raises(ValidationFailed, match="checksum"):
        backups.backup_verify(path=backup)
    with pytest.raises(ValidationFailed, match="checksum"):
        backups.backup_restore(path=backup, force=True)


def test_a_backup_of_a_later_kindred_is_refused(backup, unchanged):
    def later(manifest) -> None:
        manifest["migrations"]["questionbank"].append("0999_from_the_future")

    path = rewritten(backup, change=later)
    with pytest.raises(ValidationFailed, match=r"has the migration questionbank.0999_from_the_future that this one, "):
        backups.backup_restore(path=path, force=True)


def test_a_dump_that_postgresql_refuses_leaves_the_bank_as_it_was(backup, unchanged):
    path = rewritten(backup, replace={DUMP: b"PGDMP nonsense"})
    with pytest.raises(KindredError, match="pg_restore failed"):
        backups.backup_restore(path=path, force=True)


def test_a_dump_with_other_rows_than_promised_leaves_the_bank_as_it_was(backup, unchanged):
    path = rewritten(backup, change=lambda manifest: manifest["rows"].update(questionbank_question=6))
    with pytest.raises(KindredError, match="has 5 rows and not 6"):
        backups.backup_restore(path=path, force=True)


def test_files_that_cannot_be_restored_leave_bank_and_files_as_they_were(backup, unchanged, monkeypatch):
    storages["uploads"].delete("2027/questions.jsonl")

    def busy(**options) -> None:
        raise Conflict("Others stay connected.")

    monkeypatch.setattr(backup_database, "database_swap", busy)
    with pytest.raises(Conflict):
        backups.backup_restore(path=backup, force=True)
    assert not storages["uploads"].exists("2027/questions.jsonl")


def test_an_older_backup_is_migrated_before_it_takes_the_banks_place(backup, monkeypatch):
    known = known_migrations()
    monkeypatch.setattr(
        backups, "known_migrations", lambda: {**known, "questionbank": [*known["questionbank"], "0999"]}
    )
    migrated: list[str] = []
    monkeypatch.setattr(
        backups, "call_command", lambda *args, **options: migrated.append(connection.settings_dict["NAME"])
    )
    bank = connection.settings_dict["NAME"]
    backups.backup_restore(path=backup, force=True)
    assert migrated == [f"{bank}_restore"]
    assert connection.settings_dict["NAME"] == bank


def test_two_restores_at_once_are_refused(backup, unchanged):
    with backup_database.fresh_database(), pytest.raises(Conflict, match="Another restore"):
        backups.backup_restore(path=backup, force=True)


def test_the_password_stands_on_no_command_line(bank, tmp_path, monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "PASSWORD", "s3cret")
    calls = []
    run = subprocess.run

    def noted(command, **options):
        calls.append((command, options))
        return run(command, **options)

    monkeypatch.setattr(backup_database.subprocess, "run", noted)
    backups.backup_create(path=tmp_path / "bank.tar")
    dumped = [(command, options) for command, options in calls if "env" in options]
    assert dumped
    for command, options in dumped:
        assert not any("s3cret" in part for part in command)
        assert options["env"]["PGPASSWORD"] == "s3cret"


def test_the_programs_fit_the_servers_version(monkeypatch):
    majors = {"/a/pg_dump": 15, "/b/pg_dump": 19, "/c/pg_dump": 18, "/d/pg_dump": 0}
    monkeypatch.setattr(backup_database, "_candidates", lambda name: iter(majors))
    monkeypatch.setattr(backup_database, "_major", majors.get)
    for server, expected in (
        ("18.4", "/c/pg_dump"),
        ("17.2", "/c/pg_dump"),
        ("19.1", "/b/pg_dump"),
        ("15.1", "/a/pg_dump"),
    ):
        monkeypatch.setattr(backup_database, "server_version", lambda server=server: server)
        assert backup_database._tool("pg_dump") == expected
    for server in ("20.1", "16.3"):
        monkeypatch.setattr(backup_database, "server_version", lambda server=server: server)
        with pytest.raises(ServiceUnavailable, match=f"PostgreSQL {server[:2]} and no pg_dump"):
            backup_database._tool("pg_dump")


def test_the_commands_say_what_they_did_and_fail_with_a_sentence(bank, tmp_path):
    path, out = tmp_path / "bank.tar", io.StringIO()
    call_command("backup", str(path), stdout=out, stderr=io.StringIO())
    assert "5 questions" in out.getvalue()
    call_command("restore", str(path), "--check", stdout=out)
    assert "complete and undamaged" in out.getvalue()
    with pytest.raises(CommandError, match="not empty; --force"):
        call_command("restore", str(path), stderr=io.StringIO())
    call_command("restore", str(path), "--force", stdout=out, stderr=io.StringIO())
    assert "restored: 5 questions" in out.getvalue()
    os.truncate(path, 5000)
    with pytest.raises(CommandError, match="not a backup"):
        call_command("restore", str(path), "--check")
