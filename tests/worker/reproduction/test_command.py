"""The command that reproduces tables without Django or a database, and puts them into a document."""

from __future__ import annotations

import subprocess
import sys

import pytest

from questionbank.core.errors import ValidationFailed
from tests.public_sets import write_set
from worker.reproduction.__main__ import main
from worker.reproduction.tables import put_table

WITHOUT_DJANGO = """
import sys
for name in ("django", "psycopg", "celery", "redis"):
    sys.modules[name] = None
import worker.reproduction.__main__
import worker.reproduction.encoder
import worker.reproduction.solver
import worker.reproduction.analogy
from worker.analogy.figures import opened_generator
with opened_generator(100) as generator:
    assert generator is None
"""


def test_tables_of_encoder_solver_and_analogy_need_no_django():
    subprocess.run([sys.executable, "-c", WITHOUT_DJANGO], check=True)


def test_the_table_is_printed_and_kept(tmp_path, capsys):
    rows = [
        {"text": f"{number} pens and 3 more. How many?", "equation": f"{number}+3", "fold": number % 5}
        for number in range(10, 20)
    ]
    write_set(tmp_path, "asdiv_a/cv", rows)
    output = tmp_path / "runs"
    command = ["solver", "--data", str(tmp_path), "--output", str(output), "--arms", "retrieve-tfidf"]
    assert main([*command, "--train-on", "asdiv_a/fold-0"]) == 0
    table = capsys.readouterr().out
    assert "| retrieve and apply, TF-IDF | 100.0 [" in table
    assert (output / "table.md").read_text() == table
    assert main([*command, "--train-on", "gsm8k"]) == 1
    assert capsys.readouterr().err.startswith("There is no set gsm8k")


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
