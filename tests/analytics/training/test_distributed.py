"""What one process makes of being one of several; tests/analytics/encoder/test_distributed.py starts two."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from analytics.errors import ConfigurationError, DataError
from analytics.training import distributed
from analytics.training.distributed import (
    any_process,
    broadcast_from_main,
    gather,
    gather_objects,
    is_main,
    mean_over_processes,
    process_group,
    processes,
    shard,
)


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


def test_the_shares_of_a_batch_make_the_whole_in_order(monkeypatch):
    monkeypatch.setattr(distributed, "processes", lambda: 3)
    parts = []
    for number in range(3):
        monkeypatch.setattr(distributed, "process_number", lambda number=number: number)
        parts.append(shard(np.arange(6)).tolist())
    assert parts == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(DataError, match="batch of 7 cannot be shared out evenly to 3"):
        shard(np.arange(7))


@pytest.mark.parametrize("variables", [{"WORLD_SIZE": "2"}, {"WORLD_SIZE": "two", "RANK": "0"}])
def test_variables_that_torchrun_did_not_set_are_a_clear_error(monkeypatch, variables):
    for name in ("RANK", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match="not as torchrun sets it"), process_group():
        pass
