"""Hostile and broken files are refused in a sentence, or what is bad is named; `tests.bench.hostile` measures it."""

from __future__ import annotations

import socket

import pytest

from tests.bench.hostile import CASES, fault, outcome


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_large], ids=lambda case: case.name)
def test_a_hostile_file_is_refused_or_what_is_bad_in_it_named(case, tmp_path, monkeypatch, no_hang):
    def refuse(*_args: object, **_more: object) -> None:
        raise AssertionError("a reader asked an address")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    case.make(tmp_path / case.name)
    assert fault(case, outcome(tmp_path / case.name)) == ""
