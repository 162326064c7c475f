"""The examples in docstrings hold."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in ("analytics", "questionbank", "worker")
    for path in (ROOT / package).rglob("*.py")
    if "\n    >>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_hold(name):
    outcome = doctest.testmod(import_module(name))
    assert outcome.attempted
    assert not outcome.failed
