"""The examples in docstrings hold, and the modules that they name exist."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
    for package in ("analytics", "questionbank", "worker")
    for path in (ROOT / package).rglob("*.py")
}
MODULES = sorted(name for name, source in SOURCES.items() if "\n    >>> " in source)
NAMED = re.compile(r"`((?:analytics|questionbank|worker)(?:\.\w+)+)`")  # a module, or a name in one


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_hold(name):
    outcome = doctest.testmod(import_module(name))
    assert outcome.attempted
    assert not outcome.failed


def test_modules_that_docstrings_and_comments_name_exist():
    texts = {name: source for name, source in SOURCES.items() if ".migrations." not in name}
    missing = {(name, said) for name, source in texts.items() for said in NAMED.findall(source) if not is_there(said)}
    assert missing == set()


def is_there(name: str) -> bool:
    """Return whether a dotted name is a module, a package, or a name that is written in one."""
    module, _dot, rest = name.rpartition(".")
    if name in SOURCES or f"{name}.__init__" in SOURCES:
        return True
    source = SOURCES.get(module) or SOURCES.get(f"{module}.__init__")
    if source is None:  # an attribute of a class: its module says both
        return module.count(".") > 0 and is_there(module)
    return re.search(rf"\b{rest}\b", source) is not None
