from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM

from analytics.errors import ArtifactError
from analytics.language_model.llama import load_array_llama


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


def test_it_expects_the_same_tokens_as_transformers(tiny: LlamaForCausalLM, tmp_path: Path) -> None:
    tiny.save_pretrained(tmp_path)
    model = load_array_llama(tmp_path)
    texts = [[5, 9, 2, 7], [3, 8]]

    states, memory = model.read(texts)
    every = range(60)
    assert model.logits(states, every) == pytest.approx(
        np.stack([expected(tiny, text) for text in texts]), abs=1e-4
    )

    rows = [1, 0, 1]
    states, _memory = model.read_on(memory.of(rows), [11, 12, 13])
    grown = [[*texts[row], token] for row, token in zip(rows, [11, 12, 13], strict=True)]
    assert model.logits(states, every) == pytest.approx(
        np.stack([expected(tiny, text) for text in grown]), abs=1e-4
    )


def test_an_adapter_changes_the_weights_that_it_names(tiny: LlamaForCausalLM, tmp_path: Path) -> None:
    tiny.save_pretrained(tmp_path)
    into, out_of = torch.randn(3, 24), torch.randn(32, 3)
    layer = "base_model.model.model.layers.1.mlp.up_proj"
    save_file(
        {f"{layer}.lora_A.weight": into, f"{layer}.lora_B.weight": out_of}, tmp_path / "adapter.safetensors"
    )

    plain = load_array_llama(tmp_path)._weights["model.layers.1.mlp.up_proj.weight"]
    adapted = load_array_llama(tmp_path, adapter=tmp_path / "adapter.safetensors")

    change = adapted._weights["model.layers.1.mlp.up_proj.weight"] - plain
    assert change == pytest.approx((2 * out_of @ into).numpy(), abs=1e-4)


def test_damaged_weights_are_one_sentence(tiny: LlamaForCausalLM, tmp_path: Path) -> None:
    tiny.save_pretrained(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"no weights")

    with pytest.raises(ArtifactError, match="cannot be read"):
        load_array_llama(tmp_path)
