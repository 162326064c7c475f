"""Aiken and cloze text, and what decides in which format a text is."""

from __future__ import annotations

import io
import tarfile
import zipfile

import pytest

from questionbank.core.errors import LineProblem
from questionbank.formats import read
from questionbank.formats.catalog import sniff
from tests.questionbank.formats.files import named
from tests.questionbank.formats.test_moodle_xml import questions


def _zip(files) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def _tar(files, type=tarfile.REGTYPE) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            content = content.encode() if isinstance(content, str) else content
            member.size, member.type, member.linkname = len(content), type, "/etc/passwd"
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def test_aiken_is_read(tmp_path):
    text = (
        "What is\n$2+2$?\nA. 3\nB) 4\nANSWER: B\n\nNo answer?\nA. 1\nB. 2\n\n"
        "Wrong?\nA. 1\nB. 2\nANSWER: D\nLast?\nA. x\nB. y\nANSWER: A\n"
    )
    path = named(tmp_path, "bank.txt", text)
    assert sniff(path).name == "aiken"
    assert [(one.text, one.answer) for one in questions(path)] == [("What is\n$2+2$?", "B"), ("Last?", "A")]
    assert [(entry.line, entry.reason) for _line, entry in read(path) if isinstance(entry, LineProblem)] == [
        (7, "the question has no line ANSWER: with the letter of an option"),
        (11, "the answer D is not the letter of an option"),
    ]


@pytest.mark.parametrize(
    "text", ["One?\nA. 1\nB. 2\nanswer: b\n", "No answer?\nA. 1\nB. 2\n\nTwo?\nA. 1\nB. 2\nANSWER: A\n"]
)
def test_aiken_is_recognised_by_any_question_and_in_any_case(tmp_path, text):
    assert sniff(named(tmp_path, "quiz.txt", text)).name == "aiken"


def test_a_cloze_text_is_one_question(tmp_path):
    path = named(tmp_path, "cloze.txt", "The <b>sum</b> is {1:NUMERICAL:=4:0.1}.\n\nIt is {2:MC:=even~odd}.")
    assert sniff(path).name == "cloze"
    (question,) = questions(path)
    assert (question.text, question.answer) == ("The **sum** is [[1]].\n\nIt is [[2]].", "4; even")


EXAM = "\\documentclass{exam}\\begin{document}\\begin{questions}"


@pytest.mark.parametrize(
    "content",
    [
        EXAM + "\\question " + "{" * 10**5 + "\\textbf{" * 10**4,
        EXAM + "\\question " + "\\begin{parts}\\part " * 10**4,
        "\\def\\a{\\a\\a}\\newcommand{\\b}{\\b\\b}" + EXAM + "\\question \\b" + "\\a" * 5_000,
        EXAM + "\\question x" + "\\begin{verbatim}" * 10**4,
    ],
)
def test_a_deep_file_takes_time_linear_in_its_size(tmp_path, content):
    entries = [entry for _line, entry in read(named(tmp_path, "file.txt", content))]
    assert len(entries) < 10


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("bank.csv", 'text,answer\n"\\begin{questions}\\question DOCUMENT();",1\n', "csv"),
        ("bank.jsonl", '{"text": "\\\\begin{questions} {1:SA:=4}"}\n', "jsonl"),
        ("bank.xml", EXAM + "\\question x", "exam"),
        ("bank.txt", "What does `extype: num` mean? {=a type}", "gift"),
    ],
)
def test_a_file_is_taken_for_what_it_holds(tmp_path, name, content, format):
    assert sniff(named(tmp_path, name, content)).name == format
