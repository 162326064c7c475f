"""Rows whose keys are computed in processes beside the import."""

from __future__ import annotations

import os
import select
import signal

import pytest

from analytics.records import QuestionRecord
from questionbank.services import import_derived
from questionbank.services.import_derived import DerivedLines, derive

RECORDS = [
    QuestionRecord(
        id=str(number),
        text=f"Ann has {number} bags of {number + 1} apples. How many apples has she?",
        equation=f"{number}*{number + 1}",
    )
    for number in range(3, 60)
]


@pytest.fixture
def handed_on(monkeypatch):
    monkeypatch.setattr(import_derived, "FEWEST_ALONE", 10)
    monkeypatch.setattr(import_derived, "AT_ONCE", 5)
    return []


@pytest.fixture
def lines(handed_on):
    lines = DerivedLines(lambda *line: handed_on.append(line), processes=2)
    yield lines
    lines.close()
    assert all(process.poll() is not None for process in lines._started)


def expected() -> list[tuple]:
    return [
        (line, record, of) for line, (record, of) in enumerate(zip(RECORDS, derive(RECORDS), strict=True), 1)
    ]


def until_started(lines: DerivedLines) -> None:
    """Wait until each process has said that it is there."""
    if lines._starting:
        for process in lines._started:
            select.select([process.stdout], [], [])


def test_lines_come_in_their_order_whoever_computes_what_is_derived(lines, handed_on):
    for line, record in enumerate(RECORDS, 1):
        lines.add(line, record)
        until_started(lines)
    assert len(lines._started) == 2
    assert sum(chunk.process is not None for chunk in lines._chunks) + len(lines._idle) == 2
    lines.finish()
    assert handed_on == expected()


def test_a_process_that_is_killed_costs_no_line(lines, handed_on):
    for line, record in enumerate(RECORDS, 1):
        lines.add(line, record)
        until_started(lines)
        if line == 20:
            for process in lines._started:
                os.kill(process.pid, signal.SIGKILL)
    lines.finish()
    assert handed_on == expected()


def test_an_import_waits_for_no_process(lines, handed_on):
    for line, record in enumerate(RECORDS, 1):
        lines.add(line, record)
        if lines._started and line % 5 == 0:
            for process in lines._started:
                os.kill(process.pid, signal.SIGSTOP)
    lines.finish()
    assert handed_on == expected()


def test_a_short_file_starts_no_process(lines, handed_on):
    for line, record in enumerate(RECORDS[:10], 1):
        lines.add(line, record)
    lines.finish()
    assert (lines._started, len(handed_on)) == ([], 10)
