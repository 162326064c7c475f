"""Models are loaded when a process begins to serve pages."""

from __future__ import annotations

import pytest

from questionbank import warm_up as module
from questionbank.models import EmbeddingSet
from questionbank.selectors import serving as serving_module
from questionbank.warm_up import warm_up
from tests.questionbank.small_bank import add_set

pytestmark = pytest.mark.django_db


def test_what_pages_ask_is_loaded_before_anybody_asks(monkeypatch):
    for lens in ("purpose", "wording"):
        add_set(lens)
    serving_module._models.clear()
    asked = []
    monkeypatch.setattr(module, "served_solver", asked.append)
    warm_up()
    assert asked == ["en"]
    assert {row.encoder_name for row in EmbeddingSet.objects.all()} <= set(serving_module._models)


def test_a_bank_without_models_starts_all_the_same():
    warm_up()
