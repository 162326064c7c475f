"""Two processes that torchrun starts learn what one process learns."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from analytics import __main__ as command
from analytics.backbone import export
from analytics.errors import ConfigurationError, DataError
from analytics.training import distributed
from analytics.training.context import TrainingContext
from analytics.training.distributed import (
    any_process,
    broadcast_from_main,
    check_own_device,
    gather,
    gather_objects,
    is_main,
    mean_over_processes,
    process_group,
    processes,
    shard,
)
from analytics.training.loop import train_loop
from tests.analytics.history import History
from tests.analytics.training.two_processes import (
    CPU,
    ROOT,
    SETTINGS,
    arguments,
    check_same_artifact,
    check_same_weights,
    contrast_losses,
    gathered_gradient,
    no_graph,
    pretraining,
    state,
    write_material,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where two processes trained."""
    made: Path = tmp_path_factory.mktemp("together")
    write_material(made)
    finished = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"),
            *("-m", "tests.analytics.training.two_processes", str(made)),
        ],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return made


@pytest.fixture(scope="module")
def together(folder: Path) -> list[dict[str, Any]]:
    """What each of the two processes left."""
    return [torch.load(folder / f"process-{rank}.pt", weights_only=True) for rank in range(2)]


def test_two_processes_have_the_losses_weights_and_queue_of_one(together):
    alone, history = pretraining(), History()
    train_loop(alone, SETTINGS, device=CPU, context=TrainingContext(callbacks=(history,)))
    main, second = (result["pretraining"] for result in together)
    steps, losses = zip(*history.series("loss"), strict=True)
    steps_together, losses_together = zip(*main["losses"], strict=True)
    assert steps == steps_together == tuple(range(1, 13))
    torch.testing.assert_close(torch.tensor(losses_together), torch.tensor(losses), rtol=1e-4, atol=1e-4)
    untrained = state(pretraining())
    for module, tensors in state(alone).items():
        for name in tensors:
            assert torch.equal(main["state"][module][name], second["state"][module][name]), name
        check_same_weights(main["state"][module], tensors)
    moved = alone.query_encoder.projector[0].weight - untrained["query_encoder"]["projector.0.weight"]
    assert moved.abs().max() > 0.01
    assert main["state"]["queue"]["labels"].tolist() == alone.queue.labels.tolist()
    assert -1 not in alone.queue.labels.tolist()


def test_a_signal_to_one_process_stops_all_and_only_the_main_one_reports_and_saves(together):
    for result in together:
        assert result["pretraining"]["stopped"] == "Training was stopped after 3 of 12 steps."
        assert result["pretraining"]["checkpoints"] == ["checkpoint.pt"]
        assert result["pretraining"]["last"] == {"measured": 0.5}
    assert together[1]["pretraining"]["losses"] == []


def test_contrasts_within_a_batch_are_those_of_one_process(together):
    alone = contrast_losses()
    assert set(alone) == {"retriever pairs", "retriever all", "scorer single", "scorer combined"}
    assert all(alone.values())
    main, second = (result["contrasts"] for result in together)
    for name, losses in alone.items():
        assert main[name] == pytest.approx(losses, abs=1e-3), name
        assert second[name] == []
    mean = (together[0]["gradient"] + together[1]["gradient"]) / 2  # as DDP takes it; Adam would hide a factor
    torch.testing.assert_close(mean, gathered_gradient())


def test_the_command_under_torchrun_writes_the_artifact_of_one_process(folder, together, monkeypatch):
    monkeypatch.setattr(export, "_export_graph", no_graph)
    assert [result["code"] for result in together] == [0, 0]
    assert command.main(arguments(folder, "alone")) == 0
    check_same_artifact(folder / "together", folder / "alone")


def test_without_torchrun_there_is_one_process_and_nothing_to_do(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with process_group():
        assert (processes(), is_main()) == (1, True)
        assert shard(np.arange(5)).tolist() == [0, 1, 2, 3, 4]
        assert gather(torch.ones(2, requires_grad=True)).tolist() == [1, 1]
        assert gather_objects("a") == ["a"]
        assert (any_process(True), any_process(False)) == (True, False)
        assert mean_over_processes({"loss": 2.0}) == {"loss": 2.0}
        assert broadcast_from_main(lambda: 7) == 7
        check_own_device("cuda:1")


def test_the_shares_of_a_batch_make_the_whole_in_order(monkeypatch):
    monkeypatch.setattr(distributed, "processes", lambda: 3)
    parts = []
    for number in range(3):
        monkeypatch.setattr(distributed, "process_number", lambda number=number: number)
        parts.append(shard(np.arange(6)).tolist())
    assert parts == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(DataError, match="3 processes cannot share a batch of 7 evenly: choose a multiple of 3"):
        shard(np.arange(7))
    with pytest.raises(ConfigurationError, match="device must be cuda for 3 processes, not cuda:1"):
        check_own_device("cuda:1")


@pytest.mark.parametrize(
    ("variables", "cards", "sentence"),
    [
        ({"WORLD_SIZE": "2"}, 0, "WORLD_SIZE is set, but not by torchrun"),
        ({"WORLD_SIZE": "two", "RANK": "0"}, 0, "WORLD_SIZE is set, but not by torchrun"),
        ({"WORLD_SIZE": "2", "RANK": "0"}, 2, "WORLD_SIZE is set, but not by torchrun"),
        ({"WORLD_SIZE": "4", "LOCAL_RANK": "2"}, 2, "--nproc-per-node must be at most 2, the GPUs"),
    ],
)
def test_processes_that_torchrun_cannot_have_started_so_are_refused(monkeypatch, variables, cards, sentence):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cards)
    for name in ("RANK", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=sentence), process_group():
        pass
