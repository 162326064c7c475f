"""What one machine's processes share: contrasts within a batch, messages, places."""

from __future__ import annotations

import json
import os
import sys
from functools import partial

import pytest

from analytics import __main__ as command
from analytics.training import share
from analytics.training.launch import START, Place, Told, Work, local_address, write_work
from tests.analytics.started_together import run_two
from tests.analytics.training.two_shares import all_losses


def test_contrasts_within_a_batch_are_those_of_one_process(tmp_path):
    run_two("tests.analytics.training.two_shares", tmp_path)
    alone = all_losses()
    assert set(alone) == {"retriever pairs", "retriever all", "scorer single", "scorer combined"}
    assert all(alone.values())
    for number in range(2):
        together = json.loads((tmp_path / f"process-{number}.json").read_text() or "{}")
        for name, losses in together.items():
            assert losses == (pytest.approx(alone[name], abs=1e-3) if number == 0 else []), name


def test_messages_are_read_once_and_only_whole_ones(tmp_path):
    told, path = Told(tmp_path), tmp_path / "told-12.jsonl"
    path.write_text('{"kind": "began"}\n{"kind": "li')
    assert list(told) == [(12, {"kind": "began"})]
    assert list(told) == []
    with path.open("a") as stream:
        stream.write('ne", "text": "a"}\n')
    assert list(told) == [(12, {"kind": "line", "text": "a"})]


def test_torchrun_is_told_the_place_of_the_machine():
    options = Place(4, 2, 1, "10.0.0.1:29500", 60).torchrun()
    assert options == [
        "--nnodes=2", "--node-rank=1", "--nproc-per-node=4", "--master-addr=10.0.0.1", "--master-port=29500",
        "--rdzv-conf=timeout=60", "--max-restarts=0",
    ]  # fmt: skip
    assert Place(1, 1, address="[::1]:29500").torchrun()[3] == "--master-addr=::1"
    assert "--master-addr=127.0.0.1" in Place(2).torchrun()


def test_processes_use_the_network_by_which_the_first_machine_is_reached(monkeypatch):
    monkeypatch.setenv("NCCL_SOCKET_IFNAME", "ib0")
    assert local_address("127.0.0.1") == "127.0.0.1"
    names = Place(2, address="127.0.0.1:5000").environment()
    assert names == {"GLOO_SOCKET_IFNAME": "lo", "TP_SOCKET_IFNAME": "lo"}
    assert Place(2).environment() == {}


def test_a_process_takes_the_work_from_the_folder_and_tells_how_it_went(tmp_path, monkeypatch):
    monkeypatch.setenv("RANK", "0")
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    (tmp_path / START).write_text("/models/7")
    write_work(
        tmp_path, Work(partial(_train, "data", start="/elsewhere/7"), tmp_path, None, {"name": "mine"})
    )
    assert share.main(tmp_path) == 1
    assert [message for _number, message in Told(tmp_path)] == [
        {"kind": "began"},
        {"kind": "line", "text": "data /models/7 mine"},
        {"kind": "failed", "text": "Too few questions."},
    ]


def _train(data, output, context, *, start):
    from analytics.errors import DataError

    context.say(f"{data} {start} {context.name}")
    raise DataError("Too few questions.")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--set", "nodes=2"], "--first HOST:PORT must say where the first machine is"),
        (["--set", "nodes=2", "--first", "a:1", "--node", "2"], "--node must be below 2"),
        (["--set", "processes=3"], "batch_size must be a multiple of 3 for 3 processes, not 32"),
    ],
)
def test_a_command_says_what_lacks_for_many_processes(options, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert command.main(["train", "encoder", "--data", "q", "--output", str(tmp_path), *options]) == 1
    assert sentence in capsys.readouterr().err


def test_a_command_for_many_processes_becomes_torchrun_with_itself(tmp_path, monkeypatch):
    class Became(Exception):
        pass

    def become(program, words, _environment):
        raise Became(program, words)

    monkeypatch.delenv("WORLD_SIZE", raising=False)
    monkeypatch.setattr(os, "execve", become)
    words = ["train", "encoder", "--data", "q", "--output", str(tmp_path), "--set", "processes=2"]
    monkeypatch.setattr(sys, "argv", ["analytics", *words])
    with pytest.raises(Became) as became:
        command.main(words)
    program, started = became.value.args
    assert started[:3] == [program, "-m", "torch.distributed.run"]
    assert started[started.index("-m", 3) :] == ["-m", "analytics", *words]
