from __future__ import annotations

import json
import re

import pytest

from analytics.artifacts import (
    FORMAT_VERSION,
    Manifest,
    artifact_amend,
    artifact_checksum,
    artifact_read,
    artifact_write,
)
from analytics.errors import ArtifactError, ChecksumError


def write_two(folder):
    (folder / "weights").mkdir()
    (folder / "weights" / "a.bin").write_bytes(b"\x00\x01")
    (folder / "labels.json").write_text("[]")


@pytest.fixture
def folder(tmp_path):
    artifact_write(tmp_path / "model", Manifest("probes", "p", config={"seed": 3}), write_two)
    return tmp_path / "model"


def test_what_is_written_is_read_back(folder):
    manifest = artifact_read(folder)
    assert (manifest.capability, manifest.name, manifest.config) == ("probes", "p", {"seed": 3})
    assert set(manifest.files) == {"weights/a.bin", "labels.json"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", manifest.created)


def test_nothing_stays_behind_when_writing_fails(tmp_path):
    def fail(folder):
        (folder / "half").write_text("x")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        artifact_write(tmp_path / "model", Manifest("probes", "p"), fail)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_rewrite_leaves_the_old_model_whole(folder):
    before = artifact_checksum(folder)

    def fail(aside):
        (aside / "labels.json").write_text("[1]")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        artifact_write(folder, Manifest("probes", "p"), fail)
    assert artifact_checksum(folder) == before
    artifact_read(folder)


def test_a_model_is_replaced_whole(folder):
    artifact_write(folder, Manifest("probes", "new"), lambda aside: (aside / "only").write_text("1"))
    assert artifact_read(folder).name == "new"
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "only"]
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_amending_keeps_the_other_files(folder):
    amended = artifact_amend(folder, artifact_read(folder), lambda aside: (aside / "labels.json").write_text("[1]"))
    assert artifact_read(folder) == amended
    assert set(amended.files) == {"weights/a.bin", "labels.json"}
    assert (folder / "weights" / "a.bin").read_bytes() == b"\x00\x01"
    assert (folder / "labels.json").read_text() == "[1]"


def test_a_folder_that_is_no_model_is_never_replaced(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("x")
    with pytest.raises(ArtifactError, match="is not a model folder"):
        artifact_write(tmp_path / "thesis", Manifest("probes", "p"), write_two)
    assert (tmp_path / "thesis" / "chapter1.tex").read_text() == "x"


def test_an_empty_folder_is_filled_and_a_file_is_never_replaced(tmp_path):
    (tmp_path / "made").mkdir()
    artifact_write(tmp_path / "made", Manifest("probes", "p"), write_two)
    assert artifact_read(tmp_path / "made").name == "p"
    (tmp_path / "letter").write_text("Dear all")
    with pytest.raises(ArtifactError, match="is not a model folder"):
        artifact_write(tmp_path / "letter", Manifest("probes", "p"), write_two)


def test_changed_weights_are_noticed(folder):
    (folder / "weights" / "a.bin").write_bytes(b"\x00\x02")
    with pytest.raises(ChecksumError, match=r"a\.bin differs"):
        artifact_read(folder)


def test_a_missing_file_is_named(folder):
    (folder / "labels.json").unlink()
    with pytest.raises(ArtifactError, match=r"labels\.json is missing"):
        artifact_read(folder, verify=False)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format_version": FORMAT_VERSION + 1}, "format version 2"),
        ({"capability": None}, "lacks capability"),
        ({"files": ["weights/a.bin"]}, "is not a manifest"),
        ({"files": {"../../etc/passwd": "0"}}, "outside the folder"),
        ({"files": {"/etc/passwd": "0"}}, "outside the folder"),
    ],
)
def test_a_wrong_manifest_is_refused_with_its_reason(folder, change, reason):
    path = folder / "manifest.json"
    body = {**json.loads(path.read_text()), **change}
    path.write_text(json.dumps({name: value for name, value in body.items() if value is not None}))
    with pytest.raises(ArtifactError, match=reason):
        artifact_read(folder)


@pytest.mark.parametrize("content", ["{", "[]", "\udc80", "[" * 100_000])
def test_an_unreadable_manifest_is_an_artifact_error(folder, content):
    (folder / "manifest.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ArtifactError, match="manifest"):
        artifact_read(folder)


def test_an_empty_folder_is_no_model(tmp_path):
    with pytest.raises(ArtifactError, match=r"has no manifest\.json"):
        artifact_read(tmp_path)


def test_the_checksum_is_of_the_files_alone(folder, tmp_path):
    artifact_write(tmp_path / "other", Manifest("probes", "another name"), write_two)
    assert artifact_checksum(folder) == artifact_checksum(tmp_path / "other")
    artifact_write(tmp_path / "third", Manifest("probes", "p"), lambda aside: (aside / "a").write_text("1"))
    assert artifact_checksum(folder) != artifact_checksum(tmp_path / "third")


def test_a_model_without_files_is_refused(tmp_path):
    with pytest.raises(ArtifactError, match="No files were written"):
        artifact_write(tmp_path / "model", Manifest("probes", "p"), lambda aside: None)
