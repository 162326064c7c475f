"""Training of the adapter that writes equations, on a tiny model, and the product's reading of it."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

from analytics.artifacts import artifact_read
from analytics.language_model.equations import load_llama
from analytics.records import ProblemRecord
from analytics.solver.second_opinion import ADAPTER_FOLDER, load_equation_writer
from worker.solver import equation_writer
from worker.solver.equation_writer import main, train_adapter, writable_pairs, write_adapter
from worker.solver.starter_data import STARTER_SETS

CHARACTERS = "\nabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789.,:?+-*/^()%"
PAIRS = [("Ann has 3 pens and buys 4. How many?", "3+4"), ("Ben had 9 and lost 2. How many are left?", "9-2")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of a tiny model that reads character by character."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(CHARACTERS), hidden_size=24, intermediate_size=32, num_hidden_layers=2, num_attention_heads=6,
        num_key_value_heads=2, max_position_embeddings=512, tie_word_embeddings=True,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(tmp_path / "tiny")
    tokens = {character: number for number, character in enumerate(CHARACTERS)}
    tokenizer = Tokenizer(models.WordLevel(tokens, unk_token=" "))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.save(str(tmp_path / "tiny" / "tokenizer.json"))
    return tmp_path / "tiny"


def test_the_command_writes_an_adapter_of_the_shipped_form(folder: Path, tmp_path: Path) -> None:
    sets = STARTER_SETS["en"]
    for name in {*sets.learned, *sets.measured, *sets.equal_texts, *sets.reworded}:
        path = tmp_path / f"{name}.jsonl.gz"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(b""))
    output = tmp_path / "adapter"

    main(f"--data {tmp_path} --model {folder} --output {output} --steps 2 --everyday 30 --synthetic 30".split())

    described, shipped = artifact_read(output), artifact_read(ADAPTER_FOLDER)
    assert described.metrics["steps"] == 2
    assert described.license_note == shipped.license_note
    assert {described.config[name] == shipped.config[name] for name in described.config} == {True}
    names = {name for name in load_file(ADAPTER_FOLDER / "adapter_model.safetensors") if ".layers.1." in name}
    ours = load_file(output / "adapter_model.safetensors")
    assert {name for name in ours if ".layers.1." in name} == names
    assert load_equation_writer(folder, output).write(["Problem: "], ["3 and 4"], seconds=0) is not None


def test_the_product_reads_the_model_that_was_trained(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(equation_writer, "LEARNING_RATE", 0.5)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)

    adapted, metrics = train_adapter(model, tokenizer, PAIRS, seed=1, steps=2, minutes=1)
    write_adapter(adapted, tmp_path / "adapter", equation_writer.Manifest("solver", "tiny"))

    assert metrics["problems_seen"] == 4
    ids = tokenizer.encode("Problem: 3 and 4\nEquation: 3+4").ids
    with torch.inference_mode():
        expected = adapted(torch.tensor([ids])).logits[0, -1].numpy()

    def read(adapter: Path | None) -> np.ndarray:
        llama = load_llama(folder, tmp_path / "adapter" / "llama.onnx", adapter=adapter)
        return llama.logits(llama.read([ids])[0], range(len(CHARACTERS)))[0]

    assert read(tmp_path / "adapter" / "adapter_model.safetensors") == pytest.approx(expected, abs=5e-3)
    assert np.abs(read(None) - expected).max() > 5e-2


def test_only_equations_under_the_grammar_are_learned() -> None:
    told = [("3 pens and 4 more?", "3+4"), ("3 pens and 4 more?", "3+41"), ("3 pens?", "3/0"), ("3 pens?", "")]

    pairs = writable_pairs(
        ProblemRecord(str(number), text, "en", equation=equation) for number, (text, equation) in enumerate(told)
    )

    assert pairs == [("3 pens and 4 more?", "3+4")]
