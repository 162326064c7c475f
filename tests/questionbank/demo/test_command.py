"""python -m questionbank.demo"""

from __future__ import annotations

import gzip
import json

import pytest

from questionbank.demo.__main__ import main, record_row
from questionbank.demo.bank import generate_bank


def test_it_writes_one_question_a_line(tmp_path, capsys):
    target = tmp_path / "demo.jsonl"
    assert main(["--output", str(target), "--size", "60", "--seed", "5"]) == 0
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert rows == [json.loads(json.dumps(record_row(record))) for record in generate_bank(5, 60)]
    assert "60 questions" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["demo.jsonl"]


def test_gzip_by_name_and_the_same_bytes_every_time(tmp_path):
    targets = [tmp_path / name for name in ("a.jsonl.gz", "b.jsonl.gz")]
    for target in targets:
        assert main(["--output", str(target), "--size", "30"]) == 0
    first, second = (target.read_bytes() for target in targets)
    assert first == second
    assert len(gzip.decompress(first).decode().splitlines()) == 30


def test_a_row_has_the_fields_of_the_interchange_format():
    rows = [record_row(record) for record in generate_bank(size=400)]
    choice = next(row for row in rows if row["kind"] == "choice")
    assert set(choice["options"][0]) <= {"label", "text", "misconception"}
    assert isinstance(choice["concepts"], list)
    assert len(choice["concepts"][0]) == 3
    story = next(row for row in rows if "equation" in row)
    assert all(isinstance(number, str) for number in story["numbers"])
    assert all("options" not in row for row in rows if row["kind"] != "choice")
    assert {row["difficulty_scale"] for row in rows} == {"1-5"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--size", "-3"], "cannot be negative"),
        (["--size", "5", "--output", "/no/such/folder/demo.jsonl"], "Cannot write"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_1(tmp_path, capsys, arguments, message):
    if "--output" not in arguments:
        arguments = [*arguments, "--output", str(tmp_path / "demo.jsonl")]
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
