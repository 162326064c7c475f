"""The table of formats: recognising, reading and writing by its names."""

from __future__ import annotations

import gzip
import re
import zipfile
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analytics.question_content import EMPTY, Option
from analytics.records import ObservedFigures, QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning, ValidationFailed
from questionbank.formats import WRITTEN, read, write
from questionbank.formats.catalog import sniff
from questionbank.formats.kinds import derived_answer
from questionbank.formats.scales import SCALES
from tests.analytics.test_question_content import CONTENTS
from tests.questionbank.formats.files import saved
from tests.questionbank.formats.qti_rules import package_faults

LINE = '{"text": "1 + 1"}\n'


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.jsonl", "anything", "jsonl"),
        ("a.NDJSON", "anything", "jsonl"),
        ("a.csv", "anything", "csv"),
        ("a.tsv", "anything", "csv"),
        ("a.txt", "\n" + LINE, "jsonl"),
        ("a", "\ufeffid;text;answer\n", "csv"),
        ("a.json", LINE, "jsonl"),
        ("a.txt", "id;text\r1;one\r", "csv"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_format_is_taken_from_the_name_then_from_the_beginning(tmp_path, name, content, expected, packed):
    data = content.encode()
    path = tmp_path / (name + ".gz" if packed else name)
    path.write_bytes(gzip.compress(data) if packed else data)
    assert sniff(path).name == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "Dear colleague,\n",
            r"file\.xyz is not known; Kindred reads JSON Lines, CSV, Excel \(XLSX\), Moodle XML,"
            r" QTI 2.1, QTI 2.2, QTI 3.0, Canvas .* GIFT and",
        ),
        ("<quiz/>", r"file\.xyz contains no questions"),
    ],
)
def test_a_file_of_no_known_format_is_refused(tmp_path, content, message):
    path = saved(tmp_path, content, "file.xyz")
    with pytest.raises(ImportRefused, match=message):
        list(read(path))


def test_an_unknown_format_or_scale_is_refused_with_the_known_ones(jsonl):
    with pytest.raises(ImportRefused, match="'qtx' is not known; use one of auto, jsonl, csv"):
        list(read(jsonl(LINE), "qtx"))
    with pytest.raises(ImportRefused, match="'stars' is not known; use one of 0-4, 1-5"):
        list(read(jsonl(LINE), scale="stars"))


def test_a_file_of_blank_lines_holds_no_question(jsonl):
    with pytest.raises(ImportRefused, match="contains no questions"):
        list(read(jsonl("", "  ")))


def test_an_identifier_must_not_repeat_in_a_file(jsonl):
    path = jsonl({"id": "a", "text": "1"}, {"text": "2"}, {"text": "3"}, {"id": "a", "text": "4"})
    assert [entry for _, entry in read(path)][3] == LineProblem(4, "the id 'a' is already used in line 1", "id")


@pytest.mark.parametrize("format", WRITTEN)
def test_an_empty_export_cannot_be_told_from_an_empty_file_but_is_valid(tmp_path, format):
    path = tmp_path / "none"
    assert write([], path, format) == 0
    assert path.exists()


# Control characters in place of a backslash, HTML and an equation's unknown are mended on the way in.
_CHARACTERS = st.characters(codec="utf-8", exclude_characters="\0\b\f\t\r<>&")
_TEXT = st.text(_CHARACTERS, min_size=1, max_size=40).filter(str.strip)
_MAYBE = st.just("") | st.text(_CHARACTERS, max_size=20)
_NAME_CHARACTERS = st.characters(codec="utf-8", exclude_characters="\0>;")
_NAME = st.text(_NAME_CHARACTERS, min_size=1, max_size=10).map(lambda name: " ".join(name.split())).filter(bool)
_PATH = st.lists(_NAME, min_size=1, max_size=4, unique=True).map(tuple)
_NUMBER = st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,2})?%?|\([0-9]/[0-9]\)", fullmatch=True)


@st.composite
def _records(draw):
    labels = draw(st.sampled_from([(), ("A", "B"), ("A", "B", "C", "D", "E"), ("1", "2"), ("B", "A")]))
    weights = st.just(0.5) if draw(st.booleans()) else st.none()
    options = tuple(Option(label, draw(_TEXT), draw(_MAYBE), draw(weights), draw(_MAYBE)) for label in labels)
    content = draw(st.just(EMPTY) | CONTENTS)
    kind = "choice" if options else draw(st.sampled_from(["open", "blanks", "number", "description"]))
    answer = draw(st.sampled_from(["", *labels])) if options else draw(_MAYBE)
    scale = draw(st.sampled_from(["", *SCALES]))
    bounds = SCALES.get(scale)
    responses = draw(st.integers(0, 1000))
    return QuestionRecord(
        id=draw(st.uuids().map(str)),
        text=draw(_TEXT),
        language=draw(st.sampled_from(["en", "zh", "zh-hant", "de"])),
        kind=kind,
        options=options,
        answer=derived_answer(kind=kind, options=options, answer=answer, content=content),
        content=content,
        solution=draw(_MAYBE),
        equation=draw(_MAYBE.filter(lambda text: "=" not in text)),
        numbers=tuple(draw(st.lists(_NUMBER, max_size=4))),
        concepts=tuple(draw(st.lists(_PATH, max_size=3, unique=True))),
        difficulty=draw(st.floats(bounds.low, bounds.high)) if bounds else None,
        difficulty_scale=scale,
        grade=draw(_MAYBE),
        stage=draw(_MAYBE),
        source=draw(_MAYBE),
        responses=responses,
        facility=draw(st.floats(0, 1)) if responses else None,
    )


@pytest.mark.parametrize("name", ["bank.jsonl", "bank.jsonl.gz", "bank.csv", "bank.csv.gz"])
@given(records=st.lists(_records(), min_size=1, max_size=5, unique_by=lambda record: record.id))
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read_again(tmp_path, name, records):
    path = tmp_path / name
    assert write(records, path, name.split(".")[1]) == len(records)
    assert [entry for _, entry in read(path) if isinstance(entry, QuestionRecord)] == records


OBSERVED = ObservedFigures(120, 0.62, -0.05, 0.4, 0.1, 0.7)


@pytest.mark.parametrize("name", ["csv", "xlsx", "jsonl", "qti21", "qti3"])
def test_figures_of_responses_leave_and_are_no_part_of_the_question_that_comes_back(tmp_path, name):
    record = QuestionRecord("q1", "How much is 2 + 2?", answer="4")
    path = tmp_path / f"bank{WRITTEN[name].suffixes[0]}"
    for observed in (OBSERVED, None):
        write([replace(record, observed=observed)], path, name)
        file = read(path)
        ((_line, again),) = file
        assert (again, again.observed, file.unread) == (record, None, [])
        if name in ("csv", "jsonl"):
            assert ("-0.05" in path.read_text(encoding="utf-8")) == (observed is OBSERVED)
        if name.startswith("qti"):
            manifest = zipfile.ZipFile(path).read("imsmanifest.xml")
            assert manifest.count(b"Kindred observed") == (observed is OBSERVED)
            assert package_faults(zipfile.ZipFile(path), name) == []


def test_a_package_that_comes_back_and_leaves_again_has_the_new_figures(tmp_path):
    record = QuestionRecord("q1", "How much is 2 + 2?", answer="4", observed=OBSERVED)
    path = tmp_path / "bank.zip"
    for responses in (120, 121):
        write([replace(record, observed=replace(OBSERVED, responses=responses))], path, "qti21")
        ((_line, record),) = read(path)
    manifest = zipfile.ZipFile(path).read("imsmanifest.xml").decode()
    assert re.findall(r"responses (\d+)", manifest) == ["121"]


def test_a_file_is_written_aside_so_that_a_failure_leaves_the_old_one(tmp_path):
    path = saved(tmp_path, "old", "bank.jsonl")

    def failing():
        yield QuestionRecord("a", "1 + 1")
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        write(failing(), path, "jsonl")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("where", "message"), [("absent/bank.jsonl", "cannot be written"), (".", "is a folder")])
def test_an_export_that_cannot_be_written_says_so(tmp_path, where, message):
    with pytest.raises(ValidationFailed, match=message):
        write([], tmp_path / where, "jsonl")


def test_an_export_in_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(ValidationFailed, match="use one of jsonl, csv"):
        write([], tmp_path / "x", "h5p")


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["math", "opl", "tal_scq_zh", "gsm8k", "math23k", "eedi", "gaokao_math"])
def test_the_public_data_sets_are_read_without_a_problem(shared_data: Path, name):
    for path in sorted((shared_data / name).glob("*.jsonl.gz")):
        told = (entry for _, entry in read(path) if not isinstance(entry, LineWarning))
        entries = list(islice(told, 2_000))
        assert [entry for entry in entries if isinstance(entry, LineProblem)] == []
        with gzip.open(path, "rt", encoding="utf-8") as file:
            assert len(entries) == min(2_000, sum(1 for line in file if line.strip()))
