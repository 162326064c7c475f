"""What an import computes of each question alone: in processes beside its own, where a file is long.

That is four fifths of the time that reading takes. The importing process reads, checks and writes; lines, errors and
the order of the rows stay its own. Processes beside it read chunks of questions from a pipe, so they end with it,
however it ends; they run at a low priority, so that pages come first.
"""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, NamedTuple, cast

from django.conf import settings

from analytics.records import QuestionRecord
from questionbank.selectors.questions.questions import content_hash
from questionbank.services.equations import equation_graph_key
from questionbank.services.search_index import question_tokens

FEWEST_ALONE = 5_000  # questions; starting a process takes as long as computing these
AT_ONCE = 200  # questions
_MOST_PROCESSES = 3  # reading keeps no more busy
_MOST_WAITING = 100  # chunks: a slow process has so long for its own
_NICENESS = 5
_COMMAND = (sys.executable, "-c", f"import django; django.setup(); from {__name__} import serve; serve()")


class Derived(NamedTuple):
    """What is stored with a question besides what its file says: for duplicates, for search, for equations alike."""

    content_hash: bytes
    tokens: str
    graph_key: str


def derive(records: Sequence[QuestionRecord]) -> list[Derived]:
    """Compute the same in this process."""
    return [
        Derived(
            content_hash(text=record.text, options=record.options, content=record.content),
            question_tokens(record),
            equation_graph_key(text=record.text, expression=record.equation),
        )
        for record in records
    ]


@dataclass(slots=True)
class _Chunk:
    """Lines that wait to be handed on, and the process that computes what is derived of them."""

    lines: list[tuple[int, QuestionRecord]]
    derived: list[Derived] | None = None
    process: subprocess.Popen[bytes] | None = None

    def compute(self) -> None:
        """Compute it here."""
        self.derived = derive([record for _line, record in self.lines])


class DerivedLines:
    """Hands lines on, in their order, with what is derived of their questions; to be closed, whatever happens.

    Args:
        write: takes a line and its question's `Derived`.
        processes: beside this one, which computes, too, while they are busy; by default one for each other processor.
    """

    def __init__(
        self, write: Callable[[int, QuestionRecord, Derived], None], *, processes: int | None = None
    ) -> None:
        others = min(len(os.sched_getaffinity(0)) - 1, _MOST_PROCESSES)
        self._write = write
        self._planned = others if processes is None else processes
        self._started: list[subprocess.Popen[bytes]] = []
        self._starting: list[subprocess.Popen[bytes]] = []
        self._idle: list[subprocess.Popen[bytes]] = []
        self._lines: list[tuple[int, QuestionRecord]] = []
        self._count = 0
        self._chunks: deque[_Chunk] = deque()

    def add(self, line: int, record: QuestionRecord) -> None:
        """Take the next line."""
        self._lines.append((line, record))
        self._count += 1
        if len(self._lines) == AT_ONCE:
            self._pass_on()

    def finish(self) -> None:
        """Hand on all lines that have not been yet."""
        self._pass_on()
        self._gather(most=0)

    def close(self) -> None:
        """End the processes, whatever they do."""
        for process in self._started:
            process.kill()
            process.communicate()

    def _pass_on(self) -> None:
        chunk = _Chunk(self._lines)
        self._lines = []
        if self._count > FEWEST_ALONE and not self._started:
            self._started = [_start() for _ in range(self._planned)]
            self._starting = list(self._started)
        self._gather(most=_MOST_WAITING)
        self._chunks.append(chunk)
        if not self._idle:
            chunk.compute()
            return
        chunk.process = self._idle.pop()
        with suppress(OSError):  # it has died: its answer will say so
            _send(cast(IO[bytes], chunk.process.stdin), [record for _line, record in chunk.lines])

    def _gather(self, *, most: int) -> None:
        """Take the answers that are there, and hand on what is complete; `most` chunks may go on waiting.

        Nobody waits for a process: what one owes that has died, or that the machine is too busy for, is computed here.
        """
        for process in [process for process in self._starting if _has_answered(process)]:
            self._starting.remove(process)
            self._answer(process)
        for chunk in self._chunks:
            if chunk.process is not None and _has_answered(chunk.process):
                chunk.derived = self._answer(chunk.process)
                chunk.process = None
        while self._chunks:
            chunk = self._chunks[0]
            if chunk.process is not None and len(self._chunks) <= most:
                return
            if chunk.derived is None:
                chunk.compute()  # and the process gets no other
            for (line, record), derived in zip(chunk.lines, chunk.derived or (), strict=True):
                self._write(line, record, derived)
            self._chunks.popleft()

    def _answer(self, process: subprocess.Popen[bytes]) -> list[Derived] | None:
        """Return what a process says, which is idle then; None if it has died."""
        try:
            answer: list[Derived] = pickle.load(_answers(process))  # noqa: S301 - from our own process
        except (EOFError, OSError, pickle.UnpicklingError):
            return None
        self._idle.append(process)
        return answer


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        _COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(settings.BASE_DIR), *sys.path])},
        process_group=0,  # Ctrl-C is for the import alone
    )


def _has_answered(process: subprocess.Popen[bytes]) -> bool:
    return bool(select.select([_answers(process)], [], [], 0)[0])


def _answers(process: subprocess.Popen[bytes]) -> IO[bytes]:
    return cast(IO[bytes], process.stdout)


def _send(stream: IO[bytes], what: Any) -> None:
    pickle.dump(what, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


def serve() -> None:
    """Say that we are there, and answer each chunk of questions on standard input, until it ends."""
    os.nice(_NICENESS)
    _send(sys.stdout.buffer, [])
    while True:
        try:
            records = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the importing process
        except EOFError:
            return
        _send(sys.stdout.buffer, derive(records))
