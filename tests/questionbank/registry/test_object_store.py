"""Kept files in a bucket of an S3 server that the test starts."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator

import boto3
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import call_command
from django.utils import timezone
from moto.server import ThreadedMotoServer

from analytics.artifacts import artifact_checksum
from analytics.errors import ChecksumError
from questionbank.bank.attachment_services import attachment_add
from questionbank.bank.question_selectors import picture_bytes, stored_name
from questionbank.core import env
from questionbank.core.errors import ServiceUnavailable
from questionbank.core.outage import Outage, outage_of
from questionbank.core.storage import uploads_forget_old
from questionbank.jobs.resume_services import checkpoint_fetch, checkpoint_store, checkpoints_clear
from questionbank.jobs.run_selectors import checkpoint_folder, run_has_checkpoint, stored_names
from questionbank.models import Run, RunMetric
from questionbank.operations.health import health_report, require_object_store
from questionbank.registry import artifact_selectors as registry
from questionbank.registry.artifact_services import artifact_register
from questionbank.training.services import training_request
from tests.pictures import png
from tests.worker.encoder_bank import add_encoder_bank, tiny_encoder, tiny_folder
from tests.worker.jobs import done

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of the server's bucket."""
    running = ThreadedMotoServer(port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    options = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
    boto3.client("s3", endpoint_url=f"http://{host}:{port}", **options).create_bucket(Bucket="bank")
    yield f"s3+http://key:secret@{host}:{port}/bank/school?region=us-east-1"
    running.stop()


@pytest.fixture
def bucket(server, settings, monkeypatch, tmp_path) -> str:
    monkeypatch.setenv("STORAGE_URL", server)
    settings.STORAGES = {**settings.STORAGES, **env.storages()}
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    return server


def test_models_pictures_and_uploads_lie_in_the_bucket_and_are_checked(bucket, settings, tmp_path):
    data = png(7)
    digest = attachment_add(data=data)
    assert picture_bytes(digest) == data
    storages["attachments"].delete(stored_name(digest))
    storages["attachments"].save(stored_name(digest), ContentFile(b"another picture"))
    assert picture_bytes(digest) is None

    first = storages["uploads"].save("mine.csv", ContentFile(b"text"))
    assert storages["uploads"].save("mine.csv", ContentFile(b"text of somebody else")) != first
    uploads_forget_old()
    with storages["uploads"].open(first) as upload:
        assert upload.read() == b"text"

    artifact = artifact_register(folder=tiny_encoder(tmp_path / "tiny"))
    settings.MODEL_CACHE_BYTES = 1
    unused, in_use = (settings.VAR_DIR / "cache" / "artifacts" / name for name in ("unused", "in use"))
    for folder in (unused, in_use):
        folder.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(b"weights")
    os.utime(unused, (0, time.time() - 2 * registry.CACHE_UNUSED_SECONDS))
    kept = registry.artifact_folder(artifact)
    assert [folder.exists() for folder in (unused, in_use, kept)] == [False, True, True]
    shutil.rmtree(in_use)
    assert artifact_checksum(kept) == artifact.checksum
    assert registry.artifact_folder(artifact) == kept
    damaged = f"{artifact.location}/{next(iter(artifact.manifest['files']))}"
    storages["artifacts"].delete(damaged)
    storages["artifacts"].save(damaged, ContentFile(b"damaged"))
    assert artifact_checksum(registry.artifact_folder(artifact)) == artifact.checksum  # from the cache
    shutil.rmtree(kept)
    with pytest.raises(ChecksumError):
        registry.artifact_folder(artifact)
    assert not any(kept.parent.iterdir())


@pytest.mark.django_db(transaction=True)
def test_a_backup_goes_to_the_bucket_and_is_checked_from_there(bucket, capsys):
    call_command("backup")
    (name,) = storages["backups"].listdir("")[1]
    assert f"{name} in the object store: 0 questions" in capsys.readouterr().out
    call_command("restore", name, check=True)
    assert "is complete and undamaged" in capsys.readouterr().out


def test_a_bucket_without_write_access_and_one_that_does_not_answer_are_one_sentence(bucket, settings, monkeypatch):
    require_object_store()
    for address, sentence in (
        (bucket.replace("/bank/", "/absent/"), "Files cannot be written to the object store: "),
        ("s3+http://key:secret@127.0.0.1:9/bank", "Files cannot be written to the object store: Could not connect"),
    ):
        monkeypatch.setenv("STORAGE_URL", address)
        settings.STORAGES = {**settings.STORAGES, **env.storages()}
        with pytest.raises(ServiceUnavailable, match=sentence):
            require_object_store()
    (files,) = (item for item in health_report().items if item.name == "object_store")
    assert files.state == "failing"
    with pytest.raises(Exception, match="Could not connect") as caught:
        storages["default"].exists("anything")
    assert outage_of(caught.value) is Outage.LOST


@pytest.mark.parametrize("address", ["s3://", "https://host/bank", "s3+https://key:secret@host", "s3+http://host:p/b"])
def test_an_address_that_names_no_bucket_is_one_sentence(monkeypatch, address):
    monkeypatch.setenv("STORAGE_URL", address)
    with pytest.raises(SystemExit, match=r"Error: STORAGE_URL is wrong\. Write it as s3"):
        env.storages()


def test_a_bucket_at_amazon_takes_its_keys_from_the_machine(monkeypatch):
    monkeypatch.setenv("STORAGE_URL", "s3://bank/school/one?region=eu-west-1")
    options = env.storages()["artifacts"]["OPTIONS"]
    assert (options["bucket_name"], options["location"]) == ("bank", "school/one/artifacts")
    assert options["region_name"] == "eu-west-1"
    assert not {"access_key", "endpoint_url"} & options.keys()


def test_a_checkpoint_in_the_bucket_lets_another_machine_go_on_and_goes_when_nobody_needs_it(
    bucket, settings, tmp_path
):
    run = Run.objects.create(kind="train", capability="encoder", state="failed", finished_at=timezone.now())
    folder = checkpoint_folder(run.pk)
    folder.mkdir(parents=True)
    (folder / "examples.json.gz").write_bytes(b"questions")
    checkpoint_store(run_id=run.pk, folder=folder)
    assert not run_has_checkpoint(run=run)
    for weights in (b"first", b"second"):
        (folder / "checkpoint.pt").write_bytes(weights)
        checkpoint_store(run_id=run.pk, folder=folder)
    assert stored_names(run_id=run.pk) == ["checkpoint.pt.00000002", "examples.json.gz"]

    settings.VAR_DIR = tmp_path / "another machine"
    folder = checkpoint_folder(run.pk)
    assert run_has_checkpoint(run=run)
    checkpoint_fetch(run_id=run.pk, folder=folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "checkpoint.pt": b"second",
        "examples.json.gz": b"questions",
    }
    assert checkpoints_clear() == 0
    run.delete()
    assert checkpoints_clear() == 1
    assert not folder.exists()
    assert storages["checkpoints"].listdir("")[0] == []


def test_a_training_whose_checkpoints_cannot_be_stored_does_not_begin(bucket, settings, tmp_path):
    add_encoder_bank(80)
    options = settings.STORAGES["checkpoints"]["OPTIONS"] | {"bucket_name": "elsewhere"}
    settings.STORAGES = {**settings.STORAGES, "checkpoints": {**settings.STORAGES["checkpoints"], "OPTIONS": options}}
    asked = {"backbone": str(tiny_folder(tmp_path / "tiny")), "batch_size": "16", "levels": "2"}
    run = done(training_request(capability="encoder", settings=asked, send=False), state="failed")
    assert run.error.startswith("The object store does not take checkpoints")
    assert not RunMetric.objects.exists()
