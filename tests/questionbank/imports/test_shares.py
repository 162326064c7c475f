"""A long file that several processes read."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
from pathlib import Path
from types import SimpleNamespace

import pytest

from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused
from questionbank.formats import read
from questionbank.imports import shares as import_shares
from questionbank.imports.shares import Share, SharedFile, shared
from questionbank.imports.staging import staged_question

ROWS = [
    {
        "id": str(number % 45),  # some stand twice
        "text": f"Ann has {number} bags\tof {number + 1} apples \\ of\n$\\frac{{1}}{{2}}$ kg. 多少?",
        "equation": f"{number}*{number + 1}",
        "concepts": [["Arithmetic", f"Topic {number % 3}"]],
        "remarks": "not read",
        "difficulty": "hard" if number % 2 else "easy",
    }
    for number in range(3, 60)
]
ROWS[20]["text"] = ""


@pytest.fixture(autouse=True)
def short_files_are_shared(monkeypatch):
    monkeypatch.setattr(import_shares, "LONG_FILE", 0)
    monkeypatch.setattr(import_shares, "BLOCK_ROWS", 5)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 1})


@pytest.fixture(params=["rows.jsonl", "rows.csv"])
def path(tmp_path, request):
    path = tmp_path / request.param
    if path.suffix == ".csv":
        cells = [(row["text"].replace("\n", " "), row["id"], row["difficulty"]) for row in ROWS]
        path.write_text("text,id,difficulty\n" + "\n".join(map(",".join, cells)))
    else:
        path.write_text("\n".join(map(json.dumps, ROWS)))
    return path


def opened(path: Path) -> SharedFile:
    arguments = {"path": path, "scale": "", "without": ()}
    file = shared(read(**arguments), arguments, source="set", progress=lambda _done, _total: None)
    assert isinstance(file, SharedFile)
    return file


def entries(file) -> list[tuple]:
    return [
        (line, staged_question(entry, source="set") if isinstance(entry, QuestionRecord) else entry)
        for line, entry in file
    ]


class DeadProcess(SimpleNamespace):
    """Has sent so many blocks of its share."""

    @classmethod
    def of(cls, share, blocks=0):
        sent = [pickle.dumps(block) for block, _number in zip(share.read(), range(blocks), strict=False)]
        return cls(stdout=io.BytesIO(b"".join(sent)), kill=lambda: None)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        pass


@pytest.mark.parametrize("path", ["rows.jsonl"], indirect=True)
def test_several_processes_read_what_one_reads_and_end(path, monkeypatch):
    start, processes = Share.started, []
    monkeypatch.setattr(Share, "started", lambda share: processes.append(start(share)) or processes[-1])
    alone, file = read(path), opened(path)
    assert entries(file) == entries(alone)
    assert (file.notes, file.unread) == (alone.notes, alone.unread)
    assert (len(file.notes), file.unread) == (1, ["remarks"])
    assert [process.poll() is None for process in processes] == [False, False]


def test_what_dead_processes_owe_is_read_all_the_same(path, monkeypatch):
    monkeypatch.setattr(Share, "started", lambda share: DeadProcess.of(share, blocks=2 * share.index))
    assert entries(opened(path)) == entries(read(path))


def test_a_damaged_file_is_refused_as_a_whole(path, monkeypatch):
    monkeypatch.setattr(Share, "started", lambda share: DeadProcess.of(share, blocks=100 * share.index))
    damaged = path.with_name(f"{path.name}.gz")
    damaged.write_bytes(gzip.compress(path.read_bytes())[:-9])
    with pytest.raises(ImportRefused, match="cut off"):
        entries(opened(damaged))


def test_a_short_file_is_read_in_one_process(path, monkeypatch):
    monkeypatch.setattr(import_shares, "LONG_FILE", 1_000_000)
    file = read(path)
    assert shared(file, {}, source="", progress=lambda _done, _total: None) is file
