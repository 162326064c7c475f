"""The file that `backup` writes: what is refused, and that reading writes nowhere else."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
from pathlib import Path

import pytest

from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.operations import backup_archive
from questionbank.operations.backup_archive import DUMP, MANIFEST

ABOUT = {
    "kindred": "1.0",
    "created": "2027-01-31T00:00:00+00:00",
    "postgres": "18.4",
    "migrations": {"questionbank": ["0001_initial"]},
    "rows": {"questionbank_question": 5},
}
CONTENTS = {DUMP: b"PGDMP" * 400, "artifacts/encoder/w.bin": b"\0\xff" * 900, "uploads/a.jsonl": b""}


@pytest.fixture
def archive(tmp_path) -> Path:
    path = tmp_path / "bank.tar"
    with backup_archive.archive_write(path=path, about=dict(ABOUT)) as writer:
        for name, content in CONTENTS.items():
            writer.add(name=name, stream=io.BytesIO(content), size=len(content))
    return path


@pytest.fixture
def scratch(tmp_path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def rewritten(path: Path, *, change=None, extra: tarfile.TarInfo | None = None) -> Path:
    """The archive with another manifest or one more member (named in the manifest, checksum right)."""
    target = path.with_name("rewritten.tar")
    with tarfile.open(path) as old, tarfile.open(target, "w") as new:
        members = [(entry, old.extractfile(entry).read()) for entry in old]
        manifest = json.loads(members.pop()[1])
        if extra is not None:
            manifest["files"][extra.name] = hashlib.sha256(b"").hexdigest()
            members.append((extra, b""))
        if change:
            change(manifest)
        members.append((tarfile.TarInfo(MANIFEST), json.dumps(manifest).encode()))
        for member, content in members:
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return target


def member(kind: bytes, name: str, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    return made


def test_what_was_written_is_read(archive, scratch):
    manifest, members = backup_archive.archive_unpack(path=archive, folder=scratch)
    assert {name: path.read_bytes() for name, path in members.items()} == CONTENTS
    assert all(path.parent == scratch for path in members.values())
    assert manifest == backup_archive.archive_manifest(path=archive)
    assert manifest.rows == {"questionbank_question": 5}


def test_nothing_appears_under_the_name_before_all_is_written(tmp_path):
    path = tmp_path / "bank.tar"

    def write_half() -> None:
        with backup_archive.archive_write(path=path, about=dict(ABOUT)) as writer:
            writer.add(name=DUMP, stream=io.BytesIO(b"half"), size=4)
            assert not path.exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_shrinks_while_it_is_copied_is_noticed(tmp_path):
    path = tmp_path / "bank.tar"
    with (
        pytest.raises(Conflict, match="changed while it was copied"),
        backup_archive.archive_write(path=path, about=dict(ABOUT)) as writer,
    ):
        writer.add(name=DUMP, stream=io.BytesIO(b"short"), size=10)
    assert not path.exists()


@pytest.mark.parametrize("share", [0.0, 0.01, 0.2, 0.5, 0.8, 0.9, 0.99])
def test_an_archive_that_was_cut_off_is_refused(archive, scratch, share):
    os.truncate(archive, int(share * (archive.stat().st_size - 10_240)))  # a tar ends in empty blocks
    with pytest.raises(ValidationFailed, match="not a backup of Kindred, or it was cut off"):
        backup_archive.archive_unpack(path=archive, folder=scratch)


@pytest.mark.parametrize("name", list(CONTENTS)[:2])
def test_an_archive_with_one_wrong_byte_is_refused(archive, scratch, name):
    with tarfile.open(archive) as tar:
        place = tar.getmember(name).offset_data
    content = bytearray(archive.read_bytes())
    content[place] ^= 1
    archive.write_bytes(content)
    with pytest.raises(ValidationFailed, match=f"checksum of {name} is wrong"):
        backup_archive.archive_unpack(path=archive, folder=scratch)


def test_a_member_that_the_manifest_names_and_the_archive_lacks_is_missed(archive, scratch):
    path = rewritten(archive, change=lambda it: it["files"].update({"uploads/b": "0" * 64}))
    with pytest.raises(ValidationFailed, match="incomplete: uploads/b is missing"):
        backup_archive.archive_unpack(path=path, folder=scratch)


def test_a_member_that_the_manifest_does_not_name_is_refused(archive, scratch):
    path = rewritten(archive, change=lambda it: it["files"].pop("uploads/a.jsonl"))
    with pytest.raises(ValidationFailed, match=r"checksum of uploads/a.jsonl is wrong"):
        backup_archive.archive_unpack(path=path, folder=scratch)


@pytest.mark.parametrize(
    "content", [b"", b"text", gzip.compress(b"x" * 4000), bytes(20_480)], ids=["empty", "text", "gzip", "empty tar"]
)
def test_what_is_no_archive_is_refused(tmp_path, content):
    path = tmp_path / "other.tar"
    path.write_bytes(content)
    with pytest.raises(ValidationFailed, match="not a backup"):
        backup_archive.archive_manifest(path=path)


def test_a_manifest_that_is_nested_too_deeply_is_no_backup(tmp_path):
    path = tmp_path / "deep.tar"
    content = b"[" * 200_000
    with tarfile.open(path, "w") as tar:
        member = tarfile.TarInfo(MANIFEST)
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    with pytest.raises(ValidationFailed, match="not a backup"):
        backup_archive.archive_manifest(path=path)


def test_what_the_system_refuses_to_open_or_write_is_said(archive, tmp_path):
    with pytest.raises(ValidationFailed, match="cannot be read or unpacked: File name too long"):
        backup_archive.archive_manifest(path=tmp_path / ("x" * 300))
    with pytest.raises(ValidationFailed, match="cannot be read or unpacked: Not a directory"):
        backup_archive.archive_unpack(path=archive, folder=archive / "inside a file")


def test_a_folder_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(ValidationFailed, match="not a backup"):
        backup_archive.archive_manifest(path=tmp_path)
    with pytest.raises(NotFound, match="no file"):
        backup_archive.archive_manifest(path=tmp_path / "missing.tar")


@pytest.mark.parametrize(
    "extra",
    [
        member(tarfile.REGTYPE, "../outside"),
        member(tarfile.REGTYPE, "artifacts/../../outside"),
        member(tarfile.REGTYPE, "/tmp/outside"),
        member(tarfile.REGTYPE, "artifacts//outside"),
        member(tarfile.REGTYPE, "artifacts/..\\outside"),
        member(tarfile.REGTYPE, "artifacts"),
        member(tarfile.REGTYPE, "settings.py"),
        member(tarfile.REGTYPE, DUMP),
        member(tarfile.SYMTYPE, "artifacts/link", "/etc/passwd"),
        member(tarfile.LNKTYPE, "artifacts/link", DUMP),
        member(tarfile.CHRTYPE, "artifacts/device"),
        member(tarfile.FIFOTYPE, "uploads/pipe"),
        member(tarfile.DIRTYPE, "artifacts/folder"),
    ],
    ids=lambda extra: f"{extra.name} {extra.type.decode()}",
)
def test_what_no_backup_holds_is_refused_before_anything_is_unpacked(archive, scratch, tmp_path, extra):
    path = rewritten(archive, extra=extra)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ValidationFailed, match="which no backup of Kindred contains"):
        backup_archive.archive_unpack(path=path, folder=scratch)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda it: it.pop("rows"),
        lambda it: it.update(files=[]),
        lambda it: it.update(files={DUMP: "not a checksum"}),
        lambda it: it.update(files={DUMP: 7}),
        lambda it: it["files"].pop(DUMP),
        lambda it: it.update(rows={"questionbank_question": "5"}),
        lambda it: it.update(rows=None),
        lambda it: it.update(migrations={"questionbank": 3}),
        lambda it: it.update(migrations={"questionbank": [3]}),
        lambda it: it.update(format=None),
        lambda it: it.update(format=0),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(archive, change):
    with pytest.raises(ValidationFailed, match="not a backup"):
        backup_archive.archive_manifest(path=rewritten(archive, change=change))


def test_an_archive_of_a_later_format_says_so(archive):
    path = rewritten(archive, change=lambda it: it.update(format=2))
    with pytest.raises(ValidationFailed, match="later version of Kindred: upgrade"):
        backup_archive.archive_manifest(path=path)
