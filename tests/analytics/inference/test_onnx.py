"""The runtime of the served models."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from analytics.artifacts import artifact_copy, file_sha256
from analytics.errors import ArtifactError, ChecksumError
from analytics.inference import onnx
from analytics.inference.onnx import GraphSession, close_unused_sessions, onnxruntime, open_session


@pytest.mark.parametrize("module", ["analytics.inference.onnx", "analytics.backbone.export"])
def test_the_runtime_reports_nothing_to_its_maker(module: str, tmp_path: Path) -> None:
    silenced = {"CI", "ORT_DISABLE_TELEMETRY", "GITHUB_ACTIONS", "TF_BUILD"}  # end reports themselves
    environment = {name: value for name, value in os.environ.items() if name not in silenced}
    subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        env=environment | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        check=True,
    )

    assert list(tmp_path.rglob("*")) == []  # else: the installation's number and the reports to be sent


def test_one_module_imports_the_runtime() -> None:
    package = Path(__file__).parents[3] / "analytics"
    importing = re.compile(r"^\s*(?:import|from) onnxruntime\b", re.MULTILINE)
    users = {path.name for path in package.rglob("*.py") if importing.search(path.read_text(encoding="utf-8"))}
    assert users == {"onnx.py"}


IDS = np.array([[2, 5, 7, 9], [2, 6, 8, 3]])
MASK = np.ones_like(IDS)


@pytest.fixture
def graph(tiny_export, tmp_path):
    """A graph without a packed form."""
    artifact_copy(tiny_export, tmp_path / "model")
    return tmp_path / "model" / "model.onnx"


@pytest.fixture
def expected(graph):
    session = onnxruntime.InferenceSession(str(graph), providers=["CPUExecutionProvider"])
    return session.run(None, {"input_ids": IDS, "attention_mask": MASK})[0]


def opened(graph):
    return GraphSession(graph, file_sha256(graph), 1)


def packed_weights(graph):
    return next(graph.parent.glob(".packed-model-*")) / onnx.WEIGHTS_NAME


def test_the_packed_form_computes_what_the_graph_does_and_is_written_once(graph, expected):
    np.testing.assert_allclose(opened(graph).run(IDS, MASK), expected, atol=1e-6)
    written = packed_weights(graph).stat()
    np.testing.assert_allclose(opened(graph).run(IDS, MASK), expected, atol=1e-6)
    assert (written.st_ino, written.st_mtime_ns) == (
        packed_weights(graph).stat().st_ino,
        packed_weights(graph).stat().st_mtime_ns,
    )


def test_what_a_killed_process_left_is_removed(graph):
    opened(graph)
    left = graph.parent / f".{packed_weights(graph).parent.name}.0123abcd.partial"
    packed_weights(graph).parent.rename(left)
    opened(graph)
    assert not left.exists()
    assert packed_weights(graph).is_file()


def test_a_batch_may_be_as_large_as_bulk_work_needs(graph):
    ids = np.full((80, 16), 5)
    output = opened(graph).run(ids, np.ones_like(ids))
    assert output.shape[0] == 80
    assert np.isfinite(output).all()


@pytest.mark.parametrize("harm", ["truncated", "overwritten", "removed"])
def test_a_packed_form_that_changes_while_it_is_mapped_is_written_again(graph, expected, harm, caplog):
    session = opened(graph)
    weights = packed_weights(graph)
    if harm == "truncated":
        os.truncate(weights, 10)
    elif harm == "overwritten":
        with weights.open("r+b") as stream:
            stream.write(b"\xff" * 4096)
        os.utime(weights, ns=(1, 1))
    else:
        shutil.rmtree(weights.parent)
        session.close_unused(0)
    np.testing.assert_allclose(session.run(IDS, MASK), expected, atol=1e-6)
    assert ("was changed while it was in use" in caplog.text) == (harm != "removed")
    np.testing.assert_allclose(opened(graph).run(IDS, MASK), expected, atol=1e-6)


def test_another_model_in_the_same_place_is_not_served_from_the_old_packed_form(graph):
    opened(graph)
    graph.write_bytes(b"another model")
    with pytest.raises(ArtifactError, match="not a model that can be run"):
        opened(graph)
    assert not list(graph.parent.glob(".packed*"))


@pytest.mark.parametrize(
    ("name", "replacement", "reason"),
    [
        ("shutil", SimpleNamespace(disk_usage=lambda _path: SimpleNamespace(free=1_000)), "0 MB are free"),
        ("artifact_write", None, "No space left on device"),
        ("mmap", None, "No such device"),
    ],
)
def test_without_room_or_mapping_a_process_keeps_a_copy_and_says_why(
    graph, expected, monkeypatch, caplog, name, replacement, reason
):
    def fails(code):
        def fail(*_arguments, **_options):
            raise OSError(code, os.strerror(code))

        return fail

    replacement = (
        replacement
        or {"artifact_write": fails(errno.ENOSPC), "mmap": SimpleNamespace(mmap=fails(errno.ENODEV), ACCESS_READ=1)}[
            name
        ]
    )
    monkeypatch.setattr(onnx, name, replacement)
    np.testing.assert_allclose(opened(graph).run(IDS, MASK), expected, atol=1e-6)
    assert reason in caplog.text
    assert "in memory of its own" in caplog.text


def test_a_packed_form_that_computes_something_else_is_not_used(graph, expected, monkeypatch, caplog):
    monkeypatch.setattr(onnx.np, "allclose", lambda *_outputs, **_limits: False)
    np.testing.assert_allclose(opened(graph).run(IDS, MASK), expected, atol=1e-6)
    assert "packed form gives different results" in caplog.text
    assert not list(graph.parent.glob(".packed*"))


def test_a_model_without_a_packed_form_that_was_damaged_is_refused(graph, monkeypatch):
    sha256 = file_sha256(graph)
    monkeypatch.setattr(onnx, "mmap", None)
    os.truncate(graph, 100)
    with pytest.raises(ChecksumError):
        GraphSession(graph, sha256, 1)


def test_too_little_memory_is_called_that(graph, monkeypatch):
    opened(graph)

    def fail(*_arguments, **_options):
        raise RuntimeError("std::bad_alloc")

    monkeypatch.setattr(onnxruntime, "InferenceSession", fail)
    with pytest.raises(ArtifactError, match="too little free memory"):
        opened(graph)


def test_a_session_that_rests_is_closed_and_opens_again(graph, expected):
    session = open_session(graph, file_sha256(graph))
    close_unused_sessions(3600)
    assert session._opened is not None
    close_unused_sessions(0)
    assert session._opened is None
    np.testing.assert_allclose(session.run(IDS, MASK), expected, atol=1e-6)


def test_a_copy_of_a_model_has_no_packed_form(graph, tmp_path):
    opened(graph)
    artifact_copy(graph.parent, tmp_path / "copy")
    assert packed_weights(graph).is_file()
    assert not list((tmp_path / "copy").glob(".*"))
