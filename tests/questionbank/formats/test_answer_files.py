"""File in, file out: good lines are done, bad ones reported, nothing half-written."""

from __future__ import annotations

import gzip
import json

import pytest

from analytics.json_lines import LINE_LIMIT, TEXT_LIMIT
from questionbank.core.errors import ImportRefused, KindredError, ValidationFailed
from questionbank.formats import answer_files as files
from questionbank.formats.answer_files import convert_pairs, convert_questions, write_text


def echo(questions):
    return [{"id": question.id, "length": len(question.text), "language": question.language} for question in questions]


@pytest.fixture
def run(tmp_path):
    """Convert bytes; returns (rows written, reported lines)."""

    def convert(content: bytes, name="in.jsonl", target="out.jsonl", convert=echo):
        source, reported = tmp_path / name, []
        source.write_bytes(content)
        try:
            convert_questions(source=source, target=tmp_path / target, convert=convert, report=reported.append)
        finally:
            left = {path.name for path in tmp_path.iterdir()} - {name, target}
            assert not left
        return rows(tmp_path / target), reported

    return convert


def rows(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def test_ids_come_back_as_they_were_and_a_missing_one_is_the_lines_number(run):
    written, reported = run(b'{"id": 7, "text": "one"}\n\n{"id": "b", "text": "two"}\n{"text": "three"}')
    assert [row["id"] for row in written] == [7, "b", "4"]
    assert reported == []


def test_the_language_is_detected_where_it_is_not_given(run):
    written, _ = run('{"text": "三角形"}\n{"text": "cat"}\n{"text": "chat", "language": "FR"}'.encode())
    assert [row["language"] for row in written] == ["zh", "en", "fr"]


def test_a_question_in_parts_is_read_whole(run):
    line = {"id": "a", "text": "Work out.", "grading": {"parts": [{"text": "2 + 3"}, {"text": "4 - 1"}]}}
    read = []

    def convert(questions):
        read.extend(questions)
        return echo(questions)

    run(json.dumps(line).encode(), convert=convert)
    assert [(question.text, question.is_in_parts) for question in read] == [("Work out.\n2 + 3\n4 - 1", True)]


def test_other_fields_may_hold_anything(run):
    written, _ = run(b'{"id": "a", "text": "one", "difficulty": "hard", "options": 3, "concepts": null}')
    assert len(written) == 1


def test_both_ends_may_be_compressed(run, tmp_path):
    written, _ = run(gzip.compress(b'{"id": "a", "text": "one"}\n'), "in.jsonl.gz", "out.jsonl.gz")
    assert written == [{"id": "a", "length": 3, "language": "en"}]


def test_batches_keep_the_order(run, monkeypatch):
    monkeypatch.setattr(files, "BATCH", 3)
    sizes = []

    def note(questions):
        sizes.append(len(questions))
        return echo(questions)

    written, _ = run(b"".join(b'{"id": %d, "text": "x"}\n' % n for n in range(8)), convert=note)
    assert [row["id"] for row in written] == list(range(8))
    assert sizes == [3, 3, 2]


BAD_LINES = {
    "not json": b"hello",
    "a list": b'["a"]',
    "no text": b'{"id": "a"}',
    "empty text": b'{"text": "  "}',
    "wrong type of text": b'{"text": 5}',
    "wrong type of id": b'{"id": ["a"], "text": "x"}',
    "invalid utf-8": b'{"text": "\xff"}',
    "a NUL": b'{"text": "a\\u0000b"}',
    "half a surrogate": b'{"text": "\\ud800"}',
    "deep": b'{"text":' + b"[" * 5000,
    "not a number": b'{"text": "a", "id": NaN}',
    "infinite id": b'{"text": "a", "id": 1e999}',
    "half a surrogate as id": b'{"text": "a", "id": "\\ud800"}',
    "long id": b'{"text": "a", "id": "' + b"x" * 201 + b'"}',
    "language": b'{"text": "a", "language": "??"}',
    "long": b'{"text": "' + b"x" * LINE_LIMIT + b'"}',
}


@pytest.mark.parametrize("bad", BAD_LINES.values(), ids=BAD_LINES)
def test_a_line_that_cannot_be_read_is_reported_by_number_and_the_others_are_done(run, tmp_path, bad):
    reported = []
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b'{"id": 1, "text": "one"}\n' + bad + b'\n{"id": 3, "text": "three"}\n')
    with pytest.raises(KindredError, match=r"^1 of 3 lines could not be read; the others are in .*out.jsonl\.$"):
        convert_questions(source=source, target=target, convert=echo, report=reported.append)
    assert [row["id"] for row in rows(target)] == [1, 3]
    assert len(reported) == 1
    assert reported[0].startswith("line 2: ")
    assert len(reported[0]) < 200


def test_a_file_without_a_line_that_can_be_read_says_so(run, tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"id,text\n1,one\n")
    with pytest.raises(KindredError, match=r"^None of the 2 lines could be read; .*out.jsonl is empty\.$"):
        convert_questions(source=source, target=target, convert=echo, report=lambda line: None)
    assert target.read_bytes() == b""


BAD_PAIRS = {
    "infinite id": (b'{"id": 1e999, "original": "a", "paraphrase": "b"}', "id must be a finite number"),
    "half a surrogate as id": (b'{"id": "\\ud800", "original": "a", "paraphrase": "b"}', "id holds half"),
    "NUL in the id": (b'{"id": "\\u0000", "original": "a", "paraphrase": "b"}', "id holds a NUL"),
    "wrong type of id": (b'{"id": true, "original": "a", "paraphrase": "b"}', "id must be a string"),
    "long id": (b'{"id": ' + b"7" * 999 + b', "original": "a", "paraphrase": "b"}', "id has 999 characters"),
    "half a surrogate": (b'{"original": "a", "paraphrase": "\\udfff b"}', "paraphrase holds half"),
    "NUL": (b'{"original": "a\\u0000", "paraphrase": "b"}', "original holds a NUL"),
    "empty": (b'{"original": "a", "paraphrase": " "}', "paraphrase must be a string that is not empty"),
    "no text": (b'{"original": ["a"], "paraphrase": "b"}', "original must be a string that is not empty"),
    "long": (
        b'{"original": "a", "paraphrase": "' + b"x" * (TEXT_LIMIT + 1) + b'"}',
        "paraphrase has 50,001 characters",
    ),
}


@pytest.mark.parametrize(("bad", "reason"), BAD_PAIRS.values(), ids=BAD_PAIRS)
def test_a_pair_that_cannot_be_read_is_reported_by_number_and_the_others_are_done(tmp_path, bad, reason):
    reported = []
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    good = b'{"original": "one", "paraphrase": "eins"}\n'
    source.write_bytes(good + bad + b"\n" + good)
    with pytest.raises(KindredError, match=r"^1 of 3 lines could not be read"):
        convert_pairs(
            source=source,
            target=target,
            convert=lambda pairs: [{"id": pair.id} for pair in pairs],
            report=reported.append,
        )
    assert [row["id"] for row in rows(target)] == ["1", "3"]
    assert len(reported) == 1
    assert reported[0].startswith(f"line 2: {reason}")


WHOLE_FILES = {
    "empty": (b"", "is empty"),
    "blank lines": (b"\n \n\n", "contains no questions"),
    "corrupt gzip": (gzip.compress(b'{"text": "a"}\n' * 2000)[:-40], "gzip data"),
    "gzip of nothing": (gzip.compress(b""), "contains no questions"),
    "gzip without a body": (gzip.compress(b"x")[:10], "gzip data"),
    "gzip that is none": (b"\x1f\x8b\x08" + b"\xff" * 60, "gzip data"),
    "gzip with another checksum": (gzip.compress(b'{"text": "a"}\n')[:-8] + bytes(8), "gzip data"),
    "zip": (b"PK\x03\x04 and more", "ZIP"),
}


@pytest.mark.parametrize(("content", "said"), WHOLE_FILES.values(), ids=WHOLE_FILES)
def test_a_file_that_cannot_be_read_writes_nothing(run, tmp_path, content, said):
    (tmp_path / "out.jsonl").write_text("before")
    with pytest.raises(ImportRefused, match=said):
        run(content)
    assert (tmp_path / "out.jsonl").read_text() == "before"


def test_a_missing_input_and_an_impossible_output_are_sentences(tmp_path):
    source = tmp_path / "in.jsonl"
    with pytest.raises(ImportRefused, match="no file"):
        convert_questions(source=source, target=tmp_path / "out", convert=echo, report=print)
    source.write_text('{"text": "a"}')
    with pytest.raises(ValidationFailed, match="is a folder"):
        convert_questions(source=source, target=tmp_path, convert=echo, report=print)
    with pytest.raises(ValidationFailed, match="cannot be written"):
        convert_questions(source=source, target=tmp_path / "no" / "out", convert=echo, report=print)


def test_an_error_in_between_leaves_the_old_output(run, tmp_path):
    (tmp_path / "out.jsonl").write_text("before")

    def fail(questions):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        run(b'{"text": "a"}\n', convert=fail)
    assert (tmp_path / "out.jsonl").read_text() == "before"


def test_the_output_may_take_the_inputs_place(run):
    written, _ = run(b'{"id": "a", "text": "one"}\n', "same.jsonl", "same.jsonl")
    assert written[0]["length"] == 3


def test_text_is_written_whole(tmp_path):
    write_text(tmp_path / "figures.json", "{}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["figures.json"]
    with pytest.raises(ValidationFailed, match="cannot be written"):
        write_text(tmp_path / "no" / "figures.json", "{}")
