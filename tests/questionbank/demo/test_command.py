"""python -m questionbank.demo"""

from __future__ import annotations

import gzip
import json

import pytest

from analytics.paraphrase.pair_files import read_pairs
from questionbank.demo.__main__ import main
from questionbank.demo.bank import generate_bank
from questionbank.demo.paraphrases import generate_pairs
from questionbank.demo.stories import story_pairs
from questionbank.formats.catalog import read


def test_the_file_is_read_back_as_the_bank(tmp_path, capsys):
    target = tmp_path / "demo.jsonl"
    assert main(["--output", str(target), "--size", "700", "--seed", "5"]) == 0
    assert [entry for _, entry in read(target)] == generate_bank(5, 700)
    assert "700 questions" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["demo.jsonl"]


def test_gzip_by_name_and_the_same_bytes_every_time(tmp_path):
    targets = [tmp_path / name for name in ("a.jsonl.gz", "b.jsonl.gz")]
    for target in targets:
        assert main(["--output", str(target), "--size", "30"]) == 0
    first, second = (target.read_bytes() for target in targets)
    assert first == second
    rows = [json.loads(line) for line in gzip.decompress(first).decode().splitlines()]
    assert len(rows) == 30
    assert {row["difficulty_scale"] for row in rows} == {"1-5"}


def test_pairs_are_read_as_material_for_a_scorer(tmp_path, capsys):
    target = tmp_path / "pairs.jsonl.gz"
    assert main(["--output", str(target), "--pairs", "--seed", "5"]) == 0
    assert read_pairs(target) == [*generate_pairs(5), *story_pairs(5)]
    assert "pairs written" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--size", "-3"], "cannot be negative"),
        (["--pairs", "--output", "/no/such/folder/pairs.jsonl"], "cannot be written"),
        (["--size", "5", "--output", "/no/such/folder/demo.jsonl"], "cannot be written"),
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
