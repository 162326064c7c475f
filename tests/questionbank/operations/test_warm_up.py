"""Models are loaded when a process begins to serve pages."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from questionbank.core.errors import ServiceUnavailable
from questionbank.models import EmbeddingSet
from questionbank.operations import warm_up as module
from questionbank.operations.warm_up import warm_up
from questionbank.registry import serving as serving_module
from tests.questionbank.small_bank import add_question, add_set

pytestmark = pytest.mark.django_db


def test_what_pages_ask_is_loaded_before_anybody_asks(monkeypatch):
    for lens in ("purpose", "wording"):
        add_set(lens)
    serving_module._models.clear()
    asked = []
    monkeypatch.setattr(module, "served_solver", asked.append)
    monkeypatch.setattr(module, "predict", lambda *, text, **_rest: asked.append(text))
    warm_up()
    assert asked == ["en", module._QUESTIONS["en"]]
    assert {row.encoder_name for row in EmbeddingSet.objects.all()} <= set(serving_module._models)


@pytest.mark.parametrize(
    ("languages", "solvers", "loaded"),
    [
        ([], ["en", "zh"], ["en"]),
        (["en"], ["en", "zh"], ["en"]),
        (["en", "zh"], ["en", "zh"], ["en", "zh"]),
        (["zh-Hans"], ["en", "zh"], ["zh"]),
        (["zh"], ["en"], ["en"]),
        (["de"], ["en", "zh"], ["en"]),
    ],
)
def test_the_models_of_the_banks_languages_are_loaded(monkeypatch, languages, solvers, loaded):
    for language in languages:
        add_question("What is 3 + 4?", language=language)
    asked = []
    monkeypatch.setattr(module, "served_solver", asked.append)
    monkeypatch.setattr(
        module,
        "language_champion",
        lambda *, language, **_asked: SimpleNamespace(scope=language if language in solvers else "en"),
    )
    warm_up()
    assert asked == loaded


def test_a_solver_that_cannot_be_loaded_does_not_keep_the_encoder_from_loading(monkeypatch):
    add_set("purpose")
    serving_module._models.clear()

    def damaged(_language):
        raise ServiceUnavailable("Its files are damaged.")

    monkeypatch.setattr(module, "served_solver", damaged)
    warm_up()
    assert {row.encoder_name for row in EmbeddingSet.objects.all()} <= set(serving_module._models)


def test_a_pair_of_texts_is_scored_beforehand(monkeypatch):
    asked = []
    scorer = SimpleNamespace(scorer=SimpleNamespace(score=asked.extend))
    monkeypatch.setattr(module, "served_scorer", lambda: scorer)
    warm_up()
    assert asked == [module._PAIR]


def test_a_bank_without_models_starts_all_the_same():
    warm_up()
