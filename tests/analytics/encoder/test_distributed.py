"""Two processes that share every batch learn what one process learns."""

from __future__ import annotations

import pytest
import torch

from analytics.training.context import TrainingContext
from analytics.training.loop import train_loop
from tests.analytics.encoder.two_processes import SETTINGS, state, task
from tests.analytics.history import History
from tests.analytics.started_together import run_two


@pytest.fixture(scope="module")
def together(tmp_path_factory) -> list[dict]:
    """What each of two processes left, one of which was terminated after three steps."""
    folder = tmp_path_factory.mktemp("together")
    run_two("tests.analytics.encoder.two_processes", folder)
    return [torch.load(folder / f"process-{rank}.pt", weights_only=True) for rank in range(2)]


def test_two_processes_have_the_losses_and_weights_of_one(together: list[dict]):
    alone, history = task(), History()
    train_loop(alone, SETTINGS, device=torch.device("cpu"), context=TrainingContext(callbacks=(history,)))
    main, second = together
    steps, losses = zip(*history.series("loss"), strict=True)
    steps_together, losses_together = zip(*main["losses"], strict=True)
    assert steps == steps_together == tuple(range(1, 13))
    torch.testing.assert_close(torch.tensor(losses_together), torch.tensor(losses), rtol=1e-4, atol=1e-4)
    untrained = state(task())
    for module, tensors in state(alone).items():
        for name, tensor in tensors.items():
            assert torch.equal(main["state"][module][name], second["state"][module][name]), name
            if not name.endswith(
                "self.key.bias"
            ):  # softmax ignores it: its gradient is rounding, which Adam scales up
                torch.testing.assert_close(
                    main["state"][module][name], tensor, rtol=1e-3, atol=1e-4, msg=name
                )
    moved = alone.query_encoder.projector[0].weight - untrained["query_encoder"]["projector.0.weight"]
    assert moved.abs().max() > 0.01


def test_every_queue_holds_the_keys_of_all_in_one_order(together: list[dict]):
    alone = task()
    train_loop(alone, SETTINGS, device=torch.device("cpu"))
    labels = [result["state"]["queue"]["labels"].tolist() for result in together]
    assert labels[0] == labels[1] == alone.queue.labels.tolist()
    assert -1 not in labels[0]


def test_a_signal_to_one_process_stops_all_and_only_the_main_one_reports_and_saves(together: list[dict]):
    for result in together:
        assert result["stopped"] == "Training was stopped after 3 of 12 steps."
        assert result["checkpoints"] == ["checkpoint.pt"]
        assert result["last"] == {"measured": 0.5}
    assert [result["is_main"] for result in together] == [True, False]
    assert together[1]["losses"] == []
