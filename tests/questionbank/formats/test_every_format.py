# ruff: noqa: E501 - files as strangers write them
"""What holds for all formats: what is written is read again, losses are named, and hostile files are refused."""

from __future__ import annotations

import socket
import tarfile
import zipfile
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from analytics.question_content import QuestionContent, QuestionPart
from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats import FORMATS, WRITTEN, read, write
from questionbank.formats.catalog import sniff
from questionbank.formats.qti.metadata import VERSIONS
from questionbank.formats.seam import CannotHold
from tests.bench.hostile import CASES, fault, outcome
from tests.questionbank.formats import canvas_sample, qti_sample
from tests.questionbank.formats.files import saved
from tests.questionbank.formats.qti_rules import package_faults
from tests.questionbank.formats.test_item_readers import EXAM, _tar, _zip
from tests.questionbank.formats.test_moodle_xml import Pictures, _quiz, questions, records
from tests.questionbank.formats.test_qti import _ALL, _PLAIN

_PARTS = QuestionRecord(
    "p", "Parts", kind="parts", answer="(a) 1", source="Book", content=QuestionContent(parts=(QuestionPart("a?", answer="1"),))
)  # fmt: skip


def _losses(format, record):
    """What a format loses of a question; None where it has nothing like it."""
    try:
        return WRITTEN[format].losses(record, Pictures())
    except CannotHold:
        return None


def _by_id(found):
    """Questions by their identifiers; the first concept of several is the file's to choose."""
    return {record.id: replace(record, original=None, concepts=tuple(sorted(record.concepts))) for record in found}


@pytest.mark.parametrize("format", ["moodle-xml", "canvas", "gift", "exam", *VERSIONS])
@given(found=st.lists(records(), min_size=1, max_size=4, unique_by=lambda record: record.id))
@example(found=[QuestionRecord("e", "$x < 3$", language="de", kind="open", answer="*so*", source="Book")])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read_again_and_what_it_has_nothing_like_is_left_out(tmp_path, format, found):
    found = [*found, _PARTS, QuestionRecord("last", "1 + 1?", answer="2", source="Book")]
    path = tmp_path / f"bank{FORMATS[format].suffixes[0]}"
    losses = {record.id: _losses(format, record) for record in found}
    if format == "moodle-xml":
        assert losses == {key: [] for key in losses} | {"p": None}
    assert write(found, path, format) == len(found)
    again = questions(path)
    assert _by_id(again) == _by_id(record for record in found if losses[record.id] is not None)
    if format in VERSIONS:
        assert package_faults(zipfile.ZipFile(path), format) == []


@pytest.mark.parametrize("name", VERSIONS)
def test_our_questions_come_back(tmp_path, name):
    path = tmp_path / "bank.zip"
    write(_ALL, path, name)
    again = {record.id: replace(record, original=None) for record in questions(path)}
    assert sniff(path).name == name
    assert again == {record.id: record for record in _ALL}


@pytest.mark.parametrize(
    ("format", "kind", "reason"),
    [
        ("moodle-xml", "parts", "questions in parts"),
        ("canvas", "parts", "questions in parts"),
        *((format, "opaque", "questions of other types") for format in ("moodle-xml", "canvas", *VERSIONS)),
    ],
)
def test_what_a_format_has_no_type_for_is_refused_with_the_reason(tmp_path, format, kind, reason):
    record = QuestionRecord("1", "2 + 2?", kind=kind)
    with pytest.raises(CannotHold, match=reason):
        WRITTEN[format].losses(record, Pictures())
    path = tmp_path / f"bank{FORMATS[format].suffixes[0]}"
    write([record], path, format)
    with pytest.raises(ImportRefused, match=r"no questions|is not known"):
        list(read(path))


@pytest.mark.parametrize(
    ("format", "record", "lost"),
    [
        ("canvas", QuestionRecord("1", "2 + 2?", kind="number", answer="4", grade="7"), ["the grade"]),
        ("qti3", QuestionRecord("1", "2 + 2?", kind="number", answer="4", grade="7", concepts=(("Sums",),)), ["the grade"]),
        ("gift", QuestionRecord("1", "2 + 2?", grade="7", answer="4 apples", equation="2+2"),
         ["the answer as it is in the bank", "the equation", "the grade"]),
    ],
)  # fmt: skip
def test_what_other_systems_do_not_see_is_named(format, record, lost):
    assert _losses(format, record) == lost


# -- hostile and damaged files ------------------------------------------------------------------------------------

_BOMB = '<!DOCTYPE quiz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
_CANVAS, _QTI = canvas_sample.package, qti_sample.archive
_CUT = "<quiz>\n<question type='essay'><questiontext><text>"
_IN_LINE_2 = "the question that begins in line 2: the file is cut off, or"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.xml", f'<?xml version="1.0"?>{_BOMB}<quiz>&b;</quiz>', r"document type \(DOCTYPE\) with entities"),
        ("a.xml", '<!DOCTYPE quiz [<!ENTITY x SYSTEM "file:///etc/passwd">]><quiz></quiz>', "document type"),
        ("a.xml", '<!DOCTYPE quiz SYSTEM "http://x.invalid/q.dtd"><quiz/>', "document type"),
        ("a.xml", _quiz("<question>" + "<a>" * 50_000), "more than 200 deep"),
        ("a.xml", _quiz("<question>" + "<a/>" * 200_000), "more than 100,000 elements"),
        ("a.xml", _quiz("<question a='" + "x" * 3_000_000), "tag of more than 1 MB"),
        ("a.xml", _quiz("<question " + " ".join(f'a{n}="1"' for n in range(1_000)) + "/>"), "more than 64 attributes"),
        ("a.xml", _quiz("<question type='essay'>"), "line 1 is not well-formed XML"),
        ("a.xml", _quiz("<question type='essay'>&nbsp;</question>"), "undefined entity"),
        ("a.xml", _quiz(""), "contains no questions"),
        ("a.xml", "<quiz><x><question/></x></quiz>", "contains no questions"),
        ("a.xml", '<?xml version="1.0" encoding="x-unknown"?><quiz/>', "not known, 'x-unknown'"),
        ("a.xml", _quiz("<question><text>Café au lait</text></question>").encode("windows-1252"), "not valid utf-8"),
        ("a.xml", f"{_CUT}<![CDATA[ab", _IN_LINE_2),
        ("a.xml", f"{_CUT}ab", _IN_LINE_2),
        ("a.xml", f"{_CUT}<![CDATA[ab</text></questiontext></question></quiz>", _IN_LINE_2),
        ("a.zip", _CANVAS(**{"bomb.xml": f"{_BOMB}<questestinterop>&b;</questestinterop>".encode()}), "declares a document type"),
        ("a.zip", _CANVAS(**{"deep.xml": b"<questestinterop>" + b"<a>" * 5_000}), "more than 200 deep"),
        ("a.zip", _CANVAS(**{"cut.xml": b"<questestinterop><item>"}), "is not well-formed XML"),
        ("a.zip", _CANVAS(**{"latin.xml": b"<questestinterop>\xe9</questestinterop>"}), "is not valid utf-8"),
        ("a.zip", _CANVAS(manifest="<manifest>"), r"its imsmanifest.xml: line \d+ is not well-formed XML"),
        ("a.zip", _CANVAS(**{"../evil.xml": b""}), "leads out of the archive"),
        ("a.zip", _CANVAS([]).replace(b"questestinterop", b"assessmentItem "), "holds no questions in QTI 1.2|damaged"),
        ("a.zip", _CANVAS()[:-40], "is damaged: it cannot be unpacked"),
        ("a.zip", _QTI({"imsmanifest.xml": "<manifest>", "a.xml": _PLAIN}), "its imsmanifest.xml: line 1 is not well-formed XML"),
        ("a.zip", _QTI({"imsmanifest.xml": qti_sample.manifest({}), "../a.xml": _PLAIN}), "leads out of the archive"),
        ("a.zip", qti_sample.package()[:-40], "is damaged: it cannot be unpacked"),
        ("a.xml", _PLAIN.replace("<assessmentItem", '<!DOCTYPE a [<!ENTITY b "c">]><assessmentItem'),
         "entities of its own.*; remove everything from <!DOCTYPE"),
        ("a.xml", _PLAIN.replace("<assessmentItem", '<!DOCTYPE a SYSTEM "http://x.invalid/x.dtd"><assessmentItem'),
         "another file describes.*; remove everything from <!DOCTYPE"),
        ("a.xml", _PLAIN.replace("<p>x", "<div>" * 300), "more than 200 deep"),
        ("a.xml", _PLAIN.replace("<p>", "<p " + " ".join(f'a{n}="1"' for n in range(65)) + ">"), "more than 64 attributes"),
        ("a.xml", _PLAIN.replace("</p>", ""), "is not well-formed XML"),
        ("a.xml", _PLAIN.replace("x</p>", "&boom;</p>"), "is not well-formed XML"),
        ("a.bin", _zip({"../a.tex": EXAM}), "leads out of the archive"),
        ("a.bin", _tar({"../a.tex": EXAM}), "leads out of the archive"),
        ("a.bin", _tar({"a.tex": ""}, type=tarfile.SYMTYPE), "is a link"),
        ("a.bin", _tar({"a.tex": EXAM * 100, "b.tex": str([*range(9_999)])})[:4_000], "damaged|cut off"),
        ("a.bin", _tar({"readme.txt": "x"}), "without questions"),
    ],
)  # fmt: skip
def test_a_hostile_or_damaged_file_is_refused_in_a_sentence(tmp_path, name, data, reason):
    path = saved(tmp_path, data.encode() if isinstance(data, str) else data, name)
    with pytest.raises(ImportRefused, match=reason) as caught:  # noqa: PT012 - a problem of the only item counts as well
        for _line, entry in read(path):
            if isinstance(entry, LineProblem):
                raise ImportRefused(entry.reason)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("format", "data", "reason"),
    [
        ("moodle-xml", b"<quiz2><question/></quiz2>", "not with 'quiz'"),
        ("qti21", _QTI({"imsmanifest.xml": qti_sample.manifest({"gone": "gone.xml"}), "a.txt": _PLAIN}), "holds no questions"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_of_the_format_that_is_asked_for_is_refused(tmp_path, format, data, reason):
    path = saved(tmp_path, data, "a.file")
    with pytest.raises(ImportRefused, match=reason):
        list(read(path, format))


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_large], ids=lambda case: case.name)
def test_a_hostile_file_is_refused_or_what_is_bad_in_it_named(case, tmp_path, monkeypatch, no_hang):
    def refuse(*_args: object, **_more: object) -> None:
        raise AssertionError("a reader asked an address")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    case.make(tmp_path / case.name)
    assert fault(case, outcome(tmp_path / case.name)) == ""
