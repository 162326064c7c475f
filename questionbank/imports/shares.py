"""Reading a long file in several processes: each reads blocks of rows and sends them in COPY's format.

Parsing questions and computing their search data takes most of an import. The importing process puts the blocks
in order, looks for repeated identifiers and writes. Processes read their task from a pipe and write to one, so that
they end with the import, however it ends (a Celery worker cannot have children of `multiprocessing`).
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from itertools import chain, count, islice, zip_longest
from typing import IO, Any, NamedTuple, cast

from django.conf import settings

from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused
from questionbank.formats import Entry, read
from questionbank.formats.lines import Progress
from questionbank.formats.question_files import ItemFile, QuestionFile
from questionbank.imports.staging import StagedQuestion, staged_question

LONG_FILE = 2_000_000  # bytes; starting a process takes as long as reading two thousand questions
MOST_PROCESSES = 4
BLOCK_ROWS = 200
FORMULAS_CHECKED = 1_000  # questions of a dry run; rendering all formulas would take as long as the import
NICENESS = 5  # pages have priority
_PIPE = 1 << 20  # bytes buffered while the other shares are read
_COMMAND = (sys.executable, "-c", f"import django; django.setup(); from {__name__} import serve; serve()")

Lines = list[tuple[int, Entry | StagedQuestion]]


class _Block(NamedTuple):
    """A message from a process: lines, and its position in the file.

    Attributes:
        findings: sent last, without lines: notes on the file and names of unread fields.
        refusal: sent instead of them if the rest of the file cannot be read.
    """

    lines: Lines
    done: tuple[int, int] = (0, 0)
    findings: tuple[list[str], list[str]] | None = None
    refusal: ImportRefused | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """The blocks of a file's rows that one of several processes reads.

    Attributes:
        arguments: those of `questionbank.formats.read`.
        source: the set of questions that do not name one.
        rows: number of rows per block.
    """

    arguments: Mapping[str, Any]
    source: str
    processes: int
    rows: int
    index: int = 0

    def read(self) -> Iterator[_Block]:
        """Yield its blocks, the last with findings or a refusal."""
        done, records = (0, 0), 0

        def note_progress(*bytes_read: int) -> None:
            nonlocal done
            done = (bytes_read[0], bytes_read[1])

        file = read(**self.arguments, progress=note_progress)
        assert isinstance(file, QuestionFile)  # noqa: S101
        try:
            for entries in file.share(self.index, self.processes, rows=self.rows):
                lines: Lines = []
                for line, entry in entries:
                    staged: Entry | StagedQuestion = entry
                    if isinstance(entry, QuestionRecord):
                        records += 1
                        staged = staged_question(entry, source=self.source)
                        if records > FORMULAS_CHECKED:
                            staged = staged._replace(record=None)
                    lines.append((line, staged))
                yield _Block(lines, done)
        except ImportRefused as error:
            yield _Block([], refusal=error)
        else:
            yield _Block([], findings=(file.notes, file.unread))

    def started(self) -> subprocess.Popen[bytes]:
        """Start a process that reads the share."""
        process = subprocess.Popen(
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(settings.BASE_DIR), *sys.path])},
            process_group=0,  # Ctrl-C is only for the importing process
            pipesize=_PIPE,
        )
        with suppress(OSError), cast(IO[bytes], process.stdin) as stdin:  # a dead process sends no blocks
            pickle.dump(self, stdin)
        return process

    def received(self, process: subprocess.Popen[bytes]) -> Iterator[_Block]:
        """Yield the blocks from a process; if it died, read the remaining blocks in this process."""
        for number in count():
            try:
                block: _Block = pickle.load(cast(IO[bytes], process.stdout))  # noqa: S301 - from our own process
            except (EOFError, pickle.UnpicklingError):
                yield from islice(self.read(), number, None)
                return
            yield block
            if block.findings or block.refusal:
                return


class SharedFile:
    """A file of questions read by several processes; iterating yields the same as reading it in one.

    Args:
        share: the share of the whole file.
    """

    def __init__(self, file: QuestionFile, share: Share, *, progress: Progress) -> None:
        self.layout, self.format, self.label = file.layout, file.format, file.label
        self.notes: list[str] = []
        self.unread: list[str] = []
        self._file, self._share, self._progress = file, share, progress

    def __iter__(self) -> Iterator[tuple[int, Entry | StagedQuestion]]:
        """Yield (line number, entry) pairs.

        Raises:
            ImportRefused: the file, or the rest of it, cannot be read.
        """
        shares = [replace(self._share, index=index) for index in range(self._share.processes)]
        with ExitStack() as running:
            streams = []
            for share in shares:
                process = running.enter_context(share.started())
                running.callback(process.kill)
                streams.append(share.received(process))
            in_order = chain.from_iterable(zip_longest(*streams))
            yield from self._file.without_repeats(chain.from_iterable(map(self._lines, in_order)))

    def _lines(self, block: _Block | None) -> Lines:
        if block is None:
            return []
        if block.refusal:
            raise block.refusal
        if block.findings:
            for known, found in zip((self.notes, self.unread), block.findings, strict=True):
                known += [name for name in found if name not in known]
        else:
            self._progress(*block.done)
        return block.lines


def shared(
    file: QuestionFile | ItemFile, arguments: Mapping[str, Any], *, source: str, progress: Progress
) -> QuestionFile | ItemFile | SharedFile:
    """Return the file, wrapped to be read in several processes if that is faster.

    Args:
        arguments: those with which `questionbank.formats.read` opened it.
        source: the set of questions that do not name one.
    """
    processes = min(len(os.sched_getaffinity(0)), MOST_PROCESSES)
    if isinstance(file, ItemFile) or file.layout.sheet or processes < 2 or file.path.stat().st_size < LONG_FILE:
        return file
    share = Share({**arguments, "layout": file.layout}, source, processes, BLOCK_ROWS)
    return SharedFile(file, share, progress=progress)


def serve() -> None:
    """Read the share given on standard input, and write its blocks to standard output."""
    os.nice(NICENESS)
    share: Share = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the importing process
    for block in share.read():
        pickle.dump(block, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
        sys.stdout.buffer.flush()
