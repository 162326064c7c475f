from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from analytics.errors import ConfigurationError
from analytics.training.device import autocast, inference_dtype, pick_device, seed_everything, threads_for


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
