"""Graphs packed for serving: matrices laid out for this machine's processor, and memory-mapped."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import mmap
import os
import platform
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import numpy as np

from analytics.artifacts import DERIVED, Manifest, artifact_read, artifact_write, file_sha256
from analytics.errors import ArtifactError, ChecksumError
from analytics.onnx_runtime import onnxruntime


def give_back_freed_memory() -> None:
    """Make the C library return freed memory to the system; only glibc retains enough to need it."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


GRAPH_NAME, WEIGHTS_NAME = "graph.onnx", "graph.weights"
_LEAST_BYTES = 1024  # smaller weights stay in the graph
_ROOM = 2  # times the graph's size: its matrices are stored both as they were and packed
_UNUSED_SECONDS = 7 * 86_400.0  # after which packed graphs of other processors or versions are deleted
_TOLERANCE = 1e-4


def packed_graph(path: Path, sha256: str) -> Path:
    """Return the folder with a graph's packed form, which the first caller writes.

    Args:
        path: the graph, with its weights inside.
        sha256: SHA-256 of that file.

    Raises:
        ArtifactError: the packed form cannot be written or mapped here, or gives different results from the
            graph. The graph itself can still be opened.
        ChecksumError: the graph differs from its SHA-256.
    """
    folder = path.parent / f"{DERIVED}packed-{path.stem}-{_machine()}"
    try:
        with _alone(path.parent):
            if not _is_whole(folder, sha256):
                check_sha256(path, sha256)
                _write(path, folder, sha256)
                give_back_freed_memory()  # about 100 MB
        _check_mapping(folder / WEIGHTS_NAME)
    except OSError as error:
        raise ArtifactError(f"Its packed form in {folder} cannot be used: {error.strerror or error}.") from error
    with suppress(OSError):  # the folder belongs to another user
        os.utime(folder)
    return folder


def check_sha256(path: Path, sha256: str) -> None:
    """Compare a file with its recorded SHA-256.

    Raises:
        ArtifactError: it cannot be read.
        ChecksumError: it differs.
    """
    try:
        actual = file_sha256(path)
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read: {error.strerror or error}.") from error
    if actual != sha256:
        raise ChecksumError(f"{path} differs from its recorded SHA-256; the model folder is damaged.")


def _is_whole(folder: Path, sha256: str) -> bool:
    try:
        return artifact_read(folder).parent == sha256
    except ArtifactError:  # missing or damaged
        return False


def _write(path: Path, folder: Path, sha256: str) -> None:
    free, needed = shutil.disk_usage(path.parent).free, _ROOM * path.stat().st_size
    if free < needed:
        raise ArtifactError(
            f"Its packed form needs {needed >> 20:,} MB of disk, and {free >> 20:,} MB are free; free some."
        )
    if folder.exists():
        shutil.rmtree(folder, ignore_errors=True)
    manifest = Manifest(capability="packed", name=path.name, parent=sha256)
    artifact_write(folder, manifest, lambda aside: _pack(path, aside))
    for other in path.parent.glob(f".*packed-{path.stem}-*"):
        is_left_behind = other.suffix in (".partial", ".old")  # by a process that was killed
        if is_left_behind or other.stat().st_mtime < time.time() - _UNUSED_SECONDS:
            shutil.rmtree(other, ignore_errors=True)


def _pack(path: Path, folder: Path) -> None:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # a warning says that the result suits only this processor
    options.optimized_model_filepath = str(folder / GRAPH_NAME)
    for name, value in {
        "session.optimized_model_external_initializers_file_name": WEIGHTS_NAME,
        "session.optimized_model_external_initializers_min_size_in_bytes": str(_LEAST_BYTES),
        "session.save_external_prepacked_constant_initializers": "1",
    }.items():
        options.add_session_config_entry(name, value)
    ids = np.arange(1, 17, dtype=np.int64).reshape(2, 8)
    outputs = []
    for model, how in ((path, options), (folder / GRAPH_NAME, onnxruntime.SessionOptions())):
        try:
            session = onnxruntime.InferenceSession(str(model), how, providers=["CPUExecutionProvider"])
            outputs.append(session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0])
        except Exception as error:  # ONNX Runtime's errors have no public base class
            raise ArtifactError(f"It cannot be packed: {error}.") from error
    before, after = outputs
    if not np.allclose(before, after, atol=_TOLERANCE, equal_nan=True):
        raise ArtifactError("Its packed form does not compute what it does.")


def _check_mapping(path: Path) -> None:
    """Check that the file can be memory-mapped; if not, ONNX Runtime would read the packed form into memory.

    Raises:
        OSError: the file cannot be mapped, as on some file systems.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ):
        pass


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a lock, so that only one process on the machine packs at a time."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks: two may pack, and the later result stays
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@cache
def _machine() -> str:
    """Return 12 hexadecimal digits for what the layout depends on: processor, instruction sets and version."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    except OSError:
        lines = []
    kind = [line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part"))]
    about = "\n".join([platform.machine(), platform.processor(), onnxruntime.__version__, *kind])
    return hashlib.sha256(about.encode()).hexdigest()[:12]
