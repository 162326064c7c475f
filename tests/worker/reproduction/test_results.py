"""A table takes its place in a document and nothing else of it."""

from __future__ import annotations

import pytest

from questionbank.core.errors import ValidationFailed
from worker.reproduction.tables import put_table


def test_the_table_replaces_the_old_one(tmp_path):
    document = tmp_path / "results.md"
    document.write_text("# Figures\n<!-- begin one -->\nold\n<!-- end one -->\nafter\n")
    put_table(document, "one", "| new |\n")
    put_table(document, "one", "| newer |\n")
    assert document.read_text() == ("# Figures\n<!-- begin one -->\n\n| newer |\n\n<!-- end one -->\nafter\n")


@pytest.mark.parametrize("text", ["", "<!-- begin one -->", "<!-- end one --><!-- begin one -->"])
def test_a_document_without_the_place_is_left_as_it_is(tmp_path, text):
    document = tmp_path / "results.md"
    document.write_text(text)
    with pytest.raises(ValidationFailed, match="begin one"):
        put_table(document, "one", "table")
    assert document.read_text() == text
