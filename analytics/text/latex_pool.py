"""Child processes that parse LaTeX, each of which can be killed without harm.

A :class:`ParserPool` belongs to the process that made it: after a fork (Celery's prefork workers) the child
makes its own, for two processes that read the same pipe would take each other's replies.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, cast

from analytics.errors import LatexError

_START_SECONDS = 60.0
_PACKAGE_PARENT = Path(__file__).resolve().parents[2]


class _Child:
    """One child process, started at the first question and again after it was killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._received = b""

    def ask(self, latex: str, timeout: float) -> Any:
        """Return the reply to one formula.

        Raises:
            LatexError: it took too long, or the child died over it.
        """
        for _ in range(2):  # an idle child ends itself: its pipe then breaks before anything was parsed
            pipe = cast(IO[bytes], self._running().stdin)
            try:
                pipe.write(json.dumps(latex).encode() + b"\n")
                pipe.flush()
            except OSError:
                self.stop()
                continue
            return self._reply(timeout, "the parser took too long")
        raise LatexError("the parser could not be started")

    def stop(self) -> None:
        """Kill the child, if there is one."""
        process, self._process, self._received = self._process, None, b""
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # closing flushes what the dead child never read
                if pipe is not None:
                    pipe.close()

    def forget(self) -> None:
        """Drop the child without touching it: it is another process's."""
        if self._process is not None:
            self._process.returncode = 0  # keeps Popen from warning that it is still running
        self._process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.stop()
        path = [str(_PACKAGE_PARENT), *filter(None, [os.environ.get("PYTHONPATH", "")])]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "analytics.text.latex_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        )
        process = self._process
        self._reply(_START_SECONDS, "the parser could not be started")
        return process

    def _reply(self, timeout: float, complaint: str) -> Any:
        pipe = cast(IO[bytes], cast(subprocess.Popen[bytes], self._process).stdout).fileno()
        while b"\n" not in self._received:
            ready, _, _ = select.select([pipe], [], [], timeout)
            chunk = os.read(pipe, 1 << 16) if ready else b""
            if not chunk:
                self.stop()
                raise LatexError(complaint if not ready else "the parser ran out of memory or stack")
            self._received += chunk
        line, self._received = self._received.split(b"\n", 1)
        return json.loads(line)


class ParserPool:
    """A few child processes that parse formulas, safe to use from many threads.

    Args:
        size: how many children there may be; each takes about 120 MB once it has parsed something.
    """

    def __init__(self, size: int = 1) -> None:
        self._children = [_Child() for _ in range(size)]
        self._idle: queue.SimpleQueue[_Child] = queue.SimpleQueue()
        for child in self._children:
            self._idle.put(child)

    def ask(self, latex: str, timeout: float) -> Any:
        """Return the child's reply to one formula, a dictionary with ``tree`` or ``error``.

        Raises:
            LatexError: it took longer than `timeout` seconds, or the child died over it.
        """
        child = self._idle.get()
        try:
            return child.ask(latex, timeout)
        finally:
            self._idle.put(child)

    def ask_many(self, formulas: Sequence[str], timeout: float) -> list[Any]:
        """Return the replies, or the LatexError, of each formula, in order."""
        replies: list[Any] = [None] * len(formulas)
        pending = iter(enumerate(formulas))
        lock = threading.Lock()

        def work() -> None:
            while True:
                with lock:
                    index, latex = next(pending, (-1, ""))
                if index < 0:
                    return
                try:
                    replies[index] = self.ask(latex, timeout)
                except LatexError as error:
                    replies[index] = error

        threads = [threading.Thread(target=work, daemon=True) for _ in self._children]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return replies

    def close(self) -> None:
        """Kill the children. The pool can still be used: it starts new ones."""
        for child in self._children:
            child.stop()

    def forget(self) -> None:
        """Drop the children without touching them, in a process that was forked."""
        for child in self._children:
            child.forget()


_shared: list[ParserPool] = []
_shared_lock = threading.Lock()


def shared_pool() -> ParserPool:
    """Return this process's pool; its child starts at the first question."""
    with _shared_lock:
        if not _shared:
            _shared.append(ParserPool())
            atexit.register(_shared[0].close)
        return _shared[0]


def _after_fork() -> None:
    for pool in _shared:
        atexit.unregister(pool.close)
        pool.forget()
    _shared.clear()


os.register_at_fork(after_in_child=_after_fork)
