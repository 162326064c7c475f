"""Which hierarchy a stored question's concepts are predicted in."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from questionbank.views import insight


@pytest.mark.parametrize(
    ("own", "asked"), [(["School", "Contest"], "Contest"), (["School"], None), ([], None)]
)
def test_the_first_own_hierarchy_that_has_probes_is_asked(monkeypatch, own, asked):
    seen = []
    monkeypatch.setattr(insight, "predict", lambda **given: seen.append(given["hierarchy"]))
    insight.predict_or_none("2 + 2", SimpleNamespace(probe_artifacts={"Contest": 1, "Other": 2}), "en", own)
    assert seen == [asked]
