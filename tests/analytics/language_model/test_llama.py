from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM

from analytics.errors import ArtifactError
from analytics.language_model.equations import load_llama
from analytics.language_model.llama_graph import write_llama_graph
from analytics.solver.second_opinion import ADAPTER_FOLDER


@pytest.fixture(scope="module")
def tiny() -> LlamaForCausalLM:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=60, hidden_size=24, intermediate_size=32, num_hidden_layers=2, num_attention_heads=6,
        num_key_value_heads=2, max_position_embeddings=64, tie_word_embeddings=True,
    )  # fmt: skip
    return LlamaForCausalLM(config).eval()


def expected(model: LlamaForCausalLM, ids: list[int]) -> np.ndarray:
    with torch.inference_mode():
        return model(torch.tensor([ids])).logits[0, -1].numpy()


def saved(model: LlamaForCausalLM, folder: Path) -> Path:
    """Save a model; return its graph."""
    model.save_pretrained(folder)
    write_llama_graph(model.config.to_dict(), folder / "llama.onnx")
    return folder / "llama.onnx"


def test_it_expects_the_same_tokens_as_transformers(tiny: LlamaForCausalLM, tmp_path: Path) -> None:
    model = load_llama(tmp_path, saved(tiny, tmp_path))
    texts = [[5, 9, 2, 7], [3, 8]]

    states, memory = model.read(texts)
    every = range(60)
    assert model.logits(states, every) == pytest.approx(np.stack([expected(tiny, text) for text in texts]), abs=1e-4)

    rows = [1, 0, 1]
    states, _memory = model.read_on(memory.of(rows), [11, 12, 13])
    grown = [[*texts[row], token] for row, token in zip(rows, [11, 12, 13], strict=True)]
    assert model.logits(states, every) == pytest.approx(np.stack([expected(tiny, text) for text in grown]), abs=1e-4)


def test_an_adapter_changes_the_weights_that_it_names(tiny: LlamaForCausalLM, tmp_path: Path) -> None:
    graph = saved(tiny, tmp_path)
    into, out_of = torch.randn(3, 24), torch.randn(32, 3)
    layer = "model.layers.1.mlp.up_proj"
    weights = {f"base_model.model.{layer}.lora_{side}.weight": each for side, each in (("A", into), ("B", out_of))}
    save_file(weights, tmp_path / "adapter.safetensors")
    adapted = copy.deepcopy(tiny)
    adapted.get_submodule(layer).weight.data += 2 * out_of @ into

    model = load_llama(tmp_path, graph, adapter=tmp_path / "adapter.safetensors")

    states, _memory = model.read([[5, 9, 2, 7]])
    assert model.logits(states, range(60))[0] == pytest.approx(expected(adapted, [5, 9, 2, 7]), abs=1e-4)
    assert np.abs(expected(adapted, [5, 9, 2, 7]) - expected(tiny, [5, 9, 2, 7])).max() > 1e-2


def test_damaged_weights_are_one_sentence(tiny: LlamaForCausalLM, tmp_path: Path) -> None:
    graph = saved(tiny, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"no weights")

    with pytest.raises(ArtifactError, match="cannot be read"):
        load_llama(tmp_path, graph)


def test_a_graph_of_another_model_is_one_sentence(tiny: LlamaForCausalLM, tmp_path: Path) -> None:
    graph = saved(tiny, tmp_path)
    write_llama_graph(tiny.config.to_dict() | {"num_hidden_layers": 3}, graph)

    with pytest.raises(ArtifactError, match=r"llama\.onnx is not a model that can be run"):
        load_llama(tmp_path, graph)


def test_the_shipped_graph_is_the_one_that_is_written_today(tmp_path: Path) -> None:
    config = {
        "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9,
        "num_key_value_heads": 3, "rms_norm_eps": 1e-5,
    }  # fmt: skip

    write_llama_graph(config, tmp_path / "llama.onnx")

    assert (tmp_path / "llama.onnx").read_bytes() == (ADAPTER_FOLDER / "llama.onnx").read_bytes()
