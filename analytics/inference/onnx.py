"""ONNX Runtime sessions: memory-mapped weights shared by all processes, few threads, no spinning.

With 2 processes of 4 threads on 2 cores, spinning threads of one request slow down the other. Graphs are packed for
serving: their matrices are laid out for this machine's processor. All our modules import the runtime from here.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import logging
import mmap
import os
import platform
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from analytics.artifacts import DERIVED, Manifest, artifact_read, artifact_write, file_sha256
from analytics.errors import ArtifactError, ChecksumError

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # else versions from 1.29 on send telemetry; set before the import

import onnxruntime as onnxruntime


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
            f"Its packed form needs {needed >> 20:,} MB of disk space, but only {free >> 20:,} MB are free."
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
        raise ArtifactError("Its packed form gives different results.")


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


logger = logging.getLogger(__name__)

_MOST_THREADS = 2  # a query is a few dozen tokens: more threads would wait for one another
_LARGE = 1024  # tokens per batch above which memory for its activations is released

_sessions: dict[tuple[str, str], GraphSession] = {}
_lock = threading.Lock()

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Opened:
    """An open session.

    Attributes:
        session: the ONNX Runtime session.
        mapped: the open file with its weights; None if the weights are private to this process.
        state: size and modification time of that file when it was opened.
    """

    session: onnxruntime.InferenceSession
    mapped: int | None = None
    state: tuple[int, int] = (0, 0)

    def is_intact(self) -> bool:
        """Return whether the mapped file is unchanged; reading from a truncated one would crash the process."""
        return self.mapped is None or _state(self.mapped) == self.state

    def __del__(self) -> None:
        if self.mapped is not None:
            os.close(self.mapped)


class GraphSession:
    """A graph that takes token ids and a mask. Thread-safe.

    It is opened on construction and can be closed while idle; the next run reopens it.
    """

    def __init__(self, path: Path, sha256: str, threads: int) -> None:
        self._path, self._sha256, self._threads = path, sha256, threads
        self._lock = threading.Lock()
        self._opened: _Opened | None = None
        self._used = time.monotonic()
        self._ready()

    def run(self, ids: Ids, mask: Ids) -> npt.NDArray[np.float32]:
        """Return the graph's output for ids and mask, both (texts, tokens).

        Raises:
            ArtifactError: the session was closed or its file changed, and the model cannot be reopened.
        """
        options = onnxruntime.RunOptions()
        if ids.size > _LARGE:
            options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        inputs = {"input_ids": ids, "attention_mask": mask}
        output: npt.NDArray[np.float32] = self._ready().session.run(None, inputs, options)[0]
        return output

    def close_unused(self, seconds: float) -> None:
        """Close the session if it has been idle for that long; runs in progress finish normally."""
        with self._lock:
            if time.monotonic() - self._used >= seconds:
                self._opened = None

    def _ready(self) -> _Opened:
        with self._lock:
            self._used = time.monotonic()
            if self._opened is not None and not self._opened.is_intact():
                logger.warning("The packed form of %s was changed while it was in use.", self._path)
                self._opened = None
            if self._opened is None:
                self._opened = _open(self._path, self._sha256, self._threads)
            return self._opened


def open_session(path: Path, sha256: str) -> GraphSession:
    """Return a session for a graph, cached per process by file and SHA-256.

    Args:
        path: the graph.
        sha256: SHA-256 of that file.

    Raises:
        ArtifactError: ONNX Runtime cannot run the file.
        ChecksumError: it differs from its SHA-256.
    """
    key = (str(path.resolve()), sha256)
    with _lock:
        session = _sessions.get(key)
        if session is None:
            threads = min(_MOST_THREADS, len(os.sched_getaffinity(0)))
            session = _sessions[key] = GraphSession(path, sha256, threads)
    return session


def close_unused_sessions(seconds: float) -> None:
    """Close this process's sessions that have been idle for that long."""
    with _lock:
        sessions = list(_sessions.values())
    for session in sessions:
        session.close_unused(seconds)


def _open(path: Path, sha256: str, threads: int) -> _Opened:
    try:
        folder = packed_graph(path, sha256)
        session = graph_session(folder / GRAPH_NAME, threads)
        mapped = os.open(folder / WEIGHTS_NAME, os.O_RDONLY)
        return _Opened(session, mapped, _state(mapped))
    except ChecksumError:
        raise
    except (ArtifactError, OSError) as error:
        reason = str(error)
    check_sha256(path, sha256)
    opened = _Opened(graph_session(path, threads))
    logger.warning("Each process keeps a copy of %s in memory of its own: %s", path, reason)
    return opened


def graph_session(
    path: Path, threads: int, weights: dict[str, npt.NDArray[np.float32]] | None = None
) -> onnxruntime.InferenceSession:
    """Open a graph.

    Args:
        path: the graph.
        threads: threads per run.
        weights: weights that the graph references by name only. The dictionary is emptied, so that their
            memory can be freed.

    Raises:
        ArtifactError: ONNX Runtime cannot run the file with these weights.
    """
    _share_arena()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.use_env_allocators", "1")
    options.log_severity_level = 3  # errors only
    try:
        if weights is not None:
            names = list(weights)
            values = [onnxruntime.OrtValue.ortvalue_from_numpy(weights.pop(name)) for name in names]
            options.add_external_initializers(names, values)
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's errors have no public base class
        if "alloc" in str(error):
            raise ArtifactError(
                f"The machine has too little free memory to open {path}: close other programs."
            ) from error
        raise ArtifactError(f"{path} is not a model that can be run: {type(error).__name__}.") from error


@cache
def _share_arena() -> None:
    """Make all sessions of this process allocate their activations from one shared arena."""
    kinds = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, onnxruntime.OrtMemType.DEFAULT
    cpu = onnxruntime.OrtMemoryInfo("Cpu", kinds[0], 0, kinds[1])
    onnxruntime.create_and_register_allocator(cpu, onnxruntime.OrtArenaCfg({}))


def _state(descriptor: int) -> tuple[int, int]:
    about = os.fstat(descriptor)
    return about.st_size, about.st_mtime_ns
