"""Dropout and attention while a CPU trains: what they compute, and that nobody else gets them."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from analytics.training import cpu_training as cpu_training_module
from analytics.training.cpu_training import cpu_training, fast_dropout
from analytics.training.loop import train_loop
from analytics.training.stages import LoopSettings

CPU = torch.device("cpu")


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_dropout_drops_a_share_and_keeps_the_mean(p: float) -> None:
    torch.manual_seed(0)
    values = torch.ones(1000, 1001)
    dropped = fast_dropout(values, p)
    assert (dropped == 0).float().mean().item() == pytest.approx(p, abs=0.004)
    assert dropped.mean().item() == pytest.approx(1, abs=0.004)


def test_each_element_is_dropped_by_itself() -> None:
    torch.manual_seed(0)
    zeros = (fast_dropout(torch.ones(200_000), 0.5) == 0).float() - 0.5
    for step in (1, 2, 7, 8, 9, 64):
        assert abs((zeros[step:] * zeros[:-step]).mean().item()) < 0.01 / 4


def test_dropout_repeats_with_the_seed_and_its_gradient_follows_the_mask() -> None:
    masks = []
    for _attempt in range(2):
        torch.manual_seed(3)
        values = torch.ones(7, 11, requires_grad=True)
        kept = fast_dropout(values, 0.25)
        kept.sum().backward()
        assert torch.equal(values.grad, kept)
        masks.append(kept.detach())
    assert torch.equal(*masks)


@pytest.mark.parametrize(("p", "mean"), [(0.0, 1.0), (1.0, 0.0)])
def test_dropout_of_nothing_and_of_everything(p: float, mean: float) -> None:
    assert fast_dropout(torch.ones(9), p).mean().item() == mean


@pytest.mark.parametrize("mask", ["none", "boolean", "additive"])
def test_attention_is_pytorchs_when_nothing_is_dropped(mask: str) -> None:
    torch.manual_seed(1)
    query, key, value = (torch.randn(2, 3, 5, 8, requires_grad=True) for _each in range(3))
    visible = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], dtype=torch.bool)[:, None, None]
    given = {"none": None, "boolean": visible, "additive": torch.zeros(2, 1, 1, 5).masked_fill(~visible, -1e9)}[mask]

    def attended() -> list[torch.Tensor]:
        states = functional.scaled_dot_product_attention(query, key, value, attn_mask=given, dropout_p=0.0)
        return [states, *torch.autograd.grad(states.square().sum(), (query, key, value))]

    with cpu_training(CPU):
        ours = attended()
    for tensor, expected in zip(ours, attended(), strict=True):
        torch.testing.assert_close(tensor, expected)


def test_only_training_is_changed() -> None:
    values = torch.ones(50)
    layer = torch.nn.Dropout(0.5)
    with cpu_training(CPU):
        assert layer.eval()(values) is values
        torch.manual_seed(5)
        inside = layer.train()(values)
    torch.manual_seed(5)
    assert torch.equal(inside, fast_dropout(values, 0.5))
    torch.manual_seed(5)
    outside = layer(values)
    torch.manual_seed(5)
    assert torch.equal(outside, functional.dropout(values, 0.5))


@pytest.mark.parametrize("given", [((None, 0.0, True), {}), ((), {"is_causal": True}), ((), {"scale": 0.5})])
def test_attention_takes_what_pytorchs_takes(given) -> None:
    query = torch.randn(1, 1, 4, 8, requires_grad=True)
    positional, named = given
    with cpu_training(CPU):
        inside = functional.scaled_dot_product_attention(query, query, query, *positional, **named)
    expected = functional.scaled_dot_product_attention(query, query, query, *positional, **named)
    torch.testing.assert_close(inside, expected)


class _Task:
    """A layer with dropout and attention; counts what the loop's mode replaces."""

    def __init__(self) -> None:
        self.layer = torch.nn.Linear(8, 8)

    def modules(self) -> dict[str, torch.nn.Module]:
        return {"layer": self.layer}

    def parameter_groups(self) -> list[dict[str, object]]:
        return [{"params": list(self.layer.parameters())}]

    def batches(self, _epoch: int) -> list[torch.Tensor]:
        return [torch.ones(1, 1, 4, 8)]

    def batches_per_epoch(self) -> int:
        return 1

    def losses(self, batch: torch.Tensor, _step: object) -> dict[str, torch.Tensor]:
        states = functional.dropout(self.layer(batch), 0.5)
        attended = functional.scaled_dot_product_attention(states, states, states, dropout_p=0.1)
        return {"loss": attended.square().mean()}

    def after_step(self) -> None:
        functional.dropout(torch.ones(4), 0.5)

    def evaluate(self) -> dict[str, float]:
        return {}


def test_the_loop_trains_with_it_on_a_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def counted(values: torch.Tensor, p: float) -> torch.Tensor:
        asked.append(p)
        return fast_dropout(values, p)

    monkeypatch.setattr(cpu_training_module, "fast_dropout", counted)
    train_loop(_Task(), LoopSettings(max_steps=1, dtype=torch.bfloat16), device=CPU)
    assert asked == [0.5, 0.1]
