"""ONNX Runtime sessions: memory-mapped weights shared by all processes, few threads, no spinning.

With 2 processes of 4 threads on 2 cores, spinning threads of one request slow down the other.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from analytics.errors import ArtifactError, ChecksumError
from analytics.inference.packed_graph import GRAPH_NAME, WEIGHTS_NAME, check_sha256, packed_graph
from analytics.onnx_runtime import onnxruntime

logger = logging.getLogger(__name__)

_MOST_THREADS = 2  # a query is a few dozen tokens: more threads would wait for one another
_LARGE = 1024  # tokens per batch above which memory for its activations is released

_sessions: dict[tuple[str, str, int], GraphSession] = {}
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


def open_session(path: Path, sha256: str, *, threads: int | None = None) -> GraphSession:
    """Return a session for a graph, cached per process by file, SHA-256 and thread count.

    Args:
        path: the graph.
        sha256: SHA-256 of that file.
        threads: threads per run; by default 2 if there are that many cores.

    Raises:
        ArtifactError: ONNX Runtime cannot run the file.
        ChecksumError: it differs from its SHA-256.
    """
    count = threads or min(_MOST_THREADS, len(os.sched_getaffinity(0)))
    key = (str(path.resolve()), sha256, count)
    with _lock:
        session = _sessions.get(key)
        if session is None:
            session = _sessions[key] = GraphSession(path, sha256, count)
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
