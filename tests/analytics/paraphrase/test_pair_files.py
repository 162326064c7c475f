"""Questions and pairs of files: what can be learned and measured, and what is refused by its line."""

from __future__ import annotations

import gzip
import json

import pytest

from analytics.errors import DataError
from analytics.json_lines import LINE_LIMIT, TEXT_LIMIT
from analytics.paraphrase.pair_files import read_material, read_pairs
from analytics.records import ParaphrasePair

GOOD = {"original": "3 pens?", "paraphrase": "How many of 3 pens?"}


def test_a_pair_has_the_fields_of_its_line(tmp_path):
    rows = [GOOD | {"id": 7, "label": 0, "operator": "pegasus"}, GOOD | {"id": None, "label": None, "x": [1]}]
    (tmp_path / "pairs.jsonl.gz").write_bytes(gzip.compress("\n\n".join(map(json.dumps, rows)).encode()))
    assert read_pairs(tmp_path / "pairs.jsonl.gz") == [
        ParaphrasePair("7", *GOOD.values(), label=0, operator="pegasus"),
        ParaphrasePair("3", *GOOD.values()),
    ]


def changed(**fields: object) -> bytes:
    return json.dumps(GOOD | fields).encode()


BAD_PAIRS = {
    "deep": (b'{"original":' + b"[" * 100_000, "nested too deeply"),
    "long line": (changed(solution="x" * LINE_LIMIT), "longer than 1,000,000 bytes"),
    "nul": (changed(original="a\0"), "the original holds a NUL character"),
    "half a surrogate": (changed(paraphrase="a\udc00"), "the paraphrase holds half of a surrogate pair"),
    "empty": (changed(original=""), "the original is empty"),
    "blank": (changed(paraphrase=" \n"), "the paraphrase is empty"),
    "long text": (changed(paraphrase="x" * (TEXT_LIMIT + 1)), "the paraphrase has 50,001 characters"),
    "no text": (changed(paraphrase=3), "a pair has an original and a paraphrase, both text"),
    "label": (changed(label=2), "the label must be 1"),
    "id": (changed(id="\ud800"), "the id holds half"),
    "operator": (changed(operator="x" * 201), "the operator has 201 characters"),
}


@pytest.mark.parametrize(("line", "reason"), BAD_PAIRS.values(), ids=BAD_PAIRS)
def test_a_pair_that_no_scorer_could_read_is_named(tmp_path, line, reason):
    (tmp_path / "pairs.jsonl").write_bytes(changed() + b"\n" + line + b"\n")
    for read in (read_pairs, read_material):
        with pytest.raises(DataError, match=rf"^pairs\.jsonl, line 2: .*{reason}"):
            read(tmp_path / "pairs.jsonl")


BAD_QUESTIONS = {
    "number": (b'{"text": 3}', "the text is not a string"),
    "nul": (b'{"text": "a\\u0000"}', "the text holds a NUL character"),
    "half a surrogate": (b'{"text": "\\ud800"}', "the text holds half of a surrogate pair"),
}


@pytest.mark.parametrize(("line", "reason"), BAD_QUESTIONS.values(), ids=BAD_QUESTIONS)
@pytest.mark.parametrize("name", ["bank.jsonl", "test.jsonl"])
def test_a_question_that_no_scorer_could_read_is_named(tmp_path, name, line, reason):
    (tmp_path / "train.jsonl").write_text('{"text": "How many pens?"}')
    (tmp_path / name).write_bytes(line)
    with pytest.raises(DataError, match=rf"^{name}, line 1: {reason}"):
        read_material(tmp_path)


def test_a_line_without_a_text_is_passed_over(tmp_path):
    lines = ('{"text": "How many pens?"}', '{"text": " "}', '{"text": null}', '{"path": ["A"]}')
    (tmp_path / "bank.jsonl").write_text("\n".join(lines))
    assert read_material(tmp_path).questions == ("How many pens?",)
