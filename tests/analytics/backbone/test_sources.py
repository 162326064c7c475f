from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from analytics.backbone import sources
from analytics.backbone.sources import (
    BACKBONE_FOLDER,
    DEFAULT_BACKBONE,
    HEAD_NAME,
    PackagedWeights,
    encoder_hash,
    find_source,
    read_modules,
    write_modules,
)
from analytics.errors import BackboneError


def test_the_default_comes_from_its_package_with_the_original_weights():
    source = find_source(DEFAULT_BACKBONE)
    assert source.is_folder
    assert source.sha256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert find_source(f"sentence-transformers/{DEFAULT_BACKBONE}") == source


def test_other_weights_in_the_package_are_refused(monkeypatch, tmp_path):
    (tmp_path / "fakeweights" / "model").mkdir(parents=True)
    (tmp_path / "fakeweights" / "__init__.py").write_text("raise RuntimeError('never run')")
    (tmp_path / "fakeweights" / "model" / "model.safetensors").write_bytes(b"tampered")
    monkeypatch.syspath_prepend(tmp_path)
    fake = PackagedWeights("fake-weights", "fakeweights", "model/model.safetensors", "0" * 64, "", "worker")
    monkeypatch.setitem(sources.PACKAGED, "fake", fake)
    with pytest.raises(BackboneError, match="not the original ones of fake"):
        find_source("fake")


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    missing = PackagedWeights("some-distribution", "no_such_package_here", "model/model.safetensors", "", "", "more")
    monkeypatch.setitem(sources.PACKAGED, "absent", missing)
    with pytest.raises(BackboneError, match="needs the package some-distribution, part of the extra 'more'"):
        find_source("absent")


def test_a_folder_without_a_model_and_a_missing_folder_say_so(tmp_path):
    with pytest.raises(BackboneError, match=r"has no config\.json"):
        find_source(str(tmp_path))
    with pytest.raises(BackboneError, match="There is no folder"):
        find_source(str(tmp_path / "nothing"))


def test_any_other_name_is_a_hub_id():
    source = find_source("bert-base-chinese")
    assert (source.location, source.is_folder) == ("bert-base-chinese", False)


def test_a_starter_and_the_model_made_of_it_are_the_same_encoder_and_what_changes_vectors_is_another():
    adapter = {"adapter_model.safetensors": "a", "metric.safetensors": "b"}
    starter = encoder_hash("encoder", adapter | {"adapter_config.json": "c"}, {})
    merged = {f"adapter/{name}": digest for name, digest in adapter.items()}
    merged |= {"backbone/model.safetensors": "depends on the processor", "model.onnx": "on the exporter"}
    extra = {"max_tokens": 256, "backbone_sha256": "depends on the processor"}
    assert encoder_hash("encoder", merged, extra) == starter
    others = [
        encoder_hash("analogy", merged, extra),
        encoder_hash("encoder", merged | {"adapter/metric.safetensors": "d"}, extra),
        encoder_hash("encoder", merged, extra | {"max_tokens": 128}),
        encoder_hash("encoder", merged, extra | {"slot_text": True}),
        encoder_hash("encoder", {"model.onnx": "e"}, extra),
        encoder_hash("encoder", {"model.onnx": "e"}, extra | {"backbone_sha256": "f"}),
    ]
    assert len({starter, *others}) == len(others) + 1


RNG = np.random.default_rng(0)
HEADS = {
    "none": {},
    "one layer": {"metric": (4, 4)},
    "two layers": {"first.weight": (8, 4), "first.bias": (8,), "second.weight": (4, 8), "second.bias": (4,)},
}


@pytest.fixture(params=HEADS)
def written(request, tmp_path):
    """A folder with a head of four values, and the head."""
    head = {name: RNG.random(shape).astype(np.float16) for name, shape in HEADS[request.param].items()}
    (tmp_path / BACKBONE_FOLDER).mkdir()
    if head:
        save_file(head, tmp_path / BACKBONE_FOLDER / HEAD_NAME)
    write_modules(tmp_path, dimension=4, max_tokens=64)
    return tmp_path, head


def test_a_written_head_is_read_again(written):
    folder, head = written
    layers = read_modules(folder)
    assert layers.keys() == head.keys()
    for name, tensor in head.items():
        np.testing.assert_array_equal(layers[name], tensor)


def test_the_modules_are_listed_in_order(written):
    folder, head = written
    modules = json.loads((folder / "modules.json").read_text())
    kinds = [module["type"].rpartition(".")[2] for module in modules]
    assert kinds == ["Transformer", "Pooling", *["Dense"] * ((len(head) + 1) // 2), "Normalize"]
    assert all((folder / module["path"]).is_dir() for module in modules[:-1])


def test_a_folder_without_modules_has_no_head(tmp_path):
    assert read_modules(tmp_path) == {}


@pytest.fixture
def one_layer(tmp_path):
    (tmp_path / BACKBONE_FOLDER).mkdir()
    save_file({"metric": np.eye(4, dtype=np.float16)}, tmp_path / BACKBONE_FOLDER / HEAD_NAME)
    write_modules(tmp_path, dimension=4, max_tokens=64)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "value"),
    [
        ("1_Pooling/config.json", {"pooling_mode": "cls"}),
        ("1_Pooling/config.json", {"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}),
        ("2_Dense/config.json", {"activation_function": "torch.nn.modules.activation.Tanh"}),
        ("2_Dense/config.json", []),
        ("modules.json", [{"path": "", "type": "sentence_transformers.models.WordEmbeddings"}]),
        ("modules.json", {}),
    ],
)
def test_modules_that_an_encoder_cannot_compute_are_noticed(one_layer, file, value):
    (one_layer / file).write_text(json.dumps(value))
    assert read_modules(one_layer) is None


def test_a_layer_that_changes_the_length_of_vectors_is_noticed(one_layer):
    weights = one_layer / "2_Dense" / "model.safetensors"
    save_file({"linear.weight": load_file(weights)["linear.weight"][:2].copy()}, weights)
    assert read_modules(one_layer) is None
