from __future__ import annotations

import pytest

from analytics.backbone import sources
from analytics.backbone.sources import DEFAULT_BACKBONE, PackagedWeights, encoder_hash, find_source
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
