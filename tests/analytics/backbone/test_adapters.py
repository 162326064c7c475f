"""Low-rank adapters: only they learn, and once merged or saved nobody can tell that they were there."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from analytics.backbone import adapters, bert
from analytics.backbone.adapters import (
    ADAPTER_CONFIG_NAME,
    ADAPTER_NAME,
    add_adapters,
    load_adapter,
    merge_adapters,
    save_adapter,
)
from analytics.backbone.backbone import Head, save_head
from analytics.backbone.bert import Backbone
from analytics.encoder.config import EncoderConfig
from analytics.encoder.pretraining import EncoderExample, PretrainingTask
from analytics.errors import BackboneError, Cancelled
from analytics.training.context import TrainingContext
from analytics.training.device import seed_everything
from analytics.training.loop import train_loop
from analytics.training.stages import LoopSettings
from tests.tiny_backbone import tiny_backbone

TEXTS = ["what is 2 + 3?", "find the area of a circle of radius 7.", "x"]


def adapted(seed: int = 5) -> Backbone:
    """A tiny encoder whose adapters have learnt something: as they begin, they change nothing."""
    backbone = tiny_backbone()
    add_adapters(backbone, rank=4)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in backbone.model.named_parameters():
            if "lora_" in name:
                parameter.normal_(std=0.1, generator=generator)
    return backbone


def vectors(backbone: Backbone) -> torch.Tensor:
    with torch.no_grad():
        return backbone.embed(*backbone.batch(TEXTS))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    save_adapter(adapted(), tmp_path / "adapter")
    return tmp_path / "adapter"


def test_fresh_adapters_change_nothing_and_trained_ones_do():
    backbone = tiny_backbone()
    before = vectors(backbone)
    add_adapters(backbone, rank=4)
    assert torch.equal(vectors(backbone), before)
    assert (vectors(adapted()) - before).abs().max() > 0.05


def test_only_adapter_weights_are_trainable_and_every_linear_layer_has_them():
    backbone = adapted()
    trainable = [name for name, parameter in backbone.model.named_parameters() if parameter.requires_grad]
    linear = [
        name
        for name, module in tiny_backbone().model.named_modules()
        if isinstance(module, nn.Linear) and not name.startswith("pooler")
    ]
    assert len(linear) == 12
    assert all(".lora_A." in name or ".lora_B." in name for name in trainable)
    for layer in linear:
        assert sum(f".{layer}.lora_" in name for name in trainable) == 2


def test_merged_equals_unmerged_and_is_a_plain_transformer():
    backbone, plain = adapted(), tiny_backbone()
    before = vectors(backbone)
    merge_adapters(backbone)
    torch.testing.assert_close(vectors(backbone), before, rtol=0, atol=1e-5)
    assert list(backbone.model.state_dict()) == list(plain.model.state_dict())
    assert type(backbone.model) is type(plain.model)
    assert backbone.weights_hash != plain.weights_hash
    assert all(parameter.requires_grad for parameter in backbone.model.parameters())


def test_saved_loaded_and_merged_equals_what_was_trained(saved: Path):
    fresh = tiny_backbone()
    load_adapter(fresh, saved)
    torch.testing.assert_close(vectors(fresh), vectors(adapted()), rtol=0, atol=1e-3)
    assert not any("lora" in name for name in fresh.model.state_dict())


@pytest.fixture
def packaged(monkeypatch) -> list[str]:
    """The tiny encoder as a packaged one; the names that are loaded."""
    plain, loaded = tiny_backbone(), []
    monkeypatch.setitem(adapters.PACKAGED, plain.name, SimpleNamespace(sha256=plain.weights_hash))

    def load(name: str, *, max_tokens: int, device: str) -> Backbone:
        loaded.append(name)
        return tiny_backbone()

    monkeypatch.setattr(bert, "load_backbone", load)
    return loaded


def load_trainable(folder: Path, rank: int) -> Backbone:
    return bert.load_trainable(str(folder), rank=rank, max_tokens=64, device="cpu")


def test_a_model_trained_through_an_adapter_goes_on_with_it(saved: Path, packaged: list[str]):
    further = load_trainable(saved.parent, 4)
    torch.testing.assert_close(vectors(further), vectors(adapted()), rtol=0, atol=1e-3)
    learning = [name for name, weight in further.model.named_parameters() if weight.requires_grad]
    assert learning
    assert all("lora_" in name for name in learning)
    anew = load_trainable(saved.parent, 2)  # an adapter of another rank is not gone on with
    assert torch.equal(vectors(anew), vectors(tiny_backbone()))
    plain = load_trainable(saved.parent, 0)
    assert all(weight.requires_grad for weight in plain.model.parameters())
    assert packaged == [tiny_backbone().name, str(saved.parent), str(saved.parent)]


def test_a_model_with_a_head_can_go_on_again_and_again(saved: Path, tmp_path: Path, packaged: list[str]):
    trained = adapted()
    trained.head = Head.linear(2 * torch.eye(trained.dimension))
    save_head(trained, saved)
    further = load_trainable(saved.parent, 4)
    assert further.head is not None
    save_adapter(further, tmp_path / "second" / "adapter")
    save_head(further, tmp_path / "second" / "adapter")
    torch.testing.assert_close(vectors(load_trainable(tmp_path / "second", 4)), vectors(further), rtol=0, atol=1e-3)
    assert packaged == [tiny_backbone().name] * 2


def test_an_adapter_on_other_weights_of_the_same_name_is_not_gone_on_with(saved: Path, packaged, monkeypatch):
    monkeypatch.setitem(adapters.PACKAGED, tiny_backbone().name, SimpleNamespace(sha256="0" * 64))
    load_trainable(saved.parent, 4)
    assert packaged == [str(saved.parent)]
    (saved / ADAPTER_CONFIG_NAME).write_text("{")
    with pytest.raises(BackboneError, match="cannot be read"):
        load_trainable(saved.parent, 4)


def test_it_is_saved_in_half_precision_without_the_backbone(saved: Path):
    numbers = sum(parameter.numel() for parameter in adapted().model.parameters() if parameter.requires_grad)
    size = (saved / ADAPTER_NAME).stat().st_size
    assert 2 * numbers < size < 2 * numbers + 5000
    assert sorted(path.name for path in saved.iterdir()) == [ADAPTER_CONFIG_NAME, ADAPTER_NAME]


def test_a_folder_without_a_whole_adapter_is_one_clear_sentence(saved: Path, tmp_path: Path):
    with pytest.raises(BackboneError, match=r"holds no adapter: it has no adapter_config.json"):
        load_adapter(tiny_backbone(), tmp_path / "nowhere")
    (saved / ADAPTER_CONFIG_NAME).rename(tmp_path / "config")
    (saved / ADAPTER_CONFIG_NAME).write_text("{")
    with pytest.raises(BackboneError, match="cannot be read"):
        load_adapter(tiny_backbone(), saved)
    shutil.copy(tmp_path / "config", saved / ADAPTER_CONFIG_NAME)
    (saved / ADAPTER_NAME).write_bytes(b"half a file")
    with pytest.raises(BackboneError, match="cannot be read"):
        load_adapter(tiny_backbone(), saved)


def test_an_adapter_is_refused_by_other_weights_which_stay_as_they_are(saved: Path):
    second_backbone = tiny_backbone(seed=1)
    before = vectors(second_backbone)
    with pytest.raises(BackboneError, match="fits only the weights of tiny-bert-32"):
        load_adapter(second_backbone, saved)
    deeper = tiny_backbone(layers=1)
    deeper.weights_hash = tiny_backbone().weights_hash
    names = list(deeper.model.state_dict())
    with pytest.raises(BackboneError, match="does not fit tiny-bert-32"):
        load_adapter(deeper, saved)
    assert list(deeper.model.state_dict()) == names
    assert torch.equal(vectors(second_backbone), before)


def test_adapters_are_neither_added_twice_nor_merged_nor_saved_where_there_are_none(tmp_path: Path):
    backbone = adapted()
    with pytest.raises(BackboneError, match="has adapters already"):
        add_adapters(backbone, rank=2)
    merge_adapters(backbone)
    with pytest.raises(BackboneError, match="has no adapters"):
        merge_adapters(backbone)
    with pytest.raises(BackboneError, match="has no adapters"):
        save_adapter(backbone, tmp_path)
    with pytest.raises(ValueError, match="at least 1"):
        add_adapters(backbone, rank=0)


def pretraining() -> PretrainingTask:
    seed_everything(1)
    backbone = tiny_backbone()
    add_adapters(backbone, rank=2)
    examples = [
        EncoderExample(f"what is {number} + {number}?", ((f"sum {number % 2}",),), "test") for number in range(8)
    ]
    config = EncoderConfig(batch_size=4, queue_size=4, projection=8, momentum=0.9, learning_rate=1e-2)
    return PretrainingTask(backbone, examples, config)


def test_a_run_with_adapters_leaves_the_backbone_alone_and_resumes_exactly(tmp_path: Path):
    settings, cpu = LoopSettings(epochs=4, learning_rate=1e-2), torch.device("cpu")
    whole = pretraining()
    train_loop(whole, settings, device=cpu)
    first, calls = pretraining(), iter(range(1, 9))
    with pytest.raises(Cancelled):
        train_loop(
            first, settings, device=cpu, context=TrainingContext(checkpoints=tmp_path, cancel=lambda: next(calls) == 3)
        )
    second = pretraining()
    train_loop(second, settings, device=cpu, context=TrainingContext(checkpoints=tmp_path))
    for name, module in whole.modules().items():
        resumed_state = second.modules()[name].state_dict()
        for key, tensor in module.state_dict().items():
            assert torch.equal(tensor, resumed_state[key]), f"{name}.{key}"
    untouched, learnt = pretraining().query_encoder.state_dict(), whole.query_encoder.state_dict()
    changed = {key for key in learnt if not torch.equal(learnt[key], untouched[key])}
    assert changed == {key for key in learnt if "lora_" in key or key.startswith("projector.")}
    key_encoder = whole.key_encoder.state_dict()
    assert any("lora_B" in key and tensor.abs().max() > 0 for key, tensor in key_encoder.items())
