"""A pytest plugin that keeps every file that the tests of formats and test papers read.

    GOLDEN_HARVEST=FOLDER pytest -p tests.golden.harvest tests/questionbank/formats tests/questionbank/papers

A file lies in `FOLDER/samples` or `FOLDER/papers`, below the test's name, its own number there, and its format. Tests
that draw their examples are left out. It runs only for `record`, so it may name inner functions: `check` reads what it
kept.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PASTED = "pasted.text"
LARGEST = 2**20  # bytes


class Harvest:
    """Writes the files that a test reads into a folder of this test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.test = ""
        self.kept: dict[tuple[str, str, bytes], None] = {}
        self.depth = 0

    def begin(self, node_id: str) -> None:
        path, _, name = node_id.partition("::")
        digest = hashlib.sha256(node_id.encode()).hexdigest()[:6]
        self.test = f"{Path(path).stem}/{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)[:80]}-{digest}"
        self.kept.clear()

    def keep(self, kind: str, format: str, name: str, data: bytes) -> None:
        if not self.test or len(data) > LARGEST or (kind, format + name, data) in self.kept:
            return
        self.kept[kind, format + name, data] = None
        path = self.folder / kind / self.test / str(len(self.kept)) / format / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def outermost(self, function: Callable[..., Any], keep: Callable[..., None]) -> Callable[..., Any]:
        """Return a function that also keeps what it is called with, unless another one of these calls it."""

        def called(*args: Any, **kwargs: Any) -> Any:
            if not self.depth:
                keep(*args)
            self.depth += 1
            try:
                return function(*args, **kwargs)
            finally:
                self.depth -= 1

        return called

    def keep_questions(self, path: Path, format: str = "auto", *_more: object) -> None:
        if path.is_file():
            self.keep("samples", format, path.name, path.read_bytes())

    def keep_paper(self, path: Path, name: str) -> None:
        self.keep("papers", "auto", Path(name).name or "paper", path.read_bytes())

    def keep_text(self, text: str) -> None:
        self.keep("papers", "auto", PASTED, text.encode("utf-8", "replace"))


def pytest_collection(session: pytest.Session) -> None:
    """Begin before any test module takes a function by its name."""
    from questionbank.formats import catalog
    from questionbank.papers import documents

    harvest = Harvest(Path(os.environ["GOLDEN_HARVEST"]))
    session.config.pluginmanager.register(harvest_hooks(harvest))
    catalog._format_of = harvest.outermost(catalog._format_of, harvest.keep_questions)
    documents.read_document = harvest.outermost(documents.read_document, harvest.keep_paper)
    documents.read_text = harvest.outermost(documents.read_text, harvest.keep_text)


def harvest_hooks(harvest: Harvest) -> object:
    """Return the hooks that tell the harvest which test runs."""

    class Hooks:
        def pytest_runtest_setup(self, item: pytest.Item) -> None:
            harvest.begin(item.nodeid)

        def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
            items[:] = [item for item in items if not getattr(getattr(item, "obj", None), "is_hypothesis_test", False)]

    return Hooks()
