from __future__ import annotations

import random

import numpy as np
import pytest
import torch
from torch.nn import functional

from analytics.errors import ConfigurationError
from analytics.training import device as cpu_training_module
from analytics.training.device import (
    autocast,
    cpu_training,
    fast_dropout,
    inference_dtype,
    pick_device,
    seed_everything,
    threads_for,
)
from analytics.training.loop import train_loop
from analytics.training.stages import LoopSettings


def test_a_named_device_is_taken_and_auto_finds_one():
    assert pick_device("cpu") == torch.device("cpu")
    assert pick_device().type == ("cuda" if torch.cuda.is_available() else "cpu")


@pytest.mark.parametrize(("wanted", "problem"), [("gpu", "not 'gpu'"), ("", "not ''"), ("cuda", "device is cuda")])
def test_a_device_that_is_not_there_is_named(monkeypatch, wanted, problem):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigurationError, match=problem):
        pick_device(wanted)


@pytest.mark.parametrize(
    ("cuda", "complaint", "sentence"),
    [
        (None, "", "the installed PyTorch has no CUDA; install one that has"),
        ("13.0", "Found no NVIDIA driver on your system.", "no GPU here; choose device=cpu"),
        ("13.0", "The NVIDIA driver on your system is too old (found version 11040).", "update the driver"),
    ],
)
def test_why_there_is_no_gpu_is_one_sentence_with_what_to_change(monkeypatch, cuda, complaint, sentence):
    def init() -> None:
        raise RuntimeError(complaint)

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "init", init)
    monkeypatch.setattr(torch.version, "cuda", cuda)
    with pytest.raises(ConfigurationError, match=sentence) as caught:
        pick_device("cuda")
    assert "\n" not in str(caught.value)


def test_a_gpu_multiplies_in_tf32_and_one_that_is_not_there_is_named(monkeypatch):
    before = torch.get_float32_matmul_precision()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    try:
        with pytest.raises(ConfigurationError, match="has 2 GPUs"):
            pick_device("cuda:2")
        assert torch.get_float32_matmul_precision() == before
        assert pick_device("cuda:1") == torch.device("cuda:1")
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision(before)


def test_a_processor_without_bfloat16_computes_in_full_precision(monkeypatch):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": False, "amx_bf16": False})
    assert inference_dtype(torch.device("cpu")) == torch.float32
    for flag in ("avx512_bf16", "amx_bf16"):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda flag=flag: {flag: True})
        assert inference_dtype(torch.device("cpu")) == torch.bfloat16


@pytest.mark.parametrize(("supported", "dtype"), [(True, torch.bfloat16), (False, torch.float32)])
def test_a_gpu_that_only_emulates_bfloat16_computes_in_full_precision(monkeypatch, supported, dtype):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: (
        supported or including_emulation
    ))  # fmt: skip
    assert inference_dtype(torch.device("cuda")) == dtype


def test_autocast_applies_only_to_other_formats_than_float32():
    cpu, weights = torch.device("cpu"), torch.ones(2, 2)
    with autocast(cpu, torch.bfloat16):
        assert (weights @ weights).dtype == torch.bfloat16
    with autocast(cpu, torch.float32):
        assert (weights @ weights).dtype == torch.float32


def test_small_steps_run_in_one_thread_and_large_ones_in_all():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with threads_for(1000):
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
        with threads_for(10**9):
            assert torch.get_num_threads() == 2
        with pytest.raises(RuntimeError), threads_for(1000):
            raise RuntimeError
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def draw():
    return random.random(), float(np.random.rand()), float(torch.rand(1))


def test_everything_repeats_after_the_same_seed():
    generator = seed_everything(7)
    first = (*draw(), generator.random())
    generator = seed_everything(7)
    assert (*draw(), generator.random()) == first
    generator = seed_everything(8)
    assert (*draw(), generator.random()) != first


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
