"""ONNX Runtime sessions for a web process: few threads, none of them spinning, one session a model.

On 2 cores behind 2 processes of 4 threads, spinning threads of one request take the time of another.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from analytics.errors import ArtifactError
from analytics.onnx_runtime import onnxruntime

_MOST_THREADS = 2  # a query is a few dozen tokens: more threads wait for one another

_sessions: dict[tuple[str, str, int], onnxruntime.InferenceSession] = {}
_lock = threading.Lock()


def open_session(path: Path, checksum: str, *, threads: int | None = None) -> onnxruntime.InferenceSession:
    """Return a session for the model file, opened once per process for each file, checksum and thread count.

    Sessions may be used by many threads at once.

    Raises:
        ArtifactError: the file is not a model that ONNX Runtime can run.
    """
    count = threads or min(_MOST_THREADS, len(os.sched_getaffinity(0)))
    key = (str(path.resolve()), checksum, count)
    with _lock:
        session = _sessions.get(key)
        if session is None:
            session = _sessions[key] = _open(path, count)
    return session


def _open(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors only
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's errors have no public base class
        raise ArtifactError(f"{path} is not a model that can be run: {type(error).__name__}.") from error
