"""Files of other kinds are named in one sentence that says what to do; files of ours are never taken for one."""

from __future__ import annotations

import gzip
import io
import re
import zipfile

import pytest

from questionbank.core.errors import ImportRefused
from questionbank.formats.catalog import layout_of
from questionbank.formats.foreign import foreign_program
from tests.questionbank.formats.files import saved


def _zip(name):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr(name, "x")
    return archive.getvalue()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"% notes\n\\documentclass{article}", "a LaTeX document"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b'<assessmentTest xmlns="x">', "a test of QTI"),
        (b"<questions><q/></questions>", "an XML file"),
        (_zip("word/document.xml"), "a Word document"),
        (_zip("Index/Document.iwa"), "an Apple Numbers"),
        (_zip("readme.txt"), "ZIP archive"),
        (b"%PDF-1.7", "a PDF"),
        (rb"{\rtf1 x}", "a text with formatting (RTF)"),
        (b"\x89PNG....", "a picture"),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_one_sentence(tmp_path, content, what):
    path = saved(tmp_path, content, "bank.dat")
    with pytest.raises(ImportRefused) as refused:
        layout_of(path)
    assert what in str(refused.value)
    assert (
        "CSV" in str(refused.value)
        or "type or paste" in str(refused.value)
        or "choose one" in str(refused.value)
        or "Import a test paper" in str(refused.value)
        or "Choose the whole package" in str(refused.value)
    )
    assert not refused.value.problems


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("sum.pg", "loadMacros('PGML.pl');", "from WeBWorK"),
        ("sum.txt", "DOCUMENT();\nBEGIN_PGML\nAdd. [__]{4}\nEND_PGML\n", "from WeBWorK"),
        ("sum.Rmd.gz", gzip.compress(b"Question\n========\n`r a` {=4}\n"), "from R/exams"),
        ("sum.txt", "Add {=4}.\n\nMeta-information\n====\nextype: num\nexsolution: 4\n", "from R/exams"),
        ("a.html", "<p>Add</p><pl-number-input answers-name='a'>", "from PrairieLearn"),
        ("course.zip", _zip("questions/a/question.html"), "from PrairieLearn"),
        ("library.zip", _zip("L/sum.pg"), "from WeBWorK"),
        ("quiz.h5p", _zip("h5p.json"), "from H5P"),
        ("qcm.tex", "\\documentclass{article}\n\\usepackage[box]{automultiplechoice}", "from Auto Multiple Choice"),
        ("a.xml", "<?xml version='1.0'?><Machine-Reading-Corpus-File>", "an XML file"),
    ],
)  # fmt: skip
def test_a_file_of_a_system_that_is_not_read_is_refused_with_what_to_do(tmp_path, name, content, what):
    path = saved(tmp_path, content, name)
    with pytest.raises(ImportRefused, match=what) as refused:
        layout_of(path)
    assert re.search(r"into a table|Moodle XML", str(refused.value))
    assert str(refused.value).startswith(f"{name.removesuffix('.gz')} is ")


@pytest.mark.parametrize(
    ("name", "content"),
    [("question.html", "<p>2 + 2?</p>"), ("quiz.tex", "\\begin{question}{5} 2 + 2? \\end{question}")],
)
def test_a_paper_of_ones_own_is_not_taken_for_a_program(name, content):
    assert foreign_program(content, name) == ""


@pytest.mark.parametrize(
    "content",
    [
        'text,answer\n"\\begin{enumerate} A. 3\nANSWER: B",1\n',
        "text,answer\n<p>x</p>,1\n",
        "question {easy},answer\n1,2\n",
        '{"text": "<quiz>"}\n',
    ],
)
def test_a_file_of_ours_is_not_taken_for_another(tmp_path, content):
    path = saved(tmp_path, content, "bank.csv")
    assert layout_of(path).pairs
