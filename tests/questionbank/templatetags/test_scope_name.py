"""What a model is for: a hierarchy keeps its name, and a language gets its own."""

from __future__ import annotations

import pytest

from questionbank.models import ModelArtifact
from questionbank.templatetags.pages import scope_name


@pytest.mark.parametrize(
    ("capability", "scope", "name"),
    [
        ("solver", "en", "English"),
        ("analogy", "zh", "Chinese"),
        ("probes", "en", "en"),
        ("encoder", "", ""),
        ("analogy", "", "All languages"),
    ],
)
def test_a_hierarchy_keeps_its_name_and_a_language_gets_its_own(capability, scope, name):
    assert scope_name(ModelArtifact(capability=capability, scope=scope)) == name
