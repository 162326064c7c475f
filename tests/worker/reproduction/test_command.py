"""The command that reproduces tables where there is neither Django nor a database."""

from __future__ import annotations

import subprocess
import sys

from tests.public_sets import write_set
from worker.reproduction.__main__ import main

WITHOUT_DJANGO = """
import sys
for name in ("django", "psycopg", "celery", "redis"):
    sys.modules[name] = None
import worker.reproduction.__main__
import worker.reproduction.encoder
import worker.reproduction.solver
import worker.reproduction.analogy
from worker.analogy.generator import opened_generator
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
